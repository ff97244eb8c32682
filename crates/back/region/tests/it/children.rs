//! RUN TRANSID, FETCH and FREE CHILD in real workers.

use std::time::Duration;

use region::{Failure, Limits, Region, Rights, Rule, Settings};
use wire::Interface;

use crate::region::{request, text};
use crate::starts::with_transactions;

async fn parent(region: &Region, how: &str) -> Result<String, Failure> {
    let mut bytes = how.as_bytes().to_vec();
    bytes.resize(1000, b' ');
    let answer = text(region.run(request("PARENT", Interface::Commarea(bytes))).await?);
    Ok(answer[10..].trim_end().to_owned())
}

fn region(workers: usize) -> std::sync::Arc<Region> {
    let limits = Limits { workers, children_max: 2, ..Limits::default() };
    Region::start(Settings { limits, ..with_transactions() }).expect("a region")
}

#[tokio::test]
async fn children_get_a_copy_of_the_channel_and_give_theirs_back() {
    let expected = "OOPS 000 000;ABENDED 000 000;ANY 000 000;ENDED 000 000;ONE-CHD1 000 000;TWO-CHD1 000 000;\
                    AGAIN 000 000;TWICE 016 051;ALL 013 001;FREED 000 000;GONE 016 050;";
    assert_eq!(parent(&region(2), "TWO").await.as_deref(), Ok(expected));
    assert_eq!(parent(&region(4), "TWO").await.as_deref(), Ok(expected));
}

#[tokio::test]
async fn what_cannot_be_run_or_fetched_raises_a_condition() {
    let expected = "NOTRAN 028 000;OFF 084 000;CHANNEL 122 001;NONE 016 052;TOKEN 016 050;FREE 016 050;";
    let region = region(2);
    assert_eq!(parent(&region, "ERRORS").await.as_deref(), Ok(expected));
    assert_eq!(parent(&region, "MANY").await.as_deref(), Ok("MANY 010 000;"));
    // Freed children run on, and count.
    assert_eq!(parent(&region, "FREES").await.as_deref(), Ok("RUN 000 000;RUN 000 000;RUN 010 000;"));
}

#[tokio::test]
async fn a_parent_waits_as_long_as_it_says() {
    let expected = "NOTYET 113 052;TIMEOUT 113 053;NEGATIVE 016 241;WOKEN 000 000;";
    assert_eq!(parent(&region(2), "WAIT").await.as_deref(), Ok(expected));
}

#[tokio::test]
async fn the_only_worker_does_not_wait_for_its_child() {
    let region = region(1);
    let abend = parent(&region, "DEADLOCK").await;
    assert!(matches!(&abend, Err(Failure::Abend { code, .. }) if code == "GWAI"), "{abend:?}");
}

#[tokio::test]
async fn children_run_by_the_rules_of_the_region_that_they_run_in() {
    let first = region(2);
    let rule = |name: &str| Rule { name: wire::name(name), groups: Vec::new(), users: vec!["eve".into()] };
    let successor = |rights: Rights| {
        let limits = Limits { workers: 2, children_max: 2, ..Limits::default() };
        let next = first.successor(Settings { limits, rights, ..with_transactions() }).expect("a region");
        next.begin_serving();
        next
    };
    let rights = Rights { programs: vec![rule("CHILD")], ..Rights::default() };
    let second = successor(rights);
    let refused = parent(&first, "DEADLOCK").await;
    assert!(matches!(&refused, Err(Failure::Abend { code, .. }) if code == "AEY7"), "{refused:?}");
    drop(second);
    let transactions = vec![Rule { name: wire::name("CHD1"), groups: Vec::new(), users: vec!["eve".into()] }];
    let _third = successor(Rights { transactions, ..Rights::default() });
    let refused = parent(&first, "DEADLOCK").await;
    assert!(matches!(&refused, Err(Failure::Abend { code, .. }) if code == "AEY7"), "{refused:?}");
}

#[tokio::test]
async fn parents_cannot_take_all_workers() {
    let region = region(2);
    let parents: Vec<_> = (0..10)
        .map(|_| {
            let region = region.clone();
            tokio::spawn(async move { parent(&region, "DEADLOCK").await })
        })
        .collect();
    let (mut fetched, mut refused) = (0, 0);
    for parent in parents {
        // All come to an end, whatever it is.
        let ended = tokio::time::timeout(Duration::from_secs(50), parent).await.expect("an end");
        match ended.expect("the task") {
            Ok(text) if text == "FETCHED 000 000;" => fetched += 1,
            Err(Failure::Abend { code, .. }) if code == "GWAI" => refused += 1,
            other => panic!("unexpected: {other:?}"),
        }
    }
    assert!(fetched > 0, "{refused} were refused");
}
