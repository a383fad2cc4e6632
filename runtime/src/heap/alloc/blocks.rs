//! Blocks of the heap: one reserved range of addresses, divided into blocks of one size class each
//! (segregated fits; Wilson and others, "Dynamic Storage Allocation: A Survey and Critical Review", IWMM
//! 1995).
//!
//! A block holds cells of one size, or belongs to one large object. A table of bytes holds the kind of each
//! block, so that a search for free blocks is quick; a second table holds bitmaps of cells. The system
//! provides memory on first touch, so that reserving much costs nothing.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::base::sanitizer;
use crate::heap::{hooks, page_watch};
use crate::layout::{ARRAY_HEADER, Ref};

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64 * 1024;
/// Objects larger than this get blocks of their own.
pub(crate) const MAX_SMALL_SIZE: usize = BLOCK / 2;
/// Bytes left free in front of a large object, so that the first element of a rail is aligned to a cache
/// line: a vector as long as a line is then in one line, not in two.
pub(crate) const LARGE_PADDING: usize = (64 - ARRAY_HEADER % 64) % 64;
/// Sizes of cells, in multiples of 16 bytes.
pub(crate) const CLASS_SIZES: [u32; 37] = [
    16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280,
    1536, 1792, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192,
    // From here on the most that as many as fit into a block can have.
    10912, 13104, 16384, 21840, 32768,
];
/// Number of size classes.
pub(crate) const CLASSES: usize = CLASS_SIZES.len();
/// No block.
pub(crate) const NONE: u32 = u32::MAX;

/// Bytes of a granule.
pub(crate) const GRANULE: usize = 16;
/// Granules of a block.
pub(crate) const GRANULES: u32 = (BLOCK / GRANULE) as u32;
/// Lists of mixed blocks: by the logarithm of their longest gap's granules.
pub(crate) const BUCKETS: usize = GRANULES.ilog2() as usize + 1;
/// Size class by size in units of 16 bytes, rounded up.
static CLASS_OF: [u8; MAX_SMALL_SIZE / 16 + 1] = class_table();

const fn class_table() -> [u8; MAX_SMALL_SIZE / 16 + 1] {
    let mut table = [0; MAX_SMALL_SIZE / 16 + 1];
    let (mut units, mut class) = (0, 0);
    while units < table.len() {
        if units * 16 > CLASS_SIZES[class] as usize {
            class += 1;
        }
        table[units] = class as u8;
        units += 1;
    }
    table
}

/// The size class of a small object.
pub(crate) fn class_of(bytes: usize) -> usize {
    usize::from(CLASS_OF[bytes.div_ceil(16)])
}

/// What a block is.
pub(crate) mod kind {
    /// Nothing; its memory is still zero.
    pub(crate) const FREE: u8 = 0;
    /// Nothing; its memory holds old data.
    pub(crate) const FREE_DIRTY: u8 = 1;
    /// Cells.
    pub(crate) const SMALL: u8 = 2;
    /// Objects of several sizes ([`crate::heap::alloc::mixed_blocks`]).
    pub(crate) const MIXED: u8 = 3;
    /// The first of a large object.
    pub(crate) const LARGE: u8 = 4;
    /// Another one of a large object.
    pub(crate) const LARGE_TAIL: u8 = 5;

    /// Whether a block has bits that say where its objects are.
    pub(crate) fn has_bits(kind: u8) -> bool {
        kind == SMALL || kind == MIXED
    }
}

/// A block's cells, or a large object's extent.
#[repr(C)]
pub(crate) struct Meta {
    /// Small: bytes of a cell. Mixed: of a granule.
    pub cell: u32,
    /// Small: number of cells. Mixed: of granules.
    pub cells: u32,
    /// Large: number of blocks. Tail: distance to the first block. Small: cells found alive by the last
    /// collection. Mixed: granules of the longest gap then.
    pub extent: u32,
    /// Mixed: gaps before this granule were used since the last collection.
    pub cursor: u32,
    /// Next block in a list of blocks with free cells.
    pub next: u32,
    /// Small: all memory of free cells is zero.
    pub clean: bool,
    /// Large: found alive.
    pub marked: bool,
    /// Small: cells that hold objects. Mixed: granules at which objects begin.
    pub allocated: [u64; 64],
    /// Small, mixed: the same of what was found alive.
    pub marks: [u64; 64],
}

/// The reserved range and its tables.
pub(crate) struct Region {
    base: usize,
    blocks: u32,
    kinds: *mut u8,
    meta: *mut Meta,
    /// Room for a reference to every object: the collector's work list.
    pub work: *mut Ref,
    /// Blocks from here on were never used.
    top: AtomicU32,
}

// SAFETY: the tables are plain memory; who may write which part is said at each use.
unsafe impl Send for Region {}
// SAFETY: the tables are plain memory; who may write which part is said at each use.
unsafe impl Sync for Region {}

/// Reserves zeroed memory that the system provides on first touch.
pub(crate) fn reserve(bytes: usize) -> Option<*mut u8> {
    // SAFETY: a new private mapping.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    (at != libc::MAP_FAILED).then_some(at.cast())
}

/// Gives reserved memory back.
fn release_memory(memory: *mut u8, bytes: usize) {
    // SAFETY: a mapping of that size that nobody uses.
    unsafe { libc::munmap(memory.cast(), bytes) };
}

impl Region {
    /// Reserves room for `bytes`; `None` if the system refuses.
    pub(crate) fn new(bytes: usize) -> Option<Region> {
        let blocks = u32::try_from(bytes.div_ceil(BLOCK)).ok()?;
        // All at once first, so that nothing is left behind when there is too little.
        let per_block = BLOCK + BLOCK / 2 + size_of::<Meta>() + 1;
        release_memory(reserve((blocks as usize + 1) * per_block)?, (blocks as usize + 1) * per_block);
        let memory = reserve((blocks as usize + 1) * BLOCK)?;
        let kinds = reserve(blocks as usize)?;
        let meta = reserve(blocks as usize * size_of::<Meta>())?;
        let work = reserve(blocks as usize * (BLOCK / 2))?.cast();
        let base = (memory as usize).next_multiple_of(BLOCK);
        sanitizer::heap(base, blocks as usize * BLOCK);
        Some(Region { base, blocks, kinds, meta: meta.cast(), work, top: AtomicU32::new(0) })
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Blocks from here on were never used.
    pub(crate) fn top(&self) -> u32 {
        self.top.load(Ordering::Acquire)
    }

    /// See [`Region::top`]; the caller holds the heap's lock.
    pub(crate) fn set_top(&self, top: u32) {
        self.top.store(top, Ordering::Release);
    }

    /// What a block is.
    pub(crate) fn kind(&self, block: u32) -> u8 {
        debug_assert!(block < self.blocks);
        // SAFETY: in the table.
        unsafe { self.kinds.add(block as usize).read() }
    }

    /// Says what a block is; the caller holds the heap's lock or has stopped all threads.
    pub(crate) fn set_kind(&self, block: u32, kind: u8) {
        debug_assert!(block < self.blocks);
        // SAFETY: in the table.
        unsafe { self.kinds.add(block as usize).write(kind) }
    }

    /// Whether a block is free.
    pub(crate) fn is_free(&self, block: u32) -> bool {
        self.kind(block) <= kind::FREE_DIRTY
    }

    /// A block's cells or extent.
    pub(crate) fn meta(&self, block: u32) -> *mut Meta {
        debug_assert!(block < self.blocks);
        self.meta.wrapping_add(block as usize)
    }

    /// Where a block begins.
    pub(crate) fn address(&self, block: u32) -> usize {
        self.base + block as usize * BLOCK
    }

    /// Where the large object begins whose first block this is.
    pub(crate) fn large(&self, block: u32) -> usize {
        self.address(block) + LARGE_PADDING
    }

    /// Start of the object that contains an address, its block, and its cell (0 in a large object).
    pub(crate) fn find(&self, address: usize) -> Option<(usize, u32, usize)> {
        let offset = address.wrapping_sub(self.base);
        let block = offset / BLOCK;
        if block >= self.top() as usize {
            return None;
        }
        let block = block as u32;
        match self.kind(block) {
            kind::SMALL => {
                // SAFETY: a small block's table is valid; this races with nothing: threads are stopped, or
                // the caller asks about an object it holds.
                let meta = unsafe { &*self.meta(block) };
                let cell = (offset % BLOCK) / meta.cell as usize;
                let taken = cell < meta.cells as usize && meta.allocated[cell / 64] & (1 << (cell % 64)) != 0;
                taken.then(|| (self.address(block) + cell * meta.cell as usize, block, cell))
            }
            kind::MIXED => {
                // SAFETY: a mixed block's table is valid; threads are stopped, or the caller holds the
                // object.
                let start =
                    find_in_mixed(self.address(block), unsafe { &*self.meta(block) }, offset % BLOCK)?;
                Some((self.address(block) + start * GRANULE, block, start))
            }
            kind::LARGE => Some((self.large(block), block, 0)),
            kind::LARGE_TAIL => {
                // SAFETY: a tail's table says how far its first block is.
                let head = block - unsafe { (*self.meta(block)).extent };
                Some((self.large(head), head, 0))
            }
            _ => None,
        }
    }

    /// Makes a block hold cells of a class.
    pub(crate) fn make_small(&self, block: u32, class: usize) {
        let clean = self.kind(block) == kind::FREE;
        // SAFETY: the caller owns the block; its table is plain memory.
        let meta = unsafe { &mut *self.meta(block) };
        meta.cell = CLASS_SIZES[class];
        meta.cells = (BLOCK / CLASS_SIZES[class] as usize) as u32;
        meta.next = NONE;
        meta.clean = clean;
        meta.allocated = [0; 64];
        meta.marks = [0; 64];
        sanitizer::poison(self.address(block), BLOCK);
        self.set_kind(block, kind::SMALL);
    }

    /// Makes a run of blocks one large object. Whether its memory is zero.
    pub(crate) fn make_large(&self, first: u32, count: u32) -> bool {
        let mut clean = true;
        for block in first..first + count {
            clean &= self.kind(block) == kind::FREE;
            // SAFETY: the caller owns the blocks; their table is plain memory.
            let meta = unsafe { &mut *self.meta(block) };
            meta.marked = false;
            meta.extent = if block == first { count } else { block - first };
            self.set_kind(block, if block == first { kind::LARGE } else { kind::LARGE_TAIL });
        }
        clean
    }
}

/// Bytes of an object of a mixed block, or 0 where none was made yet.
pub(crate) fn size_at(address: usize) -> usize {
    let object = Ref(address as *mut _);
    // SAFETY: an object begins here, or memory that is still zero.
    if unsafe { (*object.0).ty.is_null() } { 0 } else { object.size().next_multiple_of(GRANULE) }
}

/// The granule at which the object begins that has this byte of a mixed block.
fn find_in_mixed(start_of_block: usize, meta: &Meta, offset: usize) -> Option<usize> {
    let granule = offset / GRANULE;
    let mut word = granule / 64;
    let mut starts = meta.allocated[word] & (u64::MAX >> (63 - granule % 64));
    while starts == 0 {
        word = word.checked_sub(1)?;
        starts = meta.allocated[word];
    }
    let start = word * 64 + starts.ilog2() as usize;
    (offset < start * GRANULE + size_at(start_of_block + start * GRANULE)).then_some(start)
}

/// Zeroes memory; very much of it by giving it back to the system: new pages cost several times what it costs
/// to clear old ones, if they are used at all.
///
/// # Safety
/// `bytes` bytes at `at` belong to the caller; `at` is the start of a block if there are many.
pub(crate) unsafe fn zero(at: *mut u8, bytes: usize) {
    const MIN_RELEASE_SIZE: usize = 32 << 20;
    // SAFETY: the caller owns these bytes.
    unsafe {
        let whole = bytes / BLOCK * BLOCK;
        // Pages that a device has pinned must stay: it would continue with the old ones.
        let give_back = bytes >= MIN_RELEASE_SIZE && !hooks::is_pinned(at as usize, bytes);
        if give_back {
            page_watch::release(at as usize, bytes);
        }
        if give_back && libc::madvise(at.cast(), whole, libc::MADV_DONTNEED) == 0 {
            at.add(whole).write_bytes(0, bytes - whole);
        } else {
            at.write_bytes(0, bytes);
        }
    }
}

/// Requests transparent huge pages for a large object: strided access then has few misses of the address
/// cache, and first touches are faster. Without effect where the system has none.
pub(crate) fn request_huge_pages(at: usize, bytes: usize) {
    const PAGE: usize = 2 << 20;
    const MIN_SIZE: usize = 4 << 20;
    if bytes < MIN_SIZE {
        return;
    }
    let first = at.next_multiple_of(PAGE);
    let end = (at + bytes) / PAGE * PAGE;
    #[cfg(target_os = "linux")]
    // SAFETY: whole pages inside the caller's memory, whose contents stay what they are.
    unsafe {
        libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (first, end);
}
