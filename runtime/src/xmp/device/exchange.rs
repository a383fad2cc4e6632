//! Exchanges of elements in the memory of accelerators. A node tells those that it receives from that it is
//! ready, and where; each writes its elements there, from accelerator to accelerator, and says when they have
//! arrived (a put with post and start: MPI standard, "One-Sided Communications", active target). Where an
//! accelerator does not reach the other one, or a side is memory of the host, elements are packed where they
//! are, and go by way of the hosts.

use std::slice::from_ref;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::memory::Memories;
use super::packing::{gather, scatter};
use super::pairs;
use crate::device::BoxCopy;
use crate::xmp::error::{Result, XmpError};
use crate::xmp::exchange::{Combine, Plan, Transfer};
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
    /// Where in that memory the boxes' base is.
    offset: u64,
    /// Bytes from there to the end of that memory.
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
    /// `None`: the elements go by way of the host.
    copies: Option<Arc<[BoxCopy]>>,
}

impl KeptCopies {
    fn find(
        &mut self,
        node: u32,
        source: u64,
        boxes: &[StridedBox],
        ready: &[u8],
    ) -> Option<&mut Option<Arc<[BoxCopy]>>> {
        let is_it = |it: &&mut Kept| {
            it.node == node && it.source.0 == source && it.source.1 == boxes && it.ready == ready
        };
        self.0.iter_mut().find(is_it).map(|it| &mut it.copies)
    }

    fn keep(&mut self, kept: Kept) {
        if self.0.len() == MAX_KEPT {
            self.0.remove(0);
        }
        self.0.push(kept);
    }
}

/// Exchanges between memories, one after the other.
pub(in crate::xmp) struct DeviceExchange {
    phases: Arc<Vec<Plan>>,
    context: Context,
    memories: Memories,
    /// Replaces elements of the target unless given.
    combine: Option<Combine>,
    kept: Arc<Mutex<KeptCopies>>,
    /// The exchange that is under way.
    phase: usize,
    /// Its elements that go by way of the host; `None` are on their way already.
    sent: Vec<Option<Vec<u8>>>,
}

impl DeviceExchange {
    /// Begins exchanges between memories; elements of the target are replaced, or combined with those that
    /// come.
    ///
    /// # Errors
    /// A node has ended, or is in another construct; an accelerator has failed.
    ///
    /// # Safety
    /// The boxes of the plans are inside of the memories, which nothing else uses until
    /// [`DeviceExchange::finish`] returns.
    pub(in crate::xmp) unsafe fn begin(
        mailbox: &Mailbox,
        (phases, context): (Arc<Vec<Plan>>, Context),
        memories: Memories,
        combine: Option<Combine>,
        kept: &Arc<Mutex<KeptCopies>>,
    ) -> Result<DeviceExchange> {
        let kept = Arc::clone(kept);
        let mut all = DeviceExchange { phases, context, memories, combine, kept, phase: 0, sent: Vec::new() };
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
        // Elements that replace nothing, or those that are read as well, are stored here.
        let is_open = self.combine.is_none() && !plan.overlaps;
        for transfer in &plan.receives {
            mailbox.send(transfer.node, self.context, &self.ready(mailbox, transfer, is_open))?;
        }
        let tickets: Vec<Ticket> =
            plan.sends.iter().map(|it| mailbox.receive_any(it.node, self.context)).collect();
        let begun = tickets.iter().zip(&plan.sends).map(|(ticket, transfer)| {
            let ready = mailbox.wait(ticket)?;
            // SAFETY: the caller's memories; the other node keeps its own until it hears that all is there.
            unsafe { self.send(mailbox, transfer, &ready) }
        });
        let begun: Result<Vec<Option<Vec<u8>>>> = begun.collect();
        self.sent = begun.inspect_err(|_| tickets.iter().for_each(|it| mailbox.cancel(it)))?;
        // SAFETY: the caller's memories.
        unsafe { self.copy_all(plan, is_open) }
    }

    /// Where the elements of a transfer may come to; others write there only if it is `open` to them.
    fn ready(&self, mailbox: &Mailbox, transfer: &Transfer, is_open: bool) -> Vec<u8> {
        let is_reached = is_open && mailbox.is_local(transfer.node);
        let exported = if is_reached { self.memories.target.export() } else { None };
        let ready = match exported {
            Some(it) => Ready { handle: it.handle.to_vec(), offset: it.offset, bytes: it.bytes },
            None => Ready { handle: Vec::new(), offset: 0, bytes: u64::MAX },
        };
        // A vector grows: encoding does not fail.
        let mut ready = postcard::to_allocvec(&ready).unwrap_or_default();
        ready.extend(encode_boxes(&transfer.boxes));
        ready
    }

    /// Begins to write elements where a node wants them, or packs them: the elements.
    ///
    /// Whatever fails when another node's memory is mapped or written to, the elements go by way of the host,
    /// now and later. A copy that has begun before the failure writes the elements that the other node
    /// stores again: this node waits for its end first ([`DeviceExchange::finish`]).
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn send(&self, mailbox: &Mailbox, transfer: &Transfer, ready: &[u8]) -> Result<Option<Vec<u8>>> {
        let source = self.memories.source.address();
        let mut kept = self.kept.lock();
        if kept.find(transfer.node, source, &transfer.boxes, ready).is_none() {
            let copies = self.plan_put(mailbox, transfer, ready)?;
            let (source, ready) = ((source, transfer.boxes.clone()), ready.to_vec());
            kept.keep(Kept { source, node: transfer.node, ready, copies });
        }
        if let Some(found) = kept.find(transfer.node, source, &transfer.boxes, ready)
            && let Some(copies) = found.clone()
        {
            // SAFETY: the caller's memories, and what the other node has made accessible.
            match unsafe { self.memories.source.begin_copies(&copies) } {
                Ok(()) => return Ok(None),
                Err(error) => {
                    tracing::debug!(%error.message, node = transfer.node, "no copy to the memory of a node");
                    *found = None;
                }
            }
        }
        drop(kept);
        // SAFETY: the caller's memories.
        unsafe { self.packed(&transfer.boxes) }.map(Some)
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
                "this node sends {} bytes, and node {} expects {}",
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
        let source = &self.memories.source;
        let Some(start) = source.open(&handle) else { return Ok(None) };
        let there = start.wrapping_add(target.offset);
        Ok(pairs::copies(&transfer.boxes, source.address(), &boxes, there).map(Into::into))
    }

    /// The elements of boxes of the source, packed.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn packed(&self, boxes: &[StridedBox]) -> Result<Vec<u8>> {
        // SAFETY: the caller's.
        unsafe { gather(&*self.memories.source, boxes) }
    }

    /// Stores packed elements in the target, or combines them with its own.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn store(&self, boxes: &[StridedBox], elements: &[u8]) -> Result<()> {
        let target = &*self.memories.target;
        let Some(combine) = &self.combine else {
            // SAFETY: the caller's.
            return unsafe { scatter(target, boxes, elements) };
        };
        // One after the other: in a ring of few nodes several boxes have the same elements.
        let mut rest = elements;
        for part in boxes.iter().map(from_ref) {
            let (new, others) = rest.split_at(total_bytes(part));
            // SAFETY: the caller's.
            unsafe {
                let mut own = gather(target, part)?;
                combine(&mut own, new);
                scatter(target, part, &own)?;
            }
            rest = others;
        }
        Ok(())
    }

    /// Copies elements that stay here, or begins to.
    ///
    /// # Safety
    /// As [`DeviceExchange::begin`].
    unsafe fn copy_all(&self, plan: &Plan, is_open: bool) -> Result<()> {
        let Memories { source, target } = &self.memories;
        let mut packed = Vec::new();
        for (from, to) in &plan.copies {
            let is_direct = is_open && source.is_host() == target.is_host();
            let copies = is_direct.then(|| pairs::copies(from, source.address(), to, target.address()));
            match copies.flatten() {
                // SAFETY: the caller's memories.
                Some(copies) => unsafe { target.begin_copies(&copies)? },
                // SAFETY: the caller's memories.
                None => packed.push((to, unsafe { self.packed(from)? })),
            }
        }
        if !packed.is_empty() {
            // All that may be overwritten has been read then.
            source.end_copies()?;
        }
        // SAFETY: the caller's memories.
        packed.iter().try_for_each(|(to, elements)| unsafe { self.store(to, elements) })
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
            self.memories.source.end_copies()?;
            self.memories.target.end_copies()?;
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
                    // SAFETY: the caller's memories.
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
