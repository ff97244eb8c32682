//! `gantry soap import`: from a bind file of IBM's assistants, alone or in an archive, and copybooks to a bind file of Gantry.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use packages::Limits;
use record::Bind;
use settings::copybooks::{SOURCE_CCSID, record_source_page};
use web_service::ibm::{IbmFile, IbmPart};
use web_service::{CharVarying, Choices, InterfaceKind, Level, Problem, SoapVersions};

use crate::copybooks::Folders;
use crate::ls2ws::make::{Sources, make};
use crate::ls2ws::request::{Carrier, Request};

/// The file, and what it does not say.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The bind file, or a zip archive with one.
    file: PathBuf,
    /// The copybook of the request.
    #[arg(long, value_name = "MEMBER")]
    reqmem: String,
    /// The copybook of the response, unless the service is one-way.
    #[arg(long, value_name = "MEMBER")]
    respmem: Option<String>,
    /// The program's interface.
    #[arg(long, value_enum)]
    pgmint: InterfaceWord,
    /// The container of a program with a channel [default: DFHWS-DATA].
    #[arg(long, value_name = "NAME")]
    contid: Option<String>,
    /// The mapping level of the assistant's run.
    #[arg(long, value_name = "LEVEL", default_value_t = Level::V3_0)]
    mapping_level: Level,
    /// CHAR-VARYING of the assistant's run.
    #[arg(long, value_enum, default_value_t)]
    char_varying: CharVaryingWord,
    /// A folder with the copybooks; may be repeated [default: the folder of the file].
    #[arg(long, value_name = "FOLDER")]
    copybooks: Vec<PathBuf>,
    /// The code page of copybooks that are not UTF-8.
    #[arg(long, value_name = "CCSID", default_value_t = SOURCE_CCSID)]
    source_ccsid: u16,
    /// The bind file to write. It must not exist.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The WSDL document to write too.
    #[arg(long, value_name = "FILE")]
    wsdl: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum InterfaceWord {
    Commarea,
    Channel,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum CharVaryingWord {
    #[default]
    No,
    Collapse,
    Binary,
}

/// Makes the bind file.
pub(crate) fn run(args: &ImportArgs) -> Result<(), String> {
    if args.out.exists() {
        return Err(format!("{} exists already", args.out.display()));
    }
    let shown = args.file.display();
    let bytes = std::fs::read(&args.file).map_err(|error| format!("{shown}: {error}"))?;
    let ibm = read(&bytes).map_err(|message| format!("{shown}: {message}"))?;
    let request = request(args, &ibm)?;
    let beside = args.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folders = if args.copybooks.is_empty() { vec![beside.to_owned()] } else { args.copybooks.clone() };
    let folders = Folders::new(&folders, record_source_page(args.source_ccsid)?)?;
    let copybook = |member: &str, into: &mut _| folders.add(member, into);
    let made = match make(
        &request,
        &Sources { copybook: &copybook, description: &|_| Err("there is none".to_owned()) },
    ) {
        Ok(made) => made,
        Err(problems) => return Err(crate::tell(&problems, "the copybooks").err().unwrap_or_default()),
    };
    let mut problems = made.warnings.clone();
    problems.extend(differences(&made.file, &ibm)?);
    crate::tell(&problems, "the copybooks")?;
    let text = made
        .file
        .write()
        .map_err(|problems| crate::tell(&problems, "the bind file").err().unwrap_or_default())?;
    let write = |path: &Path, text: &str| crate::write_file(path, text.as_bytes());
    write(&args.out, &text)?;
    if let Some(path) = &args.wsdl {
        write(path, &made.wsdl)?;
    }
    print!("wrote {}: {}\n", args.out.display(), made.summary);
    Ok(())
}

/// The only bind file in an archive, or the file itself.
fn read(bytes: &[u8]) -> Result<IbmFile, String> {
    let told = |problem: Problem| problem.to_string();
    if !packages::is_archive(bytes) {
        return IbmFile::read(bytes).map_err(told);
    }
    let entries = packages::entries(bytes, &Limits::default()).map_err(|faults| {
        let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    let mut found = entries.into_iter().filter(|(path, _)| path.to_ascii_lowercase().ends_with(".wsbind"));
    match (found.next(), found.next()) {
        (Some((path, bytes)), None) => IbmFile::read(&bytes).map_err(|problem| format!("{path}: {problem}")),
        (None, _) => Err("the archive has no bind file".to_owned()),
        (Some((first, _)), Some((second, _))) => {
            Err(format!("the archive has several bind files ({first}, {second}); unpack it and choose one"))
        }
    }
}

fn request(args: &ImportArgs, ibm: &IbmFile) -> Result<Request, String> {
    if ibm.response.is_some() != args.respmem.is_some() {
        return Err(match args.respmem {
            None => "the bind file has a response: name its copybook with --respmem".to_owned(),
            Some(_) => "the bind file has no response: leave --respmem out".to_owned(),
        });
    }
    if let Some(response) = &ibm.response
        && response.element != format!("{}Response", ibm.request.element)
    {
        return Err(format!(
            "expected the element {}Response, found {}",
            ibm.request.element, response.element
        ));
    }
    let name = args.out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let namespace = |part: &IbmPart| Some(part.namespace.clone());
    Ok(Request {
        program: ibm.program.clone(),
        interface: match args.pgmint {
            InterfaceWord::Commarea => InterfaceKind::Commarea,
            InterfaceWord::Channel => InterfaceKind::Channel,
        },
        container: args.contid.clone(),
        request: Some(Carrier::Member(args.reqmem.clone())),
        response: args.respmem.clone().map(Carrier::Member),
        uri: ibm.uri.clone().unwrap_or_else(|| format!("/cics/services/{}", ibm.program)),
        wsbind: name,
        level: args.mapping_level,
        minimum_runtime_level: args.mapping_level,
        choices: Choices {
            char_varying: match args.char_varying {
                CharVaryingWord::No => CharVarying::No,
                CharVaryingWord::Collapse => CharVarying::Collapse,
                CharVaryingWord::Binary => CharVarying::Binary,
            },
            ..Choices::default()
        },
        versions: SoapVersions::default(),
        request_namespace: namespace(&ibm.request),
        response_namespace: ibm.response.as_ref().and_then(namespace),
        wsdl_namespace: Some(ibm.namespace.clone()),
        operation: ibm.request.element.clone(),
        ..Request::default()
    })
}

/// The differences between the templates and the copybooks.
fn differences(file: &web_service::BindFile, ibm: &IbmFile) -> Result<Vec<Problem>, String> {
    let mut problems = Vec::new();
    let Ok((parts, _)) = file.parts(37) else { return Err("the copybooks do not fit".to_owned()) };
    for (operation, parts) in file.operation.iter().zip(parts) {
        let responses = operation.response.iter().zip(parts.response.iter()).zip(ibm.response.iter());
        let both = [((&operation.request, &parts.request), &ibm.request)].into_iter().chain(responses);
        for ((part, interface), template) in both {
            let bind = Bind::compile(&interface.layout, &interface.options);
            let bind = bind.map_err(|_| format!("the copybook {} has no elements", part.copybook))?;
            let bytes = interface.layout.max_bytes();
            problems.extend(template.differences(&part.copybook, &bind.request_schema(), bytes));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;
    use codepage::{Encoding, Unmappable};
    use web_service::BindFile;

    use super::*;

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        args: ImportArgs,
    }

    /// A file with the fields and templates of a claim.
    fn ibm_file() -> Vec<u8> {
        let mut bytes = vec![0; 0x1300];
        let mut put = |at: usize, text: &str| {
            let mut encoded = Vec::new();
            let page = Encoding::by_ccsid(37).expect("a page");
            page.encode(text, Unmappable::Error, &mut encoded).expect("encoded");
            bytes[at..at + encoded.len()].copy_from_slice(&encoded);
        };
        put(0, ">WSBIND<");
        put(0x224, "CLAIMHTTPSoapBinding ");
        put(0x323, "CLAIM   /cics/claim   ");
        put(0x52A, "CLAIMPGM");
        put(0x664, "urn:claim ");
        put(0xAC0, "CLAIMOperation");
        put(0x1000, ">DFHICM<");
        put(
            0x1040,
            "<claim_no>&A;</claim_no><CLAIMOperation xmlns=\"urn:in\">&A;</CLAIMOperation><SOAP-ENV:Body>&A;",
        );
        put(0x1100, ">DFHICM<");
        put(
            0x1140,
            "<amount>&A;</amount><CLAIMOperationResponse xmlns=\"urn:out\">&A;</CLAIMOperationResponse><SOAP-ENV:Body>",
        );
        let length = u32::try_from(bytes.len()).expect("short").to_be_bytes();
        bytes[8..12].copy_from_slice(&length);
        bytes
    }

    fn import(folder: &Path, file: &[u8], more: &[&str]) -> Result<BindFile, String> {
        for (name, field) in [("CLAIMI.cpy", "CLAIM-NO PIC X(6)"), ("CLAIMO.cpy", "AMOUNT PIC S9(5) COMP-3")]
        {
            fs::write(folder.join(name), format!("       01  R.\n           03  {field}.\n"))
                .expect("written");
        }
        let (path, out) = (folder.join("ibm.bin"), folder.join("CLAIM.wsbind"));
        fs::write(&path, file).expect("written");
        let (path, shown) = (path.display().to_string(), out.display().to_string());
        let mut arguments = vec!["import", &path, "--out", &shown, "--pgmint", "commarea"];
        arguments.extend(more);
        run(&Cli::try_parse_from(arguments).map_err(|error| error.to_string())?.args)?;
        let bytes = fs::read(out).expect("a bind file");
        BindFile::read(&bytes).map_err(|problems| format!("{problems:?}"))
    }

    const BOTH: [&str; 4] = ["--reqmem", "CLAIMI", "--respmem", "CLAIMO"];

    #[test]
    fn a_file_of_ibm_and_copybooks_become_a_bind_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = import(folder.path(), &ibm_file(), &BOTH).expect("imported");
        assert_eq!((file.name.as_str(), file.program.as_deref()), ("CLAIM", Some("CLAIMPGM")));
        assert_eq!((file.uri.as_deref(), file.namespace.as_str()), (Some("/cics/claim"), "urn:claim"));
        let operation = &file.operation[0];
        assert_eq!(
            (operation.name.as_str(), operation.request.namespace.as_str()),
            ("CLAIMOperation", "urn:in")
        );
        assert_eq!(operation.response.as_ref().map(|part| part.namespace.as_str()), Some("urn:out"));
        let again = import(folder.path(), &ibm_file(), &BOTH).expect_err("refused");
        assert!(again.ends_with("exists already"), "{again}");
    }

    #[test]
    fn copybooks_that_are_not_those_of_the_file_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let swapped = ["--reqmem", "CLAIMO", "--respmem", "CLAIMI"];
        assert_eq!(
            import(folder.path(), &ibm_file(), &swapped).expect_err("refused"),
            "2 errors in the copybooks"
        );
        let missing = import(folder.path(), &ibm_file(), &BOTH[..2]).expect_err("refused");
        assert_eq!(missing, "the bind file has a response: name its copybook with --respmem");
        assert!(!folder.path().join("CLAIM.wsbind").exists());
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = import(folder.path(), b"wsbind = 1", &BOTH).expect_err("refused");
        assert!(text.contains("expected a bind file of IBM's assistants"), "{text}");
        let archive = import(folder.path(), b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", &BOTH)
            .expect_err("refused");
        assert!(archive.ends_with("the archive has no bind file"), "{archive}");
    }
}
