//! Clients deploy, replace and delete packages here.

use std::sync::Arc;

use bytes::Bytes;
use failure::Failure;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use security::Kind;
use serde_json::json;

use super::{detail, error, is_started, rendered, switch_by_status, unknown};
use crate::asked::{Answer, Asked, Incoming, Pending};
use crate::process::{Deployment, Refusal};

/// The content type of packages.
const PACKAGE: &[u8] = b"application/zip";

/// The most bytes of a received package. Its content has further limits.
const PACKAGE_MAX_BYTES: usize = 16 << 20;

const STOPPED_FIRST: &str = "it must be stopped first";
const BROKEN_OFF: &str = "the deployment broke off";

/// Deploys a package.
pub(crate) fn post<'a>(asked: Asked<'a>, kind: Kind, package: &'a mut dyn Incoming) -> Pending<'a> {
    Box::pin(deploy(asked, Deployed { kind, replaces: None }, package))
}

/// Deploys a package in place of a stopped one. Without a package, starts or stops the existing
/// object.
pub(crate) fn put<'a>(asked: Asked<'a>, kind: Kind, package: &'a mut dyn Incoming) -> Pending<'a> {
    Box::pin(async move {
        match is_package(&asked) {
            true => {
                let deployed = Deployed { kind, replaces: Some(asked.name()) };
                deploy(asked, deployed, package).await
            }
            false => switch_by_status(&asked, kind),
        }
    })
}

/// Deletes a stopped package.
pub(crate) fn delete(asked: Asked<'_>, kind: Kind) -> Pending<'_> {
    Box::pin(async move {
        let name = asked.name();
        match is_started(asked.gateway, kind, name) {
            None => return unknown(name),
            Some(true) => return error(StatusCode::CONFLICT, STOPPED_FIRST),
            Some(false) => {}
        }
        let (process, owned) = (Arc::clone(asked.process), name.to_owned());
        match tokio::task::spawn_blocking(move || process.undeploy(kind, &owned)).await {
            Ok(Ok(())) => rendered(&json!({ "name": name })),
            Ok(Err(Refusal::Unknown)) => unknown(name),
            Ok(Err(refusal)) => refused(refusal),
            Err(_) => error(StatusCode::INTERNAL_SERVER_ERROR, BROKEN_OFF),
        }
    })
}

fn is_package(asked: &Asked<'_>) -> bool {
    asked.parts.headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes() == PACKAGE)
}

/// The demands on a package.
struct Deployed<'a> {
    kind: Kind,
    /// The name of the replaced one.
    replaces: Option<&'a str>,
}

/// Deploys a package, either new or in place of the one with this name.
async fn deploy(
    asked: Asked<'_>,
    Deployed { kind, replaces }: Deployed<'_>,
    package: &mut dyn Incoming,
) -> Answer {
    if !is_package(&asked) {
        return error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a package is sent as application/zip");
    }
    let started = match asked.parameter("status").as_deref() {
        None | Some("started") => true,
        Some("stopped") => false,
        Some(_) => return error(StatusCode::BAD_REQUEST, "status is 'started' or 'stopped'"),
    };
    if let Some(name) = replaces {
        match is_started(asked.gateway, kind, name) {
            None => return unknown(name),
            Some(true) => return error(StatusCode::CONFLICT, STOPPED_FIRST),
            Some(false) => {}
        }
    }
    let bytes = match package.receive(PACKAGE_MAX_BYTES).await {
        Ok(bytes) => bytes,
        Err(failure) => return failed(&failure),
    };
    let (process, owned) = (Arc::clone(asked.process), replaces.map(str::to_owned));
    let deployed = tokio::task::spawn_blocking(move || {
        process.deploy(&Deployment { kind, replaces: owned.as_deref(), bytes: &bytes, started })
    })
    .await;
    let deployed = match deployed {
        Ok(Ok(deployed)) => deployed,
        Ok(Err(refusal)) => return refused(refusal),
        Err(_) => return error(StatusCode::INTERNAL_SERVER_ERROR, BROKEN_OFF),
    };
    // Answer with the new gateway, not with the one that received the request.
    let gateway = asked.process.gateway();
    let status = if replaces.is_none() { StatusCode::CREATED } else { StatusCode::OK };
    Answer { status, ..detail(&Asked { gateway: &*gateway, ..asked }, kind, &deployed) }
}

fn refused(refusal: Refusal) -> Answer {
    match refusal {
        Refusal::Bad(message) => error(StatusCode::BAD_REQUEST, &message),
        Refusal::Conflict(message) => error(StatusCode::CONFLICT, &message),
        Refusal::Unknown => error(StatusCode::NOT_FOUND, "the package does not exist"),
        Refusal::Io(message) => error(StatusCode::INTERNAL_SERVER_ERROR, &message),
    }
}

fn failed(failure: &Failure) -> Answer {
    tracing::debug!(%failure, "a package could not be received");
    Answer::json(failure.code.status(), Bytes::from(failure.body()))
}
