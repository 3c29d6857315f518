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

    /// Fills the empty loaded chain with one that came from a magazine of the same class.
    pub fn load(&self, chain: Chain) {
        let (head, len) = chain.into_parts();
        debug_assert!(self.loaded.get().is_none() && len <= self.capacity);
        self.loaded.set(head);
        self.room.set(self.capacity - len);
    }

    /// Takes out everything, as two chains that fit into any magazine of the class.
    pub fn drain(&self) -> [Chain; 2] {
        [self.spare.take(), self.unload()]
    }

    fn unload(&self) -> Chain {
        let len = self.capacity - self.room.replace(self.capacity);
        // SAFETY: the loaded chain belongs to the magazine alone, and has as many blocks as there is no room for.
        unsafe { Chain::from_parts(self.loaded.take(), len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: SizeClass = SizeClass::from_index(SizeClass::PRIVATE - 1);

    fn fresh() -> Block {
        Block::fresh(CLASS).unwrap().0
    }

    #[test]
    fn full_chains_move_on_and_nothing_gets_lost() {
        let magazine = Magazine::new(CLASS);
        let mut handed_over = Vec::new();
        for _ in 0..3 * MIN_BLOCKS + 1 {
            let block = fresh();
            if !magazine.push(block) {
                handed_over.push(magazine.push_past(block));
            }
        }
        let sizes: Vec<usize> =
            handed_over.into_iter().chain(magazine.drain()).map(|chain| chain.destroy() / CLASS.bytes()).collect();
        assert_eq!(sizes, [0, MIN_BLOCKS, MIN_BLOCKS, MIN_BLOCKS, 1]);
        assert!(magazine.pop().is_none() && magazine.pop_spare().is_none());
    }

    #[test]
    fn an_empty_magazine_takes_its_spare_chain_and_then_others() {
        let magazine = Magazine::new(CLASS);
        let blocks: Vec<Block> = (0..MIN_BLOCKS + 1).map(|_| fresh()).collect();
        for &block in &blocks {
            if !magazine.push(block) {
                assert!(magazine.push_past(block).is_empty());
            }
        }
        assert_eq!(magazine.pop(), blocks.last().copied());
        assert_eq!((magazine.pop(), magazine.pop_spare()), (None, Some(blocks[MIN_BLOCKS - 1])));
        let [spare, loaded] = magazine.drain();
        assert!(spare.is_empty());
        magazine.load(loaded);
        assert_eq!(magazine.pop(), Some(blocks[MIN_BLOCKS - 2]));
        let rest: usize = magazine.drain().map(Chain::destroy).iter().sum();
        assert_eq!(rest, (MIN_BLOCKS - 2) * CLASS.bytes());
        let popped = [blocks[MIN_BLOCKS], blocks[MIN_BLOCKS - 1], blocks[MIN_BLOCKS - 2]];
        popped.into_iter().for_each(|block| assert!(magazine.push(block)));
        assert_eq!(magazine.drain().map(Chain::destroy), [0, 3 * CLASS.bytes()]);
    }
}
