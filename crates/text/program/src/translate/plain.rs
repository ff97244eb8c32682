//! Finds programs that do not use CICS: those with parameters of their own that are only reached by CALL.
//!
//! On a mainframe these are compiled without the translator, so their callers pass exactly the declared
//! parameters.

use copybook::Token;

use super::blocks::{Block, Language};
use super::data::{COMMAREA, EIB};
use super::units::{Region, Unit, Units};
use crate::members::DFHEIBLK;

/// For each program, true if it, and the programs around it and in it, have parameters of their own, but
/// neither commands nor names of the EXEC interface block or the commarea.
pub(super) fn find(tokens: &[Token<'_>], units: &Units, blocks: &[Block]) -> Vec<bool> {
    let root = |unit: usize| {
        std::iter::successors(Some(unit), |unit| units.programs[*unit].parent).last().unwrap_or(unit)
    };
    let mut plain: Vec<bool> = units.programs.iter().map(|unit| has_own_parameters(tokens, unit)).collect();
    for block in blocks.iter().filter(|block| block.language == Language::Cics) {
        if let Some(unit) = block.unit_code {
            plain[root(unit)] = false;
        }
    }
    let names: Vec<&str> = DFHEIBLK.split_whitespace().filter(|word| word.starts_with("EIB")).collect();
    for (token, region) in tokens.iter().zip(&units.regions) {
        let (Region::Data(unit) | Region::Code(unit)) = *region else { continue };
        if plain[root(unit)] && (token.is_any(&[EIB, COMMAREA]) || token.is_any(&names)) {
            plain[root(unit)] = false;
        }
    }
    (0..plain.len()).map(|unit| plain[root(unit)]).collect()
}

fn has_own_parameters(tokens: &[Token<'_>], unit: &Unit) -> bool {
    let Some(procedure) = &unit.procedure else { return false };
    let heading = &tokens[procedure.heading..procedure.period.min(tokens.len())];
    heading.iter().any(|token| token.is("USING"))
}
