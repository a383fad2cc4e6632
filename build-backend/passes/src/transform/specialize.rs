//! Procedure cloning for closure arguments (Cooper, Hall and Kennedy, 1993).
//!
//! `rail.map(f)` calls a clone of `map` in which the class of `f` is known, so that `f` can be called
//! directly. Closures that capture closures are cloned likewise, as the activity in `finish for (i in r)
//! async a(i) = f(i)`.

use apg_mir::*;
use rustc_hash::FxHashMap;

use crate::analysis::exact_types::{ExactTypes, KnownClasses};
use crate::values::{is_closure_parameter, is_host_code, strip_checks};

/// Parameters or captures with a known closure class, by index.
type Closures = Vec<(usize, ClassId)>;

/// The clones made so far, and their size.
#[derive(Default)]
pub(crate) struct Specializations {
    functions: FxHashMap<(FunctionId, Closures), FunctionId>,
    closures: FxHashMap<(ClassId, Closures), ClassId>,
    /// Depth of known closures that capture known closures, by cloned class.
    depths: FxHashMap<ClassId, u32>,
    statements: usize,
}

impl Specializations {
    fn depth(&self, class: ClassId) -> u32 {
        self.depths.get(&class).copied().unwrap_or(0)
    }
}

/// Size of the largest function that is cloned.
const MAX_FUNCTION_STATEMENTS: usize = 400;
/// Size of all clones together.
const MAX_TOTAL_STATEMENTS: usize = 20_000;
/// Depth of nested known closures: `f(() => g() + 1)` inside `f(g)` would create clones without end.
const MAX_CLOSURE_DEPTH: u32 = 4;

/// Redirects calls of a body to clones for the closures that they pass. `known` is indexed by function.
pub(crate) fn specialize_calls(
    program: &mut Program,
    known: &mut Vec<KnownClasses>,
    specializations: &mut Specializations,
    body: &mut [Stmt],
    exact: ExactTypes<'_>,
) {
    walk_mut::edit_exprs(body, &mut |expr| {
        let ExprKind::Call { function, args } = &mut expr.kind else { return };
        let closures = known_closures(program, args, exact);
        if !closures.is_empty()
            && let Some(specialized) =
                specialize_function(program, known, specializations, *function, closures)
        {
            *function = specialized;
        }
    });
}

/// Replaces the closure classes of a body by clones for the closures that they capture.
pub(crate) fn specialize_closures(
    program: &mut Program,
    known: &mut Vec<KnownClasses>,
    specializations: &mut Specializations,
    body: &mut [Stmt],
    exact: ExactTypes<'_>,
) {
    walk_mut::edit_exprs(body, &mut |expr| {
        let ExprKind::MakeObject { class, fields } = &mut expr.kind else { return };
        let closures = known_closures(program, fields, exact);
        if !closures.is_empty()
            && let Some(specialized) =
                specialize_closure_class(program, known, specializations, *class, closures)
        {
            *class = specialized;
            if let Ty::Ref(class) = &mut expr.ty {
                *class = specialized;
            }
        }
    });
}

fn known_closures(program: &Program, values: &[Expr], exact: ExactTypes<'_>) -> Closures {
    let is_closure = |class: ClassId| program.classes[class.index()].kind == ClassKind::Closure;
    let classes = values.iter().enumerate().filter_map(|(index, it)| Some((index, exact.class_of(it)?)));
    classes.filter(|(_, class)| is_closure(*class)).collect()
}

fn specialize_function(
    program: &mut Program,
    known: &mut Vec<KnownClasses>,
    specializations: &mut Specializations,
    function: FunctionId,
    mut closures: Closures,
) -> Option<FunctionId> {
    let original = &program.functions[function.index()];
    let already = &known[function.index()].params;
    closures.retain(|(index, class)| {
        already.get(*index).copied().flatten() != Some(*class)
            && uses_parameter(original, LocalId(*index as u32))
    });
    if closures.is_empty() {
        return None;
    }
    let key = (function, closures);
    if let Some(&specialized) = specializations.functions.get(&key) {
        return Some(specialized);
    }
    let (specialized, mut clone_known) = clone_function(program, known, specializations, function)?;
    clone_known.params.resize(program.functions[function.index()].params as usize, None);
    key.1.iter().for_each(|(index, class)| clone_known.params[*index] = Some(*class));
    known.push(clone_known);
    specializations.functions.insert(key, specialized);
    Some(specialized)
}

fn specialize_closure_class(
    program: &mut Program,
    known: &mut Vec<KnownClasses>,
    specializations: &mut Specializations,
    class: ClassId,
    mut closures: Closures,
) -> Option<ClassId> {
    let original = &program.classes[class.index()];
    if original.kind != ClassKind::Closure {
        return None;
    }
    let code = original.vtable.get(slot::CLOSURE_APPLY as usize).copied().flatten()?;
    let count = original.fields.len();
    let already = &known[code.index()].captures;
    closures.retain(|(index, class)| {
        let known = already.get(*index).copied().flatten();
        known != Some(*class) && uses_capture(&program.functions[code.index()], *index as u32)
    });
    if closures.is_empty() {
        return None;
    }
    let key = (class, closures);
    if let Some(&specialized) = specializations.closures.get(&key) {
        return Some(specialized);
    }
    let inside = key.1.iter().map(|(_, class)| specializations.depth(*class)).max();
    let depth = specializations.depth(class).max(1 + inside.unwrap_or(0));
    if depth > MAX_CLOSURE_DEPTH {
        return None;
    }
    let (clone_code, mut clone_known) = clone_function(program, known, specializations, code)?;
    clone_known.captures.resize(count, None);
    key.1.iter().for_each(|(index, class)| clone_known.captures[*index] = Some(*class));
    known.push(clone_known);
    let mut clone = program.classes[class.index()].clone();
    let tables = clone.interfaces.iter_mut().flat_map(|it| &mut it.1);
    for entry in clone.vtable.iter_mut().chain(tables) {
        if *entry == Some(code) {
            *entry = Some(clone_code);
        }
    }
    let specialized = ClassId(program.classes.len() as u32);
    program.classes.push(clone);
    let shape = program.closure_versions.get(&class).copied().unwrap_or(class);
    program.closure_versions.insert(specialized, shape);
    specializations.closures.insert(key, specialized);
    specializations.depths.insert(specialized, depth);
    Some(specialized)
}

/// Clones a function within the size limits. The caller extends and stores the known classes of the clone.
fn clone_function(
    program: &mut Program,
    known: &[KnownClasses],
    specializations: &mut Specializations,
    function: FunctionId,
) -> Option<(FunctionId, KnownClasses)> {
    let original = &program.functions[function.index()];
    let mut size = 0;
    walk::visit_stmts(&original.body, &mut |_| size += 1);
    if !is_host_code(original)
        || size == 0
        || size > MAX_FUNCTION_STATEMENTS
        || specializations.statements + size > MAX_TOTAL_STATEMENTS
    {
        return None;
    }
    specializations.statements += size;
    let clone = original.clone();
    let specialized = FunctionId(program.functions.len() as u32);
    program.functions.push(clone);
    Some((specialized, known[function.index()].clone()))
}

/// Whether a function calls a parameter or passes it on, and never assigns it.
fn uses_parameter(function: &Function, param: LocalId) -> bool {
    let is_it = |expr: &Expr| matches!(strip_checks(expr).kind, ExprKind::Local(local) if local == param);
    let mut set = false;
    walk::visit_stmts(&function.body, &mut |stmt| {
        set |= matches!(stmt.kind, StmtKind::Set { local, .. } if local == param);
    });
    !set && param.0 < function.params && forwards_value(function, &is_it)
}

/// Whether the code of a closure calls a capture or passes it on. Captures are loaded into locals first.
fn uses_capture(function: &Function, field: u32) -> bool {
    let is_field = |expr: &Expr| matches!(&strip_checks(expr).kind, ExprKind::Field { object, field: it, .. } if *it == field && is_closure_parameter(object));
    let mut locals = Vec::new();
    walk::visit_stmts(&function.body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && is_field(value)
        {
            locals.push(*local);
        }
    });
    let is_local =
        |expr: &Expr| matches!(&strip_checks(expr).kind, ExprKind::Local(local) if locals.contains(local));
    forwards_value(function, &|expr| is_field(expr) || is_local(expr))
}

/// Whether a value is called, passed as an argument or captured.
fn forwards_value(function: &Function, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    walk::visit_exprs(&function.body, &mut |expr, _| match &expr.kind {
        ExprKind::CallClosure { args, .. } => found |= args.first().is_some_and(is_it),
        ExprKind::Call { args, .. } => found |= args.iter().any(is_it),
        ExprKind::MakeObject { fields, .. } => found |= fields.iter().any(is_it),
        _ => {}
    });
    found
}
