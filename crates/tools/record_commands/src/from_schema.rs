//! `gantry record copybook`: the copybook of a JSON Schema, or of a schema in an OpenAPI document.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use assistant::{
    Alternatives, BinaryData, CharVarying, DOCUMENT_BYTES_MAX, DateTime, Diagnostic, Enums, Floats, Integers,
    MappingLevel, Optional, Options, Severity, Side, Source, VaryingArrays,
};
use clap::{ArgGroup, Args, ValueEnum};

/// Which schema, and how it is laid out.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("document").required(true).args(["schema", "openapi"])))]
pub(crate) struct SchemaArgs {
    /// The file with a JSON Schema, draft-04 to 2020-12.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// The file with an OpenAPI 3 document, as JSON.
    #[arg(long, value_name = "FILE", requires = "place")]
    openapi: Option<PathBuf>,
    /// The name of a schema in the OpenAPI document.
    #[arg(long, value_name = "NAME", group = "place", conflicts_with = "schema")]
    component: Option<String>,
    /// The operationId whose request or response becomes the copybook.
    #[arg(long, value_name = "ID", group = "place", conflicts_with = "schema")]
    operation: Option<String>,
    /// Make the request; the default.
    #[arg(long, conflicts_with = "response")]
    request: bool,
    /// Make the response.
    #[arg(long)]
    response: bool,
    /// The status of the response; default: the first success status.
    #[arg(long, requires = "operation", requires = "response")]
    status: Option<String>,
    /// The name of the 01 level; default: the name of the component, operation or file.
    #[arg(long)]
    name: Option<String>,
    /// The output file; default standard output.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write the record's part of a service file, with the names of the schema. The file must not exist.
    #[arg(long, value_name = "FILE")]
    service: Option<PathBuf>,
    #[command(flatten)]
    choices: Choices,
}

/// The choices of the assistant; what is left out is as the rules say.
#[derive(Debug, Args)]
struct Choices {
    /// The rules: `assistant` (those of DFHJS2LS) or `gateway` (one record that Gantry converts itself) [default:
    /// gateway with --service, else assistant].
    #[arg(long, value_enum)]
    rules: Option<RulesWord>,
    /// MAPPING-LEVEL: 3.0 to 5.0 [default: 4.3].
    #[arg(long, value_name = "LEVEL")]
    mapping_level: Option<MappingLevel>,
    /// CHAR-VARYING: how text of varying length is laid out.
    #[arg(long, value_enum)]
    char_varying: Option<CharVaryingWord>,
    /// CHAR-VARYING-LIMIT: text of more characters goes into a container [default: 32767].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=32_767))]
    char_varying_limit: Option<u64>,
    /// DEFAULT-CHAR-MAXLENGTH: the characters of text without maxLength [default: 255].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=2_147_483_647))]
    default_char_maxlength: Option<u64>,
    /// How an array of varying length is laid out.
    #[arg(long, value_enum)]
    arrays: Option<ArraysWord>,
    /// INLINE-MAXOCCURS-LIMIT: longer arrays go into containers [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=32_767))]
    inline_maxoccurs_limit: Option<u64>,
    /// The rows of an array without maxItems.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    array_max: Option<u64>,
    /// Whether optional members have counters.
    #[arg(long, value_enum)]
    optional: Option<OptionalWord>,
    /// How whole numbers are laid out.
    #[arg(long, value_enum)]
    integers: Option<IntegersWord>,
    /// How numbers without decimal places or limits are laid out.
    #[arg(long, value_enum)]
    floats: Option<FloatsWord>,
    /// DEFAULT-FRACTION-DIGITS: the decimal places of decimal numbers without multipleOf [default: 2].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=17))]
    default_fraction_digits: Option<u8>,
    /// WIDE-COMP3: packed numbers of up to 31 digits.
    #[arg(long)]
    wide_comp3: bool,
    /// The COBOL for a list of values, in addition to a comment.
    #[arg(long, value_enum)]
    enums: Option<EnumsWord>,
    /// DATETIME: how a date with a time is laid out.
    #[arg(long, value_enum)]
    datetime: Option<DateTimeWord>,
    /// The content of a field for octets.
    #[arg(long, value_enum)]
    binary_data: Option<BinaryDataWord>,
    /// What to do with oneOf, anyOf and lists of types.
    #[arg(long, value_enum)]
    alternatives: Option<AlternativesWord>,
    /// MAPPING-OVERRIDES=UNDERSCORES-AS-HYPHENS.
    #[arg(long)]
    underscores_as_hyphens: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RulesWord {
    Assistant,
    Gateway,
}

/// A word of the command line for each value of a choice.
macro_rules! words {
    ($($word:ident for $choice:ident: $($value:ident)+;)+) => {$(
        #[derive(Clone, Copy, Debug, ValueEnum)]
        enum $word {
            $($value,)+
        }

        impl From<$word> for $choice {
            fn from(word: $word) -> Self {
                match word {
                    $($word::$value => $choice::$value,)+
                }
            }
        }
    )+};
}

words! {
    CharVaryingWord for CharVarying: No Collapse Null Yes;
    ArraysWord for VaryingArrays: Inline DependingOn Container;
    OptionalWord for Optional: Counter Plain;
    IntegersWord for Integers: Native Binary;
    FloatsWord for Floats: Float Packed;
    EnumsWord for Enums: Comments Conditions;
    DateTimeWord for DateTime: Text Packed15;
    BinaryDataWord for BinaryData: Octets Text;
    AlternativesWord for Alternatives: Refuse First;
}

/// Makes the copybook; the error is for standard error.
pub(crate) fn run(args: &SchemaArgs) -> Result<(), String> {
    if let Some(service) = args.service.as_ref().filter(|service| service.exists()) {
        return Err(format!("{} is there already", service.display()));
    }
    let path = args.schema.as_ref().or(args.openapi.as_ref()).ok_or("no schema is given")?;
    if crate::convert::same(Some(path), args.out.as_deref()) {
        return Err(format!("--out: {} is the schema; name another file", path.display()));
    }
    let text = read(path)?;
    let options = args.options(path);
    let copybook = assistant::from_json(&text, &args.source(), &options).map_err(|found| {
        show(path, &found);
        let errors = found.iter().filter(|finding| finding.severity == Severity::Error).count();
        format!("{} in the schema", terminal::count(errors, "error"))
    })?;
    show(path, &copybook.warnings);
    match &args.out {
        Some(out) => settings::replace(out, copybook.text.as_bytes(), settings::Readers::Usual)
            .map_err(|error| format!("{}: {error}", out.display()))?,
        None => crate::print(&copybook.text)?,
    }
    let Some(service) = &args.service else { return Ok(()) };
    let section = if args.response { "response" } else { "request" };
    let file = match args.out.as_deref().and_then(Path::file_name) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => format!("{}.cpy", options.name),
    };
    let text = assistant::service_fields(&copybook, section, &file, None);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(service)
        .and_then(|mut service| service.write_all(text.as_bytes()))
        .map_err(|error| format!("{}: {error}", service.display()))
}

/// The text of a file, up to the limit of the assistant.
fn read(path: &Path) -> Result<String, String> {
    let describe = |error: io::Error| format!("{}: {error}", path.display());
    let mut text = String::new();
    File::open(path)
        .map_err(describe)?
        .take(DOCUMENT_BYTES_MAX as u64 + 1)
        .read_to_string(&mut text)
        .map_err(describe)?;
    Ok(text)
}

fn show(path: &Path, found: &[Diagnostic]) {
    for finding in found {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        eprintln!("{severity}: {}:{finding}", path.display());
    }
}

impl SchemaArgs {
    fn source(&self) -> Source {
        match (&self.component, &self.operation) {
            (Some(name), _) => Source::Component(name.clone()),
            (None, Some(id)) => Source::Operation {
                id: id.clone(),
                side: if self.response { Side::Response } else { Side::Request },
                status: self.status.clone(),
            },
            (None, None) => Source::Schema,
        }
    }

    fn options(&self, path: &Path) -> Options {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let named = self.name.clone().or_else(|| {
            let own = self.component.as_ref().or(self.operation.as_ref());
            own.map(|name| name.to_uppercase())
        });
        let name = named.unwrap_or_else(|| stem.to_uppercase());
        let choices = &self.choices;
        let default = if self.service.is_some() { RulesWord::Gateway } else { RulesWord::Assistant };
        let rules = match choices.rules.unwrap_or(default) {
            RulesWord::Assistant => Options::assistant(&name),
            RulesWord::Gateway => Options::gateway(&name),
        };
        let part = match (&self.component, &self.operation) {
            (Some(name), _) => format!(", component {name}"),
            (None, Some(id)) => format!(", operation {id}"),
            (None, None) => String::new(),
        };
        Options { origin: format!("{file}{part}"), ..choices.over(rules) }
    }
}

impl Choices {
    /// The rules with what was chosen otherwise.
    fn over(&self, rules: Options) -> Options {
        Options {
            mapping_level: self.mapping_level.unwrap_or(rules.mapping_level),
            char_varying: self.char_varying.map_or(rules.char_varying, Into::into),
            char_varying_max: self.char_varying_limit.unwrap_or(rules.char_varying_max),
            default_char_max: self.default_char_maxlength.unwrap_or(rules.default_char_max),
            varying_arrays: self.arrays.map_or(rules.varying_arrays, Into::into),
            inline_max_occurs: self.inline_maxoccurs_limit.unwrap_or(rules.inline_max_occurs),
            default_array_max: self.array_max.or(rules.default_array_max),
            optional: self.optional.map_or(rules.optional, Into::into),
            integers: self.integers.map_or(rules.integers, Into::into),
            floats: self.floats.map_or(rules.floats, Into::into),
            default_fraction_digits: self.default_fraction_digits.unwrap_or(rules.default_fraction_digits),
            wide_comp3: self.wide_comp3 || rules.wide_comp3,
            enums: self.enums.map_or(rules.enums, Into::into),
            datetime: self.datetime.map_or(rules.datetime, Into::into),
            binary_data: self.binary_data.map_or(rules.binary_data, Into::into),
            alternatives: self.alternatives.map_or(rules.alternatives, Into::into),
            underscores_as_hyphens: self.underscores_as_hyphens || rules.underscores_as_hyphens,
            ..rules
        }
    }
}
