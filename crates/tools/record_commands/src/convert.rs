//! `gantry record decode` and `encode`: whole files, with a choice of what becomes of records that do not fit.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use dataset::{
    Counts, CsvPlan, CsvTexts, Decode, Error, JsonTexts, Output, RecordReader, RecordWriter, Rejected, Texts,
    stop,
};

use crate::files::{FormatArgs, Hints, PortionArgs, Source, Target, lost_hint, warn};
use crate::{View, ViewArgs};

/// The exit code of a run that went to its end but left records out.
const EXIT_REJECTED: u8 = 3;

/// Faults that `--on-error report` says before it only counts them.
const REPORTED_MAX: u64 = 100;

/// Which data, and what becomes of it.
#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    portion: PortionArgs,
    /// The output format; default: by the ending of the output's name, or else JSON lines.
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<Form>,
    /// Threads that decode.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Which text, and the records that it becomes.
#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    format: FormatArgs,
    /// The input format; default: by the ending of its name, or else JSON.
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<Form>,
    #[command(flatten)]
    policy: PolicyArgs,
}

#[derive(Debug, Args)]
struct FileArgs {
    /// The file to read; default or `-`: standard input.
    input: Option<PathBuf>,
    /// The file to write; default or `-`: standard output.
    #[arg(long, short)]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct PolicyArgs {
    /// What to do with a record that does not fit.
    #[arg(long, value_enum, default_value_t)]
    on_error: OnError,
    /// A file for the records that are left out, in the form in which they were read. A JSON text, and a row of Parquet, is one line of
    /// JSON.
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OnError {
    /// End the run.
    #[default]
    Stop,
    /// Leave it out and count it.
    Skip,
    /// Leave it out, count it, and print its fault.
    Report,
}

/// Forms of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A line of JSON for each record.
    Jsonl,
    /// One JSON array.
    Json,
    /// CSV with a line of names.
    Csv,
    /// One XML document with an element for each record.
    Xml,
    /// Parquet; only in a build with the feature `parquet`, which is off by default.
    Parquet,
}

impl Form {
    /// The form that the ending of a file's name means.
    fn of(path: Option<&Path>) -> Option<Self> {
        let ending = path?.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "jsonl" | "ndjson" => Some(Form::Jsonl),
            "json" => Some(Form::Json),
            "csv" => Some(Form::Csv),
            "xml" => Some(Form::Xml),
            "parquet" => Some(Form::Parquet),
            _ => None,
        }
    }
}

/// Files of records into text.
pub(crate) fn decode(view: &ViewArgs, args: &DecodeArgs) -> Result<ExitCode, String> {
    let view = View::new(view)?;
    let framing = args.format.framing(&view)?;
    let form = args.to.or_else(|| Form::of(args.files.output.as_deref())).unwrap_or(Form::Jsonl);
    let source = Source::open(args.files.input.as_deref(), args.files.hides_progress())?;
    let (name, progress) = (source.name.clone(), source.progress.clone());
    let (mut reader, hints) = source.records(&framing, args.portion.portion(), &view, args.format.recfm())?;
    let lost = lost_hint(&mut reader, &framing, &view);
    say_undescribed(&framing);
    let mut rejects = args.policy.rejects(&args.files)?;
    let mut kept = rejects.as_mut().map(|target| RecordWriter::new(target, &framing));
    let mut reported = 0;
    let mut on_reject = |rejected: &Rejected<'_>| {
        if args.policy.on_error == OnError::Stop {
            return stop(rejected);
        }
        args.policy.report(rejected.error, &mut reported, &progress);
        kept.as_mut().map_or(Ok(()), |kept| kept.write(rejected.bytes))
    };
    let text = Text { view: &view, output: output(form, &view)?, threads: args.threads };
    let mut target = args.files.create()?;
    let result = text.write(&mut reader, &mut target, &mut on_reject);
    progress.finish_and_clear();
    let kept = kept.map_or(Ok(()), |kept| kept.finish().map(drop));
    let counts = finish(result, &name, &hints)?;
    kept.map_err(|error| format!("the rejected records: {error}"))?;
    target.finish()?;
    rejects.map_or(Ok(()), Target::finish)?;
    hints.warn();
    warn(lost.as_ref());
    say_nulls(counts.nulls);
    Ok(args.policy.exit(counts, "record"))
}

/// The text form of records; none for Parquet, which is not text. Decided before any file is made or emptied.
fn output(form: Form, view: &View) -> Result<Option<Output>, String> {
    Ok(Some(match form {
        Form::Jsonl => Output::JsonLines,
        Form::Json => Output::JsonArray,
        Form::Csv => Output::Csv(CsvPlan::new(&view.bind).map_err(|error| error.to_string())?),
        Form::Xml => Output::Xml,
        Form::Parquet if cfg!(feature = "parquet") => return Ok(None),
        Form::Parquet => return Err(WITHOUT_PARQUET.to_owned()),
    }))
}

/// The text of a file of records.
struct Text<'v> {
    view: &'v View,
    output: Option<Output>,
    threads: usize,
}

impl Text<'_> {
    fn write(
        &self,
        reader: &mut RecordReader<Box<dyn io::Read>>,
        target: &mut Target,
        on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        let Some(output) = &self.output else { return self.write_parquet(reader, target, on_reject) };
        let decode = Decode { bind: &self.view.bind, output, threads: self.threads };
        decode.run(reader, target, on_reject)
    }

    #[cfg(feature = "parquet")]
    fn write_parquet(
        &self,
        reader: &mut RecordReader<Box<dyn io::Read>>,
        target: &mut Target,
        on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        let mut writer = dataset::ParquetWriter::new(&self.view.bind, target)?;
        let decode = Decode { bind: &self.view.bind, output: &Output::JsonLines, threads: self.threads };
        let counts = decode.run_into(reader, &mut writer, on_reject)?;
        writer.finish()?;
        Ok(counts)
    }

    #[cfg(not(feature = "parquet"))]
    fn write_parquet(
        &self,
        _: &mut RecordReader<Box<dyn io::Read>>,
        _: &mut Target,
        _: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        Err(Error::setting(WITHOUT_PARQUET))
    }
}

const WITHOUT_PARQUET: &str =
    "this build has no Parquet support; build with: cargo build --release -p gantry --features parquet";

/// Text into a file of records.
pub(crate) fn encode(view: &ViewArgs, args: &EncodeArgs) -> Result<ExitCode, String> {
    let view = View::new(view)?;
    let framing = args.format.framing(&view)?;
    let form = args.from.or_else(|| Form::of(args.files.input.as_deref())).unwrap_or(Form::Jsonl);
    let source = Source::open(args.files.input.as_deref(), args.files.hides_progress())?;
    let (name, progress) = (source.name.clone(), source.progress.clone());
    let fail = |error: Error| format!("{name}: {error}");
    let plan;
    let mut document: Box<dyn Read> = Box::new(io::empty());
    // Of the file of rejects.
    let (mut heading, mut closing) = (None, None::<Vec<u8>>);
    let mut texts: Box<dyn Texts> = match form {
        Form::Xml => {
            document = source.into_read();
            Box::new(JsonTexts::new(io::empty()))
        }
        Form::Jsonl | Form::Json => Box::new(JsonTexts::new(source.into_read())),
        Form::Csv => {
            plan = CsvPlan::new(&view.bind).map_err(fail)?;
            let texts = CsvTexts::new(&plan, source.into_read()).map_err(fail)?;
            heading = Some(texts.heading().to_vec());
            Box::new(texts)
        }
        Form::Parquet => read_parquet(&view.bind, args.files.input.as_deref())?,
    };
    say_undescribed(&framing);
    let mut rejects = args.policy.rejects(&args.files)?;
    let mut reported = 0;
    let mut on_reject = |rejected: &Rejected<'_>| {
        if args.policy.on_error == OnError::Stop {
            return stop(rejected);
        }
        args.policy.report(rejected.error, &mut reported, &progress);
        match &mut rejects {
            None => Ok(()),
            Some(file) => {
                if form == Form::Xml && closing.is_none() {
                    // UTF-16 becomes UTF-8, so its start cannot be kept.
                    let (head, tail) = rejected.around.unwrap_or((b"<records>", b"</records>"));
                    (heading, closing) = (Some(head.to_vec()), Some(tail.to_vec()));
                }
                let heading = heading.take().map(|heading| [&heading, b"\n".as_slice()].concat());
                file.write_all(&heading.unwrap_or_default())
                    .and_then(|()| file.write_all(&line_of(form, rejected.bytes)))
                    .map_err(Error::from)
            }
        }
    };
    let mut target = args.files.create()?;
    let mut writer = RecordWriter::new(&mut target, &framing);
    let result = match form {
        Form::Xml => dataset::encode_xml(&view.bind, document, &mut writer, &mut on_reject),
        _ => dataset::encode(&view.bind, texts.as_mut(), &mut writer, &mut on_reject),
    };
    let written = writer.finish();
    progress.finish_and_clear();
    let result = result.and_then(|counts| written.map(|_| counts));
    let counts = finish(result, &name, &Hints::default())?;
    target.finish()?;
    if let Some(mut rejects) = rejects {
        let closed = rejects.write_all(&closing.unwrap_or_default());
        closed.map_err(|error| format!("--rejects: {error}"))?;
        rejects.finish()?;
    }
    Ok(args.policy.exit(counts, "text"))
}

/// A text that did not fit, for a file that can be read again: JSON stands in one line.
fn line_of(form: Form, text: &[u8]) -> Vec<u8> {
    let mut line = match form {
        Form::Jsonl | Form::Json | Form::Parquet => in_one_line(text.trim_ascii()),
        Form::Csv | Form::Xml => text.to_vec(),
    };
    line.push(b'\n');
    line
}

/// JSON without the ends of lines between its words. Within a string they are the fault of the text, so it stays as it is.
fn in_one_line(json: &[u8]) -> Vec<u8> {
    let (mut line, mut in_string, mut escaped) = (Vec::with_capacity(json.len() + 1), false, false);
    for byte in json {
        match byte {
            b'\n' | b'\r' if in_string => return json.to_vec(),
            b'\n' | b'\r' => line.push(b' '),
            _ => line.push(*byte),
        }
        in_string ^= *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && in_string && !escaped;
    }
    line
}

#[cfg(feature = "parquet")]
fn read_parquet(bind: &record::Bind, path: Option<&Path>) -> Result<Box<dyn Texts>, String> {
    let path =
        path.filter(|path| *path != Path::new("-")).ok_or("Parquet cannot be read from standard input")?;
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = std::fs::File::open(path).map_err(|error| fail(&error))?;
    Ok(Box::new(dataset::ParquetTexts::new(bind, file).map_err(|error| fail(&error))?))
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(_: &record::Bind, _: Option<&Path>) -> Result<Box<dyn Texts>, String> {
    Err(WITHOUT_PARQUET.to_owned())
}

/// The counts of a run, or what to say of its end. Whoever reads standard output may have seen enough (`| head`), which
/// is not a fault.
fn finish(result: Result<Counts, Error>, name: &str, hints: &Hints) -> Result<Counts, String> {
    match result {
        Err(error) if error.is_broken_pipe() => Ok(Counts::default()),
        result => result.map_err(|error| hints.explain(format!("{name}: {error}"))),
    }
}

/// Says how many values are lost, which only `--lenient` allows.
pub(crate) fn say_nulls(nulls: u64) {
    if nulls > 0 && !terminal::is_quiet() {
        let values = terminal::count(usize::try_from(nulls).unwrap_or(usize::MAX), "value");
        eprintln!(
            "gantry: {values} became null, because their bytes are not valid for the type of the field"
        );
    }
}

fn say_undescribed(framing: &dataset::Framing) {
    let bytes = framing.undescribed_bytes();
    if bytes > 0 && !terminal::is_quiet() {
        let bytes = terminal::count(bytes, "byte");
        eprintln!("gantry: the copybook does not describe the last {bytes} of each record");
    }
}

impl FileArgs {
    /// A bar among the records on the same terminal would be in the way.
    fn hides_progress(&self) -> bool {
        terminal::is_quiet() || (self.output.is_none() && io::stdout().is_terminal())
    }

    /// The file to write, which must not be the one that is read.
    fn create(&self) -> Result<Target, String> {
        if same(self.input.as_deref(), self.output.as_deref()) {
            return Err(format!("{} is both read and written", shown(self.input.as_deref())));
        }
        Target::begin(self.output.as_deref())
    }
}

/// Whether two paths mean one file. A file that is not there yet is known by its folder and name. A device such as
/// `/dev/null` may be named twice.
pub(crate) fn same(one: Option<&Path>, other: Option<&Path>) -> bool {
    let meant = |path: &Path| {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return None;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().ok().or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))
    };
    let (one, other) = (one.and_then(meant), other.and_then(meant));
    one.is_some() && one == other
}

fn shown(path: Option<&Path>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}

impl PolicyArgs {
    /// The file for what is left out, which must not be one of the other two.
    fn rejects(&self, files: &FileArgs) -> Result<Option<Target>, String> {
        let Some(path) = self.rejects.as_deref() else { return Ok(None) };
        if self.on_error == OnError::Stop {
            return Err(
                "--rejects needs --on-error skip or report; now the first fault ends the run".to_owned()
            );
        }
        for (other, does) in [(&files.input, "is read"), (&files.output, "gets the output")] {
            if same(Some(path), other.as_deref()) {
                return Err(format!("--rejects: {} {does}; name another file", shown(Some(path))));
            }
        }
        Target::file(path).map(Some)
    }

    fn report(&self, error: &Error, reported: &mut u64, progress: &indicatif::ProgressBar) {
        if self.on_error != OnError::Report {
            return;
        }
        *reported += 1;
        if *reported <= REPORTED_MAX {
            progress.suspend(|| eprintln!("{error}"));
        } else if *reported == REPORTED_MAX + 1 {
            progress.suspend(|| eprintln!("... further faults are only counted"));
        }
    }

    /// Says how many were left out; the exit code says it to programs.
    fn exit(&self, counts: Counts, what: &str) -> ExitCode {
        if counts.rejected == 0 {
            return ExitCode::SUCCESS;
        }
        if !terminal::is_quiet() {
            let kept = self.rejects.as_ref().map(|path| format!("; they are in {}", path.display()));
            eprintln!(
                "gantry: {} of {} left out{}",
                counts.rejected,
                terminal::count(usize::try_from(counts.read).unwrap_or(usize::MAX), what),
                kept.unwrap_or_default()
            );
        }
        ExitCode::from(EXIT_REJECTED)
    }
}
