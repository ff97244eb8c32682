//! Tests policies by headers: one for all APIs, or an API's own, and the faults of their files.

use crate::folder::Folder;
use crate::process::Gantry;

fn rules(property: &str) -> String {
    format!(
        "<ruleset>\n<rule name=\"r\">\n<conditions><header name=\"mirror\" value=\"CSMI, MIJO\"/></conditions>\n\
         <actions><set property=\"{property}\" value=\"${{mirror}}\"/></actions>\n</rule>\n</ruleset>"
    )
}

fn check(folder: &Folder) -> String {
    let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn an_apis_own_policy_takes_the_place_of_the_global_one() {
    for (own, expected) in
        [("", "(\"cicsTransId\", \"MIJO\")"), ("policy = \"own\"\n", "(\"cicsCcsid\", \"MIJO\")")]
    {
        let folder = Folder::echo("policy = \"all\"\n")
            .with("policies/all.xml", &rules("cicsTransId"))
            .with("policies/own.xml", &rules("cicsCcsid"));
        let api = std::fs::read_to_string(folder.path().join("apis/echo/api.toml")).expect("an API");
        let folder = folder.with("apis/echo/api.toml", &format!("{own}{api}"));
        let gantry = Gantry::folder(folder.path());
        let headers = "mirror: MIJO\r\ncontent-type: application/json\r\nx-request-id: a-1\r\n";
        assert_eq!(gantry.send("PUT", "/echo/7", headers, "{}").status, 200);
        assert_eq!(gantry.send("PUT", "/echo/7", "mirror: other\r\n", "{}").status, 200);
        let log = gantry.stop();
        let set: Vec<&str> =
            log.lines().filter(|line| line.contains("properties set by the policy")).collect();
        let [line] = set[..] else { panic!("one request: {log}") };
        assert!(line.contains(expected) && line.contains("a-1"), "{line}");
    }
}

#[test]
fn faults_and_warnings_have_file_and_line() {
    let broken = rules("cicsTransId").replace("${mirror}", "${other}");
    let told = check(&Folder::echo("").with("policies/broken.xml", &broken));
    assert!(told.contains("policies/broken.xml:4: '${other}' names a header"), "{told}");

    let told = check(&Folder::echo("policy = \"none\"\n"));
    assert!(told.contains("gantry.toml:1: policies/none.xml does not exist"), "{told}");

    let told = check(&Folder::echo("").with("policies/notes.txt", ""));
    assert!(told.contains("files in policies/ end with .xml"), "{told}");

    let rule = |name: &str, header: &str| {
        format!(
            "<rule name=\"{name}\"><conditions><header name=\"{header}\" value=\"1\"/></conditions>\n\
             <actions><set property=\"cicsTransId\" value=\"A\"/></actions></rule>\n"
        )
    };
    let twice = format!("<ruleset>\n{}{}</ruleset>", rule("a", "x"), rule("b", "y"));
    let told = check(&Folder::echo("").with("policies/twice.xml", &twice));
    assert!(told.contains("policies/twice.xml:5: BAQR1204W"), "{told}");
}
