//! Groups of devices, of this process and of others, that execute collective operations by NCCL: a stream on
//! each device of this process, and a thread for slow steps.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use parking_lot::Mutex;

use crate::device::collective::nccl;
use crate::device::collective::nccl::{Element, Member, Reduction};
use crate::device::copy::request::POLL_TIME;
use crate::device::copy::speculative_read::Writing;
use crate::device::cuda::failure::Failure;
use crate::device::cuda::stream::{Event, Stream};
use crate::device::error::{DeviceError, Kind};
use crate::device::{Device, OnComplete};
use crate::layout::slot;

pub use nccl::{MARK, mark, ready};

/// What is done with elements.
#[derive(Clone, Copy, Debug)]
pub enum Collective {
    /// Combined, for all.
    AllReduce(Element, Reduction),
    /// Combined, for the device with that number.
    Reduce(Element, Reduction, usize),
    /// That device's, copied to all.
    Broadcast(usize),
    /// That device's parts, one to each.
    Scatter(usize),
    /// Everyone's, side by side, to that device.
    Gather(usize),
    /// A part of each to each.
    Exchange,
}

/// How NCCL combines elements of a kind (one of [`slot`]) by an operation's number in `x10.util.Team`; None
/// if it does not.
pub fn reduction(element: u8, operation: i32) -> Option<(Element, Reduction)> {
    let element = match element {
        1 => Element::ncclInt8,
        slot::I32 => Element::ncclInt32,
        slot::I64 => Element::ncclInt64,
        5 => Element::ncclUint8,
        7 => Element::ncclUint32,
        8 => Element::ncclUint64,
        slot::F32 => Element::ncclFloat32,
        slot::F64 => Element::ncclFloat64,
        _ => return None,
    };
    let reduction = match operation {
        0 => Reduction::ncclSum,
        1 => Reduction::ncclProd,
        6 => Reduction::ncclMax,
        7 => Reduction::ncclMin,
        _ => return None,
    };
    Some((element, reduction))
}

/// An operation, for the devices of this process.
#[derive(Debug)]
pub struct Work {
    /// Which.
    pub what: Collective,
    /// Source and target on each device.
    pub memory: Vec<(u64, u64)>,
    /// Elements of each part.
    pub count: usize,
    /// Bytes of an element.
    pub size: usize,
}

/// Devices that do collective operations together.
pub struct Communicator {
    devices: Vec<Arc<Device>>,
    /// What the others send is written at any time.
    _writing: Vec<Writing>,
    members: Arc<Mutex<Option<Members>>>,
    orders: Mutex<Sender<Submission>>,
}

/// What the thread of a communicator does: what may take long.
enum Submission {
    /// Waits for what is on these streams.
    Wait(Arc<Lanes>, OnComplete),
    /// Leaves.
    End(OnComplete),
}

impl Communicator {
    /// Joins `devices` as numbers `first` and following of `size`. All others join at the same time with the
    /// same mark; `done` is called when they have, or with what went wrong. The thread ends with the
    /// communicator.
    pub fn join(
        devices: Vec<Arc<Device>>,
        mark: [u8; MARK],
        first: usize,
        size: usize,
        done: OnComplete,
    ) -> Result<Communicator, DeviceError> {
        let (sender, orders) = channel();
        let members = Arc::new(Mutex::new(None));
        let (own, joined) = (devices.clone(), Arc::clone(&members));
        std::thread::Builder::new()
            .name("apg-nccl".to_owned())
            .spawn(move || {
                let outcome = Members::join(&own, &mark, first, size);
                done(outcome.map(|members| *joined.lock() = Some(members)));
                serve(&orders, &joined);
            })
            .map_err(|error| DeviceError::new(Kind::Internal, format!("no thread for NCCL: {error}")))?;
        let writing = devices.iter().map(|device| device.writing()).collect();
        Ok(Communicator { devices, _writing: writing, members, orders: Mutex::new(sender) })
    }

    /// The devices of this process.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// Begins an operation, which all members begin, and polls for its end as long as `worthwhile`:
    /// true if it has ended.
    ///
    /// # Safety
    /// The memory is of the devices, long enough and not used by others until the operation has ended.
    pub unsafe fn run(&self, work: &Work, worthwhile: impl Fn() -> bool) -> Result<bool, DeviceError> {
        let members = self.members.lock();
        let members = members.as_ref().ok_or_else(|| failed("the members have gone".to_owned()))?;
        let begin = || (0..members.members.len()).try_for_each(|own| members.begin(own, work));
        let begun = nccl::together("do a collective operation", begin);
        // What has begun is waited for, whether or not all of it has.
        let ended = members.lanes.record().and_then(|()| members.lanes.poll(worthwhile));
        begun.map_err(failed).and(ended)
    }

    /// Calls `done` when what has begun has ended.
    pub fn wait(&self, done: OnComplete) {
        let lanes = self.members.lock().as_ref().map(|it| Arc::clone(&it.lanes));
        match lanes {
            Some(lanes) => self.order(Submission::Wait(lanes, done)),
            None => done(Ok(())),
        }
    }

    /// Calls `done` when nothing is left of this process's members.
    pub fn end(&self, done: OnComplete) {
        self.order(Submission::End(done));
    }

    fn order(&self, order: Submission) {
        if let Err(lost) = self.orders.lock().send(order) {
            let (Submission::Wait(_, done) | Submission::End(done)) = lost.0;
            done(Err(DeviceError::new(Kind::Internal, "the thread for NCCL has ended")));
        }
    }
}

fn serve(orders: &Receiver<Submission>, members: &Mutex<Option<Members>>) {
    for order in orders {
        match order {
            Submission::Wait(lanes, done) => done(lanes.wait()),
            Submission::End(done) => {
                let ended = members.lock().take();
                drop(ended);
                done(Ok(()));
            }
        }
    }
}

/// The devices of this process, each with its stream and the end of what is on it.
struct Lanes(Vec<(Arc<Device>, Stream, Event)>);

impl Lanes {
    fn new(devices: &[Arc<Device>]) -> Result<Lanes, DeviceError> {
        let lane = |device: &Arc<Device>| {
            device.context.enter()?;
            let made = Stream::new().and_then(|stream| Ok((stream, Event::new()?)));
            let (stream, event) = made
                .map_err(|failure| DeviceError::driver(&device.label(), "make a queue for NCCL", &failure))?;
            Ok((Arc::clone(device), stream, event))
        };
        devices.iter().map(lane).collect::<Result<_, _>>().map(Lanes)
    }

    /// `what` for each, with its context; the first error of all.
    fn each(&self, what: impl Fn(&Stream, &Event) -> Result<(), Failure>) -> Result<(), DeviceError> {
        let mut all = Ok(());
        for (device, stream, event) in &self.0 {
            let failed =
                |failure| DeviceError::driver(&device.label(), "finish a collective operation", &failure);
            all = all.and(device.context.enter().and_then(|()| what(stream, event).map_err(failed)));
        }
        all
    }

    fn record(&self) -> Result<(), DeviceError> {
        self.each(|stream, event| event.record(stream))
    }

    /// Whether all has ended; polls for a while, if that is worthwhile.
    fn poll(&self, worthwhile: impl Fn() -> bool) -> Result<bool, DeviceError> {
        let (until, all) = (Instant::now() + POLL_TIME, Cell::new(true));
        self.each(|_, event| {
            let ended = event.poll(until, &worthwhile);
            all.set(all.get() && ended.is_some());
            ended.unwrap_or(Ok(()))
        })?;
        Ok(all.get())
    }

    /// Sleeps until all has ended.
    fn wait(&self) -> Result<(), DeviceError> {
        self.each(|_, event| event.wait())
    }
}

/// The members of this process. They are given back before their streams.
struct Members {
    members: Vec<Member>,
    lanes: Arc<Lanes>,
    /// The number of the first.
    first: usize,
    /// How many, everywhere.
    size: usize,
}

fn failed(message: String) -> DeviceError {
    DeviceError::new(Kind::Internal, message)
}

impl Members {
    fn join(
        devices: &[Arc<Device>],
        mark: &[u8; MARK],
        first: usize,
        size: usize,
    ) -> Result<Members, DeviceError> {
        let lanes = Arc::new(Lanes::new(devices)?);
        let enter = |device: &Arc<Device>| device.context.enter().map_err(|error| error.message);
        let members = Member::join(devices, enter, mark, first, size).map_err(failed)?;
        Ok(Members { members, lanes, first, size })
    }

    /// Submits the part of an own device to its stream.
    fn begin(&self, own: usize, work: &Work) -> Result<(), String> {
        let (member, stream) = (&self.members[own], self.lanes.0[own].1.0);
        let (rank, memory, bytes) = (self.first + own, work.memory[own], work.count * work.size);
        let (source, target) = memory;
        let part = |of: u64, number: usize| of + (number * bytes) as u64;
        // SAFETY: who calls `run` vouches for the memory.
        unsafe {
            let send = |from, to| member.send(from, bytes, to, stream);
            let receive = |into, from| member.receive(into, bytes, from, stream);
            match work.what {
                Collective::AllReduce(element, reduction) => {
                    member.all_reduce(memory, work.count, (element, reduction), stream)
                }
                Collective::Reduce(element, reduction, root) => {
                    member.reduce(memory, work.count, (element, reduction), root, stream)
                }
                Collective::Broadcast(root) => member.broadcast(memory, bytes, root, stream),
                Collective::Scatter(root) => {
                    if rank == root {
                        (0..self.size).try_for_each(|to| send(part(source, to), to))?;
                    }
                    receive(target, root)
                }
                Collective::Gather(root) => {
                    send(source, root)?;
                    if rank == root {
                        (0..self.size).try_for_each(|from| receive(part(target, from), from))?;
                    }
                    Ok(())
                }
                Collective::Exchange => (0..self.size).try_for_each(|other| {
                    send(part(source, other), other)?;
                    receive(part(target, other), other)
                }),
            }
        }
    }
}
