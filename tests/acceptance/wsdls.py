"""WSDL documents that `gantry soap ls2ws` makes of copybooks, judged by xmlschema, and their schemas by libxml2 through lxml."""

import subprocess
import tempfile
from copy import deepcopy
from pathlib import Path

from lxml import etree
from xmlschema.extras.wsdl import Wsdl11Document

XSD = "{http://www.w3.org/2001/XMLSchema}"
VERSIONS = ["{http://schemas.xmlsoap.org/wsdl/soap/}", "{http://schemas.xmlsoap.org/wsdl/soap12/}"]
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"

REQUEST = """       01  CLAIM-IN.
           03  CLAIM-KEY.
               05  CLAIM-NO       PIC X(6).
               05  CLAIM-COUNT    PIC S9(4) COMP.
               05  YEAR           PIC 9(4).
               05  YEAR           PIC 9(4).
           03  FILLER             PIC X(2).
           03  CLAIM-ROW OCCURS 3.
               05  AMOUNT         PIC S9(7)V99 COMP-3.
               05  BIG            PIC S9(18) COMP.
               05  SHOWN          PIC ZZ9.
"""
RESPONSE = """       01  CLAIM-OUT.
           03  RATE               COMP-2.
           03  CODES              PIC X OCCURS 4.
           03  CLAIM-COUNT        PIC 99.
           03  CLAIM-ROW OCCURS 1 TO 9 DEPENDING ON CLAIM-COUNT.
               05  NOTE           PIC X(10).
"""

PLAIN = ["--mapping-level", "1.0", "--reqmem", "CLAIMI"]
FULL = ["--mapping-level", "4.0", "--reqmem", "CLAIMI", "--respmem", "CLAIMO", "--data-truncation", "ENABLED"]
# The name of a case, its parameters, the bindings, and whether there is an answer.
CASES = [
    ("one-way", PLAIN, 1, False),
    ("request and response", FULL, 1, True),
    ("SOAP 1.2", [*FULL, "--soapver", "1.2"], 1, True),
    ("both versions", [*FULL, "--soapver", "ALL"], 2, True),
    ("collapse", [*FULL, "--char-varying", "COLLAPSE", "--char-occurs", "STRING"], 1, True),
    ("binary", [*FULL, "--char-varying", "BINARY"], 1, True),
    ("namespaces", [*FULL, "--request-namespace", "urn:a&b", "--response-namespace", "urn:c"], 1, True),
    ("EBCDIC", [*FULL, "--wsdlcp", "EBCDIC-CP-US"], 1, True),
]


def read(path: Path) -> etree._Element:
    """The document. libxml2 is built without EBCDIC, so that is turned into UTF-8 first."""
    data = path.read_bytes()
    if data.startswith("<?xml".encode("cp037")):
        text = data.decode("cp037").replace("\x85", "\n")
        assert 'encoding="EBCDIC-CP-US"' in text, text[:80]
        data = text.replace("EBCDIC-CP-US", "UTF-8").encode()
    return etree.fromstring(data)


def only(root: etree._Element, version: str) -> etree._Element:
    """The document with the bindings of one version of SOAP. xmlschema looks for one version only."""
    root = deepcopy(root)
    others = [binding for binding in root.findall(f"{WSDL}binding") if binding.find(f"{version}binding") is None]
    for port in root.findall(f"{WSDL}service/{WSDL}port"):
        if port.get("binding").removeprefix("tns:") in [binding.get("name") for binding in others]:
            port.getparent().remove(port)
    for binding in others:
        root.remove(binding)
    etree.cleanup_namespaces(root, keep_ns_prefixes=["tns", "reqns", "resns"])
    return root


def check(binary: Path, parameters: list[str], bindings: int, answers: bool) -> None:
    """The document is a WSDL 1.1, has the bindings and messages, and its schemas are schemas."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "CLAIMI.cpy").write_text(REQUEST)
        (folder / "CLAIMO.cpy").write_text(RESPONSE)
        made = subprocess.run(
            [binary, "soap", "ls2ws", "--pgmname", "CLAIM", "--pgmint", "COMMAREA", "--copybooks", folder, "--out", folder]
            + ["--wsdl", "C.wsdl", "--wsbind", "C.wsbind", *parameters],
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stderr
        root = read(folder / "C.wsdl")
        versions = [version for version in VERSIONS if root.find(f"{WSDL}binding/{version}binding") is not None]
        assert len(versions) == bindings, versions
        for version in versions:
            path = folder / "one.wsdl"
            path.write_bytes(etree.tostring(only(root, version), encoding="UTF-8", xml_declaration=True))
            document = Wsdl11Document(str(path))
            assert len(document.bindings) == 1 and len(document.services) == 1, list(document.bindings)
            assert len(document.messages) == (2 if answers else 1), list(document.messages)
        schemas = list(root.iter(f"{XSD}schema"))
        assert len(schemas) == (2 if answers else 1), len(schemas)
        elements = set()
        for schema in schemas:
            etree.XMLSchema(etree.fromstring(etree.tostring(schema)))
            for element in schema.findall(f"{XSD}element"):
                elements.add(f"{{{schema.get('targetNamespace')}}}{element.get('name')}")
        for part in root.iter(f"{WSDL}part"):
            prefix, local = part.get("element").split(":")
            assert f"{{{part.nsmap[prefix]}}}{local}" in elements, part.get("element")
