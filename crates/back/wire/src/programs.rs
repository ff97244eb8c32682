//! The folder of programs as both sides know it: the names of programs, and the file beside them.

/// The file beside the programs. It has a line `NAME BYTES`, the length of its DFHCOMMAREA, for each program
/// that declares one.
pub const COMMAREAS_FILE: &str = "commareas";

/// The folder beside the programs that has templates of documents, each by its name, in the region's code page.
pub const TEMPLATES_FOLDER: &str = "templates";

/// A program's name without its blanks. None if it has characters that names of programs never have.
pub fn program_text(program: &[u8; 8]) -> Option<&str> {
    let length = program.iter().rposition(|byte| *byte != b' ')? + 1;
    is_program_name(&program[..length]).then(|| std::str::from_utf8(&program[..length]).ok()).flatten()
}

/// True if names of programs, and names that they CALL, may have these characters.
pub fn is_program_name(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_@#$".contains(byte))
}
