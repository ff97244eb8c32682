//! The faults of the keys and values of a TOML file, all at once and in plain words.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::de::{DeString, DeTable, DeValue, Error};
use toml::{Deserializer, Spanned};

/// The most faults of the keys and values of one file.
const FAULTS_MAX: usize = 100;

/// One fault of the keys and values of a file.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) span: Option<Range<usize>>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Fault {
    pub(crate) fn of(error: &Error) -> Self {
        let message = error.message().lines().next().unwrap_or_default();
        Self { span: error.span(), message: plain_words(message), help: nearest_key(message) }
    }
}

/// A value that was taken out because of a fault.
struct Taken {
    key: String,
    /// The known key that is near to the unknown one.
    meant: Option<String>,
    /// The table around it.
    around: Range<usize>,
}

/// An unknown key that is near to a known one.
struct Misspelled {
    /// Its place.
    place: Range<usize>,
    /// The known key.
    meant: String,
    fault: Fault,
}

/// A table with faults.
#[derive(Debug)]
pub(crate) struct Faulty<T> {
    /// All faults of its keys and values, in the order of the file.
    pub(crate) faults: Vec<Fault>,
    /// The table without its faulty keys and values; none if the rest cannot be read either.
    pub(crate) rest: Option<T>,
}

/// Reads a table, or finds all its faults. An unknown key that is near to a known one counts as that key, so
/// that references to it are not further faults.
pub(crate) fn read<T: DeserializeOwned>(root: Spanned<DeTable<'_>>) -> Result<T, Faulty<T>> {
    let error = match T::deserialize(Deserializer::from(root.clone())) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut misspelled: Vec<Misspelled> = Vec::new();
    loop {
        let mut mended = root.clone();
        let spans: Vec<Range<usize>> =
            misspelled.iter().filter_map(|one| rename(mended.get_mut(), one)).collect();
        // These places are those of this attempt. The place of a misspelled key may come later.
        let error = match misspelled.is_empty() {
            true => error.clone(),
            false => match T::deserialize(Deserializer::from(mended.clone())) {
                Ok(rest) => return Err(whole(Vec::new(), misspelled, Some(rest))),
                Err(error) => error,
            },
        };
        match rest_of(mended, error, &spans, &misspelled) {
            Err(one) => misspelled.push(one),
            Ok(Faulty { faults, rest }) => return Err(whole(faults, misspelled, rest)),
        }
    }
}

fn whole<T>(mut faults: Vec<Fault>, misspelled: Vec<Misspelled>, rest: Option<T>) -> Faulty<T> {
    faults.extend(misspelled.into_iter().map(|one| one.fault));
    Faulty { faults: in_order(faults), rest }
}

/// Takes the key or value of each fault out, and reads the rest again; or finds a misspelled key. `renamed`
/// has the values whose keys have got other names.
fn rest_of<T: DeserializeOwned>(
    mut root: Spanned<DeTable<'_>>,
    mut error: Error,
    renamed: &[Range<usize>],
    known: &[Misspelled],
) -> Result<Faulty<T>, Misspelled> {
    let (mut faults, mut taken) = (Vec::new(), Vec::new());
    loop {
        let meant = nearest(error.message()).map(str::to_owned);
        // A value that could not get its new name is taken out.
        let is_new = |place: &Range<usize>| !known.iter().any(|one| one.place == *place);
        if let (Some(meant), Some(place)) = (&meant, error.span().filter(is_new))
            && error.message().starts_with("unknown field")
            && known.len() < FAULTS_MAX
        {
            return Err(Misspelled { place, meant: meant.clone(), fault: Fault::of(&error) });
        }
        // If the reader refuses a value under a name that we have given, this is not a fault of the file.
        let is_of_name = error.message().starts_with("invalid ")
            && error.span().is_some_and(|span| renamed.contains(&span));
        let is_told = error.span().is_some_and(|place| !is_new(&place));
        if !is_of_name && !is_told && !follows(&error, &taken) {
            faults.push(Fault::of(&error));
        }
        let around = root.span();
        let found = error.span().and_then(|span| take(root.get_mut(), &around, &span));
        match found {
            Some(found) if faults.len() < FAULTS_MAX => taken.push(Taken { meant, ..found }),
            _ => return Ok(Faulty { faults, rest: None }),
        }
        error = match T::deserialize(Deserializer::from(root.clone())) {
            Ok(rest) => return Ok(Faulty { faults, rest: Some(rest) }),
            Err(error) => error,
        };
    }
}

/// The faults in the order of the file.
fn in_order(mut faults: Vec<Fault>) -> Vec<Fault> {
    faults.sort_by_key(|fault| fault.span.as_ref().map_or(0, |span| span.start));
    faults
}

/// True if a value is missing only because it was taken out or renamed.
fn follows(error: &Error, taken: &[Taken]) -> bool {
    let missing = error.message().strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    missing.is_some_and(|key| {
        let is_it = |taken: &Taken| taken.key == key || taken.meant.as_deref() == Some(key);
        taken.iter().any(|taken| is_it(taken) && error.span().is_none_or(|span| span == taken.around))
    })
}

/// Gives a misspelled key the name that was meant. Returns the place of its value, if it is there now.
fn rename(table: &mut DeTable<'_>, misspelled: &Misspelled) -> Option<Range<usize>> {
    let named = table.iter().find(|(key, _)| key.span() == misspelled.place).map(|(key, _)| key.clone());
    if let Some(key) = named {
        let value = table.remove(key.get_ref().as_ref())?;
        let span = value.span();
        let key = Spanned::new(key.span(), misspelled.meant.clone().into());
        return is_put(table, key, value).then_some(span);
    }
    table.iter_mut().find_map(|(_, value)| rename_within(value.get_mut(), misspelled))
}

fn rename_within(value: &mut DeValue<'_>, misspelled: &Misspelled) -> Option<Range<usize>> {
    match value {
        DeValue::Table(table) => rename(table, misspelled),
        DeValue::Array(items) => items.iter_mut().find_map(|item| rename_within(item.get_mut(), misspelled)),
        _ => None,
    }
}

/// Takes the innermost key or value around a place out of a table.
fn take(table: &mut DeTable<'_>, around: &Range<usize>, place: &Range<usize>) -> Option<Taken> {
    // The header of a table in a list belongs to the table, too.
    let named = table.iter().find(|(key, _)| key.span() == *place).map(|(key, _)| key.clone());
    if named.is_none() {
        for (_, value) in table.iter_mut() {
            let span = value.span();
            if let Some(taken) = take_within(value.get_mut(), &span, place) {
                return Some(taken);
            }
        }
    }
    let is_it = |(key, value): &(&Spanned<_>, &Spanned<DeValue<'_>>)| {
        covers(&key.span(), place) || covers(&value.span(), place)
    };
    let found = named.or_else(|| table.iter().find(is_it).map(|(key, _)| key.clone()))?;
    let key = found.get_ref().to_string();
    table.remove(key.as_str());
    Some(Taken { key, meant: None, around: around.clone() })
}

/// Puts a value under another key, or adds it to the tables or the list there; false if it cannot be there.
fn is_put<'i>(table: &mut DeTable<'i>, key: Spanned<DeString<'i>>, value: Spanned<DeValue<'i>>) -> bool {
    let Some(known) = table.get_mut(key.get_ref().as_ref()) else {
        table.insert(key, value);
        return true;
    };
    match (known.get_mut(), value.into_inner()) {
        (DeValue::Array(known), DeValue::Array(more)) => {
            let all = known.iter().cloned().chain(more);
            *known = all.collect();
            true
        }
        (DeValue::Table(known), DeValue::Table(more)) => {
            for (key, value) in more {
                if !known.contains_key(key.get_ref().as_ref()) {
                    known.insert(key, value);
                }
            }
            true
        }
        _ => false,
    }
}

fn take_within(value: &mut DeValue<'_>, around: &Range<usize>, place: &Range<usize>) -> Option<Taken> {
    match value {
        DeValue::Table(table) => take(table, around, place),
        DeValue::Array(items) => {
            for item in items.iter_mut() {
                let span = item.span();
                if let Some(taken) = take_within(item.get_mut(), &span, place) {
                    return Some(taken);
                }
            }
            let position = items.iter().position(|item| covers(&item.span(), place))?;
            let kept = items.iter().enumerate().filter(|(index, _)| *index != position);
            *items = kept.map(|(_, item)| item.clone()).collect();
            Some(Taken { key: String::new(), meant: None, around: around.clone() })
        }
        _ => None,
    }
}

fn covers(span: &Range<usize>, place: &Range<usize>) -> bool {
    span.start <= place.start && place.end <= span.end
}

/// The message of the TOML reader in words for people who write configurations.
#[must_use]
pub fn plain_words(message: &str) -> String {
    words(message, "a list, found a table; the name of a table in a list has double brackets, [[NAME]]")
}

/// The same, with these words for an expected list.
fn words(message: &str, expected_list: &str) -> String {
    if let Some(rest) = message.strip_prefix("unknown field ").or(message.strip_prefix("unknown variant ")) {
        let (found, expected) = rest.split_once(", ").unwrap_or((rest, ""));
        let found = quoted(found);
        return match expected {
            "" => format!("{found} is not known here"),
            expected if expected.starts_with("expected") => {
                let place = place_of_addresses(&found, expected).unwrap_or_default();
                format!("{found} is not known here: {}{place}", quoted(expected))
            }
            _ => format!("{found} is not known here: nothing is expected"),
        };
    }
    if let Some((key, rest)) = message.strip_prefix("missing field `").and_then(|rest| rest.split_once('`')) {
        return format!("'{key}' is missing{rest}");
    }
    if message == "wanted string or table" {
        return "expected a word".to_owned();
    }
    if let Some(key) = message.strip_prefix("duplicate field ") {
        return format!("{} stands there twice", quoted(key));
    }
    let invalid = ["invalid type: ", "invalid value: ", "invalid length "];
    let rest = invalid.iter().find_map(|start| message.strip_prefix(start));
    match rest.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some(("map", "a sequence")) => format!("expected {expected_list}"),
        Some((found, expected)) => {
            format!("expected {}, found {}", shown_expected(expected), shown_found(found))
        }
        None => message.to_owned(),
    }
}

/// Newcomers look for the address of the gateway at the top of the file, or in `[server]`.
fn place_of_addresses(found: &str, expected: &str) -> Option<&'static str> {
    let is_address = matches!(found, "'address'" | "'listen'" | "'bind'" | "'port'" | "'host'");
    let is_outside = expected.contains("`listener`") || expected.contains("`trusted_proxies`");
    (is_address && is_outside)
        .then_some("; the gateway's addresses are in [[listener]]: address = \"127.0.0.1:2222\"")
}

/// The message of a JSON reader in words for people, with the known key that is near to an unknown one.
#[must_use]
pub fn explained(message: &str) -> String {
    let help = nearest_key(message).map(|help| format!("; {help}")).unwrap_or_default();
    words(message, "a list, found an object") + &help
}

fn quoted(text: &str) -> String {
    text.replace('`', "'")
}

/// The expected value, without the words of Rust.
fn shown_expected(expected: &str) -> String {
    let expected = expected.strip_prefix("expected ").unwrap_or(expected);
    let numbers = match expected {
        "u8" => Some(format!("from 0 to {}", u8::MAX)),
        "u16" => Some(format!("from 0 to {}", u16::MAX)),
        "u32" => Some(format!("from 0 to {}", u32::MAX)),
        "u64" | "usize" => Some("from 0".to_owned()),
        "i8" => Some(format!("from {} to {}", i8::MIN, i8::MAX)),
        "i16" => Some(format!("from {} to {}", i16::MIN, i16::MAX)),
        "i32" => Some(format!("from {} to {}", i32::MIN, i32::MAX)),
        _ => None,
    };
    if let Some(numbers) = numbers {
        return format!("a whole number {numbers}");
    }
    match expected {
        "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a string" | "path string" | "a character" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" | "map" => "a table".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("enum ") => "a word".to_owned(),
        _ => quoted(expected),
    }
}

/// The found value, without the words of Rust.
fn shown_found(found: &str) -> String {
    for kind in ["integer ", "floating point "] {
        if let Some(number) = found.strip_prefix(kind) {
            return format!("the number {}", number.trim_matches('`'));
        }
    }
    if let Some(word) = found.strip_prefix("boolean ") {
        return word.trim_matches('`').to_owned();
    }
    if let Some(text) = found.strip_prefix("string ") {
        return format!("the text {text}");
    }
    match found {
        "map" => "a table".to_owned(),
        "sequence" => "a list".to_owned(),
        _ => quoted(found),
    }
}

/// The known key that was probably meant: the nearest one in a message that lists the known keys.
fn nearest_key(message: &str) -> Option<String> {
    nearest(message).map(|known| format!("did you mean '{known}'?"))
}

fn nearest(message: &str) -> Option<&str> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let found = quoted
        .next()
        .filter(|_| message.starts_with("unknown field") || message.starts_with("unknown variant"))?;
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    let distance = |known: &str| match plain(known) == plain(found) {
        true => 0,
        false => copybook::edit_distance(known, found),
    };
    let near =
        quoted.map(|known| (distance(known), known)).filter(|(distance, _)| *distance <= 1 + found.len() / 4);
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct File {
        limits: Limits,
        listener: Vec<Listener>,
        words: Vec<Word>,
        path: Option<PathBuf>,
        rate: f64,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Limits {
        depth_max: u16,
        depth_min: u16,
        is_on: bool,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Listener {
        address: String,
        #[serde(default)]
        hosts: Vec<String>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Get,
        Put,
    }

    fn faults(text: &str) -> Vec<(usize, String)> {
        let root = DeTable::parse(text).expect("TOML");
        let faults = read::<File>(root).expect_err("faults").faults;
        let line = |fault: &Fault| crate::line_at(text, fault.span.clone().unwrap_or_default().start);
        faults.iter().map(|fault| (line(fault), fault.message.clone())).collect()
    }

    #[test]
    fn an_address_in_a_wrong_place_leads_to_the_listeners() {
        let found = faults("port = 80\n[limits]\nport = 80\n");
        assert!(
            found[0]
                .1
                .ends_with("; the gateway's addresses are in [[listener]]: address = \"127.0.0.1:2222\"")
        );
        assert!(!found[1].1.contains("[[listener]]"), "{found:?}");
    }

    #[test]
    fn all_faults_of_a_file_are_told() {
        let text = "rate = \"x\"\nwords = [\"get\", \"got\", \"put\", 5]\nunknown = 1\npath = 7\n\
                    [limits]\ndepth_max = -1\nis_on = 1\nother = 2\n\
                    [[listener]]\naddress = 5\n[[listener]]\nhosts = \"a\"\n[[listener]]\naddress = \"a\"\nhost = [\"b\"]\n";
        let found = faults(text);
        let told: Vec<(usize, &str)> =
            found.iter().map(|(line, message)| (*line, message.as_str())).collect();
        assert_eq!(
            told,
            [
                (1, "expected a number, found the text \"x\""),
                (2, "'got' is not known here: expected 'get' or 'put'"),
                (2, "expected a word"),
                (
                    3,
                    "'unknown' is not known here: expected one of 'limits', 'listener', 'words', 'path', 'rate'"
                ),
                (4, "expected a text, found the number 7"),
                (6, "expected a whole number from 0 to 65535, found the number -1"),
                (7, "expected true or false, found the number 1"),
                (8, "'other' is not known here: expected one of 'depth_max', 'depth_min', 'is_on'"),
                (10, "expected a text, found the number 5"),
                (11, "'address' is missing"),
                (12, "expected a list, found the text \"a\""),
                (15, "'host' is not known here: expected 'address' or 'hosts'"),
            ]
        );
    }

    #[test]
    fn a_table_in_the_place_of_a_value_and_the_other_way_round() {
        assert_eq!(faults("limits = 5\n"), [(1, "expected a table, found the number 5".to_owned())]);
        assert_eq!(faults("listener = 5\n[path]\na = 1\n").len(), 2);
        assert_eq!(faults("rate = true\n"), [(1, "expected a number, found true".to_owned())]);
    }

    #[test]
    fn a_key_with_a_wrong_name_is_one_fault() {
        let found = faults("[[listener]]\nadress = \"a\"\n[[listener]]\nother = 1\n");
        let told: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!(told.iter().filter(|told| told.contains("'address' is missing")).count(), 1, "{told:?}");
    }

    #[test]
    fn a_key_that_is_near_to_a_known_one_counts_as_that() {
        let read = |text: &str| read::<File>(DeTable::parse(text).expect("TOML")).expect_err("faults");
        let text = "[[listner]]\naddress = \"a\"\n[[listener]]\naddress = \"b\"\n[limts]\ndept_max = 7\nis_on = true\n[limits]\ndepth_min = 3\n";
        let found = read(text);
        assert_eq!(found.faults.len(), 3, "{:?}", found.faults);
        let rest = found.rest.expect("the rest");
        let addresses: Vec<&str> = rest.listener.iter().map(|listener| listener.address.as_str()).collect();
        assert_eq!(addresses, ["b", "a"]);
        let Limits { depth_max, depth_min, is_on } = rest.limits;
        assert_eq!((depth_max, depth_min, is_on), (7, 3, true));
        // A fault of the guess is not a further fault, and existing values stay.
        let found = read("rat = \"x\"\n");
        assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
        assert!(found.rest.is_some());
        let found = read("rat = 1.5\nrate = 2.5\n");
        assert!((found.faults.len(), found.rest.expect("the rest").rate) == (1, 2.5));
        let found = read("[[other]]\na = 1\n[[other]]\nb = 1\n");
        assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
        // The table exists because of the tables below it, but lacks the values under the other name.
        let found = read("[[limits.depth]]\n[limts]\ndepth_max = 7\n");
        assert_eq!(found.rest.expect("the rest").limits.depth_max, 7);
        // A fault inside is a fault of its own.
        let found = read("[[listner]]\naddress = 5\n");
        assert_eq!(found.faults.len(), 2, "{:?}", found.faults);
    }

    #[test]
    fn what_a_reader_adds_to_a_message_stays() {
        let said = plain_words("missing field `namespace`: that of the elements");
        assert_eq!(said, "'namespace' is missing: that of the elements");
        assert_eq!(
            plain_words("unknown field `a`, there are no fields"),
            "'a' is not known here: nothing is expected"
        );
        assert_eq!(plain_words("the copybook is gone"), "the copybook is gone");
        let said = explained("unknown field `deph_max`, expected `name` or `depth_max` at line 1 column 9");
        assert_eq!(
            said,
            "'deph_max' is not known here: expected 'name' or 'depth_max' at line 1 column 9; did you mean 'depth_max'?"
        );
    }

    #[test]
    fn the_nearest_known_key_is_proposed() {
        let root = DeTable::parse("[limits]\ndeph_max = 1\n").expect("TOML");
        let faults = read::<File>(root).expect_err("a fault").faults;
        assert_eq!(faults[0].help.as_deref(), Some("did you mean 'depth_max'?"));
    }

    #[test]
    fn there_is_an_end_to_the_faults_of_a_file() {
        let text: String = (0..300).map(|number| format!("k{number} = 1\n")).collect();
        assert_eq!(faults(&text).len(), FAULTS_MAX);
    }
}
