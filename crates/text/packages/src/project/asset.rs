//! Assets with interface files in the project: a commarea or message becomes a service file.

use crate::File;
use crate::archive::Tree;
use crate::fault::{Fault, Notes};
use crate::limits::Limits;
use crate::manifest::Manifest;
use crate::service;

use super::{Asset, Project};

/// The interfaces of an asset, in its folder: one for requests and one for answers.
const INTERFACES: [(&str, &str); 2] = [
    ("wvRequestInterfaceFile", "providerFiles/request.dai"),
    ("wvResponseInterfaceFile", "providerFiles/response.dai"),
];

impl Asset {
    /// True if the project has interfaces with its structures.
    #[must_use]
    pub fn has_interfaces(&self) -> bool {
        INTERFACES.iter().all(|(_, end)| self.files.iter().any(|file| file.ends_with(end)))
    }

    /// The name of its program or transaction; empty if the project does not have it.
    #[must_use]
    pub fn program(&self) -> &str {
        let property = |name: &str| self.properties.get(name).map(String::as_str);
        property("program")
            .or_else(|| property("trancode"))
            .or_else(|| property("transactionCode"))
            .unwrap_or_default()
    }

    /// The name of its service, below the name of the API.
    #[must_use]
    pub fn service_name(&self, api: &str) -> String {
        format!("{api}.{}", self.name)
    }
}

impl Project {
    /// The service files and copybooks of assets that have interfaces. `files` are the project's files, `api`
    /// is the name of its API.
    ///
    /// # Errors
    /// The faults of the interfaces.
    pub fn services(
        &self,
        api: &str,
        files: &[(String, Vec<u8>)],
        limits: &Limits,
    ) -> Result<Vec<File>, Vec<Fault>> {
        let tree = Tree::of_files(files, limits)?;
        let mut notes = Notes::default();
        let (mut services, mut faults) = (Vec::new(), Vec::new());
        for asset in self.assets.iter().filter(|asset| asset.has_interfaces()) {
            match service::by_interfaces(&tree, &self.manifest(asset, api), limits, &mut notes) {
                Ok(files) => services.extend(files),
                Err(found) => faults.extend(found),
            }
        }
        if faults.is_empty() { Ok(services) } else { Err(faults) }
    }

    /// An asset in the form of the manifest of a service archive.
    fn manifest(&self, asset: &Asset, api: &str) -> Manifest {
        let mut properties: Vec<(String, String, usize)> =
            asset.properties.iter().map(|(name, value)| (name.clone(), value.clone(), 0)).collect();
        if let (None, Some(ccsid)) = (asset.properties.get("ccsid"), self.options.get("ccsid")) {
            properties.push(("ccsid".to_owned(), ccsid.clone(), 0));
        }
        for (property, end) in INTERFACES {
            if let Some(file) = asset.files.iter().find(|file| file.ends_with(end)) {
                properties.push((property.to_owned(), file.clone(), 0));
            }
        }
        Manifest {
            file: asset.file.clone(),
            name: asset.service_name(api),
            version: self.version.clone(),
            description: asset.description.clone(),
            provider: asset.kind.clone(),
            request_schema: None,
            response_schema: None,
            properties,
            by_mappings: true,
        }
    }
}
