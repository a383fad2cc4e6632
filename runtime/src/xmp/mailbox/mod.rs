//! Two-sided messages between nodes over the network of places, with a queue of unexpected messages, and the
//! one-sided requests of coarrays and of `gmove in` and `out`.
//!
//! Between two nodes messages are received in the order in which they were sent (MPI standard, "Semantics
//! of Point-to-Point Communication"): all nodes of a set execute the same constructs in the same order.
//! Each says by which construct and which operation with `async` it was sent, so that other orders are an
//! error and not a wrong result. Long messages are puts, which land in the memory of a receive that waits for
//! them.

mod ending;
mod images;
mod inbox;
mod packet;
mod state;

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use self::inbox::Inbox;
use self::state::{ANY_LENGTH, Arriving, Channel, Landing, Posted, State};
use super::error::{Result, XmpError};
use super::segments::Reply;
use crate::base::place::PlaceId;
use crate::net::endpoint::{Endpoint, PutTarget};

pub(super) use self::packet::Packet;
pub use self::packet::{Construct, Context};

/// Most bytes that are sent as a message; more are a put.
const MAX_MESSAGE_BYTES: usize = 4 << 10;
/// How long a waiting thread polls before it sleeps: about as long as it takes to wake a thread.
const SPIN_BUDGET: Duration = Duration::from_micros(50);
/// The same where other nodes need the CPU.
const OVERSUBSCRIBED_SPIN_BUDGET: Duration = Duration::from_micros(2);
/// How long a thread sleeps at most until it polls again.
const SLEEP: Duration = Duration::from_millis(1);

/// Ends the program because of an error.
pub type OnFailure = Box<dyn Fn(XmpError) + Send + Sync>;

/// The messages of a node.
pub struct Mailbox {
    endpoint: Arc<dyn Endpoint>,
    state: Mutex<State>,
    changed: Condvar,
    spin_budget: Duration,
    on_failure: OnceLock<OnFailure>,
}

/// A receive that was begun.
#[derive(Debug)]
#[must_use]
pub struct Ticket {
    number: u64,
    from: u32,
    construct: Construct,
}

impl Mailbox {
    /// The mailbox of an endpoint, which it starts.
    ///
    /// # Errors
    /// There are no threads for it.
    pub fn open(endpoint: Arc<dyn Endpoint>) -> io::Result<Arc<Mailbox>> {
        let channels = (0..endpoint.hosts()).map(|_| Channel::default()).collect();
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let is_crowded = endpoint.places_sharing_cpus() as usize > cpus;
        let mailbox = Arc::new(Mailbox {
            endpoint: Arc::clone(&endpoint),
            state: Mutex::new(State { channels, ..State::default() }),
            changed: Condvar::new(),
            spin_budget: if is_crowded { OVERSUBSCRIBED_SPIN_BUDGET } else { SPIN_BUDGET },
            on_failure: OnceLock::new(),
        });
        endpoint.start(Arc::new(Inbox(Arc::clone(&mailbox))))?;
        Ok(mailbox)
    }

    /// The number of this node.
    pub fn here(&self) -> u32 {
        self.endpoint.here().0
    }

    /// Number of nodes of the program.
    pub fn nodes(&self) -> u32 {
        self.endpoint.hosts()
    }

    /// The state, for a moment.
    pub(super) fn state(&self) -> parking_lot::MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Sends a packet and its payload.
    pub(super) fn send_packet(&self, to: u32, packet: &Packet, payload: &[u8]) -> Result<()> {
        // No length is unknown, and a vector grows: encoding does not fail.
        let mut header = postcard::to_allocvec(packet).unwrap_or_default();
        let sent = if payload.len() > MAX_MESSAGE_BYTES {
            self.endpoint.put(PlaceId(to), &header, payload)
        } else {
            header.extend_from_slice(payload);
            self.endpoint.send(PlaceId(to), &header, &[])
        };
        sent.map_err(|ended| self.lost(ended.0.0))
    }

    /// Sends elements to a node.
    ///
    /// # Errors
    /// The node has ended.
    pub fn send(&self, to: u32, context: impl Into<Context>, bytes: &[u8]) -> Result<()> {
        self.send_packet(to, &Packet::Data(context.into()), bytes)
    }

    /// Begins to receive `length` bytes from a node, to be taken by [`Mailbox::wait`].
    pub fn receive(&self, from: u32, context: impl Into<Context>, length: usize) -> Ticket {
        self.post(from, context.into(), length, Landing::Buffer)
    }

    /// As [`Mailbox::receive`], of as many bytes as are sent.
    pub fn receive_any(&self, from: u32, context: impl Into<Context>) -> Ticket {
        self.post(from, context.into(), ANY_LENGTH, Landing::Buffer)
    }

    /// Whether a node is on this host.
    pub fn is_local(&self, node: u32) -> bool {
        self.endpoint.is_local(PlaceId(node))
    }

    /// Begins to receive bytes from a node into memory.
    ///
    /// # Safety
    /// `length` bytes from `address` on may be written until [`Mailbox::wait`] returns for the ticket.
    pub unsafe fn receive_into(
        &self,
        from: u32,
        context: impl Into<Context>,
        address: *mut u8,
        length: usize,
    ) -> Ticket {
        self.post(from, context.into(), length, Landing::Memory(PutTarget { address, length: length as u64 }))
    }

    fn post(&self, from: u32, context: Context, length: usize, landing: Landing) -> Ticket {
        let mut state = self.state.lock();
        let number = state.new_number();
        let channel = &mut state.channels[from as usize];
        let posted = Posted { number, context, length, landing };
        match channel.unexpected.pop_front() {
            Some((sent, bytes)) => state.complete(from, posted, sent, Cow::Owned(bytes)),
            None => channel.posted.push_back(posted),
        }
        Ticket { number, from, construct: context.construct }
    }

    /// Waits for a receive; its bytes, unless they are in memory.
    ///
    /// # Errors
    /// The node is in another construct, or has ended.
    pub fn wait(&self, ticket: &Ticket) -> Result<Vec<u8>> {
        self.wait_until(|state| {
            if let Some(ended) = state.ended.remove(&ticket.number) {
                return Some(ended);
            }
            state.ended_node(ticket.from).map(|how| {
                Err(XmpError::new(format!(
                    "node {} waits in `{}` for node {}, which {how}",
                    self.here(),
                    ticket.construct.name(),
                    ticket.from
                ))
                .hint("all nodes of a set have to execute its constructs, in the same order"))
            })
        })
    }

    /// Gives a receive up: its memory is written no more.
    pub fn cancel(&self, ticket: &Ticket) {
        self.state.lock().channels[ticket.from as usize].posted.retain(|it| it.number != ticket.number);
        loop {
            self.endpoint.poll();
            let mut state = self.state.lock();
            let channel = &state.channels[ticket.from as usize];
            let is_arriving = matches!(channel.arriving, Some(Arriving::Posted(it)) if it == ticket.number);
            if !is_arriving || channel.is_down {
                state.ended.remove(&ticket.number);
                return;
            }
            self.changed.wait_for(&mut state, SLEEP);
        }
    }

    /// Waits until `ready` finds something in the state.
    pub(super) fn wait_until<T>(&self, mut ready: impl FnMut(&mut State) -> Option<Result<T>>) -> Result<T> {
        let mut check = || {
            let mut state = self.state.lock();
            match ready(&mut state) {
                None => state.failure.clone().map(Err),
                found => found,
            }
        };
        if let Some(found) = check() {
            return found;
        }
        let deadline = Instant::now() + self.spin_budget;
        self.endpoint.set_polled(true);
        loop {
            let came = self.endpoint.poll();
            if let Some(found) = check() {
                self.endpoint.set_polled(false);
                return found;
            }
            if !came && Instant::now() >= deadline {
                break;
            }
            std::hint::spin_loop();
        }
        self.endpoint.set_polled(false);
        loop {
            // What has come while it was announced that this thread polls.
            self.endpoint.poll();
            let mut state = self.state.lock();
            if let Some(found) = ready(&mut state) {
                return found;
            }
            if let Some(failure) = state.failure.clone() {
                return Err(failure);
            }
            self.changed.wait_for(&mut state, SLEEP);
        }
    }

    /// Answers requests.
    pub(super) fn send_replies(&self, replies: Vec<Reply>) {
        for (to, number, payload) in replies {
            // A node that has ended needs no answer.
            let _ = self.send_packet(to, &Packet::Reply(number), &payload);
        }
    }

    /// The number of a new request.
    pub(super) fn new_number(&self) -> u64 {
        self.state.lock().new_number()
    }

    /// Waits for the answer to a request to a node.
    pub(super) fn wait_for_reply(&self, from: u32, number: u64) -> Result<Vec<u8>> {
        self.wait_until(|state| {
            if let Some(ended) = state.ended.remove(&number) {
                return Some(ended);
            }
            let down = state.channels[from as usize].is_down;
            down.then(|| {
                Err(XmpError::new(format!(
                    "node {from} has ended, and node {} accesses its memory",
                    self.here()
                )))
            })
        })
    }
}
