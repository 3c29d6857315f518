//! Free blocks linked into a chain: what magazines hold and what is handed over, many at a time.

use crate::block::Block;

/// A last-in-first-out chain of free blocks that nobody else can reach. Dropping one that is not empty leaks its blocks.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    head: Option<Block>,
    len: u32,
}

impl Chain {
    pub const EMPTY: Chain = Chain { head: None, len: 0 };

    /// # Safety
    /// `head` starts a chain of `len` free blocks, and no other reference to any of them is left.
    pub unsafe fn from_parts(head: Option<Block>, len: u32) -> Chain {
        Chain { head, len }
    }

    pub fn into_parts(self) -> (Option<Block>, u32) {
        (self.head, self.len)
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    /// Puts a block that is free and in no other chain in front.
    pub fn push(&mut self, block: Block) {
        block.next.set(self.head);
        self.head = Some(block);
        self.len += 1;
    }

    pub fn pop(&mut self) -> Option<Block> {
        let block = self.head?;
        self.head = block.next.take();
        self.len -= 1;
        Some(block)
    }

    /// Moves all blocks of `other` in front.
    pub fn append(&mut self, mut other: Chain) {
        while let Some(block) = other.pop() {
            self.push(block);
        }
    }

    /// Gives all blocks back to the system; returns their bytes.
    pub fn destroy(mut self) -> usize {
        let mut bytes = 0;
        while let Some(block) = self.pop() {
            // SAFETY: a chain holds free blocks that nobody else can reach.
            bytes += unsafe { block.destroy() };
        }
        bytes
    }
}
