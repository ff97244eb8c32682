//! Finds users whose names programs would see as another user's: the user id of CICS has 8 bytes, and names
//! have more.

use std::collections::BTreeMap;

use region::{Settings, user_id};
use settings::{GANTRY_FILE, Loader};
use wire::shown;

/// The users that the configuration names, each with the place that names it first.
type Known = BTreeMap<String, String>;

/// Refuses a name that is cut into the name of another known user, because programs could not tell them
/// apart. `named` has the names in the rest of the configuration, each with its place.
pub fn check_user_ids(loader: &mut Loader<'_>, named: &[(String, String)], region: &Settings) {
    let known = known_users(named, region);
    // The whole names, by the forms that programs see.
    let whole: BTreeMap<_, _> =
        known.keys().filter(|name| is_whole(name)).map(|name| (user_id(name), name)).collect();
    for (name, place) in known.iter().filter(|(name, _)| !is_whole(name)) {
        let id = user_id(name);
        if let Some(other) = whole.get(&id) {
            let message = format!(
                "the user '{name}' ({place}) is {} to programs of the region (ASSIGN USERID has 8 bytes), as the user '{other}' ({}) is; \
                 give one of them another name",
                shown(&id),
                known[*other],
            );
            loader.at_file(GANTRY_FILE, message);
        }
    }
}

fn known_users(named: &[(String, String)], settings: &Settings) -> Known {
    let mut known = Known::new();
    let mut add = |name: &str, place: &str| {
        known.entry(name.to_owned()).or_insert_with(|| place.to_owned());
    };
    named.iter().for_each(|(name, place)| add(name, place));
    let programs = settings.rights.programs.iter().flat_map(|rule| &rule.users);
    let transactions = settings.rights.transactions.iter().flat_map(|rule| &rule.users);
    programs.chain(transactions).for_each(|name| add(name, "users of a rule"));
    settings.start_users.iter().for_each(|name| add(&shown(name), "start_users"));
    add(&shown(&settings.default_user), "default_user");
    let links = settings.links.peers.iter().filter_map(|peer| peer.user.as_deref());
    links.for_each(|name| add(name, "user of a link"));
    known
}

/// True if programs see all of the name.
fn is_whole(name: &str) -> bool {
    shown(&user_id(name)) == name.to_uppercase()
}
