//! Types the commands in the README, the tutorial and the guides. It writes their files, runs their
//! commands with the built binary, and compares their answers.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::process::Gantry;

mod guides;

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The pages whose commands run here: every block of `sh`.
const RUN: [&str; 23] = [
    "README.md",
    "docs/tutorial.md",
    "docs/guides/connector.md",
    "docs/guides/contract-first.md",
    "docs/guides/import.md",
    "docs/guides/lab.md",
    "docs/guides/load.md",
    "docs/guides/mcp.md",
    "docs/guides/mq-rest-client.md",
    "docs/guides/new.md",
    "docs/guides/next-steps.md",
    "docs/guides/operators.md",
    "docs/guides/outbound.md",
    "docs/guides/playback.md",
    "docs/guides/programs.md",
    "docs/guides/queues.md",
    "docs/guides/records.md",
    "docs/guides/security.md",
    "docs/guides/soap.md",
    "docs/guides/web-page.md",
    "docs/guides/zos-connect-package.md",
    "docs/reference/soap-assistants.md",
    "examples/programs/README.md",
];

/// The language of commands that no test types, and the beginning of the line before them. That
/// line has the reason.
const NOT_TYPED: (&str, &str) = ("console", "<!-- not typed: ");

/// Languages of blocks that no test types, because they are not commands.
const OTHERS: [&str; 13] =
    ["c", "cobol", "html", "http", "ini", "json", "python", "rust", "text", "toml", "wat", "xml", "yaml"];

/// An example of a user's own copybook.
const ORDER: &str = "       01 ORDER.\n          05 ITEM PIC X(5).\n          05 QTY PIC 9(3).\n";

/// The address of the gateway in pages.
const PLACE: &str = "127.0.0.1:2222";

/// The admin address in pages.
const ADMIN: &str = "127.0.0.1:2223";

/// A block of code in a page.
#[derive(Debug)]
struct Block {
    /// The text after the opening fence.
    language: String,
    /// The name of the file, if the page gives one.
    file: Option<String>,
    text: String,
    /// The last line before the block.
    before: String,
}

/// A page of the documentation.
struct Page(Vec<Block>);

impl Page {
    fn read(path: &str) -> Self {
        let text = fs::read_to_string(Path::new(ROOT).join(path)).expect("the page");
        let (mut blocks, mut before) = (Vec::new(), "");
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            // A block in a list is indented.
            let indent = line.len() - line.trim_start().len();
            if let Some(language) = line.trim_start().strip_prefix("```") {
                let inside = lines.by_ref().take_while(|line| line.trim_start() != "```");
                let inside: Vec<&str> = inside.map(|line| line.get(indent..).unwrap_or_default()).collect();
                let first = inside.first().copied().unwrap_or_default();
                let file = titled(before).or_else(|| remarked(first));
                let text = inside.iter().flat_map(|line| [*line, "\n"]).collect();
                blocks.push(Block { language: language.to_owned(), file, text, before: before.to_owned() });
            }
            if !line.is_empty() {
                before = line;
            }
        }
        Self(blocks)
    }

    /// Gives the texts of all blocks in a language.
    fn texts<'p>(&'p self, language: &'p str) -> impl Iterator<Item = &'p str> {
        self.0.iter().filter(move |block| block.language == language).map(|block| block.text.as_str())
    }

    /// Gives all commands in order, one a line.
    fn commands(&self) -> Vec<String> {
        let texts: String = self.texts("sh").collect();
        texts.replace("\\\n", " ").lines().map(str::to_owned).collect()
    }
}

/// Reads a file's name from a line such as "`shop/gantry.toml`:".
fn titled(line: &str) -> Option<String> {
    line.strip_prefix('`')?.strip_suffix("`:").map(str::to_owned)
}

/// Reads a file's name from a remark in the first line of the file.
fn remarked(line: &str) -> Option<String> {
    let name = line.trim_start().strip_prefix("# ").or_else(|| line.trim_start().strip_prefix("* "))?;
    (name.contains('.') && !name.contains(' ')).then(|| name.to_owned())
}

/// A user who types commands in their own folder.
struct Typist {
    folder: TempDir,
    serving: Option<Gantry>,
}

impl Typist {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for place in ["bin", "target"] {
            let place = folder.path().join(place);
            fs::create_dir_all(&place).expect("a folder");
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gantry"), place.join("gantry")).expect("a link");
        }
        Self { folder, serving: None }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Writes the files of a page.
    fn write_all(&self, page: &Page) {
        for block in &page.0 {
            if let Some(name) = &block.file {
                self.write(name, &block.text);
            }
        }
    }

    /// Serves what `gantry serve` would serve, on free addresses.
    fn serve(&mut self, command: &str) {
        let what = command.split_once("gantry serve ").expect("a command that serves").1.trim();
        self.serving = Some(match what.strip_prefix("--example ") {
            Some(example) => Gantry::example(example),
            None => Gantry::folder(&self.path(what)),
        });
    }

    /// Types a command with lines of input, and waits for its end.
    fn answered(&self, command: &str, input: &str) -> Output {
        let command = match &self.serving {
            Some(gantry) => {
                let command = command.replace(PLACE, &gantry.address().to_string());
                command.replace(ADMIN, &gantry.admin.to_string())
            }
            None => command.to_owned(),
        };
        let path = std::env::var("PATH").expect("a PATH");
        let mut child = Command::new("sh")
            .args(["-c", &command])
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        // A command that reads nothing may have ended.
        let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
        child.wait_with_output().expect("the end of the command")
    }

    /// Adds the admin address of the served gateway to a command, because commands know another
    /// one.
    fn at_admin(&self, command: &str) -> String {
        let admin = self.serving.as_ref().expect("it serves").admin;
        let (command, remark) = command.split_once('#').unwrap_or((command, ""));
        format!("{} --admin http://{admin} # {remark}", command.trim_end())
    }

    /// Types a command that succeeds; gives its output.
    fn typed(&self, command: &str) -> String {
        let Output { status, stdout, stderr } = self.answered(command, "");
        let said = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{command}: {status}\n{said}(curl is Debian's package curl)");
        String::from_utf8(stdout).expect("UTF-8")
    }
}

/// Parses JSON, so that blanks and line ends do not count.
fn folded(json: &str) -> serde_json::Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// Collects the pages for users, with their paths from the root.
fn pages(folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = format!("{folder}/{}", entry.file_name().into_string().expect("UTF-8"));
        match entry.path().is_dir() {
            true => pages(&path, found),
            false if path.ends_with(".md") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn every_command_of_a_page_is_typed_or_says_why_not() {
    let mut all = vec!["README.md".to_owned()];
    pages("docs", &mut all);
    pages("examples", &mut all);
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for path in all {
        let page = Page::read(&path);
        for Block { language, file, before, text } in &page.0 {
            let known = match language.as_str() {
                "sh" => true,
                // A script or a program is a file.
                "bash" | "javascript" => file.is_some(),
                language if language == NOT_TYPED.0 => before.trim_start().starts_with(NOT_TYPED.1),
                language => OTHERS.contains(&language),
            };
            if !known {
                let first = text.lines().next().unwrap_or_default();
                faults.push(format!("{path}: a block of '{language}' that begins with: {first}"));
            }
        }
        if page.texts("sh").next().is_some() {
            found.push(path);
        }
    }
    assert!(
        faults.is_empty(),
        "say a language, and in front of console why it is not typed:\n{}",
        faults.join("\n")
    );
    found.sort_unstable();
    let mut known = RUN;
    known.sort_unstable();
    assert_eq!(found, known, "pages with sh have a test");
}

#[test]
fn a_copybook_becomes_an_api_with_what_the_command_prints() {
    let page = Page::read("docs/guides/new.md");
    let mut typist = Typist::new();
    let [new] = &page.commands()[..] else { panic!("one command") };
    typist.write("ORDER.cpy", ORDER);
    let printed = typist.typed(new);
    let next: Vec<&str> =
        printed.lines().skip_while(|line| *line != "next:").skip(1).map(str::trim).collect();
    let [serve, curl] = next[..] else { panic!("{printed}") };
    typist.serve(serve);
    assert_eq!(folded(&typist.typed(curl)), serde_json::json!({ "item": "ITEM", "qty": 1 }));
}

#[test]
fn the_tutorial_leads_to_an_api() {
    let page = Page::read("docs/tutorial.md");
    let mut typist = Typist::new();
    let mut commands = page.commands().into_iter();
    for command in commands.by_ref().take_while(|command| !command.is_empty()).take(2) {
        typist.typed(&command);
    }
    typist.write_all(&page);
    let check = commands.next().expect("check");
    assert_eq!(typist.typed(&check), "fine: 1 service, 1 API, 1 operation\n");
    typist.serve(&commands.next().expect("serve"));
    let curl = commands.next().expect("a request");
    assert_eq!(commands.next(), None);

    let answer = typist.typed(&curl);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("x-order: 4711\r\n"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    let order = &folded(body)["order"];
    assert_eq!(order["total"].to_string(), "99.5");
    assert_eq!(order["order_line"].as_array().expect("lines").len(), 2);
    assert!(order.get("line_count").is_none(), "{body}");

    let name = "N".repeat(40);
    for (right, wrong) in [("99.5", "1.999"), ("Grace Hopper", name.as_str()), ("\"total\"", "\"totel\"")] {
        let answer = typist.typed(&curl.replacen(right, wrong, 1));
        assert!(answer.starts_with("HTTP/1.1 400"), "{wrong}: {answer}");
    }
    let document = typist.typed(&format!("curl -s http://{PLACE}/shop/openapi.json"));
    assert_eq!(folded(&document)["info"]["title"], "Shop");
}

#[test]
fn the_readme_shows_what_the_example_answers() {
    let page = Page::read("README.md");
    let mut typist = Typist::new();
    let commands = page.commands();
    typist.serving = Some(Gantry::example("performance"));
    let requests = commands.iter().filter(|command| command.contains("/performance.api/"));
    let answers = page.texts("json");
    let mut count = 0;
    for (request, expected) in requests.zip(answers) {
        assert_eq!(folded(&typist.typed(request)), folded(expected), "{request}");
        count += 1;
    }
    assert_eq!(count, 2);

    let own: Vec<&String> = commands.iter().filter(|command| command.starts_with("./target/")).collect();
    let [new, check, serve, soap] = own.as_slice() else { panic!("{own:?}") };
    typist.write("ORDER.cpy", ORDER);
    let printed = typist.typed(new);
    let request = printed.lines().map(str::trim).find(|line| line.starts_with("curl ")).expect("a request");
    assert!(typist.typed(check).starts_with("fine: "));
    typist.serve(serve);
    assert_eq!(folded(&typist.typed(request)), serde_json::json!({ "item": "ITEM", "qty": 1 }));

    typist.serve(soap);
    let envelope = commands.iter().find(|command| command.contains("/cics/services/")).expect("a request");
    assert!(typist.typed(envelope).contains("<CABASICOperationResponse "));

    accounts(&typist);
    for command in commands.iter().filter(|command| command.starts_with("gantry record ")) {
        typist.typed(command);
    }
    let csv = fs::read_to_string(typist.path("accounts.csv")).expect("the file");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    for (command, made) in [("gantry completions bash", "gantry.bash"), ("gantry man", "gantry.1")] {
        let command = commands.iter().find(|known| known.starts_with(command)).expect(command);
        typist.typed(command);
        assert!(typist.path(made).exists(), "{command}");
    }
}

/// Writes the copybook and the file for the records in the guide.
fn accounts(typist: &Typist) {
    typist.write(
        "ACCOUNT.cpy",
        "       01  ACCOUNT.
           05  ID-NO            PIC 9(4).
           05  OWNER            PIC X(6).
           05  OWNER-PARTS REDEFINES OWNER.
               10  FIRST-HALF   PIC X(3).
               10  SECOND-HALF  PIC 9(3).
           05  BALANCE          PIC S9(5)V99 COMP-3.
",
    );
    let records: [&[u8]; 2] = [
        b"\xF0\xF0\xF0\xF1\xC1\xD5\xD5\xF0\xF0\xF7\x00\x00\x10\x0C",
        b"\xF0\xF0\xF0\xF2\xC2\xC5\xD9\xE3\xF1\x40\x00\x12\x50\x0D",
    ];
    typist.write("accounts.dat", records.concat());
}

#[test]
fn the_guide_to_records_reads_and_writes_them() {
    let page = Page::read("docs/guides/records.md");
    let typist = Typist::new();
    accounts(&typist);
    let before = fs::read(typist.path("accounts.dat")).expect("the file");
    let dump = page.texts("text").find(|text| text.starts_with("record 2 of accounts.dat")).expect("a dump");
    assert_eq!(
        typist.typed("gantry record explain ACCOUNT.cpy accounts.dat -n 2").trim_end(),
        dump.trim_end()
    );

    let order = r#"{"type": "object", "properties": {"number": {"type": "integer", "maximum": 9999}}}"#;
    let shop = format!(
        r##"{{"openapi": "3.0.3", "info": {{"title": "Shop", "version": "1"}},
            "paths": {{"/orders": {{"post": {{"operationId": "addOrder", "responses": {{"200": {{"description": "done",
                "content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/Order"}}}}}}}}}}}}}}}},
            "components": {{"schemas": {{"Order": {order}}}}}}}"##
    );
    typist.write("order.json", order);
    typist.write("shop.json", shop);
    fs::create_dir(typist.path("copybooks")).expect("a configuration folder has it");
    let commands = page.commands();
    assert_eq!(commands.len(), 11, "{commands:?}");
    for command in &commands {
        typist.typed(command);
    }
    assert_eq!(fs::read(typist.path("accounts.dat")).expect("the file"), before);
    for made in ["ORDER.cpy", "copybooks/ORDER.cpy"] {
        assert!(fs::read_to_string(typist.path(made)).expect("a copybook").contains("PIC"), "{made}");
    }
}

#[test]
fn the_guide_to_playback_answers_as_it_says() {
    let page = Page::read("docs/guides/playback.md");
    let typist = Typist::new();
    typist.write_all(&page);
    typist.write("gantry.toml", "");
    typist.write("vectors/customer.jsonl", page.texts("json").next().expect("the vectors"));
    let [command] = <[String; 1]>::try_from(page.commands()).expect("one command");
    let (command, expected) = command.split_once("# ").expect("the answer as a remark");
    assert_eq!(folded(&typist.typed(&command.replace("FOLDER", "."))), folded(expected));
}

#[test]
fn the_guide_to_security_keeps_users() {
    let commands = Page::read("docs/guides/security.md").commands();
    let [add, change, check, groups, list, remove] = <[String; 6]>::try_from(commands).expect("six commands");
    let typist = Typist::new();
    let succeeds = |command: &str, input: &str| typist.answered(command, input).status.success();
    assert!(succeeds(&add, "first\n"));
    assert!(succeeds(&check, "first\n") && !succeeds(&check, "second\n"));
    assert!(succeeds(&change, "second\n"));
    assert!(succeeds(&check, "second\n") && !succeeds(&check, "first\n"));
    let users = fs::read_to_string(typist.path("users.txt")).expect("the file");
    assert!(users.starts_with("mary:staff,clerks:$argon2id$"), "{users}");
    assert_eq!(typist.typed(&groups), "changed the groups of mary\n");
    assert_eq!(typist.typed(&list), "mary  staff\n");
    assert_eq!(typist.typed(&remove), "removed user mary\n");
}

#[test]
fn the_guide_to_soap_leads_from_a_copybook_to_an_answer() {
    let page = Page::read("docs/guides/soap.md");
    let mut typist = Typist::new();
    let commands = page.commands();
    let [serve, curl, call_service, call_operation] = commands.as_slice() else { panic!("{commands:?}") };
    typist.serve(serve);
    let answer = page.texts("xml").next().expect("an answer");
    assert_eq!(typist.typed(curl).trim_end(), answer.trim_end());

    typist.typed("gantry example soap my-soap");
    typist.write(
        "my-soap/copybooks/CUSTOMER.cpy",
        "       01  CUSTOMER.\n           05  CUSTOMER-ID  PIC 9(4).\n           05  FULL-NAME  PIC X(20).\n",
    );
    let mut files = page.texts("toml");
    typist.write("my-soap/services/CUSTOMER.toml", files.next().expect("a service"));
    typist.write("my-soap/soap/CUSTOMER.toml", files.next().expect("a web service"));
    let of_shop: Vec<&str> = files.filter(|block| block.contains("shop")).collect();
    assert!(typist.typed("gantry check my-soap").starts_with("fine: 3 services"));
    typist.serve("gantry serve my-soap");
    let wsdl = typist.typed(&format!("curl -s 'http://{PLACE}/cics/services/CUSTOMER?wsdl'"));
    assert!(wsdl.contains("CUSTOMEROperationRequest") && wsdl.contains("customer_id"), "{wsdl}");

    let shop = shop();
    for block in of_shop {
        // A block may have several files, each after its name.
        for file in block.split("# ").filter(|file| !file.is_empty()) {
            let Some((name, text)) = file.split_once('\n').filter(|(name, _)| name.ends_with(".toml")) else {
                continue;
            };
            let text = text.replace("https://shop.example.com", &format!("http://{shop}"));
            typist.write(&format!("conf/{name}"), text);
        }
    }
    let record = |name: &str, field: &str| format!("       01  {name}.\n           05  {field}.\n");
    typist.write("conf/copybooks/FIND.cpy", record("FIND", "NUMBER  PIC 9(4)"));
    typist.write("conf/copybooks/FOUND.cpy", record("FOUND", "FULL-NAME  PIC X(10)"));
    for command in [call_service, call_operation] {
        let answer = typist.typed(command);
        assert!(answer.contains("Ada"), "{command}: {answer}");
    }
}

/// Starts a SOAP server that finds Ada twice.
fn shop() -> SocketAddr {
    const FOUND: &str = "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>\
        <Found xmlns=\"urn:shop\"><full_name>Ada</full_name></Found></e:Body></e:Envelope>";
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for client in listener.incoming().take(2) {
            let mut client = client.expect("a client");
            let mut request = Vec::new();
            while !String::from_utf8_lossy(&request).contains("Envelope>") {
                let mut some = [0; 4096];
                match client.read(&mut some).expect("a request") {
                    0 => break,
                    bytes => request.extend(&some[..bytes]),
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let is_right = request.starts_with("POST /services/find ") && request.contains(">17</");
            let status = if is_right { "200 OK" } else { "400 Bad Request" };
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/xml\r\nConnection: close\r\n");
            let _ = write!(client, "{head}Content-Length: {}\r\n\r\n{FOUND}", FOUND.len());
        }
    });
    address
}

#[test]
fn the_assistants_of_web_services_write_what_they_say() {
    let commands = Page::read("docs/reference/soap-assistants.md").commands();
    let [ls2ws, ws2ls, import, size] = commands.as_slice() else { panic!("{commands:?}") };
    let typist = Typist::new();
    let copybook = |name: &str| format!("       01  {name}.\n           05  CLAIM-NUMBER  PIC 9(6).\n");
    for member in ["CLAIMI", "CLAIMO"] {
        typist.write(&format!("copybooks/{member}.cpy"), copybook(member));
    }
    typist.typed(ls2ws);
    let wsdl = fs::read(typist.path("CLAIM.wsdl")).expect("a WSDL document");
    assert!(typist.path("CLAIM.wsbind").exists());

    typist.write("wsdl/orders.wsdl", wsdl);
    fs::create_dir(typist.path("new")).expect("a folder");
    typist.typed(ws2ls);
    let made: Vec<_> = fs::read_dir(typist.path("new")).expect("the folder").collect();
    assert!(made.len() >= 3, "{made:?}");

    // IBM's bind files are made on a mainframe, so no test types this command.
    assert!(import.starts_with("gantry soap import "), "{import}");
    typist.write("CLAIMO.cpy", copybook("CLAIMO"));
    assert!(typist.typed(size).lines().count() > 1);
}

#[test]
fn the_guide_to_queues_puts_and_gets_a_message() {
    let page = Page::read("docs/guides/queues.md");
    let mut typist = Typist::new();
    let commands = page.commands();
    let [example, serve, login, put, browse, get, depth, password, list, stock, quote] = commands.as_slice()
    else {
        panic!("{commands:?}")
    };
    typist.typed(example);
    typist.serve(serve);
    typist.typed(login);
    let answer = typist.typed(put);
    assert!(answer.starts_with("HTTP/1.1 201") && answer.contains("ibm-mq-md-messageid: 414d51"), "{answer}");
    assert_eq!(typist.typed(browse), "Hello");
    let shown = folded(&typist.typed(depth));
    assert_eq!(shown["commandResponse"][0]["parameters"]["curdepth"], 1);
    typist.typed(password);
    let admin = typist.serving.as_ref().expect("it serves").admin;
    let listed = typist.typed(&format!("{list} --admin http://{admin}"));
    assert!(listed.starts_with("queue manager QM1\n") && listed.contains("DEV.QUEUE.1"), "{listed}");
    assert_eq!(typist.typed(get), "Hello");
    assert_eq!(typist.typed(get), "");
    let mut answers = page.texts("json");
    assert_eq!(folded(&typist.typed(stock)), folded(answers.next().expect("an answer")));
    if typist.path("my-queues/programs").exists() {
        assert_eq!(folded(&typist.typed(quote)), folded(answers.next().expect("an answer")));
    }
}

#[test]
fn the_lines_that_the_example_of_queues_prints_can_be_pasted() {
    let mut typist = Typist::new();
    let gantry = Gantry::example("queues");
    let printed = gantry.hints();
    typist.serving = Some(gantry);
    let lines: Vec<&String> = printed.iter().filter(|line| line.starts_with("curl ")).collect();
    assert!(lines.len() >= 6, "{printed:?}");
    for line in lines {
        // Commands with `-si` show the head. The others show documents.
        let answer = typist.typed(line);
        if line.contains(" -si ") {
            let is_fine =
                ["200", "201", "204"].iter().any(|status| answer.starts_with(&format!("HTTP/1.1 {status}")));
            assert!(is_fine, "{line}: {answer}");
        } else {
            assert!(answer.contains("\"paths\"") || answer.contains("\"swagger\""), "{line}: {answer}");
        }
    }
}
