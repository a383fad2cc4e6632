//! Control-flow structurisation: `continue` in kernel loops with collective operations becomes branches.
//!
//! In front of a barrier a `continue` is uniform: all threads take it, or none. After the last barrier of an
//! iteration each thread may take it on its own. Work-item loops on CPUs run an iteration for all threads at
//! once and support uniform jumps only, so that a divergent `continue` is replaced by branches around the
//! statements that it skips. This pass is required for correct CPU code.

use smol_str::SmolStr;

use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::walk_mut::{self, edit_bodies};
use apg_mir::*;

/// Structurises the loops of all kernels.
pub(crate) fn structurize_continue(program: &mut Program) {
    for kernel in &mut program.kernels {
        let mut body = std::mem::take(&mut kernel.body);
        walk_mut::edit_stmts(&mut body, &mut |stmt| {
            let contains_collective = contains_collective(std::slice::from_ref(stmt), &|_| true);
            if let StmtKind::Loop { label, body, .. } = &mut stmt.kind
                && contains_collective
                && contains_continue(body, *label)
            {
                let mut structurizer =
                    Structurizer { label: *label, skipped: None, locals: &mut kernel.locals };
                *body = structurizer.list(std::mem::take(body), false, true);
                if let Some(skipped) = structurizer.skipped {
                    let span = stmt.span;
                    body.insert(0, set(skipped, false, span));
                }
            }
        });
        kernel.body = body;
    }
}

/// Whether statements contain a barrier or a selected collective operation.
fn contains_collective(stmts: &[Stmt], is_selected: &dyn Fn(CollectiveOp) -> bool) -> bool {
    let mut found = false;
    visit_stmts(stmts, &mut |it| found |= matches!(it.kind, StmtKind::Barrier));
    visit_exprs(stmts, &mut |it, _| {
        found |= matches!(&it.kind, ExprKind::Collective { operation, .. } if is_selected(*operation));
    });
    found
}

/// Whether statements contain a collective operation of all threads of a block.
fn contains_block_collective(stmts: &[Stmt]) -> bool {
    contains_collective(stmts, &|it| !it.is_of_warp())
}

/// Whether statements contain a `continue` of the loop.
fn contains_continue(stmts: &[Stmt], label: LabelId) -> bool {
    let mut found = false;
    visit_stmts(stmts, &mut |it| found |= matches!(it.kind, StmtKind::Continue(to) if to == label));
    found
}

fn set(local: LocalId, value: bool, span: Span) -> Stmt {
    let value = Expr::new(Ty::Bool, ExprKind::Int(value.into()));
    Stmt::new(span, StmtKind::Set { local, value })
}

fn not(condition: Expr) -> Expr {
    let (operation, span) = (Operation::Not, condition.span);
    match condition.kind {
        ExprKind::Operation { operation: Operation::Not, mut args } if args.len() == 1 => args.remove(0),
        _ => Expr::new(Ty::Bool, ExprKind::Operation { operation, args: vec![condition] }).with_span(span),
    }
}

struct Structurizer<'l> {
    label: LabelId,
    /// A local that is true when the rest of the iteration is skipped, where branches alone cannot express
    /// it.
    skipped: Option<LocalId>,
    locals: &'l mut Vec<Local>,
}

impl Structurizer<'_> {
    /// Structurises statements of an iteration. `collective_follows`: a collective operation of the block
    /// comes after them; `is_tail`: the iteration ends after them.
    fn list(&mut self, stmts: Vec<Stmt>, collective_follows: bool, is_tail: bool) -> Vec<Stmt> {
        let mut done = Vec::new();
        let mut rest: std::collections::VecDeque<Stmt> = stmts.into();
        while let Some(stmt) = rest.pop_front() {
            if !contains_continue(std::slice::from_ref(&stmt), self.label) {
                done.push(stmt);
                continue;
            }
            if let StmtKind::Block(body) = stmt.kind {
                // Locals of a kernel have unique names: the scope can be dropped.
                body.into_iter().rev().for_each(|it| rest.push_front(it));
                continue;
            }
            // A collective operation inside a branch may be on the path that does not continue.
            let is_branch = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Continue(_));
            let contains_inside = !is_branch && contains_block_collective(std::slice::from_ref(&stmt));
            if contains_inside || collective_follows || contains_block_collective(rest.make_contiguous()) {
                done.push(stmt);
                continue;
            }
            done.extend(self.structurize(stmt, rest.into(), is_tail));
            return done;
        }
        done
    }

    /// Structurises a statement that contains a `continue` together with the statements after it.
    fn structurize(&mut self, mut stmt: Stmt, rest: Vec<Stmt>, is_tail: bool) -> Vec<Stmt> {
        let span = stmt.span;
        let is_tail_here = is_tail && rest.is_empty();
        match &mut stmt.kind {
            StmtKind::Continue(_) if is_tail => return Vec::new(),
            StmtKind::Continue(_) => return vec![self.set_skipped(span)],
            StmtKind::If { condition, then, otherwise } => {
                if self.ends_in_continue(otherwise) && !contains_continue(then, self.label) {
                    *condition = not(condition.clone());
                    std::mem::swap(then, otherwise);
                }
                if self.ends_in_continue(then) && !contains_continue(otherwise, self.label) {
                    then.pop();
                    if !is_tail {
                        then.push(self.set_skipped(span));
                    }
                    otherwise.extend(rest);
                    *otherwise = self.list(std::mem::take(otherwise), false, is_tail);
                    if then.is_empty() {
                        *condition = not(condition.clone());
                        std::mem::swap(then, otherwise);
                    }
                    return vec![stmt];
                }
                for body in [then, otherwise] {
                    *body = self.list(std::mem::take(body), false, is_tail_here);
                }
            }
            // Leaves the inner loop, `switch` or labelled block first.
            StmtKind::Loop { label, .. }
            | StmtKind::Switch { label, .. }
            | StmtKind::Labeled { label, .. } => {
                let label = *label;
                for body in walk_mut::bodies(&mut stmt.kind) {
                    edit_bodies(body, &mut |list| self.replace_by_break(list, label));
                }
            }
            _ => {}
        }
        let mut all = vec![stmt];
        if !rest.is_empty() {
            let skipped = Expr::new(Ty::Bool, ExprKind::Local(self.skipped()));
            let condition = not(skipped);
            let then = self.list(rest, false, is_tail);
            all.push(Stmt::new(span, StmtKind::If { condition, then, otherwise: Vec::new() }));
        }
        all
    }

    /// Replaces each `continue` in a list by a jump out of `inner`.
    fn replace_by_break(&mut self, list: &mut Vec<Stmt>, inner: LabelId) {
        let is_jump = |it: &Stmt| matches!(it.kind, StmtKind::Continue(label) if label == self.label);
        let Some(at) = list.iter().position(is_jump) else { return };
        let span = list[at].span;
        list.truncate(at);
        list.push(self.set_skipped(span));
        list.push(Stmt::new(span, StmtKind::Break(inner)));
    }

    /// Whether statements have exactly one `continue`, as the last statement.
    fn ends_in_continue(&self, stmts: &[Stmt]) -> bool {
        let is_jump = |it: &Stmt| matches!(it.kind, StmtKind::Continue(label) if label == self.label);
        stmts.split_last().is_some_and(|(end, before)| is_jump(end) && !contains_continue(before, self.label))
    }

    fn set_skipped(&mut self, span: Span) -> Stmt {
        set(self.skipped(), true, span)
    }

    fn skipped(&mut self) -> LocalId {
        *self.skipped.get_or_insert_with(|| {
            let local = LocalId(self.locals.len() as u32);
            self.locals.push(Local { name: SmolStr::new_static("$skipped"), ty: Ty::Bool });
            local
        })
    }
}
