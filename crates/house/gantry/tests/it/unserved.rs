//! Tests `gantry check` for a configuration that serves less than its author thinks, and for the
//! guide's own example.

use crate::folder::{Folder, service};
use crate::process::{run, text};

/// Gives the warnings of `check`. The exit code must say that there is not a fault.
fn warnings(folder: &Folder) -> String {
    let checked = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "{said}");
    said
}

#[test]
fn a_service_without_provider_is_warned_of() {
    let bound = service("echo", "");
    let free = bound.replace("[provider]\nkind = \"simulated\"\nanswer = \"echo\"\n", "");
    let folder =
        Folder::echo("").with("services/echo.toml", &free).with("services/Bank of Z - API.toml", &free);
    let said = warnings(&folder);
    assert!(
        said.contains("services/echo.toml") && said.contains("the service 'echo' has no provider"),
        "{said}"
    );
    // As TOML wants them.
    assert!(said.contains("[providers.echo]") && said.contains("[providers.\"Bank of Z - API\"]"), "{said}");
    assert!(!warnings(&Folder::echo("")).contains("no provider"));
}

#[test]
fn folders_that_nothing_reads_are_warned_of() {
    let folder =
        Folder::echo("").with("service/x.toml", "").with("api/x/api.toml", "").with("certificates/a.pem", "");
    let said = warnings(&folder);
    assert!(
        said.contains("is it meant to be 'services'?") && said.contains("is it meant to be 'apis'?"),
        "{said}"
    );
    assert!(!said.contains("certificates"), "{said}");
}

#[test]
fn a_configuration_that_serves_nothing_is_warned_of() {
    let said = warnings(&Folder::empty().with("gantry.toml", ""));
    assert!(said.contains("the gateway has nothing to serve"), "{said}");
    assert!(!warnings(&Folder::echo("")).contains("the gateway has nothing to serve"));
}

/// Gives the pieces of a guide between fences of this language. The first line of each names its
/// file.
fn pieces(guide: &str, fence: &str) -> Vec<String> {
    guide.split(fence).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_example_of_the_guide_on_playback_works_as_it_stands() {
    let guide = include_str!("../../../../../docs/guides/playback.md");
    let mut folder = Folder::empty().with("gantry.toml", "");
    folder = folder.with("services/customer.toml", &pieces(guide, "```toml\n")[0]);
    for copybook in pieces(guide, "```cobol\n") {
        let (comment, _) = copybook.split_once('\n').expect("a line");
        let path = comment.split_whitespace().last().expect("a path").to_owned();
        folder = folder.with(&path, &copybook);
    }
    let folder = folder.with("vectors/customer.jsonl", &pieces(guide, "```json\n")[0]);
    let call = |id: &str| {
        let json = format!("{{\"customer_id\":{id}}}");
        let called = run(&["call", "customer", "--json", &json, "--in", text(folder.path())]);
        String::from_utf8_lossy(if called.status.success() { &called.stdout } else { &called.stderr })
            .into_owned()
    };
    let answer = "{\"customer_id\":7,\"name\":\"ANN\"}";
    assert_eq!(call("7").trim_end(), answer);
    assert!(guide.contains(answer));
    assert_eq!(call("9").trim_end(), "{\"customer_id\":0,\"name\":\"\"}");
    assert!(!call("8").contains("customer_id"), "{}", call("8"));
}
