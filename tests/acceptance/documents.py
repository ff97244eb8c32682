"""Swagger and OpenAPI documents: read from the gateway, judged, and asked for their schemas."""

import requests
from jsonschema import Draft4Validator, Draft202012Validator
from openapi_spec_validator import OpenAPIV2SpecValidator, OpenAPIV31SpecValidator

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
ANSWER_MAX_S = 10


def fetch(url: str) -> dict:
    """A document, which must come as JSON."""
    answer = requests.get(url, timeout=ANSWER_MAX_S)
    assert answer.status_code == 200, f"{url}: {answer.status_code}"
    assert answer.headers["content-type"].split(";")[0] == "application/json", answer.headers["content-type"]
    return answer.json()


def check_swagger(document: dict) -> None:
    """The document is Swagger 2.0, and its schemas are schemas."""
    assert document["swagger"] == "2.0"
    OpenAPIV2SpecValidator(document).validate()
    for schema in document["definitions"].values():
        Draft4Validator.check_schema(schema)


def check_openapi(document: dict) -> None:
    """The document is OpenAPI 3.1, its schemas are of JSON Schema 2020-12, and every reference leads somewhere."""
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for part in walk(document):
        if "schema" in part:
            Draft202012Validator.check_schema(part["schema"])
        if "$ref" in part:
            resolve(document, part["$ref"])


def walk(part):
    """Every object in a document."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from walk(inner)


def resolve(document: dict, reference: str):
    """What a reference inside the document leads to."""
    assert reference.startswith("#/"), f"{reference} leads out of the document"
    for name in reference[2:].split("/"):
        document = document[name.replace("~1", "/").replace("~0", "~")]
    return document


def operations(document: dict) -> dict:
    """The operations by method and path, as in `PUT /mapping/{n}`."""
    return {
        f"{method.upper()} {path}": item[method]
        for path, item in document["paths"].items()
        for method in METHODS & item.keys()
    }


def faults(document: dict, schema: dict, value) -> list[str]:
    """What is wrong with a value by a schema of the document."""
    whole = {"components": document["components"], **schema}
    validator = Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
