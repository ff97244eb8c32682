//! Listeners of queues in a configuration: checks that their targets exist.

use std::sync::Arc;

use api::{Route, Router};
use gateway::LoadedWebService;
use http::Method;
use listeners::LoadedListener;
use queue_config::{ListenerTarget, ProgramTarget, QueueManagerPlan};
use region::ProgramProvider;
use region_config::{ProgramSection, RegionUse};
use settings::GANTRY_FILE;

use super::loader::Loader;
use super::services::Services;
use super::written::GantryFile;

impl Loader<'_> {
    /// The queue manager and its listeners. `region` notes their programs.
    pub(super) fn queues(
        &mut self,
        gantry: &GantryFile,
        router: &Router,
        web_services: &[LoadedWebService],
        services: &Services,
        region: &mut RegionUse,
    ) -> (Option<QueueManagerPlan>, Vec<LoadedListener>) {
        let plan = gantry.queue_manager.as_ref().and_then(|section| section.read(self));
        self.check_triggers(plan.as_ref(), gantry, region);
        let listeners = self.queue_listeners(plan.as_ref(), services, region);
        self.check_listened_apis(plan.as_ref(), router);
        self.check_listened_web_services(plan.as_ref(), web_services);
        (plan, listeners)
    }

    /// Checks that triggers of queues start existing transactions.
    fn check_triggers(
        &mut self,
        plan: Option<&QueueManagerPlan>,
        gantry: &GantryFile,
        region: &mut RegionUse,
    ) {
        let Some(definitions) = plan.map(|plan| &plan.definitions) else { return };
        for queue in &definitions.queues {
            let trigger = &queue.attributes.trigger;
            if !trigger.enabled {
                continue;
            }
            region.note_triggers();
            let transaction = definitions.process(&trigger.process).transaction;
            if !gantry.region.has_transaction(&transaction) {
                let message = format!(
                    "the queue {} starts the transaction {transaction}: no [[region.transaction]] with a program is that",
                    queue.name
                );
                self.at_file(GANTRY_FILE, message);
            }
        }
    }

    fn queue_listeners(
        &mut self,
        plan: Option<&QueueManagerPlan>,
        services: &Services,
        region: &mut RegionUse,
    ) -> Vec<LoadedListener> {
        let mut loaded = Vec::new();
        for written in plan.iter().flat_map(|plan| &plan.listeners) {
            let mut provider = None;
            match &written.plan.target {
                ListenerTarget::Program(target) => match program(target, region) {
                    Ok(made) => provider = Some(made),
                    Err(message) => self.at(GANTRY_FILE, written.place.clone(), message),
                },
                ListenerTarget::Service { name, .. } if !services.is_known(name) => {
                    let message = format!("service '{name}' does not exist");
                    self.at(GANTRY_FILE, written.place.clone(), message);
                }
                ListenerTarget::Service { .. } | ListenerTarget::Api { .. } | ListenerTarget::Soap { .. } => {
                }
            }
            loaded.push(LoadedListener { plan: written.plan.clone(), provider });
        }
        loaded
    }

    /// Checks that requests of listeners lead to operations.
    fn check_listened_apis(&mut self, plan: Option<&QueueManagerPlan>, router: &Router) {
        for written in plan.iter().flat_map(|plan| &plan.listeners) {
            let ListenerTarget::Api { method, target } = &written.plan.target else { continue };
            let path = target.split('?').next().unwrap_or_default();
            let is_operation = Method::from_bytes(method.as_bytes())
                .is_ok_and(|method| matches!(router.route(&method, path), Route::Operation { .. }));
            if !is_operation {
                let message = format!("no operation of an API is {method} {path}");
                self.at(GANTRY_FILE, written.place.clone(), message);
            }
        }
    }

    /// Checks that the web services of listeners exist.
    fn check_listened_web_services(
        &mut self,
        plan: Option<&QueueManagerPlan>,
        web_services: &[LoadedWebService],
    ) {
        for written in plan.iter().flat_map(|plan| &plan.listeners) {
            let ListenerTarget::Soap { path: Some(path) } = &written.plan.target else { continue };
            if !web_services.iter().any(|loaded| loaded.service.path == *path) {
                let message = format!("there is no web service at {path}");
                self.at(GANTRY_FILE, written.place.clone(), message);
            }
        }
    }
}

fn program(target: &ProgramTarget, region: &mut RegionUse) -> Result<Arc<ProgramProvider>, String> {
    let mut section = ProgramSection::of(&target.program, target.channel.clone());
    section.request_container.clone_from(&target.request_container);
    section.response_container.clone_from(&target.response_container);
    if let Some(transaction) = &target.transaction {
        section.transaction.clone_from(transaction);
    }
    region.message_provider(&section).map(Arc::new)
}
