//! Templates of documents, from the folder `templates/`: text in the region's code page, each by the name of its file without the
//! ending.

use std::collections::BTreeMap;

use crate::sources::Sources;

/// The folder of a configuration that has templates.
const FOLDER: &str = "templates";

/// The longest name that a command can say.
const NAME_MAX_BYTES: usize = 48;

/// The most bytes of a template.
const TEMPLATE_BYTES_MAX: usize = 1024 * 1024;

impl Sources<'_> {
    /// All usable templates. The faults of the others are reported.
    pub(crate) fn templates(&mut self) -> BTreeMap<String, Vec<u8>> {
        let mut templates = BTreeMap::new();
        for entry in self.files.list(FOLDER).unwrap_or_default() {
            let path = format!("{FOLDER}/{entry}");
            if entry.starts_with('.') || self.files.is_folder(&path) {
                continue;
            }
            match self.template(&entry, &path) {
                Ok((name, bytes)) if !templates.contains_key(&name) => {
                    templates.insert(name, bytes);
                }
                Ok((name, _)) => self.refuse(&path, format!("the template {name} is there twice")),
                Err(message) => self.refuse(&path, message),
            }
        }
        templates
    }

    fn refuse(&mut self, path: &str, message: String) {
        let shown = self.files.display(path);
        self.problems.add(&shown, None, message);
    }

    fn template(&self, entry: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        let name = entry.rsplit_once('.').map_or(entry, |(stem, _)| stem);
        if name.len() > NAME_MAX_BYTES || name.contains(' ') {
            return Err(format!("the name of a template has at most {NAME_MAX_BYTES} bytes, and no blanks"));
        }
        let text = self
            .files
            .read_source(path, self.source_page)
            .map_err(|error| format!("cannot be read: {error}"))?;
        if text.len() > TEMPLATE_BYTES_MAX {
            return Err(format!("a template has at most {TEMPLATE_BYTES_MAX} bytes"));
        }
        let mut bytes = Vec::with_capacity(text.len());
        for (line, content) in text.split_inclusive('\n').enumerate() {
            for character in content.chars() {
                let byte = if character.is_ascii() {
                    Some(character as u8)
                } else {
                    self.page.encode_char(character)
                };
                bytes.push(byte.ok_or_else(|| {
                    let page = self.page.ccsid();
                    format!(
                        "line {}: the region's page {page} does not have the character {character:?}",
                        line + 1
                    )
                })?);
            }
        }
        Ok((name.to_owned(), bytes))
    }
}
