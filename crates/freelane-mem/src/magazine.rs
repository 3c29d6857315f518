//! A lane's own store of small blocks of one class.
//!
//! Blocks are taken from and put on the loaded chain. When it runs empty or full it changes places with the spare one, so
//! a lane that swings around the edge does not go to the depot each time; only a full spare chain is handed over.

use crate::SizeClass;
use crate::block::Block;
use crate::chain::Chain;
use std::cell::Cell;

/// The bytes that one chain may hold, if that is at least [`MIN_BLOCKS`].
const CHAIN_BYTES: usize = 256 << 10;
const MIN_BLOCKS: usize = 4;
const MAX_BLOCKS: usize = 128;

pub(crate) struct Magazine {
    loaded: Cell<Option<Block>>,
    /// How many more blocks the loaded chain may hold.
    room: Cell<u32>,
    capacity: u32,
    spare: Cell<Chain>,
}

impl Magazine {
    pub fn new(class: SizeClass) -> Magazine {
        let capacity = (CHAIN_BYTES / class.bytes()).clamp(MIN_BLOCKS, MAX_BLOCKS) as u32;
        Magazine { loaded: Cell::new(None), room: Cell::new(capacity), capacity, spare: Cell::new(Chain::EMPTY) }
    }

    /// Takes the block freed last from the loaded chain.
    #[inline(always)]
    pub fn pop(&self) -> Option<Block> {
        let block = self.loaded.get()?;
        self.loaded.set(block.next.get());
        self.room.set(self.room.get() + 1);
        Some(block)
    }

    /// Puts a free block on the loaded chain; false if it is full.
    #[inline(always)]
    pub fn push(&self, block: Block) -> bool {
        let room = self.room.get();
        if room == 0 {
            return false;
        }
        block.next.set(self.loaded.get());
        self.loaded.set(Some(block));
        self.room.set(room - 1);
        true
    }

    /// Puts the spare chain in the place of the empty loaded one, and takes a block from it.
    pub fn pop_spare(&self) -> Option<Block> {
        self.load(self.spare.take());
        self.pop()
    }

    /// Puts the full loaded chain aside and starts a new one with `block`; returns the chain that was aside.
    pub fn push_past(&self, block: Block) -> Chain {
        let full = self.unload();
        let handed_over = self.spare.replace(full);
        self.push(block);
        handed_over
    }

    /// Fills the empty loaded chain.
    pub fn load(&self, chain: Chain) {
        debug_assert!(self.loaded.get().is_none());
        let (head, len) = chain.into_parts();
        self.loaded.set(head);
        self.room.set(self.capacity.saturating_sub(len));
    }

    /// Takes out everything.
    pub fn drain(&self) -> Chain {
        let mut all = self.spare.take();
        all.append(self.unload());
        all
    }

    fn unload(&self) -> Chain {
        let len = self.capacity - self.room.replace(self.capacity);
        // SAFETY: the loaded chain belongs to the magazine alone, and has as many blocks as there is no room for.
        unsafe { Chain::from_parts(self.loaded.take(), len) }
    }
}
