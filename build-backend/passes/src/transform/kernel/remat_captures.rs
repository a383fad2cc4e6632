//! Rematerialisation of kernel captures (Briggs, Cooper and Torczon, PLDI 1992).
//!
//! Where the launching code computes a captured number from other captures (`val plane = nx * ny`), the
//! kernel recomputes it. The device compiler then sees that two expressions are equal and keeps one register
//! for both.

use rustc_hash::FxHashMap;

use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// The assignments of a function, by local: their number, and the last value.
type Assignments<'a> = FxHashMap<LocalId, (usize, &'a Expr)>;
/// For each capture, its value as an expression over other captures; their locals are numbered like the
/// captures.
type Derivations = Vec<Option<Expr>>;

/// Sets [`KernelCapture::derived_from`] of all kernels.
pub(crate) fn rematerialize_captures(program: &mut Program) {
    if program.kernels.is_empty() {
        return;
    }
    let assignments: Vec<Assignments<'_>> =
        program.functions.iter().map(|it| collect_assignments(&it.body)).collect();
    let mut objects: FxHashMap<ClassId, Derivations> = FxHashMap::default();
    for (function, assignments) in program.functions.iter().zip(&assignments) {
        visit_exprs(&function.body, &mut |expr, _| {
            if let ExprKind::MakeObject { class, fields } | ExprKind::StackAllocate { class, fields, .. } =
                &expr.kind
            {
                let site =
                    CaptureSite { assignments, params: function.params, captures: fields, objects: None };
                merge(&mut objects, *class, site.derivations());
            }
        });
    }
    let mut kernels: FxHashMap<KernelId, Derivations> = FxHashMap::default();
    for (function, assignments) in program.functions.iter().zip(&assignments) {
        visit_stmts(&function.body, &mut |stmt| {
            if let StmtKind::Launch { kernel, captures, .. } = &stmt.kind {
                let site =
                    CaptureSite { assignments, params: function.params, captures, objects: Some(&objects) };
                merge(&mut kernels, *kernel, site.derivations());
            }
        });
    }
    for (kernel, derivations) in kernels {
        for (capture, value) in program.kernels[kernel.index()].captures.iter_mut().zip(derivations) {
            capture.derived_from = value;
        }
    }
}

fn collect_assignments(body: &[Stmt]) -> Assignments<'_> {
    let mut assignments = Assignments::default();
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind {
            let times = assignments.get(local).map_or(0, |it| it.0);
            assignments.insert(*local, (times + 1, value));
        }
    });
    assignments
}

/// Keeps the derivations that all sites of a class or kernel agree on.
fn merge<K: Eq + std::hash::Hash>(known: &mut FxHashMap<K, Derivations>, key: K, found: Derivations) {
    let all = known.entry(key).or_insert_with(|| found.clone());
    for (a, b) in all.iter_mut().zip(&found) {
        if a != b {
            *a = None;
        }
    }
}

/// Where a closure is created or a kernel launched. Captured locals are assigned once, before they can be
/// read, so that all captures have their final values.
struct CaptureSite<'a> {
    assignments: &'a Assignments<'a>,
    params: u32,
    captures: &'a [Expr],
    /// Derivations of the fields of closures.
    objects: Option<&'a FxHashMap<ClassId, Derivations>>,
}

impl CaptureSite<'_> {
    fn derivations(&self) -> Derivations {
        (0..self.captures.len()).map(|it| self.derivation(it)).collect()
    }

    fn derivation(&self, index: usize) -> Option<Expr> {
        let ExprKind::Local(local) = self.captures[index].kind else { return None };
        let value = self.only_value(local)?;
        match &value.kind {
            ExprKind::Operation { .. } => self.renumber(value, &|it| self.capture_of_local(it)),
            ExprKind::Field { class, field, object, .. } => {
                let derivations = self.objects?.get(class)?.get(*field as usize)?.as_ref()?;
                self.renumber(derivations, &|it| self.capture_of_field(*class, object, it.0))
            }
            _ => None,
        }
    }

    /// The value of a local that is assigned once.
    fn only_value(&self, local: LocalId) -> Option<&Expr> {
        let (times, value) = self.assignments.get(&local)?;
        (*times == 1 && local.0 >= self.params).then_some(*value)
    }

    /// The capture that holds the value of a local.
    fn capture_of_local(&self, local: LocalId) -> Option<usize> {
        let is_it = |it: &Expr| matches!(it.kind, ExprKind::Local(id) if id == local);
        self.captures.iter().position(is_it).filter(|_| self.is_assigned_once(local))
    }

    /// Whether a local has the same value everywhere.
    fn is_assigned_once(&self, local: LocalId) -> bool {
        match local.0 < self.params {
            true => !self.assignments.contains_key(&local),
            false => self.only_value(local).is_some(),
        }
    }

    /// The capture that holds the value of a field of this closure object.
    fn capture_of_field(&self, class: ClassId, closure: &Expr, number: u32) -> Option<usize> {
        let ExprKind::Local(closure) = closure.kind else { return None };
        self.is_assigned_once(closure).then_some(())?;
        self.captures.iter().position(|it| {
            let ExprKind::Local(local) = it.kind else { return false };
            let Some(ExprKind::Field { class: of, field, object, .. }) =
                self.only_value(local).map(|it| &it.kind)
            else {
                return false;
            };
            (*of, *field) == (class, number) && matches!(object.kind, ExprKind::Local(it) if it == closure)
        })
    }

    /// An arithmetic expression with its locals renumbered to captures; `None` if it is more than cheap
    /// arithmetic.
    fn renumber(&self, expr: &Expr, capture_of_local: &dyn Fn(LocalId) -> Option<usize>) -> Option<Expr> {
        if !matches!(expr.ty, Ty::I32 | Ty::I64) {
            return None;
        }
        let kind = match &expr.kind {
            ExprKind::Int(value) => ExprKind::Int(*value),
            ExprKind::Local(local) => ExprKind::Local(LocalId(capture_of_local(*local)? as u32)),
            ExprKind::Operation { operation, args } if is_cheap(*operation) => {
                let args = args
                    .iter()
                    .map(|it| self.renumber(it, capture_of_local))
                    .collect::<Option<Vec<Expr>>>()?;
                ExprKind::Operation { operation: *operation, args }
            }
            _ => return None,
        };
        Some(Expr::new(expr.ty, kind))
    }
}

/// Whether an operation cannot raise and is as fast on a device as a load of a parameter.
fn is_cheap(operation: Operation) -> bool {
    use Operation as O;
    matches!(operation, O::Add | O::Sub | O::Mul | O::Neg | O::Convert)
}
