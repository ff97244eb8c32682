//! The simulated provider as a back end: `kind = "simulated"`, its keys, and the files of vectors that it plays back.
//!
//! It answers for programs that are elsewhere or do not exist yet: with the request, with a constant, with the catalog
//! manager's CABASIC, or with recorded answers. `service::simulated` is the provider itself.

mod vectors;

use std::sync::Arc;
use std::time::Duration;

use codepage::Encoding;
use providers::{Kind, Place, Section};
use serde::Deserialize;
use service::ServiceProvider;
use service::simulated::{Answer, Faults, Playback, Simulated};
use settings::is_safe;
use toml::Table;

/// The kind `simulated`.
pub static KIND: &dyn Kind = &SimulatedKind;

#[derive(Debug)]
struct SimulatedKind;

impl Kind for SimulatedKind {
    fn word(&self) -> &'static str {
        "simulated"
    }

    fn read(&self, keys: Table) -> Result<Box<dyn Section>, toml::de::Error> {
        Ok(Box::new(keys.try_into::<SimulatedSection>()?))
    }
}

/// `[provider]` with `kind = "simulated"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SimulatedSection {
    answer: AnswerWord,
    /// With `answer = "cabasic"`: the number of rows is written into the record.
    #[serde(default)]
    row_count: bool,
    /// With `answer = "constant"`: the record in hexadecimal.
    hex: Option<String>,
    /// With `answer = "playback"`: a file in `vectors/`.
    vectors: Option<String>,
    /// With `answer = "playback"`: of recorded lines, those of this API.
    vectors_api: Option<String>,
    #[serde(default)]
    delay_ms: u64,
    cut_to_bytes: Option<usize>,
    patch: Option<PatchSection>,
    #[serde(default)]
    refuse: bool,
}

/// `answer`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum AnswerWord {
    Cabasic,
    Echo,
    Constant,
    Playback,
}

impl AnswerWord {
    /// As it is written.
    fn name(self) -> &'static str {
        match self {
            AnswerWord::Cabasic => "cabasic",
            AnswerWord::Echo => "echo",
            AnswerWord::Constant => "constant",
            AnswerWord::Playback => "playback",
        }
    }
}

/// `patch = { offset = 4, hex = "FF" }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PatchSection {
    offset: usize,
    hex: String,
}

impl Section for SimulatedSection {
    fn provider(&self, mut place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>> {
        for (word, key, given) in [
            (AnswerWord::Constant, "hex", self.hex.is_some()),
            (AnswerWord::Playback, "vectors", self.vectors.is_some()),
            (AnswerWord::Playback, "vectors_api", self.vectors_api.is_some()),
        ] {
            if given && self.answer != word {
                place.fault(format!("'{key}' goes with answer = \"{}\"", word.name()));
                return None;
            }
        }
        let answer = self.answer(&mut place)?;
        let patch = match &self.patch {
            Some(PatchSection { offset, hex }) => Some((*offset, bytes(hex, &mut place)?)),
            None => None,
        };
        let delay = Duration::from_millis(self.delay_ms);
        let faults = Faults { delay, cut_to_bytes: self.cut_to_bytes, patch, refuse: self.refuse };
        Some(Arc::new(Simulated::new(answer, faults, |delay| Box::pin(tokio::time::sleep(delay)))))
    }
}

impl SimulatedSection {
    fn answer(&self, place: &mut Place<'_, '_>) -> Option<Answer> {
        Some(match (self.answer, &self.hex, &self.vectors) {
            (AnswerWord::Constant, Some(text), _) => Answer::Constant(bytes(text, place)?),
            (AnswerWord::Constant, None, _) => {
                place.fault("answer = \"constant\" needs the record as 'hex'");
                return None;
            }
            (AnswerWord::Playback, _, Some(file)) => {
                Answer::Playback(playback(file, self.vectors_api.as_deref(), place.encoding?, place)?)
            }
            (AnswerWord::Playback, _, None) => {
                place.fault("answer = \"playback\" needs a file as 'vectors'");
                return None;
            }
            (AnswerWord::Cabasic, ..) => Answer::Cabasic { row_count: self.row_count },
            (AnswerWord::Echo, ..) => Answer::Echo,
        })
    }
}

/// The vectors of a file in `vectors/`.
fn playback(
    name: &str,
    api: Option<&str>,
    encoding: Encoding,
    place: &mut Place<'_, '_>,
) -> Option<Playback> {
    if !is_safe(name) {
        place.fault(format!("expected a file below vectors/, found '{name}'"));
        return None;
    }
    let path = format!("vectors/{name}");
    let text = match place.loader.files.read(&path) {
        Ok(text) => text,
        Err(error) => {
            place.fault(format!("{path} cannot be read: {error}"));
            return None;
        }
    };
    match vectors::read(&text, api, encoding) {
        Ok(vectors) => Some(Playback::new(vectors)),
        Err(faults) => {
            let shown = place.loader.files.display(&path);
            place.loader.problems.text(&shown, &text);
            for (line, message) in faults {
                place.loader.problems.add_line(&shown, line, message);
            }
            None
        }
    }
}

fn bytes(text: &str, place: &mut Place<'_, '_>) -> Option<Vec<u8>> {
    let bytes = vectors::hex(text);
    if bytes.is_none() {
        place.fault("'hex' is not an even number of hexadecimal digits");
    }
    bytes
}
