//! Data files of the subcommands: their format, the wanted part, how they are opened, and the progress.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dataset::{Format, Framing, HINT_BYTES, LineEnd, Look, Portion, RecordFormat, RecordReader};
use indicatif::{ProgressBar, ProgressStyle};
use settings::{Readers, Replacement};

use crate::View;

/// How the file separates its records.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// The record format: f or fb (all of one length), v or vb (descriptor words), vs or vbs (spanned), lines, odo
    /// (length by the counters of tables), gnucobol (its length prefix), rdw-le (lengths with the low byte first).
    #[arg(long, value_name = "FORMAT", default_value_t)]
    recfm: RecordFormat,
    /// The length of fixed records, if it differs from the copybook's.
    #[arg(long, value_name = "BYTES")]
    lrecl: Option<usize>,
    /// Variable or spanned records are in blocks with descriptor words.
    #[arg(long)]
    bdw: bool,
    /// The largest block to write.
    #[arg(long, value_name = "BYTES", requires = "bdw")]
    blksize: Option<usize>,
    /// The line end; default: NL in EBCDIC, else LF with or without CR.
    #[arg(long, value_enum, value_name = "END")]
    line_end: Option<LineEndWord>,
    /// Lines have no trailing blanks: add them when reading, remove them when writing.
    #[arg(long)]
    trimmed: bool,
}

/// Which records of the file.
#[derive(Debug, Args)]
pub(crate) struct PortionArgs {
    /// Skip this many records at the start (headers).
    #[arg(long, value_name = "RECORDS", default_value_t)]
    skip: u64,
    /// Skip this many records at the end (trailers).
    #[arg(long, value_name = "RECORDS", default_value_t)]
    skip_last: usize,
    /// Skip this many bytes before the first record.
    #[arg(long, value_name = "BYTES", default_value_t)]
    skip_bytes: u64,
    /// Read at most this many records.
    #[arg(long, value_name = "RECORDS")]
    limit: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LineEndWord {
    Lf,
    Crlf,
    Nl,
    /// The byte 25.
    EbcdicLf,
}

impl FormatArgs {
    pub(crate) fn recfm(&self) -> RecordFormat {
        self.recfm
    }

    pub(crate) fn framing(&self, view: &View) -> Result<Framing, String> {
        let format = Format {
            recfm: self.recfm,
            record_bytes: self.lrecl,
            block_words: self.bdw,
            block_bytes: self.blksize,
            line_end: match self.line_end {
                None => LineEnd::ByPage,
                Some(LineEndWord::Lf) => LineEnd::Lf,
                Some(LineEndWord::Crlf) => LineEnd::CrLf,
                Some(LineEndWord::Nl) => LineEnd::Nl,
                Some(LineEndWord::EbcdicLf) => LineEnd::EbcdicLf,
            },
            trimmed_lines: self.trimmed,
        };
        Framing::new(&format, &view.layout, &view.bind, &view.options).map_err(|error| error.to_string())
    }
}

impl PortionArgs {
    pub(crate) fn portion(&self) -> Portion {
        let PortionArgs { skip, skip_last, skip_bytes, limit } = *self;
        Portion { skip_bytes, skip, skip_last, limit }
    }
}

/// A file that is read, or standard input, with what is shown of how far it is.
pub(crate) struct Source {
    read: Box<dyn Read>,
    bytes: Option<u64>,
    pub(crate) name: String,
    pub(crate) progress: ProgressBar,
}

impl Source {
    /// Opens a file; standard input if there is none, or `-`.
    pub(crate) fn open(path: Option<&Path>, hides_progress: bool) -> Result<Self, String> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let read = Box::new(io::stdin().lock());
            let name = "standard input".to_owned();
            return Ok(Self { read, bytes: None, name, progress: ProgressBar::hidden() });
        };
        let fail = |error: io::Error| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(format!("{} is a folder", path.display()));
        }
        let bytes = metadata.is_file().then_some(metadata.len());
        let progress = match bytes {
            Some(bytes) if !hides_progress && io::stderr().is_terminal() => bar(bytes),
            _ => ProgressBar::hidden(),
        };
        let read = Box::new(progress.wrap_read(file));
        Ok(Self { read, bytes, name: path.display().to_string(), progress })
    }

    /// The records of the file, and what may be said of it when they do not fit.
    pub(crate) fn records(
        self,
        framing: &Framing,
        portion: Portion,
        view: &View,
        recfm: RecordFormat,
    ) -> Result<(RecordReader<Box<dyn Read>>, Hints), String> {
        let mut reader = RecordReader::new(self.read, framing, portion).map_err(|error| error.to_string())?;
        // A pipe is not waited for, beyond its first bytes.
        let wanted = if self.bytes.is_some() { HINT_BYTES } else { 1 };
        let first = reader.peek(wanted).map_err(|error| format!("{}: {error}", self.name))?;
        let look = Look { first: &first[..first.len().min(HINT_BYTES)], bytes: self.bytes };
        let hints =
            Hints { page: look.page_hint(&view.options), format: look.format_hint(&view.layout, recfm) };
        Ok((reader, hints))
    }

    pub(crate) fn into_read(self) -> Box<dyn Read> {
        self.read
    }
}

fn bar(bytes: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left");
    let bar = ProgressBar::new(bytes);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// The format that the file seems to have, where it differs from the format of the options.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    page: Option<String>,
    format: Option<String>,
}

/// A hint if the text of the first records lacks some of their data. No record was read yet.
pub(crate) fn lost_hint(
    reader: &mut RecordReader<Box<dyn Read>>,
    framing: &Framing,
    view: &View,
) -> Option<String> {
    // The file was looked at before: this gives the same bytes again.
    let first = reader.peek(1).ok()?;
    let look = Look { first: &first[..first.len().min(HINT_BYTES)], bytes: None };
    look.lost_hint(&view.bind, &view.layout, framing)
}

/// Writes a warning, if there is one, unless the command is to be quiet.
pub(crate) fn warn(hint: Option<&String>) {
    if let Some(hint) = hint.filter(|_| !terminal::is_quiet()) {
        eprintln!("gantry: warning: {hint}");
    }
}

impl Hints {
    /// Says that the code page seems to be wrong; text then comes out as other text, without a fault.
    pub(crate) fn warn(&self) {
        warn(self.page.as_ref());
    }

    /// Adds to a fault what may be its cause.
    pub(crate) fn explain(&self, message: String) -> String {
        [&self.page, &self.format]
            .into_iter()
            .flatten()
            .fold(message, |message, hint| format!("{message}\n        hint: {hint}"))
    }
}

/// Where the output goes: standard output, or a file that appears when it is complete. A fault before the end leaves the
/// file that was there.
pub(crate) enum Target {
    Stdout(io::Stdout),
    File { new: BufWriter<Replacement>, path: PathBuf },
}

impl Target {
    /// Without a path, or with `-`, it is standard output.
    pub(crate) fn begin(path: Option<&Path>) -> Result<Self, String> {
        path.filter(|path| *path != Path::new("-")).map_or_else(|| Ok(Self::Stdout(io::stdout())), Self::file)
    }

    /// A file.
    pub(crate) fn file(path: &Path) -> Result<Self, String> {
        let new = Replacement::begin(path, Readers::Usual).map_err(|error| described(path, &error))?;
        Ok(Self::File { new: BufWriter::new(new), path: path.to_owned() })
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self {
            Self::Stdout(_) => Ok(()),
            Self::File { new, path } => new
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(Replacement::finish)
                .map_err(|error| described(&path, &error)),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File { new, .. } => new.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File { new, .. } => new.flush(),
        }
    }
}

fn described(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
