//! Captured numbers that the launching code has made of others that the kernel captures too (`val plane = nx * ny`). A kernel that is
//! told what they are made of computes them, and so the compiler of the device knows: it sees that steps are alike that the
//! program writes in two ways, and keeps one register for both.

use rustc_hash::FxHashMap;

use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// The assignments of a function: how many a local has, and the last.
type Assigned<'a> = FxHashMap<LocalId, (usize, &'a Expr)>;
/// What captured values are made of: locals with the numbers of others stand for these.
type Made = Vec<Option<Expr>>;

/// Notes what is made of what, for all kernels.
pub fn recompute_in_kernels(program: &mut Program) {
    if program.kernels.is_empty() {
        return;
    }
    let assigned: Vec<Assigned<'_>> = program.functions.iter().map(|it| assignments(&it.body)).collect();
    let mut objects: FxHashMap<ClassId, Made> = FxHashMap::default();
    for (function, assigned) in program.functions.iter().zip(&assigned) {
        visit_exprs(&function.body, &mut |expr, _| {
            if let ExprKind::MakeObject { class, fields } | ExprKind::StackAllocate { class, fields, .. } =
                &expr.kind
            {
                let site = Site { assigned, params: function.params, captures: fields, objects: None };
                agree(&mut objects, *class, site.made());
            }
        });
    }
    let mut kernels: FxHashMap<KernelId, Made> = FxHashMap::default();
    for (function, assigned) in program.functions.iter().zip(&assigned) {
        visit_stmts(&function.body, &mut |stmt| {
            if let StmtKind::Launch { kernel, captures, .. } = &stmt.kind {
                let site = Site { assigned, params: function.params, captures, objects: Some(&objects) };
                agree(&mut kernels, *kernel, site.made());
            }
        });
    }
    for (kernel, made) in kernels {
        for (capture, value) in program.kernels[kernel.index()].captures.iter_mut().zip(made) {
            capture.derived_from = value;
        }
    }
}

fn assignments(body: &[Stmt]) -> Assigned<'_> {
    let mut assigned = Assigned::default();
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind {
            let times = assigned.get(local).map_or(0, |it| it.0);
            assigned.insert(*local, (times + 1, value));
        }
    });
    assigned
}

/// Only what is so wherever the object is made, or the kernel started, is so.
fn agree<K: Eq + std::hash::Hash>(known: &mut FxHashMap<K, Made>, key: K, found: Made) {
    let all = known.entry(key).or_insert_with(|| found.clone());
    for (a, b) in all.iter_mut().zip(&found) {
        if format!("{a:?}") != format!("{b:?}") {
            *a = None;
        }
    }
}

/// Where a closure is made, or a kernel started. What kernels capture is assigned once, before it can be read: where two of these can be
/// read, they have the values of the same time.
struct Site<'a> {
    assigned: &'a Assigned<'a>,
    params: u32,
    captures: &'a [Expr],
    /// What fields of closures are made of.
    objects: Option<&'a FxHashMap<ClassId, Made>>,
}

impl Site<'_> {
    fn made(&self) -> Made {
        (0..self.captures.len()).map(|it| self.made_of_others(it)).collect()
    }

    fn made_of_others(&self, index: usize) -> Option<Expr> {
        let ExprKind::Local(local) = self.captures[index].kind else { return None };
        let value = self.only_value(local)?;
        match &value.kind {
            ExprKind::Operation { .. } => self.translated(value, &|it| self.position(it)),
            ExprKind::Field { class, field, object, .. } => {
                let made = self.objects?.get(class)?.get(*field as usize)?.as_ref()?;
                self.translated(made, &|it| self.position_of_field(*class, object, it.0))
            }
            _ => None,
        }
    }

    /// What a local is, if it is assigned once.
    fn only_value(&self, local: LocalId) -> Option<&Expr> {
        let (times, value) = self.assigned.get(&local)?;
        (*times == 1 && local.0 >= self.params).then_some(*value)
    }

    /// The captured value that a local is.
    fn position(&self, local: LocalId) -> Option<usize> {
        let is_it = |it: &Expr| matches!(it.kind, ExprKind::Local(id) if id == local);
        self.captures.iter().position(is_it).filter(|_| self.is_fixed(local))
    }

    /// Whether a local has one value.
    fn is_fixed(&self, local: LocalId) -> bool {
        match local.0 < self.params {
            true => !self.assigned.contains_key(&local),
            false => self.only_value(local).is_some(),
        }
    }

    /// The captured value that a field of this closure is; another one of its class may have other values.
    fn position_of_field(&self, class: ClassId, closure: &Expr, number: u32) -> Option<usize> {
        let ExprKind::Local(closure) = closure.kind else { return None };
        self.is_fixed(closure).then_some(())?;
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

    /// Arithmetic with other names for its locals; none if there is more to it.
    fn translated(&self, expr: &Expr, position: &dyn Fn(LocalId) -> Option<usize>) -> Option<Expr> {
        if !matches!(expr.ty, Ty::I32 | Ty::I64) {
            return None;
        }
        let kind = match &expr.kind {
            ExprKind::Int(value) => ExprKind::Int(*value),
            ExprKind::Local(local) => ExprKind::Local(LocalId(position(*local)? as u32)),
            ExprKind::Operation { operation, args } if is_cheap(*operation) => {
                let args =
                    args.iter().map(|it| self.translated(it, position)).collect::<Option<Vec<Expr>>>()?;
                ExprKind::Operation { operation: *operation, args }
            }
            _ => return None,
        };
        Some(Expr { ty: expr.ty, kind, position: None })
    }
}

/// What raises nothing, and takes a device no longer than to read a number.
fn is_cheap(operation: Operation) -> bool {
    use Operation as O;
    matches!(operation, O::Add | O::Sub | O::Mul | O::Neg | O::Convert)
}
