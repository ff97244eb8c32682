//! The gateway as it runs: APIs, their services and what is counted of them.

use std::sync::Arc;

use api::{Api, Router};
use service::Service;

use crate::config::{Limits, Settings};
use crate::metrics::{Metrics, OperationMetrics, ServiceMetrics};

/// Everything that a request needs, shared by all workers and never changed: a changed configuration is another one.
#[derive(Debug)]
pub(crate) struct Gateway {
    pub(crate) router: Router,
    pub(crate) limits: Limits,
    pub(crate) metrics: Arc<Metrics>,
    /// For each API, for each of its operations, in the router's order.
    targets: Vec<Vec<Target>>,
}

/// What an operation calls, and where that is counted.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) service: Arc<Service>,
    pub(crate) service_metrics: ServiceMetrics,
    pub(crate) metrics: OperationMetrics,
}

impl Gateway {
    /// Puts together what was loaded; every operation's service is known to be there.
    pub(crate) fn new(settings: Settings, metrics: Arc<Metrics>) -> Self {
        let targets = settings
            .apis
            .iter()
            .map(|api: &Api| {
                let operations = api.operations().iter();
                operations
                    .filter_map(|operation| {
                        let service = Arc::clone(settings.services.get(operation.service())?);
                        let service_metrics = metrics.service(&service.name);
                        Some(Target {
                            service,
                            service_metrics,
                            metrics: metrics.operation(api.name(), operation.id()),
                        })
                    })
                    .collect()
            })
            .collect();
        Self { router: settings.router, limits: settings.limits, metrics, targets }
    }

    /// What the operation at this place of this API calls.
    pub(crate) fn target(&self, api: usize, operation: usize) -> &Target {
        &self.targets[api][operation]
    }
}
