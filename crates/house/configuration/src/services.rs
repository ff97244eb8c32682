//! All services of the configuration, and their providers in `gantry.toml`.

use std::collections::{BTreeMap, HashMap, HashSet};

use ::api::ServiceInterface;
use connector::config::GroupFiles;
use conversion::Conversion;
use providers::Origin;
use region_config::{Converted, RegionUse};
use remote::config::Connections;
use security::Access;
use settings::GANTRY_FILE;
use toml::Spanned;
use web_service::Wsdls;
use web_services::Pipelines;

use super::loader::Loader;
use super::own_programs::Gives;
use super::service::ServiceLoader;
use super::written::{GantryFile, ProviderSection, ServiceFile};
use admission::Security;
use admission::config::OwnSecuritySection;
use gateway::RunningService;
use queue_config::QueueUse;

/// The inputs of services: the configuration, and the results of earlier stages.
pub(super) struct Given<'g> {
    pub(super) gantry: &'g GantryFile,
    pub(super) connections: &'g mut Connections,
    pub(super) groups: &'g mut GroupFiles,
    /// Notes the programs of services.
    pub(super) region: &'g mut RegionUse,
    /// The place where providers find the queue manager.
    pub(super) queues: &'g mut QueueUse,
    /// `[[pipeline]]`.
    pub(super) pipelines: &'g Pipelines,
    /// The WSDLs that services and API requesters name.
    pub(super) wsdls: &'g mut Wsdls,
}

/// The targets of services outside of their own files.
pub(super) struct Backs {
    pub(super) connections: Connections,
    pub(super) groups: GroupFiles,
    pub(super) region: RegionUse,
    pub(super) queues: QueueUse,
    pipelines: Pipelines,
    wsdls: Wsdls,
}

impl Backs {
    pub(super) fn read(loader: &mut Loader<'_>, gantry: &GantryFile) -> Self {
        Self {
            connections: Connections::read(loader, &gantry.connections),
            groups: GroupFiles::read(loader),
            region: RegionUse::of(&gantry.region),
            pipelines: {
                let names = gantry.listener.iter().filter_map(|section| section.name.as_ref());
                let names: Vec<&str> = names.map(|name| name.get_ref().as_str()).collect();
                Pipelines::read(loader, &gantry.pipeline, &names)
            },
            wsdls: Wsdls::default(),
            queues: QueueUse { is_there: has_queue_manager(loader, gantry), ..QueueUse::default() },
        }
    }

    pub(super) fn given<'g>(&'g mut self, gantry: &'g GantryFile) -> Given<'g> {
        let Self { connections, groups, region, queues, pipelines, wsdls } = self;
        Given { gantry, connections, groups, region, queues, pipelines, wsdls }
    }
}

/// True if there is a queue manager, also a faulty one.
pub(super) fn has_queue_manager(loader: &Loader<'_>, gantry: &GantryFile) -> bool {
    gantry.queue_manager.is_some() || loader.has_faulty("queue_manager")
}

/// The services of a configuration.
#[derive(Default)]
pub(super) struct Services {
    pub(super) running: BTreeMap<String, RunningService>,
    pub(super) interfaces: HashMap<String, ServiceInterface>,
    pub(super) conversions: HashMap<String, Conversion>,
    pub(super) security: HashMap<String, OwnSecuritySection>,
    /// Names of services with faulty files.
    pub(super) faulty: HashSet<String>,
    /// Names of programs in `[providers]` that serve API projects.
    pub(super) programs: HashSet<String>,
}

impl Services {
    /// True if there is a service of this name, even a faulty one.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.running.contains_key(name) || self.faulty.contains(name)
    }

    /// Adds a service without a service file.
    pub(super) fn add(&mut self, name: &str, service: RunningService) {
        self.conversions.insert(name.to_owned(), service.conversion.clone());
        self.running.insert(name.to_owned(), service);
    }

    /// The provider of a service in `gantry.toml`, by its name or by that of its program.
    pub(super) fn bound<'g>(
        &mut self,
        gantry: &'g GantryFile,
        name: &str,
        program: Option<&str>,
    ) -> Option<&'g Spanned<ProviderSection>> {
        let find = |wanted: &str| gantry.providers.iter().find(|(known, _)| known.get_ref() == wanted);
        let (known, section) = find(name).or_else(|| program.and_then(find))?;
        self.programs.insert(known.get_ref().clone());
        Some(section)
    }

    /// The same, or else the program itself if it is in `programs/`.
    pub(super) fn bound_or_own<'g>(
        &mut self,
        gantry: &'g GantryFile,
        name: &str,
        (program, gives): (&str, Gives),
    ) -> Option<&'g Spanned<ProviderSection>> {
        let own = gantry.own_programs.provider(program, gives);
        self.bound(gantry, name, Some(program)).or(own)
    }

    /// The conversion of a service's payload into JSON or XML, if it is known.
    pub(super) fn converted(&self, name: &str) -> Converted<'_> {
        match self.running.get(name) {
            Some(running) => Converted::By(&running.conversion),
            None if self.faulty.contains(name) => Converted::Faulty,
            None => Converted::Unknown,
        }
    }

    /// True if there is a service of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.running.contains_key(name)
    }

    /// The access rules for direct calls of services.
    pub(super) fn access(&self, security: &Security) -> HashMap<String, Access> {
        let access = |(name, own): (&String, &OwnSecuritySection)| (name.clone(), own.access(security));
        self.security.iter().map(access).collect()
    }
}

impl Loader<'_> {
    /// Loads the services of all files.
    pub(super) fn services(&mut self, given: &mut Given<'_>) -> Services {
        let gantry = given.gantry;
        let record_max_bytes = gantry.limits.record_max_bytes;
        let mut services = Services::default();
        for entry in self.entries("services") {
            let path = format!("services/{entry}");
            let Some(name) = entry.strip_suffix(".toml") else {
                let shown = self.files.display(&path);
                self.problems.add(&shown, None, "is not a service: files in services/ end with .toml");
                continue;
            };
            let loaded = match self.parse::<ServiceFile>(&path) {
                Some((file, _)) => {
                    let bound = match &file.program {
                        Some(program) if file.names_no_provider() => {
                            services.bound_or_own(gantry, name, (program, file.gives()))
                        }
                        program => services.bound(gantry, name, program.as_deref()),
                    };
                    let transforms = &gantry.region.transform;
                    let mut loader = ServiceLoader {
                        loader: self,
                        given: &mut *given,
                        path: &path,
                        name,
                        record_max_bytes,
                        origin: Origin::File,
                        bound,
                        is_transformed: transforms.iter().any(|section| section.service.get_ref() == name),
                    };
                    let loaded = loader.service(&file);
                    services.security.insert(name.to_owned(), file.security);
                    loaded
                }
                None => None,
            };
            match loaded {
                Some((service, interface)) => {
                    services.add(name, service);
                    if let Some(interface) = interface {
                        services.interfaces.insert(name.to_owned(), interface);
                    }
                }
                None => {
                    services.faulty.insert(name.to_owned());
                }
            }
        }
        services
    }

    /// Reports providers for services that do not exist.
    pub(super) fn check_providers(&mut self, gantry: &GantryFile, services: &Services) {
        for name in gantry.providers.keys() {
            let known = name.get_ref();
            let is_used = services.programs.contains(known)
                || services.running.contains_key(known)
                || services.faulty.contains(known);
            // The service may be in a faulty package.
            let message = format!("service '{known}' does not exist");
            match self.problems.faulty_part_count() {
                _ if is_used => {}
                0 => self.at(GANTRY_FILE, name.span(), message),
                _ => self.warn_at(GANTRY_FILE, name.span(), message),
            }
        }
    }
}
