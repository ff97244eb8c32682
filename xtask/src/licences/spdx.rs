//! SPDX licence expressions: AND, OR, WITH and parentheses, and the older "/" for OR (SPDX 2.3, annex D).

/// Whether somebody who takes only accepted licences can use what stands under this expression.
///
/// # Errors
/// The expression cannot be read.
pub(super) fn is_satisfied(expression: &str, accepts: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, accepts };
    let satisfied = reader.alternatives()?;
    match reader.words {
        [] => Ok(satisfied),
        [word, ..] => Err(format!("{word} stands where AND or OR is expected")),
    }
}

struct Reader<'a> {
    words: &'a [&'a str],
    accepts: &'a dyn Fn(&str) -> bool,
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        match self.words {
            [first, rest @ ..] if *first == word => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }

    fn next(&mut self) -> Result<String, String> {
        let (first, rest) = self.words.split_first().ok_or("it ends where a licence is expected")?;
        self.words = rest;
        match *first {
            "AND" | "OR" | "WITH" | "(" | ")" => Err(format!("{first} stands where a licence is expected")),
            name => Ok(name.to_string()),
        }
    }

    fn alternatives(&mut self) -> Result<bool, String> {
        let mut satisfied = self.conjunction()?;
        while self.take("OR") {
            satisfied |= self.conjunction()?;
        }
        Ok(satisfied)
    }

    /// AND binds closer than OR.
    fn conjunction(&mut self) -> Result<bool, String> {
        let mut satisfied = self.licence()?;
        while self.take("AND") {
            satisfied &= self.licence()?;
        }
        Ok(satisfied)
    }

    fn licence(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let satisfied = self.alternatives()?;
            return if self.take(")") { Ok(satisfied) } else { Err("a parenthesis stays open".to_string()) };
        }
        let mut name = self.next()?;
        if self.take("WITH") {
            name = format!("{name} WITH {}", self.next()?);
        }
        Ok((self.accepts)(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::is_satisfied;

    fn check(expression: &str) -> Result<bool, String> {
        is_satisfied(expression, &|name| ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&name))
    }

    #[test]
    fn operators_bind_as_in_spdx() {
        for (expression, satisfied) in [
            ("MIT", true),
            ("GPL-2.0", false),
            ("MIT OR GPL-2.0", true),
            ("MIT AND GPL-2.0", false),
            ("GPL-2.0 AND MIT OR ISC", true),
            ("GPL-2.0 AND (MIT OR ISC)", false),
            ("(MIT OR GPL-2.0) AND ISC", true),
            ("GPL-2.0/MIT", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("MIT WITH LLVM-exception", false),
        ] {
            assert_eq!(check(expression), Ok(satisfied), "{expression}");
        }
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        for expression in ["", "MIT ISC", "MIT OR", "(MIT", "MIT)", "AND MIT", "MIT WITH"] {
            assert!(check(expression).is_err(), "{expression}");
        }
    }
}
