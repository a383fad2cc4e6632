//! Collective operations of devices of this process and of others by NCCL. A [`Communicator`] has a stream on
//! each device of this process, and a thread for operations that may take long.

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

/// A collective operation.
#[derive(Clone, Copy, Debug)]
pub enum Collective {
    /// Combines the elements of all members, for each member.
    AllReduce(Element, Reduction),
    /// Combines the elements of all members, for the device with that number.
    Reduce(Element, Reduction, usize),
    /// Copies the elements of that device to all members.
    Broadcast(usize),
    /// Sends one part of that device's elements to each member.
    Scatter(usize),
    /// Collects the elements of all members, in the order of their numbers, at that device.
    Gather(usize),
    /// Sends one part of each member's elements to each member (all-to-all).
    Exchange,
}

/// NCCL's element type and reduction for a [`slot`] and the number of an operation in `x10.util.Team`; `None`
/// if NCCL does not support them.
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

/// An operation, with the memory on the devices of this process.
#[derive(Debug)]
pub struct Work {
    /// The operation.
    pub what: Collective,
    /// Source and target on each device.
    pub memory: Vec<(u64, u64)>,
    /// Number of elements of each part.
    pub count: usize,
    /// Size of an element in bytes.
    pub size: usize,
}

/// The devices of this process in a group of devices that execute collective operations together.
pub struct Communicator {
    devices: Vec<Arc<Device>>,
    /// Marks the devices' memory as being written: other members may write to it at any time.
    _writing: Vec<Writing>,
    members: Arc<Mutex<Option<Members>>>,
    orders: Mutex<Sender<Submission>>,
}

/// An order to the thread of a communicator.
enum Submission {
    /// Waits for the work on these streams.
    Wait(Arc<Lanes>, OnComplete),
    /// Ends the membership.
    End(OnComplete),
}

impl Communicator {
    /// Joins `devices` to a group of `size` devices, with the numbers from `first` on. All other members join
    /// at the same time with the same mark (NCCL's unique id). `done` is called when all have joined, or with
    /// the error. The thread ends with the communicator.
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

    /// Begins an operation, which all members must begin, and polls for its end while `worthwhile` is true.
    /// Returns whether it has ended.
    ///
    /// # Safety
    /// The memory is of the devices, long enough and not used by others until the operation has ended.
    pub unsafe fn run(&self, work: &Work, worthwhile: impl Fn() -> bool) -> Result<bool, DeviceError> {
        let members = self.members.lock();
        let members = members.as_ref().ok_or_else(|| failed("the members have gone".to_owned()))?;
        let begin = || (0..members.members.len()).try_for_each(|own| members.begin(own, work));
        let begun = nccl::together("do a collective operation", begin);
        // After an error too, the work that has begun must end.
        let ended = members.lanes.record().and_then(|()| members.lanes.poll(worthwhile));
        begun.map_err(failed).and(ended)
    }

    /// Calls `done` when all operations that have begun have ended.
    pub fn wait(&self, done: OnComplete) {
        let lanes = self.members.lock().as_ref().map(|it| Arc::clone(&it.lanes));
        match lanes {
            Some(lanes) => self.order(Submission::Wait(lanes, done)),
            None => done(Ok(())),
        }
    }

    /// Ends the membership of this process's devices, then calls `done`.
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

/// The devices of this process, each with its stream and the event at the end of the work on it.
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

    /// Calls `what` for each device with its context current. Returns the first error.
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

    /// Polls for a while for the end of all work, while `worthwhile` is true. Returns whether it has ended.
    fn poll(&self, worthwhile: impl Fn() -> bool) -> Result<bool, DeviceError> {
        let (until, all) = (Instant::now() + POLL_TIME, Cell::new(true));
        self.each(|_, event| {
            let ended = event.poll(until, &worthwhile);
            all.set(all.get() && ended.is_some());
            ended.unwrap_or(Ok(()))
        })?;
        Ok(all.get())
    }

    /// Sleeps until all work has ended.
    fn wait(&self) -> Result<(), DeviceError> {
        self.each(|_, event| event.wait())
    }
}

/// The members of this process. The NCCL members are dropped before their streams.
struct Members {
    members: Vec<Member>,
    lanes: Arc<Lanes>,
    /// Number of the first member of this process.
    first: usize,
    /// Number of members in all processes.
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

    /// Submits the part of the operation of one device of this process to its stream.
    fn begin(&self, own: usize, work: &Work) -> Result<(), String> {
        let (member, stream) = (&self.members[own], self.lanes.0[own].1.0);
        let (rank, memory, bytes) = (self.first + own, work.memory[own], work.count * work.size);
        let (source, target) = memory;
        let part = |of: u64, number: usize| of + (number * bytes) as u64;
        // SAFETY: the caller of `run` guarantees that the memory is valid.
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
