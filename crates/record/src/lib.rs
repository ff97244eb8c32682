//! A layout and options become a bind: the compiled plan that turns JSON into record bytes and back.
