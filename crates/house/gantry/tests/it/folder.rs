//! Configuration folders that tests write.

use std::path::Path;

use tempfile::TempDir;

/// A configuration folder. It disappears when the test ends.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self(TempDir::new().expect("a temporary folder can be made"))
    }

    /// Makes one service `echo` and one API `/echo` with `PUT /{text}`. `gantry` is the text of
    /// gantry.toml.
    pub(crate) fn echo(gantry: &str) -> Self {
        Self::empty()
            .with("gantry.toml", gantry)
            .with("copybooks/NOTE.cpy", NOTE)
            .with("services/echo.toml", &service("echo", ""))
            .with("apis/echo/api.toml", ECHO_API)
    }

    /// Makes the same with a service that answers after 500 ms.
    pub(crate) fn slow_echo(gantry: &str) -> Self {
        Self::echo(gantry).with("services/echo.toml", &service("echo", "delay_ms = 500"))
    }

    /// Writes one file.
    pub(crate) fn with(self, path: &str, text: &str) -> Self {
        let path = self.path().join(path);
        let parent = path.parent().expect("a file is in a folder");
        std::fs::create_dir_all(parent).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

pub(crate) const NOTE: &str = "       01  NOTE.
           05  NUMBER-OF   PIC 9(4).
           05  WORDS       PIC X(20).
";

pub(crate) const ECHO_API: &str = r#"base_path = "/echo"

[[operation]]
method = "PUT"
path = "/{number}"
service = "echo"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]
"#;

/// Makes a service over the copybook NOTE. `faults` are more lines of its provider.
pub(crate) fn service(answer: &str, faults: &str) -> String {
    format!(
        "ccsid = 37\n\n[provider]\nkind = \"simulated\"\nanswer = \"{answer}\"\n{faults}\n
[request]\ncopybook = \"NOTE.cpy\"\nwrapper = \"\"\n
[response]\ncopybook = \"NOTE.cpy\"\nwrapper = \"\"\n"
    )
}

/// A request to the echo API, and its answer.
pub(crate) const ECHO_REQUEST: &str = "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{\"words\":\"hi\"}";
pub(crate) const ECHO_ANSWER: &str = r#"{"number_of":7,"words":"hi"}"#;
