//! The assistants over text alone: a stream of parameters, or a job that has it. Others judge by it what the commands make.

use std::collections::BTreeMap;

use crate::jcl;
use crate::ls2ws::{make, request, table::Ls2ws};
use crate::parameters::{Parameters, Tool};
use crate::ws2ls;

/// The WSDL document that `gantry soap ls2ws` makes of a text of parameters. `copybook` gives members, with no COPY in them.
///
/// # Errors
/// All that is wrong with the parameters, or with the copybooks.
pub fn ls2ws_document(
    parameters: &str,
    copybook: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Vec<String>> {
    let request = request::Request::read(&read::<Ls2ws>(parameters)?)?;
    let add = |name: &str, copybooks: &mut BTreeMap<String, String>| {
        let text = copybook(name).ok_or_else(|| format!("{name}: there is no such member"))?;
        copybooks.insert(name.to_owned(), text);
        Ok(())
    };
    let sources = make::Sources { copybook: &add, description: &|_| Err("there is none".to_owned()) };
    match make::make(&request, &sources) {
        Ok(made) => Ok(made.wsdl),
        Err(problems) => Err(problems.iter().map(ToString::to_string).collect()),
    }
}

/// Reads the parameters of `gantry soap ws2ls` from a text.
///
/// # Errors
/// All that is wrong with them.
pub fn check_ws2ls(parameters: &str) -> Result<(), Vec<String>> {
    ws2ls::request::Request::read(&read::<ws2ls::table::Ws2ls>(parameters)?).map(drop)
}

fn read<T: Tool>(text: &str) -> Result<Parameters, Vec<String>> {
    let lines = jcl::lines(text, T::PROCEDURE, None).map_err(|message| vec![message])?;
    Parameters::from_lines::<T>(
        lines.into_iter().map(|(number, line)| (format!("line {number}"), line)).collect(),
    )
}
