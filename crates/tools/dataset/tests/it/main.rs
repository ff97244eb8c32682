//! Files of records through the public interface: every format, both ways, and what is wrong with broken files.

mod csv;
mod decode;
mod encode;
mod explain;
mod formats;
mod hints;
#[cfg(feature = "parquet")]
mod parquet;
mod random;
mod xml;

use codepage::CodePage;
use copybook::Layout;
use dataset::{
    Counts, CsvPlan, CsvTexts, Decode, Error, Format, Framing, JsonTexts, Output, Portion, RecordReader,
    RecordWriter, Rejected, encode, stop,
};
use record::{Bind, Options};

/// A copybook in free format, compiled with default options but for what `change` does to them.
pub(crate) struct Case {
    pub(crate) layout: Layout,
    pub(crate) options: Options,
    pub(crate) bind: Bind,
}

impl Case {
    pub(crate) fn new(text: &str, ccsid: u16) -> Self {
        Self::with(text, ccsid, |_| {})
    }

    pub(crate) fn with(text: &str, ccsid: u16, change: impl FnOnce(&mut Options)) -> Self {
        let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
        let parsed = copybook::parse("TEST.cpy", text, &options).expect("a valid copybook");
        let layout = parsed.layouts.into_iter().next().expect("a record");
        let mut options = Options::new(CodePage::by_ccsid(ccsid).expect("a known page"));
        change(&mut options);
        let bind = Bind::compile(&layout, &options).expect("a bind");
        Self { layout, options, bind }
    }

    pub(crate) fn framing(&self, format: &Format) -> Result<Framing, Error> {
        Framing::new(format, &self.layout, &self.bind, &self.options)
    }
}

/// A source that gives few bytes at a time, as pipes do.
pub(crate) struct Drops<'a>(pub(crate) &'a [u8], pub(crate) usize);

impl std::io::Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let given = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(given);
        buffer[..given].copy_from_slice(now);
        self.0 = later;
        Ok(given)
    }
}

/// All records of a file, and what ends it early. Read whole or in drops, it must be the same.
pub(crate) fn read_all(file: &[u8], framing: &Framing, portion: Portion) -> (Vec<Vec<u8>>, Option<Error>) {
    let whole = read_whole(file, framing, portion.clone());
    if file.len() < 500 {
        for drop in [1, 7] {
            let dropped = read_whole(Drops(file, drop), framing, portion.clone());
            assert_eq!(whole.0, dropped.0);
            let text = |error: &Option<Error>| error.as_ref().map(ToString::to_string);
            assert_eq!(text(&whole.1), text(&dropped.1));
        }
    }
    whole
}

fn read_whole<R: std::io::Read>(
    file: R,
    framing: &Framing,
    portion: Portion,
) -> (Vec<Vec<u8>>, Option<Error>) {
    let mut reader = RecordReader::new(file, framing, portion).expect("a portion");
    let mut records = Vec::new();
    loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push(record.bytes.to_vec()),
            Ok(None) => return (records, None),
            Err(error) => return (records, Some(error)),
        }
    }
}

/// A file of these records.
pub(crate) fn write_all<B: AsRef<[u8]>>(records: &[B], framing: &Framing) -> Result<Vec<u8>, Error> {
    let mut writer = RecordWriter::new(Vec::new(), framing);
    for record in records {
        writer.write(record.as_ref())?;
    }
    writer.finish()
}

/// A file as text, and how the run ended; records that do not fit are in the list of faults unless they end it.
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) faults: Vec<String>,
    pub(crate) result: Result<Counts, Error>,
}

impl Case {
    pub(crate) fn decode(
        &self,
        file: &[u8],
        format: &Format,
        output: &Output,
        threads: usize,
        skip: bool,
    ) -> Decoded {
        let framing = self.framing(format).expect("a framing");
        let mut reader = RecordReader::new(file, &framing, Portion::default()).expect("a portion");
        let (mut text, mut faults) = (Vec::new(), Vec::new());
        let mut on_reject = |rejected: &Rejected<'_>| {
            if skip {
                faults.push(rejected.error.to_string());
                Ok(())
            } else {
                stop(rejected)
            }
        };
        let decode = Decode { bind: &self.bind, output, threads };
        let result = decode.run(&mut reader, &mut text, &mut on_reject);
        Decoded { text: String::from_utf8(text).expect("UTF-8"), faults, result }
    }

    pub(crate) fn encode(
        &self,
        text: &str,
        format: &Format,
    ) -> (Vec<u8>, Vec<String>, Result<Counts, Error>) {
        let framing = self.framing(format).expect("a framing");
        let mut writer = RecordWriter::new(Vec::new(), &framing);
        let mut faults = Vec::new();
        let mut on_reject = |rejected: &Rejected<'_>| {
            faults.push(format!("{} | {}", rejected.error, String::from_utf8_lossy(rejected.bytes)));
            Ok(())
        };
        let texts = Drops(text.as_bytes(), 1 + text.len() / 3);
        let result = encode(&self.bind, &mut JsonTexts::new(texts), &mut writer, &mut on_reject);
        (writer.finish().expect("memory"), faults, result)
    }

    pub(crate) fn csv(&self) -> CsvPlan {
        CsvPlan::new(&self.bind).expect("a plan")
    }

    /// Records of a CSV text; the first fault ends it.
    pub(crate) fn read_csv(&self, text: &str, format: &Format) -> Result<Vec<u8>, Error> {
        let plan = self.csv();
        let mut writer = RecordWriter::new(Vec::new(), &self.framing(format)?);
        encode(&self.bind, &mut CsvTexts::new(&plan, text.as_bytes())?, &mut writer, &mut stop)?;
        writer.finish()
    }
}
