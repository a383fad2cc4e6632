//! Call hierarchy: the callers and the callees of a method.

use apg_syntax::TextRange;

use super::navigation_target::Symbol;
use super::references::{Access, references};
use super::spans::owner_at;
use crate::body::Owner;
use crate::body::{ExprKind, StmtKind};
use crate::db::Db;
use crate::ids::{MethodId, SourceFile};
use crate::infer::owner_body;
use crate::item_tree::source::{Item, item_offset};

/// A caller or callee, and the calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// The method or field whose code calls, or the method that is called.
    pub item: Item,
    /// The calls; in the caller's file.
    pub ranges: Vec<TextRange>,
}

/// The callers of a method.
pub fn incoming_calls(db: &dyn Db, files: &[SourceFile], method: MethodId) -> Vec<Calls> {
    let mut all: Vec<Calls> = Vec::new();
    for found in references(db, files, &Symbol::Item(Item::Method(method))) {
        if found.access == Access::Declaration {
            continue;
        }
        if let Some(owner) = owner_at(db, found.file, found.range) {
            add(&mut all, owner.into(), found.range);
        }
    }
    all
}

/// The callees of a method.
pub fn outgoing_calls(db: &dyn Db, method: MethodId) -> Vec<Calls> {
    let owner = Owner::Method(method);
    let offset = item_offset(db, owner.into());
    let body = &owner_body(db, owner).body;
    let mut all: Vec<Calls> = Vec::new();
    for e in &body.exprs {
        match &e.kind {
            // An implicit conversion is not written in the source.
            ExprKind::Call { method, .. } if method.name(db) == "operator implicit as" => {}
            ExprKind::Call { method, .. } => add(&mut all, Item::Method(*method), e.range + offset),
            ExprKind::New { constructor, .. } => add(&mut all, Item::Method(*constructor), e.range + offset),
            _ => {}
        }
    }
    for stmt in &body.stmts {
        if let StmtKind::ConstructorCall { constructor, .. } = &stmt.kind {
            add(&mut all, Item::Method(*constructor), stmt.range + offset);
        }
    }
    all
}

fn add(all: &mut Vec<Calls>, item: Item, range: TextRange) {
    match all.iter_mut().find(|calls| calls.item == item) {
        Some(calls) => calls.ranges.push(range),
        None => all.push(Calls { item, ranges: vec![range] }),
    }
}
