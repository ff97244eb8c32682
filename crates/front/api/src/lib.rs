//! REST: operations, request and response mapping, OpenAPI and Swagger documents.
//!
//! An API is compiled when it is loaded: each operation holds two binds, made from its service's layouts and its own
//! mapping, and a request only runs them. The crate does no IO, knows no clock and never names a service provider.

mod api;
mod compile;
mod contract_api;
mod description;
mod documents;
mod flow;
mod operation;
mod parameters;
mod protection;
mod router;
mod rules;
mod spec;

pub use api::{Api, Document};
pub use compile::{Interface, ServiceInterface, SpecError};
pub use contract::{Definition, Style, Violation};
pub use contract_api::ContractSpec;
pub use description::{BodyDescription, Descriptions, OperationDescription, ParameterDescription};
pub use documents::{openapi_schemes, swagger_schemes};
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
