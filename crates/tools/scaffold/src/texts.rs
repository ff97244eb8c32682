//! Writes the files: the service, the API, the web service, `gantry.toml`, and requests to try.

use std::path::Path;

use copybook::{FieldId, Kind};
use record::Schema;
use serde_json::{Map, Value};

use crate::Side;
use crate::backs::Back;
use crate::indent::indented;
use crate::soap_request::envelope;
use crate::used::Used;
use crate::ways::Way;

pub(crate) use crate::backs::toml_text as quoted;

/// The contents of the files.
pub(crate) struct Plan<'a> {
    pub(crate) name: &'a str,
    pub(crate) ccsid: u16,
    /// The data of requests.
    pub(crate) request: &'a Way,
    /// The data of responses.
    pub(crate) response: &'a Way,
    pub(crate) key: Option<FieldId>,
    /// The needs of the program.
    pub(crate) used: &'a Used,
}

/// The default address of a gateway.
pub(crate) const ADDRESS: &str = "http://127.0.0.1:2222";
/// The beginning of `gantry.toml`.
pub(crate) const GANTRY_HEAD: &str = "\
# The gateway serves on 127.0.0.1:2222. docs/reference/configuration.md has every key.

# Metrics, health, and the gateway for `gantry region`, `queue`, `connector` and `backup`. Users of this machine may use it.
[admin]
address = \"127.0.0.1:2223\"
";
/// The most values of a request by GET, with its key.
const SMALL_VALUES_MAX: usize = 4;

/// The call of the operation.
struct Call {
    method: &'static str,
    /// The path below the base path, with a parameter for the key.
    path: String,
    /// The path of a request, with a value in place of the parameter.
    path_to_try: String,
    /// The `move` lines of the operation; empty for none.
    moves: Vec<String>,
    /// The body of a request, if it has one.
    body: Option<Value>,
}

impl Plan<'_> {
    /// The files, by their paths.
    ///
    /// # Errors
    /// No request fits the record.
    pub(crate) fn files(&self, back: &Back, soap: bool) -> Result<Vec<(String, Vec<u8>)>, String> {
        let name = self.name;
        let call = self.call()?;
        let mut requests = self.requests(&call);
        if soap {
            requests.push_str(&format!(
                "\n### {name}, SOAP\nPOST {ADDRESS}{}\nContent-Type: text/xml\n\n{}\n",
                self.soap_path(),
                envelope(name, self.request)?
            ));
        }
        let mut files = vec![
            ("gantry.toml".to_owned(), self.gantry(back)),
            (format!("services/{name}.toml"), self.service(back)),
            ("requests.http".to_owned(), requests),
        ];
        match [self.request, self.response].iter().any(|way| matches!(way, Way::Containers(_))) {
            true => files.extend(self.api_of_containers()?),
            false => files.push((format!("apis/{name}/api.toml"), self.api(&call))),
        }
        if soap {
            let text = format!(
                "path = {}\n\n[[operation]]\nservice = {}\n",
                quoted(&self.soap_path()),
                quoted(name)
            );
            files.push((format!("soap/{name}-soap.toml"), text));
        }
        Ok(files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect())
    }

    /// The next commands to type.
    ///
    /// # Errors
    /// No request fits the record.
    pub(crate) fn next(&self, folder: &Path, soap: bool) -> Result<Vec<String>, String> {
        let mut next = vec![format!("gantry serve {}", terminal::word(folder))];
        match self.used.trigger(self.name) {
            Some(trigger) => next.push(trigger.put_line()),
            None => next.push(self.curl(&self.call()?)),
        }
        if soap {
            let url = format!("{ADDRESS}{}", self.soap_path());
            let message = envelope(self.name, self.request)?.replace('\'', "'\\''");
            next.push(format!("curl -s -H 'Content-Type: text/xml' -d '{message}' {url}"));
            next.push(format!("curl -s '{url}?wsdl'"));
        }
        Ok(next)
    }

    fn soap_path(&self) -> String {
        format!("/cics/services/{}", self.name)
    }

    /// The command that calls the service without an API.
    ///
    /// # Errors
    /// No request fits the record.
    pub(crate) fn call_line(&self, folder: &Path) -> Result<String, String> {
        let body = self.request.sample()?.unwrap_or_else(|| Value::Object(Map::new()));
        let body = body.to_string().replace('\'', "'\\''");
        Ok(format!("gantry call {} --in {} --json '{body}'", self.name, terminal::word(folder)))
    }

    fn gantry(&self, back: &Back) -> String {
        format!("{GANTRY_HEAD}{}", back.settings(self))
    }

    /// The file of the service.
    pub(crate) fn service(&self, back: &Back) -> String {
        format!(
            "ccsid = {}\n\n{}{}{}",
            self.ccsid,
            back.section(self),
            self.request.sections("request", false),
            self.response.sections("response", true)
        )
    }

    fn api(&self, call: &Call) -> String {
        let name = self.name;
        let mut text = format!(
            "title = {0}\nbase_path = {1}\n{4}\n[[operation]]\nmethod = \"{2}\"\npath = {3}\nservice = {0}\n",
            quoted(name),
            quoted(&format!("/{name}")),
            call.method,
            quoted(&call.path),
            // A parameter with a slip in its name would be passed over.
            if call.body.is_none() { "unknown_query = \"refuse\"\n" } else { "" }
        );
        if !call.moves.is_empty() {
            text.push_str("\n[operation.request]\nmove = [\n");
            call.moves.iter().for_each(|item| text.push_str(&format!("    {item},\n")));
            text.push_str("]\n");
        }
        text
    }

    /// The API of a service of containers, which starts from a document.
    fn api_of_containers(&self) -> Result<Vec<(String, String)>, String> {
        let name = self.name;
        let content = |schema: &str| format!(r#""content":{{"application/json":{{"schema":{schema}}}}}"#);
        let (body, request) = match self.request.schema_of_containers(false)? {
            Some(schema) => (format!(r#""requestBody":{{"required":true,{}}},"#, content(&schema)), "$body"),
            None => (String::new(), "{}"),
        };
        let (answer, reply) = match self.response.schema_of_containers(true)? {
            Some(schema) => (
                format!(
                    r#""200":{{"description":"The containers that the program puts",{}}}"#,
                    content(&schema)
                ),
                "status = 200\nbody = \"$calls.answer\"\n",
            ),
            None => (r#""204":{"description":"The program has run"}"#.to_owned(), "status = 204\n"),
        };
        let json = |text: &str| Value::from(text).to_string();
        let document = format!(
            r#"{{"openapi":"3.0.3","info":{{"title":{0},"version":"1.0.0"}},"servers":[{{"url":{1}}}],"paths":{{"/":{{"post":{{"operationId":{0},{body}"responses":{{{answer}}}}}}}}}}}"#,
            json(name),
            json(&format!("/{name}"))
        );
        let api = format!(
            "document = \"openapi.json\"\n\n# Each member of the body is a container. docs/guides/contract-first.md says what else an operation can do.\n\
             [[operation]]\noperation = {0}\n\n[[operation.call]]\nservice = {0}\nname = \"answer\"\nrequest = {1}\n\n\
             [[operation.reply]]\n{reply}",
            quoted(name),
            quoted(request)
        );
        Ok(vec![
            (format!("apis/{name}/openapi.json"), indented(&document)),
            (format!("apis/{name}/api.toml"), api),
        ])
    }

    /// The operation: POST without a key, GET if the request is small, else PUT.
    fn call(&self) -> Result<Call, String> {
        let sample = self.request.sample()?;
        let (Some(request), Some(sample), Some(key)) = (self.request.record(), sample.clone(), self.key)
        else {
            return Ok(Call {
                method: "POST",
                path: "/".to_owned(),
                path_to_try: "/".to_owned(),
                moves: Vec::new(),
                body: sample,
            });
        };
        let schema = request.bind.request_schema();
        let mut values = Values { paths: Vec::new(), is_plain: true };
        values.add("", &schema);
        let path_of_key = values.paths.iter().find(|path| field_at(request, path) == Some(key));
        let parameter = match path_of_key {
            Some(path) => path.rsplit('/').next().unwrap_or_default().to_owned(),
            None => request.layout.field(key).name.to_ascii_lowercase().replace('-', "_"),
        };
        let value = match path_of_key.and_then(|path| sample.pointer(&format!("/{path}"))) {
            Some(Value::String(text)) if !text.is_empty() => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => "1".to_owned(),
        };
        let from = |place: &str, id: FieldId| {
            let field = request.layout.path(id);
            format!("{{ from = {}, to = {} }}", quoted(place), quoted(&field))
        };
        let mut moves = vec![from(&format!("path.{parameter}"), key)];
        let path = format!("/{{{parameter}}}");
        let path_to_try = format!("/{}", percent::escaped(&value));
        if values.is_plain && values.paths.len() <= SMALL_VALUES_MAX {
            let others = values.paths.iter().filter_map(|path| Some((path, field_at(request, path)?)));
            for (path, id) in others.filter(|(_, id)| *id != key) {
                moves.push(from(&format!("query.{}", path.replace('/', "_")), id));
            }
            return Ok(Call { method: "GET", path, path_to_try, moves, body: None });
        }
        let mut body = sample;
        if let Some(path) = path_of_key {
            take_out(&mut body, path);
        }
        Ok(Call { method: "PUT", path, path_to_try, moves, body: Some(body) })
    }

    fn requests(&self, call: &Call) -> String {
        let url = format!("{ADDRESS}/{}{}", self.name, call.path_to_try);
        match &call.body {
            None => format!("### {}\n{} {url}\n", self.name, call.method),
            Some(body) => format!(
                "### {}\n{} {url}\nContent-Type: application/json\n\n{}\n",
                self.name,
                call.method,
                serde_json::to_string_pretty(body).unwrap_or_default()
            ),
        }
    }

    fn curl(&self, call: &Call) -> String {
        let url = format!("{ADDRESS}/{}{}", self.name, call.path_to_try);
        match &call.body {
            None if call.method == "GET" => format!("curl -s {url}"),
            // The answer has no content, so show its status.
            None => format!("curl -si -X {} {url}", call.method),
            Some(body) => format!(
                "curl -s -X {} -H 'Content-Type: application/json' -d '{}' {url}",
                call.method,
                body.to_string().replace('\'', "'\\''")
            ),
        }
    }
}

/// The field that JSON shows at a path, if it has a value of its own.
fn field_at(request: &Side, path: &str) -> Option<FieldId> {
    let found = request.bind.field_at(path)?;
    (request.layout.field(found).kind != Kind::Group).then_some(found)
}

/// The values of a record outside of tables.
struct Values {
    /// Their JSON paths.
    paths: Vec<String>,
    /// True if there is no table and no choice of views.
    is_plain: bool,
}

impl Values {
    fn add(&mut self, prefix: &str, schema: &Schema) {
        for (name, schema) in &schema.properties {
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            self.is_plain &= !schema.is_view && schema.kind != "array";
            match schema.kind {
                "array" => {}
                "object" => self.add(&path, schema),
                _ => self.paths.push(path),
            }
        }
    }
}

/// Removes a member from the objects around it.
fn take_out(value: &mut Value, path: &str) {
    match path.split_once('/') {
        None => {
            value.as_object_mut().and_then(|members| members.remove(path));
        }
        Some((name, rest)) => {
            if let Some(inner) = value.get_mut(name) {
                take_out(inner, rest);
            }
        }
    }
}
