//! The pages of a redb file, read one by one: a file that redb refuses to open may still have most of its
//! pairs.
//!
//! A file begins with a header of 64 bytes and two slots of 128 bytes. Each slot has the root of a tree as of
//! one commit. A page of a tree is a leaf with pairs, or a branch with its children and the keys between
//! them. A slot or branch that names a page also has the page's checksum. The checksum shows that the page is
//! whole, and is the right one. This reads file format 3, as in redb's `btree_base.rs` and `header.rs`. It
//! never writes.

use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Bound;
use std::path::Path;

use redb::StorageBackend;
use redb::backends::FileBackend;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{Error, ErrorKind, Result};

const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
const PAGE_BYTES: u64 = 4096;
const HEADER_BYTES: usize = 64;
const SLOT_BYTES: usize = 128;
const SLOT_SEALED_BYTES: usize = 112;
const PRIMARY: u8 = 1;
/// The last writer did not close the file.
const UNCLEAN: u8 = 2;
const TWO_PHASE: u8 = 4;
const LEAF: u8 = 1;
const BRANCH: u8 = 2;
/// The most bytes of a leaf that are read. A whole unit of work can be one value, while it waits for a decision.
const LEAF_BYTES_MAX: u64 = 1 << 30;
/// The most bytes of a branch that are read. It has keys alone, and those above it are kept in memory.
const BRANCH_BYTES_MAX: u64 = 1 << 20;
/// No tree is so deep.
const DEPTH_MAX: usize = 64;

/// A reference to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Named {
    number: u64,
    checksum: u128,
}

/// A finding of a walk, in the order of the keys.
#[derive(Debug)]
pub(crate) enum Met<'a> {
    /// A key and its value with its seal. If the page is damaged, only the seal shows whether they are the
    /// written ones.
    Pair(&'a [u8], &'a [u8]),
    /// A damaged page. Its readable pairs follow.
    Damaged(Place),
}

/// The place of a damaged page, and the keys that it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// Its keys are greater than the first, and at most the second.
    pub(crate) keys: (Option<Vec<u8>>, Option<Vec<u8>>),
}

/// The pages of one file.
pub(crate) struct Pages {
    backend: FileBackend,
    bytes: u64,
    region_bytes: u64,
    region_header_bytes: u64,
    header: Vec<u8>,
}

/// Keys greater than the first, and at most the second.
#[derive(Clone, Copy)]
struct Bounds<'a>(Option<&'a [u8]>, Option<&'a [u8]>);

impl Bounds<'_> {
    fn have(&self, key: &[u8]) -> bool {
        self.0.is_none_or(|least| key > least) && self.1.is_none_or(|most| key <= most)
    }
}

/// A walk over one tree.
struct Walk<'w, 'e> {
    pages: &'w Pages,
    seen: BTreeSet<u64>,
    each: &'w mut (dyn FnMut(Met<'_>) -> Result<()> + 'e),
}

impl Pages {
    /// Opens the file of a closed store.
    ///
    /// # Errors
    /// `Io`, `InUse`; `Format` if it does not begin like a redb file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| failed(&error))?;
        let backend = FileBackend::new(file).map_err(super::redb::database_fault)?;
        let locked = backend.try_lock_shared_range(Bound::Unbounded, Bound::Unbounded);
        if !locked.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))? {
            return Err(Error::new(
                ErrorKind::InUse,
                "store: another process has the file open, such as a gateway that runs",
            ));
        }
        let bytes = backend.len().map_err(|error| failed(&error))?;
        let mut header = vec![0; HEADER_BYTES + 2 * SLOT_BYTES];
        if bytes >= header.len() as u64 {
            backend.read(0, &mut header).map_err(|error| failed(&error))?;
        }
        if !header.starts_with(MAGIC) {
            let message = "store: this file is not a store of Gantry";
            return Err(Error::new(ErrorKind::Format, message));
        }
        let pages = |at: usize| u64::from(u32_at(&header, at).unwrap_or_default());
        let region_header_bytes = pages(16) * PAGE_BYTES;
        let region_bytes = region_header_bytes + pages(20) * PAGE_BYTES;
        Ok(Self { backend, bytes, region_bytes, region_header_bytes, header })
    }

    /// Walks the table of a store, as of the last commit. The second value describes a newer commit that
    /// cannot be read.
    ///
    /// # Errors
    /// `Corrupt` if no root is readable; `Io`; what `each` returns.
    pub(crate) fn walk(&self, mut each: impl FnMut(Met<'_>) -> Result<()>) -> Result<Option<String>> {
        let (roots, mut note) = self.roots();
        let mut tables = Vec::new();
        for root in roots {
            tables.extend(self.table(root)?);
        }
        let Some(mut table) = tables.first().copied() else {
            return Err(Error::new(ErrorKind::Corrupt, "store: no root of the file can be read"));
        };
        // The last commit may have been on its way to the disk when the power failed.
        let may_be_torn = self.is(UNCLEAN) && !self.is(TWO_PHASE);
        if may_be_torn && !self.is_whole(table)? {
            for before in &tables[1..] {
                if self.is_whole(*before)? {
                    table = *before;
                    let text = "the last commit is not whole: the file is read as of the commit before it";
                    note = Some(text.to_owned());
                }
            }
        }
        self.tree(table, &mut each)?;
        Ok(note)
    }

    fn is(&self, flag: u8) -> bool {
        self.header[MAGIC.len()] & flag != 0
    }

    fn is_whole(&self, root: Named) -> Result<bool> {
        let mut whole = true;
        self.tree(root, &mut |met| {
            whole &= !matches!(met, Met::Damaged(_));
            Ok(())
        })?;
        Ok(whole)
    }

    /// The roots of the whole slots, the current one first.
    fn roots(&self) -> (Vec<Named>, Option<String>) {
        let slot = |number: usize| {
            let bytes = &self.header[HEADER_BYTES + number * SLOT_BYTES..][..SLOT_BYTES];
            let checksum = u128_at(bytes, SLOT_SEALED_BYTES)?;
            let root = Named { number: u64_at(bytes, 8)?, checksum: u128_at(bytes, 16)? };
            let whole = xxh3_128(&bytes[..SLOT_SEALED_BYTES]) == checksum && bytes[1] != 0;
            whole.then_some((u64_at(bytes, 104)?, root))
        };
        let primary = usize::from(self.is(PRIMARY));
        let mut found: Vec<(u64, Named)> = [primary, 1 - primary].into_iter().filter_map(slot).collect();
        if !self.is(TWO_PHASE) {
            found.sort_by_key(|(transaction, _)| std::cmp::Reverse(*transaction));
        }
        let note = slot(primary).is_none().then(|| {
            "the slot of the last commit is damaged: the file is read as of the commit before it".to_owned()
        });
        (found.into_iter().map(|(_, root)| root).collect(), note)
    }

    /// The root of the table of a store, from the tree of tables.
    fn table(&self, root: Named) -> Result<Option<Named>> {
        let mut table = None;
        self.tree(root, &mut |met| {
            if let Met::Pair(b"store", definition) = met {
                // The definition has its kind, the number of pairs, whether there is a root, and the root.
                let named = u64_at(definition, 10).zip(u128_at(definition, 18));
                table =
                    named.filter(|_| definition[9] != 0).map(|(number, checksum)| Named { number, checksum });
            }
            Ok(())
        })?;
        Ok(table)
    }

    fn tree(&self, root: Named, each: &mut dyn FnMut(Met<'_>) -> Result<()>) -> Result<()> {
        Walk { pages: self, seen: BTreeSet::new(), each }.page(root, true, Bounds(None, None), 0)
    }

    fn offset(&self, number: u64) -> u64 {
        let order = number >> 59;
        let (index, region) = (number & (0x000F_FFFF >> order), (number >> 20) & 0x000F_FFFF);
        // A damaged header gives any size; nothing can be read behind the end of the file.
        let region = region.saturating_mul(self.region_bytes).saturating_add(self.region_header_bytes);
        PAGE_BYTES.saturating_add(region).saturating_add(index * (PAGE_BYTES << order))
    }

    /// The bytes of a page, as far as the file has them and such a page may have them.
    fn read(&self, number: u64) -> Result<Vec<u8>> {
        let (offset, order) = (self.offset(number), number >> 59);
        let bytes_max = match self.read_at(offset, 1)?.first() {
            Some(&LEAF) => LEAF_BYTES_MAX,
            Some(&BRANCH) => BRANCH_BYTES_MAX,
            _ => PAGE_BYTES,
        };
        self.read_at(offset, (PAGE_BYTES << order).min(bytes_max))
    }

    fn read_at(&self, offset: u64, bytes: u64) -> Result<Vec<u8>> {
        let bytes = bytes.min(self.bytes.saturating_sub(offset));
        let mut found = vec![0; usize::try_from(bytes).unwrap_or_default()];
        if !found.is_empty() {
            self.backend.read(offset, &mut found).map_err(|error| failed(&error))?;
        }
        Ok(found)
    }
}

impl Walk<'_, '_> {
    /// Walks a page and what is below it. If `sure` is true, the page that names it is whole, so a damaged
    /// page may be read too.
    fn page(&mut self, named: Named, sure: bool, bounds: Bounds<'_>, depth: usize) -> Result<()> {
        if depth > DEPTH_MAX || !self.seen.insert(named.number) {
            return Ok(());
        }
        let page = self.pages.read(named.number)?;
        let end = content_bytes(&page);
        let whole =
            end.and_then(|end| page.get(..end)).is_some_and(|content| xxh3_128(content) == named.checksum);
        if !whole {
            let keys = (bounds.0.map(<[u8]>::to_vec), bounds.1.map(<[u8]>::to_vec));
            let offset = self.pages.offset(named.number);
            (self.each)(Met::Damaged(Place { offset, keys }))?;
            if !sure {
                return Ok(());
            }
        }
        match page.first() {
            Some(&LEAF) => self.leaf(&page, bounds),
            Some(&BRANCH) => self.branch(&page, whole, bounds, depth),
            _ => Ok(()),
        }
    }

    fn leaf(&mut self, page: &[u8], bounds: Bounds<'_>) -> Result<()> {
        let count = pairs(page);
        let end = |nth: usize| usize_at(page, 4 + 4 * nth);
        let keys_end = count.checked_sub(1).and_then(end);
        for nth in 0..count {
            let key_from = nth.checked_sub(1).map_or(Some(4 + 8 * count), end);
            let value_from = nth.checked_sub(1).map_or(keys_end, |before| end(count + before));
            let part = |from: Option<usize>, to: Option<usize>| page.get(from?..to?);
            let pair = part(key_from, end(nth)).zip(part(value_from, end(count + nth)));
            if let Some((key, value)) = pair.filter(|(key, _)| bounds.have(key)) {
                (self.each)(Met::Pair(key, value))?;
            }
        }
        Ok(())
    }

    fn branch(&mut self, page: &[u8], whole: bool, bounds: Bounds<'_>, depth: usize) -> Result<()> {
        let children = pairs(page) + 1;
        let key_end = |nth: usize| usize_at(page, 8 + 24 * children + 4 * nth);
        let key = |nth: usize| {
            let from = nth.checked_sub(1).map_or(Some(8 + 28 * children - 4), key_end);
            page.get(from?..key_end(nth)?)
        };
        for nth in 0..children {
            let named = u64_at(page, 8 + 16 * children + 8 * nth).zip(u128_at(page, 8 + 16 * nth));
            let Some((number, checksum)) = named else { return Ok(()) };
            let least = nth.checked_sub(1).and_then(key).or(bounds.0);
            let most = (nth + 1 < children).then(|| key(nth)).flatten().or(bounds.1);
            // The keys in a damaged branch cannot be trusted. Its reference to a whole child can be.
            let within = if whole { Bounds(least, most) } else { bounds };
            self.page(Named { number, checksum }, whole, within, depth + 1)?;
        }
        Ok(())
    }
}

/// The number of pairs of a leaf, or of keys of a branch.
fn pairs(page: &[u8]) -> usize {
    page.get(2..4).map_or(0, |bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))
}

/// The bytes of a page that its checksum covers.
fn content_bytes(page: &[u8]) -> Option<usize> {
    let last = pairs(page).checked_sub(1)?;
    match *page.first()? {
        LEAF => usize_at(page, 4 + 4 * (last + 1 + last)),
        BRANCH => usize_at(page, 8 + 24 * (last + 2) + 4 * last),
        _ => None,
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn usize_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32_at(bytes, at)?).ok()
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn u128_at(bytes: &[u8], at: usize) -> Option<u128> {
    bytes.get(at..at + 16)?.try_into().ok().map(u128::from_le_bytes)
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("store: {error}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn a_page_is_read_within_limits_whatever_size_its_number_claims() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("region.store");
        let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        super::super::redb::make(file.try_clone().unwrap()).unwrap();
        file.set_len(64 << 30).unwrap();
        let pages = Pages::open(&path).unwrap();
        let bytes = |order: u64| pages.read(order << 59).unwrap().len() as u64;
        let write = |kind| file.write_all_at(&[kind], pages.offset(31 << 59)).unwrap();
        write(BRANCH);
        assert_eq!((bytes(0), bytes(31)), (PAGE_BYTES, BRANCH_BYTES_MAX));
        write(LEAF);
        assert_eq!((bytes(0), bytes(3)), (PAGE_BYTES, PAGE_BYTES << 3));
        write(0);
        assert_eq!(bytes(31), PAGE_BYTES);
        file.write_all_at(&[0xFF; 8], 16).unwrap();
        let pages = Pages::open(&path).unwrap();
        assert_eq!(pages.read(0x000F_FFFF << 20).unwrap(), [0; 0], "the sizes in the header are damaged");
    }
}
