//! Mapping levels: sets of rules of the CICS assistants.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A mapping level. Each has the rules of those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The first rules. The assistants' default.
    #[default]
    V1_0,
    /// Lists, unions and binary data of schemas.
    V1_1,
    /// CHAR-VARYING, COMP-1 and COMP-2, separate signs, zoned numbers with decimal places.
    V1_2,
    /// The rules of CICS TS 3.2.
    V2_0,
    /// `xsd:any` and optional content.
    V2_1,
    /// Choices, substitution groups and `xsi:type`.
    V2_2,
    /// DATETIME, channel descriptions, DATA-TRUNCATION.
    V3_0,
    /// OCCURS DEPENDING ON, CHAR-OCCURS, UTF-16.
    V4_0,
    /// TRUNCATE-NULL-ARRAYS.
    V4_1,
    /// Additional properties of JSON.
    V4_2,
    /// Arrays of arrays in JSON.
    V4_3,
}

/// All levels by their names.
const NAMES: [(Level, &str); 11] = [
    (Level::V1_0, "1.0"),
    (Level::V1_1, "1.1"),
    (Level::V1_2, "1.2"),
    (Level::V2_0, "2.0"),
    (Level::V2_1, "2.1"),
    (Level::V2_2, "2.2"),
    (Level::V3_0, "3.0"),
    (Level::V4_0, "4.0"),
    (Level::V4_1, "4.1"),
    (Level::V4_2, "4.2"),
    (Level::V4_3, "4.3"),
];

impl Level {
    /// The newest level: `CURRENT` of MINIMUM-RUNTIME-LEVEL.
    pub const CURRENT: Self = Self::V4_3;

    /// All levels, the oldest first.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(level, _)| *level)
    }

    /// Its name: `3.0`.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(level, _)| *level == self).map_or("", |(_, name)| name)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        NAMES.iter().find(|(_, name)| *name == text).map(|(level, _)| *level).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
            format!("expected a mapping level ({}), found '{text}'", names.join(", "))
        })
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
