//! Captured variables of a kernel: how each is passed to the device, and which cannot be captured.

use crate::body::{ExprId, ExprKind, LocalId, StmtKind};
use crate::constraint::{Entailment, entails};
use crate::diagnostics::Severity;
use crate::ids::FieldId;
use crate::item_tree::items::field_item;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::DeviceUses;
use crate::kernel::device_semantics::TypeCategory;
use crate::kernel::{CaptureKind, CaptureSource, KernelCapture};
use crate::rules::cuda;
use crate::rules::cuda::captured_this::CapturedThis;
use crate::ty::{Constraint, ConstraintTerm, Path, PathRoot, Ty};

impl KernelContext<'_> {
    /// The captured variables, in order of first use. Reports those that cannot be captured.
    pub(crate) fn collect_captures(&self, uses: &DeviceUses, place: Option<ExprId>) -> Vec<KernelCapture> {
        let mut found: Vec<KernelCapture> = Vec::new();
        let mut seen: Vec<CaptureSource> = Vec::new();
        for local in uses.locals.iter().copied().filter(|local| !self.inner.contains(local)) {
            if seen.contains(&CaptureSource::Local(local)) {
                continue;
            }
            seen.push(CaptureSource::Local(local));
            if let Some(kind) = self.capture_kind(local) {
                place.into_iter().for_each(|place| self.check_home(local, &kind, place));
                found.push(KernelCapture {
                    source: CaptureSource::Local(local),
                    ty: self.local(local).ty,
                    kind,
                });
            }
        }
        for field in &uses.statics {
            let source = CaptureSource::Static(*field);
            if !seen.contains(&source) {
                seen.push(source);
                let ty = self.static_type(*field);
                found.push(KernelCapture { source, ty, kind: CaptureKind::Scalar });
            }
        }
        found
    }

    fn static_type(&self, field: FieldId) -> Ty {
        let named = |expr: &&crate::body::Expr| expr.kind == ExprKind::StaticField(field);
        match self.body.exprs.iter().find(named) {
            Some(expr) => expr.ty,
            None => crate::signature::field_type(self.semantics.db, field),
        }
    }

    /// The first use of `local` in the kernel.
    fn first_use(&self, local: LocalId) -> apg_syntax::TextRange {
        let at = self.stmt(self.at).range;
        let body = match self.stmt(self.at).kind {
            StmtKind::At { body, .. } => self.stmt(body).range,
            _ => at,
        };
        self.body
            .exprs
            .iter()
            .filter(|expr| {
                body.contains_range(expr.range)
                    && match &expr.kind {
                        ExprKind::Local(used) => *used == local,
                        ExprKind::Assign { target: crate::body::AssignTarget::Local(used), .. } => {
                            *used == local
                        }
                        _ => false,
                    }
            })
            .map(|expr| expr.range)
            .min_by_key(|range| range.start())
            .unwrap_or(at)
    }

    fn capture_kind(&self, local: LocalId) -> Option<CaptureKind> {
        let declared = self.local(local);
        let range = self.first_use(local);
        if declared.mutable {
            // Already reported where the launch configuration uses it.
            if self.has_violation(&crate::rules::hoist::mutable_variable::RULE, range) {
                self.mark_broken();
                return None;
            }
            let violation = self.violation(range, cuda::captured_var::CapturedVar { local });
            self.report(violation.fix(self.copy_var_to_val(local)));
            return None;
        }
        let category = self.semantics.category(declared.ty);
        match category {
            TypeCategory::Plain => Some(CaptureKind::Scalar),
            TypeCategory::Rail(element) => Some(CaptureKind::Rail { element }),
            TypeCategory::GlobalRail(element) => Some(CaptureKind::GlobalRail { element }),
            TypeCategory::Unknown => {
                self.mark_broken();
                None
            }
            TypeCategory::UnsupportedRail(element) => {
                let reference = self.semantics.object_reference_in(element);
                let data = cuda::element_type::ElementType { ty: element, is_captured: true, reference };
                self.report_at(range, data);
                None
            }
            _ => {
                let data = cuda::captured_object::CapturedObject {
                    local,
                    ty: declared.ty,
                    is_constant_rail: matches!(category, TypeCategory::ConstantRail(_)),
                    reference: self.semantics.object_reference_in(declared.ty),
                };
                self.report_at(range, data);
                None
            }
        }
    }

    /// Whether a kernel may capture a variable of this type.
    pub(crate) fn can_capture(&self, ty: Ty) -> bool {
        matches!(
            self.semantics.category(ty),
            TypeCategory::Plain | TypeCategory::Rail(_) | TypeCategory::GlobalRail(_)
        )
    }

    /// A fix that copies a `var` into a `val` before the `at`, unless the kernel assigns it.
    pub(crate) fn copy_var_to_val(&self, local: LocalId) -> Option<crate::kernel::FixTemplate> {
        use crate::kernel::fixes::template::{EditTemplate, FixTemplate, text};
        let StmtKind::At { body, .. } = self.stmt(self.at).kind else { return None };
        let body = self.stmt(body).range;
        let inside = |range: apg_syntax::TextRange| body.contains_range(range);
        if !self.is_unassigned_in_kernel(local) || !self.can_capture(self.local(local).ty) {
            return None;
        }
        let uses: Vec<_> = self
            .body
            .exprs
            .iter()
            .filter(|expr| expr.kind == ExprKind::Local(local) && inside(expr.range))
            .collect();
        let first = uses.first()?.range;
        let FixTemplate::Edits { mut edits, .. } =
            self.hoist_before_at(first, &format!("{}_now", self.local(local).name))
        else {
            return None;
        };
        let name = edits.iter().find(|edit| edit.range == first)?.text.clone();
        edits.extend(
            uses[1..]
                .iter()
                .filter(|expr| expr.range != first)
                .map(|expr| EditTemplate { range: expr.range, text: name.clone() }),
        );
        edits.dedup();
        Some(FixTemplate::edits(
            vec![text(format!("Copy `{}` into a `val` before the `at`", self.local(local).name))],
            edits,
        ))
    }

    /// Reports `this` used as a value.
    pub(crate) fn report_captured_this(&self, expr: ExprId) {
        self.report_at(self.expr(expr).range, CapturedThis::Value);
    }

    /// Reports a field accessed through `this`.
    pub(crate) fn report_captured_field(&self, expr: ExprId, field: FieldId) {
        let range = self.expr(expr).range;
        if matches!(self.expr(expr).kind, ExprKind::Assign { .. }) {
            return self.report_at(range, CapturedThis::FieldWrite(field));
        }
        let is_known = field_item(self.semantics.db, field).is_some();
        let name = field.name(self.semantics.db);
        let fix = is_known.then(|| self.copy_field(expr, field, name)).flatten();
        self.report(self.violation(range, CapturedThis::FieldRead(field)).fix(fix));
    }

    /// A fix that copies a field into a `val` and uses that throughout the kernel.
    fn copy_field(&self, expr: ExprId, field: FieldId, name: &str) -> Option<crate::kernel::FixTemplate> {
        use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
        let first = self.expr(expr).range;
        let assigned = self.body.exprs.iter().any(|it| match it.kind {
            ExprKind::Assign { target: crate::body::AssignTarget::Field { field: written, .. }, .. } => {
                written == field && self.stmt(self.at).range.contains_range(it.range)
            }
            _ => false,
        });
        if assigned || !self.is_movable(expr) || !self.can_capture(self.expr(expr).ty) {
            return None;
        }
        // A local of the field's name would shadow the field: the initialiser keeps `this.`.
        let FixTemplate::Edits { mut edits, .. } = self.hoist_before_at(first, &format!("the_{name}")) else {
            return None;
        };
        let replacement = edits.iter().find(|edit| edit.range == first)?.text.clone();
        let StmtKind::At { body, .. } = self.stmt(self.at).kind else { return None };
        let body = self.stmt(body).range;
        for other in &self.body.exprs {
            let same = matches!(&other.kind, ExprKind::Field { object, field: used }
                if *used == field && matches!(self.expr(self.strip_coercions(*object)).kind, ExprKind::This));
            if same && other.range != first && body.contains_range(other.range) {
                edits.push(EditTemplate { range: other.range, text: replacement.clone() });
            }
        }
        edits.sort_by_key(|edit| edit.range.start());
        edits.dedup();
        let title = vec![text("Copy `"), Fragment::Source(first), text("` into a `val` before the `at`")];
        Some(FixTemplate::edits(title, edits))
    }

    /// Checks a write to an element: a captured host rail is only a copy.
    pub(crate) fn check_rail_write(&self, rail: ExprId, site: ExprId, uses: &mut DeviceUses) {
        for local in self.aliased_rails(rail) {
            uses.written.push(local);
            self.check_captured_rail_write(local, site);
        }
    }

    /// Reports a write to a captured host rail at `site`.
    pub(in crate::kernel) fn check_captured_rail_write(&self, local: LocalId, site: ExprId) {
        let declared = self.local(local);
        if self.inner.contains(&local)
            || !matches!(self.semantics.category(declared.ty), TypeCategory::Rail(_))
        {
            return;
        }
        let data = cuda::captured_rail_write::CapturedRailWrite { local };
        self.report(self.violation(self.expr(site).range, data).fix(self.global_rail_fix(local)));
    }

    /// Warns of a `GlobalRail` whose type says that it lives at another place than the kernel runs.
    fn check_home(&self, local: LocalId, kind: &CaptureKind, place: ExprId) {
        let CaptureKind::GlobalRail { .. } = kind else { return };
        let Some(home) = self.home_path_of(self.local(local).ty) else { return };
        let Some(target) = self.place_path(place, 8) else { return };
        if self.same_path(&home, &target)
            || !is_fixed_at_launch(&home)
            || self.are_equal_by_types(&home, &target)
        {
            return;
        }
        let data =
            cuda::global_rail_home::GlobalRailHome { local, home, target, place: self.expr(place).range };
        let mut violation = self.violation(self.first_use(local), data);
        violation.problem.severity = Severity::Warning;
        self.report(violation);
    }

    /// The path `p` of the constraint `self.home == p` of a type.
    fn home_path_of(&self, ty: Ty) -> Option<Path> {
        let constraint = ty.constraint(self.semantics.db)?;
        let is_home = |path: &Path| {
            path.root == PathRoot::SelfValue && path.fields.len() == 1 && path.fields[0].starts_with("home")
        };
        constraint.terms.iter().find_map(|term| match term {
            ConstraintTerm::Equal(a, b) if is_home(a) => Some(b.clone()),
            ConstraintTerm::Equal(a, b) if is_home(b) => Some(a.clone()),
            _ => None,
        })
    }

    /// Whether constraints of variables imply that two paths are equal: for `o:Field{self.p == this.p}`,
    /// `o.p` is `this.p`.
    fn are_equal_by_types(&self, home: &Path, target: &Path) -> bool {
        let of_local = |local: &crate::body::Local| {
            let path = Path::local(local.name.clone(), local.range.start().into());
            let terms = local.ty.constraint(self.semantics.db).map(|constraint| constraint.terms.clone());
            terms.unwrap_or_default().into_iter().map(move |term| term.at_root(&PathRoot::SelfValue, &path))
        };
        let known: Vec<_> =
            self.body.locals.iter().filter(|local| !local.mutable).flat_map(of_local).collect();
        let goal = Constraint { terms: vec![ConstraintTerm::Equal(home.clone(), target.clone())] };
        entails(&known, &goal, None) == Entailment::Proved
    }

    fn place_path(&self, expr: ExprId, depth: u32) -> Option<Path> {
        let depth = depth.checked_sub(1)?;
        let expr = self.strip_coercions(expr);
        match &self.expr(expr).kind {
            ExprKind::Here => Some(Path::here()),
            ExprKind::This => Some(Path::this()),
            ExprKind::Local(local) => {
                let local = self.local(*local);
                Some(Path::local(local.name.clone(), local.range.start().into()))
            }
            ExprKind::Field { object, field } => {
                Some(self.place_path(*object, depth)?.field(field.name(self.semantics.db).clone()))
            }
            _ => None,
        }
    }

    /// Whether two paths may denote the same place; unequal only if their names are known to differ.
    fn same_path(&self, a: &Path, b: &Path) -> bool {
        let root = |path: &Path| match &path.root {
            PathRoot::Local { name, .. } => Some(name.clone()),
            PathRoot::This if !path.fields.is_empty() => Some("this".into()),
            PathRoot::Here => Some("here".into()),
            _ => None,
        };
        match (root(a), root(b)) {
            (Some(left), Some(right)) => {
                left == right && a.fields == b.fields || self.is_copy_of(a, b) || self.is_copy_of(b, a)
            }
            _ => true,
        }
    }

    /// Whether `a` is a `val` initialised with `b`.
    fn is_copy_of(&self, a: &Path, b: &Path) -> bool {
        let PathRoot::Local { name, .. } = &a.root else { return false };
        self.body.stmts.iter().any(|stmt| match stmt.kind {
            StmtKind::Let { local, init: Some(init) } if self.local(local).name == *name => self
                .place_path(init, 8)
                .is_none_or(|path| path.fields == b.fields && root_name(&path) == root_name(b)),
            _ => false,
        })
    }
}

fn root_name(path: &Path) -> Option<&str> {
    match &path.root {
        PathRoot::Local { name, .. } => Some(name),
        PathRoot::Here => Some("here"),
        PathRoot::This => Some("this"),
        _ => None,
    }
}

/// Whether a home path denotes a place that is fixed at the launch.
fn is_fixed_at_launch(home: &Path) -> bool {
    matches!(home.root, PathRoot::Here | PathRoot::Local { .. } | PathRoot::This)
}
