//! Axes of blocks and threads: loop headers `(i in 0n..last)`, or `([i, j, k] in ...)` over a product of up
//! to three ranges.

use apg_syntax::TextRange;

use crate::body::{ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::kernel::Axis;
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
use crate::rules::cuda;
use crate::ty::known::Known;

/// Maximum number of axes of a grid or block.
const MAX_AXES: usize = 3;

/// The two loop levels of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// `finish for (block in ...) async`
    Blocks,
    /// `clocked finish for (thread in ...) clocked async`
    Threads,
}

impl Level {
    /// The noun for messages, "block" or "thread".
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Level::Blocks => "block",
            Level::Threads => "thread",
        }
    }

    /// The statement that starts one iteration.
    pub(crate) fn activity(self) -> &'static str {
        match self {
            Level::Blocks => "async",
            Level::Threads => "clocked async",
        }
    }
}

impl KernelContext<'_> {
    /// The axes of a loop, and its body. Axes are `None` if the header is invalid, which is reported.
    pub(crate) fn match_axes(&self, level: Level, stmt: StmtId) -> (Option<Vec<Axis>>, StmtId) {
        let StmtKind::ForIn { local, components, iterable, body, .. } = &self.stmt(stmt).kind else {
            return (None, stmt);
        };
        if components.len() > MAX_AXES {
            let data = cuda::too_many_axes::TooManyAxes {
                noun: level.noun(),
                count: components.len(),
                max: MAX_AXES,
            };
            self.report_at(self.expr(*iterable).range, data);
            return (None, *body);
        }
        let mut ranges = Vec::new();
        if !self.collect_upper_bounds(level, *iterable, &mut ranges) {
            return (None, *body);
        }
        let names: Vec<Option<LocalId>> = match (components.len(), ranges.len()) {
            (0, 1) => vec![self.user_named(*local)],
            (count, axes) if count == axes => {
                components.iter().map(|local| self.user_named(*local)).collect()
            }
            (_, axes) => vec![None; axes],
        };
        let axes = names.into_iter().zip(ranges).map(|(local, last)| Axis { local, last }).collect();
        (Some(axes), *body)
    }

    /// The local, if it is named in the source.
    pub(crate) fn user_named(&self, local: LocalId) -> Option<LocalId> {
        let name = &self.local(local).name;
        (!name.is_empty() && !name.starts_with('$') && name != "_").then_some(local)
    }

    /// Collects the upper bounds of `0n..a * 0n..b`. Reports all invalid ranges.
    fn collect_upper_bounds(&self, level: Level, expr: ExprId, found: &mut Vec<ExprId>) -> bool {
        let expr = self.strip_region_conversion(expr);
        let node = self.expr(expr);
        match self.binary_operator(expr) {
            Some(("*", left, right)) => {
                let left = self.collect_upper_bounds(level, left, found);
                self.collect_upper_bounds(level, right, found) && left
            }
            Some(("..", low, high)) => {
                let starts_right = self.check_start(level, (low, high), found.len());
                let narrow = self.check_width(level, node.range, low, high);
                found.push(high);
                starts_right && narrow
            }
            _ if self.has_errors(expr) => false,
            _ => {
                self.report_at(node.range, cuda::range_not_literal::RangeNotLiteral { noun: level.noun() });
                false
            }
        }
    }

    /// Collects the bounds of `a..b * c..d`; returns whether the expression has this form.
    pub(crate) fn collect_ranges(&self, range: ExprId, found: &mut Vec<(ExprId, ExprId)>) -> bool {
        match self.binary_operator(self.strip_region_conversion(range)) {
            Some(("*", left, right)) => self.collect_ranges(left, found) && self.collect_ranges(right, found),
            Some(("..", low, high)) => {
                found.push((low, high));
                true
            }
            _ => false,
        }
    }

    /// An operand without implicit conversions to a region.
    fn strip_region_conversion(&self, expr: ExprId) -> ExprId {
        let expr = self.strip_coercions(expr);
        match &self.expr(expr).kind {
            ExprKind::Call { method, receiver, args, .. }
                if method.name(self.semantics.db).starts_with("operator") =>
            {
                match (receiver, &args[..]) {
                    (None, [inner]) | (Some(inner), [])
                        if self.expr(*inner).range == self.expr(expr).range =>
                    {
                        self.strip_region_conversion(*inner)
                    }
                    _ => expr,
                }
            }
            _ => expr,
        }
    }

    /// The operator and operands of a binary operation.
    pub(crate) fn binary_operator(&self, expr: ExprId) -> Option<(&str, ExprId, ExprId)> {
        let ExprKind::Call { method, receiver, args, .. } = &self.expr(expr).kind else { return None };
        let sign = method.name(self.semantics.db).strip_prefix("operator")?.trim();
        match (receiver, &args[..]) {
            (Some(left), [right]) => Some((sign, *left, *right)),
            (None, [left, right]) => Some((sign, *left, *right)),
            _ => None,
        }
    }

    fn check_start(&self, level: Level, (low, high): (ExprId, ExprId), axis: usize) -> bool {
        let zero = |expr: ExprId| matches!(self.expr(expr).kind, ExprKind::Literal(Literal::Int(0)));
        let written = self.strip_int_conversion(low);
        if zero(written) {
            return true;
        }
        let violation =
            self.violation(self.expr(low).range, cuda::range_start::RangeStart { noun: level.noun() });
        self.report(violation.fix(self.count_from_zero_fix((low, high), axis)));
        false
    }

    /// An operand without its implicit conversion.
    pub(crate) fn strip_int_conversion(&self, expr: ExprId) -> ExprId {
        let expr = self.strip_coercions(expr);
        match &self.expr(expr).kind {
            ExprKind::Call { method, receiver: None, args, .. }
                if self.semantics.is_pure(*method)
                    && args.len() == 1
                    && self.expr(args[0]).range == self.expr(expr).range =>
            {
                self.strip_coercions(args[0])
            }
            _ => expr,
        }
    }

    fn check_width(&self, level: Level, range: TextRange, low: ExprId, high: ExprId) -> bool {
        let wide: Vec<ExprId> = [low, high]
            .into_iter()
            .filter(|end| !self.expr(*end).ty.is_known(self.semantics.db, Known::Int))
            .collect();
        if wide.is_empty() || wide.iter().any(|end| self.expr(*end).ty.is_error(self.semantics.db)) {
            return true;
        }
        // Text between an operand's end and the end of the range is a parenthesis around the operand.
        let enclosed = |end: ExprId| {
            let inner = self.expr(self.strip_int_conversion(end)).range;
            if end == low { inner.start() > range.start() } else { inner.end() < range.end() }
        };
        let ends = [low, high].into_iter();
        let edits = ends.filter_map(|end| self.to_int_edits(end, enclosed(end))).flatten().collect();
        let violation = self.violation(range, cuda::long_range::LongRange { noun: level.noun() });
        self.report(violation.fix(FixTemplate::edits(vec![text("Count with Ints")], edits)));
        false
    }

    /// A bound of a range as an `Int`.
    pub(crate) fn int_bound(&self, end: ExprId) -> Vec<Fragment> {
        let written = self.expr(self.strip_int_conversion(end));
        let is_int = written.ty.is_known(self.semantics.db, Known::Int);
        let (before, behind) = match written.kind {
            ExprKind::Literal(_) => ("", if is_int { "" } else { "n" }),
            _ if is_int => ("(", ")"),
            _ => ("((", ") as Int)"),
        };
        vec![text(before), Fragment::Source(written.range), text(behind)]
    }

    /// Edits that make a bound of a range an `Int`: a suffix for a literal, a conversion otherwise.
    fn to_int_edits(&self, end: ExprId, enclosed: bool) -> Option<Vec<EditTemplate>> {
        let written = self.strip_int_conversion(end);
        let expr = self.expr(written);
        if expr.ty.is_known(self.semantics.db, Known::Int) {
            return None;
        }
        let behind = TextRange::empty(expr.range.end());
        if matches!(expr.kind, ExprKind::Literal(_)) {
            return Some(vec![EditTemplate { range: behind, text: vec![text("n")] }]);
        }
        let before = TextRange::empty(expr.range.start());
        let (open, close) = match expr.kind {
            ExprKind::Local(_) | ExprKind::Field { .. } | ExprKind::StaticField(_) => ("(", " as Int)"),
            _ if enclosed => ("(", ") as Int"),
            _ => ("((", ") as Int)"),
        };
        Some(vec![
            EditTemplate { range: before, text: vec![text(open)] },
            EditTemplate { range: behind, text: vec![text(close)] },
        ])
    }
}
