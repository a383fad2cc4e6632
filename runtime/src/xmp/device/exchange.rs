//! Exchanges between blocks in the memory of accelerators. A node tells those that it receives from that it
//! is ready, and where; each writes its elements there, from accelerator to accelerator, and says when they
//! have arrived (a put with post and start: MPI standard, "One-Sided Communications", active target). Where
//! an accelerator does not reach the other one, elements are packed by it, and go by way of the hosts.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::memory::BlockMemory;
use super::pairs;
use crate::device::BoxCopy;
use crate::xmp::error::{Result, XmpError};
use crate::xmp::exchange::{Plan, Transfer};
use crate::xmp::mailbox::{Context, Mailbox, Ticket};
use crate::xmp::segments::{decode_boxes, encode_boxes};
use crate::xmp::strided::{StridedBox, total_bytes};

/// The elements are where they belong.
const ARRIVED: u8 = 0;
/// They follow as a message.
const FOLLOW: u8 = 1;
/// Most lists of copies that are kept.
const MAX_KEPT: usize = 64;

/// Where a node wants its elements; behind it are their boxes.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    /// What names the memory; nothing where others do not reach it.
    handle: Vec<u8>,
    /// Where its block begins in that memory.
    offset: u64,
    /// Bytes of the block.
    bytes: u64,
}

/// Copies to a node's memory by what it has said of that, so that they are planned once.
#[derive(Default)]
pub(in crate::xmp) struct KeptCopies(Vec<Kept>);

struct Kept {
    /// The address of the block here, and the boxes that are sent.
    source: (u64, Vec<StridedBox>),
    node: u32,
    ready: Vec<u8>,
    copies: Arc<[BoxCopy]>,
}

impl KeptCopies {
    fn find(&self, node: u32, source: u64, boxes: &[StridedBox], ready: &[u8]) -> Option<Arc<[BoxCopy]>> {
        let is_it = |it: &&Kept| {
            it.node == node && it.source.0 == source && it.source.1 == boxes && it.ready == ready
        };
        self.0.iter().find(is_it).map(|it| Arc::clone(&it.copies))
    }

    fn keep(&mut self, kept: Kept) {
        if self.0.len() == MAX_KEPT {
            self.0.remove(0);
        }
        self.0.push(kept);
    }
}

/// Exchanges of a block, one after the other.
pub(in crate::xmp) struct DeviceExchange {
    phases: Arc<Vec<Plan>>,
    context: Context,
    block: Box<dyn BlockMemory>,
    /// Bytes of the block.
    bytes: u64,
    kept: Arc<Mutex<KeptCopies>>,
    /// The exchange that is under way.
    phase: usize,
    /// Its elements that go by way of the host; `None` are on their way already.
    sent: Vec<Option<Vec<u8>>>,
}

/// The error of boxes that no copies lead to.
fn too_divided() -> XmpError {
    XmpError::new("a section has too many axes with gaps for copies in the memory of an accelerator")
}

impl DeviceExchange {
    /// Begins the exchanges of a block of some bytes.
    ///
    /// # Errors
    /// A node has ended, or is in another construct; an accelerator has failed.
    ///
    /// # Safety
    /// The boxes of the plans are inside of the block, which nothing else uses until
    /// [`DeviceExchange::finish`] returns.
    pub(in crate::xmp) unsafe fn begin(
        mailbox: &Mailbox,
        (phases, context): (Arc<Vec<Plan>>, Context),
        block: Box<dyn BlockMemory>,
        bytes: u64,
        kept: &Arc<Mutex<KeptCopies>>,
    ) -> Result<DeviceExchange> {
        let kept = Arc::clone(kept);
        let mut all = DeviceExchange { phases, context, block, bytes, kept, phase: 0, sent: Vec::new() };
        // SAFETY: the caller's.
        unsafe { all.begin_phase(mailbox)? };
        Ok(all)
    }

    /// Says where elements may come to, begins what stays here, and sends where others are ready.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn begin_phase(&mut self, mailbox: &Mailbox) -> Result<()> {
        let phases = Arc::clone(&self.phases);
        let Some(plan) = phases.get(self.phase) else { return Ok(()) };
        for transfer in &plan.receives {
            mailbox.send(transfer.node, self.context, &self.ready(mailbox, transfer))?;
        }
        let tickets: Vec<Ticket> =
            plan.sends.iter().map(|it| mailbox.receive_any(it.node, self.context)).collect();
        let begun = tickets.iter().zip(&plan.sends).map(|(ticket, transfer)| {
            let ready = mailbox.wait(ticket)?;
            // SAFETY: the caller's block; the other node keeps its own until it hears that all is there.
            unsafe { self.send(mailbox, transfer, &ready) }
        });
        let begun: Result<Vec<Option<Vec<u8>>>> = begun.collect();
        self.sent = begun.inspect_err(|_| tickets.iter().for_each(|it| mailbox.cancel(it)))?;
        for (from, to) in &plan.copies {
            // SAFETY: the caller's block.
            unsafe { self.copy(from, to)? };
        }
        Ok(())
    }

    /// Where the elements of a transfer may come to.
    fn ready(&self, mailbox: &Mailbox, transfer: &Transfer) -> Vec<u8> {
        let exported = if mailbox.is_local(transfer.node) { self.block.export() } else { None };
        let (handle, offset) = exported.map_or((Vec::new(), 0), |it| (it.0.to_vec(), it.1));
        // A vector grows: encoding does not fail.
        let mut ready =
            postcard::to_allocvec(&Ready { handle, offset, bytes: self.bytes }).unwrap_or_default();
        ready.extend(encode_boxes(&transfer.boxes));
        ready
    }

    /// Begins to write elements where a node wants them, or packs them: the elements.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn send(&self, mailbox: &Mailbox, transfer: &Transfer, ready: &[u8]) -> Result<Option<Vec<u8>>> {
        let source = self.block.address();
        let mut kept = self.kept.lock();
        let found = kept.find(transfer.node, source, &transfer.boxes, ready);
        let copies = match found {
            Some(copies) => Some(copies),
            None => self.plan_put(mailbox, transfer, ready)?.inspect(|copies| {
                kept.keep(Kept {
                    source: (source, transfer.boxes.clone()),
                    node: transfer.node,
                    ready: ready.to_vec(),
                    copies: Arc::clone(copies),
                });
            }),
        };
        drop(kept);
        match copies {
            Some(copies) => {
                // SAFETY: the caller's block, and what the other node has made accessible.
                unsafe { self.block.begin_copies(&copies)? };
                Ok(None)
            }
            // SAFETY: the caller's block.
            None => unsafe { self.packed(&transfer.boxes) }.map(Some),
        }
    }

    /// The copies to a node's memory; `None` if the accelerator does not reach that.
    fn plan_put(
        &self,
        mailbox: &Mailbox,
        transfer: &Transfer,
        ready: &[u8],
    ) -> Result<Option<Arc<[BoxCopy]>>> {
        let malformed = || XmpError::new(format!("node {} says nothing of its memory", transfer.node));
        let (target, boxes): (Ready, _) = postcard::take_from_bytes(ready).map_err(|_| malformed())?;
        let (boxes, _) = decode_boxes(target.bytes, boxes).map_err(|_| malformed())?;
        if total_bytes(&boxes) != total_bytes(&transfer.boxes) {
            return Err(XmpError::new(format!(
                "this node sends {} bytes in `reflect`, and node {} expects {}",
                total_bytes(&transfer.boxes),
                transfer.node,
                total_bytes(&boxes)
            ))
            .hint("sections, widths and bounds have to be equal on all nodes"));
        }
        let Ok(handle) = target.handle.as_slice().try_into() else { return Ok(None) };
        if !mailbox.is_local(transfer.node) {
            return Ok(None);
        }
        let Some(start) = self.block.open(&handle) else { return Ok(None) };
        let there = start.wrapping_add(target.offset);
        Ok(pairs::copies(&transfer.boxes, self.block.address(), &boxes, there).map(Into::into))
    }

    /// The elements of boxes, packed.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn packed(&self, boxes: &[StridedBox]) -> Result<Vec<u8>> {
        let bytes = total_bytes(boxes);
        let whole = [StridedBox::new(0, &[], bytes)];
        let copies = pairs::copies(boxes, self.block.address(), &whole, 0).ok_or_else(too_divided)?;
        let at =
            |buffer: u64| copies.iter().map(|it| BoxCopy { target: it.target + buffer, ..*it }).collect();
        // SAFETY: the caller's boxes, and all of the buffer.
        unsafe { self.block.gather(bytes, &at) }
    }

    /// Stores packed elements.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn store(&self, boxes: &[StridedBox], elements: &[u8]) -> Result<()> {
        let whole = [StridedBox::new(0, &[], elements.len())];
        let copies = pairs::copies(&whole, 0, boxes, self.block.address()).ok_or_else(too_divided)?;
        let at =
            |buffer: u64| copies.iter().map(|it| BoxCopy { source: it.source + buffer, ..*it }).collect();
        // SAFETY: the caller's boxes, and all of the buffer.
        unsafe { self.block.scatter(elements, &at) }
    }

    /// Begins to copy elements that stay here.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn copy(&self, from: &[StridedBox], to: &[StridedBox]) -> Result<()> {
        let base = self.block.address();
        // SAFETY: the caller's block.
        unsafe {
            match pairs::copies(from, base, to, base) {
                Some(copies) => self.block.begin_copies(&copies),
                None => self.store(to, &self.packed(from)?),
            }
        }
    }

    /// Waits for the end of all exchanges.
    ///
    /// # Errors
    /// A node has ended, or is in another construct; an accelerator has failed.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    pub(in crate::xmp) unsafe fn finish(mut self, mailbox: &Mailbox) -> Result<()> {
        let phases = Arc::clone(&self.phases);
        while let Some(plan) = phases.get(self.phase) {
            self.block.end_copies()?;
            for (transfer, sent) in plan.sends.iter().zip(std::mem::take(&mut self.sent)) {
                match sent {
                    None => mailbox.send(transfer.node, self.context, &[ARRIVED])?,
                    Some(elements) => {
                        mailbox.send(transfer.node, self.context, &[FOLLOW])?;
                        mailbox.send(transfer.node, self.context, &elements)?;
                    }
                }
            }
            for transfer in &plan.receives {
                let how = self.receive(mailbox, transfer.node, 1)?;
                if how == [FOLLOW] {
                    let elements = self.receive(mailbox, transfer.node, total_bytes(&transfer.boxes))?;
                    // SAFETY: the caller's block.
                    unsafe { self.store(&transfer.boxes, &elements)? };
                }
            }
            self.phase += 1;
            // SAFETY: the caller's.
            unsafe { self.begin_phase(mailbox)? };
        }
        Ok(())
    }

    fn receive(&self, mailbox: &Mailbox, from: u32, length: usize) -> Result<Vec<u8>> {
        let ticket = mailbox.receive(from, self.context, length);
        mailbox.wait(&ticket).inspect_err(|_| mailbox.cancel(&ticket))
    }
}
