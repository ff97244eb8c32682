//! Sources of mapsets among copybooks: COPY gets the symbolic map that the assembler of a mainframe makes of
//! them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use copybook::Member;
use mapset::Limits;

use crate::copybooks::{FoundMember, Library, are_alike, join, shown_below};

/// Endings of sources of mapsets.
pub const MAP_ENDINGS: [&str; 4] = ["bms", "map", "asm", "mac"];

/// The most sources of one folder that are searched for mapsets with other names than their files.
const SEARCHED_SOURCES_MAX: usize = 2_000;

/// True if a file has the ending of a mapset's source.
pub(crate) fn is_map_file(file: &str) -> bool {
    let ending = file.split_once('.').map_or("", |(_, ending)| ending);
    MAP_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The symbolic map of a source: that of the mapset with the member's name, or of all mapsets if none has it.
///
/// # Errors
/// The source has a fault. The text names file and line.
pub(crate) fn symbolic_map(file: &str, text: &str, member: &str) -> Result<Member, String> {
    let mut mapsets = mapset::read(text, &Limits::default())
        .map_err(|fault| format!("its map has a fault: {file}:{}: {}", fault.line, fault.message))?;
    let is_meant = |name: &str| name.eq_ignore_ascii_case(member);
    // Findings in the member are about lines of the symbolic map, which no file has.
    let mut name = format!("<{file}>");
    if mapsets.iter().any(|mapset| is_meant(&mapset.name)) {
        mapsets.retain(|mapset| is_meant(&mapset.name));
        name = format!("<{file}({})>", member.to_ascii_uppercase());
    }
    Ok(Member { name, text: mapset::symbolic_map(&mapsets) })
}

/// The text of a file that may be the source of a mapset.
///
/// # Errors
/// It is too large, or cannot be read. The text names the file.
pub(crate) fn read_map(place: Library<'_>, path: &str) -> Result<String, String> {
    let file = shown_below(place, path)?;
    let fault = |error: std::io::Error| format!("{file} cannot be read: {error}");
    let (found, most) = (place.files.size(path).map_err(fault)?, Limits::default().source_max_bytes);
    if found > most as u64 {
        return Err(format!("{file}: expected at most {most} bytes (source_max_bytes), found {found}"));
    }
    place.files.read_source(path, place.page).map_err(fault)
}

/// The mapsets in the sources of folders, by their names. The first search in a folder reads its sources, and
/// later changes of the files do not count. So it is for one reading of a configuration.
#[derive(Debug, Default)]
pub struct MapIndex {
    /// By the shown path of the folder, and the code page of its sources.
    folders: RefCell<BTreeMap<(String, u16), Rc<FolderMaps>>>,
}

impl MapIndex {
    /// The symbolic map of the mapset with this name in any source of the folders. `searched` has the path of
    /// each library's folder.
    ///
    /// # Errors
    /// The source has a fault or cannot be read, or several sources of a folder have the mapset.
    pub(crate) fn search(
        &self,
        searched: &[(Library<'_>, String)],
        member: &str,
    ) -> Result<Option<FoundMember>, String> {
        for (place, folder) in searched {
            let maps = self.folder(*place, folder);
            match maps.files.get(&member.to_ascii_uppercase()).map(Vec::as_slice) {
                None | Some([]) => {}
                Some([name]) => {
                    let path = join(folder, name);
                    let (file, text) = (place.files.display(&path), read_map(*place, &path)?);
                    let member = symbolic_map(&file, &text, member)?;
                    return Ok(Some(FoundMember { member, file }));
                }
                Some(several) => return Err(are_alike(several.iter().map(String::as_str))),
            }
        }
        Ok(None)
    }

    /// The end of the error for a member without a file, if a folder has more sources than are searched.
    pub(crate) fn limit_reached(&self, searched: &[(Library<'_>, String)]) -> String {
        let is_cut = searched.iter().any(|(place, folder)| self.folder(*place, folder).is_cut);
        match is_cut {
            true => {
                format!("; only the first {SEARCHED_SOURCES_MAX} BMS sources of a folder are searched")
                    + " (searched_sources_max)"
            }
            false => String::new(),
        }
    }

    fn folder(&self, place: Library<'_>, folder: &str) -> Rc<FolderMaps> {
        let key = (place.files.display(folder), place.page.ccsid());
        let mut folders = self.folders.borrow_mut();
        Rc::clone(folders.entry(key).or_insert_with(|| Rc::new(FolderMaps::read(place, folder))))
    }
}

/// The mapsets in the sources of one folder.
#[derive(Debug, Default)]
struct FolderMaps {
    /// The names of files by that of a mapset, in capitals.
    files: BTreeMap<String, Vec<String>>,
    /// True if the folder has more sources than are searched.
    is_cut: bool,
}

impl FolderMaps {
    /// Files that cannot be read are passed over, because the searched mapset may be in another one.
    fn read(place: Library<'_>, folder: &str) -> Self {
        let mut maps = Self::default();
        let names = place.files.list(folder).unwrap_or_default();
        for (at, name) in names.into_iter().filter(|name| is_map_file(name)).enumerate() {
            if at == SEARCHED_SOURCES_MAX {
                maps.is_cut = true;
                break;
            }
            let Ok(text) = read_map(place, &join(folder, &name)) else { continue };
            for mapset in mapset::names(&text) {
                let files = maps.files.entry(mapset.to_ascii_uppercase()).or_default();
                if !files.contains(&name) {
                    files.push(name.clone());
                }
            }
        }
        maps
    }
}

#[cfg(test)]
mod tests {
    use codepage::CodePage;
    use tempfile::TempDir;

    use super::{MapIndex, SEARCHED_SOURCES_MAX};
    use crate::Files;
    use crate::copybooks::{Library, SOURCE_CCSID, find_file};

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
        copy_of(member, None, folders).map(|found| found.1)
    }

    /// The same with the name behind OF. Gives the member's name too, without the folder.
    fn copy_of(
        member: &str,
        library: Option<&str>,
        folders: &[&TempDir],
    ) -> Result<(String, String), String> {
        let page = CodePage::by_ccsid(SOURCE_CCSID).expect("the page is there");
        let files: Vec<Files> = folders.iter().map(|folder| Files::at(folder.path())).collect();
        let libraries: Vec<Library<'_>> =
            files.iter().map(|files| Library { files, folder: "", page }).collect();
        let found = find_file(&libraries, &MapIndex::default(), member, library)?.member;
        let name = found.name.rsplit('/').next().unwrap_or_default().to_owned();
        Ok((name, found.text))
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
    fn one_of_several_mapsets_is_given() {
        let other = SOURCE.replace("SCREEN", "OTHER");
        let both = folder(&[("SCREENS.bms", &format!("{SOURCE}{other}"))]);
        let (name, screens) = copy_of("Screens", None, &[&both]).expect("the mapset is there");
        assert_eq!(name, "SCREENS.bms(SCREENS)>");
        assert!(screens.contains("01  SCREENI.") && !screens.contains("OTHER"), "{screens}");
        let (name, others) = copy_of("OTHERS", None, &[&both]).expect("the mapset is there");
        assert_eq!(name, "SCREENS.bms(OTHERS)>");
        assert!(others.contains("01  OTHERI.") && !others.contains("SCREEN"), "{others}");
        // The file has the member's name, and no mapset has it.
        let both = folder(&[("ALL.bms", &format!("{SOURCE}{other}"))]);
        let (name, all) = copy_of("ALL", None, &[&both]).expect("the file is there");
        assert_eq!(name, "ALL.bms>");
        assert!(all.contains("01  SCREENI.") && all.contains("01  OTHERI."), "{all}");
    }

    #[test]
    fn maps_come_before_files_that_are_not_copybooks() {
        let jcl = "//SCREENS  JOB\n";
        for name in ["SCREENS.jcl", "SCREENS.md", "SCREENS.txt", "SCREENS.cbl"] {
            for map in ["SCREENS.bms", "screens.map", "all.bms"] {
                assert!(is_made(copy("SCREENS", &[&folder(&[(name, jcl), (map, SOURCE)])])), "{name} {map}");
                let (first, second) = (folder(&[(name, jcl)]), folder(&[(map, SOURCE)]));
                assert!(is_made(copy("SCREENS", &[&first, &second])), "{name} {map}");
            }
            assert_eq!(copy("SCREENS", &[&folder(&[(name, jcl)])]).as_deref(), Ok(jcl), "{name}");
        }
        // Without a map, the first folder counts.
        let (first, second) = (folder(&[("P.txt", "first")]), folder(&[("P.cpy", "second")]));
        assert_eq!(copy("P", &[&first, &second]).as_deref(), Ok("first"));
        let map = folder(&[("P.bms", SOURCE)]);
        assert_eq!(copy("P", &[&first, &map, &second]).as_deref(), Ok("second"));
    }

    #[test]
    fn a_file_with_the_ending_of_a_map_may_be_none() {
        let load_map = ("SCREENS.map", "ENTRY POINT 00000000\n");
        assert!(is_made(copy("SCREENS", &[&folder(&[load_map, ("all.bms", SOURCE)])])));
        assert!(is_made(copy("SCREENS", &[&folder(&[load_map, ("SCREENS.asm", SOURCE)])])));
        assert_eq!(copy("SCREENS", &[&folder(&[load_map, ("SCREENS.cbl", "A")])]).as_deref(), Ok("A"));
        let reason = copy("SCREENS", &[&folder(&[load_map])]).expect_err("it is no copybook");
        assert!(
            reason
                .ends_with("SCREENS.map is not a BMS source; a copybook needs another ending, such as .cpy")
        );
    }

    #[test]
    fn a_source_that_cannot_be_read_does_not_hide_the_reason() {
        let folder = folder(&[("PART.cpy", ""), ("all.bms", SOURCE)]);
        std::os::unix::fs::symlink("nowhere", folder.path().join("x.map")).expect("a link");
        std::fs::File::create(folder.path().join("big.bms"))
            .and_then(|file| file.set_len(1 << 40))
            .expect("a large file");
        let reason = copy("PARTS", &[&folder]).expect_err("it is missing");
        assert!(reason.starts_with("no file with this name in ") && reason.ends_with("; did you mean PART?"));
        assert!(is_made(copy("SCREENS", &[&folder])));
        let reason = copy("BIG", &[&folder]).expect_err("it is too large");
        let limit = "big.bms: expected at most 4194304 bytes (source_max_bytes), found 1099511627776";
        assert!(reason.ends_with(limit), "{reason}");
    }

    #[test]
    fn too_many_sources_are_told() {
        let folder = folder(&[]);
        for number in 0..=SEARCHED_SOURCES_MAX {
            std::fs::write(folder.path().join(format!("M{number}.map")), "").expect("a file");
        }
        let reason = copy("PART", &[&folder]).expect_err("it is missing");
        let end = "; only the first 2000 BMS sources of a folder are searched (searched_sources_max)";
        assert!(reason.ends_with(end), "{reason}");
    }

    #[test]
    fn mapsets_are_found_in_the_folder_of_a_library() {
        let folder = folder(&[]);
        std::fs::create_dir(folder.path().join("maps")).expect("a folder");
        std::fs::write(folder.path().join("maps/all.bms"), SOURCE).expect("a file");
        let found = copy_of("SCREENS", Some("MAPS"), &[&folder]);
        assert_eq!(found.map(|(name, _)| name).as_deref(), Ok("all.bms(SCREENS)>"));
        assert!(copy("SCREENS", &[&folder]).is_err());
    }

    #[test]
    fn sources_are_searched_once() {
        let folder = folder(&[("all.bms", SOURCE)]);
        let page = CodePage::by_ccsid(SOURCE_CCSID).expect("the page is there");
        let files = Files::at(folder.path());
        let libraries = [Library { files: &files, folder: "", page }];
        let index = MapIndex::default();
        assert!(find_file(&libraries, &index, "DFHAID", None).is_err());
        // A second reading would find it in all.bms.
        std::fs::write(folder.path().join("all.bms"), SOURCE.replace("SCREENS", "MORE")).expect("a file");
        assert!(find_file(&libraries, &index, "MORE", None).is_err());
        std::fs::write(folder.path().join("all.bms"), SOURCE).expect("a file");
        assert!(find_file(&libraries, &index, "SCREENS", None).is_ok());
    }

    #[test]
    fn a_mapset_in_several_sources_is_not_chosen() {
        let folder = folder(&[("a.bms", SOURCE), ("b.bms", SOURCE)]);
        assert_eq!(copy("SCREENS", &[&folder]), Err("several files match: a.bms, b.bms".to_owned()));
    }

    #[test]
    fn faults_of_a_source_name_its_line() {
        let folder = folder(&[("SCREENS.bms", &SOURCE.replace(",LENGTH=8", ""))]);
        let reason = copy("SCREENS", &[&folder]).expect_err("the field has no length");
        assert!(reason.starts_with("its map has a fault: "), "{reason}");
        assert!(reason.ends_with("SCREENS.bms:3: DFHMDF: expected LENGTH, PICIN or PICOUT"), "{reason}");
    }
}
