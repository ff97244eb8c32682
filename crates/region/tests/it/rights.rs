//! Programs that the user of a task may not run.

use region::wire::{Interface, name};
use region::{Failure, Region, Request};

use crate::region::{request, settings, text};

fn rights(how: &str, program: &str) -> Request {
    let commarea = format!("{how:8}{program:8}000000{:20}", "");
    let refused_programs = vec![name("ECHO"), name("NOSUCH")];
    Request { refused_programs, ..request("RIGHTS", Interface::Commarea(commarea.into_bytes())) }
}

#[tokio::test]
async fn link_and_its_like_to_a_refused_program_are_not_authorized() {
    let region = Region::start(settings()).expect("a region");
    for how in ["LINK", "XCTL", "HANDLE"] {
        // Whether the program is there makes no difference.
        for program in ["ECHO", "NOSUCH"] {
            let answer = text(region.run(rights(how, program)).await.expect("an answer"));
            assert_eq!(&answer[16..22], "070101", "{how} {program}");
        }
    }
    let unhandled = region.run(rights("ABEND", "ECHO")).await;
    let Err(Failure::Abend { code, message, .. }) = unhandled else { panic!("{unhandled:?}") };
    assert_eq!(code, "AEY7");
    assert!(message.contains("raised NOTAUTH with RESP2 101"), "{message}");
    // Other programs are free, and so are these in another task of the same worker.
    let free = text(region.run(rights("HANDLE", "ENDING")).await.expect("an answer"));
    assert_eq!(&free[16..22], "000000");
    let other = Request { refused_programs: Vec::new(), ..rights("HANDLE", "ECHO") };
    assert_eq!(&text(region.run(other).await.expect("an answer"))[16..22], "000000");
}
