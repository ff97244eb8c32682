//! Tests `gantry import`: it turns packages into a valid folder, and overwrites nothing.

use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Output};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::folder::Folder;
use crate::process::Gantry;

pub(crate) fn archive(path: &Path, entries: &[(&str, &str)]) {
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

pub(crate) const MANIFEST: &str = "name: order\nprovider: CICS-1.0\nproviderProperties:
- {propertyName: dataXformType, value: WALKER_VISITOR}
- {propertyName: wvRequestInterfaceFile, value: \"files\\\\O.si\"}
- {propertyName: wvResponseInterfaceFile, value: files/O.si}
- {propertyName: ccsid, value: \"37\"}
";

pub(crate) const INTERFACE: &str = "<m><message><segment name='COMMAREA'><field name='order' originalName='ORDER_REC'>
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

pub(crate) fn map(field: &str) -> String {
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

/// `check` warns of a package in the folder `packages` with the notes of `import`.
#[test]
fn what_a_package_cannot_say_here_is_warned_of() {
    let folder = Folder::empty().with("gantry.toml", "");
    std::fs::create_dir(folder.path().join("packages")).expect("a folder");
    let entries = [("manifest.yml", MANIFEST), ("files/O.si", INTERFACE), ("cics.xml", "<x/>")];
    archive(&folder.path().join("packages/order.sar"), &entries);
    let check = Command::new(env!("CARGO_BIN_EXE_gantry")).arg("check").arg(folder.path()).output();
    let check = check.expect("the binary runs");
    let told = text(&check.stderr);
    assert!(check.status.success(), "{told}");
    let expected = "packages/order.sar!cics.xml: is not read, and nothing of it is imported";
    assert!(told.contains(expected), "{told}");
}

/// Settings beside a package add what it cannot have: its provider, its callers, policies and the
/// like.
#[test]
fn settings_stand_beside_packages() {
    let folder = Folder::empty();
    packages(&folder, "orderId");
    let folder = folder
        .with("gantry.toml", "")
        .with("packages/order.toml", "[provider]\nkind = \"simulated\"\nanswer = \"echo\"\n")
        .with("packages/shop.aar.toml", "[limits]\nconcurrent_max = 7\n");
    for name in ["order.sar", "shop.aar"] {
        std::fs::rename(folder.path().join(name), folder.path().join("packages").join(name)).expect("moved");
    }
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"order":{"note":{"words":"abc"}}}"#;
    let answer = r#"{"order":{"orderId":17,"note":{"words":"abc"}}}"#;
    gantry.put("/shop/orders/17", body).is_json(200, answer);
    gantry.stop();

    let wrong = |name: &str, text: &str| {
        let path = folder.path().join("packages").join(name);
        let before = std::fs::read(&path).ok();
        std::fs::write(&path, text).expect("a file");
        let check = Command::new(env!("CARGO_BIN_EXE_gantry")).arg("check").arg(folder.path()).output();
        match before {
            Some(bytes) => std::fs::write(&path, bytes).expect("a file"),
            None => std::fs::remove_file(&path).expect("a file"),
        }
        self::text(&check.expect("the binary runs").stderr)
    };
    let told = wrong("shop.aar.toml", "\nbase_path = \"/x\"\n");
    assert!(told.contains("packages/shop.aar.toml:2: 'base_path' is not a setting of a package"), "{told}");
    let told = wrong("none.toml", "timeout_ms = 1\n");
    assert!(told.contains("there is no package 'none' beside these settings"), "{told}");
    let told = wrong("shop.aar.toml", "[services.other]\ntimeout_ms = 1\n");
    assert!(told.contains("service 'other' does not exist in the package"), "{told}");
}

/// The gateway reads an unpacked package like an archive.
#[test]
fn an_unpacked_package_serves() {
    let provider = "[providers.order]\nkind = \"simulated\"\nanswer = \"echo\"\n";
    let folder = Folder::empty()
        .with("gantry.toml", provider)
        .with(
            "packages/orders/service.properties",
            "name=order\nrequestSIName=O.si\nresponseSIName=O.si\nccsid=37\n",
        )
        .with("packages/orders/service-interfaces/O.si", INTERFACE);
    packages(&folder, "orderId");
    std::fs::rename(folder.path().join("shop.aar"), folder.path().join("packages/shop.aar")).expect("moved");
    let gantry = Gantry::folder(folder.path());
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
    assert!(
        text(&refused.stderr).contains("these files exist with another text"),
        "{}",
        text(&refused.stderr)
    );
    assert!(!folder.path().join("conf/apis").exists());
    assert!(import(&folder, &["shop.aar", "order.sar", "--into", "conf", "--force"]).status.success());
    // A second import changes nothing, and is not a fault.
    let again = import(&folder, &["shop.aar", "order.sar", "--into", "conf"]);
    assert!(again.status.success() && !text(&again.stdout).contains("wrote"), "{}", text(&again.stdout));
    // A link that leads nowhere is somebody's file, too.
    let linked = Folder::empty();
    packages(&linked, "orderId");
    std::fs::create_dir_all(linked.path().join("conf/services")).expect("a folder");
    let target = linked.path().join("elsewhere.toml");
    std::os::unix::fs::symlink(&target, linked.path().join("conf/services/order.toml")).expect("a link");
    let refused = import(&linked, &["shop.aar", "order.sar", "--into", "conf"]);
    assert!(
        text(&refused.stderr).contains("these files exist with another text"),
        "{}",
        text(&refused.stderr)
    );
    assert!(!target.exists());
    // If one archive cannot be read, the command writes nothing.
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

/// A program that runs here uses the region's code page, not the mainframe's. So does its service.
#[test]
fn services_are_imported_with_another_code_page() {
    let folder = Folder::empty();
    packages(&folder, "orderId");
    let output = import(&folder, &["order.sar", "--into", "conf", "--ccsid", "819"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let service = std::fs::read_to_string(folder.path().join("conf/services/order.toml")).expect("a service");
    assert!(service.contains("\nccsid = 819\n") && !service.contains("ccsid = 37"), "{service}");
    let output = import(&folder, &["order.sar", "--into", "other", "--ccsid", "1"]);
    assert!(!output.status.success() && text(&output.stderr).contains("there is no code page 1"));
}
