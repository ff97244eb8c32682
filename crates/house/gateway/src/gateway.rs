//! The running gateway: APIs, their services and their metrics.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use api::{Api, Operation, Router};
use http::HeaderMap;
use interceptor::policy::{Property, RuleSet};
use pipeline::containers::{SOAP_LEVEL, URI, text};
use record::Bind;
use region::Region;
use requesters::{Requester, WebClient};
use service::{Container, Content, Service};
use soap::{Version, WebService};

use crate::handler::CountedService;
use crate::loaded::{GatewaySettings, Limits, LoadedApi, LoadedWebService, LogFormat, RunningService};
use crate::mcp::Mcp;
use crate::messaging::Desk;
use crate::uri_maps::UriMaps;
use admission::{ApiGuard, OperationGuard, Security};
use metrics::{Metrics, OperationMetrics, ServiceMetrics};
use recording::Journals;
use recording::chains::{Chain, Chains};
use recording::traces::Traces;
use switches::{Kind, Switch, Switches};

/// Everything that a request needs. All workers share it, and it never changes: a changed
/// configuration makes another one.
#[derive(Debug)]
pub struct Gateway {
    /// Leads paths to operations and documents.
    pub router: Router,
    /// Limits for each client.
    pub limits: Limits,
    /// The metrics, over all configurations.
    pub metrics: Arc<Metrics>,
    /// Decides who is admitted.
    pub security: Arc<Security>,
    pub(crate) watch: Watch,
    /// The operations that are tools, if there are any.
    pub(crate) mcp: Option<Mcp>,
    /// The desk for requests to the queue manager, if there is one.
    pub(crate) desk: Option<Desk>,
    /// The APIs, in the router's order.
    pub apis: Vec<ApiEntry>,
    /// Web services by path.
    pub(crate) web_services: WebServices,
    /// The paths of programs that answer requests themselves.
    pub(crate) uri_maps: UriMaps,
    /// Services by name.
    pub services: BTreeMap<String, ServiceEntry>,
    /// API requesters by name.
    pub requesters: BTreeMap<String, RequesterEntry>,
    /// The servers that programs may call with EXEC CICS WEB.
    pub web_client: Arc<WebClient>,
    /// The interceptors of requests without an API.
    early: Option<Chain>,
    /// None if requests are not traced.
    pub traces: Option<Traces>,
    /// The region for programs, if there is one.
    pub region: Option<Arc<Region>>,
    /// The binds by which programs transform records, by name.
    pub transforms: BTreeMap<String, Arc<Bind>>,
    /// Which gateway serves now, over all configurations.
    pub(crate) serving: Arc<Serving>,
}

/// Which gateway serves now. A request that waits learns by it what its caller may still do.
#[derive(Debug, Default)]
pub struct Serving(RwLock<Weak<Gateway>>);

/// The wanted facts about requests, decided when the configuration is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watch {
    /// The times of requests.
    pub(crate) times: bool,
    /// True if every answer has the id, not only those of failures.
    pub(crate) return_request_id: bool,
    /// True if every log line that is written meanwhile has the id.
    pub(crate) log_spans: bool,
}

/// An API, with everything that its requests need.
#[derive(Debug)]
pub struct ApiEntry {
    /// The API.
    pub api: Api,
    /// Its switch.
    pub switch: Switch,
    /// The guard of the API and its operations.
    pub guard: ApiGuard,
    /// Its interceptors; none if there are none.
    pub(crate) chain: Option<Chain>,
    /// Its policy; none if there is none.
    policy: Option<Arc<RuleSet>>,
    /// The calls of its operations, in their order.
    targets: Vec<Target>,
}

/// A web service. It is an API of the front SOAP.
#[derive(Debug)]
pub(crate) struct WebServiceEntry {
    /// The index of its API.
    pub(crate) api: usize,
    pub(crate) service: WebService,
    /// The programs that see its messages; none if there are none.
    pub(crate) pipeline: Option<PipelineEntry>,
    /// Containers for programs with a channel, for SOAP 1.1 and 1.2.
    containers: [Vec<Container>; 2],
}

impl WebServiceEntry {
    /// Containers for programs with a channel.
    pub(crate) fn containers(&self, version: Version) -> &[Container] {
        match version {
            Version::Soap11 => &self.containers[0],
            Version::Soap12 => &self.containers[1],
        }
    }
}

/// A pipeline, with the runner of its programs.
pub(crate) use crate::loaded::LoadedPipeline as PipelineEntry;

/// The containers of a message's version for programs with a channel. DFHWS-SOAPLEVEL is a
/// fullword.
fn containers(service: &WebService, level: u8) -> Vec<Container> {
    let level = Container { name: SOAP_LEVEL.to_owned(), content: Content::Bit(vec![0, 0, 0, level]) };
    vec![level, text("DFHWS-WEBSERVICE", service.name.as_str()), text(URI, service.path.as_str())]
}

/// Web services by their paths.
#[derive(Debug, Default)]
pub(crate) struct WebServices(HashMap<String, WebServiceEntry>);

impl WebServices {
    fn new(web_services: Vec<LoadedWebService>) -> Self {
        let entry = |LoadedWebService { api, service, pipeline }: LoadedWebService| {
            let containers = [containers(&service, 1), containers(&service, 2)];
            (service.path.clone(), WebServiceEntry { api, service, pipeline, containers })
        };
        Self(web_services.into_iter().map(entry).collect())
    }

    /// The web service at a path.
    #[inline]
    pub(crate) fn at(&self, path: &str) -> Option<&WebServiceEntry> {
        if self.0.is_empty() { None } else { self.0.get(path) }
    }
}

/// An operation, with its API, its guard, and its calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationEntry<'g> {
    pub(crate) api: &'g ApiEntry,
    pub(crate) operation: &'g Operation,
    pub(crate) guard: &'g OperationGuard,
    pub(crate) target: &'g Target,
}

/// A service, with its switch and its metrics.
#[derive(Debug)]
pub struct ServiceEntry {
    /// The service.
    pub running: RunningService,
    /// The metrics of its calls.
    pub metrics: ServiceMetrics,
    /// Its switch.
    pub switch: Switch,
}

/// An API requester, with its switch.
#[derive(Debug)]
pub struct RequesterEntry {
    /// The API requester.
    pub requester: Requester,
    /// Its switch.
    pub switch: Switch,
}

/// The calls of an operation, with their metrics.
#[derive(Debug)]
pub(crate) struct Target {
    /// One callee for each call of the operation, in their order.
    pub(crate) callees: Vec<Callee>,
    /// The names of their services, with commas between them.
    pub(crate) services: String,
    pub(crate) metrics: OperationMetrics,
    api: Switch,
}

/// A service that an operation calls.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub(crate) service: Arc<Service>,
    pub metrics: ServiceMetrics,
    switch: Switch,
}

/// The parts that outlive a configuration. All gateways of a process share them.
#[derive(Debug)]
pub struct Kept<'k> {
    /// The metrics.
    pub metrics: Arc<Metrics>,
    /// The stopped objects.
    pub switches: &'k Switches,
    /// The files of interceptors.
    pub journals: &'k Journals,
    /// The queue manager, if there is one.
    pub queue_manager: Option<queue::Manager>,
}

/// The calls of each operation of an API.
fn targets(
    api: &Api,
    services: &BTreeMap<String, ServiceEntry>,
    switch: &Switch,
    metrics: &Metrics,
) -> Vec<Target> {
    let callee = |name: &str| {
        let entry = services.get(name)?;
        Some(Callee {
            service: Arc::clone(&entry.running.service),
            metrics: entry.metrics.clone(),
            switch: entry.switch.clone(),
        })
    };
    let target = |operation: &Arc<Operation>| Target {
        metrics: metrics.operation(api.name(), operation.id(), &services_of(operation)),
        services: services_of(operation),
        callees: operation.services().filter_map(callee).collect(),
        api: switch.clone(),
    };
    api.operations().iter().map(target).collect()
}

impl Gateway {
    /// True for the path of a web service that can run in the task of a message: all its operations
    /// are programs of the region. A web service with a pipeline runs in its own task.
    #[must_use]
    pub fn runs_in_task(&self, path: &str) -> bool {
        self.web_services.at(path).is_some_and(|entry| {
            let mut callees = self.apis[entry.api].targets.iter().flat_map(|target| &target.callees);
            entry.pipeline.is_none() && callees.all(|callee| callee.service.provider.kind() == "program")
        })
    }

    /// Puts the loaded parts together. Every operation's service must exist.
    ///
    /// # Errors
    /// A file of an interceptor or the sender of spans has no thread, or programs cannot run here.
    pub fn new(
        settings: GatewaySettings,
        kept: &Kept<'_>,
        start_region: impl FnOnce() -> io::Result<Option<Arc<Region>>>,
    ) -> io::Result<Self> {
        let Kept { metrics, switches, journals, queue_manager } = kept;
        let metrics = Arc::clone(metrics);
        let Chains { chains, early } = settings.interceptors.start(journals, &metrics)?;
        let traces =
            settings.traces.map(|traces| Traces::start(traces, metrics.traces.clone())).transpose()?;
        let service = |(name, running): (String, RunningService)| {
            let metrics = metrics.service(&name);
            let switch = switches.of(Kind::Service, &name);
            (name, ServiceEntry { running, metrics, switch })
        };
        let services: BTreeMap<String, ServiceEntry> = settings.services.into_iter().map(service).collect();
        for (name, connection) in &settings.connections {
            connection.observe(Arc::new(metrics.connection(name)));
        }
        let requester = |(name, requester): (String, Requester)| {
            let switch = switches.of(Kind::Requester, &name);
            (name, RequesterEntry { requester, switch })
        };
        let requesters = settings.requesters.into_iter().map(requester).collect();
        let mut apis = Vec::new();
        for (LoadedApi { api, guard, policy }, chain) in settings.apis.into_iter().zip(chains) {
            let switch = switches.of(Kind::Api, api.name());
            let targets = targets(&api, &services, &switch, &metrics);
            apis.push(ApiEntry { api, switch, guard, chain, policy, targets });
        }
        let watch = Watch {
            times: metrics.wants_times()
                || early.is_some()
                || apis.iter().any(|entry: &ApiEntry| entry.chain.is_some())
                || traces.as_ref().is_some_and(Traces::sends),
            return_request_id: settings.log.return_request_id,
            log_spans: settings.log.format == LogFormat::Json,
        };
        let region = start_region()?;
        let uri_maps = UriMaps::new(settings.uri_maps, &metrics);
        Ok(Self {
            region,
            transforms: settings.transforms,
            serving: settings.serving,
            watch,
            early,
            traces,
            router: settings.router,
            limits: settings.limits,
            metrics,
            security: Arc::new(settings.security),
            mcp: settings.mcp.map(|mcp| Mcp::new(mcp, &settings.limits)),
            desk: settings.messaging.zip(queue_manager.clone()).map(|(own, manager)| Desk::new(own, manager)),
            apis,
            web_services: WebServices::new(settings.web_services),
            uri_maps,
            services,
            requesters,
            web_client: settings.web_client,
        })
    }

    /// This gateway serves from now on. Requests that wait learn of it.
    pub fn serves(self: &Arc<Self>) {
        *self.serving.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(self);
        self.security.tell_of_change();
    }

    /// The gateway that serves now; none if none does.
    pub(crate) fn that_serves(&self) -> Option<Arc<Self>> {
        self.serving.0.read().unwrap_or_else(PoisonError::into_inner).upgrade()
    }

    /// The interceptors of requests without an API, and of acts of administration.
    pub fn early(&self) -> Option<&Chain> {
        self.early.as_ref()
    }

    /// The operation with these indexes of API and operation.
    pub(crate) fn operation(&self, api: usize, operation: usize) -> OperationEntry<'_> {
        let entry = &self.apis[api];
        OperationEntry {
            api: entry,
            operation: &entry.api.operations()[operation],
            guard: &entry.guard.operations[operation],
            target: &entry.targets[operation],
        }
    }
}

impl ApiEntry {
    /// The properties that its policy sets by a request's headers.
    pub(crate) fn properties<'r>(&'r self, headers: &'r HeaderMap) -> Vec<Property<'r>> {
        self.policy.as_ref().map(|policy| policy.apply(headers)).unwrap_or_default()
    }
}

impl ServiceEntry {
    /// The service, ready for a call.
    pub(crate) fn counted(&self) -> CountedService<'_> {
        CountedService { service: &self.running.service, metrics: &self.metrics }
    }
}

impl Callee {
    /// The service, ready for a call.
    pub(crate) fn counted(&self) -> CountedService<'_> {
        CountedService { service: &self.service, metrics: &self.metrics }
    }
}

impl Target {
    /// True if the API and its services are started.
    pub(crate) fn is_started(&self) -> bool {
        self.api.is_started() && self.callees.iter().all(|callee| callee.switch.is_started())
    }
}

/// The names of the services of an operation's calls, with commas between them.
fn services_of(operation: &Operation) -> String {
    operation.services().collect::<Vec<_>>().join(",")
}
