"""Services of the WSDL of others: `ws2ls` makes bind files, the pickup folder takes them, zeep reads the served WSDL and calls.

Each service is an echo whose answer has the type of its request, so all values must come back.
"""

import datetime
import subprocess
import tempfile
from decimal import Decimal
from pathlib import Path

import requests
import zeep
from zeep.xsd import Nil

from documents import ANSWER_MAX_S
from server import Server

WSDLS = Path(__file__).parent / "wsdl"
OPERATIONS = {"BOOKINGS": ["BOOKINGS-book", "BOOKINGS-show", "BOOKINGS-cancel"], "PEOPLE": ["PEOPLE"]}
SOURCES = {"BOOKINGS": "bookings/bookings.wsdl", "PEOPLE": "people.wsdl"}

LEAST = {
    "number": 1,
    "guest": {"name": "Ada", "vip": True},
    "left": Nil,
    "room": 12,
    "days": [1],
    "paid": False,
    "version": 7,
}
MOST = {
    "number": 4_294_967_295,
    "guest": {"name": "Bob & <Eve>", "born": datetime.date(1990, 2, 28), "vip": False},
    "left": datetime.datetime(2024, 5, 6, 7, 8, 9),
    "remark": 'quiet, "please"',
    "desk": {"floor": -3},
    "days": [1, 22, 333],
    "price": [{"_value_1": Decimal("-1234567.89"), "currency": "EUR"}, {"_value_1": Decimal("0.50"), "currency": "USD"}],
    "seal": b"\x00\xffseal",
    "paid": True,
    "state": "open",
    "version": -7,
}


def folder(binary: Path, place: Path) -> Path:
    """A configuration folder with bind files in its pickup folder."""
    toml = '[[pipeline]]\nname = "others"\n'
    pickup = place / "pipelines" / "others" / "pickup"
    pickup.mkdir(parents=True)
    for name, services in OPERATIONS.items():
        made = subprocess.run(
            [binary, "soap", "ws2ls", "--wsdl", WSDLS / SOURCES[name], "--wsbind", f"{name}.wsbind", "--reqmem", "RQ", "--respmem", "RS"]
            + ["--mapping-level", "4.3", "--pgmname", name, "--pgmint", "COMMAREA", "--uri", f"/others/{name}"]
            + ["--one-record", "--array-max", "5", "--out", pickup],
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stderr
        for service in services:
            toml += f'[providers."{service}"]\nkind = "simulated"\nanswer = "echo"\n'
    (place / "gantry.toml").write_text(toml)
    scanned = subprocess.run([binary, "soap", "scan", place], capture_output=True, text=True)
    assert scanned.stdout.count(": installed") == len(OPERATIONS), scanned.stdout + scanned.stderr
    return place


def client(server: Server, name: str) -> zeep.Client:
    transport = zeep.Transport(timeout=ANSWER_MAX_S, operation_timeout=ANSWER_MAX_S)
    return zeep.Client(f"{server.url}/others/{name}?wsdl", transport=transport)


def same(given, answer, where: str) -> None:
    """All that was given is in the answer, and nothing else."""
    if isinstance(given, dict):
        known = {key: value for key, value in answer.__values__.items() if value is not None and value != []}
        expected = {key: value for key, value in given.items() if value is not Nil}
        assert known.keys() == expected.keys(), f"{where}: {known.keys()} for {expected.keys()}"
        for key, value in expected.items():
            same(value, answer[key], f"{where}.{key}")
    elif isinstance(given, list):
        assert len(given) == len(answer), f"{where}: {answer}"
        for number, (value, got) in enumerate(zip(given, answer)):
            same(value, got, f"{where}[{number}]")
    else:
        assert given == answer and type(given) is type(answer), f"{where}: {answer!r} for {given!r}"


def check_bookings(server: Server, port: str) -> None:
    """Wrapped, bare, and without an answer."""
    service = client(server, "BOOKINGS").bind("BookingService", port)
    for booking in (LEAST, MOST):
        answer = service.book(booking=booking, notes=["a", "b"])
        same(booking, answer.booking, "booking")
        assert answer.notes == ["a", "b"], answer.notes
        same(booking, service.show(**booking), "show")
    assert service.cancel(17) is None


def check_people(server: Server) -> None:
    service = client(server, "PEOPLE").service
    person = {"name": "Ada", "age": 200, "child": [{"name": "Bob"}, {"name": "Eve"}]}
    answer = service.find(person=person, deep=True, rate=-1.25)
    same(person, answer["person"], "person")
    assert (answer["deep"], answer["rate"]) == (True, -1.25), answer


def check_documents(server: Server) -> None:
    """The contract is the original: the text of the files, with our addresses."""
    address = f"{server.url}/others/BOOKINGS"
    served = {"": "bookings.wsdl", "=types%2Fbooking.xsd": "types/booking.xsd", "=common.xsd": "common.xsd"}
    for query, file in served.items():
        text = requests.get(f"{address}?wsdl{query}", timeout=ANSWER_MAX_S).text
        original = (WSDLS / "bookings" / file).read_text(encoding="utf-8")
        for theirs, ours in {
            '"http://them.example/bookings"': f'"{address}"',
            '"types/booking.xsd"': f'"{address}?wsdl=types%2Fbooking.xsd"',
            '"../common.xsd"': f'"{address}?wsdl=common.xsd"',
            "ISO-8859-1": "UTF-8",
        }.items():
            original = original.replace(theirs, ours)
        assert text == original, text
    assert requests.get(f"{address}?wsdl=../gantry.toml", timeout=ANSWER_MAX_S).status_code == 404


def check_nil(server: Server) -> None:
    """An element that may not be nil is refused, with its place."""
    body = (
        '<t:booking xmlns:t="urn:example:bookings:types" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" version="1">'
        '<t:number i:nil="true"/></t:booking>'
    )
    envelope = f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{body}</s:Body></s:Envelope>'
    answer = requests.post(f"{server.url}/others/BOOKINGS", envelope, headers={"content-type": "text/xml"}, timeout=ANSWER_MAX_S)
    assert answer.status_code == 500 and "found nil" in answer.text and "<field>number</field>" in answer.text, answer.text


CHECKS = {
    "wrapped and bare over SOAP 1.1": lambda server: check_bookings(server, "Port11"),
    "wrapped and bare over SOAP 1.2": lambda server: check_bookings(server, "Port12"),
    "rpc and literal": check_people,
    "the original contract": check_documents,
    "nil": check_nil,
}


def run(tests, binary: Path, end) -> None:
    """All checks on one gateway."""
    with tempfile.TemporaryDirectory() as place, Server(binary, folder(binary, Path(place))) as server:
        for name, check in CHECKS.items():
            tests.run(f"shelf: {name}", check, server)
        tests.run("shelf: SIGINT ends the gateway cleanly", end, server)
