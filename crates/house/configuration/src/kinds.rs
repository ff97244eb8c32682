//! The kinds of providers that back ends register. A new back end needs a line here.

use providers::Kinds;

pub(crate) static KINDS: Kinds = Kinds(&[
    simulated::KIND,
    queue_config::KIND,
    requesters::KIND,
    soap_requester::KIND,
    region_config::KIND,
    connector::KIND,
]);
