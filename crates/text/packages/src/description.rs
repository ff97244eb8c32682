//! `package.xml`: the name and the path of an API or an API requester, and its operations.

use crate::archive::Tree;
use crate::fault::{Fault, FaultKind};
use crate::json;
use crate::limits::Limits;
use crate::names::check_name;
use crate::xml::{self, Element};

/// The file that every API archive has.
pub(crate) const FILE: &str = "package.xml";

/// The content of `package.xml`.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) id: String,
    /// True for an API that programs call, false for one that they offer.
    pub(crate) requester: bool,
    pub(crate) title: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) base_path: String,
    pub(crate) connection: Option<String>,
    pub(crate) operations: Vec<Operation>,
    /// The Swagger document.
    pub(crate) swagger: Option<serde_json::Value>,
}

/// A method on a path.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) line: usize,
    pub(crate) path: String,
    pub(crate) method: String,
    pub(crate) service: Option<String>,
    pub(crate) mapping: Option<String>,
    pub(crate) id: Option<String>,
}

impl Description {
    pub(crate) fn read(tree: &Tree, limits: &Limits) -> Result<Self, Fault> {
        let root = xml::parse(FILE, tree.text(FILE)?, limits)?;
        let wrong =
            |element: &Element, message: String| Fault::at(FaultKind::Content, FILE, element.line, message);
        if root.name != "zosConnectApi" {
            return Err(wrong(&root, format!("expected a zosConnectApi, found <{}>", root.name)));
        }
        let id = root.get("id").unwrap_or_default().to_owned();
        check_name(&id).map_err(|why| wrong(&root, format!("the id {why}")))?;
        let spec = root.child("apiSpec").ok_or_else(|| wrong(&root, "expected an <apiSpec>".to_owned()))?;
        let mut operations = Vec::new();
        for path in spec.all("path") {
            for method in path.all("method") {
                operations.push(Operation {
                    line: method.line,
                    path: path.get("relativePath").unwrap_or_default().to_owned(),
                    method: method.get("type").unwrap_or_default().to_ascii_uppercase(),
                    service: method.filled("zosConnectServiceRef").map(str::to_owned),
                    mapping: method.filled("httpXformFile").map(|path| path.replace('\\', "/")),
                    id: method.filled("operationId").map(str::to_owned),
                });
            }
        }
        let document = spec.all("apiDoc").find(|document| document.get("docType") == Some("SWAGGER"));
        let swagger = match document.map(|document| document.text.replace('\\', "/")) {
            Some(path) if tree.has(&path) => Some(json::parse(&path, tree.text(&path)?, limits)?),
            _ => None,
        };
        let text = |name: &str| spec.get(name).unwrap_or_default().to_owned();
        Ok(Self {
            id,
            requester: root.get("packageType") == Some("requester"),
            title: text("title"),
            version: text("version"),
            description: text("description"),
            base_path: text("basePath"),
            connection: spec.filled("connectionRef").map(str::to_owned),
            operations,
            swagger,
        })
    }

    /// The operation in the Swagger document.
    pub(crate) fn documented(&self, operation: &Operation) -> Option<&serde_json::Value> {
        let path = self.swagger.as_ref()?.get("paths")?.get(&operation.path)?;
        path.get(operation.method.to_ascii_lowercase())
    }
}
