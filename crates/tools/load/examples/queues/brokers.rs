//! How each broker is asked to put and to get.

use clap::ValueEnum;

use crate::Options;
use crate::http::{Answer, Connection};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    /// The messaging REST interface of IBM MQ
    Gantry,
    /// The REST interface of ActiveMQ Classic
    Activemq,
    /// The management interface of RabbitMQ
    Rabbitmq,
}

/// A client of a broker.
pub(crate) struct Client {
    connection: Connection,
    dialect: Dialect,
    /// Names this client to a broker that remembers its consumers.
    name: String,
    /// How often it has begun again with another name.
    renamed: usize,
}

/// A message that was got.
pub(crate) struct Got {
    pub(crate) body: Vec<u8>,
    pub(crate) id: String,
}

/// How often a client begins again before its broker is said to fail.
const RENAMED_MAX: usize = 100;

const MESSAGE_ID: &str = "ibm-mq-md-messageId";

impl Client {
    pub(crate) fn new(options: &Options, name: String) -> Result<Self, String> {
        let connection = Connection::open(options.address, options.tls()?, &options.headers)?;
        // A consumer of an earlier run has a name of its own.
        let name = format!("{name}-{}", std::process::id());
        let mut client = Self { connection, dialect: options.dialect, name, renamed: 0 };
        if let Some(user) = &options.login {
            client.log_in(user)?;
        }
        Ok(client)
    }

    /// Gets a token for a user and his password; it goes with the requests that follow. Only the gateway knows it.
    pub(crate) fn log_in(&mut self, user: &str) -> Result<(), String> {
        let (name, password) = user.split_once(':').ok_or("--login: expected USER:PASSWORD")?;
        let body = serde_json::json!({ "username": name, "password": password }).to_string();
        let head = "content-type: application/json\r\n";
        self.connection.send("POST /ibmmq/rest/v2/login", head, body.as_bytes())?;
        let answer = self.connection.answer("set-cookie")?;
        let cookie = answer.header.as_deref().and_then(|set| set.split(';').next());
        let Some(pair) = cookie.filter(|_| answer.status == 204) else {
            return Err(refused("log in", name, &answer));
        };
        self.connection.set_cookie(pair);
        Ok(())
    }

    fn ask(&mut self, start: &str, headers: &str, body: &[u8]) -> Result<Answer, String> {
        self.connection.send(start, headers, body)?;
        self.connection.answer(MESSAGE_ID)
    }

    /// Puts a persistent message; its id, if the broker tells it.
    pub(crate) fn put(
        &mut self,
        queue: &str,
        body: &[u8],
        correlation: Option<&str>,
    ) -> Result<String, String> {
        let answer = match self.dialect {
            Dialect::Gantry => {
                let more =
                    correlation.map(|id| format!("ibm-mq-md-correlationId: {id}\r\n")).unwrap_or_default();
                let headers = format!(
                    "content-type: text/plain;charset=utf-8\r\nibm-mq-rest-csrf-token: x\r\nibm-mq-md-persistence: persistent\r\n{more}"
                );
                self.ask(&format!("POST {}", path(queue)), &headers, body)?
            }
            Dialect::Activemq => {
                // Without the id of a client it would make a connection of its own for each request.
                let client = &self.name;
                let start = format!(
                    "POST /api/message/{queue}?type=queue&clientId={client}&JMSDeliveryMode=persistent"
                );
                self.ask(&start, "content-type: text/plain\r\n", body)?
            }
            Dialect::Rabbitmq => {
                let text = String::from_utf8_lossy(body);
                let message = serde_json::json!({
                    "properties": { "delivery_mode": 2 }, "routing_key": queue, "payload": text, "payload_encoding": "string",
                });
                let start = "POST /api/exchanges/%2F/amq.default/publish";
                self.ask(start, "content-type: application/json\r\n", message.to_string().as_bytes())?
            }
        };
        let routed = self.dialect != Dialect::Rabbitmq || answer.body == br#"{"routed":true}"#;
        if !(matches!(answer.status, 200 | 201)) || !routed {
            return Err(refused("put", queue, &answer));
        }
        Ok(answer.header.unwrap_or_default())
    }

    /// Gets a message; none if there is none. `query` selects one, or waits; only the gateway knows it.
    pub(crate) fn get(&mut self, queue: &str, query: &str) -> Result<Option<Got>, String> {
        let mut answer = match self.dialect {
            Dialect::Gantry => {
                self.ask(&format!("DELETE {}{query}", path(queue)), "ibm-mq-rest-csrf-token: x\r\n", b"")?
            }
            Dialect::Activemq => {
                let client = &self.name;
                let start =
                    format!("DELETE /api/message/{queue}?type=queue&clientId={client}&readTimeout=2000");
                self.ask(&start, "", b"")?
            }
            Dialect::Rabbitmq => {
                let asked = br#"{"count":1,"ackmode":"ack_requeue_false","encoding":"auto"}"#;
                let start = format!("POST /api/queues/%2F/{queue}/get");
                self.ask(&start, "content-type: application/json\r\n", asked)?
            }
        };
        match (self.dialect, answer.status) {
            (_, 204) => return Ok(None),
            // A get that finds nothing at once breaks its consumer (AMQ-9330), so the client begins again.
            (Dialect::Activemq, 500) if self.renamed < RENAMED_MAX => {
                self.begin_again(queue)?;
                return self.get(queue, query);
            }
            (Dialect::Rabbitmq, 200) => {
                let list: serde_json::Value =
                    serde_json::from_slice(&answer.body).map_err(|error| format!("get {queue}: {error}"))?;
                let Some(payload) = list[0]["payload"].as_str() else { return Ok(None) };
                answer.body = payload.as_bytes().to_vec();
            }
            // It adds a line end to every text.
            (Dialect::Activemq, 200) => {
                while matches!(answer.body.last(), Some(b'\r' | b'\n')) {
                    answer.body.pop();
                }
            }
            (Dialect::Gantry, 200) => {}
            _ => return Err(refused("get", queue, &answer)),
        }
        Ok(Some(Got { body: answer.body, id: answer.header.unwrap_or_default() }))
    }

    /// Lets ActiveMQ forget this client, so that its messages go to others.
    fn unsubscribe(&mut self, queue: &str) -> Result<(), String> {
        let end = format!("POST /api/message/{queue}?type=queue&clientId={}&action=unsubscribe", self.name);
        self.ask(&end, "content-type: text/plain\r\n", b"").map(drop)
    }

    fn begin_again(&mut self, queue: &str) -> Result<(), String> {
        self.unsubscribe(queue)?;
        self.renamed += 1;
        self.name += "x";
        Ok(())
    }

    /// Fails if a queue still has messages. A client that is done calls it.
    pub(crate) fn ends_empty(&mut self, queue: &str) -> Result<(), String> {
        let left = match self.dialect {
            // It answers 500 to a get on an empty queue, so its management tells.
            Dialect::Activemq => {
                let end =
                    format!("POST /api/message/{queue}?type=queue&clientId={}&action=unsubscribe", self.name);
                self.ask(&end, "content-type: text/plain\r\n", b"")?;
                let of = "org.apache.activemq:type=Broker,brokerName=localhost,destinationType=Queue";
                let start = format!("GET /api/jolokia/read/{of},destinationName={queue}/QueueSize");
                let answer = self.ask(&start, "origin: http://localhost\r\n", b"")?;
                let found: serde_json::Value =
                    serde_json::from_slice(&answer.body).map_err(|error| format!("jolokia: {error}"))?;
                found["value"].as_u64().ok_or_else(|| refused("size of", queue, &answer))?
            }
            _ => u64::from(self.get(queue, "")?.is_some()),
        };
        if left == 0 { Ok(()) } else { Err(format!("{queue}: {left} messages are left: one came twice")) }
    }

    /// Puts a request of JSON for a reply on another queue; its id.
    pub(crate) fn put_request(&mut self, queue: &str, reply_to: &str, body: &[u8]) -> Result<String, String> {
        let headers = format!(
            "content-type: application/json\r\nibm-mq-rest-csrf-token: x\r\nibm-mq-md-persistence: persistent\r\nibm-mq-md-replyTo: {reply_to}\r\n"
        );
        let answer = self.ask(&format!("POST {}", path(queue)), &headers, body)?;
        match (answer.status, answer.header) {
            (201, Some(id)) => Ok(id),
            (status, header) => Err(refused("put", queue, &Answer { status, header, body: answer.body })),
        }
    }

    /// Sends JSON to a service.
    pub(crate) fn post(&mut self, path: &str, body: &[u8]) -> Result<Vec<u8>, String> {
        let answer = self.ask(&format!("POST {path}"), "content-type: application/json\r\n", body)?;
        if answer.status != 200 {
            return Err(refused("call", path, &answer));
        }
        Ok(answer.body)
    }

    /// Calls the two-way service.
    pub(crate) fn call(&mut self, text: &str) -> Result<Vec<u8>, String> {
        let body = serde_json::json!({ "text": text }).to_string();
        let answer = self.ask("POST /ask/", "content-type: application/json\r\n", body.as_bytes())?;
        if answer.status != 200 {
            return Err(refused("call", "ask", &answer));
        }
        Ok(answer.body)
    }

    /// Begins a get that waits.
    pub(crate) fn begin_wait(&mut self, queue: &str, wait_ms: u64) -> Result<(), String> {
        let start = format!("DELETE {}?wait={wait_ms}", path(queue));
        self.connection.send(&start, "ibm-mq-rest-csrf-token: x\r\n", b"")
    }

    pub(crate) fn end_wait(&mut self) -> Result<Answer, String> {
        self.connection.answer(MESSAGE_ID)
    }

    pub(crate) fn stream(&self) -> &std::net::TcpStream {
        self.connection.stream()
    }
}

fn path(queue: &str) -> String {
    format!("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{queue}/message")
}

fn refused(what: &str, queue: &str, answer: &Answer) -> String {
    let body = String::from_utf8_lossy(&answer.body);
    format!("{what} {queue}: {}: {}", answer.status, body.chars().take(300).collect::<String>())
}
