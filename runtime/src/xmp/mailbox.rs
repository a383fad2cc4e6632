//! Two-sided messages between nodes over the network of places, with a queue of unexpected messages, and the
//! one-sided requests of coarrays and of `gmove in` and `out`.
//!
//! Between two nodes messages are received in the order in which they were sent (MPI standard, "Semantics
//! of Point-to-Point Communication"): all nodes of a set execute the same constructs in the same order.
//! Each says by which construct it was sent, so that nodes in different constructs are an error and not a
//! wrong result. Long messages are puts, which land in the memory of a receive that waits for them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::error::{Result, XmpError};
use super::one_sided::{self, Memory, Request};
use crate::base::place::PlaceId;
use crate::heap::Handle;
use crate::net::endpoint::{Endpoint, PutTarget, Receiver};
use crate::serialize::Error;
use crate::serialize::out_of_band::Received;

/// Most bytes that are sent as a message; more are a put.
const MAX_MESSAGE_BYTES: usize = 4 << 10;
/// How long a waiting thread polls before it sleeps: about as long as it takes to wake a thread.
const SPIN_BUDGET: Duration = Duration::from_micros(50);
/// The same where other nodes need the CPU.
const OVERSUBSCRIBED_SPIN_BUDGET: Duration = Duration::from_micros(2);
/// How long a thread sleeps at most until it polls again.
const SLEEP: Duration = Duration::from_millis(1);

/// The construct in which a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Construct {
    /// `barrier`, and the implicit ones.
    Barrier,
    /// `bcast`
    Bcast,
    /// `reduction`, and the clause of a loop.
    Reduction,
    /// `reflect`
    Reflect,
    /// `reduce_shadow`
    ReduceShadow,
    /// `gmove`
    Gmove,
    /// An intrinsic function, such as `xmp_transpose`.
    Intrinsic,
}

impl Construct {
    fn name(self) -> &'static str {
        match self {
            Construct::Barrier => "barrier",
            Construct::Bcast => "bcast",
            Construct::Reduction => "reduction",
            Construct::Reflect => "reflect",
            Construct::ReduceShadow => "reduce_shadow",
            Construct::Gmove => "gmove",
            Construct::Intrinsic => "an intrinsic function",
        }
    }
}

/// What is sent from one node to another; behind it is a payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Packet {
    /// Elements of a construct.
    Data(Construct),
    /// An access to memory of the receiver.
    Request(Request),
    /// The answer to the sender's request with that number; payload: what it reads.
    Reply(u64),
    /// The memory of the sender's request with that number has ended.
    Refused(u64),
    /// `post` with that tag.
    Post(i64),
    /// A node of `sync_images`.
    Sync,
    /// `main` of the sender has ended with a status.
    Leave(i32),
    /// To node 0: the sender has found an error, which node 0 reports: the words, and what to write instead.
    Error(String, Option<String>),
    /// From node 0: it has reported an error, and the program ends.
    Failed,
    /// From node 0: all nodes have left.
    End,
}

/// Where a receive wants its bytes.
#[derive(Debug)]
enum Landing {
    Memory(PutTarget),
    Buffer,
}

/// A receive that waits for the next message of a node.
#[derive(Debug)]
struct Posted {
    number: u64,
    construct: Construct,
    length: usize,
    landing: Landing,
}

/// A receive that was begun.
#[derive(Debug)]
#[must_use]
pub struct Ticket {
    number: u64,
    from: u32,
    construct: Construct,
}

/// A put that is arriving from a node.
#[derive(Debug)]
enum Arriving {
    /// Into the memory of a receive with that number.
    Posted(u64),
    /// Into a buffer.
    Buffer(Vec<u8>),
}

/// What has come from a node.
#[derive(Debug, Default)]
struct Channel {
    /// Messages that no receive waits for.
    unexpected: VecDeque<(Construct, Vec<u8>)>,
    posted: VecDeque<Posted>,
    arriving: Option<Arriving>,
    posts: VecDeque<i64>,
    syncs: u64,
    /// The status with which its `main` has ended.
    left: Option<i32>,
    /// Nothing comes from it any more.
    is_down: bool,
    /// Nothing can be sent to it.
    is_closed: bool,
}

#[derive(Debug, Default)]
pub(super) struct State {
    channels: Vec<Channel>,
    /// Receives and requests that have ended, by number, with their bytes unless these have landed.
    ended: FxHashMap<u64, std::result::Result<Vec<u8>, XmpError>>,
    next_number: u64,
    pub(super) memory: Memory,
    failure: Option<XmpError>,
    /// Node 0 says that all nodes have left.
    has_ended: bool,
}

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

/// What the endpoint hands its messages to.
struct Inbox(Arc<Mailbox>);

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
    pub fn send(&self, to: u32, construct: Construct, bytes: &[u8]) -> Result<()> {
        self.send_packet(to, &Packet::Data(construct), bytes)
    }

    /// Begins to receive `length` bytes from a node, to be taken by [`Mailbox::wait`].
    pub fn receive(&self, from: u32, construct: Construct, length: usize) -> Ticket {
        self.post(from, construct, length, Landing::Buffer)
    }

    /// Begins to receive bytes from a node into memory.
    ///
    /// # Safety
    /// `length` bytes from `address` on may be written until [`Mailbox::wait`] returns for the ticket.
    pub unsafe fn receive_into(
        &self,
        from: u32,
        construct: Construct,
        address: *mut u8,
        length: usize,
    ) -> Ticket {
        self.post(from, construct, length, Landing::Memory(PutTarget { address, length: length as u64 }))
    }

    fn post(&self, from: u32, construct: Construct, length: usize, landing: Landing) -> Ticket {
        let mut state = self.state.lock();
        let number = state.new_number();
        let channel = &mut state.channels[from as usize];
        let posted = Posted { number, construct, length, landing };
        match channel.unexpected.pop_front() {
            Some((sent, bytes)) => state.complete(from, posted, sent, Cow::Owned(bytes)),
            None => channel.posted.push_back(posted),
        }
        Ticket { number, from, construct }
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

    /// Whether a node has ended without a word, which its supervisor reports with the reason.
    pub fn has_lost_node(&self) -> bool {
        let state = self.state.lock();
        let is_lost = |it: &Channel| (it.is_down || it.is_closed) && it.left.is_none();
        !state.has_ended && state.channels.iter().any(is_lost)
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

    /// `post` to a node.
    ///
    /// # Errors
    /// The node has ended.
    pub fn post_tag(&self, to: u32, tag: i64) -> Result<()> {
        self.send_packet(to, &Packet::Post(tag), &[])
    }

    /// `wait` for a post of a node, or any, with a tag, or any.
    ///
    /// # Errors
    /// All nodes that could post have ended.
    pub fn wait_for_post(&self, from: Option<u32>, tag: Option<i64>) -> Result<()> {
        let here = self.here();
        self.wait_until(|state| {
            let is_wanted = |posted: &i64| tag.is_none_or(|it| it == *posted);
            let nodes = from.map_or(0..state.channels.len() as u32, |node| node..node + 1);
            for node in nodes.clone() {
                let posts = &mut state.channels[node as usize].posts;
                if let Some(at) = posts.iter().position(is_wanted) {
                    posts.remove(at);
                    return Some(Ok(()));
                }
            }
            let all_ended =
                nodes.filter(|it| *it != here || from == Some(here)).all(|it| state.ended_node(it).is_some());
            all_ended.then(|| {
                let of = from.map_or("any node".to_owned(), |it| format!("node {it}"));
                Err(XmpError::new(format!(
                    "node {here} waits for a `post` of {of}, and all that could post have ended"
                )))
            })
        })
    }

    /// `sync_images` with some nodes.
    ///
    /// # Errors
    /// One of them has ended.
    pub fn sync_with(&self, nodes: &[u32]) -> Result<()> {
        for node in nodes {
            self.send_packet(*node, &Packet::Sync, &[])?;
        }
        for node in nodes {
            self.wait_until(|state| {
                let channel = &mut state.channels[*node as usize];
                if channel.syncs > 0 {
                    channel.syncs -= 1;
                    return Some(Ok(()));
                }
                let how = state.ended_node(*node)?;
                Some(Err(XmpError::new(format!(
                    "node {} waits in `sync_images` for node {node}, which {how}",
                    self.here()
                ))))
            })?;
        }
        Ok(())
    }

    /// What ends the program when another node has failed or ended while this one computes.
    pub fn set_on_failure(&self, on_failure: OnFailure) {
        let _ = self.on_failure.set(on_failure);
    }

    /// This node ends with a status, and waits for the others: the statuses of all. Node 0 calls `expect_end`
    /// before any other one ends.
    ///
    /// # Errors
    /// A node has ended without a word, or an error has ended the program.
    pub fn leave(&self, status: i32, expect_end: &dyn Fn()) -> Result<Vec<i32>> {
        let here = self.here();
        self.tell_others(&Packet::Leave(status));
        self.state.lock().channels[here as usize].left = Some(status);
        let statuses = self.wait_until(|state| {
            let all: Option<Vec<i32>> = state.channels.iter().map(|it| it.left).collect();
            if let Some(all) = all.filter(|_| here == 0 || state.has_ended) {
                return Some(Ok(all));
            }
            // Node 0 ends only behind its word.
            let is_lost = |(node, it): (usize, &Channel)| {
                it.is_down && (it.left.is_none() || node == 0 && !state.has_ended)
            };
            let lost = state.channels.iter().enumerate().position(is_lost)?;
            Some(Err(self.lost_error(lost as u32)))
        })?;
        if here == 0 {
            expect_end();
            self.tell_others(&Packet::End);
        }
        self.endpoint.shutdown();
        Ok(statuses)
    }

    /// Sends a packet to all other nodes that are there.
    fn tell_others(&self, packet: &Packet) {
        for node in (0..self.nodes()).filter(|it| *it != self.here()) {
            // A node that has ended needs no word.
            let _ = self.send_packet(node, packet, &[]);
        }
    }

    /// Node 0 tells the others that it has reported an error.
    pub fn announce_failure(&self) {
        self.tell_others(&Packet::Failed);
    }

    /// Has node 0 report an error of this node; whether it has.
    pub fn report_failure(&self, error: &XmpError, timeout: Duration) -> bool {
        let packet = Packet::Error(error.message.clone(), error.hint.clone());
        if self.send_packet(0, &packet, &[]).is_err() {
            return false;
        }
        let deadline = Instant::now() + timeout;
        let mut state = self.state.lock();
        while !state.failure.as_ref().is_some_and(|it| it.is_reported) {
            if Instant::now() >= deadline || state.channels[0].is_down {
                return false;
            }
            self.changed.wait_for(&mut state, SLEEP);
        }
        true
    }

    fn lost_error(&self, node: u32) -> XmpError {
        XmpError::new(format!("{} has ended without a word", self.endpoint.describe(PlaceId(node))))
    }

    /// Nothing can be sent to a node.
    fn lost(&self, node: u32) -> XmpError {
        let mut state = self.state.lock();
        match (&state.failure, state.ended_node(node)) {
            (Some(failure), _) => failure.clone(),
            (None, Some(how)) => {
                XmpError::new(format!("node {} sends to node {node}, which {how}", self.here()))
            }
            (None, None) => {
                state.channels[node as usize].is_closed = true;
                self.lost_error(node)
            }
        }
    }

    /// The program ends by an error that this node has not found itself.
    fn fail(&self, error: XmpError) {
        self.changed.notify_all();
        if let Some(on_failure) = self.on_failure.get() {
            on_failure(error);
        }
    }

    /// Handles a packet with its payload.
    fn handle(&self, from: u32, packet: Packet, payload: Cow<'_, [u8]>) -> std::result::Result<(), Error> {
        let mut state = self.state.lock();
        let Some(channel) = state.channels.get_mut(from as usize) else {
            return Err(Error::Malformed { expected: "the number of a node", offset: 0 });
        };
        match packet {
            Packet::Data(construct) => match channel.posted.pop_front() {
                Some(posted) => state.complete(from, posted, construct, payload),
                None => channel.unexpected.push_back((construct, payload.into_owned())),
            },
            Packet::Reply(number) => {
                state.ended.insert(number, Ok(payload.into_owned()));
            }
            Packet::Refused(number) => {
                let message = format!("node {from} has left the function whose array is accessed here");
                let error = XmpError::new(message).hint("write a `barrier` in front of the end of its block");
                state.ended.insert(number, Err(error));
            }
            Packet::Post(tag) => channel.posts.push_back(tag),
            Packet::Sync => channel.syncs += 1,
            Packet::Leave(status) => channel.left = Some(status),
            Packet::End => state.has_ended = true,
            Packet::Failed => {
                let reported = XmpError { is_reported: true, ..XmpError::new("another node has failed") };
                state.failure = Some(reported.clone());
                drop(state);
                self.fail(reported);
                return Ok(());
            }
            Packet::Error(message, hint) => {
                let error = XmpError { message, hint, is_reported: false };
                // What waits here is ended by the thread that reports it.
                state.failure.get_or_insert(XmpError { is_reported: true, ..error.clone() });
                drop(state);
                self.fail(error);
                return Ok(());
            }
            Packet::Request(request) if state.memory.is_gone(request.segment()) => {
                drop(state);
                // A node that has ended needs no answer.
                let _ = self.send_packet(from, &Packet::Refused(request.number()), &[]);
                return Ok(());
            }
            Packet::Request(request) => {
                let replies = state.memory.handle(from, request, &payload)?;
                drop(state);
                one_sided::send_replies(self, replies);
                return Ok(());
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }
}

impl State {
    fn new_number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// How a node has ended, if it has.
    fn ended_node(&self, node: u32) -> Option<String> {
        let channel = &self.channels[node as usize];
        match (channel.left, channel.is_down) {
            (Some(status), _) => Some(format!("has ended with status {status}")),
            (None, true) => Some("has ended without a word".to_owned()),
            (None, false) => None,
        }
    }

    /// A receive takes a message.
    fn complete(&mut self, from: u32, posted: Posted, sent: Construct, bytes: Cow<'_, [u8]>) {
        let Posted { number, construct, length, landing } = posted;
        let outcome = if sent != construct {
            Err(XmpError::new(format!(
                "this node is in `{}`, and node {from} is in `{}`",
                construct.name(),
                sent.name()
            ))
            .hint("all nodes of a set have to execute its constructs, in the same order"))
        } else if bytes.len() != length {
            Err(XmpError::new(format!(
                "this node expects {length} bytes in `{}`, and node {from} sends {}",
                construct.name(),
                bytes.len()
            ))
            .hint("sections, widths and bounds have to be equal on all nodes"))
        } else if let Landing::Memory(target) = landing {
            // SAFETY: the memory of a receive that has not ended, and as long as that.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.address, length) };
            Ok(Vec::new())
        } else {
            Ok(bytes.into_owned())
        };
        self.ended.insert(number, outcome);
    }
}

fn decode(bytes: &[u8]) -> std::result::Result<(Packet, &[u8]), Error> {
    postcard::take_from_bytes(bytes)
        .map_err(|_| Error::Malformed { expected: "a message of a node", offset: 0 })
}

impl Receiver for Inbox {
    fn message(
        &self,
        from: PlaceId,
        body: Cow<'_, [u8]>,
        _parts: Vec<Received>,
    ) -> std::result::Result<(), Error> {
        let (packet, payload) = decode(&body)?;
        self.0.handle(from.0, packet, Cow::Borrowed(payload))
    }

    fn begin_part(&self, _ty: u64, _length: u64, _bytes: u64) -> Option<(PutTarget, Handle)> {
        None
    }

    fn begin_put(
        &self,
        from: PlaceId,
        header: &[u8],
        length: u64,
    ) -> std::result::Result<Option<PutTarget>, Error> {
        let (packet, _) = decode(header)?;
        let mut state = self.0.state.lock();
        let Some(channel) = state.channels.get_mut(from.index()) else {
            return Err(Error::Malformed { expected: "the number of a node", offset: 0 });
        };
        let fits = |it: &Posted| {
            Packet::Data(it.construct) == packet
                && it.length as u64 == length
                && matches!(it.landing, Landing::Memory(_))
        };
        if channel.posted.front().is_some_and(fits)
            && let Some(Posted { number, landing: Landing::Memory(target), .. }) = channel.posted.pop_front()
        {
            channel.arriving = Some(Arriving::Posted(number));
            return Ok(Some(target));
        }
        let mut buffer = Vec::new();
        let bytes = usize::try_from(length).unwrap_or(usize::MAX);
        if buffer.try_reserve_exact(bytes).is_err() {
            let error = XmpError::new(format!("there is no memory for {length} bytes of node {}", from.0));
            state.failure.get_or_insert(error);
            return Ok(None);
        }
        buffer.resize(bytes, 0);
        let target = PutTarget { address: buffer.as_mut_ptr(), length };
        channel.arriving = Some(Arriving::Buffer(buffer));
        Ok(Some(target))
    }

    fn end_put(&self, from: PlaceId, header: Vec<u8>, accepted: bool) -> std::result::Result<(), Error> {
        let arriving = self.0.state.lock().channels[from.index()].arriving.take();
        match arriving {
            Some(Arriving::Posted(number)) => {
                self.0.state.lock().ended.insert(number, Ok(Vec::new()));
            }
            Some(Arriving::Buffer(buffer)) if accepted => {
                let (packet, _) = decode(&header)?;
                return self.0.handle(from.0, packet, Cow::Owned(buffer));
            }
            _ => {}
        }
        self.0.changed.notify_all();
        Ok(())
    }

    fn peer_down(&self, place: PlaceId, error: Option<io::Error>) {
        tracing::debug!(place = place.0, ?error, "node down");
        let has_left = {
            let mut state = self.0.state.lock();
            let has_ended = state.has_ended;
            let Some(channel) = state.channels.get_mut(place.index()) else { return };
            channel.is_down = true;
            has_ended || channel.left.is_some()
        };
        match has_left {
            true => drop(self.0.changed.notify_all()),
            false => self.0.fail(self.0.lost_error(place.0)),
        }
    }
}
