//! The directory of a zip archive.
//!
//! ```text
//! local header, data   local header, data   ..   central headers   [zip64 end, locator]   end
//! ```
use crate::error::Shown;
use crate::{Fault, file_at::FileAt};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

pub(crate) const WHAT: &str = ".npz directory";
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END64: &[u8] = b"PK\x06\x06";
const LOCATOR64: &[u8] = b"PK\x06\x07";
const LOCAL_LEN: u64 = 30;
const CENTRAL_LEN: u64 = 46;
const END_LEN: u64 = 22;
const END64_LEN: u64 = 56;
const LOCATOR64_LEN: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Method {
    Stored,
    Deflated,
}

/// A file in the archive.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) method: Method,
    pub(crate) crc: u32,
    /// Bytes in the archive.
    pub(crate) packed: u64,
    /// Bytes when expanded.
    pub(crate) size: u64,
    header_at: u64,
    /// Where the next entry or the directory starts.
    until: u64,
}

impl Entry {
    /// Where the entry's bytes start and end.
    pub(crate) fn data(&self, file: &Arc<File>) -> Result<(u64, u64), Fault> {
        let header = bytes(file, self.header_at, LOCAL_LEN)?;
        if !header.starts_with(LOCAL) {
            return Err(bad(format!("no entry at byte {}", self.header_at)));
        }
        let start = self.header_at + LOCAL_LEN + u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        let end = start + self.packed;
        if end > self.until {
            return Err(bad(format!("entry {} reaches into what follows it", Shown(&self.name))));
        }
        Ok((start, end))
    }
}

/// Where the central headers are.
struct Place {
    at: u64,
    len: u64,
    entries: u64,
}

/// Reads the directory of a file of `len` bytes.
pub(crate) fn read(file: &Arc<File>, len: u64) -> Result<Vec<Entry>, Fault> {
    let place = find(file, len)?;
    let headers = bytes(file, place.at, place.len)?;
    let (mut rest, mut entries, mut names) = (&headers[..], Vec::new(), HashSet::new());
    for _ in 0..place.entries {
        let (entry, after) = central(rest)?;
        rest = after;
        if !names.insert(entry.name.clone()) {
            return Err(bad(format!("two entries are named {}", Shown(&entry.name))));
        }
        entries.push(entry);
    }
    bound(&mut entries, place.at)?;
    entries.retain(|e| !e.name.ends_with('/'));
    Ok(entries)
}

fn find(file: &Arc<File>, len: u64) -> Result<Place, Fault> {
    let tail_at = len.saturating_sub(END_LEN + u64::from(u16::MAX));
    let tail = bytes(file, tail_at, len - tail_at)?;
    let is_end = |i: &usize| {
        let end = &tail[*i..];
        end.starts_with(END) && end.len() as u64 == END_LEN + u64::from(u16_at(end, 20))
    };
    let last = (tail.len() as u64).checked_sub(END_LEN).map(|n| n as usize);
    let Some(i) = last.and_then(|last| (0..=last).rev().find(is_end)) else {
        return Err(bad("expected an end record within the last 65557 bytes, found none; the file may be truncated"));
    };
    let (end, end_at) = (&tail[i..], tail_at + i as u64);
    if u16_at(end, 4) != u16_at(end, 6) {
        return Err(bad("the archive is one of several disks"));
    }
    let (entries, bytes, at) = (u16_at(end, 10), u32_at(end, 12), u32_at(end, 16));
    let place = if entries == u16::MAX || bytes == u32::MAX || at == u32::MAX {
        find64(file, end_at)?
    } else {
        Place { at: at.into(), len: bytes.into(), entries: entries.into() }
    };
    let room = end_at.checked_sub(place.at).filter(|&room| place.len <= room);
    if room.is_none() || place.entries > place.len / CENTRAL_LEN {
        let Place { at, len, entries } = place;
        return Err(bad(format!(
            "{entries} entries in {len} bytes at byte {at} do not fit before the end record at {end_at}"
        )));
    }
    Ok(place)
}

fn find64(file: &Arc<File>, end_at: u64) -> Result<Place, Fault> {
    let missing = || bad("expected a zip64 end record, found none");
    let locator_at = end_at.checked_sub(LOCATOR64_LEN).ok_or_else(missing)?;
    let locator = bytes(file, locator_at, LOCATOR64_LEN)?;
    let at = u64_at(&locator, 8);
    if !locator.starts_with(LOCATOR64) || at.checked_add(END64_LEN).is_none_or(|end| end > locator_at) {
        return Err(missing());
    }
    let end = bytes(file, at, END64_LEN)?;
    if !end.starts_with(END64) {
        return Err(missing());
    }
    Ok(Place { at: u64_at(&end, 48), len: u64_at(&end, 40), entries: u64_at(&end, 32) })
}

/// One central header, and what follows it.
fn central(header: &[u8]) -> Result<(Entry, &[u8]), Fault> {
    if header.len() < CENTRAL_LEN as usize || !header.starts_with(CENTRAL) {
        return Err(bad("expected the header of an entry, found something else"));
    }
    let (fixed, rest) = header.split_at(CENTRAL_LEN as usize);
    let lens = [28, 30, 32].map(|i| usize::from(u16_at(fixed, i)));
    if lens.iter().sum::<usize>() > rest.len() {
        return Err(bad("the header of an entry is cut off"));
    }
    let (name, rest) = rest.split_at(lens[0]);
    let (extra, rest) = rest.split_at(lens[1]);
    let name = String::from_utf8_lossy(name).into_owned();
    if u16_at(fixed, 8) & 1 != 0 {
        return Err(bad(format!("entry {} is encrypted", Shown(&name))));
    }
    let method = match u16_at(fixed, 10) {
        0 => Method::Stored,
        8 => Method::Deflated,
        other => {
            let problem =
                format!("entry {} is compressed by method {other}, expected 0 (stored) or 8 (deflated)", Shown(&name));
            return Err(bad(problem));
        }
    };
    let [size, packed, header_at] = sizes([u32_at(fixed, 24), u32_at(fixed, 20), u32_at(fixed, 42)], extra)?;
    if method == Method::Stored && size != packed {
        return Err(bad(format!("entry {} is stored, but declares {size} bytes as {packed}", Shown(&name))));
    }
    let entry = Entry { name, method, crc: u32_at(fixed, 16), packed, size, header_at, until: 0 };
    Ok((entry, &rest[lens[2]..]))
}

/// Sizes and position, from the zip64 field where they do not fit 32 bits.
fn sizes(short: [u32; 3], mut extra: &[u8]) -> Result<[u64; 3], Fault> {
    let mut long: &[u8] = &[];
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let Some((field, rest)) = rest.split_at_checked(usize::from(u16_at(head, 2))) else { break };
        if u16_at(head, 0) == 1 {
            long = field;
        }
        extra = rest;
    }
    let mut all = short.map(u64::from);
    for value in all.iter_mut().filter(|v| **v == u64::from(u32::MAX)) {
        let (head, rest) = long.split_at_checked(8).ok_or_else(|| bad("a size is missing from the zip64 field"))?;
        (*value, long) = (u64_at(head, 0), rest);
    }
    Ok(all)
}

/// Sets the bound of each entry, which must not overlap the next one.
fn bound(entries: &mut [Entry], directory_at: u64) -> Result<(), Fault> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&i| entries[i].header_at);
    let mut until = directory_at;
    for &i in order.iter().rev() {
        let entry = &mut entries[i];
        let room = until.saturating_sub(entry.header_at).saturating_sub(LOCAL_LEN);
        if entry.packed > room || entry.header_at > until {
            return Err(bad(format!("entry {} reaches into what follows it", Shown(&entry.name))));
        }
        entry.until = until;
        until = entry.header_at;
    }
    Ok(())
}

/// `len` bytes at `at`, which lie inside of the file.
fn bytes(file: &Arc<File>, at: u64, len: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    FileAt::new(file.clone(), at, at.saturating_add(len)).read_to_end(&mut bytes)?;
    let found = bytes.len() as u64;
    if found == len { Ok(bytes) } else { Err(Fault::Truncated { what: "the .npz directory", expected: len, found }) }
}

fn bad(problem: impl Into<String>) -> Fault {
    Fault::malformed(WHAT, problem)
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(part(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(part(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(part(bytes, at))
}
