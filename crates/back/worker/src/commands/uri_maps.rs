//! INQUIRE URIMAP: the region's surroundings know the URIMAPs.

use program::commands::names::*;
use program::conditions::INVREQ;
use wire::{Answer, Ask, CallAnswer, CallAsk, Wanted, WebAsk, WebReply};

use super::Done;
use super::resources::{Browsing, set, wanted};
use super::web::host_type;
use crate::cobol::arguments::Arguments;
use crate::task::{Runtime, Step, raise};

pub(super) fn inquire(runtime: &mut Runtime, arguments: &Arguments, browsing: Browsing) -> Done {
    let place = &mut runtime.resource_browses.uri_maps;
    let Some(wanted) = wanted(place, browsing, (arguments.name::<8>(URIMAP), arguments.name(AT)))? else {
        return Ok(Step::GoOn);
    };
    let answer = runtime.ask(Ask::Call(CallAsk::Web(WebAsk::UriMap(wanted))))?;
    let Answer::Call(CallAnswer::Web(WebReply::UriMap(facts))) = answer else { return raise(&INVREQ) };
    if browsing == Browsing::Next {
        runtime.resource_browses.uri_maps = Some(Wanted::After(facts.name));
        arguments.set_characters(URIMAP, &facts.name);
    }
    runtime.level().eib.set_resource(&facts.name);
    let (host, path) = (&facts.server.host, &facts.path);
    arguments.set_characters(HOST, format!("{host:116.116}").as_bytes());
    arguments.set_characters(PATH, format!("{path:255.255}").as_bytes());
    set(arguments, SCHEME, if facts.server.is_secure { "HTTPS" } else { "HTTP" });
    set(arguments, ENABLESTATUS, "ENABLED");
    // Credentials are those of the connection.
    set(arguments, AUTHENTICATE, "NOTAPPLIC");
    let is_client = facts.answers.is_none();
    set(arguments, USAGE, if is_client { "CLIENT" } else { "SERVER" });
    // A host of requests is a pattern, and their port that of the listener.
    set(arguments, HOSTTYPE, if is_client { host_type(host) } else { "NOTAPPLIC" });
    arguments.set_number(PORT, if is_client { facts.server.port.into() } else { 0 });
    let (program, transaction) = facts.answers.unwrap_or(([b' '; 8], [b' '; 4]));
    arguments.set_characters(PROGRAM, &program);
    arguments.set_characters(TRANSACTION, &transaction);
    Ok(Step::GoOn)
}
