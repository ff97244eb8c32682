//! A test plays systemd: it gets the reports of the process, and keeps a socket from one process to
//! the next.

use std::net::TcpListener;
use std::os::unix::net::UnixDatagram;

use rustix::process::Signal;

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::{Gantry, run};

/// Gives the next report to the manager.
fn next(heard: &UnixDatagram) -> String {
    let mut text = [0; 512];
    let length = heard.recv(&mut text).expect("the gateway tells something");
    String::from_utf8_lossy(&text[..length]).into_owned()
}

#[test]
fn connections_wait_for_the_next_process() {
    let folder = Folder::echo("");
    let place = tempfile::tempdir().expect("a folder");
    let notify = place.path().join("notify");
    let heard = UnixDatagram::bind(&notify).expect("a socket");
    let kept = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = kept.local_addr().expect("its address");
    let stored = format!("FDSTORE=1\nFDNAME=127.0.0.1-{}", address.port());
    let ready = format!("READY=1\nSTATUS=serves on {address}");

    let gantry = Gantry::managed(folder.path(), &notify, &kept);
    assert_eq!((next(&heard), next(&heard)), (stored.clone(), ready.clone()));
    Client::connect(address).ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    gantry.kill();
    drop(gantry);

    let mut client = Client::connect(address);
    client.send(ECHO_REQUEST.as_bytes());
    let gantry = Gantry::managed(folder.path(), &notify, &kept);
    client.response().is_json(200, ECHO_ANSWER);
    assert_eq!((next(&heard), next(&heard)), (stored, ready.clone()));

    gantry.signal(Signal::HUP);
    assert_eq!((next(&heard).as_str(), next(&heard)), ("RELOADING=1", ready));
    gantry.stop();
    assert!(next(&heard).starts_with("STOPPING=1\n"));
}

#[test]
fn health_is_asked_from_the_command_line() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let url = format!("http://{}", gantry.admin);
    for (options, word) in [(&[][..], "ready\n"), (&["--live"], "up\n")] {
        let output = run(&[&["health", "--admin", &url], options].concat());
        assert_eq!((output.status.code(), output.stdout), (Some(0), word.as_bytes().to_vec()));
    }
    gantry.stop();
    let output = run(&["health", "--admin", &url]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
}

#[test]
fn all_man_pages_are_written_to_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(&["man", "--into", folder.path().to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{output:?}");
    for (name, word) in [("gantry.1", "gantry"), ("gantry-region-purge.1", "purge"), ("gantry-man.1", "into")]
    {
        let page = std::fs::read_to_string(folder.path().join(name)).expect("a page");
        assert!(page.contains(word), "{name}");
    }
    assert!(!folder.path().join("gantry-worker.1").exists());
}
