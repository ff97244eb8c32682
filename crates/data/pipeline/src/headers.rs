//! Header programs: which ones a message calls, and their data.

use crate::{HeaderProgram, SoapHandler};
use soap::Version;

/// A message whose envelope was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its version.
    pub version: Version,
    /// The declarations of prefixes in scope in the body: `xmlns:a='…' xmlns:b='…'`.
    pub namespaces: String,
    /// The header blocks that are for this node, in their order.
    pub blocks: Vec<HeaderBlock>,
    /// The element `Body` with all its content.
    pub body: String,
}

/// A header block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderBlock {
    /// The namespace of its element.
    pub namespace: String,
    /// The local name of its element.
    pub local_name: String,
    /// The element, with all declarations of prefixes that it needs.
    pub text: String,
    /// The sender wants a fault if nobody here understands it.
    pub must_understand: bool,
}

/// A call of a header program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderCall {
    /// The place of the program in its SOAP handler.
    pub(super) program: usize,
    /// The place of its header block; none if it runs without one.
    pub(super) block: Option<usize>,
}

impl SoapHandler {
    /// The calls for an incoming message: each program for each of its header blocks, and mandatory programs
    /// at least once.
    pub(super) fn inbound(&self, blocks: &[HeaderBlock]) -> Vec<HeaderCall> {
        let mut calls = Vec::new();
        for (place, program) in self.header_programs.iter().enumerate() {
            let before = calls.len();
            let own = blocks.iter().enumerate().filter(|(_, block)| program.takes_block(block));
            calls.extend(own.map(|(block, _)| HeaderCall { program: place, block: Some(block) }));
            if calls.len() == before && program.is_mandatory {
                calls.push(HeaderCall { program: place, block: None });
            }
        }
        calls
    }

    /// The calls for an outgoing message. It has no header blocks yet, so only mandatory programs are called.
    pub(super) fn outbound(&self) -> Vec<HeaderCall> {
        let programs = self.header_programs.iter().enumerate();
        let mandatory = programs.filter(|(_, program)| program.is_mandatory);
        mandatory.map(|(program, _)| HeaderCall { program, block: None }).collect()
    }

    /// The header blocks that must be understood, but have no program.
    pub(super) fn not_understood(&self, blocks: &[HeaderBlock]) -> Vec<(String, String)> {
        let unknown =
            |block: &&HeaderBlock| !self.header_programs.iter().any(|program| program.takes_block(block));
        let needed = blocks.iter().filter(|block| block.must_understand).filter(unknown);
        needed.map(|block| (block.namespace.clone(), block.local_name.clone())).collect()
    }
}

impl HeaderProgram {
    fn takes_block(&self, block: &HeaderBlock) -> bool {
        self.takes(&block.namespace, &block.local_name)
    }
}
