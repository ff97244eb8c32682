//! DISPLAY's text on its way to the gateway's log: with the program and the task, each line cut to a length,
//! and a limited number of lines each second.
//!
//! Text comes in two ways. The worker's runtime tells its region what the task has displayed. Text that a
//! library writes past the runtime comes through a pipe, the worker's standard output and error. The log
//! names the worker for it, because the region cannot know the task.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use codepage::readable::decoded;
use wire::shown;

use crate::settings::Settings;
use crate::watching::board::TaskLabel;

/// The most bytes that are taken from a worker's pipe at one look.
const PIPE_READ_MAX_BYTES: usize = 16 * 1024;

/// Where the output of a region's programs goes.
#[derive(Debug)]
pub(crate) struct OutputLog {
    began: Instant,
    ccsid: u16,
    line_max_bytes: usize,
    lines_per_second_max: u32,
    /// In the upper half the second since the beginning; in the lower half the number of lines in it.
    window: AtomicU64,
}

/// Whether a line may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admitted {
    Yes,
    /// It is the first one too many of its second.
    FirstTooMany,
    TooMany,
}

impl OutputLog {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            began: Instant::now(),
            ccsid: settings.ccsid,
            line_max_bytes: settings.limits.display_line_max_bytes,
            lines_per_second_max: settings.limits.display_lines_per_second_max,
            window: AtomicU64::new(0),
        }
    }

    /// Writes the text of a task. False if no more text is wanted, because there were too many lines in this
    /// second.
    pub(crate) fn of_task(&self, label: &TaskLabel, text: &[u8]) -> bool {
        let (program, transaction) = (shown(&label.program), shown(&label.transaction));
        let task = label.number;
        for line in lines(text) {
            match self.admit(self.began.elapsed().as_secs()) {
                Admitted::Yes => {
                    let line = readable_line(line, self.ccsid, self.line_max_bytes);
                    tracing::info!(target: "display", program, transaction, task, "{line}");
                }
                Admitted::FirstTooMany => {
                    let most = self.lines_per_second_max;
                    tracing::warn!(
                        target: "display", program, transaction, task,
                        "programs displayed more than {most} lines in a second (region.display_lines_per_second_max): the rest of this task's output is left out"
                    );
                    return false;
                }
                Admitted::TooMany => return false,
            }
        }
        true
    }

    /// Writes text that came through a worker's pipe.
    pub(crate) fn of_worker(&self, pid: u32, text: &[u8]) {
        for line in lines(text) {
            match self.admit(self.began.elapsed().as_secs()) {
                Admitted::Yes => {
                    let line = readable_line(line, self.ccsid, self.line_max_bytes);
                    tracing::info!(target: "display", worker = pid, "{line}");
                }
                Admitted::FirstTooMany => tracing::warn!(
                    target: "display", worker = pid,
                    "workers wrote more than {} lines in a second (region.display_lines_per_second_max): further lines of this second are left out",
                    self.lines_per_second_max
                ),
                Admitted::TooMany => {}
            }
        }
    }

    fn admit(&self, second: u64) -> Admitted {
        let count = self
            .window
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |window| {
                Some(if window >> 32 == second { window.saturating_add(1) } else { second << 32 | 1 })
            })
            .map_or(1, |before| if before >> 32 == second { (before & 0xFFFF_FFFF) + 1 } else { 1 });
        match count.cmp(&(u64::from(self.lines_per_second_max) + 1)) {
            std::cmp::Ordering::Less => Admitted::Yes,
            std::cmp::Ordering::Equal => Admitted::FirstTooMany,
            std::cmp::Ordering::Greater => Admitted::TooMany,
        }
    }
}

/// The lines of a text that have something in them.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty())
}

/// A line for the log: in this code page, with control characters as escapes, cut where it is too long.
fn readable_line(line: &[u8], ccsid: u16, most: usize) -> String {
    let kept = &line[..line.len().min(most)];
    let text = decoded(kept, ccsid);
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            // Characters that turn the direction of the text would show the line as another one.
            letter if letter.is_control() || is_format(letter) => {
                shown.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
            }
            letter => shown.push(letter),
        }
    }
    if kept.len() < line.len() {
        shown.push_str(&format!(" [cut: {} of {} bytes]", kept.len(), line.len()));
    }
    shown
}

/// Marks of direction and separators of lines, which do not count as control characters.
fn is_format(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The region's end of a worker's standard output and error.
#[derive(Debug)]
pub(crate) struct OutputPipe(PipeReader);

impl OutputPipe {
    /// A pipe, and the end for the worker.
    pub(crate) fn new() -> io::Result<(Self, PipeWriter)> {
        let (ours, theirs) = io::pipe()?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok((Self(ours), theirs))
    }

    /// Reads the waiting text, up to a limit, and hands it to the log.
    pub(crate) fn pass_on(&self, pid: u32, log: &OutputLog) {
        let mut bytes = [0; PIPE_READ_MAX_BYTES];
        if let Ok(count) = (&self.0).read(&mut bytes)
            && count > 0
        {
            log.of_worker(pid, &bytes[..count]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines_per_second_max: u32) -> OutputLog {
        OutputLog {
            began: Instant::now(),
            ccsid: 819,
            line_max_bytes: 10,
            lines_per_second_max,
            window: AtomicU64::new(0),
        }
    }

    #[test]
    fn control_characters_are_shown_and_long_lines_cut() {
        assert_eq!(readable_line(b"\x1b[31mred", 819, 100), "\\u{1b}[31mred");
        assert_eq!(readable_line(b"0123456789", 819, 4), "0123 [cut: 4 of 10 bytes]");
        assert_eq!(readable_line("a\u{202e}b".as_bytes(), 1208, 100), "a\\u{202e}b");
        assert_eq!(readable_line(b"\xC1\xC2", 37, 100), "AB");
    }

    #[test]
    fn lines_have_something_in_them() {
        let found: Vec<&[u8]> = lines(b"one   \n\n  two\r\n").collect();
        assert_eq!(found, [&b"one"[..], b"  two"]);
    }

    #[test]
    fn a_second_has_so_many_lines_and_the_next_one_too() {
        let log = log(2);
        let found: Vec<Admitted> = [5, 5, 5, 5, 6].into_iter().map(|second| log.admit(second)).collect();
        let expected =
            [Admitted::Yes, Admitted::Yes, Admitted::FirstTooMany, Admitted::TooMany, Admitted::Yes];
        assert_eq!(found, expected);
    }
}
