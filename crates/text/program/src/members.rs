//! Our own copybooks, for programs that copy members of CICS, DB2, IBM MQ, Language Environment and z/OS
//! Connect.

use copybook::{Library, Member};

/// DFHEIBLK, from the documented names and types of the EXEC interface block.
pub(crate) const DFHEIBLK: &str = include_str!("copybooks/DFHEIBLK.cpy");

const MEMBERS: &[(&str, &str)] = &[
    ("BAQHAREC", include_str!("copybooks/BAQHAREC.cpy")),
    ("BAQHCONC", include_str!("copybooks/BAQHCONC.cpy")),
    ("BAQRINFO", include_str!("copybooks/BAQRINFO.cpy")),
    ("CEEIGZCT", include_str!("copybooks/CEEIGZCT.cpy")),
    ("DFH0CFIL", include_str!("copybooks/DFH0CFIL.cpy")),
    ("DFHAID", include_str!("copybooks/DFHAID.cpy")),
    ("DFHBMSCA", include_str!("copybooks/DFHBMSCA.cpy")),
    ("DFHEIBLK", DFHEIBLK),
    ("SQLCA", include_str!("copybooks/SQLCA.cpy")),
    ("SQLDA", include_str!("copybooks/SQLDA.cpy")),
];

/// A library that gives our own members if another library lacks them: BAQHAREC, BAQHCONC, BAQRINFO,
/// CEEIGZCT, DFH0CFIL, DFHAID, DFHBMSCA, DFHEIBLK, SQLCA and SQLDA, and those of the Message Queue Interface
/// ([`mqi::MEMBERS`]).
pub struct OwnMembers<'l>(pub &'l dyn Library);

impl Library for OwnMembers<'_> {
    fn member(&self, member: &str, library: Option<&str>) -> Result<Member, String> {
        self.0.member(member, library).or_else(|reason| {
            let own = MEMBERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(member));
            let text =
                own.map(|(_, text)| (*text).to_owned()).or_else(|| mqi::copybook(member)).ok_or(reason)?;
            Ok(Member { name: format!("<{}>", member.to_ascii_uppercase()), text })
        })
    }
}
