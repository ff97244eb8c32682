//! The transaction work area: its size, its begin, and the programs that share it.

use region::{Region, Settings};
use wire::Interface;

use crate::region::{request, settings};

async fn answer(work_area_bytes: u16, tasks: usize) -> Vec<String> {
    let region = Region::start(Settings { work_area_bytes, ..settings() }).expect("a region");
    let mut answers = Vec::new();
    for _ in 0..tasks {
        let commarea = Interface::Commarea(format!("1{:13}", "").into_bytes());
        match region.run(request("WORKAREA", commarea)).await {
            Ok(Interface::Commarea(bytes)) => answers.push(String::from_utf8(bytes).expect("text")),
            other => panic!("expected a commarea, found {other:?}"),
        }
    }
    answers
}

#[tokio::test]
async fn programs_of_a_task_share_an_area_that_begins_with_zeros() {
    // The second task does not see what the first one left.
    assert_eq!(answer(100, 2).await, ["200100ZEROMINE", "200100ZEROMINE"]);
}

#[tokio::test]
async fn without_an_area_its_length_is_zero() {
    assert_eq!(answer(0, 1).await, [format!("100000{:8}", "")]);
}
