//! The shortest time before a retransmission, with a real server that delays its acknowledgements.
//! It needs Linux 6.15. On older kernels the group shows no floor.

use std::time::{Duration, Instant};

use connector::balance::Role;
use connector::{Group, SocketSettings, support};

use crate::server::{LONG, Server, endpoint, settings, within};

const OWN: Duration = Duration::from_millis(20);

/// The system acknowledges the first packets of a connection at once. Within this time it begins to
/// delay.
const ENOUGH: Duration = Duration::from_secs(60);

#[tokio::test]
async fn it_rises_for_a_server_that_delays_its_acknowledgements() {
    let server = Server::start("one");
    let mut settings = settings(vec![endpoint("ONE", Role::Primary, server.address)]);
    settings.sockets = SocketSettings { rto_min: Some(OWN), ..SocketSettings::default() };
    let group = Group::new(settings);
    let begun = Instant::now();
    loop {
        // Most replies come at once, so the system waits for them with its acknowledgement. One
        // reply in five comes after the retransmission.
        for text in ["a", "b", "c", "d", "slow 60"] {
            group.send(text.into(), within(LONG)).await.expect("a reply");
        }
        let view = group.view();
        let shown = &view.endpoints[0];
        if !support().rto_min {
            assert_eq!((shown.rto_floor_us, shown.rto_floor_rises), (None, 0));
            return;
        }
        if shown.rto_floor_rises > 0 {
            assert!(shown.rto_floor_us.is_some_and(|floor| floor >= 40_000), "{shown:?}");
            assert!(shown.dsacks >= 16, "{shown:?}");
            return;
        }
        assert!(begun.elapsed() < ENOUGH, "{shown:?}");
    }
}

#[tokio::test]
async fn groups_that_leave_the_kernels_time_have_none() {
    let server = Server::start("one");
    let group = Group::new(settings(vec![endpoint("ONE", Role::Primary, server.address)]));
    group.send(b"a".to_vec(), within(LONG)).await.expect("a reply");
    assert_eq!(group.view().endpoints[0].rto_floor_us, None);
}
