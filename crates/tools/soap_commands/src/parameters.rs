//! Parameters of the assistants: by flags, by a file of `NAME=value` lines, or as such lines in a job.
//!
//! Each assistant has a table of its parameters. A flag has the parameter's name in lower case: `--mapping-level 3.0` is
//! `MAPPING-LEVEL=3.0`. A flag counts more than a line.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use codepage::CodePage;

use crate::jcl;
use settings::copybooks::SOURCE_CCSID;

/// The most bytes of a file of parameters.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The code page of files in EBCDIC, that of z/OS UNIX, and two of its characters.
const EBCDIC_CCSID: u16 = 1047;
const EBCDIC_BLANK: u8 = 0x40;
const EBCDIC_EQUALS: u8 = 0x7E;

/// The use of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    /// It counts.
    Taken,
    /// It changes nothing here, for this reason.
    Ignored(&'static str),
    /// It asks for what cannot be had, for this reason.
    Refused(&'static str),
    /// So it does, unless it has this value, which asks for nothing.
    RefusedUnless(&'static str, &'static str),
}

/// A parameter of an assistant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// Its use, or why it does not count.
    pub(crate) r#use: Use,
    pub(crate) help: &'static str,
}

impl Parameter {
    pub(crate) const fn taken(name: &'static str, help: &'static str) -> Self {
        Self { name, r#use: Use::Taken, help }
    }

    pub(crate) const fn ignored(name: &'static str, why: &'static str) -> Self {
        Self { name, r#use: Use::Ignored(why), help: "" }
    }

    pub(crate) const fn refused(name: &'static str, why: &'static str) -> Self {
        Self { name, r#use: Use::Refused(why), help: "" }
    }

    pub(crate) const fn refused_unless(name: &'static str, value: &'static str, why: &'static str) -> Self {
        Self { name, r#use: Use::RefusedUnless(value, why), help: "" }
    }
}

/// An assistant.
pub(crate) trait Tool {
    /// The procedure of its job.
    const PROCEDURE: &'static str;
    /// Its parameters.
    const PARAMETERS: &'static [Parameter];
}

/// The arguments of an assistant: a flag for each parameter that counts, and a file.
#[derive(Debug)]
pub(crate) struct ToolArgs<T> {
    given: Vec<(&'static str, String)>,
    file: Option<PathBuf>,
    step: Option<String>,
    tool: PhantomData<T>,
}

impl<T: Tool> Args for ToolArgs<T> {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("parameters")
            .long("parameters")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("A file of NAME=value lines, or a job that has them as SYSUT1. Flags count more");
        let step = Arg::new("step")
            .long("step")
            .value_name("STEP")
            .requires("parameters")
            .help("The step of the job, if several fit: its name, or its number among them");
        let taken = T::PARAMETERS.iter().filter(|parameter| matches!(parameter.r#use, Use::Taken));
        let flags = taken.map(|parameter| {
            // The command line is made once, and lives as long as the process.
            let long: &'static str = parameter.name.to_ascii_lowercase().leak();
            Arg::new(parameter.name).long(long).value_name("VALUE").help(parameter.help)
        });
        command.arg(file).arg(step).args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Tool> FromArgMatches for ToolArgs<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let taken = T::PARAMETERS.iter().filter(|parameter| matches!(parameter.r#use, Use::Taken));
        let given = taken.filter_map(|parameter| {
            Some((parameter.name, matches.get_one::<String>(parameter.name)?.clone()))
        });
        Ok(Self {
            given: given.collect(),
            file: matches.get_one::<PathBuf>("parameters").cloned(),
            step: matches.get_one::<String>("step").cloned(),
            tool: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<T: Tool> ToolArgs<T> {
    /// The file of parameters, if there is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The parameters that count, and warnings about the others.
    ///
    /// # Errors
    /// All that is wrong with the file and with the names.
    pub(crate) fn parameters(&self) -> Result<Parameters, Vec<String>> {
        let mut lines = Vec::new();
        if let Some(path) = &self.file {
            let text = read(path).map_err(|message| vec![format!("{}: {message}", path.display())])?;
            let shown = path.display().to_string();
            lines = jcl::lines(&text, T::PROCEDURE, self.step.as_deref())
                .map_err(|message| vec![format!("{shown}: {message}")])?
                .into_iter()
                .map(|(number, line)| (format!("{shown}, line {number}"), line))
                .collect();
        }
        let mut parameters = Parameters::from_lines::<T>(lines)?;
        for (name, value) in &self.given {
            let place = format!("--{}", name.to_ascii_lowercase());
            parameters.values.insert(name, Value { text: value.trim().to_owned(), place });
        }
        Ok(parameters)
    }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if bytes > FILE_BYTES_MAX {
        return Err(format!("expected at most {FILE_BYTES_MAX} bytes, found {bytes}"));
    }
    Ok(decoded(std::fs::read(path).map_err(|error| error.to_string())?))
}

/// The text of a file: UTF-8, or EBCDIC if it has more blanks of that than of ASCII, or else the code page of
/// other sources. Comments may have letters of many languages; the names and signs of parameters are alike in all pages of
/// EBCDIC.
fn decoded(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let count = |wanted: u8| bytes.iter().filter(|byte| **byte == wanted).count();
    let is_ebcdic = count(EBCDIC_BLANK) + count(EBCDIC_EQUALS) > count(b' ') + count(b'=');
    let ccsid = if is_ebcdic { EBCDIC_CCSID } else { SOURCE_CCSID };
    match CodePage::by_ccsid(ccsid) {
        Some(page) => settings::source_text(bytes, page),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) text: String,
    /// Where it was given.
    pub(crate) place: String,
}

/// Parameters by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    values: BTreeMap<&'static str, Value>,
    pub(crate) warnings: Vec<String>,
}

impl Parameters {
    /// Reads lines with their places.
    ///
    /// # Errors
    /// All lines that are wrong.
    pub(crate) fn from_lines<T: Tool>(lines: Vec<(String, String)>) -> Result<Self, Vec<String>> {
        let (mut parameters, mut errors) = (Self::default(), Vec::new());
        for (place, line) in lines {
            let Some((name, text)) = line.split_once('=') else {
                errors.push(format!("{place}: expected NAME=value, found '{line}'"));
                continue;
            };
            let (name, text) = (name.trim().to_ascii_uppercase(), text.trim().to_owned());
            match T::PARAMETERS.iter().find(|parameter| parameter.name == name) {
                None => errors.push(format!("{place}: {}", unknown::<T>(&name))),
                Some(Parameter { r#use: Use::RefusedUnless(value, _), .. })
                    if text.is_empty() || text.eq_ignore_ascii_case(value) => {}
                Some(Parameter { r#use: Use::RefusedUnless(value, why), .. }) => {
                    errors.push(format!("{place}: {name}: expected {value}, found '{text}': {why}"));
                }
                Some(Parameter { r#use: Use::Refused(why), .. }) => {
                    errors.push(format!("{place}: {name} does not apply: {why}"));
                }
                Some(Parameter { r#use: Use::Ignored(why), .. }) => {
                    parameters.warnings.push(format!("{place}: {name} changes nothing: {why}"));
                }
                // A parameter without a value is as if it were not there.
                Some(_) if text.is_empty() => {}
                Some(known) => {
                    if let Some(first) = parameters.values.get(known.name) {
                        errors.push(format!("{place}: {name} is given twice; first at {}", first.place));
                    } else {
                        parameters.values.insert(known.name, Value { text, place });
                    }
                }
            }
        }
        if errors.is_empty() { Ok(parameters) } else { Err(errors) }
    }

    /// A parameter, if it is given. The name must be in the assistant's table.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Its text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(|value| value.text.as_str())
    }
}

fn unknown<T: Tool>(name: &str) -> String {
    let nearest = T::PARAMETERS
        .iter()
        .map(|parameter| (copybook::edit_distance(name, parameter.name), parameter.name))
        .filter(|(distance, _)| *distance <= 3)
        .min();
    match nearest {
        Some((_, nearest)) => format!("there is no parameter {name}; did you mean {nearest}?"),
        None => format!("there is no parameter {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Test;

    impl Tool for Test {
        const PROCEDURE: &'static str = "DFHTEST";
        const PARAMETERS: &'static [Parameter] = &[
            Parameter::taken("PGMNAME", ""),
            Parameter::taken("MAPPING-LEVEL", ""),
            Parameter::ignored("HTTPPROXY", "nothing is downloaded"),
            Parameter::refused("STRUCTURE", "it is for C"),
            Parameter::refused_unless("SYNCONRETURN", "NO", "the unit of work ends later"),
        ];
    }

    fn read(text: &str) -> Result<Parameters, Vec<String>> {
        let lines = jcl::lines(text, Test::PROCEDURE, None).expect("lines");
        let placed = lines.into_iter().map(|(number, line)| (format!("line {number}"), line));
        Parameters::from_lines::<Test>(placed.collect())
    }

    #[test]
    fn lines_are_parameters() {
        let found =
            read("# a comment\n PGMNAME=ABC\nmapping-level = 3.0 \n\nHTTPPROXY=A:80\n").expect("parameters");
        assert_eq!((found.text("PGMNAME"), found.text("MAPPING-LEVEL")), (Some("ABC"), Some("3.0")));
        assert_eq!(found.warnings, ["line 5: HTTPPROXY changes nothing: nothing is downloaded"]);
    }

    #[test]
    fn values_that_ask_for_nothing_are_taken() {
        let found = read("PGMNAME=ABC\nSYNCONRETURN=No\n").expect("parameters");
        assert_eq!((found.text("SYNCONRETURN"), found.warnings.len()), (None, 0));
        let refused = read("SYNCONRETURN=YES\n").expect_err("it asks for something");
        assert_eq!(refused, ["line 1: SYNCONRETURN: expected NO, found 'YES': the unit of work ends later"]);
    }

    #[test]
    fn files_may_be_in_ebcdic_or_have_letters_of_a_code_page() {
        let lines = ["# n\u{e3}o", "PGMNAME=ABC", "MAPPING-LEVEL=3.0"];
        let latin: Vec<u8> = lines.join("\n").chars().map(|letter| letter as u8).collect();
        assert_eq!(decoded(latin), lines.join("\n"));
        let page = CodePage::by_ccsid(EBCDIC_CCSID).expect("a page");
        let (mut with_ends, mut cards) = (Vec::new(), Vec::new());
        for line in lines {
            page.encode(line, &mut with_ends).expect("characters of the page");
            with_ends.push(0x15);
            page.encode(&format!("{line:80}"), &mut cards).expect("characters of the page");
        }
        for bytes in [with_ends, cards] {
            let found = read(&decoded(bytes)).expect("parameters");
            assert_eq!((found.text("PGMNAME"), found.text("MAPPING-LEVEL")), (Some("ABC"), Some("3.0")));
        }
    }

    #[test]
    fn all_wrong_lines_are_told() {
        let errors = read("PGMNAM=A\nSTRUCTURE=(A,B)\nPGMNAME=A\nPGMNAME=B\nhello\nXYZZYXYZZY=1\n")
            .expect_err("errors");
        assert_eq!(
            errors,
            [
                "line 1: there is no parameter PGMNAM; did you mean PGMNAME?",
                "line 2: STRUCTURE does not apply: it is for C",
                "line 4: PGMNAME is given twice; first at line 3",
                "line 5: expected NAME=value, found 'hello'",
                "line 6: there is no parameter XYZZYXYZZY",
            ]
        );
    }
}
