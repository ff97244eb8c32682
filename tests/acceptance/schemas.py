"""XML Schemas and documents of records, judged by two validators: xmlschema, and libxml2 through lxml."""

from pathlib import Path

import xmlschema
from lxml import etree

CASES_MIN = 40


def check_case(folder: Path) -> None:
    """Each schema of a case is one, takes the documents that it describes, and refuses those that break it."""
    for direction in ("request", "response"):
        path = folder / f"{direction}.xsd"
        # The first also checks that no content model is ambiguous.
        judges = {"xmlschema": by_xmlschema(path), "libxml2": by_libxml2(path)}
        good = sorted(folder.glob(f"{direction}-*.xml"))
        bad = sorted(folder.glob("bad-*.xml")) if direction == "request" else []
        assert good, f"{folder.name}: no documents for {path.name}"
        for judge, takes in judges.items():
            for document in good:
                fault = takes(document)
                assert fault is None, f"{judge}: {document.name} by {path.name}: {fault}"
            for document in bad:
                assert takes(document), f"{judge}: {path.name} takes {document.name}: {document.read_text()}"


def by_xmlschema(path: Path):
    schema = xmlschema.XMLSchema10(path.read_text())

    def takes(document: Path) -> str | None:
        fault = next(schema.iter_errors(document.read_bytes()), None)
        return fault and f"{fault.path}: {fault.reason}"

    return takes


def by_libxml2(path: Path):
    schema = etree.XMLSchema(etree.parse(path))

    def takes(document: Path) -> str | None:
        valid = schema.validate(etree.parse(document))
        return None if valid else str(schema.error_log.last_error)

    return takes


def cases(folder: Path) -> list[Path]:
    """The cases that the example `xml_cases` wrote."""
    found = sorted(folder.iterdir())
    assert len(found) >= CASES_MIN, f"{len(found)} cases in {folder}"
    return found
