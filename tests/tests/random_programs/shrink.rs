//! Programs cut down to what still goes wrong.

use std::time::{Duration, Instant};

use crate::evaluate;
use crate::tree::*;

/// How long cutting down may take.
const LIMIT: Duration = Duration::from_secs(300);

/// The smallest program found that fails as the given one does: calls are dropped first, then statements,
/// each with all that it has inside, or all but that.
pub(crate) fn shrink(mut program: Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let end = Instant::now() + LIMIT;
    // Half of the calls, a quarter, ... one.
    let mut size = program.calls.len().div_ceil(2);
    while size > 0 && Instant::now() < end {
        let mut at = 0;
        while at < program.calls.len() && program.calls.len() > 1 && Instant::now() < end {
            let mut less = program.clone();
            less.calls.drain(at..(at + size).min(less.calls.len()));
            if !less.calls.is_empty() && fails(&less) {
                program = less;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    let mut at = 0;
    while Instant::now() < end {
        let mut dropped = program.clone();
        let mut counter = at;
        let found = dropped.functions.iter_mut().any(|function| drop_at(&mut function.body, &mut counter));
        if !found {
            break;
        }
        if let Some(less) = evaluated(dropped)
            && fails(&less)
        {
            program = less;
        } else {
            at += 1;
        }
    }
    program
}

/// The program with what it prints now, unless a variable is used that is gone, or a call takes too long.
fn evaluated(mut program: Program) -> Option<Program> {
    let calls = std::mem::take(&mut program.calls);
    for call in calls {
        let prints = evaluate::call(&program, call.function, &call.arguments)?;
        program.calls.push(Call { prints, ..call });
    }
    Some(program)
}

/// Drops the statement of a number, counted from the outside in; whether there is one.
fn drop_at(block: &mut Vec<Stmt>, counter: &mut usize) -> bool {
    for index in 0..block.len() {
        // Every function ends with its value, and barriers keep threads apart.
        if matches!(block[index], Stmt::Return(_) | Stmt::Advance) {
            continue;
        }
        if *counter == 0 {
            block.remove(index);
            return true;
        }
        *counter -= 1;
        let found = match &mut block[index] {
            Stmt::If(_, then, other) => drop_at(then, counter) || drop_at(other, counter),
            Stmt::Loop(count) | Stmt::Rounds(count) => drop_at(&mut count.body, counter),
            Stmt::Switch(_, _, cases) => cases.iter_mut().any(|case| drop_at(&mut case.body, counter)),
            Stmt::Try(body, arithmetic, any, last) => {
                drop_at(body, counter)
                    || arithmetic.as_mut().is_some_and(|handler| drop_at(handler, counter))
                    || drop_at(any, counter)
                    || drop_at(last, counter)
            }
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}
