//! Programs link to programs of another region and use its queues; both commit or both back out.

use crate::linked::{Came, Far, Linked, pair, until};

const INVREQ: u32 = 16;
const PGMIDERR: u32 = 27;
const SYSIDERR: u32 = 53;
const TERMERR: u32 = 81;
const CONTAINERERR: u32 = 110;

fn both() -> (tempfile::TempDir, Linked, Linked) {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan_a, plan_b) = pair(folder.path());
    let (a, b) = (Linked::start(&plan_a), Linked::start(&plan_b));
    a.wait_for_link("REGB");
    b.wait_for_link("REGA");
    (folder, a, b)
}

fn abended(came: Came, code: &str) {
    let Came::Failed(message) = &came else { panic!("{came:?}") };
    assert!(message.starts_with(&format!("abend {code} ")), "{message}");
}

#[test]
fn a_commarea_goes_both_ways_and_both_regions_commit() {
    let (_folder, a, b) = both();
    let back = a.far_back(&Far::new("JOIN", "REGB", "one"));
    assert_eq!((back.resp, back.text().as_str()), (0, "REGBCSMICALLER  000680000000000"));
    assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec!["one".to_owned()], vec!["one".to_owned()]));
    // SYNCPOINT commits both too, and the next unit is another.
    let synced = Far { then: "SYNC", ..Far::new("JOIN", "REGB", "two") };
    assert_eq!(a.far_back(&synced).then_resp, 0);
    assert_eq!(b.items("RECIN"), ["one", "two"]);
    // DATALENGTH: the rest of the commarea is there, as zeros.
    let back = a.far_back(&Far::new("PART", "REGB", "three"));
    assert_eq!((back.resp, &back.text()[16..21]), (0, "00068"));
    // The other way round.
    let back = b.far_back(&Far::new("JOIN", "REGA", "four"));
    assert_eq!((back.resp, &back.text()[..4]), (0, "REGA"));
    assert_eq!((a.items("RECIN"), b.items("RECOUT")), (vec!["four".to_owned()], vec!["four".to_owned()]));
    assert_eq!((a.in_doubt(), b.in_doubt()), (0, 0));
}

#[test]
fn what_is_backed_out_is_backed_out_in_both() {
    let (_folder, a, b) = both();
    abended(a.far(&Far { then: "ABEND", ..Far::new("JOIN", "REGB", "one") }), "NEAR");
    abended(a.far(&Far { what: "ABEND", ..Far::new("JOIN", "REGB", "two") }), "FARA");
    a.far_back(&Far { then: "BACK", ..Far::new("JOIN", "REGB", "three") });
    assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec![], vec![]));
    // SYNCONRETURN: the other region has committed, whatever becomes of this task.
    abended(a.far(&Far { then: "ABEND", ..Far::new("SYNC", "REGB", "four") }), "NEAR");
    assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec![], vec!["four".to_owned()]));
}

#[test]
fn a_syncpoint_belongs_to_the_region_that_began() {
    let (_folder, a, b) = both();
    let back = a.far_back(&Far { what: "SYNC", ..Far::new("JOIN", "REGB", "one") });
    assert_eq!(&back.text()[21..31], "0001600200");
    abended(a.far(&Far { what: "SYNC-AB", ..Far::new("JOIN", "REGB", "two") }), "ADPL");
    let back = a.far_back(&Far { what: "SYNC", ..Far::new("SYNC", "REGB", "three") });
    assert_eq!((&back.text()[4..8], &back.text()[21..31]), ("FARX", "0000000000"));
    let both = a.far_back(&Far::new("BOTH", "REGB", "four"));
    assert_eq!((both.resp, both.resp2), (INVREQ, 14));
    assert_eq!(b.items("RECIN"), ["one", "three", "four"]);
}

#[test]
fn only_changed_containers_come_back_and_text_changes_its_code_page() {
    let (_folder, a, _b) = both();
    let back = a.far_back(&Far::new("CHANNEL", "REGB", "ABC"));
    // There the text is EBCDIC, here ASCII again; the container that was deleted there is gone here.
    assert_eq!((back.resp, back.then_resp, back.id.as_str()), (0, CONTAINERERR, "ABC"));
    assert_eq!((&back.out[..3], &back.out[20..23]), (&b"ABC"[..], &[0xC1, 0xC2, 0xC3][..]));
}

#[test]
fn queues_of_another_region_are_a_part_of_the_unit_of_work() {
    let (_folder, a, b) = both();
    let back = a.far_back(&Far::new("QUEUE", "REGB", "one"));
    assert_eq!((back.resp, back.then_resp), (0, 1));
    abended(a.far(&Far { then: "ABEND", ..Far::new("QUEUE", "REGB", "two") }), "NEAR");
    assert_eq!(b.items("RECIN"), ["one"]);
    let back = a.far_back(&Far::new("READ", "REGB", ""));
    assert_eq!((back.resp, back.text().as_str()), (0, "one"));
    assert_eq!(a.items("RECOUT"), ["one"]);
}

#[test]
fn what_cannot_be_reached_raises_a_condition() {
    let (_folder, a, _b) = both();
    let back = a.far_back(&Far::new("JOIN", "ELSE", ""));
    assert_eq!((back.resp, back.resp2), (SYSIDERR, 3072));
    let back = a.far_back(&Far { program: "NOSUCH", ..Far::new("JOIN", "REGB", "") });
    assert_eq!((back.resp, back.resp2), (PGMIDERR, 1));
    let back = a.far_back(&Far { program: "NOSUCH", ..Far::new("DEFINED", "", "") });
    assert_eq!((back.resp, back.resp2), (PGMIDERR, 1));
    assert_eq!(a.far_back(&Far::new("QUEUE", "ELSE", "")).resp, SYSIDERR);
}

#[test]
fn a_broken_link_is_a_condition_and_mends_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan_a, plan_b) = pair(folder.path());
    let a = Linked::start(&plan_a);
    let back = a.far_back(&Far::new("JOIN", "REGB", "none"));
    assert_eq!((back.resp, back.resp2), (SYSIDERR, 2048));
    let b = Linked::start(&plan_b);
    a.wait_for_link("REGB");
    // It breaks in the middle of a call: the task cannot commit any more.
    std::thread::scope(|scope| {
        let call = scope.spawn(|| a.far(&Far { what: "WAIT", ..Far::new("JOIN", "REGB", "lost") }));
        std::thread::sleep(std::time::Duration::from_millis(300));
        b.kill();
        abended(call.join().expect("an answer"), "ASP3");
    });
    // Without a unit of work there the program may go on, but does not know what was done.
    let b = Linked::start(&plan_b);
    a.wait_for_link("REGB");
    std::thread::scope(|scope| {
        let call = scope.spawn(|| a.far_back(&Far { what: "WAIT", ..Far::new("SYNC", "REGB", "kept") }));
        std::thread::sleep(std::time::Duration::from_millis(300));
        b.kill();
        let back = call.join().expect("an answer");
        assert_eq!((back.resp, back.resp2), (TERMERR, 17));
    });
    let b = Linked::start(&plan_b);
    a.wait_for_link("REGB");
    assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec!["none".to_owned(), "kept".to_owned()], vec![]));
}

#[test]
fn a_task_whose_caller_is_gone_is_backed_out() {
    let (_folder, a, b) = both();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| a.far(&Far { then: "WAIT", ..Far::new("JOIN", "REGB", "lost") }));
        std::thread::sleep(std::time::Duration::from_millis(300));
        a.kill();
        assert_eq!(call.join().expect("an answer"), Came::Gone);
    });
    // The lock on the queue is free again.
    until("the unit is not backed out", || matches!(b.far(&Far::new("", "", "")), Came::Ok(_)));
    assert_eq!((b.items("RECIN"), b.in_doubt()), (vec![], 0));
}

#[test]
fn an_answer_that_does_not_come_in_time_is_a_condition() {
    let (_folder, a, b) = both();
    let back = a.far_back(&Far { what: "WAIT", ..Far::new("SYNC", "REGB", "") });
    assert_eq!((back.resp, back.resp2), (TERMERR, 17));
    abended(a.far(&Far { what: "WAIT", ..Far::new("JOIN", "REGB", "lost") }), "ASP3");
    // The next call finds the link as it was.
    assert_eq!(a.far_back(&Far::new("JOIN", "REGB", "one")).resp, 0);
    assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec!["one".to_owned()], vec!["one".to_owned()]));
}
