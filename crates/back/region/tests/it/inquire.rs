//! INQUIRE PROGRAM: what a region knows of its programs from the start.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use region::{Region, Settings};
use wire::{Interface, name};

use crate::programs::folder;
use crate::region::{request, settings, text};

async fn looked_up(region: &Arc<Region>, program: &str, refused: &[&str]) -> String {
    let commarea = format!("{program:8}{:32}", "");
    let mut request = request("LOOKUP", Interface::Commarea(commarea.into_bytes()));
    request.refused_programs = refused.iter().map(|program| name(program)).collect();
    text(region.run(request).await.expect("an answer")).trim_end().to_owned()
}

#[tokio::test]
async fn a_region_knows_its_programs_without_a_look_at_the_disk() {
    let own = tempfile::tempdir().expect("a folder");
    // Workers are another user.
    std::fs::set_permissions(own.path(), PermissionsExt::from_mode(0o755)).expect("a mode");
    for program in ["LOOKUP", "SUB", "ECHO"] {
        let file = format!("{program}.so");
        std::fs::copy(folder().join(&file), own.path().join(&file)).expect("a copy");
    }
    let sub = own.path().join("SUB.so");
    let bytes = std::fs::metadata(&sub).expect("the program").len();
    let region = Region::start(Settings { programs: own.path().to_owned(), ..settings() }).expect("a region");
    std::fs::remove_file(&sub).expect("the program");
    assert_eq!(looked_up(&region, "SUB", &[]).await, format!("SUB     {bytes:08}SUB"));
    let all = looked_up(&region, "ECHO", &["LOOKUP"]).await;
    assert_eq!(&all[16..], "ECHO    SUB", "a browse passes over what the user may not run");
}
