//! The files of `/proc` on fixed text.

use load::process::{
    CoreTicks, CpuSample, Schedstat, listener, parse_core_ticks, parse_listeners, parse_only_core,
    parse_schedstat, parse_stat_ticks, sample, used,
};

#[test]
fn ticks_are_found_behind_any_name() {
    let stat = "4711 (a) b (c)) S 1 4711 4711 0 -1 4194304 500 0 0 0 123 45 0 0 20 0 3 0 100 1000 200";
    assert_eq!(parse_stat_ticks(stat), Some(168));
    assert_eq!(parse_stat_ticks("4711 (short) S 1"), None);
    assert_eq!(parse_stat_ticks(""), None);
}

#[test]
fn schedstat_has_running_and_waiting_time() {
    assert_eq!(
        parse_schedstat("161682 74018 2\n"),
        Some(Schedstat { running_ns: 161_682, waiting_ns: 74_018 })
    );
    assert_eq!(parse_schedstat("x"), None);
}

#[test]
fn only_idle_and_disk_waits_are_not_busy() {
    let stat = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 1 5 100 20 2 3 4 0 0\ncpu10 1 1 1 1 1 1 1 1 0 0\nintr 5\n";
    assert_eq!(parse_core_ticks(stat, 0), Some(CoreTicks { busy: 25, total: 145 }));
    assert_eq!(parse_core_ticks(stat, 10), Some(CoreTicks { busy: 6, total: 8 }));
    assert_eq!(parse_core_ticks(stat, 1), None);
}

#[test]
fn a_process_on_one_core_is_recognised() {
    assert_eq!(parse_only_core("Name:\tx\nCpus_allowed_list:\t3\n"), Some(3));
    assert_eq!(parse_only_core("Cpus_allowed_list:\t0-1\n"), None);
    assert_eq!(parse_only_core("Name:\tx\n"), None);
}

#[test]
fn listening_sockets_are_read_from_both_tables() {
    let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        0: 0100007F:08AE 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 777 1 0 100 0 0 10 0\n\
        1: 0100007F:08AE 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000  0 778 1 0 20 4 30 10 -1\n\
        2: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 779 1 0\n\
        3: broken\n";
    let found = parse_listeners(table);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].address.to_string().as_str(), found[0].inode), ("127.0.0.1:2222", 777));
    assert_eq!((found[1].address.to_string().as_str(), found[1].inode), ("[::1]:80", 779));
}

fn sample_of(threads: &[(u32, u64)], ticks: u64, at_ns: u64) -> CpuSample {
    let threads = threads.iter().map(|(tid, ns)| (*tid, Schedstat { running_ns: *ns, waiting_ns: ns / 10 }));
    CpuSample { at_ns, threads: threads.collect(), ticks, core: None }
}

#[test]
fn use_is_summed_over_threads_also_new_ones() {
    let before = sample_of(&[(1, 1_000), (2, 2_000)], 10, 0);
    let after = sample_of(&[(1, 1_500), (2, 2_000), (3, 700)], 10, 1_000_000);
    let used = used(&before, &after, 100);
    assert_eq!((used.cpu_ns, used.waiting_ns, used.interval_ns), (1_200, 120, 1_000_000));
    assert_eq!(used.core_busy_pct, None);
}

#[test]
fn when_a_thread_ended_the_ticks_of_the_process_tell() {
    let before = sample_of(&[(1, 1_000), (2, 2_000)], 10, 0);
    let after = sample_of(&[(1, 1_500)], 13, 1_000_000);
    assert_eq!(used(&before, &after, 100).cpu_ns, 30_000_000);
    let without = sample_of(&[], 13, 1_000_000);
    assert_eq!(used(&sample_of(&[], 10, 0), &without, 100).cpu_ns, 30_000_000);
}

#[test]
fn the_busy_share_of_the_core_is_told_when_it_is_one() {
    let mut before = sample_of(&[(1, 0)], 0, 0);
    let mut after = sample_of(&[(1, 0)], 0, 1);
    before.core = Some(CoreTicks { busy: 100, total: 1_000 });
    after.core = Some(CoreTicks { busy: 190, total: 1_100 });
    assert_eq!(used(&before, &after, 100).core_busy_pct, Some(90.0));
    after.core = before.core;
    assert_eq!(used(&before, &after, 100).core_busy_pct, None, "no tick has passed");
}

#[test]
fn this_process_is_found_by_its_port() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("an address");
    assert_eq!(listener(address).expect("the owner of the port"), std::process::id());
    let nobody = "127.0.0.1:0".parse().expect("an address");
    let error = listener(nobody).expect_err("nobody listens on port 0").to_string();
    assert!(error.contains("no process"), "{error}");
    // 192.0.2.0/24 is set aside for documentation: no machine has such an address.
    let elsewhere = "192.0.2.1:80".parse().expect("an address");
    let error = listener(elsewhere).expect_err("another machine").to_string();
    assert!(error.contains("not one of this machine"), "{error}");
}

#[test]
fn a_process_that_is_gone_is_a_clear_error() {
    assert!(sample(std::process::id(), 0).is_ok());
    let error = sample(u32::MAX, 0).expect_err("there is no such process").to_string();
    assert!(error.starts_with("cannot read the CPU time of process 4294967295"), "{error}");
}
