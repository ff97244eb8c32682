//! `gantry import`: packages become a folder that is checked and served, and nothing is written over.

use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Output};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::folder::Folder;
use crate::process::Gantry;

fn archive(path: &Path, entries: &[(&str, &str)]) {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(text.as_bytes()).expect("its text");
    }
    std::fs::write(path, writer.finish().expect("an archive").into_inner()).expect("a file");
}

fn import(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gantry"))
        .arg("import")
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const MANIFEST: &str = "name: order\nprovider: CICS-1.0\nproviderProperties:
- {propertyName: dataXformType, value: WALKER_VISITOR}
- {propertyName: wvRequestInterfaceFile, value: \"files\\\\O.si\"}
- {propertyName: wvResponseInterfaceFile, value: files/O.si}
- {propertyName: ccsid, value: \"37\"}
";

const INTERFACE: &str = "<m><message><segment name='COMMAREA'><field name='order' originalName='ORDER_REC'>
<startPos>1</startPos><bytes>14</bytes><applicationDatatype datatype='STRUCT'/>
<field name='orderId' originalName='ORDER_ID'><startPos>1</startPos><bytes>6</bytes>
<marshaller><typeConverter>ZONEDDECIMAL</typeConverter></marshaller>
<applicationDatatype datatype='DECIMAL' precision='6'/></field>
<field name='note' originalName='NOTE'><startPos>7</startPos><bytes>8</bytes><applicationDatatype datatype='STRUCT'/>
<field name='words' originalName='WORDS'><startPos>7</startPos><bytes>8</bytes>
<applicationDatatype datatype='CHAR'/></field></field></field></segment></message></m>";

const PACKAGE: &str = "<zosConnectApi id='shop'><apiSpec title='Shop' basePath='/shop' version='1.0.0'>
<path relativePath='/orders/{id}'><method type='PUT' zosConnectServiceRef='order' httpXformFile='api/m.xml'/></path>
</apiSpec></zosConnectApi>";

const MAPPING: &str = "<ZosConnectServiceMapping><requestMessage>
<mappingRootModel type='MSL' location='api/r.map'/></requestMessage></ZosConnectServiceMapping>";

fn map(field: &str) -> String {
    format!(
        "<mappingRoot><mappingDeclaration><output path='$rootOutput/order'/><passthrough><updates>
         <move><input path='PathParameters/id'/><output path='{field}'/></move>
         </updates></passthrough></mappingDeclaration></mappingRoot>"
    )
}

fn packages(folder: &Folder, field: &str) {
    archive(&folder.path().join("order.sar"), &[("manifest.yml", MANIFEST), ("files/O.si", INTERFACE)]);
    let map = map(field);
    let entries = [("package.xml", PACKAGE), ("api/m.xml", MAPPING), ("api\\r.map", map.as_str())];
    archive(&folder.path().join("shop.aar"), &entries);
}

/// Binds the simulated provider to the imported service.
fn provide(folder: &Folder) {
    let path = folder.path().join("conf/services/order.toml");
    let service = std::fs::read_to_string(&path).expect("the service file");
    let service = service + "\n[provider]\nkind = \"simulated\"\nanswer = \"echo\"\n";
    std::fs::write(path, service).expect("a service file");
}

#[test]
fn imported_packages_are_served() {
    let folder = Folder::empty();
    packages(&folder, "orderId");
    let output = import(&folder, &["shop.aar", "order.sar", "--into", "conf"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    for line in [
        "shop.aar: API shop 1.0.0",
        "order.sar: service order",
        "wrote conf/apis/shop/api.toml",
        "wrote conf/gantry.toml",
    ] {
        assert!(told.contains(line), "{line} in\n{told}");
    }
    provide(&folder);
    let gantry = Gantry::folder(&folder.path().join("conf"));
    let body = r#"{"order":{"note":{"words":"abc"}}}"#;
    let answer = r#"{"order":{"orderId":17,"note":{"words":"abc"}}}"#;
    gantry.put("/shop/orders/17", body).is_json(200, answer);
}

#[test]
fn a_mapping_of_a_field_that_the_service_does_not_have_is_found() {
    let folder = Folder::empty();
    packages(&folder, "note/number");
    assert!(import(&folder, &["shop.aar", "order.sar", "--into", "conf"]).status.success());
    provide(&folder);
    let check =
        Command::new(env!("CARGO_BIN_EXE_gantry")).arg("check").arg(folder.path().join("conf")).output();
    let told = text(&check.expect("the binary runs").stderr);
    assert!(told.contains("api.toml:13: the service's JSON has no field '/note/number'"), "{told}");
}

#[test]
fn nothing_is_written_over_and_nothing_by_halves() {
    let folder = Folder::empty().with("conf/services/order.toml", "mine\n");
    packages(&folder, "orderId");
    let refused = import(&folder, &["shop.aar", "order.sar", "--into", "conf"]);
    assert!(!refused.status.success());
    assert!(text(&refused.stderr).contains("already there, and not the same"), "{}", text(&refused.stderr));
    assert!(!folder.path().join("conf/apis").exists());
    assert!(import(&folder, &["shop.aar", "order.sar", "--into", "conf", "--force"]).status.success());
    // The same again changes nothing, and is no fault.
    let again = import(&folder, &["shop.aar", "order.sar", "--into", "conf"]);
    assert!(again.status.success() && !text(&again.stdout).contains("wrote"), "{}", text(&again.stdout));
    // One that cannot be read keeps all from being written.
    std::fs::write(folder.path().join("bad.aar"), "no archive").expect("a file");
    let refused = import(&folder, &["shop.aar", "bad.aar", "--into", "other"]);
    assert!(text(&refused.stderr).contains("error: bad.aar:"), "{}", text(&refused.stderr));
    assert!(!folder.path().join("other").exists());
}

#[test]
fn folders_and_server_configurations_are_read_too() {
    let folder =
        Folder::empty().with("project/manifest.yml", MANIFEST).with("project/files/O.si", INTERFACE).with(
            "server.xml",
            "<server><httpEndpoint httpPort='9080'/><keyStore id='k' password='hidden'/></server>",
        );
    let output = import(&folder, &["project", "server.xml", "--into", "conf"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("note: server.xml:1: keyStore k:"), "{}", text(&output.stdout));
    assert!(!text(&output.stdout).contains("hidden"));
    let settings = std::fs::read_to_string(folder.path().join("conf/gantry.toml")).expect("gantry.toml");
    assert!(settings.contains("address = \"127.0.0.1:9080\""), "{settings}");
    let wrong = import(&folder, &["project", "--into", "conf", "--copybook", "X=Y"]);
    assert!(text(&wrong.stderr).contains("expected REQUEST=FILE"));
}
