//! Tests every action of the API mapping, on a service that sends its record back.

use crate::folder::Folder;
use crate::process::{Gantry, request};

const ORDER: &str = "       01  ORDER-REC.
           05  ORDER-ID        PIC 9(6).
           05  AMOUNT          PIC S9(5)V99 COMP-3.
           05  CUSTOMER-NAME   PIC X(10).
           05  PRIORITY-CODE   PIC S9(4) COMP.
           05  CHANNEL-ID      PIC X(4).
           05  CURRENCY-CODE   PIC X(3).
           05  SECRETS.
               10  SECRET-KEY  PIC X(4).
               10  SECRET-PIN  PIC 9(4).
           05  ITEM-TEXT       PIC X(8).
";

const SERVICE: &str = r#"ccsid = 37

[provider]
kind = "simulated"
answer = "echo"

[request]
copybook = "ORDER.cpy"
wrapper = "order"

[response]
copybook = "ORDER.cpy"
wrapper = ""
"#;

const API: &str = r#"base_path = "/shop"

[[operation]]
method = "POST"
path = "/orders/{id}"
service = "order"

[operation.request]
move = [
    { from = "path.id", to = "ORDER-ID" },
    { from = "query.amount", to = "AMOUNT", required = true },
    { from = "query.priority", to = "PRIORITY-CODE" },
    { from = "header.X-Customer", to = "CUSTOMER-NAME" },
]
assign = { CHANNEL-ID = "WEB" }
default = { CURRENCY-CODE = "EUR" }
remove = ["SECRETS"]
rename = { ITEM-TEXT = "item" }

[operation.response]
status = 201
remove = ["SECRET-PIN"]
rename = { CUSTOMER-NAME = "customer", ITEM-TEXT = "item" }
headers = { X-Order = { field = "ORDER-ID" }, X-Amount = { field = "AMOUNT" }, X-Origin = { value = "gantry" } }

[[operation]]
method = "GET"
path = "/orders/{id}"
service = "order"

[operation.request]
move = [
    { from = "path.id", to = "ORDER-ID" },
    { from = "query.customer", to = "CUSTOMER-NAME" },
]
assign = { PRIORITY-CODE = -5, AMOUNT = "-1.50" }
remove = ["CHANNEL-ID", "CURRENCY-CODE", "SECRETS", "ITEM-TEXT"]

[operation.response]
remove = ["SECRETS", "CHANNEL-ID", "CURRENCY-CODE", "ITEM-TEXT"]
headers = { X-Customer = { field = "CUSTOMER-NAME" } }

[[operation]]
method = "DELETE"
path = "/orders/{id}"
service = "order"
request = { move = [{ from = "path.id", to = "ORDER-ID" }] }

[[operation]]
method = "PATCH"
path = "/orders/{id}"
service = "order"
request = { move = [{ from = "path.id", to = "ORDER-ID" }], remove = ["SECRET-PIN"] }
response = { remove = ["AMOUNT", "CUSTOMER-NAME", "PRIORITY-CODE", "CHANNEL-ID", "CURRENCY-CODE", "ITEM-TEXT"] }
"#;

pub(crate) fn shop() -> Folder {
    Folder::empty()
        .with("gantry.toml", "")
        .with("copybooks/ORDER.cpy", ORDER)
        .with("services/order.toml", SERVICE)
        .with("apis/shop/api.toml", API)
}

#[test]
fn every_action_of_a_request_and_of_a_response() {
    let folder = shop();
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send(
        "POST",
        "/shop/orders/000042?amount=12.5&priority=-7&ignored=1",
        "x-customer: Grace H\r\n",
        r#"{"order":{"item":"nut"}}"#,
    );
    answer.is_json(
        201,
        r#"{"order_id":42,"amount":12.5,"customer":"Grace H","priority_code":-7,"channel_id":"WEB","currency_code":"EUR","secrets":{"secret_key":""},"item":"nut"}"#,
    );
    assert_eq!(answer.header("x-order"), Some("42"));
    assert_eq!(answer.header("x-amount"), Some("12.5"));
    assert_eq!(answer.header("x-origin"), Some("gantry"));
}

#[test]
fn what_is_optional_may_be_left_out_and_a_body_goes_before_a_default() {
    let folder = shop();
    let gantry = Gantry::folder(folder.path());
    gantry.send("POST", "/shop/orders/1?amount=-0.01", "", r#"{"order":{"currency_code":"SEK"}}"#).is_json(
        201,
        r#"{"order_id":1,"amount":-0.01,"customer":"","priority_code":0,"channel_id":"WEB","currency_code":"SEK","secrets":{"secret_key":""},"item":""}"#,
    );
}

#[test]
fn parameters_are_converted_or_refused() {
    let folder = shop();
    let gantry = Gantry::folder(folder.path());
    let ask = |url: &str, headers: &str| gantry.send("POST", url, headers, r#"{"order":{}}"#);
    for (amount, shown) in [("99999.99", "99999.99"), ("-99999.99", "-99999.99"), ("7", "7"), ("0.10", "0.1")]
    {
        let answer = ask(&format!("/shop/orders/1?amount={amount}"), "");
        assert_eq!(answer.status, 201, "{amount}: {}", answer.text());
        assert!(answer.text().contains(&format!("\"amount\":{shown},")), "{}", answer.text());
    }
    for (url, headers, code, part) in [
        ("/shop/orders/1", "", "GTY0410W", "query parameter amount"),
        ("/shop/orders/1?amount=1&amount=1", "", "BAQR1712E", "query parameter amount"),
        ("/shop/orders/1?amount=0.001", "", "GTY0411W", "query parameter amount: "),
        ("/shop/orders/1?amount=100000", "", "GTY0411W", "query parameter amount: "),
        ("/shop/orders/1?amount=", "", "GTY0411W", "query parameter amount: "),
        ("/shop/orders/1?amount=1,5", "", "GTY0411W", "query parameter amount: "),
        ("/shop/orders/1?amount=1&priority=10000", "", "GTY0411W", "query parameter priority: "),
        ("/shop/orders/1?amount=1&priority=1.5", "", "GTY0411W", "query parameter priority: "),
        ("/shop/orders/1000000?amount=1", "", "GTY0411W", "path parameter id: "),
        ("/shop/orders/-1?amount=1", "", "GTY0411W", "path parameter id: "),
        ("/shop/orders/1?amount=%zz", "", "GTY0401W", "query parameter amount: "),
        (
            "/shop/orders/1?amount=1",
            "x-customer: longer than it\r\n",
            "GTY0411W",
            "header parameter X-Customer: ",
        ),
        (
            "/shop/orders/1?amount=1",
            "x-customer: a\r\nx-customer: b\r\n",
            "BAQR1712E",
            "header parameter X-Customer",
        ),
        ("/shop/orders/1?amount=1", "x-customer: \u{3b1}\r\n", "GTY0411W", "header parameter X-Customer: "),
    ] {
        let details = ask(url, headers).fails(400, code);
        assert!(details.starts_with(part), "{url}: {details}");
    }
}

#[test]
fn fields_that_a_mapping_takes_are_not_in_the_body() {
    let folder = shop();
    let gantry = Gantry::folder(folder.path());
    for field in
        ["order_id", "amount", "customer_name", "priority_code", "channel_id", "secrets", "item_text"]
    {
        let json = format!(r#"{{"order":{{"{field}":"1"}}}}"#);
        let details = gantry.send("POST", "/shop/orders/1?amount=1", "", &json).fails(400, "GTY0420W");
        assert!(details.contains(field), "{details}");
    }
}

#[test]
fn each_method_of_a_path_is_its_own_operation() {
    let folder = shop();
    let gantry = Gantry::folder(folder.path());
    gantry
        .get("/shop/orders/9")
        .is_json(200, r#"{"order_id":9,"amount":-1.5,"customer_name":"","priority_code":-5}"#);
    let deleted = gantry.request(b"DELETE /shop/orders/9 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    deleted.is_json(
        200,
        r#"{"order_id":9,"amount":0,"customer_name":"","priority_code":0,"channel_id":"","currency_code":"","secrets":{"secret_key":"","secret_pin":0},"item_text":""}"#,
    );
    let json = r#"{"order":{"secrets":{"secret_key":"k"}}}"#;
    gantry
        .send("PATCH", "/shop/orders/9", "", json)
        .is_json(200, r#"{"order_id":9,"secrets":{"secret_key":"k","secret_pin":0}}"#);
    let wrong = gantry.put("/shop/orders/9", "{}");
    wrong.fails(405, "GTY0405W");
    let mut offered: Vec<&str> = wrong.header("allow").expect("methods").split(", ").collect();
    offered.sort_unstable();
    assert_eq!(offered, ["DELETE", "GET", "HEAD", "PATCH", "POST"]);
}

#[test]
fn methods_without_a_body_refuse_one() {
    let folder = shop();
    let gantry = Gantry::folder(folder.path());
    for method in ["GET", "DELETE"] {
        gantry.send(method, "/shop/orders/9", "", "{}").fails(400, "GTY0403W");
        let chunked = format!(
            "{method} /shop/orders/9 HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
        );
        gantry.request(chunked.as_bytes()).fails(400, "GTY0403W");
        let empty = request(method, "/shop/orders/9", "", "");
        assert_eq!(gantry.request(empty.as_bytes()).status, 200);
    }
}

#[test]
fn text_that_cannot_be_a_header_is_a_bad_record() {
    let folder = shop();
    let gantry = Gantry::folder(folder.path());
    let ask = |name: &str| gantry.get(&format!("/shop/orders/9?customer={name}"));
    assert_eq!(ask("a,+b").header("x-customer"), Some("a, b"));
    assert_eq!(ask("").header("x-customer"), Some(""));
    assert_eq!(ask("Zo%C3%AB").header("x-customer"), Some("Zo\u{eb}"));
    for name in ["a%0D%0Ab:%20c", "a%0Ab", "a%00b", "a%7Fb"] {
        let answer = ask(name);
        let details = answer.fails(502, "GTY0502E");
        assert_eq!(answer.header("x-customer"), None);
        assert!(details.starts_with("bad value: ") && details.ends_with(" cannot be a header"), "{details}");
        assert!(details.to_lowercase().contains("customer"), "{details}");
    }
}

#[test]
fn naming_profiles() {
    for (naming, wrapper, name) in
        [("ls2js", "namedOperation", "words"), ("toolkit", "NOTE", "WORDS"), ("cobol", "NOTE", "WORDS")]
    {
        let number = match naming {
            "ls2js" => "number_of",
            "toolkit" => "NUMBER_OF",
            _ => "NUMBER-OF",
        };
        let plain = crate::folder::service("echo", "").replace("wrapper = \"\"\n", "");
        let folder = Folder::echo("")
            .with("services/named.toml", &format!("naming = \"{naming}\"\n{plain}"))
            .with("apis/echo/api.toml", &crate::folder::ECHO_API.replace("\"echo\"", "\"named\""));
        let gantry = Gantry::folder(folder.path());
        let answer = gantry.put("/echo/7", &format!(r#"{{"{wrapper}":{{"{name}":"hi"}}}}"#));
        let wrapper = wrapper.replace("namedOperation", "namedOperationResponse");
        answer.is_json(200, &format!(r#"{{"{wrapper}":{{"{number}":7,"{name}":"hi"}}}}"#));
    }
}

#[test]
fn unknown_fields_may_be_ignored_by_name() {
    let ignore =
        crate::folder::service("echo", "").replace("[request]\n", "[request]\nunknown_fields = \"ignore\"\n");
    let folder = Folder::echo("").with("services/echo.toml", &ignore);
    let gantry = Gantry::folder(folder.path());
    gantry
        .put("/echo/7", r#"{"words":"hi","more":[1,{"x":null}],"number_of":9}"#)
        .is_json(200, crate::folder::ECHO_ANSWER);
    gantry.put("/echo/7", r#"{"words":"hi","more":[1,}"#).fails(400, "BAQR0417W");
}
