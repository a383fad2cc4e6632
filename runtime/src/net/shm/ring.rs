//! A pipe between two processes of one machine: a ring in memory that both have mapped. Bytes go through it
//! without a system call while both ends are awake; who has to wait looks for a moment, and then sleeps on a
//! futex in the same memory. Where the system lets one process read the other's memory, many bytes are not
//! written but lent: the reader fetches them from where they are.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use crate::heap::page_watch;
use crate::net::shm::doorbell;
use crate::net::shm::doorbell::Bell;

/// Bytes of the ring; a power of two.
const SIZE: usize = 512 << 10;
/// Bytes after which the other end is told, so that it can begin.
const PIECE: usize = 16 << 10;

/// What both processes see; zero at first. What one end writes and the other one reads is together: memory
/// that two processors write in turn is what a message costs.
#[repr(C)]
struct Shared {
    writer: CachePadded<End>,
    reader: CachePadded<End>,
    /// How the writer and the reader sleep.
    bells: [CachePadded<Bell>; 2],
    /// Nothing more is read. Hardly ever written, so that both have it at hand.
    abandoned: CachePadded<AtomicU32>,
    note: CachePadded<Note>,
}

/// A short message, beside the ring: all of it is in one line of the processors' memory, so that whoever sees
/// that it is there has it. It is written only while the ring is empty, and after the one before it has been
/// read; so it is older than what is in the ring.
#[repr(C)]
struct Note {
    /// How many there have been, what kind of message it is, and its bytes. Written last.
    head: AtomicU64,
    /// How many of the other direction its writer has read, and whether it makes a [`PROMISE`].
    read: AtomicU64,
    words: [AtomicU64; NOTE / 8],
}

/// The writer of a note will look itself for what comes next, so that nobody has to be woken for that.
const PROMISE: u64 = 1 << 63;

/// Most bytes of a note.
pub const NOTE: usize = 48;
const _: () = assert!(size_of::<Note>() == 64);

/// What an end has to say to the other.
#[repr(C)]
struct End {
    /// Bytes written or read so far.
    at: AtomicU64,
    /// Of the writer: how many notes of the other direction it has read.
    read: AtomicU64,
    /// Of the writer: nothing more is written.
    gone: AtomicU32,
    /// Of the writer: its process, and a word of its memory with its address, for the reader to see whether
    /// it can read it.
    process: AtomicU32,
    sample: [AtomicU64; 2],
    /// Of the reader: that it can; and how often it has.
    fetches: AtomicU32,
    fetched: AtomicU32,
}

const HEAD: usize = 4096;
const _: () = assert!(size_of::<Shared>() <= HEAD);

/// Memory for pipes in both directions.
pub struct Memory {
    file: File,
}

impl Memory {
    /// New memory, which has no name.
    pub fn new() -> io::Result<Memory> {
        // SAFETY: a system call with a constant; the descriptor is ours.
        let file = unsafe {
            let descriptor = libc::memfd_create(c"apg-pipe".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(descriptor)
        };
        file.set_len(2 * (HEAD + SIZE) as u64)?;
        Ok(Memory { file })
    }

    /// What another process has to know to open it.
    pub fn address(&self) -> [u32; 2] {
        [std::process::id(), self.file.as_raw_fd() as u32]
    }

    /// The memory of another process of this user.
    pub fn open([process, descriptor]: [u32; 2]) -> io::Result<Memory> {
        let path = format!("/proc/{process}/fd/{descriptor}");
        let file = File::options().read(true).write(true).open(path)?;
        if file.metadata()?.len() != 2 * (HEAD + SIZE) as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Memory { file })
    }

    /// The pipes of both directions, first the one to read from.
    pub fn pipes(&self, input: usize) -> io::Result<(Pipe, Pipe)> {
        let own = Box::leak(Box::default());
        Ok((self.pipe(input, own)?, self.pipe(1 - input, own)?))
    }

    /// The pipe of a direction, mapped as long as the process lives.
    fn pipe(&self, direction: usize, own: &'static Own) -> io::Result<Pipe> {
        let offset = direction * (HEAD + SIZE);
        // SAFETY: a new mapping inside the file.
        let at = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let file = self.file.as_raw_fd();
            libc::mmap(std::ptr::null_mut(), HEAD + SIZE, protection, libc::MAP_SHARED, file, offset as i64)
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: mapped for ever, zero is a valid state, and all fields are atomic.
        let shared = unsafe { &*at.cast::<Shared>() };
        Ok(Pipe { shared, own, data: at.cast::<u8>().wrapping_add(HEAD) })
    }
}

/// An end of a pipe. One thread at a time may read, and one write.
#[derive(Clone, Copy)]
pub struct Pipe {
    shared: &'static Shared,
    own: &'static Own,
    data: *mut u8,
}

/// What a place keeps of the two pipes to another place.
#[derive(Default)]
struct Own {
    /// How many notes it has read, and how many of its notes the other place has.
    read: AtomicU64,
    taken: AtomicU64,
    /// Of the reader: the process whose memory it can read; 0 for none.
    lender: AtomicU32,
    /// Of the writer: what the reader had read when it looked last. The reader writes there for every
    /// message, so that it is looked at only when the room that is known does not do.
    tail: AtomicU64,
    /// The other place has promised to look for the next message.
    promised: AtomicBool,
}

// SAFETY: the bytes between tail and head are the reader's, the others the writer's.
unsafe impl Send for Pipe {}
// SAFETY: as above.
unsafe impl Sync for Pipe {}

impl Pipe {
    /// Bytes that can be read.
    fn filled(&self) -> usize {
        let tail = self.shared.reader.at.load(Ordering::Relaxed);
        // The other process may write anything there; more than fits is never believed.
        (self.shared.writer.at.load(Ordering::Acquire).wrapping_sub(tail) as usize).min(SIZE)
    }

    /// Bytes that can be written, or some of them if that is as many as are wanted.
    pub fn room(&self, wanted: usize) -> usize {
        let head = self.shared.writer.at.load(Ordering::Relaxed);
        let room = |tail: u64| SIZE - (head.wrapping_sub(tail) as usize).min(SIZE);
        let known = room(self.own.tail.load(Ordering::Relaxed));
        if known >= wanted {
            return known;
        }
        let tail = self.shared.reader.at.load(Ordering::Acquire);
        self.own.tail.store(tail, Ordering::Relaxed);
        room(tail)
    }

    /// Writes bytes at once if there is room for all of them, each piece behind the other.
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

    /// All before `head` has been written.
    fn has_written(&self, head: u64) {
        let own = &self.shared.writer;
        own.read.store(self.own.read.load(Ordering::Acquire), Ordering::Relaxed);
        own.at.store(head, Ordering::Release);
        self.tell_reader();
    }

    /// Something was written. A promise of the reader is good for one message.
    fn tell_reader(&self) {
        let promised = self.own.promised.load(Ordering::Relaxed);
        if promised {
            self.own.promised.store(false, Ordering::Relaxed);
        }
        self.shared.bells[1].ring(promised);
    }

    /// Writes a message as a note, if that can be now. The caller `promises`, with [`Pipe::promise`] for the
    /// other direction, that it will look for what comes next.
    pub fn write_note(&self, kind: u8, bytes: &[u8], promises: bool) -> bool {
        let note = &self.shared.note;
        let head = note.head.load(Ordering::Relaxed);
        if bytes.len() > NOTE || self.own.taken.load(Ordering::Acquire) != head >> 16 {
            return false;
        }
        if self.room(SIZE) < SIZE || self.is_abandoned() {
            return false;
        }
        let mut words = [[0; 8]; NOTE / 8];
        words.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        for (to, word) in note.words.iter().zip(words) {
            to.store(u64::from_ne_bytes(word), Ordering::Relaxed);
        }
        let read = self.own.read.load(Ordering::Acquire);
        note.read.store(if promises { read | PROMISE } else { read }, Ordering::Relaxed);
        let head = ((head >> 16) + 1) << 16 | u64::from(kind) << 8 | bytes.len() as u64;
        note.head.store(head, Ordering::Release);
        self.tell_reader();
        true
    }

    /// A note has come.
    #[inline]
    fn has_note(&self) -> bool {
        self.shared.note.head.load(Ordering::Acquire) >> 16 != self.own.read.load(Ordering::Relaxed)
    }

    /// Takes the note that has come, if there is one: what kind of message it is, and its length; its bytes
    /// go to `memory`. It is older than what was seen in the ring before.
    pub fn take_note(&self, memory: &mut [u8; NOTE]) -> Option<(u8, usize)> {
        let note = &self.shared.note;
        let head = note.head.load(Ordering::Acquire);
        if head >> 16 == self.own.read.load(Ordering::Relaxed) {
            return None;
        }
        for (to, word) in memory.chunks_exact_mut(8).zip(&note.words) {
            to.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
        }
        let taken = note.read.load(Ordering::Relaxed);
        self.own.taken.store(taken & !PROMISE, Ordering::Release);
        if taken & PROMISE != 0 {
            self.own.promised.store(true, Ordering::Relaxed);
        }
        self.own.read.store(head >> 16, Ordering::Release);
        Some(((head >> 8) as u8, usize::from(head as u8).min(NOTE)))
    }

    /// Something can be read, be it the end.
    pub fn is_ready(&self) -> bool {
        self.has_come() || self.has_ended()
    }

    /// The next bytes, which stay: as many as there are, or as `memory` has room for.
    pub fn peek(&self, memory: &mut [u8]) -> usize {
        let length = self.filled().min(memory.len());
        let (tail, to) = (self.shared.reader.at.load(Ordering::Relaxed), memory.as_mut_ptr());
        // SAFETY: filled bytes are the reader's, and there are no more than `memory` has room for.
        unsafe {
            self.copy(tail, length, |ring, at, count| to.add(at).copy_from_nonoverlapping(ring, count));
        }
        length
    }

    /// So many bytes, which [`Pipe::peek`] has given, have been read.
    pub fn skip(&self, bytes: usize) {
        let filled = self.filled();
        let tail = self.shared.reader.at.load(Ordering::Relaxed);
        self.has_read(tail + bytes as u64, filled);
    }

    /// Of `filled` bytes, all before `tail` have been read.
    fn has_read(&self, tail: u64, filled: usize) {
        self.own.taken.store(self.shared.writer.read.load(Ordering::Relaxed), Ordering::Release);
        self.shared.reader.at.store(tail, Ordering::Release);
        // The writer waits only for room. If it begins to just now, the next part that is read finds the ring
        // nearly full.
        if filled >= SIZE / 4 {
            self.shared.bells[0].ring(false);
        }
    }

    /// There is something to read but the end.
    pub fn has_come(&self) -> bool {
        self.has_note() || self.has_bytes()
    }

    /// There is something in the ring.
    pub fn has_bytes(&self) -> bool {
        self.filled() > 0
    }

    /// Nothing more is written.
    pub fn has_ended(&self) -> bool {
        self.shared.writer.gone.load(Ordering::Acquire) != 0
    }

    /// So many bytes can be read without waiting.
    pub fn holds(&self, bytes: u64) -> bool {
        self.filled() as u64 >= bytes
    }

    /// Wakes who waits for something to read.
    pub fn wake_reader(&self) {
        self.shared.bells[1].ring_anyway();
    }

    fn is_abandoned(&self) -> bool {
        self.shared.abandoned.load(Ordering::Acquire) != 0
    }

    /// The writer: says how the reader can see whether it may fetch.
    pub fn offer(&self) {
        static SAMPLE: AtomicU64 = AtomicU64::new(0);
        let clock = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64 | 1);
        let _ = SAMPLE.compare_exchange(0, clock, Ordering::Relaxed, Ordering::Relaxed);
        let own = &self.shared.writer;
        own.sample[0].store(SAMPLE.as_ptr() as u64, Ordering::Relaxed);
        own.sample[1].store(SAMPLE.load(Ordering::Relaxed), Ordering::Relaxed);
        own.process.store(std::process::id(), Ordering::Release);
    }

    /// The reader: sees whether it may fetch what the writer lends, and says so.
    pub fn accept(&self) {
        let (writer, mut sample) = (&self.shared.writer, [0; 8]);
        let process = writer.process.load(Ordering::Acquire);
        let [address, value] = writer.sample.each_ref().map(|it| it.load(Ordering::Relaxed));
        if process != 0 && fetch(process, address, &mut sample).is_ok() && u64::from_ne_bytes(sample) == value
        {
            self.own.lender.store(process, Ordering::Release);
            self.shared.reader.fetches.store(1, Ordering::Release);
        }
    }

    /// Whether the reader fetches what is lent.
    pub fn may_lend(&self) -> bool {
        self.shared.reader.fetches.load(Ordering::Acquire) == 1
    }

    /// What to wait for after so many pieces have been lent: see [`Pipe::wait_for_fetches`].
    pub fn fetches_after(&self, lent: usize) -> u32 {
        self.shared.reader.fetched.load(Ordering::Acquire).wrapping_add(lent as u32)
    }

    /// Waits until all has been fetched that was lent.
    pub fn wait_for_fetches(&self, count: u32) -> io::Result<()> {
        let fetched = || self.shared.reader.fetched.load(Ordering::Acquire) == count;
        self.shared.bells[0].wait_until(|| fetched() || self.is_abandoned());
        if fetched() { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    /// Fetches a piece that was lent, or nothing of it.
    pub fn fetch(&mut self, memory: Option<&mut [u8]>) -> io::Result<()> {
        let mut address = [0; 8];
        io::Read::read_exact(self, &mut address)?;
        if let Some(memory) = memory {
            let fetched = fetch(self.own.lender.load(Ordering::Acquire), u64::from_le_bytes(address), memory);
            fetched.inspect_err(|_| self.abandon())?;
        }
        self.has_fetched();
        Ok(())
    }

    /// Fetches a piece of so many bytes that was lent. Memory is taken as they come: how many there are is
    /// only what the other place says.
    pub fn fetch_bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        /// Bytes fetched at once.
        const STEP: usize = 1 << 20;
        let mut address = [0; 8];
        io::Read::read_exact(self, &mut address)?;
        let (address, lender) = (u64::from_le_bytes(address), self.own.lender.load(Ordering::Acquire));
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let done = bytes.len();
            let step = STEP.min(length - done);
            bytes.try_reserve(step).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            bytes.resize(done + step, 0);
            let fetched = fetch(lender, address.wrapping_add(done as u64), &mut bytes[done..]);
            fetched.inspect_err(|_| self.abandon())?;
        }
        self.has_fetched();
        Ok(bytes)
    }

    fn has_fetched(&self) {
        let count = self.shared.reader.fetched.load(Ordering::Relaxed);
        self.shared.reader.fetched.store(count.wrapping_add(1), Ordering::Release);
        self.shared.bells[0].ring(false);
    }

    /// Nothing more is written.
    pub fn end(&self) {
        self.shared.writer.gone.store(1, Ordering::SeqCst);
        self.shared.bells[1].ring_anyway();
    }

    /// Nothing more is read: writing fails from now on.
    pub fn abandon(&self) {
        self.shared.abandoned.store(1, Ordering::SeqCst);
        self.shared.bells[0].ring_anyway();
    }

    /// Sleeps until something can be read; perhaps for nothing.
    pub fn wait(&self) {
        self.shared.bells[1].sleep(|| self.is_ready());
    }

    /// Whoever writes need not ring while somebody looks.
    pub fn looked_at(&self, looked_at: bool) {
        let state = if looked_at { doorbell::AWAKE } else { doorbell::SLEEPS };
        self.shared.bells[1].state.store(state, Ordering::SeqCst);
        // Who slept in the middle of something all that time has not heard of its rest.
        if !looked_at && self.is_ready() {
            self.shared.bells[1].ring_anyway();
        }
    }

    /// The reader will promise the other place to look for what it writes next.
    pub fn promise(&self) {
        self.shared.bells[1].promise();
    }

    /// What was promised has come; whether the reader need not say that it looks no more.
    pub fn has_kept_promise(&self) -> bool {
        self.shared.bells[1].is_promised()
    }

    /// Copies between the ring from `at` on and `memory`.
    ///
    /// # Safety
    /// The part of the ring is the caller's, as is the memory.
    unsafe fn copy(&self, at: u64, length: usize, copy: impl Fn(*mut u8, usize, usize)) {
        let start = at as usize % SIZE;
        let first = length.min(SIZE - start);
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
            // SAFETY: writes no more than there is room for; the addresses of the other process are its own
            // affair.
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

impl io::Read for Pipe {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        if memory.is_empty() {
            return Ok(0);
        }
        self.shared.bells[1].wait_until(|| self.is_ready());
        let filled = self.filled();
        let length = filled.min(memory.len()).min(PIECE);
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

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.shared.bells[0].wait_until(|| self.room(1) > 0 || self.is_abandoned());
        if self.is_abandoned() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let length = self.room(bytes.len()).min(bytes.len()).min(PIECE);
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
