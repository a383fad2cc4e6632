//! Native members of `x10.util.Team`.
#![expect(clippy::too_many_arguments, reason = "the signatures of entries")]

use crate::abi::{ExceptionKind, Outcome};
use crate::apgas::team;
use crate::apgas::team::{Operation, Part, Team};
use crate::heap::Ref;

pub(super) fn operation(number: i32) -> Outcome<Operation> {
    match Operation::from_number(number) {
        Some(operation) => Ok(operation),
        None => super::raise(
            ExceptionKind::IllegalArgument,
            &format!("{number} is none of the operations of x10.util.Team"),
        ),
    }
}

pub(crate) fn team_number() -> i32 {
    team::new_number()
}

pub(crate) fn team_forget(number: i64) {
    team::forget(number);
}

pub(crate) fn team_barrier(number: i64, members: Ref) -> Outcome<()> {
    team::barrier(&Team::new(number, members)?);
    Ok(())
}

pub(crate) fn team_broadcast(
    number: i64,
    members: Ref,
    root: i64,
    source: Ref,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
) -> Outcome<()> {
    let (source, target) = (Part::new(source, source_index, count), Part::new(target, target_index, count));
    team::broadcast(&Team::new(number, members)?, root, source, target)
}

pub(crate) fn team_scatter(
    number: i64,
    members: Ref,
    root: i64,
    source: Ref,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
    counts: Ref,
) -> Outcome<()> {
    let team = Team::new(number, members)?;
    team::scatter(&team, root, (source, source_index), (target, target_index), count, counts)
}

pub(crate) fn team_gather(
    number: i64,
    members: Ref,
    root: i64,
    source: Ref,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
    counts: Ref,
) -> Outcome<()> {
    let team = Team::new(number, members)?;
    team::gather(&team, root, (source, source_index), (target, target_index), count, counts)
}

pub(crate) fn team_exchange(
    number: i64,
    members: Ref,
    source: Ref,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
) -> Outcome<()> {
    let team = Team::new(number, members)?;
    team::exchange(&team, (source, source_index), (target, target_index), count)
}

pub(crate) fn team_combines(rail: Ref) -> bool {
    team::combines(rail)
}

pub(crate) fn team_reduce(
    number: i64,
    members: Ref,
    root: i64,
    source: Ref,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
    number_of_operation: i32,
) -> Outcome<()> {
    let (source, target) = (Part::new(source, source_index, count), Part::new(target, target_index, count));
    team::reduce(&Team::new(number, members)?, root, source, target, operation(number_of_operation)?)
}

pub(crate) fn team_all_reduce(
    number: i64,
    members: Ref,
    source: Ref,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
    number_of_operation: i32,
) -> Outcome<()> {
    let (source, target) = (Part::new(source, source_index, count), Part::new(target, target_index, count));
    team::all_reduce(&Team::new(number, members)?, source, target, operation(number_of_operation)?)
}
