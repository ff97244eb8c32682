//! REDEFINES: JSON shows the first view of shared bytes. An answer often has another view than its request, so `new` names the
//! hidden ones.

use copybook::{FieldId, Layout};

use crate::ways::Way;

/// The most views that are named.
const NAMED_MAX: usize = 5;

/// Says which groups of an answer JSON hides, and how to show them.
pub(crate) fn tell(answer: &Way, service: &str) {
    let Some(side) = answer.record() else { return };
    for (view, first, setting) in hidden(&side.layout).into_iter().take(NAMED_MAX) {
        terminal::remark!(
            "{view} redefines {first}, and answers show {first}. To show {view}, add to services/{service}.toml: [response.fields] with the line \"{setting}\" = {{ included = true }}"
        );
    }
}

/// The groups that redefine another group: the name, that of the first view, and the name for a setting.
fn hidden(layout: &Layout) -> Vec<(String, String, String)> {
    let is_group = |id: FieldId| !layout.field(id).children.is_empty() && !layout.field(id).filler;
    let is_hidden = |id: FieldId| layout.around(id).any(|around| layout.field(around).redefines.is_some());
    let views = layout.iter().filter_map(|(id, field)| Some((id, field, field.redefines?)));
    let views = views.filter(|(id, _, first)| is_group(*id) && is_group(*first) && !is_hidden(*first));
    views
        .map(|(id, field, first)| {
            let is_unique = layout.resolve(&field.name).is_ok();
            let setting = if is_unique { field.name.clone() } else { layout.path(id) };
            (field.name.clone(), layout.field(first).name.clone(), setting)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::hidden;

    #[test]
    fn groups_over_groups_are_named() {
        let text = "       01  R.
           05  KIND PIC X.
           05  DATA-IN.
             10  A PIC X(4).
             10  B REDEFINES A PIC 9(4).
             10  SAME PIC X(4).
           05  DATA-OUT REDEFINES DATA-IN.
             10  D.
               15  C PIC X(8).
             10  E REDEFINES D.
               15  F PIC X(8).
           05  OTHER REDEFINES DATA-IN PIC X(8).
           05  REST.
             10  G.
               15  H PIC X.
             10  OTHER-G REDEFINES G.
               15  I PIC X.
";
        let parsed = copybook::parse("R", text, &copybook::Options::default()).expect("a copybook");
        let found = hidden(&parsed.layouts[0]);
        let named: Vec<_> = found.iter().map(|(view, first, _)| (view.as_str(), first.as_str())).collect();
        assert_eq!(named, [("DATA-OUT", "DATA-IN"), ("OTHER-G", "G")]);
    }
}
