//! Names of elements, as the assistants make them of COBOL names.

use std::collections::{HashMap, HashSet};

use copybook::{FieldId, Layout};
use record::Naming;

/// The element of each field of a record, but for the record itself.
///
/// Hyphens become underscores. A part between hyphens that has no lower case becomes lower case. A digit at the start gets an
/// underscore in front. Of names that are alike in one group the second gets a 1, the third a 2. Fields without a name are
/// `filler1`, `filler2` in the order of the copybook.
#[must_use]
pub fn element_names(layout: &Layout) -> HashMap<FieldId, String> {
    let mut names = HashMap::new();
    let mut fillers = 0;
    for (id, group) in layout.iter() {
        let mut taken: HashSet<String> = HashSet::new();
        for child in &group.children {
            let field = layout.field(*child);
            // Numbered when their turn comes, so that they follow the text.
            if !field.filler {
                let name = unique(Naming::Ls2js.apply(&field.spelling), &taken);
                taken.insert(name.clone());
                names.insert(*child, name);
            }
        }
        if group.filler && layout.iter().next().is_some_and(|(root, _)| root != id) {
            fillers += 1;
            names.insert(id, format!("filler{fillers}"));
        }
    }
    separate_fillers(layout, &mut names);
    names
}

/// A named field may be called `filler1` too; the field without a name then gets another number.
fn separate_fillers(layout: &Layout, names: &mut HashMap<FieldId, String>) {
    for (_, group) in layout.iter() {
        let named: HashSet<String> = group
            .children
            .iter()
            .filter(|child| !layout.field(**child).filler)
            .filter_map(|child| names.get(child).cloned())
            .collect();
        let mut taken = named;
        for child in group.children.iter().filter(|child| layout.field(**child).filler) {
            let Some(name) = names.get(child).cloned() else { continue };
            let name = unique(name, &taken);
            taken.insert(name.clone());
            names.insert(*child, name);
        }
    }
}

fn unique(name: String, taken: &HashSet<String>) -> String {
    if !taken.contains(&name) {
        return name;
    }
    (1..).map(|number| format!("{name}{number}")).find(|name| !taken.contains(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let text: String = text.lines().map(|line| format!("       {line}\n")).collect();
        let parsed = copybook::parse("T", &text, &copybook::Options::default()).expect("a copybook");
        let names = element_names(&parsed.layouts[0]);
        parsed.layouts[0].iter().filter_map(|(id, _)| names.get(&id).cloned()).collect()
    }

    #[test]
    fn names_follow_the_rules_of_the_assistants() {
        let found = names(
            "01 T.\n 03 current-user--id PIC X.\n 03 CA-REQUEST-ID PIC X.\n 03 9A-REQUEST-ID PIC X.\n 03 Cust-ID PIC X.",
        );
        assert_eq!(found, ["current_user__id", "ca_request_id", "_9a_request_id", "Cust_id"]);
    }

    #[test]
    fn names_that_are_alike_get_digits() {
        let found = names(
            "01 T.\n 03 YEAR PIC X.\n 03 YEAR PIC X.\n 03 YEAR1 PIC X.\n 03 G.\n  05 YEAR PIC X.\n  05 year PIC X.",
        );
        assert_eq!(found, ["year", "year1", "year11", "g", "year", "year1"]);
    }

    #[test]
    fn fields_without_a_name_are_numbered_in_their_order() {
        let found = names(
            "01 T.\n 03 FILLER PIC X.\n 03 G.\n  05 PIC X.\n  05 A PIC X.\n 03 FILLER PIC X.\n 03 FILLER3 PIC X.",
        );
        assert_eq!(found, ["filler1", "g", "filler2", "a", "filler31", "filler3"]);
    }
}
