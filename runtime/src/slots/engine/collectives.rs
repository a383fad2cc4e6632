//! Collective operations: gathered at each place, then at the place of the subgroup's first slot, which
//! computes the results.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::state::{Arrival, Done, Engine, GroupRef, GroupState, Instance, Shape};
use crate::slots::collective::{Results, Terms, results, slice};
use crate::slots::group::{Group, Part, Subgroup};
use crate::slots::message::{Collected, SlotMessage, Transport};
use crate::slots::reduction::{Operation, combine};
use crate::slots::request::{Call, Completion, Elements, Failure, Source, Target};

/// Most subgroups of a group whose hosts are kept.
const MAX_SHAPES: usize = 256;

/// What a slot arrives at.
pub(super) struct Meeting {
    pub(super) subgroup: Subgroup,
    pub(super) terms: Terms,
    pub(super) position: u32,
    pub(super) rank: u32,
    /// The slots of this place that arrive by the call.
    pub(super) arrived: usize,
}

impl Meeting {
    pub(super) fn new(
        group: &GroupState,
        rank: u32,
        (call, gathered): (Call, (u32, u32)),
        root: i64,
        part: Elements,
        operation: i32,
        subgroup: [i64; 3],
    ) -> Result<Meeting, Failure> {
        let [first, count, stride] = subgroup;
        let Some(subgroup) = Subgroup::new(first, count, stride, group.group.size()) else {
            return Err(Failure::argument(format!(
                "a subgroup of {count} slots from {first} on, {stride} apart, is not inside of a group of {} slots",
                group.group.size()
            )));
        };
        let Some(position) = subgroup.position(rank) else {
            return Err(Failure::argument(format!(
                "slot {rank} is not in the subgroup whose {} it calls",
                call.name()
            )));
        };
        let root = match call.has_root() {
            true => u32::try_from(root).ok().and_then(|root| subgroup.position(root)).ok_or_else(|| {
                Failure::argument(format!("{} with root {root}, which is not in the subgroup", call.name()))
            })?,
            false => 0,
        };
        if part.size == 0 && call != Call::Barrier {
            return Err(Failure::argument(format!(
                "{} of elements with references: collective operations of slots take numbers, Boolean, Char and structs of these; send objects one by one",
                call.name()
            )));
        }
        let terms = Terms::new(call, root, part, operation);
        let reduces = matches!(call, Call::Reduce | Call::AllReduce);
        let operation = Operation::from_number(operation);
        if reduces && !operation.is_some_and(|it| combine(&mut [], &[], part.kind, it)) {
            let operation = operation.map_or("that operation".to_owned(), |it| format!("{it:?}"));
            return Err(Failure::argument(format!(
                "{} by {operation} has no meaning for these elements",
                call.name()
            )));
        }
        let arrived = match gathered {
            (_, 0) => 1,
            (first, count) if call == Call::Barrier && group.are_here(first, count) => count as usize,
            (first, count) => {
                return Err(Failure::argument(format!(
                    "{} for {count} slots from {first} on, which are not blocks of one place",
                    call.name()
                )));
            }
        };
        Ok(Meeting { subgroup, terms, position, rank, arrived })
    }
}

impl Instance {
    fn new(group: &GroupState, subgroup: Subgroup, terms: Terms, opened_by: u32) -> Instance {
        Instance {
            terms,
            opened_by,
            shape: group.shape(subgroup),
            arrived: 0,
            arrivals: Vec::new(),
            remote: FxHashMap::default(),
        }
    }
}

impl GroupState {
    /// Where the slots of a subgroup are.
    fn shape(&self, subgroup: Subgroup) -> Arc<Shape> {
        let mut shapes = self.shapes.lock();
        if let Some(shape) = shapes.get(&subgroup) {
            return Arc::clone(shape);
        }
        let hosts = hosts_of(&self.group, subgroup);
        let here = hosts.iter().filter(|it| it.0 == self.here).map(|it| it.1.len()).sum();
        let shape = Arc::new(Shape { hosts, here });
        if shapes.len() >= MAX_SHAPES {
            shapes.clear();
        }
        shapes.insert(subgroup, Arc::clone(&shape));
        shape
    }

    /// Whether these are slots of one part of this place.
    fn are_here(&self, first: u32, count: u32) -> bool {
        let has = |part: &Part| part.first <= first && u64::from(first) + u64::from(count) <= part.end();
        self.own.iter().any(|(part, _)| has(part))
    }
}

impl Engine {
    /// A slot arrives at a collective operation.
    pub(super) fn collect(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        meeting: Meeting,
        source: Source,
        target: Target,
        done: Done,
    ) {
        let Meeting { subgroup, terms, position, rank, arrived } = meeting;
        let source = match source.on_host() {
            Ok(source) => source,
            Err(failure) => return self.refuse(transport, group, failure, done),
        };
        let mut instances = group.instances.lock();
        if let Some(failure) = group.failed() {
            drop(instances);
            return done.finish(Err(failure));
        }
        let instance =
            instances.entry(subgroup).or_insert_with(|| Instance::new(group, subgroup, terms, rank));
        if instance.terms != terms {
            let failure = disagreement(&subgroup, rank, &terms, instance.opened_by, &instance.terms);
            drop(instances);
            return self.refuse(transport, group, failure, done);
        }
        instance.arrivals.push(Arrival { position, source, target, done });
        instance.arrived += arrived;
        if instance.arrived < instance.shape.here {
            return;
        }
        self.place_has_arrived(transport, group, subgroup, instances);
    }

    /// All slots of this place have arrived.
    fn place_has_arrived(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        subgroup: Subgroup,
        mut instances: parking_lot::MutexGuard<'_, FxHashMap<Subgroup, Instance>>,
    ) {
        let root = group.group.host_of(subgroup.first);
        if root == Some(group.here) {
            return self.finish_if_complete(transport, group, subgroup, instances);
        }
        let Some(instance) = instances.get_mut(&subgroup) else { return };
        instance.arrivals.sort_by_key(|it| it.position);
        let inputs: Vec<&[u8]> = instance.arrivals.iter().map(|it| it.source.bytes()).collect();
        let payload = inputs.concat();
        let collected =
            Collected { group: group.number, subgroup, terms: instance.terms, opened_by: instance.opened_by };
        drop(instances);
        if let Some(root) = root {
            transport.send(root, &SlotMessage::Collect(collected), &payload);
        }
    }

    /// At the host of the first slot: computes the results if all have arrived.
    fn finish_if_complete(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        subgroup: Subgroup,
        mut instances: parking_lot::MutexGuard<'_, FxHashMap<Subgroup, Instance>>,
    ) {
        let Some(instance) = instances.get(&subgroup) else { return };
        let shape = Arc::clone(&instance.shape);
        let of_others = || shape.hosts.iter().filter(|it| it.0 != group.here);
        if instance.arrived < shape.here || instance.remote.len() < of_others().count() {
            return;
        }
        let Some(instance) = instances.remove(&subgroup) else { return };
        drop(instances);
        let Instance { terms, arrivals, remote, .. } = instance;
        let mut inputs: Vec<&[u8]> = vec![&[]; subgroup.count as usize];
        for arrival in &arrivals {
            inputs[arrival.position as usize] = arrival.source.bytes();
        }
        for (host, positions) in of_others() {
            let mut at = 0;
            for position in positions {
                let length = terms.input_bytes(*position, subgroup.count);
                inputs[*position as usize] = slice(&remote[host], at, length);
                at += length;
            }
        }
        let results = results(&terms, subgroup.count, &inputs);
        for (host, positions) in of_others() {
            let payload = pack_results(&terms, &results, positions);
            transport.send(*host, &SlotMessage::Result { group: group.number, subgroup }, &payload);
        }
        for Arrival { position, target, done, .. } in arrivals {
            let written = target.write(results.of(position, terms.root));
            self.end_collective(transport, group, terms, written, done);
        }
    }

    /// A slot has its result, unless its device has failed.
    fn end_collective(
        &self,
        transport: &dyn Transport,
        group: &GroupRef,
        terms: Terms,
        written: Result<(), Failure>,
        done: Done,
    ) {
        match written {
            Ok(()) => done.finish(Ok(Completion { source: 0, elements: terms.elements })),
            Err(failure) => self.refuse(transport, group, failure, done),
        }
    }

    pub(super) fn on_collected(
        &self,
        transport: &dyn Transport,
        from: u32,
        collected: Collected,
        payload: &[u8],
    ) -> Result<(), &'static str> {
        let Collected { subgroup, terms, opened_by, .. } = collected;
        let Some(group) = self.group(collected.group, 0) else { return Ok(()) };
        let [first, count, stride] = [subgroup.first, subgroup.count, subgroup.stride].map(i64::from);
        if Subgroup::new(first, count, stride, group.group.size()) != Some(subgroup)
            || group.group.host_of(subgroup.first) != Some(group.here)
            || !terms.is_possible(subgroup.count)
        {
            return Err("a collective operation of a subgroup of this place");
        }
        let shape = group.shape(subgroup);
        let positions =
            shape.hosts.iter().find(|it| it.0 == from).ok_or("a place with slots of the subgroup")?;
        let expected: usize = positions.1.iter().map(|it| terms.input_bytes(*it, subgroup.count)).sum();
        if payload.len() != expected {
            return Err("the elements of a place's slots");
        }
        let mut instances = group.instances.lock();
        if group.failure.get().is_some() {
            return Ok(());
        }
        let instance =
            instances.entry(subgroup).or_insert_with(|| Instance::new(&group, subgroup, terms, opened_by));
        if instance.terms != terms {
            let failure = disagreement(&subgroup, opened_by, &terms, instance.opened_by, &instance.terms);
            drop(instances);
            self.fail(transport, &group, &failure.message);
            return Ok(());
        }
        if instance.remote.insert(from, payload.to_vec()).is_some() {
            return Err("each place of a collective operation once");
        }
        self.finish_if_complete(transport, &group, subgroup, instances);
        Ok(())
    }

    pub(super) fn on_result(
        &self,
        transport: &dyn Transport,
        group: i64,
        subgroup: Subgroup,
        payload: &[u8],
    ) -> Result<(), &'static str> {
        let Some(group) = self.group(group, 0) else { return Ok(()) };
        let Some(mut instance) = group.instances.lock().remove(&subgroup) else {
            return if group.failure.get().is_some() { Ok(()) } else { Err("the result of what was begun") };
        };
        instance.arrivals.sort_by_key(|it| it.position);
        let terms = instance.terms;
        let mut at = 0;
        for Arrival { position, target, done, .. } in instance.arrivals {
            let length = terms.output_bytes(position, subgroup.count);
            let written = target.write(slice(payload, at, length));
            if !terms.has_common_output() {
                at += length;
            }
            self.end_collective(transport, &group, terms, written, done);
        }
        Ok(())
    }
}

/// The hosts of a subgroup with the positions of their slots, in order.
fn hosts_of(group: &Group, subgroup: Subgroup) -> Vec<(u32, Vec<u32>)> {
    let mut hosts: Vec<(u32, Vec<u32>)> = Vec::new();
    for position in 0..subgroup.count {
        let Some(host) = group.host_of(subgroup.rank(position)) else { continue };
        match hosts.iter_mut().find(|it| it.0 == host) {
            Some(found) => found.1.push(position),
            None => hosts.push((host, vec![position])),
        }
    }
    hosts
}

/// The results of slots, one after the other; once if all receive the same.
fn pack_results(terms: &Terms, results: &Results, positions: &[u32]) -> Vec<u8> {
    let count = if terms.has_common_output() { 1 } else { positions.len() };
    let all: Vec<&[u8]> = positions.iter().take(count).map(|it| results.of(*it, terms.root)).collect();
    all.concat()
}

fn disagreement(subgroup: &Subgroup, rank: u32, terms: &Terms, other_rank: u32, other: &Terms) -> Failure {
    let root = |terms: &Terms| subgroup.rank(terms.root);
    Failure::argument(format!(
        "slots disagree on a collective operation: slot {rank} calls {}, and slot {other_rank} calls {}",
        terms.describe(root(terms)),
        other.describe(root(other))
    ))
}
