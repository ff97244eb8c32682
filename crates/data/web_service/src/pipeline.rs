//! `[[pipeline]]` of a configuration: the folder where new bind files are picked up, and the folder of the
//! running ones.

use serde::Deserialize;

/// The most pipelines of a configuration.
pub const PIPELINES_MAX: usize = 100;

/// The keys of `[[pipeline]]` that are used here.
#[derive(Clone, Debug, Deserialize)]
pub struct PipelineSection {
    /// The pipeline's name.
    pub name: String,
    /// The pipeline file, if it has one.
    pub file: Option<String>,
    /// How long a service may take to answer, in milliseconds.
    pub response_wait_ms: Option<u64>,
    /// The folder of new bind files; by default `pipelines/NAME/pickup`.
    pickup: Option<String>,
    /// The folder of the running bind files; by default `pipelines/NAME/shelf`.
    shelf: Option<String>,
}

impl PipelineSection {
    /// The folder of new bind files, below the configuration's.
    #[must_use]
    pub fn pickup(&self) -> String {
        self.pickup.clone().unwrap_or_else(|| format!("pipelines/{}/pickup", self.name))
    }

    /// The folder of the running bind files, below the configuration's.
    #[must_use]
    pub fn shelf(&self) -> String {
        self.shelf.clone().unwrap_or_else(|| format!("pipelines/{}/shelf", self.name))
    }
}

/// The part of `gantry.toml` that is used here.
#[derive(Debug, Deserialize)]
struct Configuration {
    #[serde(default)]
    pipeline: Vec<PipelineSection>,
}

/// The pipelines of a `gantry.toml`.
///
/// # Errors
/// The fault of the text, or of its pipelines.
pub fn of_configuration(text: &str) -> Result<Vec<PipelineSection>, String> {
    let configuration: Configuration = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    match faults(&configuration.pipeline).into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(configuration.pipeline),
    }
}

/// The faults in the folders of the pipelines of a `gantry.toml`. Other code reports the faults of its text.
#[must_use]
pub fn configuration_faults(text: &str) -> Vec<String> {
    toml::from_str(text)
        .map_or_else(|_| Vec::new(), |configuration: Configuration| faults(&configuration.pipeline))
}

/// The faults of some pipelines: folders outside of the configuration, and folders that two pipelines use.
fn faults(pipelines: &[PipelineSection]) -> Vec<String> {
    let mut faults = Vec::new();
    if pipelines.len() > PIPELINES_MAX {
        faults.push(format!("expected at most {PIPELINES_MAX} pipelines, found {}", pipelines.len()));
    }
    let mut folders = Vec::new();
    for pipeline in pipelines {
        let name = &pipeline.name;
        for folder in [pipeline.pickup(), pipeline.shelf()] {
            if !is_below(&folder) {
                faults
                    .push(format!("pipeline '{name}': '{folder}' is not a folder below the configuration's"));
            } else if folders.contains(&folder) {
                faults.push(format!("pipeline '{name}': '{folder}' is the folder of something else too"));
            }
            folders.push(folder);
        }
    }
    faults
}

/// True for a relative path without `.` and `..`.
pub(crate) fn is_below(folder: &str) -> bool {
    !folder.contains('\\') && folder.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, pickup: Option<&str>) -> PipelineSection {
        PipelineSection {
            name: name.to_owned(),
            file: None,
            response_wait_ms: None,
            pickup: pickup.map(str::to_owned),
            shelf: None,
        }
    }

    #[test]
    fn folders_lie_below_the_configuration() {
        let one = section("claims", None);
        assert_eq!(
            (one.pickup().as_str(), one.shelf().as_str()),
            ("pipelines/claims/pickup", "pipelines/claims/shelf")
        );
        assert!(faults(&[one]).is_empty());
        for folder in ["/etc", "../x", "a//b", "a/./b", "", "a\\b"] {
            let found = faults(&[section("a", Some(folder))]);
            assert_eq!(
                found,
                [format!("pipeline 'a': '{folder}' is not a folder below the configuration's")]
            );
        }
    }

    #[test]
    fn a_folder_is_of_one_pipeline() {
        let found = faults(&[section("c", Some("x")), section("d", Some("x"))]);
        assert_eq!(found, ["pipeline 'd': 'x' is the folder of something else too"]);
        assert_eq!(faults(&[section("", None)]).len(), 2);
    }

    #[test]
    fn other_keys_are_for_others() {
        let text = "[[pipeline]]\nname = \"a\"\nfile = \"p.xml\"\nusers = []\n";
        let found = of_configuration(text).expect("pipelines");
        assert_eq!(found[0].file.as_deref(), Some("p.xml"));
        assert!(configuration_faults(text).is_empty() && configuration_faults("[").is_empty());
    }
}
