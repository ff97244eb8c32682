//! From `requesters/NAME/requester.toml` to an API requester: its operations, each with records and a way over HTTP.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use api::Interface;
use record::{Bind, Options};
use region::UriForm;
use security::Access;
use toml::Spanned;

use super::super::loader::Loader;
use super::super::problem::{Problem, Severity};
use super::super::service::{Pages, ServiceLoader};
use super::super::written::{GantryFile, InterfaceSection};
use super::exchange::{ExchangeReader, Sides};
use super::written::{RequesterFile, RequesterOperationSection};
use crate::outbound::{Requester, RequesterOperation};
use crate::security::Security;

/// The folder of API requesters.
const FOLDER: &str = "requesters";

impl Loader<'_> {
    /// Reads all API requesters.
    pub(in super::super) fn requesters(
        &mut self,
        gantry: &GantryFile,
        security: &mut Security,
    ) -> BTreeMap<String, Requester> {
        let mut requesters = BTreeMap::new();
        let mut administered = HashMap::new();
        for name in self.entries(FOLDER) {
            let path = format!("{FOLDER}/{name}/requester.toml");
            let Some((file, _)) = self.parse::<RequesterFile>(&path) else { continue };
            let mut reader = RequesterReader {
                records: ServiceLoader {
                    loader: &mut *self,
                    path: &path,
                    name: &name,
                    record_max_bytes: gantry.limits.record_max_bytes,
                    uri: UriForm::Url,
                    bound: None,
                },
            };
            let (administration, access) = file.security.access(security.access());
            if let Some(requester) = reader.requester(&file, access) {
                administered.insert(name.clone(), administration);
                requesters.insert(name, requester);
            }
        }
        security.set_requesters(administered);
        requesters
    }
}

struct RequesterReader<'a, 'f> {
    records: ServiceLoader<'a, 'f>,
}

impl RequesterReader<'_, '_> {
    fn requester(&mut self, file: &RequesterFile, access: Access) -> Option<Requester> {
        let connection_name = file.connection.get_ref().clone();
        let connection = self.records.loader.connections.get(&connection_name).cloned();
        let mut fine = connection.is_some() || self.no_connection(file);
        let base_path = file.base_path.as_ref().map_or("", |path| path.get_ref().trim_end_matches('/'));
        let pages = Pages {
            ccsid: &file.ccsid,
            national: file.national_ccsid.as_ref(),
            dbcs: file.dbcs_ccsid.as_ref(),
        };
        let options = self.records.options(pages, file.naming)?;
        let mut operations = BTreeMap::new();
        for section in &file.operation {
            let name = section.name.get_ref();
            match self.operation(section, base_path, &options) {
                Some(operation) if !operations.contains_key(name) => {
                    operations.insert(name.clone(), operation);
                }
                Some(_) => {
                    self.at(&section.name, format!("there are two operations '{name}'"));
                    fine = false;
                }
                None => fine = false,
            }
        }
        fine.then(|| Requester {
            name: self.records.name.to_owned(),
            version: file.version.clone().unwrap_or_else(|| "1.0.0".to_owned()),
            description: file.description.clone(),
            connection_name,
            connection,
            base_path: base_path.to_owned(),
            access,
            timeout: Duration::from_millis(file.timeout_ms),
            operations,
        })
    }

    fn at<T>(&mut self, word: &Spanned<T>, message: impl Into<String>) {
        self.records.loader.at(self.records.path, word.span(), message);
    }

    /// A text file names a connection that there is. A package only says how its connection is called: until there is
    /// one, its calls are refused. True if that is the case.
    fn no_connection(&mut self, file: &RequesterFile) -> bool {
        let name = file.connection.get_ref();
        if self.records.loader.connections.is_faulty(name) {
            return false;
        }
        let message = self.records.loader.connections.unknown(name);
        let ServiceLoader { loader, path, .. } = &mut self.records;
        let packaged = loader.files.is_packaged(path);
        let help = packaged.then(|| "until there is, calls of this API requester are refused".to_owned());
        loader.problems.push(Problem {
            severity: if packaged { Severity::Warning } else { Severity::Error },
            file: loader.files.display(path),
            span: Some(file.connection.span()),
            message,
            help,
        });
        packaged
    }

    fn operation(
        &mut self,
        section: &RequesterOperationSection,
        base_path: &str,
        options: &Options,
    ) -> Option<RequesterOperation> {
        let request = self.record(section.request.as_ref(), options);
        let mut answers = Vec::new();
        for answer in &section.http.get_ref().responses {
            answers.push(self.record(answer.get_ref().record.as_ref(), options));
        }
        let request = request?;
        let responses: Vec<Option<Interface>> = answers
            .into_iter()
            .map(|side| side.map(|side| side.map(|(interface, _)| interface)))
            .collect::<Option<_>>()?;
        let sides = Sides {
            request: request.as_ref().map(|(interface, _)| interface),
            responses: &responses,
            usual: None,
        };
        let mut reader =
            ExchangeReader { loader: &mut *self.records.loader, path: self.records.path, base_path };
        let plan = reader.operation(&section.http, sides)?;
        Some(RequesterOperation {
            method: plan.request.method.to_string(),
            path: section.http.get_ref().path.get_ref().clone(),
            plan: Arc::new(plan),
            request_bind: request.map(|(_, bind)| Arc::new(bind)),
        })
    }

    /// The record of a section, if there is one; none around it if it has faults.
    #[expect(clippy::option_option, reason = "the outer one is a fault that was told")]
    fn record(
        &mut self,
        section: Option<&Spanned<InterfaceSection>>,
        options: &Options,
    ) -> Option<Option<(Interface, Bind)>> {
        match section {
            None => Some(None),
            Some(section) => self.records.interface(section, options.clone(), None).map(Some),
        }
    }
}
