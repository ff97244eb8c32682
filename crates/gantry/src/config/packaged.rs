//! Packages of others in the folder `packages`: each stands for text files of ours, which load as if they were there.

use std::collections::BTreeMap;
use std::sync::Arc;

use packages::Limits;

use super::files::Files;
use super::problem::Problems;

/// The folder of packages.
pub(crate) const FOLDER: &str = "packages";

/// The files with those that packages stand for; what is wrong with a package is noted.
pub(super) fn with_packages(files: &Files, problems: &mut Problems) -> Files {
    let names = match files.list(FOLDER) {
        Ok(names) => names,
        Err(error) => {
            problems.add(&files.display(FOLDER), None, format!("cannot be read: {error}"));
            Vec::new()
        }
    };
    let mut texts: BTreeMap<String, (String, String)> = BTreeMap::new();
    for name in names {
        let path = format!("{FOLDER}/{name}");
        let shown = files.display(&path);
        let bytes = match files.read_bytes(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.add(&shown, None, format!("cannot be read: {error}"));
                continue;
            }
        };
        let package = match packages::read(&name, &bytes, &Limits::default()) {
            Ok(package) => package,
            Err(faults) => {
                faults.iter().for_each(|fault| problems.add(&shown, None, fault.to_string()));
                continue;
            }
        };
        for file in package.files() {
            // Packages carry the services that they need, so two may have the same one.
            let known = texts.get(&file.path).map(|(text, from)| (text == &file.text, from.clone()));
            let other = match known {
                Some((true, _)) => continue,
                Some((false, from)) => Some(files.display(&from)),
                None => files.read(&file.path).is_ok().then(|| files.display(&file.path)),
            };
            if let Some(other) = other {
                problems.add(&shown, None, format!("its {} is also in {other}, and differs", file.path));
                continue;
            }
            texts.insert(file.path.clone(), (file.text.clone(), path.clone()));
        }
    }
    if texts.is_empty() {
        return files.clone();
    }
    Files::Packaged { base: Box::new(files.clone()), texts: Arc::new(texts) }
}
