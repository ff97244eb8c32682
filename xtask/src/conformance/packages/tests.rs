//! The checks of packages find what they are for.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::super::kinds::files_below;
use super::cases;

const MANIFEST: &str = "name: note\nproviderProperties:
- {propertyName: dataXformType, value: WALKER_VISITOR}
- {propertyName: wvRequestInterfaceFile, value: N.si}
- {propertyName: wvResponseInterfaceFile, value: N.si}
- {propertyName: ccsid, value: '37'}
";

const INTERFACE: &str = "<m><message><segment name='COMMAREA'><field name='Note' originalName='NOTE'><startPos>1</startPos>
<bytes>4</bytes><applicationDatatype datatype='STRUCT'/><field name='words' originalName='SOME_WORDS'><startPos>1</startPos>
<bytes>4</bytes><applicationDatatype datatype='CHAR'/></field></field></segment></message></m>";

const PACKAGE: &str =
    "<zosConnectApi id='notes'><apiSpec title='t' basePath='/notes' version='1'><path relativePath='/n'>
<method type='PUT' zosConnectServiceRef='note' operationId='putNote'/></path>
<apiDoc docType='SWAGGER'>api-docs/swagger.json</apiDoc></apiSpec></zosConnectApi>";

const SWAGGER: &str = r##"{"basePath":"/notes","paths":{"/n":{"put":{"operationId":"putNote","parameters":[
{"in":"body","schema":{"$ref":"#/definitions/n"}}],"responses":{"200":{"schema":{"$ref":"#/definitions/n"}}}}}},
"definitions":{"n":{"properties":{"Note":{"properties":{"words":{}}}}}}}"##;

const LAYOUT: &str = r#"{"si":"x/services/note/service-interfaces/N.si","copybook":"N.cpy","fields":[
{"path":"/NOTE","depth":1,"offset":1,"bytes":4,"type":"STRUCT","precision":0,"scale":0,"signed":false,"redefines":null,
"depends_on":null,"occurs_min":0,"occurs_max":0},
{"path":"/NOTE/SOME_WORDS","depth":2,"offset":1,"bytes":4,"type":"CHAR","precision":0,"scale":0,"signed":false,
"redefines":null,"depends_on":null,"occurs_min":0,"occurs_max":0}]}"#;

const VECTOR: &str = r#"{"id":"v","service":"note","copybook":"N.cpy","root":"R","kind":"response","ccsid":37,
"hex":"C1C24040","json":{"R":{"SOME_WORDS":"AB"}}}"#;

fn archive(path: &Path, entries: &[(&str, &str)]) {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(text.as_bytes()).expect("its text");
    }
    fs::write(path, writer.finish().expect("an archive").into_inner()).expect("a file");
}

/// The cases of a folder with these texts: names and messages of those that differ, and how many there are.
fn differing(swagger: &str, layout: &str, vector: &str) -> (usize, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("archives");
    fs::create_dir(&below).expect("a folder");
    archive(&below.join("note.sar"), &[("manifest.yml", MANIFEST), ("N.si", INTERFACE)]);
    archive(&below.join("notes.aar"), &[("package.xml", PACKAGE), ("api-docs\\swagger.json", swagger)]);
    fs::write(folder.path().join("layouts.jsonl"), layout.replace('\n', "")).expect("a file");
    fs::write(folder.path().join("vectors.jsonl"), vector.replace('\n', "")).expect("a file");
    let outcomes = cases(&files_below(folder.path()).expect("files"));
    let told = outcomes
        .iter()
        .filter_map(|(_, name, outcome)| Some(format!("{name}: {}\n", outcome.as_ref().err()?)));
    (outcomes.len(), told.collect())
}

#[test]
fn packages_that_agree_do() {
    assert_eq!(differing(SWAGGER, LAYOUT, VECTOR), (5, String::new()));
}

#[test]
fn differences_are_found() {
    for (from, to, expected) in [
        ("words", "text", "notes.aar operations: \"put \\\"/notes\\\"/n\": not there"),
        ("\"put\"", "\"post\"", "there is no"),
        ("putNote", "other", "not there"),
    ] {
        let (_, told) = differing(&SWAGGER.replace(from, to), LAYOUT, VECTOR);
        let plain = told.replace(['"', '\\'], "");
        assert!(plain.contains(&expected.replace(['"', '\\'], "")), "{from}: {told}");
    }
    let more = SWAGGER
        .replace("{\"in\":\"body\"", "{\"in\":\"query\",\"name\":\"q\",\"required\":true},{\"in\":\"body\"");
    assert!(differing(&more, LAYOUT, VECTOR).1.contains("query"));
    assert!(
        differing(
            SWAGGER,
            &LAYOUT.replace(
                "\"offset\":1,\"bytes\":4,\"type\":\"CHAR\"",
                "\"offset\":2,\"bytes\":4,\"type\":\"CHAR\""
            ),
            VECTOR
        )
        .1
        .contains("note line 1")
    );
    let (_, told) = differing(SWAGGER, LAYOUT, &VECTOR.replace("\"AB\"", "\"AC\""));
    assert!(told.contains("note v: JSON differ"), "{told}");
}

#[test]
fn a_package_that_cannot_be_read_is_a_fault_unless_it_asks_for_copybooks() {
    let folder = tempfile::tempdir().expect("a folder");
    archive(&folder.path().join("a.sar"), &[("manifest.yml", "name: [")]);
    archive(&folder.path().join("b.sar"), &[("manifest.yml", "name: b")]);
    let outcomes = cases(&files_below(folder.path()).expect("files"));
    let fine: Vec<(&str, bool)> =
        outcomes.iter().map(|(_, name, outcome)| (name.as_str(), outcome.is_ok())).collect();
    assert_eq!(fine, [("a.sar", false), ("b.sar", true)]);
}
