//! The gateway as it runs: APIs, their services and what is counted of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{Api, Router};
use service::Service;

use crate::config::{Limits, RunningService, Settings};
use crate::metrics::{Metrics, OperationMetrics, ServiceMetrics};
use crate::security::{ApiGuard, OperationGuard, Security};
use crate::switches::{Kind, Switch, Switches};

/// Everything that a request needs, shared by all workers and never changed: a changed configuration is another one.
#[derive(Debug)]
pub(crate) struct Gateway {
    pub(crate) router: Router,
    pub(crate) limits: Limits,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) security: Arc<Security>,
    guards: Vec<ApiGuard>,
    /// In the router's order.
    pub(crate) apis: Vec<ApiEntry>,
    pub(crate) services: BTreeMap<String, ServiceEntry>,
    /// For each API, for each of its operations, in the router's order.
    targets: Vec<Vec<Target>>,
}

/// An API and whether it is started.
#[derive(Debug)]
pub(crate) struct ApiEntry {
    pub(crate) api: Api,
    pub(crate) switch: Switch,
}

/// A service, whether it is started, and where its calls are counted.
#[derive(Debug)]
pub(crate) struct ServiceEntry {
    pub(crate) running: RunningService,
    pub(crate) metrics: ServiceMetrics,
    pub(crate) switch: Switch,
}

/// What an operation calls, and where that is counted.
#[derive(Debug)]
pub(crate) struct Target {
    /// One for each call of the operation, in their order.
    pub(crate) callees: Vec<Callee>,
    pub(crate) metrics: OperationMetrics,
    api: Switch,
}

/// A service that an operation calls.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub(crate) service: Arc<Service>,
    pub(crate) metrics: ServiceMetrics,
    switch: Switch,
}

impl Gateway {
    /// Puts together what was loaded; every operation's service is known to be there.
    pub(crate) fn new(settings: Settings, metrics: Arc<Metrics>, switches: &Switches) -> Self {
        let service = |(name, running): (String, RunningService)| {
            let metrics = metrics.service(&name);
            let switch = switches.of(Kind::Service, &name);
            (name, ServiceEntry { running, metrics, switch })
        };
        let services: BTreeMap<String, ServiceEntry> = settings.services.into_iter().map(service).collect();
        let mut apis = Vec::new();
        let mut targets = Vec::new();
        for api in settings.apis {
            let switch = switches.of(Kind::Api, api.name());
            let callee = |name: &str| {
                let entry = services.get(name)?;
                Some(Callee {
                    service: Arc::clone(&entry.running.service),
                    metrics: entry.metrics.clone(),
                    switch: entry.switch.clone(),
                })
            };
            let operations = api.operations().iter().map(|operation| Target {
                callees: operation.services().filter_map(callee).collect(),
                metrics: metrics.operation(api.name(), operation.id()),
                api: switch.clone(),
            });
            targets.push(operations.collect());
            apis.push(ApiEntry { api, switch });
        }
        Self {
            router: settings.router,
            limits: settings.limits,
            metrics,
            security: Arc::new(settings.security),
            guards: settings.guards,
            apis,
            services,
            targets,
        }
    }

    /// What the operation at this place of this API calls.
    pub(crate) fn target(&self, api: usize, operation: usize) -> &Target {
        &self.targets[api][operation]
    }

    /// What guards this API.
    pub(crate) fn guard(&self, api: usize) -> &ApiGuard {
        &self.guards[api]
    }

    /// What guards the operation at this place of this API.
    pub(crate) fn operation_guard(&self, api: usize, operation: usize) -> &OperationGuard {
        &self.guards[api].operations[operation]
    }
}

impl Target {
    /// True if the API and its services are started.
    pub(crate) fn is_started(&self) -> bool {
        self.api.is_started() && self.callees.iter().all(|callee| callee.switch.is_started())
    }
}
