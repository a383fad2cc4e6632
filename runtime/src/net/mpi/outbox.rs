//! Sending by MPI. A frame travels as short messages, which hold what is copied, and long ones, which go from
//! the memory of the program; a short one announces how many bytes the long one behind it has (0: there is
//! none), so that its receive is posted for the right memory (rendezvous).
//!
//! A message handler never waits, neither for its own sends nor for those of others: what it sends is copied,
//! and completed later; frames that it cannot send since another thread is sending enter a backlog.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::base::place::PlaceId;
use crate::net::device_memory::DeviceMemory;
use crate::net::frame::encoding::{self, Frame};
use crate::net::mesh::peer::in_handler;
use crate::net::mpi::library::{Length, Mpi, Request};
use crate::net::mpi::pause::wait;

/// Bytes up to which a run is copied, and sent with what stands before and behind it.
pub(super) const MAX_COPIED_SIZE: usize = 16 << 10;
/// Bytes at the start of a short message: how long the piece is that follows.
pub(super) const ANNOUNCEMENT_SIZE: usize = 8;
/// Maximum size of a short message.
pub(super) const MAX_SHORT_SIZE: usize = ANNOUNCEMENT_SIZE + MAX_COPIED_SIZE;
/// Maximum size of a piece, which is a long message.
pub(super) const MAX_PIECE_SIZE: usize = 8 << 20;

/// What is being sent.
pub(super) struct Outbox {
    mpi: Arc<Mpi>,
    /// By place.
    places: Vec<Out>,
    /// Frames in all backlogs.
    queued: AtomicUsize,
    /// Sends that nothing waits for, with their bytes.
    unfinished: Mutex<Vec<(Request, Vec<u8>)>>,
    /// How many these are.
    unfinished_sends: AtomicUsize,
}

/// What is sent to a place.
#[derive(Default)]
struct Out {
    /// Held while a frame is sent: its pieces follow each other. A buffer for short messages.
    order: Mutex<Vec<u8>>,
    /// Frames that handlers could not send, oldest first; taken only by the holder of `order`.
    backlog: Mutex<VecDeque<Vec<u8>>>,
    /// Nothing more can be sent.
    is_closed: AtomicBool,
}

/// The body of a put, which is sent from where it is.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    Host(&'a [u8]),
    Device(&'a DeviceMemory),
}

impl Body<'_> {
    /// First byte, and number of bytes.
    fn range(&self) -> (*const u8, usize) {
        match self {
            Body::Host(bytes) => (bytes.as_ptr(), bytes.len()),
            Body::Device(memory) => {
                (std::ptr::without_provenance(memory.address as usize), memory.length as usize)
            }
        }
    }
}

/// Sends what is written to a place: short runs together, long ones from where they are.
struct Pieces<'a> {
    outbox: &'a Outbox,
    to: PlaceId,
    /// Whether the caller may wait for the end of a send.
    waits: bool,
    short: &'a mut Vec<u8>,
}

impl<'a> Pieces<'a> {
    fn new(outbox: &'a Outbox, to: PlaceId, waits: bool, short: &'a mut Vec<u8>) -> Pieces<'a> {
        short.clear();
        short.extend([0; ANNOUNCEMENT_SIZE]);
        Pieces { outbox, to, waits, short }
    }

    /// Sends the short message, which announces that many bytes, and begins the next one.
    fn send_short(&mut self, announced: usize) -> io::Result<()> {
        self.short[..ANNOUNCEMENT_SIZE].copy_from_slice(&(announced as u64).to_le_bytes());
        let sent = self.outbox.send_copy(std::mem::take(self.short), self.to, Length::Short)?;
        *self.short = sent.unwrap_or_default();
        self.short.clear();
        self.short.extend([0; ANNOUNCEMENT_SIZE]);
        Ok(())
    }

    /// Sends a body by long messages alone, whose ends it waits for.
    fn send_body(&mut self, body: Body<'_>) -> io::Result<()> {
        let (start, length) = body.range();
        if let Body::Device(memory) = body {
            self.outbox.mpi.enter(&memory.context)?;
        }
        let mut sent = 0;
        while sent < length {
            let piece = (length - sent).min(MAX_PIECE_SIZE);
            self.send_short(piece)?;
            self.outbox.send_and_wait(start.wrapping_add(sent), piece, self.to)?;
            sent += piece;
        }
        self.flush()
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() <= MAX_COPIED_SIZE {
            if self.short.len() + bytes.len() > MAX_SHORT_SIZE {
                self.flush()?;
            }
            self.short.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let piece = &bytes[..bytes.len().min(MAX_PIECE_SIZE)];
        self.send_short(piece.len())?;
        match self.waits {
            true => self.outbox.send_and_wait(piece.as_ptr(), piece.len(), self.to)?,
            false => _ = self.outbox.send_copy(piece.to_vec(), self.to, Length::Long)?,
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.short.len() > ANNOUNCEMENT_SIZE { self.send_short(0) } else { Ok(()) }
    }
}

impl Outbox {
    /// To `places` places.
    pub(super) fn new(mpi: Arc<Mpi>, places: u32) -> Outbox {
        Outbox {
            mpi,
            places: (0..places).map(|_| Out::default()).collect(),
            queued: AtomicUsize::new(0),
            unfinished: Mutex::default(),
            unfinished_sends: AtomicUsize::new(0),
        }
    }

    /// Whether a place can be sent to.
    pub(super) fn is_open(&self, to: PlaceId) -> bool {
        self.places.get(to.index()).is_some_and(|out| !out.is_closed.load(Ordering::Acquire))
    }

    /// Nothing more can be sent to a place. Whether something could before.
    pub(super) fn close(&self, to: PlaceId) -> bool {
        self.places.get(to.index()).is_some_and(|out| !out.is_closed.swap(true, Ordering::AcqRel))
    }

    /// Whether everything has been sent.
    pub(super) fn is_empty(&self) -> bool {
        self.queued.load(Ordering::Acquire) == 0 && self.unfinished_sends.load(Ordering::Acquire) == 0
    }

    /// Sends a frame behind the backlog. A message handler does not wait for another sender, who may wait
    /// for a place whose handlers wait too.
    pub(super) fn send_frame(&self, to: PlaceId, frame: Frame<'_>) -> io::Result<()> {
        let Some(out) = self.places.get(to.index()) else { return Ok(()) };
        let waits = !in_handler();
        let order = match waits {
            true => Some(out.order.lock()),
            false => out.order.try_lock(),
        };
        match order {
            Some(mut order) => {
                self.send_queued(to, out, &mut order)?;
                let mut pieces = Pieces::new(self, to, waits, &mut order);
                frame.write(&mut pieces)?;
                pieces.flush()?;
            }
            None => {
                let mut bytes = Vec::with_capacity(frame.max_length());
                frame.write(&mut bytes)?;
                self.queued.fetch_add(1, Ordering::AcqRel);
                out.backlog.lock().push_back(bytes);
            }
        }
        self.send_backlog(to, out)
    }

    /// Sends a put whose body comes in messages of its own, behind the backlog. It waits, which handlers of
    /// messages must not.
    pub(super) fn send_put(&self, to: PlaceId, header: &[u8], body: Body<'_>) -> io::Result<()> {
        debug_assert!(!in_handler(), "a handler does not wait");
        let Some(out) = self.places.get(to.index()) else { return Ok(()) };
        {
            let mut order = out.order.lock();
            self.send_queued(to, out, &mut order)?;
            let mut pieces = Pieces::new(self, to, true, &mut order);
            encoding::write_zero_copy_put(&mut pieces, header, body.range().1 as u64)?;
            pieces.send_body(body)?;
        }
        self.send_backlog(to, out)
    }

    /// Sends the backlog unless another thread sends to the place, which then does so at its end.
    fn send_backlog(&self, to: PlaceId, out: &Out) -> io::Result<()> {
        // Checked without `order`: a handler may have added to it just before `order` was released. What is
        // overlooked is sent with all backlogs.
        while self.has_queued()
            && !out.backlog.lock().is_empty()
            && let Some(mut order) = out.order.try_lock()
        {
            self.send_queued(to, out, &mut order)?;
        }
        Ok(())
    }

    fn has_queued(&self) -> bool {
        self.queued.load(Ordering::Acquire) > 0
    }

    /// Sends the backlog without waiting; the caller holds `order`, which is `short`.
    fn send_queued(&self, to: PlaceId, out: &Out, short: &mut Vec<u8>) -> io::Result<()> {
        while self.has_queued() {
            // Not held during a send: a handler may add to it.
            let next = out.backlog.lock().pop_front();
            let Some(bytes) = next else { return Ok(()) };
            let mut pieces = Pieces::new(self, to, false, short);
            let sent = match out.is_closed.load(Ordering::Acquire) {
                true => Ok(()),
                false => pieces.write_all(&bytes).and_then(|()| pieces.flush()),
            };
            // Only now: until then the program does not end.
            self.queued.fetch_sub(1, Ordering::AcqRel);
            sent?;
        }
        Ok(())
    }

    /// Sends the backlogs that no other thread sends; `on_error` is called with places that it cannot be sent
    /// to.
    pub(super) fn send_all_backlogs(&self, mut on_error: impl FnMut(PlaceId, io::Error)) {
        if !self.has_queued() {
            return;
        }
        for (to, out) in (0..).map(PlaceId).zip(&self.places) {
            if let Err(error) = self.send_backlog(to, out) {
                on_error(to, error);
            }
        }
    }

    /// Sends a piece of what the caller has borrowed.
    fn send_and_wait(&self, start: *const u8, count: usize, to: PlaceId) -> io::Result<()> {
        // SAFETY: borrowed until the request is done or MPI has ended; a piece is short enough.
        let request = unsafe { self.mpi.send(start, count, to, Length::Long) }?;
        request.map_or(Ok(()), |request| wait(&self.mpi, request))
    }

    /// Sends bytes, which are given back if they were sent at once.
    fn send_copy(&self, bytes: Vec<u8>, to: PlaceId, length: Length) -> io::Result<Option<Vec<u8>>> {
        // SAFETY: the bytes are kept, where they are, until the request is done.
        let request = unsafe { self.mpi.send(bytes.as_ptr(), bytes.len(), to, length) }?;
        let Some(request) = request else { return Ok(Some(bytes)) };
        let mut unfinished = self.unfinished.lock();
        unfinished.push((request, bytes));
        self.unfinished_sends.store(unfinished.len(), Ordering::Release);
        Ok(None)
    }

    /// Forgets sends that are done.
    pub(super) fn complete_sends(&self) {
        if self.unfinished_sends.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut unfinished = self.unfinished.lock();
        for (request, bytes) in std::mem::take(&mut *unfinished) {
            // A send that has failed is noticed at the other end, whose messages do not come.
            if let Ok(Some(request)) = self.mpi.test(request) {
                unfinished.push((request, bytes));
            }
        }
        self.unfinished_sends.store(unfinished.len(), Ordering::Release);
    }
}
