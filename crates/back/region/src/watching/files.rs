//! The files of a region as operators see them.

use crate::region::Region;
use crate::resources::durable::Opened;
use crate::resources::files::{FileDefinition, FileState, OpenFile};
use crate::resources::trouble::Trouble;
use crate::watching::waits::Waited;

/// A file, or a path to the records of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// Its definition.
    pub definition: FileDefinition,
    /// Whether it is open, and may be used.
    pub state: FileState,
    /// How many records it has; known of entry-sequenced files, which count them.
    pub records: Option<u64>,
    /// Locked records, also those of units in doubt. A path has those of its file.
    pub locked: usize,
    /// Tasks that wait for a record of it, or for the file itself.
    pub waiting: usize,
}

impl Region {
    /// The files by their names. Reads the store: for a thread that may wait.
    ///
    /// # Errors
    /// The store cannot be read: the reason.
    pub async fn files(&self) -> Result<Vec<FileView>, String> {
        let (Some(opened), files) = (self.resources().durable.get().cloned(), self.defined().files.clone())
        else {
            return Ok(Vec::new());
        };
        let listed = tokio::task::spawn_blocking(move || {
            let locked = opened.store.locked_records();
            let one = |file: &std::sync::Arc<OpenFile>| {
                Ok::<_, Trouble>(FileView {
                    records: counted(file, &opened)?,
                    locked: locked.get(file.records.space()).copied().unwrap_or_default(),
                    waiting: 0,
                    state: file.state.get(),
                    definition: file.definition.clone(),
                })
            };
            files.all().map(one).collect::<Result<Vec<_>, _>>()
        });
        let listed = listed.await.map_err(|error| error.to_string())?;
        let mut views = listed.map_err(|trouble| trouble.message)?;
        views.sort_by_key(|view| view.definition.name);
        for (_, status) in self.resources().board.workers() {
            let waits = status.occupation.waits().filter(|waits| waits.what == Waited::File);
            let Some(waits) = waits else { continue };
            if let Some(view) = views.iter_mut().find(|view| view.definition.name == waits.name()) {
                view.waiting += 1;
            }
        }
        Ok(views)
    }
}

fn counted(file: &OpenFile, opened: &Opened) -> Result<Option<u64>, Trouble> {
    if file.definition.path.is_some() {
        return Ok(None);
    }
    Ok(file.records.count(&opened.store.unit()?)?)
}
