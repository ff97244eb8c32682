//! Triggers of queues, and `[[queue_manager.process]]`: the processes that they start.

use message::Priority;
use queue::{Process, Trigger, TriggerType};
use serde::{Deserialize, Serialize};
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;

/// Characters of the name of a process, of the name of a transaction, and bytes of data.
const NAME_MAX: usize = 48;
const TRANSACTION_MAX: usize = 4;
pub(crate) const TRIGGER_DATA_MAX: usize = 64;
const DATA_MAX: usize = 128;

/// `[[queue_manager.process]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcessSection {
    name: Spanned<String>,
    transaction: Spanned<String>,
    environment_data: Option<Spanned<String>>,
    user_data: Option<Spanned<String>>,
}

/// `trigger` of a queue.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TriggerWord {
    None,
    First,
    Every,
    Depth,
}

impl TriggerWord {
    pub(crate) fn of(kind: TriggerType) -> Self {
        match kind {
            TriggerType::None => Self::None,
            TriggerType::First => Self::First,
            TriggerType::Every => Self::Every,
            TriggerType::Depth => Self::Depth,
        }
    }

    pub(crate) fn kind(self) -> TriggerType {
        match self {
            Self::None => TriggerType::None,
            Self::First => TriggerType::First,
            Self::Every => TriggerType::Every,
            Self::Depth => TriggerType::Depth,
        }
    }
}

/// The trigger of a queue's section.
pub(crate) struct Written<'w> {
    pub(crate) kind: Option<&'w Spanned<TriggerWord>>,
    pub(crate) depth: Option<&'w Spanned<u32>>,
    pub(crate) priority: Option<&'w Spanned<u8>>,
    pub(crate) data: Option<&'w Spanned<String>>,
    pub(crate) process: Option<&'w Spanned<String>>,
}

impl ProcessSection {
    /// Checks the processes. All faults are reported.
    pub(crate) fn read_all(sections: &[Self], loader: &mut Loader<'_>) -> Vec<Process> {
        let mut processes: Vec<Process> = Vec::new();
        for section in sections {
            let name = checked(&section.name, (1, NAME_MAX), loader);
            if processes.iter().any(|process| process.name == name) {
                let message = format!("there are two processes named {name}");
                loader.at(GANTRY_FILE, section.name.span(), message);
            }
            let transaction = checked(&section.transaction, (1, TRANSACTION_MAX), loader);
            let mut data = |written: &Option<Spanned<String>>| {
                written.as_ref().map(|text| checked(text, (0, DATA_MAX), loader)).unwrap_or_default()
            };
            let (environment_data, user_data) = (data(&section.environment_data), data(&section.user_data));
            processes.push(Process { name, transaction, environment_data, user_data });
        }
        processes
    }
}

impl Written<'_> {
    /// Checks a trigger: its process must exist.
    pub(crate) fn read(&self, processes: &[Process], loader: &mut Loader<'_>) -> Trigger {
        let kind = self.kind.map_or(TriggerType::None, |kind| kind.get_ref().kind());
        let priority = self.priority.map(|number| {
            let priority = Priority::new(*number.get_ref());
            if priority.is_none() {
                loader.at(GANTRY_FILE, number.span(), "expected a priority from 0 to 9".to_owned());
            }
            priority.unwrap_or_default()
        });
        let depth = self.depth.map_or(1, |depth| *depth.get_ref());
        if let Some(written) = self.depth.filter(|_| depth == 0) {
            loader.at(GANTRY_FILE, written.span(), "expected at least 1".to_owned());
        }
        if let Some(process) = self.process
            && process.get_ref().len() > TRANSACTION_MAX
            && !processes.iter().any(|known| known.name == *process.get_ref())
        {
            let message = format!(
                "no [[queue_manager.process]] is {}, and a transaction has at most {TRANSACTION_MAX} characters",
                process.get_ref()
            );
            loader.at(GANTRY_FILE, process.span(), message);
        }
        if let (Some(kind_at), None) = (self.kind.filter(|_| kind != TriggerType::None), self.process) {
            let message = "a trigger needs 'process': a process, or a transaction".to_owned();
            loader.at(GANTRY_FILE, kind_at.span(), message);
        }
        Trigger {
            enabled: kind != TriggerType::None,
            kind,
            depth,
            priority: priority.unwrap_or_default(),
            data: self.data.map(|data| checked(data, (0, TRIGGER_DATA_MAX), loader)).unwrap_or_default(),
            process: self.process.map(|process| process.get_ref().clone()).unwrap_or_default(),
            initiation_queue: String::new(),
        }
    }
}

/// A text of printable ASCII, within its length.
fn checked(text: &Spanned<String>, (least, most): (usize, usize), loader: &mut Loader<'_>) -> String {
    let found = text.get_ref();
    let is_visible = found.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if !is_visible || !(least..=most).contains(&found.len()) {
        let message = format!("expected {least} to {most} printable ASCII characters");
        loader.at(GANTRY_FILE, text.span(), message);
    }
    found.clone()
}
