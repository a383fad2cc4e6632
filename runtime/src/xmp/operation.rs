//! Constructs that communicate, from their beginning to their end: with `async` the program continues in
//! between, and `wait_async` ends them.

use std::sync::Arc;

use super::collective::{AllReduce, Broadcast};
use super::device::DeviceExchange;
use super::device::sections::{load, store};
use super::error::Result;
use super::exchange::{Combine, Exchange, Plan, Store};
use super::mailbox::{Context, Mailbox};
use super::reduction::{Operator, Variable};
use super::strided::StridedBox;

/// Exchanges one after the other, from an array to itself, or between two.
pub(super) struct Exchanges {
    /// The exchanges.
    pub(super) phases: Arc<Vec<Plan>>,
    /// The construct, and the number of the operation.
    pub(super) context: Context,
    /// From where on the boxes of the source are.
    pub(super) source: *const u8,
    /// From where on the boxes of the target are.
    pub(super) target: *mut u8,
    /// Replaces elements of the target unless given.
    pub(super) combine: Option<Combine>,
}

/// Memory of the program, piece by piece, or the accelerator's copy of it.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// Their addresses in memory of the program, and their bytes.
    pub(super) all: Vec<(*mut u8, usize)>,
    /// The values are those of the copies.
    pub(super) on_device: bool,
}

impl Pieces {
    /// The bytes of all.
    ///
    /// # Errors
    /// The accelerator has no copy of them, or it has failed.
    ///
    /// # Safety
    /// They are in memory that may be read.
    pub(super) unsafe fn gather(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.all.iter().map(|it| it.1).sum());
        for (address, length) in self.all.iter().filter(|it| it.1 > 0) {
            // SAFETY: the caller's.
            bytes.extend(unsafe { load(self.on_device, *address, &[StridedBox::new(0, &[], *length)])? });
        }
        Ok(bytes)
    }

    /// Writes what [`Pieces::gather`] has read.
    ///
    /// # Errors
    /// As [`Pieces::gather`].
    ///
    /// # Safety
    /// They are in memory that may be written.
    pub(super) unsafe fn scatter(&self, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        for (address, length) in &self.all {
            let (own, others) = rest.split_at(*length);
            // SAFETY: the caller's.
            unsafe { store(self.on_device, *address, &[StridedBox::new(0, &[], *length)], own)? };
            rest = others;
        }
        Ok(())
    }
}

/// A construct that is under way.
pub(super) enum Operation {
    /// The exchanges, that of them which is under way, and its number.
    Exchanges(Exchanges, Option<Exchange>, usize),
    /// Exchanges between memories of accelerators.
    Device(DeviceExchange),
    /// A broadcast of these variables.
    Broadcast(Broadcast, Pieces),
    /// A reduction of these variables.
    Reduction(AllReduce, Operator, Vec<Variable>, Pieces),
}

// SAFETY: the memory is the program's, which keeps it until the operation has ended.
unsafe impl Send for Operation {}

impl Operation {
    /// Begins exchanges.
    ///
    /// # Errors
    /// A node has ended.
    ///
    /// # Safety
    /// The boxes of the plans are inside of memory from `source` and `target` on, which stays valid until
    /// the end of the operation.
    pub(super) unsafe fn exchange(mailbox: &Mailbox, exchanges: Exchanges) -> Result<Operation> {
        // SAFETY: the caller's.
        let begun = unsafe { exchanges.begin(mailbox, 0)? };
        Ok(Operation::Exchanges(exchanges, begun, 0))
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    ///
    /// # Safety
    /// The memory of the operation may be read and written.
    pub(super) unsafe fn finish(self, mailbox: &Mailbox) -> Result<()> {
        match self {
            Operation::Exchanges(exchanges, mut begun, mut phase) => {
                while let Some(exchange) = begun {
                    // SAFETY: the caller's.
                    unsafe {
                        exchange.finish(
                            mailbox,
                            &exchanges.phases[phase],
                            exchanges.target,
                            exchanges.store(),
                        )?;
                        phase += 1;
                        begun = exchanges.begin(mailbox, phase)?;
                    }
                }
                Ok(())
            }
            // SAFETY: the caller's.
            Operation::Device(exchange) => unsafe { exchange.finish(mailbox) },
            Operation::Broadcast(broadcast, variables) => {
                let bytes = broadcast.finish(mailbox)?;
                // SAFETY: the caller's.
                unsafe { variables.scatter(&bytes) }
            }
            Operation::Reduction(reduction, operator, described, variables) => {
                let combine = |left: &mut [u8], right: &[u8]| combine_all(&described, operator, left, right);
                let bytes = reduction.finish(mailbox, &combine)?;
                // SAFETY: the caller's.
                unsafe { variables.scatter(&bytes) }
            }
        }
    }
}

impl Exchanges {
    fn store(&self) -> Store<'_> {
        match &self.combine {
            Some(combine) => Store::Combine(&**combine),
            None => Store::Replace,
        }
    }

    /// Begins the exchange with that number, if there is one.
    ///
    /// # Safety
    /// As [`Operation::exchange`].
    unsafe fn begin(&self, mailbox: &Mailbox, phase: usize) -> Result<Option<Exchange>> {
        let Some(plan) = self.phases.get(phase) else { return Ok(None) };
        // SAFETY: the caller's.
        unsafe { plan.begin(mailbox, self.context, self.source, self.target, self.store()) }.map(Some)
    }
}

/// Combines variables that follow each other, each with its locations behind it.
pub(super) fn combine_all(variables: &[Variable], operator: Operator, left: &mut [u8], right: &[u8]) {
    let mut at = 0;
    for variable in variables {
        let range = at..at + variable.total();
        variable.combine(operator, &mut left[range.clone()], &right[range.clone()]);
        at = range.end;
    }
}
