//! Tests `gantry import cics`: definitions become a region, hand edits stay, and an imported
//! program runs. The last test needs GnuCOBOL 3.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const CSD: &str = "\
//SHOPCSD  JOB 1,'DEFINITIONS'
//DEFS     EXEC PGM=DFHCSDUP
//SYSIN    DD *
* Definitions of a shop
DELETE GROUP(SHOP)
DEFINE TRANSACTION(NOTE) GROUP(SHOP)
       DESCRIPTION(It's what is noted (by tasks)) PROGRAM(NOTER) TASKDATALOC(ANY) TWASIZE(8)
Define Trans(Far1) Group(SHOP) RemoteSystem(FARX) RemoteName(NEAR)
DEFINE PROGRAM(NOTER) GROUP(SHOP) LANGUAGE(COBOL)
DEFINE PROGRAM(ELSE)  GROUP(SHOP) REMOTESYSTEM(FARX) TRANSID(CSM2)
DEFINE MAPSET(SCREENS) GROUP(SHOP)
DEFINE MAPSET(PANELS) GROUP(SHOP)
DEFINE FILE(ITEMS) GROUP(SHOP) DSNAME(SHOP.ITEMS.KSDS) RECORDSIZE(10)
       ADD(YES) BROWSE(YES) DELETE(NO) READ(YES) UPDATE(YES)
DEFINE FILE(BYNAME) GROUP(SHOP) DSNAME(SHOP.ITEMS.PATH) READ(YES) BROWSE(YES)
DEFINE FILE(LOST) GROUP(SHOP) DSNAME(SHOP.LOST)
DEFINE TDQUEUE(NOTQ) GROUP(SHOP) TYPE(INTRA) RECOVSTATUS(LOGICAL)
       ATIFACILITY(FILE) TRANSID(NOTE) TRIGGERLEVEL(3)
DEFINE TDQUEUE(LOGX) GROUP(SHOP) TYPE(EXTRA) TYPEFILE(OUTPUT) DDNAME(SHOPLOG)
DEFINE TSMODEL(LEDG) GROUP(SHOP) PREFIX(LEDGER++) LOCATION(AUXILIARY) RECOVERY(YES)
DEFINE ENQMODEL(LOCKS) GROUP(SHOP) ENQSCOPE(PLEX) ENQNAME(SHOP*)
DEFINE CONNECTION(FARX) GROUP(SHOP) NETNAME(CICSFAR) ACCESSMETHOD(XM)
DEFINE URIMAP(PRICES) GROUP(SHOP) USAGE(CLIENT) SCHEME(HTTPS)
       HOST(prices.example) PATH(/v1/*)
DEFINE URIMAP(SHOPWEB) GROUP(SHOP) USAGE(SERVER) SCHEME(HTTP) HOST(*)
       PATH(/shop/*) TRANSACTION(Note) PROGRAM(NOTER) ANALYZER(NO)
DEFINE PIPELINE(SHOPPIPE) GROUP(SHOP) CONFIGFILE(/usr/samples/basicsoap1*
       1provider.xml) RESPWAIT(5)
ADD GROUP(SHOP) LIST(SHOPLIST)
DEFINE TRANSACTION(OLD) GROUP(OLD) PROGRAM(GONE)
/*
";

const CLUSTERS: &str = "\
//SHOPVSAM JOB 1,'DATA SETS'
//TEXT     EXEC PGM=IEBGENER
//SYSUT1   DD *
0001LAMP                A
0002CHAIR               B
/*
//SYSUT2   DD DSN=SHOP.ITEMS.SEED,DISP=(NEW,CATLG)
//DEFINE   EXEC PGM=IDCAMS
//SYSIN    DD *
  DEFINE CLUSTER (NAME(SHOP.ITEMS.KSDS) -
                  INDEXED LOG(NONE) -
                  RECORDSIZE(25 25)) -
         DATA    (NAME(SHOP.ITEMS.DATA) KEYS(4 0))
  DEFINE ALTERNATEINDEX (NAME(SHOP.ITEMS.AIX) RELATE(SHOP.ITEMS.KSDS) -
                  KEYS(20 4) NONUNIQUEKEY UPGRADE)
  DEFINE PATH (NAME(SHOP.ITEMS.PATH) PATHENTRY(SHOP.ITEMS.AIX))
/*
//COPY     EXEC PGM=IDCAMS
//IN       DD DSN=SHOP.ITEMS.SEED,DISP=SHR
//SYSIN    DD *
  REPRO INFILE(IN) OUTDATASET(SHOP.ITEMS.KSDS)
/*
";

const SIT: &str = "APPLID=(SHOPPLEX,SHOPCICS)\nSYSIDNT=SHOP\nICVR=7000\nSEC=YES\n.END\n";

/// Reads an item by the key in its start data, and writes it to a queue.
const NOTER: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. NOTER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-KEY            PIC X(4).
       01  WS-LENGTH         PIC S9(4) COMP VALUE 4.
       01  WS-ITEM           PIC X(25).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-KEY) LENGTH(WS-LENGTH) END-EXEC.
           EXEC CICS READ FILE('ITEMS') INTO(WS-ITEM) RIDFLD(WS-KEY)
           END-EXEC.
           EXEC CICS WRITEQ TS QUEUE('NOTED') FROM(WS-ITEM) END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

fn folder() -> Folder {
    Folder::empty().with("cics/shop.jcl", CSD).with("cics/vsam.jcl", CLUSTERS).with("cics/sit.txt", SIT)
}

fn import(folder: &Folder, arguments: &[&str]) -> Output {
    let (cics, conf) = (folder.path().join("cics"), folder.path().join("conf"));
    run(&[&["import", "cics", text(&cics), "--into", text(&conf)], arguments].concat())
}

#[track_caller]
fn imported(folder: &Folder, arguments: &[&str]) -> String {
    let output = import(folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    String::from_utf8(output.stdout).expect("text")
}

fn gantry_toml(folder: &Folder) -> String {
    fs::read_to_string(folder.path().join("conf/gantry.toml")).expect("gantry.toml")
}

/// Checks the TOML of each definition.
#[test]
fn definitions_become_sections() {
    let folder = folder();
    imported(&folder, &["--list", "SHOPLIST"]);
    let written: toml::Table = gantry_toml(&folder).parse().expect("TOML");
    let region = &written["region"];
    let expected = toml::toml! {
        applid = "SHOPCICS"
        sysid = "SHOP"
        task_cpu_max_ms = 7000
        transaction = [
            { name = "NOTE", program = "NOTER" },
            { name = "Far1", sysid = "FARX", remote_name = "NEAR" },
        ]
        program = [{ name = "ELSE", sysid = "FARX", transaction = "CSM2" }]
        file = [
            { name = "ITEMS", organization = "ksds", record_bytes = 25, key_bytes = 4, allow = ["read", "add", "update", "browse"], load = "data/ITEMS.txt", load_format = "lines" },
            { name = "BYNAME", path_of = "ITEMS", key_offset = 4, key_bytes = 20, allow = ["read", "browse"] },
        ]
        tdqueue = [
            { name = "NOTQ", recovery = "logical", transaction = "NOTE", trigger_level = 3 },
            { name = "LOGX", kind = "output", path = ".gantry/queues/LOGX.txt" },
        ]
        tsmodel = [{ prefix = "LEDGER", location = "auxiliary", recoverable = true }]
        link = [{ sysid = "FARX", address = "unix:/run/gantry/farx.socket" }]
    };
    assert_eq!(*region, toml::Value::Table(expected));
    assert_eq!(written["connections"]["PRICES"]["url"].as_str(), Some("https://prices.example/v1"));
    assert_eq!(written["pipeline"][0]["response_wait_ms"].as_integer(), Some(5_000));
    let expected = toml::toml! {
        urimap = [
            { name = "PRICES", usage = "client", host = "prices.example", scheme = "https", path = "/v1" },
            { name = "SHOPWEB", path = "/shop/*", program = "NOTER", transaction = "Note" },
        ]
    };
    assert_eq!(written["urimap"], expected["urimap"]);
    let seed = fs::read_to_string(folder.path().join("conf/data/ITEMS.txt")).expect("its data");
    assert_eq!(seed, "0001LAMP                A\n0002CHAIR               B\n");
    let check = run(&["check", text(&folder.path().join("conf"))]);
    let told = String::from_utf8_lossy(&check.stderr);
    // Some programs of the definitions are not here.
    assert!(
        check.status.success()
            && told
                .lines()
                .filter(|line| !line.is_empty())
                .all(|line| line.contains("does not exist in programs/")),
        "{told}"
    );
}

/// Each note names file and line. Notes with the same text stand together.
#[test]
fn what_has_no_counterpart_is_noted() {
    let folder = folder();
    let told = imported(&folder, &["--group", "shop"]);
    let at = text(&folder.path().join("cics")).to_owned();
    for expected in [
        format!("note: {at}/shop.jcl:11 MAPSET(SCREENS), line 12 MAPSET(PANELS): belongs to terminals"),
        format!("note: {at}/shop.jcl:6 TRANSACTION(NOTE): has no counterpart for TWASIZE(8)"),
        format!("note: {at}/shop.jcl:16 FILE(LOST): its data set is not defined"),
        format!("note: {at}/shop.jcl:15 FILE(BYNAME): is a path of ITEMS: ITEMS is recoverable here"),
        format!(
            "note: {at}/shop.jcl:21 ENQMODEL(LOCKS): its names are locked in this region alone: the scope PLEX"
        ),
        format!("note: {at}/sit.txt:4 SEC=YES: security is [security] here"),
        "new: region.file: ITEMS, BYNAME\n".to_owned(),
        "conf/programs: NOTER\n".to_owned(),
    ] {
        assert!(told.contains(&expected), "{expected} in\n{told}");
    }
    let last = told.lines().last().expect("a last line");
    assert!(
        last.starts_with("16 definitions: ") || last.contains(" sections new, 0 unchanged, 0 kept"),
        "{last}"
    );
}

/// Programs without a definition, clusters without a file, and queues that do not expire here get a
/// note.
#[test]
fn what_is_only_named_or_only_defined_is_told() {
    let csd = "DEFINE TRANSACTION(PAYS) GROUP(PAY) PROGRAM(PAYER)\nDEFINE TRANSACTION(MIRR) GROUP(PAY) PROGRAM(DFHMIRS)\n\
               DEFINE PROGRAM(JAVAS) GROUP(PAY) JVM(YES)\nDEFINE TRANSACTION(JAVA) GROUP(PAY) PROGRAM(JAVAS)\n\
               DEFINE TSMODEL(KEEP) GROUP(PAY) PREFIX(KEEP) LOCATION(AUXILIARY) RECOVERY(YES) EXPIRYINT(2)\n\
               DEFINE TSMODEL(MAIN) GROUP(PAY) PREFIX(MAIN) LOCATION(MAIN) RECOVERY(YES) EXPIRYINT(3)\n\
               DEFINE TSMODEL(GOES) GROUP(PAY) PREFIX(GOES) EXPIRYINT(2)\n";
    let folder = Folder::empty()
        .with("cics/pay.csd", csd)
        .with("cics/sit.txt", "APPLID=PAYCICS\nSYSIDNT=PAYS\nGRPLIST=PAYLIST\nEXPIRYINT=4\n");
    let told = imported(&folder, &[]);
    let at = text(&folder.path().join("cics")).to_owned();
    for expected in [
        format!("note: {at}/pay.csd:5 TSMODEL(KEEP): recoverable queues do not expire here: EXPIRYINT"),
        format!("note: {at}/sit.txt:4 EXPIRYINT=4: queues go when they are not used"),
        "conf/programs: PAYER\n".to_owned(),
        "; 1 program; ".to_owned(),
    ] {
        assert!(told.contains(&expected), "{expected} in\n{told}");
    }
    let written: toml::Table = gantry_toml(&folder).parse().expect("TOML");
    let models = written["region"]["tsmodel"].as_array().expect("models");
    let expiries: Vec<Option<i64>> =
        models.iter().map(|model| model.get("expiry_s").and_then(toml::Value::as_integer)).collect();
    assert_eq!(expiries, [None, Some(10_800), Some(7_200)]);
    let check = run(&["check", text(&folder.path().join("conf"))]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    // IDCAMS jobs alone define no file.
    let jobs = Folder::empty().with("cics/vsam.jcl", CLUSTERS);
    let told = imported(&jobs, &[]);
    let note = format!(
        "{}/cics/vsam.jcl:10 CLUSTER SHOP.ITEMS.KSDS: no FILE that was read has it",
        text(jobs.path())
    );
    assert!(told.contains(&note), "{note} in\n{told}");
}

/// Hand edits stay. The import adds new sections, and writes nothing twice.
#[test]
fn an_import_after_hand_edits_keeps_them() {
    let folder = folder();
    imported(&folder, &["--list", "SHOPLIST"]);
    let first = gantry_toml(&folder);
    let again = imported(&folder, &["--list", "SHOPLIST"]);
    assert_eq!(gantry_toml(&folder), first);
    assert!(!again.contains("wrote ") && again.contains(" 0 sections new, "), "{again}");
    // Edits by hand: another length, a comment, one file less, and other records.
    let edited = first.replace("record_bytes = 25", "record_bytes = 30 # with room");
    let edited = edited.replace("prefix = \"LEDGER\"", "prefix = \"BOOK\"");
    fs::write(folder.path().join("conf/gantry.toml"), &edited).expect("an edit");
    fs::write(folder.path().join("conf/data/ITEMS.txt"), "0009MINE\n").expect("an edit");
    let third = imported(&folder, &["--list", "SHOPLIST"]);
    let kept = "region.file ITEMS: record_bytes is 30; ";
    assert!(third.contains("kept: ") && third.contains(kept) && third.contains(" says 25"), "{third}");
    assert!(third.contains("1 section new, ") && third.contains(" 1 kept as they are"), "{third}");
    let merged = gantry_toml(&folder);
    assert!(merged.starts_with(&edited) && merged.contains("prefix = \"LEDGER\""), "{merged}");
    let own = fs::read_to_string(folder.path().join("conf/data/ITEMS.txt")).expect("its data");
    assert_eq!(own, "0009MINE\n");
}

#[test]
fn a_dry_run_and_json_tell_what_would_be() {
    let folder = folder();
    let told = imported(&folder, &["--list", "SHOPLIST", "--dry-run"]);
    assert!(told.contains("[[region.file]]\nname = \"ITEMS\""), "{told}");
    assert!(
        told.lines().last().is_some_and(|line| line.starts_with("dry run, nothing was written: ")),
        "{told}"
    );
    assert!(!folder.path().join("conf").exists());
    let told = imported(&folder, &["--list", "SHOPLIST", "--dry-run", "--json"]);
    let value: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((&value["dryRun"], &value["kept"]), (&json!(true), &json!(0)));
    assert_eq!(value["missingPrograms"], json!(["NOTER"]));
    assert_eq!(value["sections"][0]["outcome"], json!("new"));
    let notes = value["notes"].as_array().expect("notes");
    assert!(notes.iter().all(|note| note["line"].as_u64().is_some_and(|line| line > 0)), "{notes:?}");
}

#[test]
fn what_cannot_be_chosen_or_read_is_refused() {
    let folder = folder().with("cics/other.csd", "DEFINE TRANSACTION(NOTE) GROUP(NEW) PROGRAM(OTHER)\n");
    let said = |arguments: &[&str]| {
        let output = import(&folder, arguments);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    let both = said(&[]);
    assert!(
        both.contains("TRANSACTION(NOTE) in the group SHOP differs from ")
            && both.contains("nothing was written"),
        "{both}"
    );
    assert!(
        said(&["--list", "NONE"]).contains("no ADD command makes the list NONE; the lists are: SHOPLIST")
    );
    assert!(said(&["--group", "NONE"]).contains("the groups are: NEW, OLD, SHOP"));
    assert!(said(&["--group", "SHOP", "--data", "ITEMS=/no/such"]).contains("/no/such: "));
    assert!(!folder.path().join("conf").exists());
    let nothing =
        run(&["import", "cics", text(&folder.path().join("cics/sit.txt")), "--into", "x", "--group", "A"]);
    assert!(!nothing.status.success());
    let plain = Folder::empty().with("a.txt", "no definition\n");
    let none = run(&["import", "cics", text(&plain.path().join("a.txt")), "--into", "x"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("expected commands of DFHCSDUP or IDCAMS"));
    // A document shows overrides, which are not those of a region: the folder has none.
    let guide = "<pre>\nAPPLID=SHOPA\nGRPLIST=(XYZ)\nICVR=9000\nDFLTUSER=ADA\n</pre>\n";
    let folder = plain.with("cics/guide.htm", guide).with("cics/a.txt", "no definition\n");
    let output = import(&folder, &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("found none of them: "), "{told}");
    assert!(!folder.path().join("conf").exists());
}

/// Goes from definitions to data in a program: an operator starts a transaction, and its program
/// reads an imported file.
#[test]
fn a_program_runs_on_what_was_imported() {
    let folder = folder();
    imported(&folder, &["--list", "SHOPLIST"]);
    let conf = folder.path().join("conf");
    let cache = text(&folder.path().join(".cache")).to_owned();
    let own = format!("[region]\ncache = \"{cache}\"\n");
    let hand = "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n";
    let written = gantry_toml(&folder).replacen("[region]\n", &own, 1);
    fs::write(conf.join("gantry.toml"), format!("{hand}{written}\n[store]\npath = \".state/s\"\n"))
        .expect("gantry.toml");
    fs::create_dir_all(conf.join("programs")).expect("a folder");
    fs::write(conf.join("programs/NOTER.cbl"), NOTER).expect("a program");
    let gantry = Gantry::folder(&conf);
    let admin = format!("http://{}", gantry.admin);
    let region = |arguments: &[&str]| run(&[&["region", "--admin", &admin], arguments].concat());
    let started = region(&["start", "NOTE", "--data", "0002"]);
    let told = String::from_utf8_lossy(&started.stdout).into_owned();
    assert!(
        told.starts_with("started NOTE: program NOTER, request DF"),
        "{told}{}",
        String::from_utf8_lossy(&started.stderr)
    );
    assert!(told.ends_with(", 4 bytes of data\n"), "{told}");
    let item = || String::from_utf8_lossy(&region(&["queue", "NOTED"]).stdout).into_owned();
    crate::reload::wait(|| item().contains("0002CHAIR"));
    for (arguments, expected) in [
        (&["start", "NONE"][..], "transaction NONE: no [[region.transaction]] with a program has this name"),
        (&["start", "TOOLONG"], "expected a transaction of 1 to 4 characters, found 'TOOLONG'"),
        (&["start", "NOTE", "--data", "€"], "cannot be text in the region's code page 819"),
    ] {
        let refused = region(arguments);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(1) && said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn a_byte_order_mark_is_not_a_part_of_definitions() {
    let folder =
        Folder::empty().with("all.csd", "\u{feff}DEFINE TRANSACTION(TRN1) GROUP(G) PROGRAM(ABC)\r\n");
    let into = folder.path().join("conf");
    let output = run(&["import", "cics", text(&folder.path().join("all.csd")), "-o", text(&into)]);
    assert!(output.status.success(), "{output:?}");
    let written = std::fs::read_to_string(into.join("gantry.toml")).expect("a file");
    assert!(written.contains("name = \"TRN1\"\nprogram = \"ABC\"\n"), "{written}");
}
