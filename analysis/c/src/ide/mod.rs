//! Editor features of C files, about directives only: plain data, without types of a protocol.

mod assists;
mod communication;
mod completion;
mod hints;
mod hover;
mod lenses;
mod main_function;
mod openacc;
mod tokens;
mod transfers;

pub use self::assists::assists;
pub use self::communication::{CommunicationPlan, communication_plans};
pub use self::completion::{Completion, CompletionKind, completions};
pub use self::hints::{Inlay, inlays};
pub use self::hover::{Hover, hover};
pub use self::lenses::{Lens, LensKind, lenses};
pub use self::main_function::main_function;
pub use self::tokens::{Token, TokenKind, tokens};
pub use self::transfers::{Size, Transfer, TransferPlan, transfer_plans, transfers};

use apg_c_syntax::{TextRange, TextSize};

use crate::Parsed;
use crate::hir::{DirectiveId, ExprKind, VariableId};

/// The variable that is named at a position, with the range of its name.
fn variable_at(parsed: &Parsed, offset: TextSize) -> Option<(VariableId, TextRange, TextRange)> {
    parsed.program.exprs.iter().rev().find_map(|it| {
        let ExprKind::Variable(variable) = it.kind else { return None };
        // Headers have no ranges.
        if it.range.is_empty() {
            return None;
        }
        let spelled = parsed.spelled(it.range)?;
        (spelled.contains_inclusive(offset) && parsed.is_spelled(it.range))
            .then_some((variable, spelled, it.range))
    })
}

/// The directives whose statements contain a range of the tree, the innermost first.
fn regions_around(parsed: &Parsed, range: TextRange) -> Vec<DirectiveId> {
    let program = &parsed.program;
    let contains = |id: &DirectiveId| {
        let directive = program.directive(*id);
        directive.body.is_some_and(|it| program.stmt(it).range.contains_range(range))
            || directive.range.contains_range(range)
    };
    let mut found: Vec<DirectiveId> = program.directive_ids().filter(contains).collect();
    found.reverse();
    found
}
