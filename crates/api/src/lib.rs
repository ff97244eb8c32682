//! REST: operations, request and response mapping, OpenAPI and Swagger documents.
