//! The experiments that the program carries.

use lab::file::Experiment;

#[test]
fn every_shipped_experiment_is_right() {
    let files = lab::shipped();
    let paths = lab::experiments(&files);
    for name in [
        "added",
        "api-mapping",
        "contention",
        "delayed",
        "failover",
        "group",
        "input-elements",
        "input-size",
        "latency",
        "loss",
        "messaging",
        "outage",
        "output-elements",
        "output-size",
        "overload",
        "pipe",
        "provider",
        "reads",
        "requester",
        "saturated",
        "simple",
        "sizing",
        "throughput",
        "two-way",
        "typical",
        "variations",
        "wrappers",
    ] {
        assert!(paths.contains(&format!("experiments/{name}.toml")), "{name}");
    }
    for path in paths {
        let read = Experiment::read(&files, &path);
        let experiment = read.unwrap_or_else(|problems| panic!("{path}:\n{}", problems.render(false)));
        assert!(path.ends_with(&format!("{}.toml", experiment.name)));
    }
}

#[test]
fn the_typical_message_has_123_elements() {
    let names = std::collections::BTreeMap::new();
    for (message, file) in (0..64).flat_map(|message| [(message, "request.xml"), (message, "answer.json")]) {
        let text = lab::shipped().read(&format!("experiments/typical/{file}")).expect("a file");
        let text =
            lab::template::render(&text, lab::template::Scope { names: &names, message }).expect("a text");
        let leaves = if file.ends_with("xml") {
            text.matches("</").count() - 3 - 9
        } else {
            text.matches(':').count() - 2
        };
        assert_eq!(leaves, 123, "{file} {message}");
    }
}
