//! Sequential loops over blocks or threads: nested loops, and loops with a step.

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{AssignTarget, Clocked, ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
use crate::kernel::shape::axes::Level;
use crate::rules::cuda;
use crate::ty::known::Known;

impl KernelContext<'_> {
    /// Reports nested loops of which the innermost starts the level's activities; returns the body of the
    /// innermost.
    pub(crate) fn match_nested_loops(&self, level: Level, outer: StmtId) -> Option<StmtId> {
        let mut loops = vec![outer];
        while let Some(inner) = self.loop_inside(*loops.last()?) {
            loops.push(inner);
        }
        // A block's thread loop is nested as well, and so are loops in thread code.
        let plain = self.async_of(outer).is_none();
        while !self.starts_level(level, plain, *loops.last()?) {
            loops.pop();
        }
        if loops.len() < 2 {
            return None;
        }
        let innermost = self.loop_body(*loops.last()?)?;
        let head = TextRange::new(self.stmt(outer).range.start(), self.stmt(innermost).range.start());
        let violation = self.violation(head, cuda::nested_loops::NestedLoops { noun: level.noun() });
        self.report(violation.fix(self.product_loop_fix(&loops, innermost)));
        Some(innermost)
    }

    /// Reports a loop that is no range loop; the fix counts by a range, if the loop only counts.
    pub(crate) fn report_not_a_range_loop(&self, level: Level, stmt: StmtId) {
        let data = cuda::not_a_range_loop::NotARangeLoop { noun: level.noun() };
        let violation = self.violation(self.loop_header_range(stmt), data).fix(self.range_loop_fix(stmt));
        self.report(violation);
    }

    /// A fix that writes `for (i in 0n..(n - 1n))` for `for (var i:Int = 0n; i < n; i++)`.
    fn range_loop_fix(&self, stmt: StmtId) -> Option<FixTemplate> {
        let StmtKind::For { init, condition: Some(condition), update, body, .. } = &self.stmt(stmt).kind
        else {
            return None;
        };
        let ([init], [update]) = (&init[..], &update[..]) else { return None };
        let StmtKind::Let { local, init: Some(first) } = self.stmt(*init).kind else { return None };
        let (sign, left, last) = self.binary_operator(*condition)?;
        let last = self.strip_coercions(last);
        let ty = self
            .local(local)
            .ty
            .primitive(self.semantics.db)
            .filter(|it| matches!(it, Known::Int | Known::Long))?;
        if !self.is_literal(first, 0)
            || !self.expr(last).ty.is_known(self.semantics.db, ty)
            || self.named_local(left) != Some(local)
            || !self.counts_up(local, *update)
            || !self.is_movable(last)
            || !self.is_unassigned_in(local, *body)
        {
            return None;
        }
        let one = if ty == Known::Int { "1n" } else { "1" };
        // The source range of a parenthesised operand excludes the parentheses.
        let (before, behind) = match (sign, &self.expr(last).kind) {
            ("<", ExprKind::Literal(_) | ExprKind::Local(_)) => ("", format!(" - {one}")),
            ("<", _) => ("(", format!(") - {one}")),
            ("<=", _) => ("", String::new()),
            _ => return None,
        };
        let head = vec![
            text(format!("for ({} in ", self.local(local).name)),
            Fragment::Source(self.expr(first).range),
            text(format!("..({before}")),
            Fragment::Source(self.expr(last).range),
            text(format!("{behind})) ")),
        ];
        let range = TextRange::new(self.stmt(stmt).range.start(), self.stmt(*body).range.start());
        Some(FixTemplate::edits(vec![text("Count by a range")], vec![EditTemplate { range, text: head }]))
    }

    /// Whether no assignment in a statement targets the local.
    fn is_unassigned_in(&self, local: LocalId, stmt: StmtId) -> bool {
        let mut keeps = true;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            keeps &= !matches!(node, Node::Expr(expr) if matches!(self.expr(expr).kind,
                ExprKind::Assign { target: AssignTarget::Local(it), .. } if it == local));
            keeps
        });
        keeps
    }

    fn is_literal(&self, expr: ExprId, number: i64) -> bool {
        matches!(self.expr(self.strip_coercions(expr)).kind, ExprKind::Literal(Literal::Int(it)) if it == number)
    }

    /// Whether an expression increments the local by one and assigns nothing else.
    fn counts_up(&self, local: LocalId, update: ExprId) -> bool {
        let mut assigned = Vec::new();
        self.body.walk(Node::Expr(update), &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Assign { target, value } = self.expr(expr).kind
            {
                let adds_one = self.binary_operator(value).is_some_and(|(sign, left, right)| {
                    sign == "+" && self.named_local(left) == Some(local) && self.is_literal(right, 1)
                });
                assigned.push(target == AssignTarget::Local(local) && adds_one);
            }
            true
        });
        assigned == [true]
    }

    /// The body of a loop.
    pub(crate) fn loop_body(&self, stmt: StmtId) -> Option<StmtId> {
        match self.stmt(stmt).kind {
            StmtKind::ForIn { body, .. } | StmtKind::For { body, .. } => Some(body),
            _ => None,
        }
    }

    /// The loop that is the only content of a loop, apart from an `async` and a `finish` around it.
    fn loop_inside(&self, outer: StmtId) -> Option<StmtId> {
        let mut stmt = self.loop_body(outer)?;
        loop {
            let [only] = self.flat_statements(stmt)[..] else { return None };
            match self.stmt(only).kind {
                StmtKind::ForIn { .. } => return Some(only),
                StmtKind::Async { body, .. } | StmtKind::Finish { body, .. } => stmt = body,
                _ => return None,
            }
        }
    }

    /// Whether a loop starts the activities of a level: blocks contain a `finish`, threads are clocked.
    fn starts_level(&self, level: Level, plain: bool, stmt: StmtId) -> bool {
        let Some((clocked, body)) = self.async_of(stmt) else { return false };
        let waits = |stmt: &StmtId| matches!(self.stmt(*stmt).kind, StmtKind::Finish { .. });
        match level {
            Level::Blocks => !clocked && self.flat_statements(body).iter().any(waits),
            Level::Threads => clocked || plain,
        }
    }

    /// The `async` directly in a loop: whether it is clocked, and its body.
    fn async_of(&self, stmt: StmtId) -> Option<(bool, StmtId)> {
        self.flat_statements(self.loop_body(stmt)?).into_iter().find_map(|stmt| match &self.stmt(stmt).kind {
            StmtKind::Async { clocked, body, .. } => Some((*clocked != Clocked::No, *body)),
            _ => None,
        })
    }

    /// A fix that writes one loop over the product of the ranges. It requires independent ranges of `Long`s
    /// and only `async` and `finish` between the loops: axes of a product are `Long`s, whose arithmetic
    /// differs from that of `Int`s.
    fn product_loop_fix(&self, loops: &[StmtId], innermost: StmtId) -> Option<FixTemplate> {
        let mut axes: Vec<LocalId> = Vec::new();
        let mut head = vec![text("")];
        for (index, stmt) in loops.iter().enumerate() {
            let StmtKind::ForIn { local, components, iterable, .. } = &self.stmt(*stmt).kind else {
                return None;
            };
            let axis = self.user_named(*local)?;
            let name = &self.local(axis).name;
            let known = axes
                .iter()
                .any(|other| self.local(*other).name == *name || self.reads_local(*iterable, *other));
            let range =
                self.binary_operator(self.strip_coercions(*iterable)).filter(|(sign, ..)| *sign == "..");
            let is_long = self.local(axis).ty.is_known(self.semantics.db, Known::Long);
            let inner = loops.get(index + 1);
            let is_open = inner.is_some_and(|inner| self.has_braces(*stmt, *inner));
            if known || !components.is_empty() || !is_long || is_open {
                return None;
            }
            let (_, low, high) = range?;
            axes.push(axis);
            head.extend((index > 0).then(|| text(" * ")));
            head.extend(self.int_bound(low));
            head.push(text(".."));
            head.extend(self.int_bound(high));
        }
        // A `finish` between the loops orders the outer iterations.
        let outer = &loops[..loops.len() - 1];
        let is_ordered = |it: &StmtId| self.waits_inside(*it) && !self.has_independent_iterations(*it);
        if axes.len() > 3 || outer.iter().any(is_ordered) {
            return None;
        }
        let names: Vec<&str> = axes.iter().map(|axis| self.local(*axis).name.as_str()).collect();
        head[0] = text(format!("for ([{}] in ", names.join(", ")));
        head.push(text(") "));
        let range = TextRange::new(self.stmt(loops[0]).range.start(), self.stmt(innermost).range.start());
        Some(FixTemplate::edits(
            vec![text("Write one loop over the product of the ranges")],
            vec![EditTemplate { range, text: head }],
        ))
    }

    /// Whether iterations of a loop wait for the activities that they start, or start none.
    fn waits_inside(&self, stmt: StmtId) -> bool {
        let Some(body) = self.loop_body(stmt) else { return true };
        match self.flat_statements(body)[..] {
            [only] => match self.stmt(only).kind {
                StmtKind::Async { .. } => false,
                StmtKind::ForIn { .. } => self.waits_inside(only),
                _ => true,
            },
            _ => true,
        }
    }

    /// Whether an expression reads a local.
    fn reads_local(&self, expr: ExprId, local: LocalId) -> bool {
        let mut found = false;
        self.body.walk(Node::Expr(expr), &mut |node| {
            found |= matches!(node, Node::Expr(part) if matches!(self.expr(part).kind, ExprKind::Local(it) if it == local));
            !found
        });
        found
    }

    /// Whether there are braces between a loop and the loop in it.
    fn has_braces(&self, outer: StmtId, inner: StmtId) -> bool {
        let mut next = self.loop_body(outer);
        while let Some(stmt) = next.filter(|stmt| *stmt != inner) {
            next = match self.stmt(stmt).kind {
                StmtKind::Async { body, .. } | StmtKind::Finish { body, .. } => Some(body),
                _ => return true,
            };
        }
        false
    }
}
