//! The judge of faults under load. It knows the results of callers and the notes of servers, and
//! nothing of the group.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use connector::TroubleKind;

/// A call may end this long after its time-out, if the machine did not stall.
const LATE_MAX: Duration = Duration::from_millis(10);

/// For this long after a fault, its endpoint may still get requests as before.
const NOTICED_AFTER: Duration = Duration::from_millis(100);

/// A call, as its caller saw it.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub(crate) id: u64,
    pub(crate) is_idempotent: bool,
    pub(crate) begun: Instant,
    pub(crate) ended: Instant,
    pub(crate) timeout: Duration,
    /// The number of the server that replied, or the error.
    pub(crate) came: Result<u8, (TroubleKind, String)>,
}

/// The number of a server, and the time in which it was faulty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faulty {
    pub(crate) server: u8,
    pub(crate) from: Instant,
    pub(crate) until: Instant,
}

/// A time in which the machine did not run even an idle task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
}

/// Faults of the calls, as sentences. `notes` has the ids of requests that servers carried out, in
/// any order.
pub(crate) fn faults_of_calls(calls: &[Called], notes: &[u64]) -> Vec<String> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for id in notes {
        *counts.entry(*id).or_default() += 1;
    }
    let mut faults = Vec::new();
    for call in calls {
        let count = counts.remove(&call.id).unwrap_or_default();
        if count > 1 && !call.is_idempotent {
            faults.push(format!("request {} was carried out {count} times", call.id));
        }
        match &call.came {
            Ok(_) if count == 0 => faults.push(format!("request {} has a reply of nobody", call.id)),
            Err((kind, message)) if count > 0 && says_unsent(*kind) => {
                faults.push(format!("request {} was carried out, but its caller heard: {message}", call.id));
            }
            Err((TroubleKind::TimedOutSent | TroubleKind::TimedOutUnsent, message))
                if call.ended - call.begun < call.timeout =>
            {
                faults.push(format!("request {} had time left, but its caller heard: {message}", call.id));
            }
            _ => {}
        }
    }
    faults.extend(counts.keys().map(|id| format!("nobody sent the request {id} that was carried out")));
    faults
}

/// True if an error says that nothing was sent.
fn says_unsent(kind: TroubleKind) -> bool {
    use TroubleKind::{NobodyWell, QueueFull, Stopped, TimedOutUnsent, TooMany, Unframeable};
    matches!(kind, Stopped | QueueFull | TooMany | NobodyWell | TimedOutUnsent | Unframeable)
}

/// Calls that ended too late, each as a sentence.
pub(crate) fn late_calls(calls: &[Called], stalls: &[Stall]) -> Vec<String> {
    let stalled = |from: Instant, until: Instant| -> Duration {
        let overlap = |stall: &Stall| stall.until.min(until).saturating_duration_since(stall.from.max(from));
        stalls.iter().map(overlap).sum()
    };
    let late = |call: &&Called| {
        let due = call.begun + call.timeout;
        call.ended > due && call.ended - due > LATE_MAX + stalled(due, call.ended)
    };
    let told = |call: &Called| {
        let (took, most) = ((call.ended - call.begun).as_millis(), call.timeout.as_millis());
        format!("request {} took {took} ms with a time-out of {most} ms", call.id)
    };
    calls.iter().filter(late).map(told).collect()
}

/// Counts the calls that began while a server was known to be faulty, and those of them that went
/// to it.
pub(crate) fn sent_to_faulty(
    calls: &[Called],
    faulty: &[Faulty],
    server_of: impl Fn(&str) -> u8,
) -> (usize, usize) {
    let server = |call: &Called| match &call.came {
        Ok(server) => Some(*server),
        Err((_, message)) => message.split_once(':').map(|(endpoint, _)| server_of(endpoint)),
    };
    let (mut all, mut there) = (0, 0);
    for fault in faulty {
        let began = |call: &&Called| call.begun > fault.from + NOTICED_AFTER && call.begun < fault.until;
        for call in calls.iter().filter(began) {
            all += 1;
            there += usize::from(server(call) == Some(fault.server));
        }
    }
    (all, there)
}

#[test]
fn the_judge_finds_what_is_wrong() {
    let begun = Instant::now();
    let at = |ms: u64| begun + Duration::from_millis(ms);
    let told = |kind| Err((kind, "A: told".to_owned()));
    let call = |id, came, ended| Called {
        id,
        is_idempotent: id == 9,
        begun,
        ended: at(ended),
        timeout: Duration::from_millis(100),
        came,
    };
    let calls = [
        call(1, Ok(0), 5),
        call(2, Ok(0), 5),
        call(3, told(TroubleKind::NobodyWell), 5),
        call(4, told(TroubleKind::TimedOutSent), 50),
        call(5, Ok(0), 115),
        call(9, told(TroubleKind::Broken), 112),
    ];
    let faults = faults_of_calls(&calls, &[1, 1, 3, 5, 9, 9, 77]);
    for (fault, expected) in faults.iter().zip([
        "1 was carried out 2 times",
        "2 has a reply of nobody",
        "3 was carried out, but",
        "4 had time left",
        "the request 77",
    ]) {
        assert!(fault.contains(expected), "{faults:?}");
    }
    assert_eq!(faults.len(), 5, "{faults:?}");
    assert_eq!(late_calls(&calls, &[]).len(), 2);
    assert_eq!(late_calls(&calls, &[Stall { from: at(101), until: at(104) }]).len(), 1);
    let fault = Faulty { server: 0, from: begun - NOTICED_AFTER * 2, until: at(1) };
    assert_eq!(sent_to_faulty(&calls, &[fault], |_| 7), (6, 3));
}
