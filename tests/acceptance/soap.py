"""Web services: clients of SOAP read the WSDL and call, and lxml judges messages by the schemas of the WSDL."""

from decimal import Decimal

import requests
import suds.client
import zeep
from lxml import etree
from zeep.plugins import HistoryPlugin

from documents import ANSWER_MAX_S
from server import Server

ECHO, CABASIC = "/cics/services/ECHO", "/cics/services/CABASIC"
ORDER = {
    "order_id": 7,
    "customer": "Ada & <Bob>",
    "amount": Decimal("-12.5"),
    "order_line": [{"item": "LAMP", "quantity": 2}, {"item": "SOFA", "quantity": 9999}],
}
XSD = "{http://www.w3.org/2001/XMLSchema}"
BODY = "{*}Body"


def client(server: Server, path: str, *plugins) -> zeep.Client:
    transport = zeep.Transport(timeout=ANSWER_MAX_S, operation_timeout=ANSWER_MAX_S)
    return zeep.Client(f"{server.url}{path}?wsdl", transport=transport, plugins=plugins)


def check_order(answer) -> None:
    assert (answer["order_id"], answer["customer"], answer["amount"]) == (7, "Ada & <Bob>", Decimal("-12.5"))
    lines = [(line["item"], line["quantity"]) for line in answer["order_line"]]
    assert lines == [("LAMP", 2), ("SOFA", 9999)], lines


def check_zeep(server: Server, port: str) -> None:
    """A call and a fault over the binding of a version of SOAP."""
    service = client(server, ECHO).bind("ECHOService", port)
    check_order(service.ECHOOperation(**ORDER))
    try:
        service.ECHOOperation(**{**ORDER, "order_id": 7_777_777})
    except zeep.exceptions.Fault as fault:
        assert fault.message == "Conversion from SOAP failed", fault.message
        assert fault.code.endswith("Sender" if "12" in port else "Client"), fault.code
        assert b"OUTPUT_OVERFLOW" in etree.tostring(fault.detail)
    else:
        raise AssertionError("an order id that is too large was taken")


def check_rows(server: Server) -> None:
    """A table of varying length has as many rows as were asked for."""
    call = client(server, CABASIC).service.CABASICOperation
    for blocks in (1, 2, 128):
        answer = call(count_out=blocks)
        assert answer["send_size"] == 32 * blocks, answer
        assert len(answer["user_data"] or []) == blocks - 1, answer


def check_addressing(server: Server) -> None:
    """WS-Addressing: zeep adds its header blocks, and the answer names the request."""
    history = HistoryPlugin()
    addressed = client(server, ECHO, zeep.wsa.WsAddressingPlugin(), history)
    check_order(addressed.service.ECHOOperation(**ORDER))
    wsa = "{http://www.w3.org/2005/08/addressing}"
    sent = history.last_sent["envelope"].find(f".//{wsa}MessageID").text
    assert history.last_received["envelope"].find(f".//{wsa}RelatesTo").text == sent


def check_suds(server: Server) -> None:
    service = suds.client.Client(f"{server.url}{ECHO}?wsdl", cache=None, timeout=ANSWER_MAX_S).service
    answer = service.ECHOOperation(order_id=7, customer="Ada", amount="12.5", order_line=[{"item": "LAMP", "quantity": 2}])
    assert (answer.order_id, answer.customer, answer.order_line[0].quantity) == (7, "Ada", 2), answer


def check_schemas(server: Server) -> None:
    """What is sent and answered is valid by the schemas of the WSDL."""
    wsdl = etree.fromstring(requests.get(f"{server.url}{ECHO}?wsdl", timeout=ANSWER_MAX_S).content)
    schemas = [etree.XMLSchema(schema) for schema in wsdl.iter(f"{XSD}schema")]
    assert len(schemas) == 2, "a schema for requests and one for answers"
    history = HistoryPlugin()
    client(server, ECHO, history).service.ECHOOperation(**ORDER)
    for schema, message in zip(schemas, (history.last_sent, history.last_received)):
        content = etree.fromstring(etree.tostring(message["envelope"].find(BODY)[0]))
        schema.assertValid(content)


CHECKS = {
    "zeep over SOAP 1.1": lambda server: check_zeep(server, "ECHOPort"),
    "zeep over SOAP 1.2": lambda server: check_zeep(server, "ECHO12Port"),
    "zeep with WS-Addressing": check_addressing,
    "tables of varying length": check_rows,
    "suds": check_suds,
    "messages are valid by the WSDL": check_schemas,
}
