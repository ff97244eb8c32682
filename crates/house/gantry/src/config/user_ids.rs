//! Users whose names programs would see as another user's: the user id of CICS has 8 bytes, and names have more.

use std::collections::BTreeMap;

use region::user_id;
use settings::GANTRY_FILE;
use wire::shown;

use super::loader::Loader;
use super::region::RegionPlan;
use super::written::GantryFile;

/// The users that the configuration names, each with the place that names it first.
type Known = BTreeMap<String, String>;

impl Loader<'_> {
    /// Refuses a name that is cut into the name of another user who is known: programs could not tell them apart.
    pub(super) fn user_ids(&mut self, gantry: &GantryFile, region: &RegionPlan) {
        let known = self.known_users(gantry, region);
        // By what programs see of them: those whose names fit.
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
                self.at_file(GANTRY_FILE, message);
            }
        }
    }

    fn known_users(&self, gantry: &GantryFile, region: &RegionPlan) -> Known {
        let mut known = Known::new();
        let mut add = |name: &str, place: &str| {
            known.entry(name.to_owned()).or_insert_with(|| place.to_owned());
        };
        gantry.security.named_users(self.files).iter().for_each(|(name, place)| add(name, place));
        let settings = &region.settings;
        let programs = settings.rights.programs.iter().flat_map(|rule| &rule.users);
        let transactions = settings.rights.transactions.iter().flat_map(|rule| &rule.users);
        programs.chain(transactions).for_each(|name| add(name, "users of a rule"));
        settings.start_users.iter().for_each(|name| add(&shown(name), "start_users"));
        add(&shown(&settings.default_user), "default_user");
        let links = settings.links.peers.iter().filter_map(|peer| peer.user.as_deref());
        links.for_each(|name| add(name, "user of a link"));
        known
    }
}

/// True if programs see all of the name.
fn is_whole(name: &str) -> bool {
    shown(&user_id(name)) == name.to_uppercase()
}
