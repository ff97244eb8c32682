//! Where the copybooks go.

use clap::Parser;

use super::any_order_tests::wsdl;
use super::{Ws2lsArgs, is_folder, run};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Ws2lsArgs,
}

#[test]
fn copybooks_go_to_the_folder_of_pdslib_which_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let types = "<x:complexType name=\"Order\"><x:sequence><x:element name=\"a\" type=\"x:int\"/></x:sequence></x:complexType>";
    std::fs::write(path("a.wsdl"), wsdl(types)).expect("written");
    let (source, library, bind_file) = (path("a.wsdl"), path("new/copybooks"), path("a.wsbind"));
    let words = ["ws2ls", "--wsdl", &source, "--reqmem", "RQ", "--wsbind", &bind_file, "--pdslib", &library];
    run(&Cli::try_parse_from(words).expect("parameters").args).expect("files");
    assert!(
        folder.path().join("new/copybooks/RQ01.cpy").is_file() && folder.path().join("a.wsbind").is_file()
    );
    // A file is in the way.
    let words =
        ["ws2ls", "--wsdl", &source, "--reqmem", "RQ", "--wsbind", &bind_file, "--pdslib", &bind_file];
    let message = run(&Cli::try_parse_from(words).expect("parameters").args).expect_err("refused");
    assert!(message.starts_with(&format!("PDSLIB: {bind_file}: ")), "{message}");
}

#[test]
fn data_sets_of_a_mainframe_are_no_folders() {
    for (library, expected) in [
        ("//'HLQ.COPYLIB'", false),
        ("HLQ.COPYLIB", false),
        ("'HLQ.COPYLIB'", false),
        ("./copybooks", true),
        ("/u/copybooks", true),
        ("src", true),
    ] {
        assert_eq!(is_folder(library), expected, "{library}");
    }
}
