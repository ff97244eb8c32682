"""The acceptance tests, one after the other: schemas, documents, live answers, made-up requests, tools, a clean end.

Called by run.sh with the gateway's binary and the folder of schemas. The last line is `N passed, N failed`.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import requests

import clients
import mq_clients
import schemas
import servers
import shelf
import soap
import tools
import wsdls
from documents import ANSWER_MAX_S, check_openapi, check_swagger, faults, fetch, operations
from server import Server
from tests import Tests

BASES = {"performance": "/performance.api", "faults": "/faults"}

SEED = 1
EXAMPLES_MAX = 50
FUZZING_MAX_S = 600

# All that can be judged by an answer alone; the failing providers of the faults example answer 5xx on purpose.
ANSWER_CHECKS = (
    "status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,"
    "unsupported_method,allow_header_conformance"
)

RS2 = "PUT /mapping/CABASIC-RS2/{countIn}"
RS3 = "PUT /mapping/CABASIC-RS3/{countIn}"
RSV = "PUT /mapping/CABASIC-RSV/{countIn}"


def body(count_out) -> str:
    return json.dumps({"CABASICOperation": {"count_out": count_out}})


# Operation, the path's value, the body (sent as JSON unless a type is named at the end) and the status that must come.
PERFORMANCE_CALLS = [
    (RS2, "1", body(32), 200),
    (RS2, "99999999", body(1), 200),
    (RS3, "0", body(128), 200),
    (RSV, "1", body(1), 200),
    (RSV, "1", body(3), 200),
    (RSV, "1", body(128), 200),
    (RS2, "abc", body(32), 400),
    (RS2, "100000000", body(32), 400),
    (RS2, "-1", body(32), 400),
    (RS2, "1", body(33), 400),
    (RS2, "1", body(0), 400),
    (RS2, "1", body("32"), 400),
    (RS2, "1", body(1.5), 400),
    (RS2, "1", body(None), 400),
    (RS2, "1", '{"CABASICOperation":{"count_out":32,"count_in":1}}', 400),
    (RS2, "1", '{"CABASICOperation":{"count_out":32},"more":1}', 400),
    (RS2, "1", '{"CABASICOperation":{"count_out":32,"count_out":32}}', 400),
    (RS2, "1", "{}", 400),
    (RS2, "1", '{"CABASICOperation":', 400),
    (RS2, "1", "", 400),
    (RS2, "1", body(32), 415, "text/plain"),
    (RS2, "1", " " * (1024 * 1024 + 1), 413),
    (RSV, "1", body(129), 400),
]

FAULTS_CALLS = [
    ("GET /fine/{number}", "7", None, 200),
    ("GET /fine/{number}", "x", None, 400),
    ("GET /slow/{number}", "7", None, 503),
    ("GET /short/{number}", "7", None, 502),
    ("GET /bad-data/{number}", "7", None, 502),
    ("GET /refused/{number}", "7", None, 503),
]

CALLS = {"performance": PERFORMANCE_CALLS, "faults": FAULTS_CALLS}

# Requests that meet no operation: their answers have the shape of every error.
STRAY_CALLS = [
    ("GET", "/performance.api/mapping/CABASIC-RS2/1", 405),
    ("PUT", "/performance.api/mapping/NONE/1", 404),
    ("GET", "/", 404),
]


def call(
    server: Server,
    document: dict,
    operation: str,
    value: str,
    text: str | None,
    status: int,
    content_type: str = "application/json",
) -> None:
    """A request gets the status, and a body that the document promises for it."""
    method, path = operation.split(" ")
    url = server.url + document["servers"][0]["url"] + re.sub(r"\{.*?\}", value, path)
    headers = {} if text is None else {"content-type": content_type}
    answer = requests.request(method, url, data=text, headers=headers, timeout=ANSWER_MAX_S)
    assert answer.status_code == status, f"{answer.status_code} {answer.text[:300]}, expected {status}"
    promised = operations(document)[operation]["responses"][str(status)]["content"]
    check_body(document, promised["application/json"]["schema"], answer)


def stray(server: Server, document: dict, method: str, path: str, status: int) -> None:
    """A request that meets no operation gets the status, and an error in the documented shape."""
    headers = {"content-type": "application/json"}
    answer = requests.request(method, server.url + path, data=body(1), headers=headers, timeout=ANSWER_MAX_S)
    assert answer.status_code == status, f"{answer.status_code} {answer.text[:300]}, expected {status}"
    check_body(document, {"$ref": "#/components/schemas/Error"}, answer)


def check_body(document: dict, schema: dict, answer: requests.Response) -> None:
    content_type = answer.headers["content-type"].split(";")[0]
    assert content_type == "application/json", content_type
    wrong = faults(document, schema, answer.json())
    assert not wrong, f"{'; '.join(wrong)} in {answer.text[:300]}"


def fuzz(server: Server, url: str, document: dict, checks: str, only: str | None) -> None:
    """Schemathesis finds nothing, and did not leave an operation out."""
    command = [
        Path(sys.executable).with_name("schemathesis"),
        *("--no-color", "run", url, "--checks", checks),
        *("--max-examples", str(EXAMPLES_MAX), "--seed", str(SEED)),
        *("--generation-database", "none", "--continue-on-failure"),
        *(("--include-path", only) if only else ()),
    ]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=FUZZING_MAX_S
        )
    server.check_alive()
    assert run.returncode == 0, f"exit code {run.returncode}\n{run.stdout}{run.stderr}"
    expected = 1 if only else len(operations(document))
    tested = re.search(r"Tested: (\d+)", run.stdout)
    assert tested and int(tested.group(1)) == expected, f"not all {expected} operations were tested\n{run.stdout}"
    count = re.search(r"(\d+) generated, (\d+) passed$", run.stdout, re.MULTILINE)
    assert count and count.group(1) == count.group(2), f"not all requests were judged\n{run.stdout}"
    print(f"        {count.group(0)}")


def end(server: Server) -> None:
    server.check_alive()
    code = server.interrupt()
    assert code == 0, f"exit code {code} after SIGINT\n{server.log_end()}"


def test_example(tests: Tests, binary: Path, example: str) -> None:
    def run(name: str, test, *arguments) -> None:
        tests.run(f"{example}: {name}", test, *arguments)

    base = BASES[example]
    with Server(binary, example) as server:
        openapi_url = f"{server.url}{base}/openapi.json"
        run("the Swagger 2.0 document is valid", lambda: check_swagger(fetch(f"{server.url}{base}/api-docs")))
        run("the OpenAPI 3.1 document is valid", lambda: check_openapi(fetch(openapi_url)))
        run("the Swagger 2.0 document of the admin address", lambda: check_swagger(fetch(f"{server.admin}/zosConnect/api-docs")))
        run("the OpenAPI 3.1 document of the admin address", lambda: check_openapi(fetch(f"{server.admin}/openapi.json")))
        document = fetch(openapi_url)
        for operation, value, text, status, *content_type in CALLS[example]:
            shown = " ".join(filter(None, [operation, value, (text or "").strip()[:60], *content_type]))
            run(f"{shown} is {status}", call, server, document, operation, value, text, status, *content_type)
        if example == "performance":
            for method, path, status in STRAY_CALLS:
                run(f"{method} {path} is {status}", stray, server, document, method, path, status)
            run("schemathesis, all checks", fuzz, server, openapi_url, document, "all", None)
        else:
            run("schemathesis, checks of answers", fuzz, server, openapi_url, document, ANSWER_CHECKS, None)
            run("schemathesis, all checks of /fine", fuzz, server, openapi_url, document, "all", "/fine/{number}")
        run("SIGINT ends the gateway cleanly", end, server)


def test_tools(tests: Tests, binary: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tools.offer(binary, Path(folder) / "performance")
        with Server(binary, Path(folder) / "performance") as server:
            for mode in tools.MODES:
                tests.run(f"tools: the Python client of MCP, {mode}", tools.check, server, mode)
            tests.run("tools: SIGINT ends the gateway cleanly", end, server)


def test_soap(tests: Tests, binary: Path) -> None:
    with Server(binary, "soap") as server:
        for name, check in soap.CHECKS.items():
            tests.run(f"soap: {name}", check, server)
        tests.run("soap: SIGINT ends the gateway cleanly", end, server)
    shelf.run(tests, binary, end)


def test_clients(tests: Tests, binary: Path) -> None:
    clients.check(tests, binary, ["node-soap", "gsoap"])


def test_mq_clients(tests: Tests, binary: Path) -> None:
    mq_clients.check(tests, binary)


def test_servers(tests: Tests, binary: Path) -> None:
    servers.check(tests, binary)


def main() -> int:
    tests = Tests()
    binary, folder = (Path(argument).absolute() for argument in sys.argv[1:3])
    for case in schemas.cases(folder):
        tests.run(f"XML Schema: {case.name}", schemas.check_case, case)
    for name, parameters, bindings, answers in wsdls.CASES:
        tests.run(f"WSDL: {name}", wsdls.check, binary, parameters, bindings, answers)
    for example in BASES:
        try:
            test_example(tests, binary, example)
        except Exception as fault:
            tests.failed += 1
            print(f"FAILED  {example}: {type(fault).__name__}: {fault}", flush=True)
    parts = {
        "tools": test_tools,
        "soap": test_soap,
        "clients": test_clients,
        "clients of MQ": test_mq_clients,
        "servers": test_servers,
    }
    for name, test in parts.items():
        try:
            test(tests, binary)
        except Exception as fault:
            tests.failed += 1
            print(f"FAILED  {name}: {type(fault).__name__}: {fault}", flush=True)
    print(f"{tests.passed} passed, {tests.failed} failed")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main())
