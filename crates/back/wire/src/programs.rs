//! What both sides know of the folder of programs: which names there are, and the file beside them.

/// The file beside the programs that has, for each that says so itself, a line `NAME BYTES`: the length of its DFHCOMMAREA.
pub const COMMAREAS_FILE: &str = "commareas";

/// The folder beside the programs that has templates of documents, each by its name, in the region's code page.
pub const TEMPLATES_FOLDER: &str = "templates";

/// A program's name without its blanks; none if it has characters that no program name has.
pub fn program_text(program: &[u8; 8]) -> Option<&str> {
    let length = program.iter().rposition(|byte| *byte != b' ')? + 1;
    is_program_name(&program[..length]).then(|| std::str::from_utf8(&program[..length]).ok()).flatten()
}

/// True if names of programs, and of what they CALL, may have these characters.
pub fn is_program_name(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_@#$".contains(byte))
}
