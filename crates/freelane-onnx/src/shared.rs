//! Models that are loaded already, by their content.
use crate::session::Loaded;
use crate::{ModelFile, OnnxError};
use freelane_sync::{Mutex, OnceTable};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

type Known = HashMap<(blake3::Hash, bool), Weak<Loaded>>;

// LEDGER: the process; models by content, looked up when a session is made and never when one runs
static KNOWN: OnceTable<Mutex<Known>> = OnceTable::new();

/// The model of a file: one that a living session has already, if its content is the same, else made anew. Two threads that
/// begin with the same file at once may both make it.
pub(crate) fn of_content(
    file: &ModelFile,
    plain: bool,
    make: impl FnOnce() -> Result<Loaded, OnnxError>,
) -> Result<Arc<Loaded>, OnnxError> {
    let known = KNOWN.get_or_init(|| Mutex::new(Known::new()));
    let key = (file.content_hash(), plain);
    if let Some(loaded) = known.lock().get(&key).and_then(Weak::upgrade) {
        return Ok(loaded);
    }
    let loaded = Arc::new(make()?);
    // Data in files beside the model may change without the model's bytes.
    if file.is_whole() {
        let mut known = known.lock();
        known.retain(|_, weak| weak.strong_count() > 0);
        known.insert(key, Arc::downgrade(&loaded));
    }
    Ok(loaded)
}
