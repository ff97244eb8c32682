//! APIs that start from their own document: each operation of the contract that has a flow is served.

use std::collections::HashMap;
use std::sync::Arc;

use contract::Contract;
use conversion::Conversion;
use failure::Code;

use crate::api::Api;
use crate::compile::{SpecError, check_base_path, statuses};
use crate::documents;
use crate::flow::{Flow, FlowSpec, Surroundings};
use crate::operation::Operation;
use crate::protection::OperationProtection;
use crate::spec::Text;

/// An API that starts from its own document.
#[derive(Debug)]
pub struct ContractSpec {
    /// The name, unique in the gateway.
    pub name: String,
    /// The path in front of all operations; none is that of the document's first server.
    pub base_path: Option<Text>,
    /// The document.
    pub contract: Arc<Contract>,
    /// Query parameters that the document does not name are refused.
    pub refuse_unknown_query: bool,
    /// Answers are to be judged by the document too.
    pub check_responses: bool,
    /// Other statuses for failures of providers, by code.
    pub statuses: Vec<(Text, u16)>,
    /// A flow for each served operation. Operations of the document without a flow are not served.
    pub flows: Vec<FlowSpec>,
    /// The requirements of each operation on its callers, in the same order, for the documents; empty if unknown.
    pub protections: Vec<OperationProtection>,
}

impl ContractSpec {
    /// The failures that may refuse callers before an operation begins.
    fn refusals(&self, operation: &contract::Operation) -> &[Code] {
        let is = |flow: &FlowSpec| flow.method == operation.method && flow.path.text == operation.path;
        let protection = self.flows.iter().position(is).and_then(|at| self.protections.get(at));
        protection.map_or(&[], |protection| &protection.refusals)
    }
}

impl Api {
    /// Compiles an API that starts from its own document, against the services that it may call.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn of_contract(
        spec: &ContractSpec,
        services: &HashMap<String, Conversion>,
    ) -> Result<Self, Vec<SpecError>> {
        let mut errors = Vec::new();
        let base_path = match &spec.base_path {
            Some(path) if path.text.is_empty() => String::new(),
            Some(path) => {
                check_base_path(path, &mut errors);
                path.text.clone()
            }
            None => spec.contract.base_path().to_owned(),
        };
        let statuses = statuses(&spec.statuses, &mut errors);
        let surroundings = Surroundings {
            contract: &spec.contract,
            base_path: &base_path,
            refuse_unknown_query: spec.refuse_unknown_query,
            check_responses: spec.check_responses,
            services,
            statuses: &statuses,
        };
        let mut operations: Vec<Arc<Operation>> = Vec::new();
        let mut slips = Vec::new();
        for written in &spec.flows {
            let Some(flow) = Flow::compile(written, &surroundings, &mut errors) else { continue };
            let file = (!written.path.file.is_empty()).then(|| Arc::clone(&written.path.file));
            let slip = |message| SpecError { file: file.clone(), line: written.path.line, message };
            slips.extend(flow.slips().into_iter().map(slip));
            if operations.iter().any(|other| other.id() == flow.id()) {
                let message = format!("operation '{}' has more than one flow", flow.id());
                errors.push(SpecError { file: None, line: 0, message });
            }
            operations.push(Arc::new(Operation::Flow(flow)));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let info = spec.contract.info();
        let is_served = |known: &contract::Operation| {
            let flows = &mut spec.flows.iter();
            flows.any(|flow| flow.method == known.method && flow.path.text == known.path)
        };
        let documents = documents::of_contract(
            &spec.contract,
            &base_path,
            &statuses,
            &|known| spec.refusals(known),
            &is_served,
        )
        .map_err(|problem| vec![SpecError { file: None, line: 0, message: problem.to_string() }])?;
        Ok(Self {
            name: spec.name.clone(),
            version: info.version.clone(),
            description: info.description.clone().unwrap_or_default(),
            documents,
            base_path,
            operations,
            slips,
        })
    }
}
