//! Which references a function keeps beyond its end, or gives away: all that it does more with than read and write fields,
//! compare, and pass on to functions that do no more.

use super::is_host_code;
use crate::mir::*;

/// For each function, which of its parameters escape.
pub(super) type Escapes = Vec<Vec<bool>>;

/// Looks through all functions.
pub(super) fn escapes(program: &Program) -> Escapes {
    // Nothing does until it is seen to: what only functions on a cycle pass to each other does not.
    let mut all: Escapes = program
        .functions
        .iter()
        .map(|it| vec![!is_host_code(it) || it.body.is_empty(); it.params as usize])
        .collect();
    loop {
        let mut changed = false;
        for (index, function) in program.functions.iter().enumerate() {
            if all[index].iter().all(|it| *it) {
                continue;
            }
            let uses = Uses::of(function, &function.body, &all);
            for (param, escapes) in uses.escaped.iter().take(function.params as usize).enumerate() {
                changed |= *escapes && !std::mem::replace(&mut all[index][param], true);
            }
        }
        if !changed {
            return all;
        }
    }
}

/// What happens to the locals of a function.
pub(super) struct Uses<'a> {
    escapes: &'a Escapes,
    /// Escapes, by local.
    pub escaped: Vec<bool>,
    /// Is the value of another local, too.
    pub aliased: Vec<bool>,
    /// How often it is set.
    pub sets: Vec<u32>,
    /// Pairs of a local and another one that is set to it.
    copies: Vec<(LocalId, LocalId)>,
}

impl<'a> Uses<'a> {
    /// Looks through a function's body.
    pub fn of(function: &Function, body: &[Stmt], escapes: &'a Escapes) -> Uses<'a> {
        let count = function.locals.len();
        let (escaped, aliased, sets) = (vec![false; count], vec![false; count], vec![0; count]);
        let mut uses = Uses { escapes, escaped, aliased, sets, copies: Vec::new() };
        walk::visit_stmts(body, &mut |stmt| uses.stmt(&stmt.kind));
        // A local escapes if a copy does.
        loop {
            let mut changed = false;
            for (from, to) in uses.copies.clone() {
                let escapes = uses.escaped[to.index()];
                changed |= escapes && !std::mem::replace(&mut uses.escaped[from.index()], true);
            }
            if !changed {
                return uses;
            }
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Set { local, value } => {
                self.sets[local.index()] += 1;
                if let ExprKind::Local(from) = super::bare(value).kind {
                    self.aliased[from.index()] = true;
                    self.copies.push((from, *local));
                } else {
                    self.expr(value, false);
                }
            }
            StmtKind::SetField { object, value, .. } => {
                self.expr(object, true);
                self.expr(value, false);
            }
            StmtKind::SetElement { rail, index, value, .. } => {
                self.expr(rail, true);
                self.expr(index, false);
                self.expr(value, false);
            }
            StmtKind::Expr(value) => self.expr(value, true),
            StmtKind::Try { catches, .. } => {
                catches.iter().for_each(|it| self.sets[it.local.index()] += 1);
            }
            other => walk::operands(other).into_iter().for_each(|it| self.expr(it, false)),
        }
    }

    /// `harmless`: nothing keeps the value of the expression.
    fn expr(&mut self, expr: &Expr, harmless: bool) {
        match &expr.kind {
            ExprKind::Local(local) => self.escaped[local.index()] |= !harmless,
            ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => self.expr(value, harmless),
            ExprKind::InstanceOf { value, .. }
            | ExprKind::Field { object: value, .. }
            | ExprKind::Length { rail: value, .. } => self.expr(value, true),
            ExprKind::Element { rail, index, .. } => {
                self.expr(rail, true);
                self.expr(index, true);
            }
            ExprKind::Operation { args, .. } => args.iter().for_each(|it| self.expr(it, true)),
            ExprKind::Call { function, args } => {
                let escapes = &self.escapes[function.index()];
                for (index, arg) in args.iter().enumerate() {
                    self.expr(arg, escapes.get(index) == Some(&false));
                }
            }
            other => walk::children(other).into_iter().for_each(|it| self.expr(it, false)),
        }
    }
}
