//! Types the guides to migration, programs, operation, measurement and calls.

use super::*;
use crate::import::{INTERFACE, MANIFEST, archive, map};
use crate::remote::{Asked, Remote};

/// Writes the archives of an API and of its service.
fn api(typist: &Typist, name: &str, api: &str, service: &str) {
    let order = [("manifest.yml", MANIFEST), ("files/O.si", INTERFACE)];
    archive(&typist.path(service), &order);
    let package = format!(
        "<zosConnectApi id='{name}'><apiSpec title='An API' basePath='/{name}' version='1.0.0'>
        <path relativePath='/orders/{{id}}'><method type='PUT' zosConnectServiceRef='order' httpXformFile='api/m.xml'/></path>
        </apiSpec></zosConnectApi>"
    );
    let mapping =
        "<ZosConnectServiceMapping><requestMessage><mappingRootModel type='MSL' location='api/r.map'/>
        </requestMessage></ZosConnectServiceMapping>";
    let map = map("orderId");
    let entries = [("package.xml", package.as_str()), ("api/m.xml", mapping), ("api/r.map", map.as_str())];
    archive(&typist.path(api), &entries);
}

/// Writes a guide's API, service and copybooks of z/OS Connect in a small form.
fn packages(typist: &Typist) {
    api(typist, "catalog", "catalog.aar", "inqcust.sar");
    typist.write("server.xml", "<server><httpEndpoint httpPort='9080'/></server>");
    let manifest = "name: placeOrder\nprovider: CICS-1.0\nproviderProperties:\n- {propertyName: dataXformType, value: WSBIND}\n\
        - {propertyName: program, value: DFH0XCMN}\n";
    archive(&typist.path("placeOrder.sar"), &[("manifest.yml", manifest), ("files/placeOrder.wsbind", "x")]);
    typist.write("DFH0XCP4.cpy", "       01  ORDER-REQUEST.\n           05  ITEM-REF  PIC 9(4).\n");
}

#[test]
fn the_guide_to_imports_brings_packages_that_serve() {
    let page = Page::read("docs/guides/import.md");
    let mut typist = Typist::new();
    packages(&typist);
    let commands = page.commands();
    let [import, check, with_copybooks, cics, cics_check, with_data, mqsc, mqsc_check] = commands.as_slice()
    else {
        panic!("{commands:?}")
    };
    let told = typist.typed(import);
    for part in ["catalog.aar: API catalog", "inqcust.sar: service order", "wrote conf/gantry.toml"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(typist.typed(check).starts_with("fine: 1 service, 1 API, 1 operation"));
    assert!(typist.typed(with_copybooks).contains("placeOrder.sar: service placeOrder"));
    // The guide says that a service waits for its provider.
    let service = typist.path("conf/services/order.toml");
    let mut text = fs::read_to_string(&service).expect("the service");
    text.push_str("\n[provider]\nkind = \"simulated\"\nanswer = \"echo\"\n");
    fs::write(service, text).expect("a file");
    typist.serve("gantry serve conf");
    let answer = typist.typed(&format!(
        "curl -s -X PUT -H 'Content-Type: application/json' -d '{{}}' http://{PLACE}/catalog/orders/17"
    ));
    assert_eq!(folded(&answer)["order"]["orderId"], 17, "{answer}");
    definitions([cics, cics_check, with_data]);
    let typist = Typist::new();
    typist.write("qm1.mqsc", "DEFINE QLOCAL(A) +\n  DEFPSIST(YES)\n");
    assert!(typist.typed(mqsc).contains("new: queue_manager.queue: A\n"));
    assert!(typist.typed(mqsc_check).starts_with("fine: "));
}

/// Makes a region of the definitions that a guide names.
fn definitions([import, check, with_data]: [&String; 3]) {
    let new = || {
        let typist = Typist::new();
        typist.write(
            "shop.csd",
            "DEFINE FILE(ITEMS) GROUP(SHOP) DSNAME(<HLQ>.SHOP.ITEMS)\n       READ(YES) ADD(YES)\n",
        );
        let job = "//VSAM JOB 1\n//DEFINE EXEC PGM=IDCAMS\n//SYSIN DD *\n DEFINE CLUSTER (NAME(PROD.SHOP.ITEMS) -\n \
            KEYS(4 0) RECORDSIZE(20 20))\n/*\n";
        typist.write("vsam.jcl", job);
        typist.write("items.txt", "0001LAMP\n0002CHAIR\n");
        typist
    };
    let typist = new();
    let told = typist.typed(import);
    assert!(
        told.contains("new: region.file: ITEMS\n") && told.contains("wrote conf/gantry.toml\n"),
        "{told}"
    );
    assert!(typist.typed(check).starts_with("fine: "));
    let told = new().typed(with_data);
    assert!(told.contains("wrote conf/data/ITEMS.txt\n"), "{told}");
}

#[test]
fn the_guide_to_programs_translates_and_runs_them() {
    let page = Page::read("docs/guides/programs.md");
    let mut typist = Typist::new();
    let commands = page.commands();
    let [example, translate, compile, serve, order, call] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    for command in [example, translate, compile] {
        typist.typed(command);
    }
    assert!(typist.path("ORDER.so").exists());
    typist.serve(serve);
    let expected = page.texts("json").next().expect("an answer");
    assert_eq!(folded(&typist.typed(order)), folded(expected));
    assert_eq!(folded(&typist.typed(call)), folded(expected), "each call begins with empty queues");
    let transfers = Page::read("examples/programs/README.md").commands().concat();
    assert!(typist.typed(&transfers).contains("\"done\":10"));
}

#[test]
fn the_guide_to_regions_looks_at_one() {
    let page = Page::read("docs/guides/operators.md");
    let mut typist = Typist::new();
    let gantry = Gantry::example("programs");
    let hints = gantry.hints();
    typist.serving = Some(gantry);
    let order = hints.iter().find(|hint| hint.contains("/programs/orders")).expect("a request");
    typist.typed(order);
    let commands = page.commands();
    assert_eq!(commands.len(), 14, "{commands:?}");
    for command in &commands {
        let shown = typist.typed(&typist.at_admin(command));
        let expected = match command {
            command if command.contains("region programs") => "ORDER",
            command if command.contains("--item") => "TAKEN",
            command if command.contains("queues") => "JOURNAL",
            _ => "",
        };
        assert!(!shown.is_empty() && shown.contains(expected), "{command}: {shown}");
        if command.contains("trace on") {
            typist.typed(order);
        }
        if command.contains("trace show") {
            assert!(shown.contains("LINK"), "{shown}");
        }
    }
}

#[test]
fn the_guide_to_contracts_leads_to_an_answer() {
    let page = Page::read("docs/guides/contract-first.md");
    let mut typist = Typist::new();
    typist.write_all(&page);
    let commands = page.commands();
    let [touch, check, serve, ask] = commands.as_slice() else { panic!("{commands:?}") };
    typist.typed(touch);
    assert!(typist.typed(check).starts_with("fine: 2 services, 1 API, 1 operation"));
    typist.serve(serve);
    let expected = page.texts("json").next().expect("an answer");
    assert_eq!(folded(&typist.typed(ask)), folded(expected));
    let refused = typist.typed(&ask.replace("LAMP", "LONGNAMED"));
    assert!(refused.contains("GTY0440W") || refused.contains("GTY0411W"), "{refused}");
}

#[test]
fn the_guide_to_tools_lists_them() {
    let page = Page::read("docs/guides/mcp.md");
    let folder = crate::folder::Folder::echo("[mcp]\nenabled = true\n");
    let mut typist = Typist::new();
    typist.serving = Some(Gantry::folder(folder.path()));
    let commands = page.commands();
    let [list] = commands.as_slice() else { panic!("{commands:?}") };
    let tools = typist.typed(list);
    assert!(tools.contains("\"tools\":[{\"name\":"), "{tools}");
}

#[test]
fn the_guide_to_the_laboratory_runs_its_experiments() {
    let page = Page::read("docs/guides/lab.md");
    let typist = Typist::new();
    typist.write("my-experiment.toml", page.texts("toml").next().expect("an experiment"));
    let copybook = "       01  ECHO.\n           05  TEXT-FIELD  PIC X({{size}}).\n";
    typist.write("echo/gantry/copybooks/ECHO.cpy", copybook);
    typist.write("echo/gantry/gantry.toml", "");
    typist.write(
        "echo/gantry/services/echo.toml",
        "ccsid = 37\nrequest = { copybook = \"ECHO.cpy\", wrapper = \"echo\" }\n\
         response = { copybook = \"ECHO.cpy\", wrapper = \"echo\" }\nprovider = { kind = \"simulated\", answer = \"echo\" }\n",
    );
    typist.write(
        "echo/gantry/apis/echo/api.toml",
        "title = \"Echo\"\nbase_path = \"/echo\"\n[[operation]]\nmethod = \"POST\"\npath = \"/call\"\nservice = \"echo\"\n",
    );
    for name in ["request", "answer"] {
        let json = "{\"echo\":{\"text_field\":\"{{text words size size}}\"}}\n";
        typist.write(&format!("echo/{name}.json"), json);
    }
    let commands = page.commands();
    let [list, run, own, report] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(typist.typed(list).contains("simple"));
    for command in [run, own] {
        // The command runs with fewer rounds, and on a machine with other work.
        let short = format!("{command} --rounds 1 --duration-s 0.2 --warmup-s 0 --unpinned");
        let told = typist.typed(&short);
        assert!(told.lines().last().is_some_and(|line| line.contains(": measured ")), "{told}");
    }
    typist.typed(report);
    assert!(typist.path("results/report.html").exists());
}

#[test]
fn the_guide_to_load_measures_a_server() {
    let page = Page::read("docs/guides/load.md");
    let mut typist = Typist::new();
    typist.serving = Some(Gantry::example("performance"));
    let commands = page.commands();
    let [http, at_rate, programs] = commands.as_slice() else { panic!("{commands:?}") };
    let short = http.replace("--duration-s 10", "--duration-s 0.3 --warmup-s 0 --rounds 1 --output http");
    typist.typed(&short);
    assert!(typist.path("http/report.html").exists());
    let short = at_rate.replace(
        "--rate 2000 --clients 64 --duration-s 10",
        "--rate 100 --clients 4 --duration-s 0.3 --warmup-s 0 --rounds 1",
    );
    assert_ne!(&short, at_rate);
    typist.typed(&short);
    typist.typed(&format!("{programs} --duration-s 0.01 --rounds 1 --sizes 1024 --characters 1024"));
    assert!(typist.path("results/report.html").exists());
}

/// Answers as an API of parts.
fn parts(asked: &Asked) -> (u16, &'static str, String) {
    const JSON: &str = "content-type: application/json\r\n";
    match asked.line.as_str() {
        "POST /v1/parts/17?warehouse=EAST HTTP/1.1" => (200, JSON, r#"{"PART_NAME":"Bolt"}"#.to_owned()),
        "GET /v1/parts/17 HTTP/1.1" => (200, JSON, r#"{"name":"Bolt"}"#.to_owned()),
        _ => (404, JSON, "{}".to_owned()),
    }
}

/// The document of this API.
const STOCK: &str = "openapi: 3.0.3
info: { title: Stock, version: '1' }
paths:
  /parts/{number}:
    get:
      operationId: getPart
      parameters:
        - { name: number, in: path, required: true, schema: { type: integer, minimum: 1, maximum: 9999 } }
      responses:
        '200':
          description: A part.
          content:
            application/json:
              schema: { type: object, properties: { name: { type: string, maxLength: 12 } } }
";

#[test]
fn the_guide_to_calls_reaches_an_api() {
    let page = Page::read("docs/guides/outbound.md");
    let remote = Remote::start(parts);
    let commands = page.commands();
    let [service, import, requester, areas] = commands.as_slice() else { panic!("{commands:?}") };
    let prepared = || {
        let typist = Typist::new();
        for (name, text) in page.0.iter().filter_map(|block| Some((block.file.as_ref()?, &block.text))) {
            let text = text.replace("https://stock.example.com/v2", &format!("http://{}/v1", remote.address));
            typist.write(&format!("conf/{name}"), text);
        }
        let record = |name: &str, fields: &str| format!("       01  {name}.\n{fields}");
        typist.write(
            "conf/copybooks/PARTREQ.cpy",
            record("PARTREQ", "           05 PART-NUMBER PIC 9(4).\n           05 WAREHOUSE PIC X(8).\n"),
        );
        typist.write(
            "conf/copybooks/PARTRSP.cpy",
            record("PARTRSP", "           05 RETURN-CODE PIC 9(4).\n           05 PART-NAME PIC X(12).\n"),
        );
        typist.write("stock.yaml", STOCK);
        typist
    };
    let typist = prepared();
    let with_key = |command: &str| format!("STOCK_KEY=secret {command}");
    let answer = typist.typed(&with_key(service));
    assert_eq!(folded(&answer), serde_json::json!({ "RETURN_CODE": 200, "PART_NAME": "Bolt" }));
    typist.typed(import);
    assert!(typist.typed(&with_key(requester)).contains(r#"{"name":"Bolt"}"#));
    assert!(remote.asked().iter().all(|asked| asked.headers.to_lowercase().contains("x-api-key: secret")));

    let typist = prepared();
    typist.typed(areas);
    for name in ["STK00I01", "STK00Q01", "STK00P01"] {
        assert!(typist.path(&format!("conf/copybooks/{name}.cpy")).exists(), "{name}");
    }
}

#[test]
fn the_guide_to_endpoint_groups_shows_one() {
    let page = Page::read("docs/guides/connector.md");
    let mut typist = Typist::new();
    let commands = page.commands();
    let [serve, call, display, quiesce, drained, start] = commands.as_slice() else { panic!("{commands:?}") };
    typist.serve(serve);
    let expected = page.texts("json").next().expect("an answer");
    assert_eq!(folded(&typist.typed(call)), folded(expected));
    let shown = typist.typed(&typist.at_admin(display));
    let example = page.texts("text").next().expect("a display");
    // Times and figures differ.
    let words = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).skip(1).collect()
    };
    assert_eq!(words(&shown), words(example), "{shown}");
    assert!(typist.typed(&typist.at_admin(quiesce)).ends_with("is quiesced\n"));
    assert!(typist.typed(&typist.at_admin(drained)).contains("by an operator"));
    assert!(typist.typed(call).contains("BKCRYP1"));
    assert!(typist.typed(&typist.at_admin(start)).ends_with("is started\n"));
}

#[test]
fn the_guide_after_the_first_answer_works_step_by_step() {
    let page = Page::read("docs/guides/next-steps.md");
    let mut typist = Typist::new();
    let commands = page.commands();
    let [new, serve, reload, put, wrong, again, get, page_key, night_key, last, with_key, metrics] =
        commands.as_slice()
    else {
        panic!("{commands:?}")
    };
    let write = |typist: &Typist, name: &str| {
        let block = page.0.iter().find(|block| block.file.as_deref() == Some(name)).expect(name);
        typist.write(name, &block.text);
    };
    let [written, read] = <[&str; 2]>::try_from(page.texts("json").collect::<Vec<_>>()).expect("two answers");
    write(&typist, "ORDER.cpy");
    typist.typed(new);
    typist.serve(serve);
    write(&typist, "shop/services/shop.toml");
    typist.typed(reload);
    assert_eq!(folded(&typist.typed(put)), folded(written));
    assert!(
        typist.typed(wrong).contains("order_status: the value is not one of the field's condition names")
    );
    write(&typist, "shop/apis/shop/api.toml");
    typist.typed(again);
    assert_eq!(folded(&typist.typed(get)), folded(read));
    for key in [page_key, night_key] {
        typist.typed(key);
    }
    write(&typist, "shop/gantry.toml");
    typist.typed(last);
    assert_eq!(folded(&typist.typed(with_key)), folded(read));
    assert!(typist.typed(get).contains("GTY0432W"));
    assert!(typist.typed(metrics).contains("gantry_requests_total{api=\"shop\""));
}

#[test]
fn the_guide_to_packages_serves_imports_and_deploys_one() {
    let page = Page::read("docs/guides/zos-connect-package.md");
    let mut typist = Typist::new();
    api(&typist, "shop", "shop.aar", "order.sar");
    let commands = page.commands();
    let [
        folder,
        copy,
        check,
        serve,
        call,
        document,
        import,
        provider,
        check_own,
        serve_own,
        stop,
        delete,
        deploy,
    ] = commands.as_slice()
    else {
        panic!("{commands:?}")
    };
    typist.write_all(&page);
    for command in [folder, copy] {
        typist.typed(command);
    }
    let expected = page.texts("json").next().expect("an answer");
    assert!(typist.typed(check).starts_with("fine: 1 service, 1 API, 1 operation"));
    typist.serve(serve);
    assert_eq!(folded(&typist.typed(call)), folded(expected));
    assert_eq!(folded(&typist.typed(document))["basePath"], "/shop");
    for command in [stop, delete, deploy] {
        assert!(!typist.typed(command).contains("errorMessage"), "{command}");
    }
    assert_eq!(folded(&typist.typed(call)), folded(expected), "it is deployed again");

    typist.typed(import);
    typist.typed(provider);
    assert!(typist.typed(check_own).starts_with("fine: 1 service, 1 API, 1 operation"));
    typist.serve(serve_own);
    assert_eq!(folded(&typist.typed(call)), folded(expected));
}

#[test]
fn the_guide_to_clients_of_mq_runs_a_script_unchanged() {
    const SECURE: &str = "127.0.0.1:9443";
    let page = Page::read("docs/guides/mq-rest-client.md");
    let typist = Typist::new();
    typist.write_all(&page);
    let settings = typist.path("my-qm/gantry.toml");
    let text = fs::read_to_string(&settings).expect("the settings");
    assert!(text.contains(SECURE), "{text}");
    fs::write(&settings, text.replace(SECURE, "127.0.0.1:0")).expect("a file");
    let commands = page.commands();
    let [import, user, certificate, check, serve, client] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    let mut shown = page.texts("text").skip(1);
    // Notes and files are told beside the output.
    let told = typist.typed(&format!("{import} 2>&1"));
    assert_eq!(told.trim_end(), shown.next().expect("what it tells").trim_end());
    for command in [user, certificate, check] {
        typist.typed(command);
    }
    assert_eq!(serve, "gantry serve my-qm");
    let gantry = Gantry::configured(&typist.path("my-qm"));
    let told = typist.typed(&client.replace(SECURE, &gantry.address().to_string()));
    assert_eq!(told, shown.next().expect("what it prints"));
}

#[test]
fn the_guide_to_installation_has_the_unit_of_the_packages() {
    let page = Page::read("docs/guides/install.md");
    let path = Path::new(ROOT).join("packaging/debian/gantry.service");
    let packaged = fs::read_to_string(&path).expect("the unit");
    // As packaging/build.sh does for the packages without WebAssembly.
    let expected = packaged.replace("@MEMORY@\n", "MemoryDenyWriteExecute=yes\n");
    assert_ne!(packaged, expected, "the place for the choice is there");
    let units: Vec<&str> = page.texts("ini").collect();
    assert_eq!(units, [expected.as_str()], "copy {} into the page", path.display());
}

#[test]
fn the_guide_for_a_web_page_serves_one() {
    let page = Page::read("docs/guides/web-page.md");
    let mut typist = Typist::new();
    let commands = page.commands();
    let [new, key, check, serve, fine, wrong, preflight, document] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    typist.write_all(&page);
    // The command makes the folder, and the page then changes its files.
    fs::remove_dir_all(typist.path("claims")).expect("a folder");
    typist.typed(new);
    typist.write_all(&page);
    typist.typed(key);
    assert_eq!(typist.typed(check), "fine: 1 service, 1 API, 1 operation\n");
    typist.serve(serve);
    let answer = typist.typed(fine);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"clm_date\":\"2026-11-28\""), "{answer}");
    let answer = typist.typed(wrong);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    assert_eq!(folded(body), folded(page.texts("json").next().expect("an answer")));
    let answer = typist.typed(preflight);
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    for header in
        ["access-control-allow-methods: PUT", "access-control-allow-headers: content-type, x-api-key"]
    {
        assert!(answer.contains(header), "{header}: {answer}");
    }
    let less = preflight.replacen("x-api-key", "x-other", 1);
    let answer = typist.typed(&less);
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("the header 'x-other'"), "{answer}");
    let document = folded(&typist.typed(document));
    let schemes = &document["components"]["securitySchemes"];
    assert!(schemes.to_string().contains("x-api-key"), "{schemes}");
    assert!(document.to_string().contains("[\"O\",\"P\"]"), "{document}");
}
