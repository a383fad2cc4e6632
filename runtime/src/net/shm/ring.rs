//! Shared-memory ring between two processes: a bounded single-producer, single-consumer (SPSC) queue of bytes
//! (Lamport, "Specifying Concurrent Program Modules", TOPLAS 1983). While both ends are awake, a transfer
//! needs no system call. An end that waits polls for a moment, and then sleeps on a futex (`Doorbell`).
//!
//! Zero-copy transfer: if the system lets one process read the other's memory (`process_vm_readv(2)`, also
//! known as cross-memory attach), the writer sends the address of long data instead of the data, and the
//! reader fetches the data from the writer's memory.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use crate::heap::page_watch;
use crate::net::shm::doorbell;
use crate::net::shm::doorbell::Doorbell;

/// Size of the ring; a power of two.
const CAPACITY: usize = 512 << 10;
/// Maximum number of bytes that are copied before the other end is notified, so that both ends overlap.
const MAX_CHUNK: usize = 16 << 10;

/// The shared header of a ring; initially zero. Fields with the same writer share cache lines, since the cost
/// of a message is mostly that of cache lines that move between CPUs.
#[repr(C)]
struct Shared {
    writer: CachePadded<End>,
    reader: CachePadded<End>,
    /// Doorbells of the writer and of the reader.
    doorbells: [CachePadded<Doorbell>; 2],
    /// Nonzero after the reader has ended. Rarely written, so that both caches keep the line.
    abandoned: CachePadded<AtomicU32>,
    inline: CachePadded<InlineMessage>,
}

/// Inline message: a short message outside of the ring, in one cache line, so that the reader needs a single
/// cache miss. It is written only while the ring is empty and after the previous one has been read; so it is
/// older than the contents of the ring.
#[repr(C)]
struct InlineMessage {
    /// Sequence number, and number of bytes. Written last.
    head: AtomicU64,
    /// Number of inline messages of the other direction that the writer of this one has read; perhaps with
    /// [`POLL_PROMISE`].
    read: AtomicU64,
    words: [AtomicU64; MAX_INLINE_BYTES / 8],
}

/// Flag of [`InlineMessage::read`]: the writer promises to poll for the next message, so that no thread has
/// to be woken for it.
const POLL_PROMISE: u64 = 1 << 63;

/// Maximum number of bytes of an inline message.
pub(crate) const MAX_INLINE_BYTES: usize = 48;
const _: () = assert!(size_of::<InlineMessage>() == 64);

/// State that an end publishes to the other.
#[repr(C)]
struct End {
    /// Number of bytes written or read so far.
    at: AtomicU64,
    /// Of the writer: number of inline messages of the other direction that it has read.
    read: AtomicU64,
    /// Of the writer: nonzero after it has ended.
    gone: AtomicU32,
    /// Of the writer: its process, and the address and value of a word of its memory, which the reader tries
    /// to read.
    process: AtomicU32,
    sample: [AtomicU64; 2],
    /// Of the reader: 1 if it can read the writer's memory; and the number of transfers that it has fetched.
    fetches: AtomicU32,
    fetched: AtomicU32,
}

const HEADER_SIZE: usize = 4096;
const _: () = assert!(size_of::<Shared>() <= HEADER_SIZE);

/// Memory for rings in both directions.
pub(crate) struct Memory {
    file: File,
}

impl Memory {
    /// Makes anonymous memory.
    pub(crate) fn new() -> io::Result<Memory> {
        // SAFETY: a system call with a constant; the descriptor is ours.
        let file = unsafe {
            let descriptor = libc::memfd_create(c"apg-ring".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(descriptor)
        };
        file.set_len(2 * (HEADER_SIZE + CAPACITY) as u64)?;
        Ok(Memory { file })
    }

    /// Process and file descriptor, for [`Memory::open`] in another process.
    pub(crate) fn address(&self) -> [u32; 2] {
        [std::process::id(), self.file.as_raw_fd() as u32]
    }

    /// Opens the memory that another process of this user has made.
    pub(crate) fn open([process, descriptor]: [u32; 2]) -> io::Result<Memory> {
        let path = format!("/proc/{process}/fd/{descriptor}");
        let file = File::options().read(true).write(true).open(path)?;
        if file.metadata()?.len() != 2 * (HEADER_SIZE + CAPACITY) as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Memory { file })
    }

    /// The rings of both directions, first the one to read from.
    pub(crate) fn rings(&self, input: usize) -> io::Result<(Ring, Ring)> {
        let own = Box::leak(Box::default());
        Ok((self.ring(input, own)?, self.ring(1 - input, own)?))
    }

    /// The ring of a direction, mapped as long as the process lives.
    fn ring(&self, direction: usize, own: &'static LocalState) -> io::Result<Ring> {
        let offset = direction * (HEADER_SIZE + CAPACITY);
        // SAFETY: a new mapping inside the file.
        let at = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let file = self.file.as_raw_fd();
            libc::mmap(
                std::ptr::null_mut(),
                HEADER_SIZE + CAPACITY,
                protection,
                libc::MAP_SHARED,
                file,
                offset as i64,
            )
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: mapped for ever, zero is a valid state, and all fields are atomic.
        let shared = unsafe { &*at.cast::<Shared>() };
        Ok(Ring { shared, own, data: at.cast::<u8>().wrapping_add(HEADER_SIZE) })
    }
}

/// An end of a ring. One thread at a time may read, and one write.
#[derive(Clone, Copy)]
pub struct Ring {
    shared: &'static Shared,
    own: &'static LocalState,
    data: *mut u8,
}

/// State of a place for the two rings to another place.
#[derive(Default)]
struct LocalState {
    /// Number of inline messages that this place has read, and of its own that the other place has read.
    read: AtomicU64,
    taken: AtomicU64,
    /// Of the reader: the process whose memory it can read; 0 if there is none.
    zero_copy_source: AtomicU32,
    /// Of the writer: cached copy of the reader's position. The reader changes its position with every
    /// message, so it is loaded again only if the known room is too small.
    tail: AtomicU64,
    /// The other place has promised to poll for the next message.
    promised: AtomicBool,
}

// SAFETY: the bytes between tail and head are the reader's, the others the writer's.
unsafe impl Send for Ring {}
// SAFETY: the bytes between tail and head are the reader's, the others the writer's.
unsafe impl Sync for Ring {}

impl Ring {
    /// Number of bytes that can be read.
    fn filled(&self) -> usize {
        let tail = self.shared.reader.at.load(Ordering::Relaxed);
        // The other process may write any value there, so it is limited to the capacity.
        (self.shared.writer.at.load(Ordering::Acquire).wrapping_sub(tail) as usize).min(CAPACITY)
    }

    /// Number of bytes that can be written. If it is at least `wanted`, it may be an underestimate.
    pub fn room(&self, wanted: usize) -> usize {
        let head = self.shared.writer.at.load(Ordering::Relaxed);
        let room = |tail: u64| CAPACITY - (head.wrapping_sub(tail) as usize).min(CAPACITY);
        let known = room(self.own.tail.load(Ordering::Relaxed));
        if known >= wanted {
            return known;
        }
        let tail = self.shared.reader.at.load(Ordering::Acquire);
        self.own.tail.store(tail, Ordering::Relaxed);
        room(tail)
    }

    /// Writes bytes at once if there is room for all of them, the pieces in sequence.
    pub fn write_at_once(&self, pieces: [&[u8]; 3]) -> bool {
        let length = pieces.iter().map(|it| it.len()).sum();
        if self.room(length) < length || self.is_abandoned() {
            return false;
        }
        let mut head = self.shared.writer.at.load(Ordering::Relaxed);
        for piece in pieces {
            let from = piece.as_ptr();
            // SAFETY: free bytes are the writer's, and there are enough.
            unsafe {
                let copy = |ring: *mut u8, at, count| ring.copy_from_nonoverlapping(from.add(at), count);
                self.copy(head, piece.len(), copy);
            }
            head += piece.len() as u64;
        }
        self.has_written(head);
        true
    }

    /// Publishes all bytes before `head`.
    fn has_written(&self, head: u64) {
        let own = &self.shared.writer;
        own.read.store(self.own.read.load(Ordering::Acquire), Ordering::Relaxed);
        own.at.store(head, Ordering::Release);
        self.notify_reader();
    }

    /// Wakes the reader if needed. A promise of the reader holds for one message.
    fn notify_reader(&self) {
        let promised = self.own.promised.load(Ordering::Relaxed);
        if promised {
            self.own.promised.store(false, Ordering::Relaxed);
        }
        self.shared.doorbells[1].ring(promised);
    }

    /// Writes a message inline, if that is possible now. The caller `promises`, with [`Ring::promise`] for
    /// the other direction, that it will poll for the next message.
    pub fn write_inline(&self, bytes: &[u8], promises: bool) -> bool {
        let inline = &self.shared.inline;
        let head = inline.head.load(Ordering::Relaxed);
        if bytes.len() > MAX_INLINE_BYTES || self.own.taken.load(Ordering::Acquire) != head >> 16 {
            return false;
        }
        if self.room(CAPACITY) < CAPACITY || self.is_abandoned() {
            return false;
        }
        let mut words = [[0; 8]; MAX_INLINE_BYTES / 8];
        words.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        for (to, word) in inline.words.iter().zip(words) {
            to.store(u64::from_ne_bytes(word), Ordering::Relaxed);
        }
        let read = self.own.read.load(Ordering::Acquire);
        inline.read.store(if promises { read | POLL_PROMISE } else { read }, Ordering::Relaxed);
        let head = ((head >> 16) + 1) << 16 | bytes.len() as u64;
        inline.head.store(head, Ordering::Release);
        self.notify_reader();
        true
    }

    /// Whether an inline message has arrived.
    #[inline]
    fn has_inline(&self) -> bool {
        self.shared.inline.head.load(Ordering::Acquire) >> 16 != self.own.read.load(Ordering::Relaxed)
    }

    /// Takes the inline message that has arrived, if there is one, into `memory`; returns its length.
    /// It is older than the bytes that were seen in the ring before this call.
    pub fn take_inline(&self, memory: &mut [u8; MAX_INLINE_BYTES]) -> Option<usize> {
        let inline = &self.shared.inline;
        let head = inline.head.load(Ordering::Acquire);
        if head >> 16 == self.own.read.load(Ordering::Relaxed) {
            return None;
        }
        for (to, word) in memory.chunks_exact_mut(8).zip(&inline.words) {
            to.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
        }
        let taken = inline.read.load(Ordering::Relaxed);
        self.own.taken.store(taken & !POLL_PROMISE, Ordering::Release);
        if taken & POLL_PROMISE != 0 {
            self.own.promised.store(true, Ordering::Relaxed);
        }
        self.own.read.store(head >> 16, Ordering::Release);
        Some(usize::from(head as u8).min(MAX_INLINE_BYTES))
    }

    /// Whether a message has arrived, or the writer has ended.
    pub fn is_ready(&self) -> bool {
        self.has_come() || self.has_ended()
    }

    /// Copies the next bytes to `memory` without consuming them; returns their number.
    pub fn peek(&self, memory: &mut [u8]) -> usize {
        let length = self.filled().min(memory.len());
        let (tail, to) = (self.shared.reader.at.load(Ordering::Relaxed), memory.as_mut_ptr());
        // SAFETY: filled bytes are the reader's, and there are no more than `memory` has room for.
        unsafe {
            self.copy(tail, length, |ring, at, count| to.add(at).copy_from_nonoverlapping(ring, count));
        }
        length
    }

    /// Consumes bytes that [`Ring::peek`] has copied.
    pub fn skip(&self, bytes: usize) {
        let filled = self.filled();
        let tail = self.shared.reader.at.load(Ordering::Relaxed);
        self.has_read(tail + bytes as u64, filled);
    }

    /// Consumes all bytes before `tail`; `filled` bytes could be read before.
    fn has_read(&self, tail: u64, filled: usize) {
        self.own.taken.store(self.shared.writer.read.load(Ordering::Relaxed), Ordering::Release);
        self.shared.reader.at.store(tail, Ordering::Release);
        // The writer waits only for room. If it begins to wait now, the next read finds the ring nearly full.
        if filled >= CAPACITY / 4 {
            self.shared.doorbells[0].ring(false);
        }
    }

    /// Whether a message has arrived.
    pub fn has_come(&self) -> bool {
        self.has_inline() || self.has_bytes()
    }

    /// Whether there are bytes in the ring.
    pub fn has_bytes(&self) -> bool {
        self.filled() > 0
    }

    /// Whether the writer has ended.
    pub fn has_ended(&self) -> bool {
        self.shared.writer.gone.load(Ordering::Acquire) != 0
    }

    /// Whether `bytes` bytes can be read without waiting.
    pub fn holds(&self, bytes: u64) -> bool {
        self.filled() as u64 >= bytes
    }

    /// Wakes the reader.
    pub fn wake_reader(&self) {
        self.shared.doorbells[1].wake();
    }

    fn is_abandoned(&self) -> bool {
        self.shared.abandoned.load(Ordering::Acquire) != 0
    }

    /// Called by the writer: publishes a word of its memory for the reader's test of zero-copy transfers.
    pub fn offer_zero_copy(&self) {
        static SAMPLE: AtomicU64 = AtomicU64::new(0);
        let clock = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64 | 1);
        let _ = SAMPLE.compare_exchange(0, clock, Ordering::Relaxed, Ordering::Relaxed);
        let own = &self.shared.writer;
        own.sample[0].store(SAMPLE.as_ptr() as u64, Ordering::Relaxed);
        own.sample[1].store(SAMPLE.load(Ordering::Relaxed), Ordering::Relaxed);
        own.process.store(std::process::id(), Ordering::Release);
    }

    /// Called by the reader: tests whether it can read the writer's memory, and publishes the result.
    pub fn accept_zero_copy(&self) {
        let (writer, mut sample) = (&self.shared.writer, [0; 8]);
        let process = writer.process.load(Ordering::Acquire);
        let [address, value] = writer.sample.each_ref().map(|it| it.load(Ordering::Relaxed));
        if process != 0 && fetch(process, address, &mut sample).is_ok() && u64::from_ne_bytes(sample) == value
        {
            self.own.zero_copy_source.store(process, Ordering::Release);
            self.shared.reader.fetches.store(1, Ordering::Release);
        }
    }

    /// Whether the reader can fetch from the writer's memory.
    pub fn supports_zero_copy(&self) -> bool {
        self.shared.reader.fetches.load(Ordering::Acquire) == 1
    }

    /// The count to wait for after `transfers` zero-copy transfers: see [`Ring::wait_for_fetches`].
    pub fn fetches_after(&self, transfers: usize) -> u32 {
        self.shared.reader.fetched.load(Ordering::Acquire).wrapping_add(transfers as u32)
    }

    /// Waits until the reader has fetched all transfers.
    pub fn wait_for_fetches(&self, count: u32) -> io::Result<()> {
        let fetched = || self.shared.reader.fetched.load(Ordering::Acquire) == count;
        self.shared.doorbells[0].wait_until(|| fetched() || self.is_abandoned());
        if fetched() { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    /// Fetches a zero-copy transfer into `memory`, or discards it.
    pub fn fetch(&mut self, memory: Option<&mut [u8]>) -> io::Result<()> {
        let mut address = [0; 8];
        io::Read::read_exact(self, &mut address)?;
        if let Some(memory) = memory {
            let fetched =
                fetch(self.own.zero_copy_source.load(Ordering::Acquire), u64::from_le_bytes(address), memory);
            fetched.inspect_err(|_| self.abandon())?;
        }
        self.has_fetched();
        Ok(())
    }

    /// Fetches a zero-copy transfer of `length` bytes. The memory grows with the bytes that have arrived,
    /// since the length is not trusted: the other place has sent it.
    pub fn fetch_bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        /// Maximum number of bytes of one fetch.
        const MAX_FETCH: usize = 1 << 20;
        let mut address = [0; 8];
        io::Read::read_exact(self, &mut address)?;
        let (address, zero_copy_source) =
            (u64::from_le_bytes(address), self.own.zero_copy_source.load(Ordering::Acquire));
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let done = bytes.len();
            let step = MAX_FETCH.min(length - done);
            bytes.try_reserve(step).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            bytes.resize(done + step, 0);
            let fetched = fetch(zero_copy_source, address.wrapping_add(done as u64), &mut bytes[done..]);
            fetched.inspect_err(|_| self.abandon())?;
        }
        self.has_fetched();
        Ok(bytes)
    }

    fn has_fetched(&self) {
        let count = self.shared.reader.fetched.load(Ordering::Relaxed);
        self.shared.reader.fetched.store(count.wrapping_add(1), Ordering::Release);
        self.shared.doorbells[0].ring(false);
    }

    /// Ends writing.
    pub fn end(&self) {
        self.shared.writer.gone.store(1, Ordering::SeqCst);
        self.shared.doorbells[1].wake();
    }

    /// Ends reading: writing fails from now on.
    pub fn abandon(&self) {
        self.shared.abandoned.store(1, Ordering::SeqCst);
        self.shared.doorbells[0].wake();
    }

    /// Sleeps until the ring is ready ([`Ring::is_ready`]); wake-ups may be spurious.
    pub fn wait(&self) {
        self.shared.doorbells[1].sleep(|| self.is_ready());
    }

    /// Notes whether a thread polls this ring; while one does, the writer need not wake the reader.
    pub fn set_polled(&self, polled: bool) {
        let state = if polled { doorbell::AWAKE } else { doorbell::SLEEPING };
        self.shared.doorbells[1].state.store(state, Ordering::SeqCst);
        // The ring's thread may sleep in the middle of a frame whose rest has arrived without a wake-up.
        if !polled && self.is_ready() {
            self.shared.doorbells[1].wake();
        }
    }

    /// Notes that the reader is about to promise the other place to poll for its next message.
    pub fn promise(&self) {
        self.shared.doorbells[1].promise();
    }

    /// Ends a promise after its message: whether the reader need not notify others that it stops polling.
    pub fn has_kept_promise(&self) -> bool {
        self.shared.doorbells[1].is_promised()
    }

    /// Copies between the ring from position `at` on and memory of the caller: calls `copy` with an address
    /// in the ring, an offset in the memory, and a length; twice if the range wraps around.
    ///
    /// # Safety
    /// Only the caller may access this part of the ring, and the memory.
    unsafe fn copy(&self, at: u64, length: usize, copy: impl Fn(*mut u8, usize, usize)) {
        let start = at as usize % CAPACITY;
        let first = length.min(CAPACITY - start);
        copy(self.data.wrapping_add(start), 0, first);
        copy(self.data, first, length - first);
    }
}

/// Reads memory of another process.
fn fetch(process: u32, address: u64, memory: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < memory.len() {
        let rest = &mut memory[done..];
        let to = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: rest.len() };
        let from =
            libc::iovec { iov_base: (address as usize).wrapping_add(done) as *mut _, iov_len: rest.len() };
        let read = page_watch::written_by_system(to.iov_base as usize, to.iov_len, || {
            // SAFETY: writes at most the length of `rest`; the kernel checks addresses of the other process.
            let count = unsafe { libc::process_vm_readv(process as i32, &to, 1, &from, 1, 0) };
            usize::try_from(count).map_err(|_| io::Error::last_os_error())
        })?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        done += read;
    }
    Ok(())
}

impl io::Read for Ring {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        if memory.is_empty() {
            return Ok(0);
        }
        self.shared.doorbells[1].wait_until(|| self.is_ready());
        let filled = self.filled();
        let length = filled.min(memory.len()).min(MAX_CHUNK);
        let tail = self.shared.reader.at.load(Ordering::Relaxed);
        let to = memory.as_mut_ptr();
        // SAFETY: filled bytes are the reader's, and there are no more than `memory` has room for.
        unsafe {
            self.copy(tail, length, |ring, at, count| to.add(at).copy_from_nonoverlapping(ring, count))
        };
        self.has_read(tail + length as u64, filled);
        Ok(length)
    }
}

impl io::Write for Ring {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.shared.doorbells[0].wait_until(|| self.room(1) > 0 || self.is_abandoned());
        if self.is_abandoned() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let length = self.room(bytes.len()).min(bytes.len()).min(MAX_CHUNK);
        let head = self.shared.writer.at.load(Ordering::Relaxed);
        let from = bytes.as_ptr();
        // SAFETY: free bytes are the writer's, and there are as many in `bytes`.
        unsafe {
            self.copy(head, length, |ring, at, count| ring.copy_from_nonoverlapping(from.add(at), count));
        }
        self.has_written(head + length as u64);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
