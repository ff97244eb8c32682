//! Steps for the program STATE, which carries them out in one task and says for each what came of it.

use region::{Failure, Region};
use wire::Interface;

use crate::region::request;

const STEP_BYTES: usize = 100;

/// One command.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    op: &'static str,
    name: String,
    key: Vec<u8>,
    number: u32,
    length: usize,
    text: String,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) key: Vec<u8>,
    pub(crate) number: u32,
    pub(crate) length: usize,
    /// Without the blanks at its end.
    pub(crate) text: String,
    pub(crate) resp: u16,
    pub(crate) resp2: u32,
}

/// A command on something with a name; texts have 40 bytes unless it says otherwise.
pub(crate) fn step(op: &'static str, name: &str) -> Step {
    Step { op, name: name.to_owned(), key: Vec::new(), number: 0, length: 40, text: String::new() }
}

impl Step {
    pub(crate) fn key(mut self, key: impl AsRef<[u8]>) -> Self {
        self.key = key.as_ref().to_vec();
        self
    }

    pub(crate) fn number(mut self, number: u32) -> Self {
        self.number = number;
        self
    }

    pub(crate) fn length(mut self, length: usize) -> Self {
        self.length = length;
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self.text = text.to_owned();
        self
    }

    fn write(&self, to: &mut Vec<u8>) {
        let mut field = |bytes: &[u8], count: usize| {
            assert!(bytes.len() <= count, "{self:?}");
            to.extend(bytes);
            to.resize(to.len() + count - bytes.len(), b' ');
        };
        field(self.op.as_bytes(), 8);
        field(self.name.as_bytes(), 16);
        field(&self.key, 16);
        field(format!("{:09}{:05}", self.number, self.length).as_bytes(), 14);
        field(self.text.as_bytes(), 40);
        field(b"000000", 6);
    }
}

fn read(bytes: &[u8]) -> Done {
    let text = |from: usize, count: usize| std::str::from_utf8(&bytes[from..from + count]).expect("text");
    let number = |from: usize, count: usize| text(from, count).parse().expect("digits");
    Done {
        key: bytes[24..40].to_vec(),
        number: number(40, 9),
        length: number(49, 5) as usize,
        text: text(54, 40).trim_end().to_owned(),
        resp: number(94, 3) as u16,
        resp2: number(97, 3),
    }
}

/// What STATE gets to carry out the steps.
pub(crate) fn commarea(steps: &[Step]) -> Vec<u8> {
    let mut commarea = format!("{:03}", steps.len()).into_bytes();
    steps.iter().for_each(|step| step.write(&mut commarea));
    commarea
}

/// Runs the steps in one task.
pub(crate) async fn run(region: &Region, steps: &[Step]) -> Result<Vec<Done>, Failure> {
    match region.run(request("STATE", Interface::Commarea(commarea(steps)))).await? {
        Interface::Commarea(bytes) => Ok(bytes[3..].chunks(STEP_BYTES).map(read).collect()),
        other => panic!("expected a commarea, found {other:?}"),
    }
}

/// Runs the steps in one task, which ends as it should; RESP and the text of each.
pub(crate) async fn results(region: &Region, steps: &[Step]) -> Vec<(u16, String)> {
    let done = run(region, steps).await.expect("the task ends as it should");
    done.into_iter().map(|done| (done.resp, done.text)).collect()
}

/// RESP of each step.
pub(crate) async fn resps(region: &Region, steps: &[Step]) -> Vec<u16> {
    results(region, steps).await.into_iter().map(|(resp, _)| resp).collect()
}

/// The abend code of a task that must end with one.
pub(crate) async fn abend(region: &Region, steps: &[Step]) -> String {
    match run(region, steps).await {
        Err(Failure::Abend { code, .. }) => code,
        other => panic!("expected an abend, found {other:?}"),
    }
}
