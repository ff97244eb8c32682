//! The context of traces: the headers `traceparent` and `tracestate` of W3C Trace Context, incoming
//! and outgoing.

use std::fmt;

use http::{HeaderMap, HeaderName};

/// The header with the trace and the calling span.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// The header for additions of tracing vendors.
pub const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// The most bytes of `tracestate` that are passed on. The recommendation (section 3.3.1.5) asks for
/// at least this.
pub const TRACESTATE_MAX_BYTES: usize = 512;

const SAMPLED: u8 = 1;

/// A trace, and one span in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// 16 bytes, not all zero.
    pub trace_id: [u8; 16],
    /// 8 bytes, not all zero.
    pub span_id: [u8; 8],
    /// True if the spans of the trace are recorded.
    pub sampled: bool,
}

impl TraceContext {
    /// Reads `traceparent` (section 3.2). None if the header is missing, occurs twice, or is not
    /// well formed. A new trace then begins, as section 4.3 asks.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACEPARENT).iter();
        let value = values.next()?.as_bytes();
        if values.next().is_some() {
            return None;
        }
        Self::parse(value)
    }

    /// Reads `version-traceid-spanid-flags`. Later versions may have more after a hyphen; version
    /// 00 may not.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (known, rest) = text.split_at_checked(55)?;
        let fields = [&known[0..2], &known[3..35], &known[36..52], &known[53..55]];
        let hyphens = [known[2], known[35], known[52]];
        if hyphens != [b'-'; 3] {
            return None;
        }
        let [version] = hex::<1>(fields[0])?;
        let (trace_id, span_id) = (hex::<16>(fields[1])?, hex::<8>(fields[2])?);
        let [flags] = hex::<1>(fields[3])?;
        let ends_well = match version {
            0xFF => false,
            0 => rest.is_empty(),
            _ => rest.is_empty() || rest[0] == b'-',
        };
        let well_formed = ends_well && trace_id != [0; 16] && span_id != [0; 8];
        well_formed.then_some(Self { trace_id, span_id, sampled: flags & SAMPLED != 0 })
    }

    /// The trace's id as 32 hexadecimal digits.
    #[must_use]
    pub fn trace_hex(&self) -> Hex<'_> {
        Hex(&self.trace_id)
    }

    /// The span's id as 16 hexadecimal digits.
    #[must_use]
    pub fn span_hex(&self) -> Hex<'_> {
        Hex(&self.span_id)
    }
}

impl fmt::Display for TraceContext {
    /// Writes `traceparent` of version 00.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", self.trace_hex(), self.span_hex(), u8::from(self.sampled))
    }
}

/// `tracestate` to pass on. None if it is missing, occurs twice, or is longer than
/// [`TRACESTATE_MAX_BYTES`].
#[must_use]
pub fn state(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(TRACESTATE).iter();
    let value = values.next()?.to_str().ok()?;
    (values.next().is_none() && value.len() <= TRACESTATE_MAX_BYTES && !value.is_empty()).then_some(value)
}

/// Whether a trace is recorded. `ratio` is the share of recorded traces. The trace's id decides, so
/// systems with the same ratio choose the same traces.
#[must_use]
pub fn is_chosen(trace_id: [u8; 16], ratio: f64) -> bool {
    let [.., a, b, c, d, e, f, g, h] = trace_id;
    // The last bytes of the id are random.
    let chance = u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 11;
    (chance as f64) < ratio * (1_u64 << 53) as f64
}

/// Bytes as lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'b>(&'b [u8]);

impl<'b> Hex<'b> {
    /// Takes these bytes.
    #[must_use]
    pub fn of(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl serde::Serialize for Hex<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads hexadecimal digits. Only lower case is allowed, as the recommendation says.
fn hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}
