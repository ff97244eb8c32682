//! The folder of dumps: names of its files, listing them, and deleting the oldest.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use program::moment::Moment;
use wire::shown;

use crate::watching::board::TaskLabel;

/// Only the gateway's user may look into dumps.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The longest dump that is read again.
const DUMP_MAX_BYTES: u64 = 256 * 1024 * 1024;

const ENDING: &str = ".json";

/// The ending of a dump that is being written. Who writes it has it locked.
const UNFINISHED: &str = ".part";

/// A dump, as its file's name tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpView {
    /// Its name: `TIME-TASK-PROGRAM-CODE`.
    pub id: String,
    /// When the task ended: `2026-11-22 02:30:07.123`, UTC.
    pub time: String,
    /// EIBTASKN.
    pub task: u32,
    /// The task's first program. Characters that names of files do not have are underscores, here and in the
    /// code.
    pub program: String,
    /// The abend code.
    pub code: String,
    /// The bytes of the file.
    pub bytes: u64,
}

/// A moment for names of files, and for people.
pub(super) struct Stamp {
    name: String,
    pub(super) readable: String,
}

/// A moment, in UTC.
pub(super) fn stamp(time: SystemTime) -> Stamp {
    let Moment { year, month, day, hour, minute, second, millisecond, .. } =
        Moment::at(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default());
    Stamp {
        name: format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}{millisecond:03}Z"),
        readable: format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{millisecond:03}"),
    }
}

/// The id of a new dump of a task, and its time. A task may have two dumps in one millisecond; the second one is then a little later.
pub(super) fn free_id(
    folder: &Path,
    mut time: SystemTime,
    task: &TaskLabel,
    code: &str,
) -> (SystemTime, String) {
    loop {
        let id = id(time, task, code);
        if !folder.join(format!("{id}{ENDING}")).exists() {
            return (time, id);
        }
        time += Duration::from_millis(1);
    }
}

/// The id of a task's dump.
fn id(time: SystemTime, task: &TaskLabel, code: &str) -> String {
    let part = |text: &str| {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        if text.is_empty() { "_".to_owned() } else { text.chars().map(plain).collect::<String>() }
    };
    format!("{}-{:07}-{}-{}", stamp(time).name, task.number, part(&shown(&task.program)), part(code))
}

/// The dump in a file of this name; none if the file is not one of ours.
fn view(file: &str, bytes: u64) -> Option<DumpView> {
    let id = file.strip_suffix(ENDING)?;
    let mut parts = id.split('-');
    let (Some(time), Some(task), Some(program), Some(code), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let is_number =
        |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let (date, clock) = time.strip_suffix('Z')?.split_once('T')?;
    if !(is_number(date, 8)
        && is_number(clock, 9)
        && is_number(task, 7)
        && is_plain(program)
        && is_plain(code))
    {
        return None;
    }
    let readable = format!(
        "{}-{}-{} {}:{}:{}.{}",
        &date[..4],
        &date[4..6],
        &date[6..],
        &clock[..2],
        &clock[2..4],
        &clock[4..6],
        &clock[6..]
    );
    Some(DumpView {
        id: id.to_owned(),
        time: readable,
        task: task.parse().ok()?,
        program: program.to_owned(),
        code: code.to_owned(),
        bytes,
    })
}

/// The dumps of a folder, oldest first; none if the folder does not exist.
pub(super) fn list(folder: &Path) -> io::Result<Vec<DumpView>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut dumps = Vec::new();
    for entry in entries {
        let entry = entry?;
        // A file that has just gone is left out.
        let Ok(data) = entry.metadata() else { continue };
        if let Some(name) = entry.file_name().to_str()
            && data.is_file()
        {
            dumps.extend(view(name, data.len()));
        }
    }
    dumps.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(dumps)
}

/// The text of a dump; none if the dump does not exist. A malformed id reads no file.
pub(super) fn read(folder: &Path, id: &str) -> io::Result<Option<String>> {
    let file = format!("{id}{ENDING}");
    if view(&file, 0).is_none() {
        return Ok(None);
    }
    let path = folder.join(file);
    match fs::metadata(&path) {
        Ok(data) if data.len() > DUMP_MAX_BYTES => {
            let message = format!("expected at most {DUMP_MAX_BYTES} bytes, found {}", data.len());
            Err(io::Error::other(message))
        }
        Ok(_) => fs::read_to_string(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a dump whole or not at all, and takes the oldest away if there are more than `most`.
pub(super) fn write(folder: &Path, id: &str, text: &str, most: usize) -> io::Result<()> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
        // Configurations are kept under Git; the data of programs do not belong there.
        let _ = fs::write(folder.join(".gitignore"), "*\n");
    }
    let (path, part) = (folder.join(format!("{id}{ENDING}")), folder.join(format!("{id}{UNFINISHED}")));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&part)?;
    // Where files cannot be locked, nobody deletes unfinished dumps either.
    let _ = file.lock();
    let written = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&part, &path));
    if let Err(error) = written {
        let _ = fs::remove_file(&part);
        return Err(error);
    }
    let dumps = list(folder)?;
    for old in &dumps[..dumps.len().saturating_sub(most)] {
        // Another gateway may have deleted it.
        let _ = fs::remove_file(folder.join(format!("{}{ENDING}", old.id)));
    }
    Ok(())
}

/// Deletes dumps that a gateway has begun and not finished, because it was killed or the machine stopped. Those that are
/// being written now stay.
pub(super) fn delete_unfinished(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(UNFINISHED));
        if id.is_none_or(|id| view(&format!("{id}{ENDING}"), 0).is_none()) {
            continue;
        }
        // One that has just gone is finished.
        if let Ok(file) = fs::File::open(entry.path())
            && file.try_lock().is_ok()
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use wire::name;

    fn task(program: &str) -> TaskLabel {
        TaskLabel {
            number: 7,
            transaction: name("T"),
            program: name(program),
            user: name("U"),
            startcode: *b"D ",
        }
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(1_709_208_000_123 + seconds * 1_000)
    }

    #[test]
    fn a_name_tells_what_the_dump_is() {
        let id = id(at(0), &task("PAY/1"), "A-B.");
        assert_eq!(id, "20240229T120000123Z-0000007-PAY_1-A_B_");
        let view = view(&format!("{id}.json"), 5).expect("a dump");
        assert_eq!((view.time.as_str(), view.task), ("2024-02-29 12:00:00.123", 7));
        assert_eq!((view.program.as_str(), view.code.as_str(), view.bytes), ("PAY_1", "A_B_", 5));
    }

    #[test]
    fn two_dumps_of_one_millisecond_have_two_ids() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, first) = free_id(folder.path(), at(0), &task("P"), "LOOK");
        write(folder.path(), &first, "{}", 9).expect("a dump");
        let (time, second) = free_id(folder.path(), at(0), &task("P"), "LOOK");
        assert_eq!(second, "20240229T120000124Z-0000007-P-LOOK");
        assert_eq!(time, at(0) + Duration::from_millis(1));
    }

    #[test]
    fn the_oldest_go_and_what_is_no_dump_stays() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("dumps");
        assert_eq!(list(&folder).expect("no folder is no fault"), []);
        for second in 0..4 {
            write(&folder, &id(at(second), &task("P"), "ASRA"), "{}", 2).expect("a dump");
        }
        fs::write(folder.join("note.json"), "mine").expect("a file");
        write(&folder, &id(at(4), &task("P"), "ASRA"), "{\"x\":1}", 2).expect("a dump");
        let dumps = list(&folder).expect("a folder");
        let seconds: Vec<&str> = dumps.iter().map(|dump| &dump.time[17..19]).collect();
        assert_eq!(seconds, ["03", "04"]);
        assert_eq!(read(&folder, &dumps[1].id).expect("a dump").as_deref(), Some("{\"x\":1}"));
        assert!(folder.join("note.json").exists() && folder.join(".gitignore").exists());
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join(format!("{}.json", dumps[1].id))), 0o600);
    }

    #[test]
    fn unfinished_dumps_go_unless_somebody_writes_them() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path();
        let ids = [0, 1].map(|second| id(at(second), &task("P"), "ASRA"));
        let [left, written] = ids.map(|id| folder.join(format!("{id}.part")));
        fs::write(&left, "{").expect("a file");
        let writing = fs::File::create(&written).expect("a file");
        writing.lock().expect("nobody else has it");
        let others = ["note.part", "20240229T120000123Z-0000007-P-A.json"].map(|name| folder.join(name));
        others.iter().for_each(|path| fs::write(path, "mine").expect("a file"));
        delete_unfinished(folder).expect("a folder");
        assert!(!left.exists() && written.exists());
        assert!(others.iter().all(|path| path.exists()));
        drop(writing);
        delete_unfinished(folder).expect("a folder");
        assert!(!written.exists());
        delete_unfinished(&folder.join("none")).expect("no folder is no fault");
    }

    #[test]
    fn an_id_leads_nowhere_else() {
        let parent = tempfile::tempdir().expect("a folder");
        fs::write(parent.path().join("secret.json"), "no").expect("a file");
        for id in [
            "secret",
            "../secret",
            "",
            "20240229T120000123Z-0000007-../../P-A",
            "20240229T120000123Z-0000007-P-A",
        ] {
            assert_eq!(read(parent.path(), id).expect("no fault"), None, "{id}");
        }
    }
}
