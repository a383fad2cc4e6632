//! `continue` in loops of kernels in which threads meet. All threads take it alike if a barrier stands behind it, but where none does any more
//! until the turn ends, each thread may take it for itself. Such a one becomes branches around what it skips, so that a jump in these
//! loops is one of all threads: the form for processors, which takes such loops with all threads at once, knows no other.

use smol_str::SmolStr;

use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::walk_mut::{self, edit_bodies};
use apg_mir::*;

/// Does that in all kernels.
pub fn skip_by_branches(program: &mut Program) {
    for kernel in &mut program.kernels {
        let mut body = std::mem::take(&mut kernel.body);
        walk_mut::edit_stmts(&mut body, &mut |stmt| {
            let meets = meets(std::slice::from_ref(stmt), &|_| true);
            if let StmtKind::Loop { label, body, .. } = &mut stmt.kind
                && meets
                && leaves(body, *label)
            {
                let mut skipper = Skipper { label: *label, skipped: None, locals: &mut kernel.locals };
                *body = skipper.list(std::mem::take(body), false, true);
                if let Some(skipped) = skipper.skipped {
                    let position = stmt.position;
                    body.insert(0, set(skipped, false, position));
                }
            }
        });
        kernel.body = body;
    }
}

/// Whether threads meet in statements: at a barrier, or at what is wanted of what they do together.
fn meets(stmts: &[Stmt], wanted: &dyn Fn(CollectiveOp) -> bool) -> bool {
    let mut found = false;
    visit_stmts(stmts, &mut |it| found |= matches!(it.kind, StmtKind::Barrier));
    visit_exprs(stmts, &mut |it, _| {
        found |= matches!(&it.kind, ExprKind::Collective { operation, .. } if wanted(*operation));
    });
    found
}

/// Whether all threads of a block meet in statements.
fn meets_in_blocks(stmts: &[Stmt]) -> bool {
    meets(stmts, &|it| !it.is_of_warp())
}

/// Whether statements have a `continue` of that loop.
fn leaves(stmts: &[Stmt], label: LabelId) -> bool {
    let mut found = false;
    visit_stmts(stmts, &mut |it| found |= matches!(it.kind, StmtKind::Continue(to) if to == label));
    found
}

fn set(local: LocalId, value: bool, position: Position) -> Stmt {
    let value = Expr { ty: Ty::Bool, kind: ExprKind::Int(value.into()), position: None };
    Stmt { position, kind: StmtKind::Set { local, value } }
}

fn not(condition: Expr) -> Expr {
    let (operation, position) = (Operation::Not, condition.position);
    match condition.kind {
        ExprKind::Operation { operation: Operation::Not, mut args } if args.len() == 1 => args.remove(0),
        _ => Expr { ty: Ty::Bool, kind: ExprKind::Operation { operation, args: vec![condition] }, position },
    }
}

struct Skipper<'l> {
    label: LabelId,
    /// A local that says that the rest of the turn is skipped, where branches alone cannot.
    skipped: Option<LocalId>,
    locals: &'l mut Vec<Local>,
}

impl Skipper<'_> {
    /// Statements of a turn. `meets_behind`: all threads meet behind them; `last`: the turn ends behind them.
    fn list(&mut self, stmts: Vec<Stmt>, meets_behind: bool, last: bool) -> Vec<Stmt> {
        let mut done = Vec::new();
        let mut left: std::collections::VecDeque<Stmt> = stmts.into();
        while let Some(stmt) = left.pop_front() {
            if !leaves(std::slice::from_ref(&stmt), self.label) {
                done.push(stmt);
                continue;
            }
            if let StmtKind::Block(body) = stmt.kind {
                // A local has one name in all of a kernel, so that a scope can be left away.
                body.into_iter().rev().for_each(|it| left.push_front(it));
                continue;
            }
            // Of what can be left, a branch alone goes on behind its own `continue`.
            let is_branch = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Continue(_));
            let meets_inside = !is_branch && meets_in_blocks(std::slice::from_ref(&stmt));
            if meets_inside || meets_behind || meets_in_blocks(left.make_contiguous()) {
                done.push(stmt);
                continue;
            }
            done.extend(self.around(stmt, left.into(), last));
            return done;
        }
        done
    }

    /// A statement with a `continue`, and all that stands behind it.
    fn around(&mut self, mut stmt: Stmt, rest: Vec<Stmt>, last: bool) -> Vec<Stmt> {
        let position = stmt.position;
        let ends = last && rest.is_empty();
        match &mut stmt.kind {
            StmtKind::Continue(_) if last => return Vec::new(),
            StmtKind::Continue(_) => return vec![self.skip(position)],
            StmtKind::If { condition, then, otherwise } => {
                if self.only_ends(otherwise) && !leaves(then, self.label) {
                    *condition = not(condition.clone());
                    std::mem::swap(then, otherwise);
                }
                if self.only_ends(then) && !leaves(otherwise, self.label) {
                    then.pop();
                    if !last {
                        then.push(self.skip(position));
                    }
                    otherwise.extend(rest);
                    *otherwise = self.list(std::mem::take(otherwise), false, last);
                    if then.is_empty() {
                        *condition = not(condition.clone());
                        std::mem::swap(then, otherwise);
                    }
                    return vec![stmt];
                }
                for body in [then, otherwise] {
                    *body = self.list(std::mem::take(body), false, ends);
                }
            }
            // Out of an inner loop, `switch` or labelled block: that is left first.
            StmtKind::Loop { label, .. }
            | StmtKind::Switch { label, .. }
            | StmtKind::Labeled { label, .. } => {
                let label = *label;
                for body in walk_mut::bodies(&mut stmt.kind) {
                    edit_bodies(body, &mut |list| self.leave(list, label));
                }
            }
            _ => {}
        }
        let mut all = vec![stmt];
        if !rest.is_empty() {
            let skipped = Expr { ty: Ty::Bool, kind: ExprKind::Local(self.skipped()), position: None };
            let condition = not(skipped);
            let then = self.list(rest, false, last);
            all.push(Stmt { position, kind: StmtKind::If { condition, then, otherwise: Vec::new() } });
        }
        all
    }

    /// Each `continue` in a list leaves `inner` instead.
    fn leave(&mut self, list: &mut Vec<Stmt>, inner: LabelId) {
        let is_jump = |it: &Stmt| matches!(it.kind, StmtKind::Continue(label) if label == self.label);
        let Some(at) = list.iter().position(is_jump) else { return };
        let position = list[at].position;
        list.truncate(at);
        list.push(self.skip(position));
        list.push(Stmt { position, kind: StmtKind::Break(inner) });
    }

    /// Whether statements have one `continue`, at their end.
    fn only_ends(&self, stmts: &[Stmt]) -> bool {
        let is_jump = |it: &Stmt| matches!(it.kind, StmtKind::Continue(label) if label == self.label);
        stmts.split_last().is_some_and(|(end, before)| is_jump(end) && !leaves(before, self.label))
    }

    fn skip(&mut self, position: Position) -> Stmt {
        set(self.skipped(), true, position)
    }

    fn skipped(&mut self) -> LocalId {
        *self.skipped.get_or_insert_with(|| {
            let local = LocalId(self.locals.len() as u32);
            self.locals.push(Local { name: SmolStr::new_static("$skipped"), ty: Ty::Bool });
            local
        })
    }
}
