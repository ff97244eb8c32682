//! A generated record: entries with their clauses and what values they take, and its copybook text.

use super::text::wrap;

/// A record of the test, number `id` of its run.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) id: usize,
    pub(crate) entries: Vec<Entry>,
    /// DECIMAL-POINT IS COMMA.
    pub(crate) comma: bool,
    /// The CURRENCY SIGN clause.
    pub(crate) currency: Option<Currency>,
    /// Tables of varying length are there: every field is given a value.
    pub(crate) varying: bool,
    /// Pointers of 8 bytes, which are libcob's; INDEX items have 4 bytes there, as pointers of 4 have.
    pub(crate) wide_pointers: bool,
}

/// A currency sign other than `$`.
#[derive(Clone, Copy)]
pub(crate) struct Currency {
    pub(crate) sign: &'static str,
    pub(crate) symbol: Option<&'static str>,
}

/// One data description entry and those below it.
#[derive(Clone)]
pub(crate) struct Entry {
    /// None for FILLER.
    pub(crate) name: Option<String>,
    /// All clauses but OCCURS and REDEFINES, one a word of the list so that lines break between them.
    pub(crate) clauses: Vec<String>,
    pub(crate) value: Kind,
    pub(crate) occurs: Option<Occurs>,
    pub(crate) redefines: Option<String>,
    pub(crate) children: Vec<Entry>,
    pub(crate) conditions: Vec<Condition>,
    /// The seed of the field's values, so that they stay the same when other entries go.
    pub(crate) seed: u64,
}

/// The kind of an entry's values.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Those of the entries below it.
    Group,
    Text {
        length: usize,
        justified: bool,
    },
    Number(Number),
    /// Of this number of significant bits.
    Float {
        bits: u32,
    },
    /// None: a pointer and the like.
    Opaque,
    /// The rows of a table.
    Counter {
        min: u32,
        max: u32,
    },
}

/// A number, and those that its field can hold, in units of the last place.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) scale: i32,
    pub(crate) least: i128,
    pub(crate) greatest: i128,
    /// The greatest that a literal may have which stands in the copybook: that of the picture.
    pub(crate) written: i128,
}

/// An OCCURS clause.
#[derive(Clone)]
pub(crate) struct Occurs {
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) counter: Option<String>,
}

/// A level 88 entry: a name for some values, each as JSON and as COBOL literal, with the end of its range.
#[derive(Clone)]
pub(crate) struct Condition {
    pub(crate) name: String,
    pub(crate) values: Vec<(Given, Option<Given>)>,
}

/// A value, as JSON and as a COBOL literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) json: String,
    pub(crate) literal: String,
}

impl Record {
    /// The copybook: columns 8 to 72, which is right for fixed and for free format.
    pub(crate) fn copybook(&self) -> String {
        let mut out = String::new();
        wrap(7, &["01  R.".to_owned()], &mut out);
        self.entries.iter().for_each(|entry| entry.write(2, &mut out));
        out
    }

    /// All entries, those in groups too.
    pub(crate) fn all(&self) -> Vec<&Entry> {
        fn add<'e>(entries: &'e [Entry], all: &mut Vec<&'e Entry>) {
            for entry in entries {
                all.push(entry);
                add(&entry.children, all);
            }
        }
        let mut all = Vec::new();
        add(&self.entries, &mut all);
        all
    }

    /// The SPECIAL-NAMES paragraph, if the record needs one.
    pub(crate) fn special_names(&self) -> String {
        let mut clauses = Vec::new();
        if let Some(currency) = self.currency {
            clauses.push(format!("CURRENCY SIGN IS '{}'", currency.sign));
            clauses.extend(currency.symbol.map(|symbol| format!("WITH PICTURE SYMBOL '{symbol}'")));
        }
        if self.comma {
            clauses.push("DECIMAL-POINT IS COMMA".to_owned());
        }
        if clauses.is_empty() {
            return String::new();
        }
        let mut out = "       ENVIRONMENT DIVISION.\n       CONFIGURATION SECTION.\n".to_owned();
        out.push_str("       SPECIAL-NAMES.\n");
        if let Some(last) = clauses.last_mut() {
            last.push('.');
        }
        wrap(11, &clauses, &mut out);
        out
    }
}

impl Entry {
    /// The entry has a SYNCHRONIZED clause.
    pub(crate) fn is_synchronized(&self) -> bool {
        self.clauses.iter().any(|clause| clause.starts_with("SYNC"))
    }

    fn write(&self, level: usize, out: &mut String) {
        let mut words = vec![format!("{level:02}"), self.name.clone().unwrap_or_else(|| "FILLER".to_owned())];
        words.extend(self.redefines.iter().map(|name| format!("REDEFINES {name}")));
        words.extend(self.clauses.iter().cloned());
        if let Some(occurs) = &self.occurs {
            words.push(match &occurs.counter {
                Some(name) => format!("OCCURS {} TO {} DEPENDING ON {name}", occurs.min, occurs.max),
                None => format!("OCCURS {} TIMES", occurs.max),
            });
        }
        end(&mut words);
        wrap(7 + level, &words, out);
        for condition in &self.conditions {
            let mut words = vec!["88".to_owned(), condition.name.clone(), "VALUE".to_owned()];
            for (from, to) in &condition.values {
                words.push(from.literal.clone());
                words.extend(to.iter().map(|to| format!("THRU {}", to.literal)));
            }
            end(&mut words);
            wrap(9 + level, &words, out);
        }
        self.children.iter().for_each(|child| child.write(level + 1, out));
    }
}

fn end(words: &mut [String]) {
    if let Some(last) = words.last_mut() {
        last.push('.');
    }
}
