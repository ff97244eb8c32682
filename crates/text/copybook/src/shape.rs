//! The content and the number of an elementary item's bytes, from its picture, usage and sign.
//!
//! Sizes are IBM Enterprise COBOL's (Language Reference, "USAGE clause").

use std::ops::Range;

use crate::codes::{self, Code};
use crate::entry::{Entry, SignClause, Usage};
use crate::picture::{Category, Picture};
use crate::report::Report;
use crate::{Edited, Kind, PointerBytes, Sign};

/// The most digits of a binary number.
pub const MAX_BINARY_DIGITS: u8 = 18;

/// An item's kind, the bytes of one occurrence, and the boundary it needs.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    pub(crate) bytes: usize,
    /// 1 without SYNCHRONIZED.
    pub(crate) align: usize,
    pub(crate) synchronized: bool,
}

/// The facts that an item takes over from the groups around it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inherited {
    pub(crate) usage: Option<Usage>,
    pub(crate) sign: Option<SignClause>,
    pub(crate) synchronized: bool,
}

/// Finds an elementary item's shape. None if an error was reported, now or when the entry was read.
pub(crate) fn of_item(
    entry: &Entry,
    inherited: Inherited,
    pointer_bytes: PointerBytes,
    report: &mut Report,
) -> Option<Shape> {
    let item = ItemToShape { entry, inherited, pointer_bytes };
    if entry.broken {
        return None;
    }
    match item.shape() {
        Ok((kind, bytes)) => {
            item.warn_of_idle_clauses(&kind, report);
            let synchronized = item.is_synchronized();
            Some(Shape { align: item.align(&kind, bytes), kind, bytes, synchronized })
        }
        Err(problem) => {
            report.error(problem.code, &problem.span, problem.message);
            None
        }
    }
}

struct ItemToShape<'e> {
    entry: &'e Entry,
    inherited: Inherited,
    pointer_bytes: PointerBytes,
}

struct Problem {
    code: Code,
    span: Range<usize>,
    message: String,
}

impl ItemToShape<'_> {
    fn usage(&self) -> Option<Usage> {
        self.entry.usage.as_ref().map(|usage| usage.value).or(self.inherited.usage)
    }

    fn shape(&self) -> Result<(Kind, usize), Problem> {
        let usage = self.usage();
        if let Some((kind, bytes)) = usage.and_then(|usage| self.without_picture(usage)) {
            return match &self.entry.picture {
                None => Ok((kind, bytes)),
                Some(picture) => {
                    let word = usage.map_or("", Usage::word);
                    Err(problem(
                        codes::PICTURE_AND_USAGE,
                        &picture.span,
                        format!("{word} has no PICTURE clause"),
                    ))
                }
            };
        }
        let Some(picture) = &self.entry.picture else {
            let message = format!("{} is neither a group nor has it a PICTURE clause", self.entry.shown());
            return Err(problem(codes::NO_PICTURE, &self.entry.span, message));
        };
        let picture = &picture.value;
        self.check_sign(picture, usage)?;
        match usage {
            None | Some(Usage::Display) => self.display(picture, usage.is_some()),
            Some(Usage::Display1) => self.dbcs(picture),
            Some(Usage::National) => self.national(picture),
            Some(Usage::Utf8) => self.utf8(picture),
            Some(usage) => self.computational(picture, usage),
        }
    }

    fn without_picture(&self, usage: Usage) -> Option<(Kind, usize)> {
        Some(match usage {
            Usage::Integer { bytes, signed } => {
                let digits = if signed { digits_within(bytes * 8 - 1) } else { digits_within(bytes * 8) };
                (Kind::Binary { digits, scale: 0, signed, native: true }, usize::from(bytes))
            }
            Usage::Float => (Kind::Float, 4),
            Usage::Double => (Kind::Float, 8),
            Usage::Index => (Kind::Pointer, self.pointer_bytes.of_index()),
            Usage::Pointer32 => (Kind::Pointer, 4),
            Usage::Pointer | Usage::FunctionPointer | Usage::ObjectReference => {
                (Kind::Pointer, self.pointer_bytes.of_address())
            }
            Usage::ProcedurePointer => (Kind::Pointer, 8),
            _ => return None,
        })
    }

    fn display(&self, picture: &Picture, written: bool) -> Result<(Kind, usize), Problem> {
        let edited = || self.edited(picture, false);
        match picture.category {
            Category::Text => {
                Ok((Kind::Text { justified: self.entry.justified.is_some() }, picture.positions))
            }
            Category::TextEdited | Category::NumericEdited => Ok((edited(), picture.positions)),
            // BLANK WHEN ZERO makes a number numeric edited.
            Category::Numeric { signed: false, .. } if self.entry.blank_when_zero.is_some() => {
                Ok((edited(), picture.positions))
            }
            Category::Numeric { digits, scale, signed } => {
                let sign = self.zoned_sign(signed);
                Ok((Kind::Zoned { digits, scale, sign }, usize::from(digits) + separate(sign)))
            }
            Category::National | Category::Dbcs | Category::Utf8 if written => {
                Err(self.mismatch(picture, "DISPLAY"))
            }
            Category::National => Ok((self.national_text(), picture.positions * 2)),
            Category::Dbcs => Ok((self.dbcs_text(), picture.positions * 2)),
            Category::Utf8 => self.utf8(picture),
        }
    }

    fn edited(&self, picture: &Picture, national: bool) -> Kind {
        Kind::Edited(Edited {
            picture: picture.text.clone(),
            symbols: picture.symbols.clone(),
            numeric: matches!(picture.category, Category::NumericEdited | Category::Numeric { .. }),
            blank_when_zero: self.entry.blank_when_zero.is_some(),
            currency: picture.currency.clone(),
            decimal_comma: picture.decimal_comma,
            national,
        })
    }

    fn national_text(&self) -> Kind {
        Kind::National { justified: self.entry.justified.is_some() }
    }

    fn dbcs_text(&self) -> Kind {
        Kind::Dbcs { justified: self.entry.justified.is_some() }
    }

    fn dbcs(&self, picture: &Picture) -> Result<(Kind, usize), Problem> {
        match picture.category {
            Category::National | Category::Dbcs => Ok((self.dbcs_text(), picture.positions * 2)),
            _ => Err(self.mismatch(picture, "DISPLAY-1")),
        }
    }

    /// Text in UTF-8: four bytes for each character, or the number in BYTE-LENGTH.
    fn utf8(&self, picture: &Picture) -> Result<(Kind, usize), Problem> {
        match (picture.category, picture.byte_length) {
            (Category::Utf8, Some(bytes)) => Ok((Kind::Utf8 { characters: None }, bytes)),
            (Category::Utf8, None) => {
                Ok((Kind::Utf8 { characters: Some(picture.positions) }, picture.positions * 4))
            }
            _ => Err(self.mismatch(picture, "UTF-8")),
        }
    }

    /// Text, numbers and edited numbers in UTF-16.
    fn national(&self, picture: &Picture) -> Result<(Kind, usize), Problem> {
        match picture.category {
            Category::National => Ok((self.national_text(), picture.positions * 2)),
            Category::NumericEdited => Ok((self.edited(picture, true), picture.positions * 2)),
            Category::Numeric { signed: false, .. } if self.entry.blank_when_zero.is_some() => {
                Ok((self.edited(picture, true), picture.positions * 2))
            }
            Category::Numeric { digits, scale, signed } => {
                let sign = self.zoned_sign(signed);
                if signed && separate(sign) == 0 {
                    let message = "a signed number with USAGE NATIONAL needs SIGN SEPARATE".to_owned();
                    return Err(problem(codes::PICTURE_AND_USAGE, &self.entry.span, message));
                }
                let characters = usize::from(digits) + separate(sign);
                Ok((Kind::NationalNumber { digits, scale, sign }, characters * 2))
            }
            _ => Err(self.mismatch(picture, "NATIONAL")),
        }
    }

    fn computational(&self, picture: &Picture, usage: Usage) -> Result<(Kind, usize), Problem> {
        // For Micro Focus, X counts bytes. For IBM such a picture is an error.
        if let (Usage::Narrow | Usage::NativeNarrow | Usage::NativeBinary, Category::Text, 1..=8) =
            (usage, picture.category, picture.positions)
        {
            let bits = picture.positions as u8 * 8;
            // COMP-X has the highest byte first on every machine. It has the digits that its bytes can need.
            let native = usage != Usage::Narrow;
            let kind = Kind::Binary { digits: digits_within(bits), scale: 0, signed: false, native };
            return Ok((kind, picture.positions));
        }
        let Category::Numeric { digits, scale, signed } = picture.category else {
            return Err(self.mismatch(picture, usage.word()));
        };
        let packed_bytes = usize::from(digits / 2) + 1;
        match usage {
            Usage::Packed => Ok((Kind::Packed { digits, scale, signed }, packed_bytes)),
            // COMP-6 has no place for a sign. Compilers that have it store a signed one as COMP-3.
            Usage::PackedUnsigned if signed => Ok((Kind::Packed { digits, scale, signed }, packed_bytes)),
            Usage::PackedUnsigned => {
                Ok((Kind::PackedUnsigned { digits, scale }, usize::from(digits).div_ceil(2)))
            }
            _ if digits > MAX_BINARY_DIGITS => {
                let message =
                    format!("expected at most {MAX_BINARY_DIGITS} digits in a binary number, found {digits}");
                Err(problem(codes::TOO_MANY_DIGITS, &self.picture_span(), message))
            }
            _ => {
                let bytes = match (usage, digits) {
                    (Usage::Narrow | Usage::NativeNarrow, _) => narrow_bytes(digits, signed),
                    (_, 0..=4) => 2,
                    (_, 5..=9) => 4,
                    _ => 8,
                };
                let native = matches!(usage, Usage::NativeBinary | Usage::NativeNarrow);
                Ok((Kind::Binary { digits, scale, signed, native }, bytes))
            }
        }
    }

    fn zoned_sign(&self, signed: bool) -> Sign {
        let clause = self.entry.sign.as_ref().map(|sign| sign.value).or(self.inherited.sign);
        match clause {
            _ if !signed => Sign::None,
            Some(SignClause { leading: true, separate: true }) => Sign::LeadingSeparate,
            Some(SignClause { leading: true, separate: false }) => Sign::Leading,
            Some(SignClause { leading: false, separate: true }) => Sign::TrailingSeparate,
            _ => Sign::Trailing,
        }
    }

    /// Checks that the item of a SIGN clause has characters for the sign.
    fn check_sign(&self, picture: &Picture, usage: Option<Usage>) -> Result<(), Problem> {
        let Some(sign) = &self.entry.sign else { return Ok(()) };
        let characters = matches!(usage, None | Some(Usage::Display | Usage::National));
        if characters && matches!(picture.category, Category::Numeric { .. }) {
            return Ok(());
        }
        // The clause at fault may be some lines above. The error is placed at the clause that excludes SIGN.
        let clash = self.entry.usage.as_ref().filter(|_| !characters).map(|usage| &usage.span);
        let clash = clash
            .cloned()
            .unwrap_or_else(|| if characters { self.picture_span() } else { sign.span.clone() });
        let message = "SIGN applies to a number with USAGE DISPLAY only".to_owned();
        Err(problem(codes::CLAUSE_NOT_FOR_ITEM, &clash, message))
    }

    /// Warns of clauses that compilers ignore or refuse, and that do not change the layout.
    fn warn_of_idle_clauses(&self, kind: &Kind, report: &mut Report) {
        let entry = self.entry;
        let signed = entry
            .picture
            .as_ref()
            .is_some_and(|picture| matches!(picture.value.category, Category::Numeric { signed: true, .. }));
        if let Some(sign) = entry.sign.as_ref().filter(|_| !signed) {
            let message = "SIGN has no effect without an S in the PICTURE string";
            report.warning(codes::CLAUSE_NOT_FOR_ITEM, &sign.span, message);
        }
        let text = matches!(kind, Kind::Text { .. } | Kind::National { .. } | Kind::Dbcs { .. });
        if let Some(span) = entry.justified.as_ref().filter(|_| !text) {
            report.warning(
                codes::CLAUSE_NOT_FOR_ITEM,
                span,
                "JUSTIFIED has no effect on an item of this kind",
            );
        }
        let blank = entry.blank_when_zero.as_ref();
        if let Some(span) = blank.filter(|_| !matches!(kind, Kind::Edited(_))) {
            report.warning(
                codes::CLAUSE_NOT_FOR_ITEM,
                span,
                "BLANK WHEN ZERO has no effect on an item of this kind",
            );
        }
        if matches!(kind, Kind::Binary { .. })
            && self.usage() == Some(Usage::NativeBinary)
            && entry.picture.as_ref().is_some_and(|picture| picture.value.category == Category::Text)
        {
            let message = "the picture of X is taken as a number of bytes; IBM's compiler refuses it";
            report.warning(codes::PICTURE_AND_USAGE, &self.picture_span(), message);
        }
        if self.usage() == Some(Usage::PackedUnsigned) && signed {
            let message = "COMP-6 has no sign; the signed number is taken as COMP-3";
            report.warning(codes::PICTURE_AND_USAGE, &entry.span, message);
        }
    }

    fn is_synchronized(&self) -> bool {
        self.entry.synchronized.is_some() || self.inherited.synchronized
    }

    /// The boundary of a synchronized item: m of the language reference, "Slack bytes within records".
    fn align(&self, kind: &Kind, bytes: usize) -> usize {
        if !self.is_synchronized() {
            return 1;
        }
        match kind {
            // Micro Focus aligns these only with a directive.
            Kind::Binary { .. } if matches!(self.usage(), Some(Usage::Narrow | Usage::NativeNarrow)) => 1,
            Kind::Binary { .. } => bytes.min(4),
            Kind::Float => bytes,
            Kind::Pointer if self.usage() == Some(Usage::Index) => self.pointer_bytes.of_index(),
            Kind::Pointer if self.usage() == Some(Usage::Pointer32) => 4,
            Kind::Pointer => self.pointer_bytes.of_address(),
            _ => 1,
        }
    }

    fn mismatch(&self, picture: &Picture, usage: &str) -> Problem {
        let message = format!("PICTURE {} cannot have USAGE {usage}", picture.text);
        problem(codes::PICTURE_AND_USAGE, &self.picture_span(), message)
    }

    fn picture_span(&self) -> Range<usize> {
        self.entry.picture.as_ref().map_or(self.entry.span.clone(), |picture| picture.span.clone())
    }
}

/// The decimal digits that a binary number of `bits` bits can need.
fn digits_within(bits: u8) -> u8 {
    let greatest = (1_u128 << bits) - 1;
    greatest.ilog10() as u8 + 1
}

/// The fewest bytes that hold all numbers of `digits` digits.
fn narrow_bytes(digits: u8, signed: bool) -> usize {
    let greatest = 10_u128.pow(digits.into()) - 1;
    let bits = greatest.ilog2() as usize + 1 + usize::from(signed);
    bits.div_ceil(8)
}

fn separate(sign: Sign) -> usize {
    usize::from(matches!(sign, Sign::LeadingSeparate | Sign::TrailingSeparate))
}

fn problem(code: Code, span: &Range<usize>, message: String) -> Problem {
    Problem { code, span: span.clone(), message }
}
