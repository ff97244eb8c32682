//! How a copybook is seen: the code page, names, and the forms of values, from the command line.

use clap::{Args, ValueEnum};
use codepage::Encoding;
use copybook::{FieldId, Layout};
use record::{
    BadNumber, BinaryRange, Bind, ByteOrder, CENTURY_WINDOW_DEFAULT, DataTruncation, DateFormat,
    DuplicateFields, EditedValue, Filler, FloatForm, LowValueText, MissingRows, Naming, Nulls, Options,
    PaddedNumbers, Policies, Substitution, TableRoom, UnknownFields, UnmatchedViews, ViewRule,
};

use crate::{CopybookArgs, load, load_all};

/// A copybook and how JSON sees it.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) copybook: CopybookArgs,
    /// The code page of the text: a single-byte or mixed page, or 1208 for UTF-8.
    #[arg(long, default_value_t = 37)]
    ccsid: u16,
    /// The encoding of PIC N: 1200 (UTF-16, big-endian) or 1202.
    #[arg(long, default_value_t = 1200)]
    national_ccsid: u16,
    /// The encoding of PIC G; default: the double-byte part of a mixed code page.
    #[arg(long)]
    dbcs_ccsid: Option<u16>,
    /// How COBOL names become JSON names.
    #[arg(long, value_enum, default_value_t)]
    naming: NamingWord,
    /// The name of an object around the fields; default: none.
    #[arg(long)]
    wrapper: Option<String>,
    /// Also show fields without a name.
    #[arg(long)]
    filler: bool,
    /// Ignore JSON members that the copybook does not have.
    #[arg(long)]
    ignore_unknown: bool,
    /// Accept records that end early.
    #[arg(long)]
    accept_truncation: bool,
    /// COMP-5 and floating point are little-endian, as on x86.
    #[arg(long)]
    little_endian: bool,
    /// The format of COMP-1 and COMP-2; default: IBM's with EBCDIC, else IEEE.
    #[arg(long, value_enum)]
    float: Option<FloatWord>,
    /// The range of COMP, COMP-4 and BINARY: the digits of the picture (TRUNC(STD)), or everything that fits
    /// (TRUNC(BIN)).
    #[arg(long, value_enum, default_value_t)]
    binary_range: BinaryRangeWord,
    /// Show edited pictures as their numbers and texts.
    #[arg(long)]
    edited_values: bool,
    /// Tables with OCCURS DEPENDING ON always have their full size.
    #[arg(long)]
    full_tables: bool,
    /// Accept some bad data: invalid numbers become null (their count is printed), fewer rows and repeated fields are
    /// allowed, missing characters are replaced, and a record may have none of the views of --when.
    #[arg(long)]
    lenient: bool,
    /// A field with a date or time, and its picture: ORDER-DATE=YYYYMMDD.
    #[arg(long, value_name = "FIELD=PICTURE")]
    date: Vec<String>,
    /// Show a REDEFINES view in records whose field has one of the values: VIEW=FIELD:VALUE,VALUE. Other records show
    /// the first view.
    #[arg(long, value_name = "VIEW=FIELD:VALUE")]
    when: Vec<String>,
    /// A view of a REDEFINES to show in place of the first, or a FILLER.
    #[arg(long, value_name = "FIELD")]
    include: Vec<String>,
    /// A field to leave out.
    #[arg(long, value_name = "FIELD")]
    exclude: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum NamingWord {
    #[default]
    Ls2js,
    Ls2ws,
    Toolkit,
    Cobol,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum BinaryRangeWord {
    #[default]
    Picture,
    Bytes,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FloatWord {
    Ibm,
    Ieee,
}

/// A copybook, and how it is seen.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) layout: Layout,
    pub(crate) options: Options,
    pub(crate) bind: Bind,
}

impl View {
    pub(crate) fn new(args: &ViewArgs) -> Result<Self, String> {
        Self::of(args, load(&args.copybook)?)
    }

    /// All records of a copybook, or the one that is named. A fault of one of several records names the record.
    pub(crate) fn all(args: &ViewArgs) -> Result<Vec<Self>, String> {
        let layouts = load_all(&args.copybook)?;
        let several = layouts.len() > 1;
        let named = |layout: Layout| {
            let name = layout.name().to_owned();
            Self::of(args, layout)
                .map_err(|message| if several { format!("{name}: {message}") } else { message })
        };
        layouts.into_iter().map(named).collect()
    }

    fn of(args: &ViewArgs, layout: Layout) -> Result<Self, String> {
        let options = options(args, &layout)?;
        let bind = Bind::compile(&layout, &options).map_err(|errors| {
            let lines: Vec<String> =
                errors.iter().map(|error| format!("line {}: {error}", error.line)).collect();
            lines.join("\n")
        })?;
        Ok(Self { layout, options, bind })
    }
}

fn options(args: &ViewArgs, layout: &Layout) -> Result<Options, String> {
    let mut options = Options {
        national: encoding(args.national_ccsid)?,
        dbcs: args.dbcs_ccsid.map(encoding).transpose()?,
        naming: match args.naming {
            NamingWord::Ls2js => Naming::Ls2js,
            NamingWord::Ls2ws => Naming::Ls2ws,
            NamingWord::Toolkit => Naming::Toolkit,
            NamingWord::Cobol => Naming::Cobol,
        },
        wrapper: args.wrapper.clone().filter(|name| !name.is_empty()),
        filler: if args.filler { Filler::Expose } else { Filler::Hide },
        unknown_fields: if args.ignore_unknown { UnknownFields::Ignore } else { UnknownFields::Refuse },
        data_truncation: if args.accept_truncation { DataTruncation::Accept } else { DataTruncation::Refuse },
        native_order: if args.little_endian { ByteOrder::Little } else { ByteOrder::Big },
        float: args.float.map(|word| match word {
            FloatWord::Ibm => FloatForm::Ibm,
            FloatWord::Ieee => FloatForm::Ieee,
        }),
        binary_range: match args.binary_range {
            BinaryRangeWord::Picture => BinaryRange::Picture,
            BinaryRangeWord::Bytes => BinaryRange::Bytes,
        },
        edited: if args.edited_values { EditedValue::Value } else { EditedValue::Text },
        table_room: if args.full_tables { TableRoom::Full } else { TableRoom::Rows },
        ..Options::new(encoding(args.ccsid)?)
    };
    if args.lenient {
        make_lenient(&mut options);
    }
    for (names, included) in [(&args.include, true), (&args.exclude, false)] {
        for name in names {
            options.fields.entry(field(layout, name)?).or_default().included = Some(included);
        }
    }
    for text in &args.date {
        let (name, picture) = split(text, '=', "--date is FIELD=PICTURE")?;
        let format = DateFormat::parse(picture, CENTURY_WINDOW_DEFAULT)?;
        options.fields.entry(field(layout, name)?).or_default().format = Some(format.into());
    }
    for text in &args.when {
        let form = "--when is VIEW=FIELD:VALUE";
        let (view, rule) = split(text, '=', form)?;
        let (teller, values) = split(rule, ':', form)?;
        let rule = ViewRule {
            field: field(layout, teller)?,
            values: values.split(',').map(str::to_owned).collect(),
        };
        options.fields.entry(field(layout, view)?).or_default().when = Some(rule);
    }
    Ok(options)
}

fn make_lenient(options: &mut Options) {
    options.policies = Policies {
        low_value_text: LowValueText::Trim,
        unmappable: Substitution::Substitute,
        blank_numbers: BadNumber::Null,
        low_value_numbers: BadNumber::Null,
        padded_numbers: PaddedNumbers::Accept,
        bad_numbers: BadNumber::Null,
        nulls: Nulls::Initial,
        ..options.policies
    };
    options.duplicate_fields = DuplicateFields::Last;
    options.missing_rows = MissingRows::Initial;
    options.unmatched_views = UnmatchedViews::Omit;
    options.unknown_fields = UnknownFields::Ignore;
}

fn encoding(ccsid: u16) -> Result<Encoding, String> {
    Encoding::by_ccsid(ccsid).ok_or_else(|| format!("CCSID {ccsid} is not known"))
}

fn field(layout: &Layout, name: &str) -> Result<FieldId, String> {
    layout.resolve(name).map_err(|error| error.explain(name))
}

fn split<'a>(text: &'a str, at: char, form: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once(at).ok_or_else(|| format!("'{text}': {form}"))
}
