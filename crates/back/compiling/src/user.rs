//! Who programs and the compiler run as: an unprivileged user where the gateway is root.

use wire::WorkerUser;

/// The user if none is configured: nobody's on most systems, and never the gateway's.
const DEFAULT: WorkerUser = WorkerUser { uid: 65_534, gid: 65_534 };

/// Where names of users are.
const USERS: &str = "/etc/passwd";

/// The user of `[region] worker_user`, by its name or number. None if the gateway does not run as root,
/// because only root can choose.
///
/// # Errors
/// The reason for people: the user does not exist, is root, or the gateway cannot choose one.
pub fn find(written: Option<&str>) -> Result<Option<WorkerUser>, String> {
    let is_root = rustix::process::geteuid().is_root();
    let Some(written) = written else { return Ok(is_root.then_some(DEFAULT)) };
    let users = std::fs::read_to_string(USERS).map_err(|error| format!("{USERS}: {error}"))?;
    let user = among(&users, written)?;
    match (user.uid, is_root) {
        (0, _) => Err(format!("expected an unprivileged user, found {written}")),
        (uid, false) if uid == rustix::process::geteuid().as_raw() => Ok(None),
        (_, false) => {
            Err(format!("expected no worker_user, because only root can choose one, found {written}"))
        }
        (_, true) => Ok(Some(user)),
    }
}

/// A user by name or number; a number needs no name, and is then its own group.
fn among(users: &str, written: &str) -> Result<WorkerUser, String> {
    let number = written.parse::<u32>().ok();
    let found = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let uid: u32 = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        (name == written || Some(uid) == number).then_some(WorkerUser { uid, gid })
    });
    let by_number = number.map(|id| WorkerUser { uid: id, gid: id });
    found.or(by_number).ok_or_else(|| format!("expected a user of {USERS} or a number, found {written}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_names_or_numbers() {
        let users = "root:x:0:0:root:/root:/bin/bash\n# a remark\ncobol:x:990:991::/:/usr/sbin/nologin\n";
        assert_eq!(among(users, "cobol"), Ok(WorkerUser { uid: 990, gid: 991 }));
        assert_eq!(among(users, "990"), Ok(WorkerUser { uid: 990, gid: 991 }));
        assert_eq!(among(users, "7"), Ok(WorkerUser { uid: 7, gid: 7 }));
        assert!(among(users, "nobody").is_err_and(|message| message.contains("found nobody")));
        assert!(find(Some("0")).is_err());
    }
}
