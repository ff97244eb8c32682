//! The waist: services, service providers, payloads, errors and deadlines.
