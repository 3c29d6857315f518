//! A bounded store of large free blocks of all classes: one for each lane, one for the process.
//!
//! What was used last stays. When the bound is reached, classes that nobody has asked for lately give way; if there are
//! none, the block that came is turned away.

use crate::SizeClass;
use crate::block::Block;
use crate::chain::Chain;

const CLASSES: usize = SizeClass::COUNT - SizeClass::PRIVATE;

pub(crate) struct BlockCache {
    chains: [Chain; CLASSES],
    /// When each class was last asked for, or given a block.
    used_at: [u32; CLASSES],
    now: u32,
    /// Bit i: chain i has blocks.
    filled: u128,
    bytes: usize,
}

const _: () = assert!(CLASSES <= u128::BITS as usize);

impl BlockCache {
    pub fn new() -> BlockCache {
        BlockCache { chains: [Chain::EMPTY; CLASSES], used_at: [0; CLASSES], now: 0, filled: 0, bytes: 0 }
    }

    /// The bytes of all blocks in here.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the block of the class that came last.
    pub fn take(&mut self, class: SizeClass) -> Option<Block> {
        let index = class.index() - SizeClass::PRIVATE;
        self.touch(index);
        self.take_at(index)
    }

    /// Keeps the block if `limit` bytes allow; returns what has to go.
    pub fn put(&mut self, block: Block, limit: usize) -> Chain {
        let (index, bytes) = (block.size_class().index() - SizeClass::PRIVATE, block.bytes());
        self.touch(index);
        let mut gone = Chain::EMPTY;
        while bytes <= limit && self.bytes > limit - bytes {
            let Some(other) = self.stalest_except(index) else { break };
            gone.append(self.take_at(other).into_iter().fold(Chain::EMPTY, with));
        }
        if bytes <= limit && self.bytes <= limit - bytes {
            self.chains[index].push(block);
            self.filled |= 1 << index;
            self.bytes += bytes;
        } else {
            gone.push(block);
        }
        gone
    }

    /// Takes out everything.
    pub fn drain(&mut self) -> Chain {
        let mut all = Chain::EMPTY;
        for chain in &mut self.chains {
            all.append(std::mem::take(chain));
        }
        (self.filled, self.bytes) = (0, 0);
        all
    }

    fn touch(&mut self, index: usize) {
        self.now = self.now.wrapping_add(1);
        self.used_at[index] = self.now;
    }

    fn take_at(&mut self, index: usize) -> Option<Block> {
        let block = self.chains[index].pop()?;
        self.bytes -= block.bytes();
        if self.chains[index].is_empty() {
            self.filled &= !(1 << index);
        }
        Some(block)
    }

    fn stalest_except(&self, index: usize) -> Option<usize> {
        let others = self.filled & !(1 << index);
        let filled = (0..CLASSES).filter(|i| others >> i & 1 == 1);
        filled.max_by_key(|&i| self.now.wrapping_sub(self.used_at[i]))
    }
}

fn with(mut chain: Chain, block: Block) -> Chain {
    chain.push(block);
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(bytes: usize) -> Block {
        Block::fresh(SizeClass::of(bytes).unwrap()).unwrap().0
    }

    fn destroy(chain: Chain) -> usize {
        chain.destroy()
    }

    #[test]
    fn the_bound_holds_and_stale_classes_give_way() {
        let mut cache = BlockCache::new();
        let limit = 512 << 10;
        for _ in 0..4 {
            assert!(cache.put(block(64 << 10), limit).is_empty());
        }
        for _ in 0..3 {
            let gone = cache.put(block(128 << 10), limit);
            assert!(cache.bytes() <= limit);
            destroy(gone);
        }
        assert!(cache.take(SizeClass::of(128 << 10).unwrap()).map(|b| cache.put(b, limit)).unwrap().is_empty());
        assert_eq!(destroy(cache.drain()), 512 << 10);
        assert_eq!((cache.bytes(), cache.filled), (0, 0));
    }

    #[test]
    fn with_one_class_the_newcomer_is_turned_away() {
        let mut cache = BlockCache::new();
        let kept = block(64 << 10);
        assert!(cache.put(kept, 100 << 10).is_empty());
        assert_eq!(destroy(cache.put(block(64 << 10), 100 << 10)), 64 << 10);
        assert_eq!(cache.take(kept.size_class()), Some(kept));
        assert_eq!(destroy(cache.put(kept, 0)), 64 << 10);
    }
}
