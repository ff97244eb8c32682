//! Templates of paths, and the values of their parameters in one request.

/// The values of a path's parameters, in the order of the path, as they stand in the URL.
#[derive(Debug, Default)]
pub struct PathValues<'a>(pub(crate) matchit::Params<'a, 'a>);

impl PathValues<'_> {
    /// The texts, in the order of the path.
    #[inline]
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, text)| text)
    }
}

impl<'a> PathValues<'a> {
    /// The text of one parameter, by its position in the path.
    #[inline]
    #[must_use]
    pub fn nth(&self, position: usize) -> Option<&'a str> {
        self.0.iter().nth(position).map(|(_, value)| value)
    }
}

/// The names in braces of a path template.
#[must_use]
pub fn path_parameters(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// A path template with its parameters numbered, so that two authors may name the same place differently.
#[must_use]
pub fn positional(path: &str) -> String {
    let mut numbered = String::with_capacity(path.len());
    let mut rest = path;
    for (position, name) in path_parameters(path).into_iter().enumerate() {
        // The name stands in braces further on: that is how it was found.
        let Some((before, after)) = rest.split_once(&format!("{{{name}}}")) else { break };
        numbered.push_str(before);
        numbered.push_str(&format!("{{{position}}}"));
        rest = after;
    }
    numbered + rest
}
