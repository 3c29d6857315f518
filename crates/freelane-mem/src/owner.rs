//! Names for who pays for memory: a session, a loader, a lane.

use freelane_sync::Mutex;

/// How many owners can be told apart.
pub(crate) const MAX_OWNERS: usize = 256;

/// Who pays for a block in the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnerId(u16);

// LEDGER: the process; names of owners, written when one is registered, read for reports.
static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl OwnerId {
    /// Whoever has not said otherwise.
    pub const OTHER: OwnerId = OwnerId(0);

    /// The owner of this name; the same one when the name is known. From the 256th name on it is
    /// [`OTHER`](OwnerId::OTHER).
    pub fn register(name: &str) -> OwnerId {
        let mut names = NAMES.lock();
        if let Some(known) = names.iter().position(|known| known == name) {
            return OwnerId(known as u16 + 1);
        }
        if names.len() + 1 >= MAX_OWNERS {
            return OwnerId::OTHER;
        }
        names.push(name.to_owned());
        OwnerId(names.len() as u16)
    }

    /// The name it was registered with.
    pub fn name(self) -> String {
        let names = NAMES.lock();
        self.index().checked_sub(1).and_then(|index| names.get(index)).cloned().unwrap_or_else(|| "other".into())
    }

    /// What blocks are marked with: never 0, which stands for a block that nobody counts.
    pub(crate) const fn tag(self) -> u32 {
        self.0 as u32 + 1
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> OwnerId {
        OwnerId(index as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_owner() {
        let (a, b) = (OwnerId::register("session a"), OwnerId::register("session b"));
        assert_ne!(a, b);
        assert_eq!(OwnerId::register("session a"), a);
        assert_eq!([a.name(), b.name(), OwnerId::OTHER.name()], ["session a", "session b", "other"]);
    }
}
