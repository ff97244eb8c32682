//! Documents in YAML, which the crate `packages` turns into JSON: problems name the lines of the YAML.

use contract::{Contract, Limits};

const DOCUMENT: &str = "openapi: 3.0.3
info:
  title: Books   # for readers
  version: 1.0.2
paths:
  '/books/{title}':
    get:
      parameters:
        - name: title
          in: path
          required: true
          schema:
            type: string
            maxLength: 080
      responses:
        200:
          description: >
            A book
            is found.
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Book'
components:
  schemas:
    Book:
      type: object
      properties:
        state: {type: string, enum: [DRAFT, 'NO']}
";

fn read(yaml: &str) -> Result<Contract, Vec<String>> {
    let json = packages::json_of_yaml("x.yaml", yaml, &packages::Limits::default()).expect("YAML");
    Contract::read(json.as_bytes(), &Limits::default())
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

#[test]
fn yaml_is_read_with_its_lines() {
    let contract = read(DOCUMENT).expect("a contract");
    assert_eq!(contract.info().version, "1.0.2");
    let operation = &contract.operations()[0];
    assert_eq!(
        (operation.place.line, operation.responses[0].description.as_str()),
        (8, "A book is found.\n")
    );
    assert_eq!(operation.parameters[0].place.line, 9);
}

#[test]
fn problems_name_the_lines_of_the_yaml() {
    let found = read(&DOCUMENT.replace("maxLength: 080", "maxLength: long")).expect_err("a problem");
    assert_eq!(
        found,
        ["line 14: #/paths/~1books~1{title}/get/parameters/0/schema/maxLength: \
        expected a number in 'maxLength', found the text 'long'"]
    );
    let found = read(&DOCUMENT.replace("schemas/Book'", "schemas/Boek'")).expect_err("a problem");
    assert!(found[0].starts_with("line 23: "), "{found:?}");
}
