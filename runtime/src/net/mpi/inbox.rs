//! Messages from MPI: short ones come into buffers that are posted all the time (persistent receives,
//! MPI 3.1, section 3.9), long ones into memory of the program where possible, posted when a short one has
//! announced them.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::base::place::PlaceId;
use crate::heap::page_watch;
use crate::net::endpoint::Receiver;
use crate::net::frame::assembly::{Assembly, Delivery};
use crate::net::mpi::library::{Arrival, Mpi, PostedReceive};
use crate::net::mpi::outbox::{ANNOUNCEMENT_SIZE, MAX_PIECE_SIZE, MAX_SHORT_SIZE};
use crate::net::mpi::pause::wait;

/// Buffers that are posted at a time: messages that find none are copied once more, by MPI.
const POSTED_BUFFERS: usize = 4;

/// What is being received.
pub(super) struct Inbox {
    mpi: Arc<Mpi>,
    /// In the order in which they were posted, which is that in which MPI fills them.
    posted: VecDeque<PostedBuffer>,
    /// Those whose message was read, which are posted again when there is time.
    read: Vec<PostedBuffer>,
    /// By place.
    assemblies: Vec<Assembly>,
    /// Places announce their end over their connections.
    left: AtomicBool,
}

/// Memory of [`MAX_SHORT_SIZE`] bytes, never freed: MPI may write to it as long as it runs.
struct PostedBuffer {
    receive: PostedReceive,
    memory: *mut u8,
}

// SAFETY: the only owner of its memory, but for MPI.
unsafe impl Send for PostedBuffer {}

fn invalid(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

impl Inbox {
    /// Of one of `places` places.
    pub(super) fn new(mpi: Arc<Mpi>, places: u32) -> io::Result<Inbox> {
        let post = |_| {
            let memory = Vec::leak(vec![0; MAX_SHORT_SIZE]).as_mut_ptr();
            // SAFETY: never freed, and read only by `receive`, between an arrival and the restart.
            let receive = unsafe { mpi.post(memory, MAX_SHORT_SIZE) }?;
            Ok(PostedBuffer { receive, memory })
        };
        let posted = (0..POSTED_BUFFERS).map(post).collect::<io::Result<_>>()?;
        let assemblies = (0..places).map(|_| Assembly::with_separate_bodies()).collect();
        Ok(Inbox { mpi, posted, read: Vec::new(), assemblies, left: AtomicBool::new(false) })
    }

    /// The next message that has come. Buffers that were read are posted only when none has: the sender of
    /// an awaited answer does not wait for that.
    pub(super) fn arrival(&mut self) -> io::Result<Option<Arrival>> {
        if let Some(next) = self.posted.front() {
            let arrival = self.mpi.arrival(&next.receive)?;
            if arrival.is_some() || self.read.is_empty() {
                return Ok(arrival);
            }
        }
        self.post_read()?;
        // A message that has found no buffer is matched at once.
        self.posted.front().map_or(Ok(None), |next| self.mpi.arrival(&next.receive))
    }

    /// Posts the buffers that were read; those that cannot be posted stay.
    fn post_read(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        for buffer in std::mem::take(&mut self.read) {
            match self.mpi.restart(&buffer.receive) {
                Ok(()) => self.posted.push_back(buffer),
                Err(error) => {
                    self.read.push(buffer);
                    result = Err(error);
                }
            }
        }
        result
    }

    /// Handles a message that has come.
    pub(super) fn receive(&mut self, arrival: Arrival, receiver: &dyn Receiver) -> io::Result<()> {
        let Some(buffer) = self.posted.pop_front() else { return Ok(()) };
        // SAFETY: MPI has written that many bytes, and writes again after the restart.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.memory, arrival.length) };
        let result = self.handle(arrival.from, bytes, receiver);
        self.read.push(buffer);
        result
    }

    fn handle(&mut self, from: PlaceId, bytes: &[u8], receiver: &dyn Receiver) -> io::Result<()> {
        let (announced, bytes) = bytes
            .split_first_chunk::<ANNOUNCEMENT_SIZE>()
            .ok_or_else(|| invalid("a message without an announcement"))?;
        let assembly =
            self.assemblies.get_mut(from.index()).ok_or_else(|| invalid("a message of no place"))?;
        assembly.feed(bytes, Delivery { from, receiver, left: &self.left })?;
        match usize::try_from(u64::from_le_bytes(*announced)) {
            Ok(0) => Ok(()),
            Ok(length) if length <= MAX_PIECE_SIZE => self.receive_long(from, length, receiver),
            _ => Err(invalid("an announced piece that is too long")),
        }
    }

    /// Receives a piece of that many bytes.
    fn receive_long(&mut self, from: PlaceId, length: usize, receiver: &dyn Receiver) -> io::Result<()> {
        let Inbox { mpi, assemblies, left, .. } = self;
        let assembly = &mut assemblies[from.index()];
        let delivery = Delivery { from, receiver, left };
        let into = |memory: *mut u8| {
            // SAFETY: the memory has `length` bytes, and is borrowed until the message has been received.
            let request = unsafe { mpi.receive(from, memory, length) }?;
            wait(mpi, request)
        };
        if let Some(target) = assembly.device() {
            if target.length < length as u64 {
                return Err(invalid("a piece that is longer than its put"));
            }
            mpi.enter(&target.context)?;
            into(std::ptr::without_provenance_mut(target.address as usize))?;
            return assembly.filled(length, delivery);
        }
        if let Some(target) = assembly.direct().filter(|target| target.len() >= length) {
            let memory = target.as_mut_ptr();
            let mut receive = Some(into);
            page_watch::written_by_system(memory as usize, length, || match receive.take() {
                Some(receive) => receive(memory),
                None => Err(io::ErrorKind::InvalidData.into()),
            })?;
            return assembly.filled(length, delivery);
        }
        // The target is not known: it is the rest of a message.
        let mut bytes = vec![0; length];
        into(bytes.as_mut_ptr())?;
        assembly.feed(&bytes, delivery)
    }

    /// Nothing more comes: MPI may end.
    pub(super) fn withdraw(&mut self) {
        // Only what is posted can be withdrawn.
        let _ = self.post_read();
        for buffer in self.posted.drain(..) {
            // Its memory stays. An MPI that cannot withdraw it says so again at its end.
            let _ = self.mpi.withdraw(buffer.receive);
        }
    }
}
