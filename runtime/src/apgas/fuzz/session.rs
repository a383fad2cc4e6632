//! A session between places: this process is place 0, a thread plays the others, and all that they send is
//! recorded.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::apgas;
use crate::apgas::activity::{self, Activity, Work};
use crate::apgas::at::invoke;
use crate::apgas::clock::ClockRegistration;
use crate::apgas::engine::FinishScope;
use crate::apgas::finish::Finish;
use crate::apgas::finish::id::FinishId;
use crate::apgas::fuzz::types;
use crate::apgas::fuzz::types::{longs, object, types};
use crate::apgas::local_engine::LocalEngine;
use crate::apgas::message::validate::Route;
use crate::apgas::message::{
    ClockOperation, FinishDelta, Message, PlaceState, PutHeader, TeamStep, Transfer,
};
use crate::apgas::slots;
use crate::apgas::system::system;
use crate::base::ending::Ending;
use crate::base::place::{PlaceId, here};
use crate::heap;
use crate::heap::global_refs;
use crate::heap::global_refs::Change;
use crate::heap::{Handle, Ref};
use crate::layout::GlobalRail;
use crate::layout::Outcome;
use crate::net::endpoint::{Endpoint, PlaceEnded, PutTarget, Receiver};
use crate::scheduler;
use crate::serialize::Error;
use crate::serialize::out_of_band::{Part, Received};
use crate::serialize::write::number;
use crate::slots::message::SlotMessage;
use crate::slots::timeout::SlotTimeout;
use crate::slots::waits::{Left, Wait, WaitMessage};
use crate::topology::{Accelerator, Selection, Topology};

/// Places.
pub(super) const HOSTS: u32 = 4;

/// A part beside a message.
#[derive(Clone, Debug)]
pub(super) struct FramePart {
    /// Number of its type.
    pub ty: u64,
    /// Elements.
    pub length: u64,
    bytes: Vec<u8>,
}

/// A frame as it is sent.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    is_put: bool,
    /// Of a put.
    pub header: Vec<u8>,
    /// The message, or what is put.
    pub body: Vec<u8>,
    /// Beside a message.
    pub parts: Vec<FramePart>,
}

impl Frame {
    fn message(body: Vec<u8>) -> Frame {
        Frame { is_put: false, header: Vec::new(), body, parts: Vec::new() }
    }

    /// A message without a payload.
    fn of(message: &Message) -> Frame {
        let mut body = Vec::new();
        message.encode(&mut body);
        Frame::message(body)
    }

    fn put(header: Vec<u8>, body: Vec<u8>) -> Frame {
        Frame { is_put: true, header, body, parts: Vec::new() }
    }

    /// As bytes of a stream.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut header = if self.is_put { self.header.clone() } else { Vec::new() };
        for part in &self.parts {
            for value in [part.ty, part.length, part.bytes.len() as u64] {
                number(&mut header, value);
            }
        }
        let length = self.body.len() + self.parts.iter().map(|part| part.bytes.len()).sum::<usize>();
        let mut bytes = vec![if self.is_put { 2 } else { 1 }, 0, 0, 0];
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(length as u64).to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&self.body);
        self.parts.iter().for_each(|part| bytes.extend_from_slice(&part.bytes));
        bytes
    }
}

/// The connections of place 0.
pub(super) struct Wire {
    receiver: OnceLock<Arc<dyn Receiver>>,
    recorded: Mutex<Vec<Frame>>,
    /// Whether the other places take part.
    plays: AtomicBool,
    others: OnceLock<Mutex<Sender<(PlaceId, Frame)>>>,
    /// How many sessions there have been.
    sessions: AtomicU64,
}

impl Wire {
    fn is_first(&self) -> bool {
        self.sessions.load(Ordering::Acquire) == 0
    }

    fn sent(&self, to: PlaceId, frame: Frame) {
        if !self.plays.load(Ordering::Acquire) {
            return;
        }
        self.recorded.lock().expect("no panic").push(frame.clone());
        let others = self.others.get().expect("started").lock().expect("no panic");
        others.send((to, frame)).expect("the others play");
    }

    /// What a place does that gets a frame: bodies of `at` it has run by this one, of which it gets the same
    /// answer.
    fn play(&self, place: PlaceId, frame: Frame) -> Result<(), Error> {
        let receiver = self.receiver.get().expect("started");
        if frame.is_put {
            let PutHeader::To(transfer) = PutHeader::decode(&frame.header)? else { return Ok(()) };
            return self.answer(place, &Message::PutDone { number: transfer.number, error: String::new() });
        }
        match Message::decode(&frame.body)?.0 {
            Message::At(_) | Message::AtReply(_) => {
                let parts = frame.parts.into_iter().map(|part| Received::Bytes(part.bytes)).collect();
                receiver.message(place, Cow::Owned(frame.body), parts)
            }
            Message::Spawn { finish, .. } => {
                let deltas = vec![(place, -1)];
                let report = FinishDelta { finish: finish.number, deltas, exceptions: Vec::new() };
                self.answer(place, &Message::FinishReport(report))
            }
            Message::Clock { number, .. } => self.answer(place, &Message::ClockDone(number)),
            Message::Get(transfer) => {
                let header = PutHeader::Back(transfer.number).encode();
                let target = receiver.begin_put(place, &header, transfer.bytes)?;
                let target = target.expect("the bytes that were wanted");
                // SAFETY: the receiver gave out this memory.
                unsafe { target.address.write_bytes(7, target.length as usize) };
                let bytes = vec![7; transfer.bytes as usize];
                self.recorded.lock().expect("no panic").push(Frame::put(header.clone(), bytes));
                receiver.end_put(place, header, true)
            }
            _ => Ok(()),
        }
    }

    fn answer(&self, place: PlaceId, message: &Message) -> Result<(), Error> {
        let frame = Frame::of(message);
        self.recorded.lock().expect("no panic").push(frame.clone());
        self.receiver.get().expect("started").message(place, Cow::Owned(frame.body), Vec::new())
    }
}

/// For the system, which wants to share it.
struct Connections(&'static Wire);

impl Endpoint for Connections {
    fn here(&self) -> PlaceId {
        PlaceId::ZERO
    }

    fn hosts(&self) -> u32 {
        HOSTS
    }

    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()> {
        let (sender, queue) = channel::<(PlaceId, Frame)>();
        let _ = self.0.others.set(Mutex::new(sender));
        let _ = self.0.receiver.set(receiver);
        let wire = self.0;
        std::thread::spawn(move || {
            for (place, frame) in &queue {
                // Later also activities answer that were started by frames of no session.
                wire.play(place, frame)
                    .or_else(|error| if wire.is_first() { Err(error) } else { Ok(()) })
                    .expect("right");
            }
        });
        Ok(())
    }

    fn send(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        let part = |part: &Part| FramePart {
            ty: part.ty.into(),
            length: part.length as u64,
            bytes: part.bytes().to_vec(),
        };
        let parts = parts.iter().map(part).collect();
        self.0.sent(to, Frame { parts, ..Frame::message(body.to_vec()) });
        Ok(())
    }

    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        self.0.sent(to, Frame::put(header.to_vec(), data.to_vec()));
        Ok(())
    }

    fn shutdown(&self) {}
}

/// The inbox without what would end the process.
pub(super) struct Guard {
    inbox: &'static Arc<dyn Receiver>,
    /// How many were dealt with.
    pub messages: AtomicU64,
}

impl Guard {
    /// Of place 0.
    pub(super) fn new(wire: &'static Wire) -> Guard {
        Guard { inbox: wire.receiver.get().expect("started"), messages: AtomicU64::new(0) }
    }
}

impl Receiver for Guard {
    fn message(&self, from: PlaceId, body: Cow<'_, [u8]>, parts: Vec<Received>) -> Result<(), Error> {
        let route = Route { from, here: here(), hosts: HOSTS };
        // After these a place does nothing any more.
        let (message, payload) = Message::decode(&body)?;
        route.check(&message, payload.len(), parts.len())?;
        if let Message::ProgramEnd(_) | Message::WaitReportRequest = message {
            return Ok(());
        }
        self.inbox.message(from, body, parts)?;
        self.messages.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn begin_part(&self, ty: u64, length: u64, bytes: u64) -> Option<(PutTarget, Handle)> {
        self.inbox.begin_part(ty, length, bytes)
    }

    fn begin_put(&self, from: PlaceId, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
        self.inbox.begin_put(from, header, length)
    }

    fn end_put(&self, from: PlaceId, header: Vec<u8>, accepted: bool) -> Result<(), Error> {
        self.inbox.end_put(from, header, accepted)
    }

    fn abandon_put(&self, from: PlaceId, header: &[u8]) {
        self.inbox.abandon_put(from, header);
    }

    fn peer_down(&self, _: PlaceId, _: Option<io::Error>) {}
}

/// Makes this process place 0.
pub(super) fn start() -> &'static Wire {
    let wire: &'static Wire = Box::leak(Box::new(Wire {
        receiver: OnceLock::new(),
        recorded: Mutex::default(),
        plays: AtomicBool::new(false),
        others: OnceLock::new(),
        sessions: AtomicU64::new(0),
    }));
    apgas::start(Arc::new(Connections(wire)), Selection::None, Box::leak(Box::new(Ending::new())))
        .expect("the only system");
    types::attach();
    // Frames can say that slots wait for long; the report about them would end the program.
    slots::set_timeout(SlotTimeout { after: None, continues: true });
    crate::apgas::worker_loop::start_scheduler(2).expect("threads");
    system().attach(Arc::new(LocalEngine));
    wire
}

/// Runs a session: the frames of all kinds that it has sent, or could have.
pub(super) fn record(wire: &'static Wire) -> Vec<Frame> {
    wire.plays.store(true, Ordering::Release);
    let finish = Finish::new();
    let scope: Arc<dyn FinishScope> = Arc::clone(&finish) as Arc<dyn FinishScope>;
    let work = move || session().map_or_else(|raised| raised.0, |()| Ref::NULL);
    activity::spawn(Activity::new(scope, Work::Runtime(Box::new(work))));
    let exceptions = finish.wait(None, Ref::NULL);
    assert!(exceptions.is_empty(), "the session ends well");
    wire.plays.store(false, Ordering::Release);
    wire.sessions.fetch_add(1, Ordering::Release);
    let mut frames = std::mem::take(&mut *wire.recorded.lock().expect("no panic"));
    frames.extend(other_frames(&frames));
    frames
}

/// What a program does at other places.
fn session() -> Outcome<()> {
    let word = |object: &Handle| object.get().0 as u64;
    let numbers = Handle::new(longs(5)?);
    let many = Handle::new(longs(4000)?);
    let target = Handle::new(object(types().node, &[0, 9])?);
    let node = Handle::new(object(types().node, &[word(&target), 1])?);
    *types::word(target.get(), 0) = word(&node);
    let token = object(types().token, &[0, 0, word(&target)])?;
    let token = Handle::new(global_refs::enter(token, target.get()));
    let own = Handle::new(object(types().own, &[5])?);
    let any = Handle::new(crate::program::string("any text")?);
    let function = Handle::new(object(types().function, &[3, word(&node)])?);
    for (place, thing) in [(1, &token), (2, &own), (3, &any), (1, &many), (2, &node), (3, &function)] {
        for longs in [&numbers, &many] {
            let closure = |ty| object(ty, &[0, word(&node), word(longs), word(thing)]);
            invoke::at(place, closure(types().body)?).or_else(only_own)?;
            invoke::at_value(place, closure(types().value_body)?)?;
            invoke::async_at(place, closure(types().body)?)?;
        }
    }
    let rail = |home: i64, handle: i64| GlobalRail { size: 5, home, handle };
    apgas::put(numbers.get(), 0, rail(1, 1), 1, 4)?;
    apgas::get(rail(1, 1), 0, numbers.get(), 2, 3)?;
    // What other places name here.
    heap::register_global(numbers.get());
    Ok(())
}

/// The exceptions that bodies raise.
fn only_own(raised: crate::layout::Raised) -> Outcome<()> {
    assert!(std::ptr::eq(raised.0.ty(), types().exception));
    Ok(())
}

/// Frames of the kinds that a session with one real place does not send.
fn other_frames(recorded: &[Frame]) -> Vec<Frame> {
    let state = PlaceState { is_quiescent: true, sent: 5, received: 5 };
    let change = Change { number: 1, account: 0, by: -1 };
    let gpu = Accelerator { ordinal: 0, name: "GPU".to_owned(), memory: 1 << 30, capability: (9, 0) };
    let hosts = vec![vec![gpu.clone()], vec![], vec![], vec![]];
    let transfer = Transfer { number: 3, place: 0, handle: 1, offset: 8, bytes: 16, element: 8 };
    let registration = ClockRegistration { handle: 1, phase: 1, resumed: false };
    let clock = |operation| Message::Clock { operation, number: 1, registration };
    let report = FinishDelta { finish: 5, deltas: vec![(PlaceId(1), -1)], exceptions: vec![vec![]] };
    let messages = [
        Message::QuiescenceRequest(1),
        Message::QuiescenceReport { number: 1, state },
        Message::WaitReportDone,
        Message::CollectionDone(1),
        Message::CollectionRequest(1),
        Message::Team(TeamStep { team: 1, number: 1, step: 1 }),
        Message::ProgramEnd(0),
        Message::ClockDone(1),
        Message::PutDone { number: 1, error: "why".to_owned() },
        Message::WeightChanges(vec![change, change]),
        Message::Accelerators(vec![gpu]),
        Message::Topology(Topology::new(hosts)),
        clock(ClockOperation::Register),
        clock(ClockOperation::Wait),
        clock(ClockOperation::Resume),
        clock(ClockOperation::End),
        Message::Get(transfer),
        Message::FinishReport(report),
        Message::SlotWaits(WaitMessage::Stalled),
        Message::SlotWaits(WaitMessage::Request),
        Message::SlotWaits(WaitMessage::Waits(vec![wait()], Some(7))),
        Message::Slots(SlotMessage::Pull { number: 1, into: 2 }),
        Message::Slots(SlotMessage::Taken(1)),
        Message::Slots(SlotMessage::Failed { group: 1, message: "why".to_owned() }),
    ];
    let mut frames: Vec<Frame> = messages.iter().map(Frame::of).collect();
    for transfer in [transfer, Transfer { place: 4, ..transfer }] {
        frames.push(Frame::put(PutHeader::To(transfer).encode(), vec![1; 16]));
    }
    // Activities of finishes elsewhere, and of none.
    for finish in [FinishId::NONE, FinishId { home: PlaceId(2), number: 5 }] {
        for frame in recorded.iter().filter(|frame| !frame.is_put) {
            let decoded = Message::decode(&frame.body).expect("of the session");
            let (Message::Spawn { clocks, .. }, graph) = decoded else { continue };
            let mut body = Vec::new();
            Message::Spawn { finish, clocks }.encode(&mut body);
            body.extend_from_slice(graph);
            frames.push(Frame { body, ..frame.clone() });
        }
    }
    frames
}

/// A slot that waits for long.
fn wait() -> Wait {
    Wait {
        group: 1,
        rank: 1,
        call: 1,
        partner: 0,
        from: 0,
        tag: 3,
        elements: 5,
        left: Left::Receive(3),
        subgroup: None,
        place: 1,
        block: Some(2),
        milliseconds: 20_000,
        lines: vec!["at Main.main (Main.x10:3)".to_owned()],
    }
}

/// Lets the activities that frames have started run, until all that are left wait.
pub(super) fn wait_for_activities() {
    const MAX_POLLS: u32 = 20;
    let mut polls = 0;
    while !scheduler::is_quiescent() && polls < MAX_POLLS {
        std::thread::sleep(Duration::from_millis(1));
        polls += 1;
    }
}
