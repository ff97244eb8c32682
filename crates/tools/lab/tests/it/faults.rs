//! Experiment files with faults: each is refused with its line and the reason.

use std::fs;

use lab::file::Experiment;
use settings::Files;

const GOOD: &str = r#"description = "d"

[load]
clients = 2
duration_s = 0.1

[sweep]
parameter = "size"
values = [1, 2]

[[server]]
name = "s"
files = "folder"
start = ["true", "{{port}}"]

[[target]]
name = "t"
server = "s"
path = "/x"
request = "request.txt"
"#;

/// The lines that tell what is wrong with a file.
fn told(text: &str, request: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("folder")).expect("a folder");
    fs::write(folder.path().join("folder/conf"), "port {{port}}").expect("a file");
    fs::write(folder.path().join("request.txt"), request).expect("a file");
    fs::write(folder.path().join("e.toml"), text).expect("a file");
    let read = Experiment::read(&Files::at(folder.path().to_owned()), "e.toml");
    let place = format!("{}/", folder.path().display());
    read.err().map(|problems| problems.lines().replace(&place, "")).unwrap_or_default()
}

#[test]
fn a_right_file_has_no_faults() {
    assert_eq!(told(GOOD, "{{repeat size}}x{{end}}"), "");
}

#[test]
fn each_fault_has_its_line_and_reason() {
    for (from, to, line, reason) in [
        ("clients = 2", "client = 2", 4, "'client' is not known here"),
        ("clients = 2", "clients = 0", 4, "'load.clients' must be from 1"),
        ("duration_s = 0.1", "duration_s = -1", 5, "'load.duration_s' must be from 0.01"),
        ("values = [1, 2]", "values = []", 9, "1 to 100 values, not 0"),
        ("values = [1, 2]", "values = [1, 2]\nwith.a = [1]", 10, "'a' has 1 values, and the sweep has 2"),
        ("\"size\"\nvalues = [1, 2]", "\"clients\"\nvalues = [0]", 9, "'0' is not a number of clients"),
        ("values = [1, 2]", "values = [1, 2]\nbaseline = 3", 10, "'3' is no value of the sweep"),
        ("parameter = \"size\"", "parameter = \"port\"", 8, "set by the lab itself"),
        ("\"folder\"", "\"nowhere\"", 13, "the folder cannot be read"),
        ("{{port}}", "{{prot}}", 14, "'prot' is no parameter"),
        ("[\"true\", \"{{port}}\"]", "[]", 14, "'start' needs a command"),
        ("start = [", "calls = [\"s\"]\nstart = [", 14, "no server 's' stands before this one"),
        ("{{port}}", "{{port_of_s}}", 14, "'port_of_s' is no parameter"),
        ("server = \"s\"", "server = \"z\"", 18, "there is no server 'z'"),
        ("path = \"/x\"", "url = \"http://x/\"", 17, "'server' with 'path' or 'framing', or 'url'"),
        ("request.txt", "other.txt", 20, "the file cannot be read"),
        ("path = \"/x\"", "path = \"/x\"\nmessages = 0", 20, "'messages' must be from 1"),
        ("path = \"/x\"", "path = \"/x\"\ncompare = \"bytes\"", 20, "needs an 'answer'"),
        (
            "path = \"/x\"",
            "path = \"/x\"\nanswer = \"request.txt\"\ncompare = \"same\"",
            21,
            "has no 'answer'",
        ),
        ("path = \"/x\"", "path = \"/x\"\nmethod = \"a b\"", 20, "this method cannot"),
        ("path = \"/x\"", "path = \"/x\"\nheaders = [\"host: x\"]", 17, "written by the driver itself"),
        ("[[target]]\nname = \"t\"", "[[target]]\nname = \"../t\"", 17, "no '/'"),
        ("[load]", "figures = [\"speed\"]\n[load]", 3, "there is no figure 'speed'"),
        ("[load]", "[parameters]\nfolder = 1\n[load]", 4, "set by the lab itself"),
        ("path = \"/x\"", "path = \"/x\"\ncommand = [\"true\"]", 17, "nothing else to call"),
        ("path = \"/x\"", "framing = \"lines\"", 19, "not a framing"),
        ("clients = 2", "clients = 2\nrate_per_s = 0", 5, "'load.rate_per_s' must be"),
        ("[load]", "[[figure]]\nname = \"cpu_pct\"\ntitle = \"t\"\n[load]", 4, "the lab has a figure"),
        ("[load]", "[[chart]]\ntitle = \"t\"\nfigure = \"speed\"\n[load]", 5, "there is no figure 'speed'"),
        ("description = \"d\"", "description = \"d", 1, "string"),
    ] {
        assert_eq!(GOOD.matches(from).count(), 1, "{from}");
        let told = told(&GOOD.replace(from, to), "x");
        let place = format!("e.toml:{line}: ");
        let is_told = told.lines().any(|told| told.starts_with(&place) && told.contains(reason));
        assert!(is_told, "{place}{reason}\nfound:\n{told}");
    }
}

#[test]
fn a_near_key_is_offered() {
    assert!(told(&GOOD.replace("clients = 2", "cleints = 2"), "x").contains("did you mean 'clients'?"));
}

#[test]
fn a_fault_of_a_template_has_the_line_of_the_template() {
    let told = told(GOOD, "a\nb {{sise}}");
    assert!(told.starts_with("request.txt:2: 'sise' is no parameter; known: size"), "{told}");
}

#[test]
fn two_of_one_name_and_no_target_are_refused() {
    let target = GOOD.split_once("[[target]]").expect("a target").1;
    assert!(told(&format!("{GOOD}[[target]]{target}"), "x").contains("two targets are named 't'"));
    let none = GOOD.split_once("[[server]]").expect("a server").0;
    assert!(told(&format!("{none}target = []"), "x").contains("'target' is not known here"));
    assert!(told(&none.replace("[load]", "target = []\n[load]"), "x").contains("it has no target"));
}
