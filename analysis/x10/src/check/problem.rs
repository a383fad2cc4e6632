//! Problems of declarations as data, put in words when the diagnostics of a file are collected (decision 31).

use apg_syntax::TextRange;

use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::item_tree::source::{Item, ranges};
use crate::relate::Context;
use crate::rules::render::RenderContext;
use crate::rules::{Problem, ProblemData};
use crate::scope::problem::{Problem as SignatureProblem, placed};

/// A problem of the declaration of an item. It has no position: an index stands for its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeclarationProblem {
    /// Found by a check.
    Found {
        /// Index of its range among those of the item.
        at: u32,
        /// What the rule needs to put it in words.
        data: ProblemData,
    },
    /// Reported by the resolution of a name, signature or constraint.
    Signature(SignatureProblem),
}

impl DeclarationProblem {
    /// A problem at the range with this index.
    pub(crate) fn new(at: u32, data: impl Into<ProblemData>) -> DeclarationProblem {
        DeclarationProblem::Found { at, data: data.into() }
    }

    /// The same at the range with another index.
    pub(super) fn moved_to(mut self, index: u32) -> DeclarationProblem {
        match &mut self {
            DeclarationProblem::Found { at, .. } => *at = index,
            DeclarationProblem::Signature(problem) => problem.at = index,
        }
        self
    }
}

impl From<SignatureProblem> for DeclarationProblem {
    fn from(problem: SignatureProblem) -> DeclarationProblem {
        DeclarationProblem::Signature(problem)
    }
}

/// The problems of the declaration of an item as diagnostics; ranges are resolved only if there are any.
pub(super) fn declaration_problems(
    db: &dyn Db,
    item: Item,
    problems: &[DeclarationProblem],
) -> Vec<Diagnostic> {
    if problems.is_empty() {
        return Vec::new();
    }
    let ranges = ranges(db, item);
    let context = RenderContext::of_item(db, item);
    let range = |at: u32| -> TextRange { ranges.get(at as usize).copied().unwrap_or_default() };
    let render = |problem: &DeclarationProblem| match problem {
        DeclarationProblem::Found { at, data } => {
            vec![Problem::new(range(*at), data.clone()).render(&context)]
        }
        DeclarationProblem::Signature(problem) => item_problems(db, item, std::slice::from_ref(problem)),
    };
    problems.iter().flat_map(render).collect()
}

/// The problems of names and signatures of an item as diagnostics; ranges are resolved only if there are any.
pub(super) fn item_problems(db: &dyn Db, item: Item, problems: &[SignatureProblem]) -> Vec<Diagnostic> {
    if problems.is_empty() {
        return Vec::new();
    }
    let context = match item {
        Item::Method(method) => crate::relate::wellformed::guarded_context(db, method),
        Item::Field(field) => Context::class(db, field.class(db)),
        Item::Class(class) => Context::class(db, class),
        Item::Typedef(_) => Context::global(db),
    };
    let standing: Vec<SignatureProblem> =
        problems.iter().filter(|problem| problem.stands(&context)).cloned().collect();
    placed(&standing, &ranges(db, item))
}
