//! The source of the members of COPY statements: the caller, because this crate does not read files.

/// A text that a COPY statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name for messages, such as its path. Two members with the same name are the same member.
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// Gives the texts of members.
///
/// A closure that takes the two names is a library:
///
/// ```
/// use copybook::{Member, Options};
///
/// let library = |member: &str, _library: Option<&str>| match member {
///     "ADDRESS" => Ok(Member { name: "lib/ADDRESS.cpy".into(), text: "           05  :P:-CITY PIC X(30).\n".into() }),
///     _ => Err("it is not in lib/".to_owned()),
/// };
/// let text = "       01  CUSTOMER.\n           COPY ADDRESS REPLACING ==:P:== BY ==CUST==.\n";
/// let parsed = copybook::parse_with("CUST.cpy", text, &Options::default(), &library).expect("a valid copybook");
/// assert!(parsed.layouts[0].resolve("CUST-CITY").is_ok());
/// ```
pub trait Library {
    /// The member of a COPY statement. `member` is its name as the statement spells it, without quotes.
    /// `library` is the name behind OF or IN.
    ///
    /// # Errors
    /// The reason why the member is missing, in words that complete "the member X is missing: ".
    fn member(&self, member: &str, library: Option<&str>) -> Result<Member, String>;
}

impl<F: Fn(&str, Option<&str>) -> Result<Member, String>> Library for F {
    fn member(&self, member: &str, library: Option<&str>) -> Result<Member, String> {
        self(member, library)
    }
}
