//! A pipe between two processes of one machine: a ring in memory that both have mapped. Bytes go through it without a system call
//! while both ends are awake; who has to wait looks for a moment, and then sleeps on a futex in the same memory. Where the system lets one
//! process read the other's memory, many bytes are not written but lent: the reader fetches them from where they are.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crossbeam_utils::CachePadded;

/// Bytes of the ring; a power of two.
const SIZE: usize = 512 << 10;
/// Bytes after which the other end is told, so that it can begin.
const PIECE: usize = 16 << 10;
/// How often an end looks before it sleeps.
const LOOKS: u32 = 2000;
/// Longest sleep; nothing relies on it.
static SLEEP: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// One end's way to sleep.
#[repr(C)]
struct Bell {
    /// Somebody sleeps, or is about to.
    sleeps: AtomicU32,
    rings: AtomicU32,
}

impl Bell {
    /// Wakes who sleeps, after what it waits for was written.
    fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.sleeps.load(Ordering::Relaxed) != 0 {
            self.ring_anyway();
        }
    }

    #[cold]
    fn ring_anyway(&self) {
        self.sleeps.store(0, Ordering::SeqCst);
        self.rings.fetch_add(1, Ordering::SeqCst);
        // SAFETY: a word of memory that both processes have mapped.
        unsafe { libc::syscall(libc::SYS_futex, self.rings.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Sleeps unless `ready`, or until the bell rings; perhaps for nothing.
    fn sleep(&self, ready: impl Fn() -> bool) {
        let seen = self.rings.load(Ordering::SeqCst);
        self.sleeps.store(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            let word = self.rings.as_ptr();
            // SAFETY: as above.
            unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, seen, &raw const SLEEP) };
        }
    }
}

/// What both processes see; zero at first. What one end writes and the other one reads is together: memory that two processors write in
/// turn is what a message costs.
#[repr(C)]
struct Shared {
    writer: CachePadded<End>,
    reader: CachePadded<End>,
}

/// What an end has to say to the other.
#[repr(C)]
struct End {
    /// Bytes written or read so far.
    at: AtomicU64,
    /// How it sleeps.
    bell: Bell,
    /// Nothing more is written or read.
    gone: AtomicU32,
    /// Of the writer: its process, and a word of its memory with its address, for the reader to see whether it can read it.
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

    /// The pipe of a direction, mapped as long as the process lives.
    pub fn pipe(&self, direction: usize) -> io::Result<Pipe> {
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
        let lender = Box::leak(Box::default());
        Ok(Pipe { shared, lender, data: at.cast::<u8>().wrapping_add(HEAD) })
    }
}

/// An end of a pipe. One thread at a time may read, and one write.
#[derive(Clone, Copy)]
pub struct Pipe {
    shared: &'static Shared,
    /// Of the reader: the process whose memory it can read; 0 for none.
    lender: &'static AtomicU32,
    data: *mut u8,
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

    /// Bytes that can be written.
    pub fn room(&self) -> usize {
        let head = self.shared.writer.at.load(Ordering::Relaxed);
        SIZE - (head.wrapping_sub(self.shared.reader.at.load(Ordering::Acquire)) as usize).min(SIZE)
    }

    /// Something can be read, be it the end.
    pub fn is_ready(&self) -> bool {
        self.filled() > 0 || self.shared.writer.gone.load(Ordering::Acquire) != 0
    }

    /// The next bytes, which stay; false if there are fewer.
    pub fn peek(&self, memory: &mut [u8]) -> bool {
        if self.filled() < memory.len() {
            return false;
        }
        let (tail, to) = (self.shared.reader.at.load(Ordering::Relaxed), memory.as_mut_ptr());
        // SAFETY: filled bytes are the reader's, and there are as many as `memory` has room for.
        unsafe {
            self.copy(tail, memory.len(), |ring, at, count| to.add(at).copy_from_nonoverlapping(ring, count));
        }
        true
    }

    /// So many bytes can be read without waiting, or the end.
    pub fn holds(&self, bytes: u64) -> bool {
        self.filled() as u64 >= bytes || (self.filled() == 0 && self.is_ready())
    }

    /// Wakes who waits for something to read.
    pub fn wake_reader(&self) {
        self.shared.reader.bell.ring_anyway();
    }

    fn is_abandoned(&self) -> bool {
        self.shared.reader.gone.load(Ordering::Acquire) != 0
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
            self.lender.store(process, Ordering::Release);
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
        wait_until(&self.shared.writer.bell, || fetched() || self.is_abandoned());
        if fetched() { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }

    /// Fetches a piece that was lent, or nothing of it.
    pub fn fetch(&mut self, memory: Option<&mut [u8]>) -> io::Result<()> {
        let mut address = [0; 8];
        io::Read::read_exact(self, &mut address)?;
        if let Some(memory) = memory {
            let fetched = fetch(self.lender.load(Ordering::Acquire), u64::from_le_bytes(address), memory);
            fetched.inspect_err(|_| self.abandon())?;
        }
        let count = self.shared.reader.fetched.load(Ordering::Relaxed);
        self.shared.reader.fetched.store(count.wrapping_add(1), Ordering::Release);
        self.shared.writer.bell.ring();
        Ok(())
    }

    /// Nothing more is written.
    pub fn end(&self) {
        self.shared.writer.gone.store(1, Ordering::SeqCst);
        self.shared.reader.bell.ring_anyway();
    }

    /// Nothing more is read: writing fails from now on.
    pub fn abandon(&self) {
        self.shared.reader.gone.store(1, Ordering::SeqCst);
        self.shared.writer.bell.ring_anyway();
    }

    /// Sleeps until something can be read; perhaps for nothing.
    pub fn wait(&self) {
        self.shared.reader.bell.sleep(|| self.is_ready());
    }

    /// Whoever writes need not ring while somebody looks.
    pub fn looked_at(&self, looked_at: bool) {
        self.shared.reader.bell.sleeps.store(u32::from(!looked_at), Ordering::SeqCst);
        // Who slept in the middle of something all that time has not heard of its rest.
        if !looked_at && self.is_ready() {
            self.shared.reader.bell.ring_anyway();
        }
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
        let from = libc::iovec { iov_base: (address as usize + done) as *mut _, iov_len: rest.len() };
        // SAFETY: writes no more than there is room for; the addresses of the other process are its own affair.
        match unsafe { libc::process_vm_readv(process as i32, &to, 1, &from, 1, 0) } {
            ..0 => return Err(io::Error::last_os_error()),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => done += count as usize,
        }
    }
    Ok(())
}

/// Looks for a while, then sleeps, until `ready`.
fn wait_until(bell: &Bell, ready: impl Fn() -> bool) {
    for look in 0..LOOKS {
        if ready() {
            return;
        }
        if look % 16 == 15 { std::thread::yield_now() } else { std::hint::spin_loop() }
    }
    while !ready() {
        bell.sleep(&ready);
    }
    bell.sleeps.store(0, Ordering::Relaxed);
}

impl io::Read for Pipe {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        if memory.is_empty() {
            return Ok(0);
        }
        wait_until(&self.shared.reader.bell, || self.is_ready());
        let filled = self.filled();
        let length = filled.min(memory.len()).min(PIECE);
        let tail = self.shared.reader.at.load(Ordering::Relaxed);
        let to = memory.as_mut_ptr();
        // SAFETY: filled bytes are the reader's, and there are no more than `memory` has room for.
        unsafe {
            self.copy(tail, length, |ring, at, count| to.add(at).copy_from_nonoverlapping(ring, count))
        };
        self.shared.reader.at.store(tail + length as u64, Ordering::Release);
        // The writer waits only for room. If it begins to just now, the next part that is read finds the ring nearly full.
        if filled >= SIZE / 4 {
            self.shared.writer.bell.ring();
        }
        Ok(length)
    }
}

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        wait_until(&self.shared.writer.bell, || self.room() > 0 || self.is_abandoned());
        if self.is_abandoned() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let length = self.room().min(bytes.len()).min(PIECE);
        let head = self.shared.writer.at.load(Ordering::Relaxed);
        let from = bytes.as_ptr();
        // SAFETY: free bytes are the writer's, and there are as many in `bytes`.
        unsafe {
            self.copy(head, length, |ring, at, count| ring.copy_from_nonoverlapping(from.add(at), count));
        }
        self.shared.writer.at.store(head + length as u64, Ordering::Release);
        self.shared.reader.bell.ring();
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let memory = Memory::new().expect("memory");
        let (mut ours, mut theirs) = (
            memory.pipe(1).expect("mapped"),
            Memory::open(memory.address()).expect("opened").pipe(1).expect("mapped"),
        );
        let sent: Vec<u8> = (0..3 * SIZE as u32 + 77).map(|i| (i * 31 % 251) as u8).collect();
        let expected = sent.clone();
        let writer = std::thread::spawn(move || {
            for piece in sent.chunks(100_003) {
                theirs.write_all(piece).expect("written");
            }
            theirs.end();
        });
        let mut found = Vec::new();
        ours.read_to_end(&mut found).expect("read");
        assert!(found == expected);
        writer.join().expect("no panic");
    }

    #[test]
    fn what_is_lent_is_fetched() {
        let memory = Memory::new().expect("memory");
        let (mut reader, mut writer) = (memory.pipe(0).expect("mapped"), memory.pipe(0).expect("mapped"));
        assert!(!writer.may_lend());
        reader.accept();
        assert!(!writer.may_lend(), "nothing was offered");
        writer.offer();
        reader.accept();
        if !writer.may_lend() {
            println!("SKIPPED: this process cannot read memory by its number");
            return;
        }
        let sent: Vec<u8> = (0..100_000_u32).map(|i| (i * 31 % 251) as u8).collect();
        let expected = sent.clone();
        let wait = writer.fetches_after(2);
        let lend = std::thread::spawn(move || {
            writer.write_all(&(sent.as_ptr() as u64).to_le_bytes()).expect("written");
            writer.write_all(&0_u64.to_le_bytes()).expect("written");
            writer.wait_for_fetches(wait).expect("fetched");
        });
        let mut found = vec![0; expected.len()];
        reader.fetch(Some(&mut found)).expect("fetched");
        reader.fetch(None).expect("left");
        lend.join().expect("no panic");
        assert!(found == expected);
    }

    #[test]
    fn a_writer_without_reader_is_woken_by_the_end() {
        let memory = Memory::new().expect("memory");
        let (mut pipe, other) = (memory.pipe(0).expect("mapped"), memory.pipe(0).expect("mapped"));
        let writer = std::thread::spawn(move || pipe.write_all(&vec![1; SIZE + 1]).is_err());
        std::thread::sleep(std::time::Duration::from_millis(20));
        other.abandon();
        assert!(writer.join().expect("no panic"));
    }
}
