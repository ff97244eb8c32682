//! The methods of operations, with their names in documents.

/// The members of a path item of OpenAPI that are operations.
pub(crate) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The methods of Swagger 2.0, which has no TRACE.
pub(crate) const METHODS_20: &[&str] = METHODS.split_at(7).0;

/// The method of an operation, by the name of its member.
pub(crate) fn method(name: &str) -> Option<http::Method> {
    METHODS.contains(&name).then(|| name.to_ascii_uppercase().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_path_items_are_methods_or_none() {
        for name in METHODS {
            assert_eq!(
                method(name).map(|method| method.as_str().to_ascii_lowercase()).as_deref(),
                Some(name)
            );
            assert_eq!(METHODS_20.contains(&name), name != "trace");
        }
        for name in ["GET", "parameters", "summary", "$ref", "x-get", ""] {
            assert_eq!(method(name), None, "{name}");
        }
    }
}
