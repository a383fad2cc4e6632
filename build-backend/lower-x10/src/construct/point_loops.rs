//! Loops over points: `for (p in space)`, `for ([i, j] in region)`.
//!
//! They become counted loops, and construct a point only where the program uses it as a value. Over a dense
//! iteration space they are nested loops; over anything else with `rows():Rows` (regions, distributions and
//! arrays over them) an inner loop counts along each row.

use apg_analysis::program::body::Node;
use apg_analysis::program::body::{
    ExprId, ExprKind as Source, Iteration, LabelId, LocalId, StmtId, StmtKind,
};
use apg_analysis::program::items::{own_field, qualified_name};
use apg_analysis::program::ty::{ConstraintTerm, PathRoot, Ty};
use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::Callee;
use crate::builder::function::Builder;
use crate::builder::operands::{bool, expr, int, operation};
use apg_mir::{self as mir, ExprKind, Operation, StmtKind as Out};

const DENSE_SPACE_PREFIX: &str = "x10.array.DenseIterationSpace_";
const ROWS_CLASS: &str = "x10.array.Rows";
/// Largest rank with a version of its own where the rank is not known statically.
const MAX_RANK_VERSIONS: usize = 3;

/// The variables of the loop and its body.
struct PointLoop<'a> {
    local: LocalId,
    components: &'a [LocalId],
    body: StmtId,
    range: TextRange,
    /// The rank of the points, if known.
    rank: Option<usize>,
    /// Whether the rank was tested.
    tested: bool,
}

/// First and last value of an axis.
struct Axis {
    low: mir::Expr,
    high: mir::Expr,
}

impl Builder<'_, '_> {
    /// Lowers a loop over points that can be counted; false for other loops.
    pub(crate) fn point_loop(
        &mut self,
        label: LabelId,
        local: LocalId,
        components: &[LocalId],
        iterable: ExprId,
        body: StmtId,
    ) -> bool {
        let source = self.source.body.clone();
        let mut inner = iterable;
        while let Source::Coerce { value } = &source.expr(inner).kind {
            inner = *value;
        }
        let ty = self.type_of(inner);
        let Some((class, _)) = ty.as_class(self.lowerer.db) else { return false };
        let rank = self.known_rank(source.expr(inner).ty, local, components);
        let range = source.expr(iterable).range;
        let it = PointLoop { local, components, body, range, rank, tested: false };
        let name = qualified_name(self.lowerer.db, class);
        if let Some(rank) = name.strip_prefix(DENSE_SPACE_PREFIX).and_then(|rank| rank.parse::<usize>().ok())
        {
            let value = self.value(inner);
            let value = self.save(value);
            return self.dense_loop(label, &it, value, ty, rank);
        }
        match self.rows_method(ty) {
            Some(rows) => {
                let value = self.value(inner);
                self.rows_loop(label, &it, value, ty, rows);
                true
            }
            None => false,
        }
    }

    /// The rank of the points, from the component names or from a type.
    fn known_rank(&self, ty: Ty, local: LocalId, components: &[LocalId]) -> Option<usize> {
        /// Points of higher rank store their coordinates differently.
        const MAX_RANK: usize = 4;
        let db = self.lowerer.db;
        let literal = |ty: Ty| {
            ty.constraint(db)?.terms.iter().find_map(|term| {
                let ConstraintTerm::Equal(a, b) = term else { return None };
                let (rank, number) = if matches!(a.root, PathRoot::Literal(_)) { (b, a) } else { (a, b) };
                let PathRoot::Literal(number) = &number.root else { return None };
                let is_rank = rank.root == PathRoot::SelfValue && rank.fields.iter().eq(["rank"]);
                is_rank.then(|| number.trim_end_matches(['l', 'L']).parse::<usize>().ok()).flatten()
            })
        };
        let named = Some(components.len()).filter(|it| *it > 0);
        let declared = self.source.body.local(local).ty;
        named.or_else(|| literal(ty)).or_else(|| literal(declared)).filter(|it| (1..=MAX_RANK).contains(it))
    }

    /// Method `rows()` of the type.
    fn rows_method(&mut self, ty: Ty) -> Option<Callee> {
        let callee = self.lowerer.method_with("rows", ty, &[])?;
        let (_, result) = self.lowerer.concrete_signature(&callee);
        let (class, _) = result.as_class(self.lowerer.db)?;
        (qualified_name(self.lowerer.db, class) == ROWS_CLASS).then_some(callee)
    }

    fn long_field(&mut self, value: &mir::Expr, ty: Ty, name: &str) -> Option<mir::Expr> {
        let db = self.lowerer.db;
        let owner = self
            .lowerer
            .all_supertypes(ty)
            .iter()
            .copied()
            .find_map(|it| Some((it, own_field(db, it.as_class(db)?.0, name)?)));
        let (_, field) = owner?;
        let read = self.field_value(value.clone(), ty, field, Ty::long(db), true);
        Some(self.save(read))
    }

    fn dense_loop(
        &mut self,
        label: LabelId,
        it: &PointLoop<'_>,
        space: mir::Expr,
        ty: Ty,
        rank: usize,
    ) -> bool {
        let mut axes = Vec::new();
        for axis in 0..rank {
            let suffix = if rank == 1 { String::new() } else { axis.to_string() };
            let low = self.long_field(&space, ty, &format!("min{suffix}"));
            let high = self.long_field(&space, ty, &format!("max{suffix}"));
            let (Some(low), Some(high)) = (low, high) else { return false };
            axes.push(Axis { low, high });
        }
        let known = PointLoop { rank: Some(rank), ..*it };
        self.nested_counts(label, &known, &axes, Vec::new());
        true
    }

    /// Nested loops for the axes after `coordinates`.
    fn nested_counts(
        &mut self,
        label: LabelId,
        it: &PointLoop<'_>,
        axes: &[Axis],
        coordinates: Vec<mir::LocalId>,
    ) {
        let axis = &axes[coordinates.len()];
        let (low, high) = (axis.low.clone(), axis.high.clone());
        let innermost = coordinates.len() + 1 == axes.len();
        self.counted_loop(low, high, |builder, index| {
            let own = if coordinates.is_empty() { builder.begin_label(label) } else { builder.new_label() };
            let all: Vec<_> = coordinates.iter().copied().chain([index]).collect();
            if innermost {
                builder.continue_at(label, own);
                builder.iteration(it, &all, None);
            } else {
                builder.nested_counts(label, it, axes, all);
            }
            own
        });
    }

    /// A loop over rows with a counted loop along each.
    fn rows_loop(&mut self, label: LabelId, it: &PointLoop<'_>, iterable: mir::Expr, ty: Ty, rows: Callee) {
        let (_, rows_ty) = self.lowerer.concrete_signature(&rows);
        let (value, _) = self.call_plain(rows.method, ty, iterable, it.range);
        let value = self.save(value);
        if it.rank.is_some() || !self.benefits_from_known_rank(it) {
            return self.all_rows(label, it, &value, rows_ty);
        }
        // The rank is known when the loop begins: one version for each.
        let Some(rank) = self.long_field(&value, rows_ty, "rank") else { return };
        let (mut rest, ()) = self.nested(|b| b.all_rows(label, it, &value, rows_ty));
        let span = self.span;
        for axes in (1..=MAX_RANK_VERSIONS).rev() {
            let known = PointLoop { rank: Some(axes), tested: true, ..*it };
            let (then, ()) = self.nested(|b| b.all_rows(label, &known, &value, rows_ty));
            let wanted = int(mir::Ty::I64, axes as i64);
            let condition = operation(Operation::Eq, mir::Ty::Bool, vec![rank.clone(), wanted]);
            rest = vec![mir::Stmt::new(span, Out::If { condition, then, otherwise: rest })];
        }
        rest.into_iter().for_each(|stmt| self.push(stmt.kind));
    }

    /// Whether a small body uses the point's coordinates or indexes with it.
    fn benefits_from_known_rank(&mut self, it: &PointLoop<'_>) -> bool {
        /// Size of the largest body with several versions.
        const MAX_BODY_NODES: usize = 120;
        let body = self.source.body.clone();
        let (mut nodes, mut used, mut plain) = (0, false, true);
        body.walk(Node::Stmt(it.body), &mut |node| {
            nodes += 1;
            match node {
                Node::Expr(id) => match &body.expr(id).kind {
                    Source::Call { receiver, args, .. } => {
                        let is_it = |id: &ExprId| self.index_variable(*id) == Some(it.local);
                        used |= receiver.iter().chain(args).any(is_it);
                    }
                    Source::Closure(_) | Source::At { .. } => plain = false,
                    _ => {}
                },
                Node::Stmt(id) => {
                    // Inner loops over points would have as many versions in each version.
                    plain &= !matches!(
                        &body.stmt(id).kind,
                        StmtKind::ForIn { iteration: Iteration::Iterable { .. }, .. }
                            | StmtKind::Async { .. }
                            | StmtKind::At { .. }
                    );
                }
            }
            plain && nodes <= MAX_BODY_NODES
        });
        used && plain && nodes <= MAX_BODY_NODES && !self.is_device_code()
    }

    fn all_rows(&mut self, label: LabelId, it: &PointLoop<'_>, value: &mir::Expr, rows_ty: Ty) {
        let outer = self.begin_label(label);
        let Some(next) = self.lowerer.method_with("next", rows_ty, &[]) else { return };
        let span = self.span;
        let (mut loop_body, (more, _)) =
            self.nested(|b| b.call_plain(next.method, rows_ty, value.clone(), it.range));
        let failed = operation(Operation::Not, mir::Ty::Bool, vec![more]);
        let then = vec![mir::Stmt::new(span, Out::Break(outer))];
        loop_body.push(mir::Stmt::new(span, Out::If { condition: failed, then, otherwise: Vec::new() }));
        let (rest, ()) = self.nested(|b| b.row(label, it, value, rows_ty));
        loop_body.extend(rest);
        self.push(Out::Loop {
            label: outer,
            condition: bool(true),
            body: loop_body,
            update: Vec::new(),
            unroll: None,
            post_tested: false,
        });
    }

    /// The points of one row.
    fn row(&mut self, label: LabelId, it: &PointLoop<'_>, rows: &mir::Expr, rows_ty: Ty) {
        let (Some(low), Some(high)) =
            (self.long_field(rows, rows_ty, "low"), self.long_field(rows, rows_ty, "high"))
        else {
            return;
        };
        if !it.tested {
            self.check_rank(it, rows, rows_ty);
        }
        let long = Ty::long(self.lowerer.db);
        let mut coordinates = Vec::new();
        if let Some(coordinate) = self.lowerer.method_with("coordinate", rows_ty, &[long]) {
            for axis in 0..it.rank.unwrap_or(it.components.len()).saturating_sub(1) {
                let args = vec![rows.clone(), int(mir::Ty::I64, axis as i64)];
                let value = self.call_rows(&coordinate, rows_ty, args, long, it.range);
                let local = self.new_local("$x", mir::Ty::I64, false);
                self.set(local, value);
                coordinates.push(local);
            }
        }
        self.counted_loop(low, high, |b, index| {
            let inner = b.new_label();
            b.continue_at(label, inner);
            let all: Vec<_> = coordinates.iter().copied().chain([index]).collect();
            let unknown = it.rank.is_none().then(|| (rows.clone(), rows_ty));
            b.iteration(it, &all, unknown);
            inner
        });
    }

    /// Tests that the rank is the number of component names.
    fn check_rank(&mut self, it: &PointLoop<'_>, rows: &mir::Expr, rows_ty: Ty) {
        let named = Some(it.components.len()).filter(|it| *it > 0);
        let Some(axes) = named.or(it.rank) else { return };
        let Some(rank) = self.long_field(rows, rows_ty, "rank") else { return };
        let wanted = int(mir::Ty::I64, axes as i64);
        let differs = operation(Operation::Ne, mir::Ty::Bool, vec![rank, wanted]);
        let text = format!("the points have not {axes} coordinates");
        let (then, ()) = self.nested(|b| {
            let string = Ty::string(b.lowerer.db);
            let machine = b.lowerer.machine(string);
            let message = expr(machine, ExprKind::String(SmolStr::new(text)));
            b.throw_new("x10.lang.FailedDynamicCheckException", Some(message));
        });
        self.push(Out::If { condition: differs, then, otherwise: Vec::new() });
    }

    fn call_rows(
        &mut self,
        callee: &Callee,
        ty: Ty,
        args: Vec<mir::Expr>,
        result: Ty,
        range: TextRange,
    ) -> mir::Expr {
        self.call_instance(
            callee,
            apg_analysis::program::body::Dispatch::Virtual,
            ty,
            false,
            args,
            result,
            range,
        )
    }

    /// One iteration: the variables, then the body. `rows` constructs the point where not all coordinates are
    /// known.
    fn iteration(&mut self, it: &PointLoop<'_>, coordinates: &[mir::LocalId], rows: Option<(mir::Expr, Ty)>) {
        let named = !self.source.body.local(it.local).name.starts_with('$');
        if named && let Some((point, ty)) = self.point(it, coordinates, rows) {
            let declared = self.variable_type(it.local);
            let value = self.convert(point, ty, declared);
            let variable = self.declare(it.local);
            self.initialise(variable, value);
            if it.rank == Some(coordinates.len()) {
                self.points.insert(it.local, coordinates.to_vec());
            }
        }
        for (component, coordinate) in it.components.iter().zip(coordinates) {
            let value = self.local(*coordinate);
            let variable = self.declare(*component);
            self.initialise(variable, value);
        }
        self.loop_body(it.body);
        self.points.remove(&it.local);
    }

    fn point(
        &mut self,
        it: &PointLoop<'_>,
        coordinates: &[mir::LocalId],
        rows: Option<(mir::Expr, Ty)>,
    ) -> Option<(mir::Expr, Ty)> {
        let db = self.lowerer.db;
        let long = Ty::long(db);
        let point = Ty::known(db, apg_analysis::program::ty::Known::Point);
        if let Some((rows, rows_ty)) = rows {
            let callee = self.lowerer.method_with("point", rows_ty, &[long])?;
            let (_, result) = self.lowerer.concrete_signature(&callee);
            let last = self.local(*coordinates.last()?);
            return Some((self.call_rows(&callee, rows_ty, vec![rows, last], result, it.range), result));
        }
        let callee = self.lowerer.method_with("make", point, &vec![long; coordinates.len()])?;
        let (_, result) = self.lowerer.concrete_signature(&callee);
        let args = coordinates.iter().map(|it| self.local(*it)).collect();
        let made = self.call_static(&callee, args, result, it.range);
        if let ExprKind::Call { function, .. } = made.kind {
            self.lowerer.roles.insert(function, mir::FunctionRole::Tuple);
        }
        Some((made, result))
    }
}
