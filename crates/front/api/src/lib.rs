//! REST: operations, request and response mapping, OpenAPI and Swagger documents.
//!
//! An API is compiled when it is loaded. A request only runs what was compiled. The crate does no IO, knows no clock
//! and never names a service provider.
//!
//! # Kinds of operation
//!
//! [`Operation::Mapped`] holds two binds, made from its service's layouts and its own mapping. It moves fields one to
//! one and never builds a tree. z/OS Connect's API packages have operations of this kind.
//!
//! [`Operation::Flow`] belongs to a contract. Its mappings (`flow/node.rs`) are trees of expressions. They are
//! evaluated over a `Scope`, which makes a variable only when an expression asks for it. A [`Run`] of the flow is a
//! state machine that never waits, so tests of it need no time. The driver in the crate `gantry` owns time and futures.
//!
//! [`Operation::Elsewhere`] belongs to another front, which has its mapping. It is here so that lists, logs, metrics and
//! switches have one kind of API.
//!
//! The crate `conversion` turns the JSON of a service into a payload and back, whatever the payload is.

mod api;
mod compile;
mod contract_api;
mod description;
mod documents;
mod elsewhere;
mod flow;
mod operation;
mod parameters;
mod protection;
mod router;
mod rules;
mod spec;

pub use api::{Api, Document};
pub use compile::{ServiceInterface, SpecError};
pub use contract::{Definition, Style, Violation};
pub use contract_api::ContractSpec;
pub use description::{BodyDescription, Descriptions, OperationDescription, ParameterDescription};
pub use documents::{openapi_schemes, swagger_schemes};
pub use elsewhere::{ElsewhereOperation, ElsewhereSpec};
pub use flow::{
    BodySpec, CallSpec, Flow, FlowSpec, MemberSpec, Moment, OnFailure, Ready, ReplySpec, RequestValues, Run,
    Written,
};
pub use operation::{Answer, Inputs, MappedOperation, Operation};
pub use protection::{OperationProtection, SchemeKind, SecurityScheme};
pub use router::{Route, Router, RouterError};
pub use rules::Comparison;
pub use spec::{
    ApiSpec, HeaderSpec, HeaderValueSpec, MoveSpec, OperationSpec, RenameSpec, RequestSpec, ResponseSpec,
    RuleSpec, Source, Text, ValueSpec, WhenSpec,
};
