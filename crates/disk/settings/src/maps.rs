//! Sources of mapsets among copybooks: COPY gets the symbolic map that the assembler of a mainframe makes of
//! them.

use copybook::Member;
use mapset::{Limits, Mapset};

use crate::copybooks::{FoundMember, Library};

/// Endings of sources of mapsets.
const ENDINGS: [&str; 4] = ["bms", "map", "asm", "mac"];

/// The most sources that are searched for a mapset without a file of its own name.
const SEARCHED_SOURCES_MAX: usize = 2_000;

/// True if a file has the ending of a mapset's source.
pub(crate) fn is_map_file(file: &str) -> bool {
    let ending = file.split_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The symbolic map of the chosen mapsets of a source.
///
/// # Errors
/// The source has a fault. The text names file and line.
pub(crate) fn symbolic_map(
    file: &str,
    text: &str,
    choose: impl Fn(&Mapset) -> bool,
) -> Result<Member, String> {
    let mut mapsets = mapset::read(text, &Limits::default())
        .map_err(|fault| format!("its map has a fault: {file}:{}: {}", fault.line, fault.message))?;
    mapsets.retain(choose);
    // Findings in the member are about lines of the symbolic map, which no file has.
    Ok(Member { name: format!("<{file}>"), text: mapset::symbolic_map(&mapsets) })
}

/// The symbolic map of the mapset with this name in any source of the folders.
///
/// # Errors
/// The source has a fault, or a folder or source cannot be read.
pub(crate) fn search(libraries: &[Library<'_>], member: &str) -> Result<Option<FoundMember>, String> {
    let mut searched = 0;
    for place in libraries {
        let names = place.files.list(place.folder).map_err(|error| error.to_string())?;
        for name in names.iter().filter(|name| is_map_file(name)) {
            searched += 1;
            if searched > SEARCHED_SOURCES_MAX {
                return Ok(None);
            }
            let path = crate::copybooks::join(place.folder, name);
            if !place.files.lies_below(place.folder, &path) || place.files.is_folder(&path) {
                continue;
            }
            let text =
                place.files.read_source(&path, place.page).map_err(|error| format!("{path}: {error}"))?;
            let is_meant = |name: &str| name.eq_ignore_ascii_case(member);
            if mapset::names(&text).any(is_meant) {
                let file = place.files.display(&path);
                let member = symbolic_map(&file, &text, |mapset| is_meant(&mapset.name))?;
                return Ok(Some(FoundMember { member, file }));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use codepage::CodePage;
    use tempfile::TempDir;

    use crate::Files;
    use crate::copybooks::{Library, SOURCE_CCSID, find};

    const SOURCE: &str = "SCREENS  DFHMSD MODE=INOUT
SCREEN   DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(1,1),LENGTH=8
         DFHMSD TYPE=FINAL
";

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("the file is written");
        }
        folder
    }

    /// What COPY gets from folders with these files.
    fn copy(member: &str, folders: &[&TempDir]) -> Result<String, String> {
        let page = CodePage::by_ccsid(SOURCE_CCSID).expect("the page is there");
        let files: Vec<Files> = folders.iter().map(|folder| Files::at(folder.path())).collect();
        let libraries: Vec<Library<'_>> =
            files.iter().map(|files| Library { files, folder: "", page }).collect();
        find(&libraries, member, None).map(|found| found.text)
    }

    fn is_made(found: Result<String, String>) -> bool {
        found.is_ok_and(|text| text.starts_with("       01  SCREENI.\n"))
    }

    #[test]
    fn the_symbolic_map_is_made_of_a_source_with_its_name() {
        for name in [
            "screens.bms",
            "SCREENS.BMS",
            "Screens.map",
            "SCREENS.asm",
            "SCREENS.mac",
            "SCREENS",
            "SCREENS.txt",
        ] {
            assert!(is_made(copy("SCREENS", &[&folder(&[(name, SOURCE)])])), "{name}");
        }
    }

    #[test]
    fn mapsets_are_found_by_their_name_too() {
        let other = SOURCE.replace("SCREEN", "OTHERS");
        let folder = folder(&[("all.bms", &format!("{other}{SOURCE}")), ("note.txt", SOURCE)]);
        let found = copy("screens", &[&folder]);
        assert!(is_made(found.clone()), "{found:?}");
        assert!(found.is_ok_and(|text| !text.contains("OTHERS")));
        assert!(is_made(copy("ALL", &[&folder]).map(|text| text.replace("OTHERS", "SCREEN"))));
    }

    #[test]
    fn copybooks_come_before_maps_and_maps_before_programs() {
        let maps = folder(&[("SCREENS.bms", SOURCE), ("SCREENS.cbl", "       01  PROGRAM.\n")]);
        assert!(is_made(copy("SCREENS", &[&maps])));
        let copybooks = folder(&[("SCREENS.cpy", "       01  MINE.\n")]);
        assert_eq!(copy("SCREENS", &[&maps, &copybooks]).as_deref(), Ok("       01  MINE.\n"));
        let compiled = folder(&[("SCREENS.bms", SOURCE), ("SCREENS.map", "\u{0}\u{1}")]);
        assert!(is_made(copy("SCREENS", &[&compiled])));
        let both = folder(&[("SCREENS", "       01  MINE.\n"), ("SCREENS.map", SOURCE)]);
        assert_eq!(copy("SCREENS", &[&both]).as_deref(), Ok("       01  MINE.\n"));
    }

    #[test]
    fn faults_of_a_source_name_its_line() {
        let folder = folder(&[("SCREENS.bms", &SOURCE.replace(",LENGTH=8", ""))]);
        let reason = copy("SCREENS", &[&folder]).expect_err("the field has no length");
        assert!(reason.starts_with("its map has a fault: "), "{reason}");
        assert!(reason.ends_with("SCREENS.bms:3: DFHMDF: expected LENGTH, PICIN or PICOUT"), "{reason}");
    }
}
