//! Names as numbers: files hold millions of them, and all that is asked of one is whether it is
//! there.

/// A name, as 64 bits of it. Two names may share one, which adds a name and hides none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(u64);

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

impl NameKey {
    /// The key of a name.
    pub fn of(name: &str) -> Self {
        Self::of_bytes(name.as_bytes())
    }

    pub(super) fn of_bytes(name: &[u8]) -> Self {
        let (chunks, rest) = name.as_chunks::<8>();
        let mut hash = SEED ^ name.len() as u64;
        for chunk in chunks {
            hash = mix(hash, u64::from_le_bytes(*chunk));
        }
        if !rest.is_empty() {
            let last = rest.iter().rev();
            let last = last.fold(0, |word, byte| (word << 8) | u64::from(*byte));
            hash = mix(hash, last);
        }
        Self(hash)
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 32)
}

/// A set of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameKeys(Box<[NameKey]>);

impl NameKeys {
    /// True if a name is in it.
    pub fn has(&self, name: NameKey) -> bool {
        self.0.binary_search(&name).is_ok()
    }

    /// Its names, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = NameKey> + '_ {
        self.0.iter().copied()
    }
}

/// A set that grows: open addressing, as most names come again and again.
#[derive(Debug)]
pub(super) struct Growing {
    slots: Vec<NameKey>,
    used: usize,
}

const EMPTY: NameKey = NameKey(0);

impl Growing {
    pub(super) fn new() -> Self {
        Self {
            slots: vec![EMPTY; 256],
            used: 0,
        }
    }

    pub(super) fn add(&mut self, name: NameKey) {
        if !put(&mut self.slots, name) {
            return;
        }
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            let size = self.slots.len() * 2;
            let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
            for name in old.into_iter().filter(|name| *name != EMPTY) {
                put(&mut self.slots, name);
            }
        }
    }

    pub(super) fn finish(self) -> NameKeys {
        let mut all: Vec<NameKey> = self.slots;
        all.retain(|name| *name != EMPTY);
        all.sort_unstable();
        NameKeys(all.into_boxed_slice())
    }
}

/// Puts a name into its slot; false if it is there. Half of the slots are free at the least.
fn put(slots: &mut [NameKey], name: NameKey) -> bool {
    let mask = slots.len() - 1;
    let mut at = name.0 as usize & mask;
    while let Some(slot) = slots.get_mut(at) {
        if *slot == name {
            return false;
        }
        if *slot == EMPTY {
            *slot = name;
            return true;
        }
        at = (at + 1) & mask;
    }
    false
}
