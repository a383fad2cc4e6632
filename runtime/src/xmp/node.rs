//! A node of the program: its messages, the executing nodes of nested tasks (XcalableMP 1.4, section 5.1),
//! and operations that were begun with `async`.

use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::collective::{self, AllReduce};
use super::device::sections::{load, memory_of, store, whole};
use super::device::{DeviceExchange, KeptCopies, Memories};
use super::error::{Result, XmpError};
use super::exchange::{Combine, Plan};
use super::gmove::{self, Side};
use super::kept_plans::{Assigned, KeptPlans};
use super::mailbox::{Construct, Context, Mailbox};
use super::node_set::NodeSet;
use super::one_sided::{self, RemoteMemory};
use super::operation::{Exchanges, Operation, combine_all};
use super::reduction::{Operator, Variable};
use super::strided::StridedBox;
use crate::offload::resident;

/// A node.
pub struct Node {
    mailbox: Arc<Mailbox>,
    entire: Arc<NodeSet>,
    /// The executing nodes of this and of all outer tasks.
    executing: Vec<Arc<NodeSet>>,
    pending: FxHashMap<i64, Vec<Operation>>,
    /// Plans of assignments.
    plans: KeptPlans,
    /// How many segments the nodes of a set have, by its fingerprint.
    segments: FxHashMap<u64, u64>,
    /// How many operations the nodes of a set have begun with `async`, by its fingerprint.
    operations: FxHashMap<u64, u64>,
    /// The width of the widest shadow of an array of the program.
    pub(super) widest_shadow: i64,
    /// Writes to other nodes whose end is not known yet.
    writes: Vec<one_sided::Write>,
    /// Copies between memories of accelerators.
    device_copies: Arc<Mutex<KeptCopies>>,
    /// Whether a node of a set has a GPU.
    have_gpus: FxHashMap<Arc<NodeSet>, bool>,
}

/// Sides of an assignment in memory.
#[derive(Debug)]
pub struct Assignment<'a> {
    /// The left side.
    pub to: &'a Side,
    /// Where it is.
    pub target: *mut u8,
    /// The right side.
    pub from: &'a Side,
    /// Where it is.
    pub source: *const u8,
    /// In the accelerator's copy of that memory: the left side, and the right side.
    pub on_device: (bool, bool),
}

impl Node {
    /// The node of a mailbox.
    pub fn new(mailbox: Arc<Mailbox>) -> Node {
        let entire = Arc::new(NodeSet::entire(mailbox.nodes()));
        Node {
            executing: vec![Arc::clone(&entire)],
            entire,
            mailbox,
            pending: FxHashMap::default(),
            plans: KeptPlans::default(),
            segments: FxHashMap::default(),
            operations: FxHashMap::default(),
            widest_shadow: 0,
            writes: Vec::new(),
            device_copies: Arc::default(),
            have_gpus: FxHashMap::default(),
        }
    }

    /// Its messages.
    pub fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }

    /// Its number.
    pub fn here(&self) -> u32 {
        self.mailbox.here()
    }

    /// All nodes of the program.
    pub fn entire(&self) -> &Arc<NodeSet> {
        &self.entire
    }

    /// The nodes that execute the current task.
    pub fn executing(&self) -> &Arc<NodeSet> {
        self.executing.last().unwrap_or(&self.entire)
    }

    /// Enters a task of some nodes; whether this one is among them. Unless nothing is communicated, the
    /// executing nodes meet first.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    pub fn begin_task(&mut self, nodes: NodeSet, has_barrier: bool) -> Result<bool> {
        if has_barrier {
            collective::barrier(&self.mailbox, self.executing())?;
        }
        let is_member = nodes.position(self.here()).is_some();
        self.executing.push(Arc::new(nodes));
        Ok(is_member)
    }

    /// Leaves the innermost task.
    pub fn end_task(&mut self) {
        if self.executing.len() > 1 {
            self.executing.pop();
        }
    }

    /// The number under which all nodes of a set know the next memory that they make accessible together.
    pub fn new_segment(&mut self, set: &NodeSet) -> u64 {
        next_number(&mut self.segments, set)
    }

    /// What tells the next operation of a set of nodes from the others that they begin with `async`, on all
    /// of them; 0 without `async`, as those have one order.
    pub fn new_operation(&mut self, set: &NodeSet, number: Option<i64>) -> u64 {
        number.map_or(0, |_| next_number(&mut self.operations, set))
    }

    /// Combines variables of all nodes of a set. `bytes` holds each variable and behind it its locations.
    ///
    /// # Errors
    /// A node has ended, or is in another construct; the operator has no meaning for a type.
    pub fn reduce(
        &self,
        set: &Arc<NodeSet>,
        operator: Operator,
        variables: &[Variable],
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        variables.iter().try_for_each(|it| it.check(operator))?;
        let combine = |left: &mut [u8], right: &[u8]| combine_all(variables, operator, left, right);
        let begun = AllReduce::begin(&self.mailbox, Arc::clone(set), std::mem::take(bytes), 0)?;
        *bytes = begun.finish(&self.mailbox, &combine)?;
        Ok(())
    }

    /// Executes exchanges one after the other, or begins to with a number that [`Node::wait_async`] waits
    /// for.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    ///
    /// # Safety
    /// The boxes of the plans are inside of memory from `source` and `target` on, which stays valid until
    /// the end of the operation.
    pub unsafe fn exchange(
        &mut self,
        phases: Arc<Vec<Plan>>,
        construct: Construct,
        source: *const u8,
        target: *mut u8,
        number: Option<i64>,
    ) -> Result<()> {
        let executing = Arc::clone(self.executing());
        let context = Context { construct, operation: self.new_operation(&executing, number) };
        let exchanges = Exchanges { phases, context, source, target, combine: None };
        // SAFETY: the caller's.
        unsafe {
            let begun = Operation::exchange(&self.mailbox, exchanges)?;
            self.go_on(begun, number)
        }
    }

    /// Whether an executing node has a GPU, where `own` says whether this node does: exchanges between
    /// memories have other messages then. The nodes of a set agree once.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    pub(super) fn have_gpus(&mut self, own: bool) -> Result<bool> {
        let executing = Arc::clone(self.executing());
        if let Some(known) = self.have_gpus.get(&executing) {
            return Ok(*known);
        }
        let any = |left: &mut [u8], right: &[u8]| left.iter_mut().zip(right).for_each(|(a, b)| *a |= b);
        let begun = AllReduce::begin(&self.mailbox, Arc::clone(&executing), vec![u8::from(own)], 0)?;
        let found = begun.finish(&self.mailbox, &any)? != [0];
        self.have_gpus.insert(executing, found);
        Ok(found)
    }

    /// As [`Node::exchange`], between memories of which some are of accelerators. `own` says whether this
    /// node has a GPU.
    ///
    /// # Errors
    /// A node has ended, or is in another construct; an accelerator has failed.
    ///
    /// # Safety
    /// The boxes of the plans are inside of the memories, which nothing else uses until the end of the
    /// operation.
    pub(super) unsafe fn exchange_between(
        &mut self,
        phases: Arc<Vec<Plan>>,
        construct: Construct,
        (memories, own): (Memories, bool),
        combine: Option<Combine>,
        number: Option<i64>,
    ) -> Result<()> {
        let have_gpus = self.have_gpus(own)?;
        let executing = Arc::clone(self.executing());
        let context = Context { construct, operation: self.new_operation(&executing, number) };
        let (source, target) = (memories.source.address(), memories.target.address());
        // SAFETY: the caller's; without GPUs all addresses are of the host.
        unsafe {
            let begun = if have_gpus {
                let kept = &self.device_copies;
                let what = (phases, context);
                Operation::Device(DeviceExchange::begin(&self.mailbox, what, memories, combine, kept)?)
            } else {
                let (source, target) = (source as *const u8, target as *mut u8);
                let exchanges = Exchanges { phases, context, source, target, combine };
                Operation::exchange(&self.mailbox, exchanges)?
            };
            self.go_on(begun, number)
        }
    }

    /// Waits for the end of an operation, or has [`Node::wait_async`] do so for its number.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    ///
    /// # Safety
    /// The memory of the operation stays valid until its end.
    pub(super) unsafe fn go_on(&mut self, operation: Operation, number: Option<i64>) -> Result<()> {
        match number {
            Some(number) => {
                self.pending.entry(number).or_default().push(operation);
                Ok(())
            }
            // SAFETY: the caller's.
            None => unsafe { operation.finish(&self.mailbox) },
        }
    }

    /// Waits for the operations that were begun with a number; none is no error.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    pub fn wait_async(&mut self, number: i64) -> Result<()> {
        for operation in self.pending.remove(&number).unwrap_or_default() {
            // SAFETY: the memory is valid until the end of the operation.
            unsafe { operation.finish(&self.mailbox)? };
        }
        Ok(())
    }

    /// `gmove` by all executing nodes.
    ///
    /// # Errors
    /// The sides do not match; a node has ended, or is in another construct.
    ///
    /// # Safety
    /// Both sides are in memory that may be read and written, until the end of the operation.
    pub unsafe fn gmove(
        &mut self,
        it: &Assignment<'_>,
        construct: Construct,
        number: Option<i64>,
    ) -> Result<()> {
        if it.from.is_scalar() && !it.to.is_scalar() {
            let mut value = vec![0_u8; it.from.element_bytes() as usize];
            let local = Side::new(gmove::Of::Local(Vec::new(), it.from.element_bytes()), None)?;
            gmove::check(it.to, it.from)?;
            let plan = gmove::plan(&local, it.from, self.executing(), self.here())?;
            let on_device = (false, it.on_device.1);
            let one = Assignment { to: &local, target: value.as_mut_ptr(), on_device, ..*it };
            // SAFETY: the caller's source, and an element of this function, which waits; the caller's target.
            return unsafe {
                self.assign(&one, Arc::new(vec![plan]), construct, None)?;
                fill(it, self.here(), &value)
            };
        }
        let plan = self.plan_of(it)?;
        // SAFETY: the caller's.
        unsafe { self.assign(it, plan, construct, number) }
    }

    /// The plan of an assignment, which is kept.
    fn plan_of(&mut self, it: &Assignment<'_>) -> Result<Arc<Vec<Plan>>> {
        let (here, executing) = (self.here(), Arc::clone(self.executing()));
        let overlaps = std::ptr::eq(it.source, it.target);
        let assigned = Assigned { to: it.to.clone(), from: it.from.clone(), executing, overlaps };
        let plan = match self.plans.find(&assigned) {
            Some(kept) => kept,
            None => {
                let mut plan = gmove::plan(it.to, it.from, &assigned.executing, here)?;
                plan.overlaps = overlaps;
                let plan = Arc::new(vec![plan]);
                self.plans.keep(assigned, &plan);
                plan
            }
        };
        // A side that is no global array may be a pointer to elements of the other one.
        let is_local = |side: &Side| matches!(side.of, gmove::Of::Local(..));
        let may_alias = !overlaps && (is_local(it.to) || is_local(it.from));
        if may_alias && plan.iter().any(|plan| plan.is_aliased(it.source, it.target)) {
            return Ok(Arc::new(plan.iter().map(|plan| Plan { overlaps: true, ..plan.clone() }).collect()));
        }
        Ok(plan)
    }

    /// Executes the plan of an assignment where its sides are.
    ///
    /// # Safety
    /// As [`Node::gmove`].
    unsafe fn assign(
        &mut self,
        it: &Assignment<'_>,
        plan: Arc<Vec<Plan>>,
        construct: Construct,
        number: Option<i64>,
    ) -> Result<()> {
        if it.on_device == (false, false) {
            // SAFETY: the caller's.
            return unsafe { self.exchange(plan, construct, it.source, it.target, number) };
        }
        let here = self.here();
        let memory = |on_device: bool, side: &Side, address: usize| match on_device {
            true => memory_of(address, &gmove::own_boxes(side, here)?),
            false => Ok(whole(None, address)),
        };
        let (to, from) = it.on_device;
        let source = memory(from, it.from, it.source as usize)?;
        let memories = Memories { source, target: memory(to, it.to, it.target as usize)? };
        // SAFETY: the caller's.
        unsafe { self.exchange_between(plan, construct, (memories, resident::has_gpu()), None, number) }
    }

    /// `gmove in`: reads a global array, whose segment has that number.
    ///
    /// # Errors
    /// The sides do not match; a node has ended.
    ///
    /// # Safety
    /// As [`Node::gmove`].
    pub unsafe fn gmove_in(&mut self, it: &Assignment<'_>, segment: u64) -> Result<()> {
        let here = self.here();
        if it.from.is_scalar() && !it.to.is_scalar() {
            let mut value = vec![0_u8; it.from.element_bytes() as usize];
            let local = Side::new(gmove::Of::Local(Vec::new(), it.from.element_bytes()), None)?;
            let on_device = (false, it.on_device.1);
            let one = Assignment { to: &local, target: value.as_mut_ptr(), on_device, ..*it };
            // SAFETY: the caller's source, an element of this function, and the caller's target.
            return unsafe {
                self.gmove_in(&one, segment)?;
                fill(it, here, &value)
            };
        }
        let (to, from) = it.on_device;
        for (node, remote, own) in gmove::plan_in(it.to, it.from, here)? {
            let bytes = if node == here {
                // SAFETY: the caller's source.
                unsafe { load(from, it.source, &remote)? }
            } else {
                one_sided::read(&self.mailbox, node, RemoteMemory { segment, on_device: from }, &remote)?
            };
            // SAFETY: the caller's target.
            unsafe { store(to, it.target, &own, &bytes)? };
        }
        Ok(())
    }

    /// `gmove out`: writes a global array, whose segment has that number, and waits until it is written. A
    /// source that all executing nodes have is written by the first one.
    ///
    /// # Errors
    /// The sides do not match; a node has ended.
    ///
    /// # Safety
    /// As [`Node::gmove`].
    pub unsafe fn gmove_out(&mut self, it: &Assignment<'_>, segment: u64) -> Result<()> {
        let here = self.here();
        let is_replicated = matches!(it.from.of, gmove::Of::Local(..));
        if is_replicated && self.executing().nodes.first() != Some(&here) {
            return gmove::check(it.to, it.from);
        }
        if it.from.is_scalar() && !it.to.is_scalar() {
            return Err(XmpError::new("`gmove out` assigns one element to a section")
                .hint("assign a section with as many elements"));
        }
        let (mut writes, (to, from)) = (Vec::new(), it.on_device);
        for (node, remote, own) in gmove::plan_out(it.to, it.from, here)? {
            // SAFETY: the caller's source.
            let bytes = unsafe { load(from, it.source, &own)? };
            if node == here {
                // SAFETY: the caller's target.
                unsafe { store(to, it.target, &remote, &bytes)? };
            } else {
                let of = RemoteMemory { segment, on_device: to };
                writes.push(one_sided::begin_write(&self.mailbox, node, of, &remote, &bytes)?);
            }
        }
        writes.into_iter().try_for_each(|it| one_sided::finish_write(&self.mailbox, it))
    }

    /// Writes to memory of a node; [`Node::sync_memory`] waits for the end.
    ///
    /// # Errors
    /// The node has ended.
    pub(super) fn put(
        &mut self,
        node: u32,
        of: RemoteMemory,
        boxes: &[StridedBox],
        elements: &[u8],
    ) -> Result<()> {
        self.writes.push(one_sided::begin_write(&self.mailbox, node, of, boxes, elements)?);
        Ok(())
    }

    /// Waits until all that this node has written to others is there.
    ///
    /// # Errors
    /// A node has ended.
    pub fn sync_memory(&mut self) -> Result<()> {
        std::mem::take(&mut self.writes)
            .into_iter()
            .try_for_each(|it| one_sided::finish_write(&self.mailbox, it))
    }

    /// Waits for all executing nodes, and for all that they have written.
    ///
    /// # Errors
    /// A node has ended, or is in another construct.
    pub fn sync_all(&mut self) -> Result<()> {
        self.sync_memory()?;
        collective::barrier(&self.mailbox, self.executing())
    }
}

/// The next number of a set of nodes, the same on all of them; numbers of other sets are others.
fn next_number(counts: &mut FxHashMap<u64, u64>, set: &NodeSet) -> u64 {
    let fingerprint = set.fingerprint();
    let count = counts.entry(fingerprint).or_default();
    *count += 1;
    fingerprint.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Stores one value in all elements of the left side that a node has.
///
/// # Safety
/// The section is in memory that may be written.
unsafe fn fill(it: &Assignment<'_>, here: u32, value: &[u8]) -> Result<()> {
    for part in gmove::own_boxes(it.to, here)? {
        let values = value.repeat(part.bytes() / value.len().max(1));
        // SAFETY: the caller's.
        unsafe { store(it.on_device.0, it.target, &[part], &values)? };
    }
    Ok(())
}
