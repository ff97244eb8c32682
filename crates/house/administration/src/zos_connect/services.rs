//! Services: lists, details, schemas and statistics, and commands for one service.

use std::time::SystemTime;

use calendar::Utc;
use http::StatusCode;
use metrics::ServiceMetrics;
use security::{Action, Kind};
use serde_json::{Map, Value, json};

use super::{NEITHER, error, packages, rendered, set, status, unknown, url_of};
use crate::asked::{Answer, Asked, Incoming, Pending};
use crate::paths;
use crate::process::ServiceView;

/// Answers with the services that the caller may see.
pub(crate) fn list(asked: &Asked<'_>) -> Answer {
    let services: Vec<Value> = asked
        .gateway
        .services()
        .iter()
        .filter(|view| asked.may(Kind::Service, &view.service.name, Action::Read))
        .map(|view| {
            let service = view.service;
            json!({
                "ServiceName": service.name,
                "ServiceDescription": service.description,
                "ServiceProvider": provider(view),
                "ServiceURL": url_of(asked, paths::SERVICE, &service.name),
            })
        })
        .collect();
    rendered(&json!({ "zosConnectServices": services }))
}

/// Answers with one service.
pub(crate) fn shown(asked: &Asked<'_>) -> Answer {
    of_service(asked, |view| match asked.parameter("action").as_deref() {
        None | Some("status") => rendered(&detail(asked, view)),
        Some(_) => other_action(),
    })
}

/// Answers with the figures of one service.
pub(crate) fn statistics(asked: &Asked<'_>) -> Answer {
    of_service(asked, |view| {
        let name: &str = &view.service.name;
        rendered(&json!({ name: figures(asked, view) }))
    })
}

/// Answers with the figures of all services that the caller may operate.
pub(crate) fn all_statistics(asked: &Asked<'_>) -> Answer {
    let wanted = asked.parameter("provider");
    let services = asked.gateway.services();
    let may = |view: &&ServiceView<'_>| asked.may(Kind::Service, &view.service.name, Action::Operate);
    let statistics: Map<String, Value> = services
        .iter()
        .filter(may)
        .filter(|view| wanted.as_deref().is_none_or(|wanted| wanted == provider(view)))
        .map(|view| (view.service.name.clone(), figures(asked, view)))
        .collect();
    rendered(&Value::Object(statistics))
}

/// Answers with the schema of a service's request.
pub(crate) fn request_schema(asked: &Asked<'_>) -> Answer {
    of_service(asked, |view| Answer::json(StatusCode::OK, view.conversion.request_schema()))
}

/// Answers with the schema of a service's response.
pub(crate) fn response_schema(asked: &Asked<'_>) -> Answer {
    of_service(asked, |view| Answer::json(StatusCode::OK, view.conversion.response_schema()))
}

/// Starts a service.
pub(crate) fn start(asked: &Asked<'_>) -> Answer {
    of_service(asked, |_| set(asked, Kind::Service, true))
}

/// Stops a service.
pub(crate) fn stop(asked: &Asked<'_>) -> Answer {
    of_service(asked, |_| set(asked, Kind::Service, false))
}

/// Replaces a service by a package, or starts or stops the service by `?status=`.
pub(crate) fn put<'a>(asked: Asked<'a>, package: &'a mut dyn Incoming) -> Pending<'a> {
    match asked.parameter("action") {
        None => packages::put(asked, Kind::Service, package),
        Some(_) => Box::pin(std::future::ready(of_service(&asked, |_| other_action()))),
    }
}

/// Answers a POST without a possible action.
pub(crate) fn posted(asked: &Asked<'_>) -> Answer {
    of_service(asked, |_| match asked.parameter("action") {
        None => error(StatusCode::UNSUPPORTED_MEDIA_TYPE, NEITHER),
        Some(_) => other_action(),
    })
}

fn other_action() -> Answer {
    error(StatusCode::METHOD_NOT_ALLOWED, "the action is not for this method")
}

fn of_service(asked: &Asked<'_>, answer: impl FnOnce(&ServiceView<'_>) -> Answer) -> Answer {
    asked.gateway.service(asked.name()).map_or_else(|| unknown(asked.name()), |view| answer(&view))
}

/// The details of one service.
pub(crate) fn detail(asked: &Asked<'_>, view: &ServiceView<'_>) -> Value {
    let service = view.service;
    let url = url_of(asked, paths::SERVICE, &service.name);
    json!({
        "zosConnect": {
            "serviceName": service.name,
            "serviceDescription": service.description,
            "serviceProvider": provider(view),
            "version": "1.0.0",
            "serviceURL": url,
            "serviceInvokeURL": format!("{url}?action=invoke"),
            "dataXformProvider": "gantry",
            "serviceStatus": status(view.is_started),
        },
        &service.name: {},
    })
}

/// Its provider's name in z/OS Connect, else the kind of its provider here.
fn provider<'v>(view: &'v ServiceView<'_>) -> &'v str {
    view.zos_provider.unwrap_or_else(|| view.service.provider.kind())
}

fn figures(asked: &Asked<'_>, view: &ServiceView<'_>) -> Value {
    json!({
        "ServiceProvider": provider(view),
        "InvokeRequestCount": view.metrics.calls().to_string(),
        "TimeOfRegistrationWithZosConnect": timestamp(asked.process.begun()),
        "ServiceStatistics": more_figures(view.metrics),
    })
}

/// `2026-11-21 17:30:05:250 UTC`, the form of z/OS Connect.
fn timestamp(time: SystemTime) -> String {
    let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}:{:03} UTC", Utc::from(since_1970).plain(), since_1970.subsec_millis())
}

/// The metrics of the service, under our own keys. z/OS Connect leaves such keys to the provider.
fn more_figures(metrics: &ServiceMetrics) -> Value {
    let mut statistics = json!({ "FailedInvokeCount": metrics.failures().to_string() });
    if let Some(seconds) = metrics.seconds() {
        statistics["InvokeSeconds"] = format!("{seconds:.6}").into();
    }
    statistics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrations_have_the_form_of_z_os_connect() {
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(4_102_444_799_007);
        assert_eq!(timestamp(time), "2099-12-31 23:59:59:007 UTC");
    }
}
