//! Requests of slots and their completions: the interface of the engine. A request names a call, the
//! slot that makes it, its partners and its memory; its continuation gets the completion, or says what
//! is wrong.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::profile::Code;

/// Bits of a completion's source in [`Completion::word`].
pub const SOURCE_BITS: u32 = 24;
/// A receive from any source.
pub const ANY_SOURCE: i64 = -1;

/// What a slot does. The numbers are those of the ABI: the position in [`Call::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Call {
    /// Sends, and waits until a receive has taken the elements.
    Send,
    /// Waits for a message.
    Receive,
    /// A send and a receive at the same time.
    Exchange,
    /// A send and a receive at the same time, of the same memory.
    Replace,
    /// Begins a send.
    StartSend,
    /// Begins a receive.
    StartReceive,
    /// Whether what was begun has ended.
    Test,
    /// Waits for the end of what was begun.
    Wait,
    /// Waits for all slots.
    Barrier,
    /// Copies elements of the root to all.
    Broadcast,
    /// Elements of all to the root, in the order of positions.
    Gather,
    /// A part of the root's elements to each.
    Scatter,
    /// Elements of all to all.
    AllGather,
    /// A part of the elements of each to each.
    AllToAll,
    /// Combines elements of all into those of the root, in the order of positions.
    Reduce,
    /// Combines elements of all into those of all.
    AllReduce,
}

impl Call {
    /// All, in the order of their numbers, with the names of their operations in MIR (after `slot_`) and in
    /// the class library.
    pub const ALL: [(Call, &str, &str); 16] = [
        (Call::Send, "send", "send"),
        (Call::Receive, "receive", "recv"),
        (Call::Exchange, "exchange", "sendRecv"),
        (Call::Replace, "replace", "sendRecvReplace"),
        (Call::StartSend, "start_send", "asyncSend"),
        (Call::StartReceive, "start_receive", "asyncRecv"),
        (Call::Test, "test", "test"),
        (Call::Wait, "wait", "wait"),
        (Call::Barrier, "barrier", "barrier"),
        (Call::Broadcast, "broadcast", "broadcast"),
        (Call::Gather, "gather", "gather"),
        (Call::Scatter, "scatter", "scatter"),
        (Call::AllGather, "all_gather", "allgather"),
        (Call::AllToAll, "all_to_all", "alltoall"),
        (Call::Reduce, "reduce", "reduce"),
        (Call::AllReduce, "all_reduce", "allreduce"),
    ];

    /// The call with that number.
    pub fn from_number(number: i32) -> Option<Call> {
        Some(Self::ALL.get(usize::try_from(number).ok()?)?.0)
    }

    /// The number of a call.
    pub fn number(self) -> i32 {
        self as i32
    }

    /// Its name in the class library.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|it| it.0 == self).map_or("", |it| it.2)
    }

    /// Parts of elements that it sends.
    pub fn sent_parts(self) -> Parts {
        match self {
            Call::Send | Call::StartSend | Call::Exchange | Call::Replace => Parts::One,
            Call::Gather | Call::AllGather | Call::Reduce | Call::AllReduce => Parts::One,
            Call::Broadcast => Parts::OneAtRoot,
            Call::Scatter => Parts::AllAtRoot,
            Call::AllToAll => Parts::All,
            Call::Receive | Call::StartReceive | Call::Test | Call::Wait | Call::Barrier => Parts::None,
        }
    }

    /// Parts of elements that it has room for.
    pub fn received_parts(self) -> Parts {
        match self {
            Call::Receive | Call::StartReceive | Call::Exchange | Call::Replace => Parts::One,
            Call::Broadcast | Call::Scatter | Call::AllReduce => Parts::One,
            Call::Reduce => Parts::OneAtRoot,
            Call::Gather => Parts::AllAtRoot,
            Call::AllGather | Call::AllToAll => Parts::All,
            Call::Send | Call::StartSend | Call::Test | Call::Wait | Call::Barrier => Parts::None,
        }
    }

    /// Whether all slots of a subgroup take part.
    pub fn is_collective(self) -> bool {
        self.number() >= Call::Barrier.number()
    }

    /// Whether one of the slots is the root.
    pub fn has_root(self) -> bool {
        matches!(self, Call::Broadcast | Call::Gather | Call::Scatter | Call::Reduce)
    }

    /// Whether the slot waits until it has ended.
    pub fn blocks(self) -> bool {
        !matches!(self, Call::StartSend | Call::StartReceive | Call::Test)
    }
}

/// How often a call sends or receives the number of elements that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Not at all.
    None,
    /// Once.
    One,
    /// Once at the root.
    OneAtRoot,
    /// At the root once for each slot of the subgroup.
    AllAtRoot,
    /// Once for each slot of the subgroup.
    All,
}

impl Parts {
    /// Their number at a slot, in a subgroup of `members` slots.
    pub fn count(self, is_root: bool, members: i64) -> i64 {
        match self {
            Parts::None => 0,
            Parts::One => 1,
            Parts::OneAtRoot => i64::from(is_root),
            Parts::AllAtRoot if is_root => members,
            Parts::AllAtRoot => 0,
            Parts::All => members,
        }
    }
}

/// The elements that a call sends.
#[derive(Debug, Default)]
pub enum Source {
    /// None.
    #[default]
    Nothing,
    /// Memory that stays as it is until the continuation is called.
    Memory {
        /// First byte.
        address: *const u8,
        /// Number of bytes.
        bytes: usize,
    },
    /// A copy, or encoded objects.
    Packed(Vec<u8>),
    /// Memory of a device.
    Device(Arc<dyn DeviceMemory>),
}

// SAFETY: memory that the requester leaves to the engine until the continuation is called.
unsafe impl Send for Source {}

impl Source {
    /// The bytes, unless they are on a device.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Source::Nothing | Source::Device(_) => &[],
            Source::Memory { bytes: 0, .. } => &[],
            // SAFETY: by the requester, alive and left alone until the continuation is called.
            Source::Memory { address, bytes } => unsafe { std::slice::from_raw_parts(*address, *bytes) },
            Source::Packed(bytes) => bytes,
        }
    }

    /// Number of bytes.
    pub fn length(&self) -> usize {
        match self {
            Source::Device(memory) => memory.bytes(),
            _ => self.bytes().len(),
        }
    }

    /// The same with its bytes in memory of the host.
    ///
    /// # Errors
    /// The device fails.
    pub fn on_host(self) -> Result<Source, Failure> {
        match self {
            Source::Device(memory) => {
                let mut bytes = vec![0; memory.bytes()];
                memory.read(&mut bytes)?;
                Ok(Source::Packed(bytes))
            }
            other => Ok(other),
        }
    }

    /// A copy of the bytes.
    ///
    /// # Errors
    /// The device fails.
    pub fn packed(self) -> Result<Source, Failure> {
        match self.on_host()? {
            Source::Packed(bytes) => Ok(Source::Packed(bytes)),
            other => Ok(Source::Packed(other.bytes().to_vec())),
        }
    }

    /// Copies the bytes to a target; they fit.
    ///
    /// # Errors
    /// A device fails.
    pub fn copy_to(&self, target: &Target) -> Result<(), Failure> {
        match (self, target) {
            (Source::Device(from), Target::Device(to)) => to.copy_from(&**from),
            (Source::Device(from), Target::Memory { address, bytes }) => {
                let count = from.bytes().min(*bytes);
                // SAFETY: memory of the engine until the continuation is called.
                from.read(unsafe { std::slice::from_raw_parts_mut(*address, count) })
            }
            (Source::Device(from), Target::Packed(into)) => {
                let mut bytes = vec![0; from.bytes()];
                from.read(&mut bytes)?;
                *into.lock() = bytes;
                Ok(())
            }
            _ => target.write(self.bytes()),
        }
    }
}

/// Memory of a device, which its requester leaves to the engine until the continuation is called.
pub trait DeviceMemory: Send + Sync + std::fmt::Debug {
    /// Number of bytes.
    fn bytes(&self) -> usize;

    /// Copies its first bytes to the host.
    ///
    /// # Errors
    /// The device fails.
    fn read(&self, into: &mut [u8]) -> Result<(), Failure>;

    /// Copies bytes of the host to its start; they fit.
    ///
    /// # Errors
    /// The device fails.
    fn write(&self, from: &[u8]) -> Result<(), Failure>;

    /// Copies all bytes of memory of a device, perhaps another one, to its start; they fit.
    ///
    /// # Errors
    /// A device fails.
    fn copy_from(&self, source: &dyn DeviceMemory) -> Result<(), Failure>;

    /// To see which kind of memory it is.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// Where a call puts what it receives.
#[derive(Clone, Debug, Default)]
pub enum Target {
    /// Nowhere.
    #[default]
    Nothing,
    /// Memory that belongs to the engine until the continuation is called.
    Memory {
        /// First byte.
        address: *mut u8,
        /// Number of bytes.
        bytes: usize,
    },
    /// Encoded objects, which the requester decodes.
    Packed(Arc<Mutex<Vec<u8>>>),
    /// Memory of a device.
    Device(Arc<dyn DeviceMemory>),
}

// SAFETY: memory that the requester leaves to the engine until the continuation is called.
unsafe impl Send for Target {}

impl Target {
    /// How many bytes fit there; 0 for encoded objects, which have room as they come.
    pub fn room(&self) -> usize {
        match self {
            Target::Memory { bytes, .. } => *bytes,
            Target::Device(memory) => memory.bytes(),
            Target::Nothing | Target::Packed(_) => 0,
        }
    }

    /// Puts bytes there; they fit.
    ///
    /// # Errors
    /// The device fails.
    pub fn write(&self, from: &[u8]) -> Result<(), Failure> {
        match self {
            Target::Nothing => {}
            Target::Memory { address, bytes } => {
                let count = from.len().min(*bytes);
                // SAFETY: by the requester, memory of that length; source and target of one request may
                // overlap.
                unsafe { std::ptr::copy(from.as_ptr(), *address, count) };
            }
            Target::Packed(into) => *into.lock() = from.to_vec(),
            Target::Device(memory) => return memory.write(&from[..from.len().min(memory.bytes())]),
        }
        Ok(())
    }
}

/// Number and kind of the elements of a [`Source`] or [`Target`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// Number of elements.
    pub count: u64,
    /// Bytes of an element; 0 for encoded objects.
    pub size: u32,
    /// Code of their type ([`crate::layout::slot`]).
    pub kind: u8,
}

/// Says where in the program a slot waits.
pub trait Probe: Send + Sync + std::fmt::Debug {
    /// The lines are wanted; they are there a moment later.
    fn request(&self);
    /// The lines of a stack trace, innermost first.
    fn lines(&self) -> Vec<String>;
    /// Where the call is, for a profile. Only called by what makes the call, before it waits.
    fn code(&self) -> Code {
        Code::of_caller()
    }
}

/// A call of a slot.
#[derive(Debug)]
pub struct Request {
    /// The group's number.
    pub group: i64,
    /// The slot.
    pub rank: i64,
    /// What it does.
    pub call: Call,
    /// The rank that it sends to; of a collective operation, the root's rank; the number of what was begun.
    pub partner: i64,
    /// The rank that it receives from, or [`ANY_SOURCE`].
    pub from: i64,
    /// The tag.
    pub tag: i32,
    /// Number of a reduction's operation ([`crate::slots::reduction::Operation`]).
    pub operation: i32,
    /// First rank, number of ranks and their distance: the subgroup of a collective operation.
    pub subgroup: [i64; 3],
    /// The elements to send.
    pub source: Source,
    /// What they are.
    pub sent: Elements,
    /// Where received elements go.
    pub target: Target,
    /// What fits there.
    pub wanted: Elements,
    /// A barrier: first rank and number of the slots of this place for which the call is made, of which this
    /// one is the last; of this slot alone if they are none.
    pub gathered: (u32, u32),
    /// An exchange: its partner has taken what it sends.
    pub is_sent: bool,
    /// The number of the block that makes the call, if it is one of a kernel.
    pub block: Option<i64>,
    /// The activity that makes the call, to end its slots if it fails.
    pub owner: usize,
    /// Says where it is in the program.
    pub probe: Option<Arc<dyn Probe>>,
}

/// How a call has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The rank that a message came from.
    pub source: u32,
    /// Number of elements received; the number of what was begun; 1 if it has ended.
    pub elements: u64,
}

impl Completion {
    /// As one word: the number of elements, and the source in the lowest [`SOURCE_BITS`].
    pub fn word(self) -> i64 {
        ((self.elements << SOURCE_BITS) | u64::from(self.source)) as i64
    }
}

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// An argument is wrong.
    Argument,
    /// The call is not possible now.
    Operation,
    /// Elements outside of a rail.
    Index,
    /// The call is right, but its group has failed by another one.
    Group,
}

/// What is wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// In words.
    pub message: String,
}

impl Failure {
    /// A wrong argument.
    pub fn argument(message: String) -> Failure {
        Failure { kind: FailureKind::Argument, message }
    }

    /// Elements outside of a rail.
    pub fn index(message: String) -> Failure {
        Failure { kind: FailureKind::Index, message }
    }

    /// A call that is not possible now.
    pub fn operation(message: String) -> Failure {
        Failure { kind: FailureKind::Operation, message }
    }
}

/// The result of a call.
pub type Outcome = Result<Completion, Failure>;
/// What is done when a call has ended. It must not block.
pub type Continuation = Box<dyn FnOnce(Outcome) + Send>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_numbers_of_their_positions() {
        for (position, (call, ..)) in Call::ALL.iter().enumerate() {
            assert_eq!(call.number(), position as i32);
            assert_eq!(Call::from_number(position as i32), Some(*call));
        }
        assert_eq!(Call::from_number(-1), None);
        assert_eq!(Call::from_number(16), None);
    }

    #[test]
    fn word_holds_source_and_elements() {
        let word = Completion { source: (1 << 24) - 1, elements: 1 << 30 }.word();
        assert_eq!((word & ((1 << SOURCE_BITS) - 1), word >> SOURCE_BITS), ((1 << 24) - 1, 1 << 30));
    }
}
