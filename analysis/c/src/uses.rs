//! Uses of a variable in a statement, in the order of evaluation (local def-use analysis: Aho, Lam, Sethi and
//! Ullman, *Compilers*, section 9.2).

use apg_c_syntax::TextRange;
use rustc_hash::FxHashMap;

use crate::hir::visit::Node;
use crate::hir::{ExprId, ExprKind, Program, StmtId, VariableId};

/// What is done with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    /// Its value is read.
    Read,
    /// It is stored to, whatever its value is.
    Store,
    /// It is stored to, depending on its value: `x++`.
    Update,
    /// Its address is taken: it may get a value anywhere.
    Address,
}

/// A use of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// What is done with it.
    pub kind: UseKind,
    /// The expression that names it.
    pub expr: ExprId,
    /// Where it is named.
    pub range: TextRange,
}

impl Program {
    /// The uses of a variable in a statement. A value is evaluated before it is stored; loops and branches
    /// are taken in the order of the source.
    pub fn uses_of(&self, variable: VariableId, stmt: StmtId) -> Vec<Use> {
        let names_it = |it: ExprId| self.expr(it).kind == ExprKind::Variable(variable);
        let mut special: FxHashMap<ExprId, (UseKind, TextRange)> = FxHashMap::default();
        let mut found: Vec<(apg_c_syntax::TextSize, Use)> = Vec::new();
        self.walk_stmt(stmt, &mut |node| {
            let Node::Expr(id) = node else { return true };
            let expr = self.expr(id);
            match expr.kind {
                ExprKind::Assign(op, target, _) if names_it(target) => {
                    let kind = if op.is_none() { UseKind::Store } else { UseKind::Update };
                    special.insert(target, (kind, expr.range));
                }
                ExprKind::Increment { target, .. } if names_it(target) => {
                    special.insert(target, (UseKind::Update, expr.range));
                }
                ExprKind::AddressOf(target) if self.base_variable(target) == Some(variable) => {
                    found.push((
                        expr.range.start(),
                        Use { kind: UseKind::Address, expr: target, range: expr.range },
                    ));
                    return false;
                }
                ExprKind::Variable(it) if it == variable => {
                    let (kind, at) = match special.get(&id) {
                        Some((UseKind::Store, whole)) => (UseKind::Store, whole.end()),
                        Some((kind, _)) => (*kind, expr.range.start()),
                        None => (UseKind::Read, expr.range.start()),
                    };
                    found.push((at, Use { kind, expr: id, range: expr.range }));
                }
                _ => {}
            }
            true
        });
        found.sort_by_key(|it| it.0);
        found.into_iter().map(|it| it.1).collect()
    }
}
