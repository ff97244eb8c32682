//! The gateway as it runs: APIs, their services and what is counted of them.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;

use api::{Api, Operation, Router};
use http::HeaderMap;
use interceptor::policy::{Property, RuleSet};
use pipeline::containers::{SOAP_LEVEL, URI, text};
use record::Bind;
use region::Region;
use requesters::Requester;
use service::{Container, Content, Service};
use soap::{Version, WebService};

use crate::handler::CountedService;
use crate::loaded::{GatewaySettings, Limits, LoadedApi, LoadedWebService, LogFormat, RunningService};
use crate::mcp::Mcp;
use crate::messaging::Desk;
use admission::{ApiGuard, OperationGuard, Security};
use metrics::{Metrics, OperationMetrics, ServiceMetrics};
use recording::Journals;
use recording::chains::{Chain, Chains};
use recording::traces::Traces;
use switches::{Kind, Switch, Switches};

/// Everything that a request needs, shared by all workers and never changed: a changed configuration is another one.
#[derive(Debug)]
pub struct Gateway {
    /// Paths lead to operations and documents.
    pub router: Router,
    /// What one client can make the gateway hold.
    pub limits: Limits,
    /// What is counted, over all configurations.
    pub metrics: Arc<Metrics>,
    /// Who is let in.
    pub security: Arc<Security>,
    pub(crate) watch: Watch,
    /// The operations as tools, if they are offered so.
    pub(crate) mcp: Option<Mcp>,
    /// Where requests for the queue manager are done, if there is one.
    pub(crate) desk: Option<Desk>,
    /// In the router's order.
    pub apis: Vec<ApiEntry>,
    /// Web services by path.
    pub(crate) web_services: WebServices,
    /// Services by name.
    pub services: BTreeMap<String, ServiceEntry>,
    /// API requesters by name.
    pub requesters: BTreeMap<String, RequesterEntry>,
    /// Of requests that lead to no API.
    early: Option<Chain>,
    /// None if requests are not traced.
    pub traces: Option<Traces>,
    /// Where programs run, if there are any.
    pub region: Option<Arc<Region>>,
    /// How programs transform records, by name.
    pub transforms: BTreeMap<String, Arc<Bind>>,
}

/// What of a request somebody wants to know; decided when the configuration is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watch {
    /// When it begins.
    pub(crate) times: bool,
    /// Its id stands in every answer, not only in those of failures.
    pub(crate) return_request_id: bool,
    /// Every line of the log that is written while it runs has its id.
    pub(crate) log_spans: bool,
}

/// An API, with all that holds for its requests.
#[derive(Debug)]
pub struct ApiEntry {
    /// The API.
    pub api: Api,
    /// Whether it is started.
    pub switch: Switch,
    /// What guards it and its operations.
    pub guard: ApiGuard,
    /// Its interceptors; none where none runs.
    pub(crate) chain: Option<Chain>,
    /// None where no policy holds.
    policy: Option<Arc<RuleSet>>,
    /// What its operations call, in their order.
    targets: Vec<Target>,
}

/// A web service, which is an API of the front SOAP.
#[derive(Debug)]
pub(crate) struct WebServiceEntry {
    /// The API's place among all.
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

/// A pipeline, with those who run its programs.
pub(crate) use crate::loaded::LoadedPipeline as PipelineEntry;

/// What programs with a channel know of a message of a version: DFHWS-SOAPLEVEL is a fullword.
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

/// An operation, with its API, its guard, and what it calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationEntry<'g> {
    pub(crate) api: &'g ApiEntry,
    pub(crate) operation: &'g Operation,
    pub(crate) guard: &'g OperationGuard,
    pub(crate) target: &'g Target,
}

/// A service, whether it is started, and where its calls are counted.
#[derive(Debug)]
pub struct ServiceEntry {
    /// The service.
    pub running: RunningService,
    /// Where its calls are counted.
    pub metrics: ServiceMetrics,
    /// Whether it is started.
    pub switch: Switch,
}

/// An API requester and whether it is started.
#[derive(Debug)]
pub struct RequesterEntry {
    /// The API requester.
    pub requester: Requester,
    /// Whether it is started.
    pub switch: Switch,
}

/// What an operation calls, and where that is counted.
#[derive(Debug)]
pub(crate) struct Target {
    /// One for each call of the operation, in their order.
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

/// What outlives a configuration: all gateways of a process have the same.
#[derive(Debug)]
pub struct Kept<'k> {
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What is stopped.
    pub switches: &'k Switches,
    /// Files that interceptors write.
    pub journals: &'k Journals,
    /// The queue manager, if there is one.
    pub queue_manager: Option<queue::Manager>,
}

/// What each operation of an API calls.
fn targets(
    api: &Api,
    (services, switch): (&BTreeMap<String, ServiceEntry>, &Switch),
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
    /// True for the path of a web service all of whose operations are programs of the region, which can run in the task of
    /// a message. Those of a pipeline run in a task of their own.
    #[must_use]
    pub fn runs_in_task(&self, path: &str) -> bool {
        self.web_services.at(path).is_some_and(|entry| {
            let mut callees = self.apis[entry.api].targets.iter().flat_map(|target| &target.callees);
            entry.pipeline.is_none() && callees.all(|callee| callee.service.provider.kind() == "program")
        })
    }

    /// Puts together what was loaded; every operation's service is known to be there.
    ///
    /// # Errors
    /// A file of an interceptor, or the sender of spans, has no thread; programs cannot run here.
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
            let targets = targets(&api, (&services, &switch), &metrics);
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
        Ok(Self {
            region,
            transforms: settings.transforms,
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
            services,
            requesters,
        })
    }

    /// The interceptors of requests that lead to no API, and of acts of administration.
    pub fn early(&self) -> Option<&Chain> {
        self.early.as_ref()
    }

    /// The operation at this place of the API at this place.
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
    /// What its policy sets by a request's headers.
    pub(crate) fn properties<'r>(&'r self, headers: &'r HeaderMap) -> Vec<Property<'r>> {
        self.policy.as_ref().map(|policy| policy.apply(headers)).unwrap_or_default()
    }
}

impl ServiceEntry {
    /// The service for a call.
    pub(crate) fn counted(&self) -> CountedService<'_> {
        CountedService { service: &self.running.service, metrics: &self.metrics }
    }
}

impl Callee {
    /// The service for a call.
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
