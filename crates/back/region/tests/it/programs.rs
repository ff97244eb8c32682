//! Programs for the tests: translated, compiled, in a folder of their own.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use copybook::Format;
use program::translate::{Settings, TerminalCommands, translate};
use wire::TEMPLATES_FOLDER;

/// The templates of documents beside the programs.
const TEMPLATES: [(&str, &str); 3] = [
    ("ORDER", "<!--#set var=WHO value='nobody'-->Order &NO; of &WHO;, <!--#echo var=ITEM-->"),
    ("LETTER", "Dear &WHO;: <!--#include template=ORDER-->"),
    ("BAD", "abc<!--#echo-->"),
];

/// The folder with all programs of `tests/programs`, made once.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            // Workers are another user.
            std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("a mode");
            let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
            for entry in std::fs::read_dir(sources).expect("tests/programs") {
                compile(&entry.expect("an entry").path(), folder.path());
            }
            let templates = folder.path().join(TEMPLATES_FOLDER);
            std::fs::create_dir(&templates).expect("a folder");
            for (name, text) in TEMPLATES {
                std::fs::write(templates.join(name), text).expect("a template");
            }
            folder
        })
        .path()
}

/// Translates and compiles a program.
pub(crate) fn compile(source: &Path, to: &Path) {
    let name = source.file_stem().and_then(|name| name.to_str()).expect("a name");
    let text = std::fs::read_to_string(source).expect("a source");
    let terminal = TerminalCommands::FailAtRunTime;
    let settings = Settings { format: Format::Fixed, terminal, ..Settings::default() };
    let none = |member: &str, _: Option<&str>| Err(format!("there is no {member}"));
    let translated = translate(&format!("{name}.cbl"), &text, &settings, &none);
    let translated = translated.unwrap_or_else(|findings| panic!("{name}: {findings:#?}"));
    let intermediate = to.join(format!("{name}.i"));
    std::fs::write(&intermediate, translated.text).expect("a file");
    let mut command = Command::new("cobc");
    command.args(["-m", "-std=ibm-strict", "-fsign=EBCDIC", "-o"]);
    command.arg(to.join(format!("{name}.so"))).arg(&intermediate).current_dir(to);
    let output = command.output().unwrap_or_else(|error| {
        panic!("these tests need GnuCOBOL 3: install Debian's package gnucobol3 ({error})")
    });
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The example that is a worker.
pub(crate) fn worker() -> PathBuf {
    example("worker")
}

/// An example of this crate.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test's path");
    let folder = test.parent().and_then(Path::parent).expect("target/PROFILE/deps");
    let example = folder.join("examples").join(name);
    assert!(
        example.exists(),
        "{} is missing: `cargo test -p region` builds it, `--test it` alone does not",
        example.display()
    );
    example
}
