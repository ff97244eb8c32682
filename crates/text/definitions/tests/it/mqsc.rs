//! Scripts of MQSC: the written sections are the final state of a queue manager, and no text makes a reader
//! panic.

use definitions::{Difference, Import, Limits, Outcome, Source, Target, merge, read_mqsc};
use proptest::prelude::*;

fn import_into(before: &str, text: &str) -> Import {
    let target = Target { before, name: None };
    read_mqsc(&[Source { name: "qm.mqsc", text }], &target, &Limits::default()).expect("definitions")
}

/// The sections that a script makes, as TOML.
fn made(text: &str) -> toml::Table {
    merge("", &import_into("", text).sections, "").expect("merged").text.parse().expect("TOML")
}

fn queues(text: &str) -> toml::Value {
    made(text)["queue_manager"]["queue"].clone()
}

fn notes(import: &Import) -> Vec<String> {
    import.notes.iter().map(ToString::to_string).collect()
}

fn toml_of(text: &str) -> toml::Value {
    let table: toml::Table = format!("value = {text}").parse().expect("TOML");
    table["value"].clone()
}

/// A file as dmpmqcfg writes it: all attributes, those that cannot be set as comments.
const DUMPED: &str = "\
*******************************************************************************
* Script generated on 2024-01-31   at 12.00.00
* Queue manager name: QMA
*******************************************************************************
ALTER QMGR +
*  ALTDATE(2024-01-31) +
   CHLAUTH(ENABLED) +
   DEADQ('SYSTEM.DEAD.LETTER.QUEUE') +
   MAXMSGL(8388608) +
   TRIGINT(999999999) +
   FORCE

DEFINE QLOCAL('ORDERS') +
   DESCR('It''s the queue of orders') +
   DEFPSIST(YES) +
   DEFPRTY(3) +
   MAXDEPTH(50000) +
   MAXMSGL(4194304) +
   MSGDLVSQ(FIFO) +
   GET(ENABLED) +
   PUT(DISABLED) +
   BOTHRESH(3) +
   BOQNAME('ORDERS.BACKOUT') +
   NOTRIGGER +
   TRIGTYPE(FIRST) +
   QDEPTHHI(70) +
   SHARE +
   NPMCLASS(HIGH) +
*  CRDATE(2024-01-31) +
*  DISTL('it''s open) +
   REPLACE
DEFINE QLOCAL('ORDERS.BACKOUT') +
   REPLACE
";

#[test]
fn a_dump_is_read_with_its_values() {
    let import = import_into("", DUMPED);
    let written: toml::Table = merge("", &import.sections, "").expect("merged").text.parse().expect("TOML");
    let manager = written["queue_manager"].as_table().expect("a table");
    assert_eq!(manager["name"].as_str(), Some("QMA"));
    assert_eq!(manager["dead_letter_queue"].as_str(), Some("SYSTEM.DEAD.LETTER.QUEUE"));
    assert_eq!(manager["length_bytes_max"].as_integer(), Some(8_388_608));
    assert!(!manager.contains_key("trigger_interval_ms"));
    let expected = toml_of(
        "[{ name = 'SYSTEM.DEAD.LETTER.QUEUE' }, \
         { name = 'ORDERS', description = \"It's the queue of orders\", depth_max = 50000, persistent = true, \
         priority = 3, delivery = 'fifo', put_enabled = false, backout_threshold = 3, backout_queue = 'ORDERS.BACKOUT' }, \
         { name = 'ORDERS.BACKOUT' }]",
    );
    assert_eq!(manager["queue"], expected);
    assert_eq!(
        notes(&import),
        [
            "qm.mqsc:5: QMGR: has no counterpart for CHLAUTH",
            "qm.mqsc:13: QLOCAL(ORDERS): NPMCLASS(HIGH) is left out: queues here have NPMCLASS(NORMAL)"
        ]
    );
    assert_eq!(import.definition_count, 3);
}

#[test]
fn commands_run_one_after_the_other() {
    let text = "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(7)\n\
                DEF QL(a) defpsist(yes); DEF QL('b') LIKE(A) MAXDEPTH(9)\n\
                DEFINE QL(A) PUT(DISABLED) REPLACE\nDEFINE QL(A) GET(DISABLED)\n\
                DEFINE QL(GONE)\nDELETE QL(GONE)\nALTER QL(A) DEFPRTY(1) NOTRIGGER\nEND\nDEFINE QL(LATE)\n";
    // An object that is replaced keeps nothing.
    let expected = "[{ name = 'A', depth_max = 7, priority = 1, put_enabled = false }, \
                    { name = 'b', depth_max = 9, persistent = true }]";
    assert_eq!(queues(text), toml_of(expected));
    assert!(
        notes(&import_into("", text))
            .contains(&"qm.mqsc:4: QL(A): qm.mqsc:3 defines it already, and this has no REPLACE".to_owned())
    );
}

#[test]
fn aliases_and_models_are_made_if_they_lead_to_a_queue() {
    let text = "* Queue manager name: QMA\nDEF QL(A)\nDEF QA(TO.A) TARGQ(A)\nDEF QA(OLD) TARGET(A) GET(DISABLED)\n\
                DEF QM(M) DEFTYPE(PERMDYN)\nDEF QA(TO.M) TARGQ(M)\nDEF QA(TO.NONE) TARGQ(NONE)\n\
                DEF QA(TO.T) TARGQ(T) TARGTYPE(TOPIC)\nDEF QR(OWN) RNAME(A) RQMNAME(QMA)\n\
                DEF QR(FAR) RNAME(A) RQMNAME(QMB) XMITQ(X)\nDEF QL(X) USAGE(XMITQ)\nDEF QL('${Q}')\n";
    let expected = "[{ name = 'A' }, { name = 'TO.A', alias_of = 'A' }, { name = 'OLD', alias_of = 'A', get_enabled = false }, \
                    { name = 'M', type = 'model', permanent = true }, { name = 'OWN', alias_of = 'A' }]";
    assert_eq!(queues(text), toml_of(expected));
    let told = notes(&import_into("", text));
    for expected in [
        "qm.mqsc:6: QALIAS(TO.M): stands for M, and that is not a local queue",
        "qm.mqsc:7: QALIAS(TO.NONE): stands for NONE, and no script defines that",
        "qm.mqsc:8: QALIAS(TO.T): stands for a topic",
        "qm.mqsc:10: QREMOTE(FAR): its messages go to another queue manager",
        "qm.mqsc:11: QLOCAL(X): is a transmission queue",
        "qm.mqsc:12: QLOCAL(${Q}): a name has 1 to 48",
    ] {
        assert!(told.iter().any(|note| note.starts_with(expected)), "{expected} in {told:#?}");
    }
    assert_eq!(told.len(), 6, "{told:#?}");
}

#[test]
fn a_trigger_needs_a_transaction_of_the_region() {
    let text = "* Queue manager name: QMA\nDEF PRO(P) APPLTYPE(CICS) APPLICID('ORDR') USERDATA('batch')\n\
                DEF PRO(U) APPLTYPE(UNIX) APPLICID('/bin/x')\nDEF QL(A) TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(5) PROCESS(P)\n\
                DEF QL(B) TRIGGER TRIGTYPE(EVERY) PROCESS(U)\n";
    let without = import_into("", text);
    assert_eq!(queues(text), toml_of("[{ name = 'A' }, { name = 'B' }]"));
    assert_eq!(
        made(text)["queue_manager"]["process"],
        toml_of("[{ name = 'P', transaction = 'ORDR', user_data = 'batch' }]")
    );
    assert!(notes(&without).iter().any(|note| note.contains("QLOCAL(A): the trigger is left out")));
    let region = "[[region.transaction]]\nname = 'ORDR'\nprogram = 'X'\n";
    let with = import_into(region, text);
    let written: toml::Table = merge(region, &with.sections, "").expect("merged").text.parse().expect("TOML");
    assert_eq!(
        written["queue_manager"]["queue"][0],
        toml_of("{ name = 'A', trigger = 'depth', process = 'P', trigger_depth = 5 }")
    );
    let told = notes(&with);
    assert_eq!(told.len(), 2, "{told:#?}");
}

#[test]
fn subscriptions_have_the_topics_of_their_objects() {
    let text = "* Queue manager name: QMA\nDEF QL(Q)\nDEF TOPIC(T) TOPICSTR('shop/orders')\n\
                DEF SUB('all new') TOPICOBJ(T) TOPICSTR('+/new') DEST(Q)\nDEF SUB(WIDE) TOPICSTR('#') DEST(Q) DESTQMGR(QMA)\n\
                DEF SUB(CHARS) TOPICSTR('a*') WSCHEMA(CHAR) DEST(Q)\nDEF SUB(PART) TOPICSTR('a+/b') DEST(Q)\n\
                DEF SUB(SOME) TOPICSTR('a') SELECTOR('x=1') DEST(Q)\nDEF SUB(NOQ) TOPICSTR('a') DEST(NONE)\n\
                DEF SUB(FAR) TOPICSTR('a') DEST(Q) DESTQMGR(QMB)\nDEF SUB(OWN) TOPICSTR('a') DESTCLAS(MANAGED)\n\
                DEF SUB(NOT) TOPICOBJ(NONE) DEST(Q)\n";
    assert_eq!(
        made(text)["queue_manager"]["subscription"],
        toml_of(
            "[{ name = 'all new', topics = 'shop/orders/+/new', queue = 'Q' }, { name = 'WIDE', topics = '#', queue = 'Q' }]"
        )
    );
    let told = notes(&import_into("", text));
    for (name, why) in [
        ("CHARS", "WSCHEMA(CHAR)"),
        ("PART", "whole levels"),
        ("SOME", "SELECTOR"),
        ("NOQ", "no script defines that"),
        ("FAR", "queue manager QMB"),
        ("OWN", "DESTCLAS(MANAGED)"),
        ("NOT", "TOPICOBJ(NONE)"),
    ] {
        let is_it = |note: &&String| note.contains(&format!("SUB({name}): ")) && note.contains(why);
        assert!(told.iter().any(|note| is_it(&note)), "{name}: {why} in {told:#?}");
    }
}

#[test]
fn topic_objects_become_sections() {
    let text = "* Queue manager name: QMA\nDEF QL(Q)\nDEF TOPIC(SHOP) TOPICSTR('shop/') PUB(DISABLED) DEFPSIST(YES) DEFPRTY(4)\n\
                DEF TOPIC(NEW) TOPICSTR('shop/new') PUB(ENABLED) DEFPSIST(NO) USEDLQ(NO) CLUSTER(C)\n\
                DEF TOPIC(NONE)\nDEF TOPIC(SYSTEM.OWN) TOPICSTR('x')\nALTER TOPIC(SYSTEM.BASE.TOPIC) DEFPSIST(YES) PUB(ENABLED)\n\
                DEF SUB(EMPTY) TOPICOBJ(SHOP) TOPICSTR('/x') DEST(Q)\n";
    let manager = &made(text)["queue_manager"];
    assert_eq!(
        manager["topic"],
        toml_of(
            "[{ name = 'SHOP', topic = 'shop/', publish_enabled = false, persistent = true, priority = 4 }, \
             { name = 'NEW', topic = 'shop/new', publish_enabled = true, persistent = false }, \
             { name = 'SYSTEM.BASE.TOPIC', persistent = true }]"
        )
    );
    // Each slash parts two levels, as IBM MQ joins the texts.
    assert_eq!(manager["subscription"][0]["topics"].as_str(), Some("shop///x"));
    let told = notes(&import_into("", text));
    for (name, why) in [
        ("NEW", "has no counterpart for CLUSTER(C), USEDLQ(NO)"),
        ("NONE", "TOPICSTR is missing"),
        ("SYSTEM.OWN", "IBM MQ uses it for itself"),
    ] {
        let is_it = |note: &&String| note.contains(&format!("TOPIC({name}): ")) && note.contains(why);
        assert!(told.iter().any(|note| is_it(&note)), "{name}: {why} in {told:#?}");
    }
}

const CALLERS: &str = "[[security.authenticator]]\nkind = 'basic'\nusers = 'users.txt'\n";

#[test]
fn authority_records_become_grants_where_they_mean_the_same() {
    let text = "DEF QL(A)\nSET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT,GET,INQ)\n\
                SET AUTHREC PROFILE(DEV.**) OBJTYPE(QUEUE) GROUP('apps') AUTHRMV(GET) AUTHADD(BROWSE)\n\
                SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) GROUP('ops') AUTHADD(ALL)\n\
                SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('some') AUTHADD(PUT,DSP)\n\
                SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)\n\
                SET AUTHREC PROFILE('A*B') OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT)\n\
                SET AUTHREC OBJTYPE(QMGR) GROUP('apps') AUTHADD(CONNECT)\n\
                SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('mqm') AUTHADD(ALL)\n";
    let import = import_into(CALLERS, text);
    let merged = merge(CALLERS, &import.sections, "").expect("merged");
    let written: toml::Table = merged.text.parse().expect("TOML");
    assert_eq!(
        written["messaging"]["grant"],
        toml_of(
            "[{ queues = ['*'], groups = ['ops'], rights = ['put', 'get', 'browse', 'administer'] }, \
             { queues = ['A'], groups = ['some'], rights = ['put'] }, \
             { queues = ['DEV', 'DEV.*'], groups = ['apps'], rights = ['put', 'browse'] }]"
        )
    );
    let told = notes(&import);
    for expected in
        ["CHG, CLR, DLT and DSP", "grants are for groups", "the profile", "not about queues", "mqm"]
    {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected} in {told:#?}");
    }
    let again = merge(&merged.text, &import_into(&merged.text, text).sections, "").expect("merged");
    assert_eq!(again.text, merged.text);
    // Nobody would be let in by a grant to groups that nobody is in.
    let without = import_into("", text);
    assert!(!without.sections.iter().any(|section| section.path() == "messaging.grant"));
    assert!(notes(&without).iter().any(|note| note.contains("until gantry.toml says who calls")));
}

#[test]
fn grants_give_no_more_than_authority_records_do() {
    let set = |profile: &str, rest: &str| format!("SET AUTHREC PROFILE({profile}) OBJTYPE(QUEUE) {rest}\n");
    let text = [
        "DEF QL(A)\n".to_owned(),
        // The narrower profile counts for PAY, and gives less.
        set("'**'", "GROUP('apps') AUTHADD(PUT,GET)"),
        set("'PAY.**'", "GROUP('apps') AUTHADD(NONE)"),
        // It gives more, and so they add up.
        set("'SHOP.**'", "GROUP('apps') AUTHADD(PUT)"),
        set("SHOP.IN", "GROUP('apps') AUTHADD(PUT,GET)"),
        // A list of groups, and one that is taken back.
        set("A", "GROUP('one','two') AUTHADD(PUT)"),
        set("A", "GROUP('gone') AUTHADD(GET)"),
        "DELETE AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('gone')\n".to_owned(),
        set("'**'", "GROUP('all') AUTHADD(GET)"),
    ]
    .concat();
    let import = import_into(CALLERS, &text);
    let merged = merge(CALLERS, &import.sections, "").expect("merged");
    let written: toml::Table = merged.text.parse().expect("TOML");
    assert_eq!(
        written["messaging"]["grant"],
        toml_of(
            "[{ queues = ['*'], groups = ['all'], rights = ['get'] }, \
             { queues = ['A'], groups = ['one'], rights = ['put'] }, \
             { queues = ['A'], groups = ['two'], rights = ['put'] }, \
             { queues = ['SHOP', 'SHOP.*'], groups = ['apps'], rights = ['put'] }, \
             { queues = ['SHOP.IN'], groups = ['apps'], rights = ['put', 'get'] }]"
        )
    );
    let told = notes(&import);
    for expected in
        ["AUTHREC(*) of apps: is left out: the profile of PAY, PAY.* gives less", "for topics, too"]
    {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected} in {told:#?}");
    }
}

#[test]
fn what_a_person_wrote_stays() {
    let text = "DEF QL(A) MAXDEPTH(9)\nDEF QL(B)\nALTER QL(MINE) MAXDEPTH(3)\nDELETE QL(OLD)\nDEF QA(TO) TARGQ(MINE)\n";
    let before = "[queue_manager]\nname = 'QX'\n[[queue_manager.queue]]\nname = 'A'\ndepth_max = 10\n\
                  [[queue_manager.queue]]\nname = 'MINE'\n[[queue_manager.queue]]\nname = 'OLD'\n\
                  [[queue_manager.queue]]\nname = 'b'\n";
    let import = import_into(before, text);
    let merged = merge(before, &import.sections, "qm.mqsc").expect("merged");
    let differs =
        Difference { key: "depth_max".to_owned(), written: Some("10".to_owned()), defined: "9".to_owned() };
    assert_eq!(
        merged.outcomes,
        [Outcome::Kept { line: 3, differences: vec![differs] }, Outcome::New, Outcome::New]
    );
    assert!(
        merged.text.starts_with(before) && merged.text.contains("alias_of = \"MINE\""),
        "{}",
        merged.text
    );
    let told = notes(&import);
    assert!(told[0].contains("QLOCAL(MINE): is altered here, and gantry.toml has it"), "{told:#?}");
    assert!(told[1].contains("QLOCAL(OLD): is deleted here, and gantry.toml has it"), "{told:#?}");
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_there() {
    let text = "DEFINE QLOCAL(A)\n  DESCR('no sign before')\nDEFINE QLOCAL(B\nDEFINE QLOCAL(C) MAXDEPTH(many) NEWER(1)\n\
                DEFINE CHANNEL(X) CHLTYPE(SVRCONN)\nDEFINE QLOCAL\nALTER QL(NOWHERE) PUT(DISABLED)\nSTART LISTENER(L)\n";
    assert_eq!(queues(text), toml_of("[{ name = 'A' }, { name = 'C' }]"));
    let told = notes(&import_into("", text));
    for expected in [
        "qm.mqsc:2: DESCR('no sign before'): is not a command of MQSC",
        "qm.mqsc:3: DEFINE QLOCAL(B: cannot be read",
        "qm.mqsc:4: QLOCAL(C): MAXDEPTH(MANY) is left out",
        "qm.mqsc:4: QLOCAL(C): NEWER(1) is left out",
        "qm.mqsc:5: CHANNEL(X): there are no channels",
        "qm.mqsc:6: QLOCAL: has no name",
        "qm.mqsc:7: QLOCAL(NOWHERE): is altered, and no script defines it before",
        "qm.mqsc:8: START LISTENER(L): does something when it runs",
    ] {
        assert!(told.iter().any(|note| note.starts_with(expected)), "{expected} in {told:#?}");
    }
    let unread = import_into("", "#!/bin/sh\nrunmqsc QM1 < orders.mqsc\n");
    assert_eq!(unread.unread, ["qm.mqsc"]);
}

#[test]
fn a_job_has_its_commands_in_data_sets() {
    let text = format!(
        "//DEFS     JOB 1\n//S1       EXEC PGM=CSQUTIL,PARM='MQ01'\n//SYSIN    DD *\n  COMMAND DDNAME(CMDS)\n/*\n\
         //CMDS     DD *\n{:<72}00010000\n         MAXDEPTH(5)\n* a comment\n/*\n",
        "  DEFINE QLOCAL('A') QSGDISP(QMGR) STGCLASS('DEFAULT') +"
    );
    let import = import_into("", &text);
    assert_eq!(import.sections.last().map(|section| section.places[0].line), Some(7));
    assert_eq!(queues(&text), toml_of("[{ name = 'A', depth_max = 5 }]"));
}

#[test]
fn limits_are_told_by_their_names() {
    let limits =
        Limits { definition_count_max: 1, attribute_count_max: 1, value_max_bytes: 5, ..Limits::default() };
    for (text, limit) in [
        ("DEF QL(A)\nDEF QL(B)\n", "definition_count_max"),
        ("DEF QL(A) PUT(DISABLED) GET(DISABLED)\n", "attribute_count_max"),
        ("DEF QL(A) DESCR(ABCDEF)\n", "value_max_bytes"),
        ("DEF QL(ABCDEF)\n", "value_max_bytes"),
    ] {
        let sources = [Source { name: "qm.mqsc", text }];
        let faults = read_mqsc(&sources, &Target::default(), &limits).expect_err(text);
        assert!(faults.iter().any(|fault| fault.message.contains(limit)), "{limit}: {faults:?}");
    }
    let limits = Limits { file_max_bytes: 3, ..Limits::default() };
    let sources = [Source { name: "qm.mqsc", text: "DEF QL(A)" }];
    assert!(
        read_mqsc(&sources, &Target::default(), &limits).expect_err("long")[0]
            .message
            .contains("file_max_bytes")
    );
}

proptest! {
    #[test]
    fn any_script_can_be_written_and_read_again(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "DEF QL(A) +", "DEF QL('b') REPLACE", "DEF QA(C) TARGQ(A)", "MAXDEPTH(7)", "ALTER QMGR DEADQ(A)",
                "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g') AUTHADD(ALL)", "DEF SUB(S) TOPICSTR('a/#') DEST(A)",
                "DELETE QL(A)", "DESCR('it''s') -", "DEF PRO(P) APPLTYPE(CICS) APPLICID(ABCD)", "* note", "'", "(", "",
                "ALTER QL(A) TRIGGER PROCESS(P)", "DEF QM(M) LIKE(A)", "DEF QR(R) RNAME(A)", "DEF QL(\"x\u{7}\")",
            ]),
            0..30,
        ),
    ) {
        let text = lines.join("\n");
        let first = merge(CALLERS, &import_into(CALLERS, &text).sections, "x").expect("merged");
        let again = merge(&first.text, &import_into(&first.text, &text).sections, "x").expect("merged");
        // The name that was a default at first is in the file now.
        prop_assert_eq!(first.text, again.text);
    }
}
