//! Communication plans: which elements go to which node and come from which, computed once and executed any
//! number of times (the inspector and executor of Saltz, Mirchandaney and Crowley, "Run-Time
//! Parallelization and Scheduling of Loops", TC 1991).

use super::error::Result;
use super::mailbox::{Context, Mailbox, Ticket};
use super::strided::{StridedBox, copy_boxes, total_bytes};

/// Elements that go to a node or come from it, in the same order on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The other node.
    pub node: u32,
    /// Where the elements are here.
    pub boxes: Vec<StridedBox>,
}

/// What one node sends and receives. Elements of the node itself are copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Elements of the source.
    pub sends: Vec<Transfer>,
    /// Elements of the target.
    pub receives: Vec<Transfer>,
    /// Elements that stay here: those of the source, and those of the target.
    pub copies: Vec<(Vec<StridedBox>, Vec<StridedBox>)>,
    /// Elements of the target may be elements of the source: all are read before any is written.
    pub overlaps: bool,
}

/// How elements that have come are combined with those of the target: these, and those.
pub(super) type Combine = Box<dyn Fn(&mut [u8], &[u8]) + Send>;

/// How elements that have come are stored.
#[derive(Clone, Copy)]
pub enum Store<'a> {
    /// They replace those of the target.
    Replace,
    /// They are combined: elements of the target, elements that have come.
    Combine(&'a dyn Fn(&mut [u8], &[u8])),
}

/// A plan that is under way.
#[derive(Debug)]
#[must_use]
pub struct Exchange {
    tickets: Vec<Ticket>,
}

impl Plan {
    /// Adds elements that go from the source of this node to a node.
    pub fn add_send(&mut self, node: u32, boxes: Vec<StridedBox>) {
        push(&mut self.sends, node, boxes);
    }

    /// Adds elements that come from a node to the target of this node.
    pub fn add_receive(&mut self, node: u32, boxes: Vec<StridedBox>) {
        push(&mut self.receives, node, boxes);
    }

    /// How many boxes of memory it has.
    pub fn boxes(&self) -> usize {
        let transfers = self.sends.iter().chain(&self.receives).map(|it| it.boxes.len());
        transfers.sum::<usize>() + self.copies.iter().map(|it| it.0.len() + it.1.len()).sum::<usize>()
    }

    /// Whether bytes that it writes are some of those that it reads, if the boxes begin at these addresses;
    /// also where boxes are within each other and share no byte.
    pub fn is_aliased(&self, source: *const u8, target: *const u8) -> bool {
        let span = |boxes: &mut dyn Iterator<Item = &StridedBox>, base: *const u8| {
            let spans = boxes.filter(|it| it.bytes() > 0).map(StridedBox::span);
            let all = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
            Some(base as i64 + all.start..base as i64 + all.end)
        };
        let copies =
            |is_source: bool| self.copies.iter().flat_map(move |it| if is_source { &it.0 } else { &it.1 });
        let reads = span(&mut self.sends.iter().flat_map(|it| &it.boxes).chain(copies(true)), source);
        let writes = span(&mut self.receives.iter().flat_map(|it| &it.boxes).chain(copies(false)), target);
        reads.zip(writes).is_some_and(|(reads, writes)| reads.start < writes.end && writes.start < reads.end)
    }

    /// The plan in the other direction: what was received is sent.
    #[must_use]
    pub fn reversed(&self) -> Plan {
        let copies = self.copies.iter().map(|(source, target)| (target.clone(), source.clone())).collect();
        Plan { sends: self.receives.clone(), receives: self.sends.clone(), copies, overlaps: self.overlaps }
    }

    /// Sends what is to be sent, and begins to receive.
    ///
    /// # Errors
    /// A node has ended.
    ///
    /// # Safety
    /// The boxes of the plan are inside of memory from `source` and `target` on, which stays valid until
    /// [`Exchange::finish`].
    pub unsafe fn begin(
        &self,
        mailbox: &Mailbox,
        context: Context,
        source: *const u8,
        target: *mut u8,
        store: Store<'_>,
    ) -> Result<Exchange> {
        let lands = matches!(store, Store::Replace) && !self.overlaps;
        let receive = |it: &Transfer| match &it.boxes[..] {
            [only] if lands && only.is_contiguous() => {
                // SAFETY: the caller's memory.
                unsafe {
                    mailbox.receive_into(it.node, context, target.offset(only.offset as isize), only.run)
                }
            }
            boxes => mailbox.receive(it.node, context, total_bytes(boxes)),
        };
        let exchange = Exchange { tickets: self.receives.iter().map(receive).collect() };
        let mut buffer = Vec::new();
        // SAFETY: the caller's memory.
        unsafe { self.send(mailbox, context, source, &mut buffer) }
            .inspect_err(|_| exchange.cancel(mailbox))?;
        // SAFETY: the caller's memory.
        unsafe { self.copy(source, target, store, buffer) };
        Ok(exchange)
    }

    /// Sends what is to be sent.
    ///
    /// # Safety
    /// As [`Plan::begin`].
    unsafe fn send(
        &self,
        mailbox: &Mailbox,
        context: Context,
        source: *const u8,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        // Each node begins with the one behind it: no node gets all first messages.
        let here = mailbox.here();
        let start = self.sends.iter().position(|it| it.node > here).unwrap_or(0);
        for transfer in self.sends[start..].iter().chain(&self.sends[..start]) {
            match &transfer.boxes[..] {
                [only] if only.is_contiguous() => {
                    // SAFETY: the caller's memory.
                    let bytes =
                        unsafe { std::slice::from_raw_parts(source.offset(only.offset as isize), only.run) };
                    mailbox.send(transfer.node, context, bytes)?;
                }
                boxes => {
                    buffer.clear();
                    // SAFETY: the caller's memory.
                    boxes.iter().for_each(|it| unsafe { it.pack(source, buffer) });
                    mailbox.send(transfer.node, context, buffer)?;
                }
            }
        }
        Ok(())
    }

    /// Copies what stays here.
    ///
    /// # Safety
    /// As [`Plan::begin`].
    unsafe fn copy(&self, source: *const u8, target: *mut u8, store: Store<'_>, mut buffer: Vec<u8>) {
        if matches!(store, Store::Replace) && !self.overlaps {
            for (from, to) in &self.copies {
                // SAFETY: the caller's memory; no element of the target is one of the source.
                unsafe { copy_boxes(from, source, to, target) };
            }
            return;
        }
        buffer.clear();
        // SAFETY: the caller's memory.
        self.copies.iter().flat_map(|it| &it.0).for_each(|it| unsafe { it.pack(source, &mut buffer) });
        let mut rest = &buffer[..];
        for (_, to) in &self.copies {
            let (own, others) = rest.split_at(total_bytes(to));
            // SAFETY: the caller's memory.
            unsafe { store_all(to, target, own, store) };
            rest = others;
        }
    }

    /// Executes the plan.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    ///
    /// # Safety
    /// As [`Plan::begin`].
    pub unsafe fn run(
        &self,
        mailbox: &Mailbox,
        context: impl Into<Context>,
        source: *const u8,
        target: *mut u8,
        store: Store<'_>,
    ) -> Result<()> {
        // SAFETY: the caller's.
        unsafe {
            self.begin(mailbox, context.into(), source, target, store)?.finish(mailbox, self, target, store)
        }
    }
}

impl Exchange {
    /// Waits for what is to be received.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    ///
    /// # Safety
    /// `plan`, `target` and `store` are those of [`Plan::begin`].
    pub unsafe fn finish(
        self,
        mailbox: &Mailbox,
        plan: &Plan,
        target: *mut u8,
        store: Store<'_>,
    ) -> Result<()> {
        for (ticket, transfer) in self.tickets.iter().zip(&plan.receives) {
            let bytes = mailbox.wait(ticket).inspect_err(|_| self.cancel(mailbox))?;
            if bytes.len() == total_bytes(&transfer.boxes) {
                // SAFETY: the caller's memory.
                unsafe { store_all(&transfer.boxes, target, &bytes, store) };
            }
        }
        Ok(())
    }

    /// Gives up what is to be received: the memory of the plan may end.
    fn cancel(&self, mailbox: &Mailbox) {
        self.tickets.iter().for_each(|it| mailbox.cancel(it));
    }
}

/// Stores packed elements.
///
/// # Safety
/// The boxes are inside of memory from `target` on.
unsafe fn store_all(boxes: &[StridedBox], target: *mut u8, bytes: &[u8], store: Store<'_>) {
    let mut rest = bytes;
    for it in boxes {
        match store {
            // SAFETY: the caller's memory.
            Store::Replace => rest = unsafe { it.unpack(target, rest) },
            Store::Combine(combine) => {
                let mut own = Vec::new();
                // SAFETY: the caller's memory.
                unsafe { it.pack(target, &mut own) };
                let (new, others) = rest.split_at(own.len());
                combine(&mut own, new);
                // SAFETY: the caller's memory.
                unsafe { it.unpack(target, &own) };
                rest = others;
            }
        }
    }
}

fn push(transfers: &mut Vec<Transfer>, node: u32, boxes: Vec<StridedBox>) {
    if total_bytes(&boxes) == 0 {
        return;
    }
    match transfers.iter_mut().find(|it| it.node == node) {
        Some(transfer) => transfer.boxes.extend(boxes),
        None => transfers.push(Transfer { node, boxes }),
    }
}
