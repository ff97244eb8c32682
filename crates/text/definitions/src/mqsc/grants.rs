//! Turns authority records of queues into grants, if both mean the same.

use std::collections::{BTreeMap, BTreeSet};

use mqsc::Words;

use super::Made;
use super::objects::{Authority, Objects};
use crate::place::Place;
use crate::section::{Section, Table, Value};

const GRANT: Table = Table::Unnamed("messaging", "grant", &["queues", "groups"]);
/// The group of IBM MQ that may do everything.
const ADMINISTRATORS: &str = "mqm";
/// The rights that together are the right to administer.
const TO_ADMINISTER: [&str; 4] = ["CHG", "CLR", "DLT", "DSP"];
/// The rights of a grant, as they are written.
const RIGHTS: [(&str, &str); 3] = [("PUT", "put"), ("GET", "get"), ("BROWSE", "browse")];
/// Rights that are not needed here: to ask for attributes, and to set contexts.
const NEEDLESS: [&str; 7] = ["INQ", "SET", "PASSALL", "PASSID", "SETALL", "SETID", "NONE"];

/// The name of all queues in a grant.
const ALL: &str = "*";

/// The rights of a group to queues, and the place of the first record.
type Rights = BTreeMap<(Vec<String>, String), (BTreeSet<String>, Place)>;

impl Made {
    /// Makes grants. Records without an equal grant get a note.
    pub(super) fn grants(&mut self, objects: &Objects) {
        let mut rights = Rights::new();
        for authority in &objects.authorities {
            if let Err(reason) = take(&authority.words, &authority.place, &mut rights) {
                let subject = shown(authority);
                self.note(&authority.place, subject, reason);
            }
        }
        for ((queues, group), (own, place)) in &rights {
            let subject = format!("AUTHREC({}) of {group}", queues.join(", "));
            if let Some(narrower) = narrower(&rights, queues, group) {
                let reason = format!(
                    "is left out: the profile of {narrower} gives less, and grants add up: write one for each queue"
                );
                self.note(place, subject, reason);
                continue;
            }
            if !self.existing.has_authenticators {
                let reason = "is left out until gantry.toml says who calls: write [[security.authenticator]], then import again";
                self.note(place, subject, reason);
                continue;
            }
            let mut written: Vec<String> = RIGHTS
                .iter()
                .filter(|(right, _)| own.contains(*right))
                .map(|(_, written)| (*written).to_owned())
                .collect();
            let administers = TO_ADMINISTER.iter().filter(|right| own.contains(**right)).count();
            if administers == TO_ADMINISTER.len() {
                written.push("administer".to_owned());
            } else if administers > 0 {
                let reason =
                    "CHG, CLR, DLT and DSP go together: only with all of them a group may administer queues";
                self.note(place, subject.clone(), reason);
            }
            if written.is_empty() {
                continue;
            }
            if queues == &[ALL] {
                self.note(place, subject.clone(), "the grant is for topics, too: * names them as well");
            }
            let name = format!("{} of {group}", queues.join(", "));
            let section = Section::new(GRANT, &name, subject, place)
                .with("queues", Value::List(queues.clone()))
                .with("groups", Value::List(vec![group.clone()]))
                .with("rights", Value::List(written));
            self.sections.push(section);
        }
    }
}

/// A profile of the same group for some of the queues, with fewer rights. IBM MQ uses the most specific
/// profile for a queue.
fn narrower(all: &Rights, queues: &[String], group: &str) -> Option<String> {
    let (own, _) = all.get(&(queues.to_vec(), group.to_owned()))?;
    let gives_less = all.iter().find(|((others, of), (rights, _))| {
        of == group && others != queues && covers(queues, others) && !rights.is_superset(own)
    });
    gives_less.map(|((others, _), _)| others.join(", "))
}

/// True if a profile covers all queues of another one. Profiles have the form of [`queues`].
fn covers(wide: &[String], narrow: &[String]) -> bool {
    match (wide, narrow.first()) {
        ([all], _) if all == ALL => true,
        ([start, _], Some(name)) => {
            let rest = name.strip_prefix(start.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }
        _ => false,
    }
}

/// Takes a record. The error says why it is not one for queues here.
fn take(words: &Words, place: &Place, rights: &mut Rights) -> Result<(), String> {
    let value = |name| value_of(words, name);
    match value("OBJTYPE").map(str::to_ascii_uppercase).as_deref() {
        Some("QUEUE") => {}
        Some("TOPIC") => {
            return Err("grants name topics by their texts, not by topic objects".to_owned());
        }
        _ => return Err("is not about queues: [security] says who may call".to_owned()),
    }
    let profile = value("PROFILE").or(words.name.as_deref()).unwrap_or_default();
    let queues = queues(profile).ok_or_else(|| {
        "the profile is none that a grant can have: a name, or one that ends with .**".to_owned()
    })?;
    let names = |text: &str| -> Vec<String> {
        let names = text.split(',').map(|name| name.trim().trim_matches('\'').to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let groups = match (value("GROUP").map(names), value("PRINCIPAL")) {
        (Some(groups), _) if groups.iter().any(|group| group == ADMINISTRATORS) => {
            return Err("mqm may do everything: give administrators a role".to_owned());
        }
        (_, Some(ADMINISTRATORS)) => {
            return Err("mqm may do everything: give administrators a role".to_owned());
        }
        (Some(groups), None) => groups,
        _ => return Err("grants are for groups: put the user into a group, and grant that".to_owned()),
    };
    let all = |parameter: Option<&str>| -> Result<Vec<String>, String> {
        let words: Result<Vec<_>, _> = list(parameter).iter().map(|right| expanded(right)).collect();
        Ok(words?.concat())
    };
    let (given, taken) = (value("AUTHADD").or(value("AUTHLIST")), value("AUTHRMV"));
    let (added, removed) = (all(given)?, all(taken)?);
    for group in groups {
        let key = (queues.clone(), group);
        if words.verb.starts_with("DEL") {
            rights.remove(&key);
            continue;
        }
        if given.is_some() {
            rights.entry(key.clone()).or_insert_with(|| (BTreeSet::new(), place.clone()));
        }
        if let Some((own, _)) = rights.get_mut(&key) {
            own.extend(added.iter().cloned());
            own.retain(|right| !removed.contains(right));
        }
    }
    Ok(())
}

/// The value of a parameter; none if it is missing or empty.
fn value_of<'w>(words: &'w Words, name: &str) -> Option<&'w str> {
    let found = words.parameters.iter().find(|parameter| parameter.name == name)?;
    found.value.as_deref().map(str::trim).filter(|value| !value.is_empty())
}

fn list(value: Option<&str>) -> Vec<String> {
    let words = value.unwrap_or_default().split([',', ' ']).map(|word| word.trim().to_ascii_uppercase());
    words.filter(|word| !word.is_empty()).collect()
}

/// The single rights of a right.
fn expanded(right: &str) -> Result<Vec<String>, String> {
    let of_messages = RIGHTS.iter().map(|(right, _)| *right);
    let some: Vec<&str> = match right {
        "ALL" => of_messages.chain(TO_ADMINISTER).collect(),
        "ALLMQI" => of_messages.collect(),
        "ALLADM" => TO_ADMINISTER.to_vec(),
        right if RIGHTS.iter().any(|(known, _)| *known == right) || TO_ADMINISTER.contains(&right) => {
            vec![right]
        }
        right if NEEDLESS.contains(&right) => Vec::new(),
        right => return Err(format!("{right} is no right to a queue")),
    };
    Ok(some.into_iter().map(str::to_owned).collect())
}

/// The names of a profile in the form of a grant; none if they mean something else there.
fn queues(profile: &str) -> Option<Vec<String>> {
    let is_plain = |name: &str| super::is_mq_name(name);
    if profile == "**" {
        return Some(vec![ALL.to_owned()]);
    }
    match profile.strip_suffix(".**") {
        // Two asterisks stand for any number of qualifiers, including none.
        Some(start) => is_plain(start).then(|| vec![start.to_owned(), format!("{start}.*")]),
        None => is_plain(profile).then(|| vec![profile.to_owned()]),
    }
}

fn shown(authority: &Authority) -> String {
    let value = |name| value_of(&authority.words, name);
    let profile = value("PROFILE").or_else(|| value("OBJTYPE")).unwrap_or_default();
    format!("AUTHREC({})", crate::section::clean(profile))
}
