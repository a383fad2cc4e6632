//! Versions of functions for the closures that they get: `rail.map(f)` with the code of `f` in place. And versions of closures for the
//! closures that they capture: `finish for (i in r) async a(i) = f(i)` in such a function.

use rustc_hash::FxHashMap;

use super::exact::{Exact, Known};
use super::{bare, is_first, is_host_code};
use apg_mir::*;

/// The closures that are known among parameters or captures, by index.
type Closures = Vec<(usize, ClassId)>;

/// The versions made, and how much code they are.
#[derive(Default)]
pub(super) struct Versions {
    made: FxHashMap<(FunctionId, Closures), FunctionId>,
    closures: FxHashMap<(ClassId, Closures), ClassId>,
    /// How many closures are known inside each other in a version, where that is more than itself.
    depths: FxHashMap<ClassId, u32>,
    statements: usize,
}

impl Versions {
    fn depth(&self, class: ClassId) -> u32 {
        self.depths.get(&class).copied().unwrap_or(0)
    }
}

/// No more statements than this in one version, and in all together.
const MOST: usize = 400;
const ALL: usize = 20_000;
/// No more closures than this are known inside each other: `f(() => g() + 1)` in `f(g)` itself makes new ones without an end.
const DEEPEST: u32 = 4;

/// Sends the calls of a body to versions for the closures that they pass. `known` is of all functions.
pub(super) fn specialise(
    program: &mut Program,
    known: &mut Vec<Known>,
    versions: &mut Versions,
    body: &mut [Stmt],
    exact: Exact<'_>,
) {
    walk_mut::edit_exprs(body, &mut |expr| {
        let ExprKind::Call { function, args } = &mut expr.kind else { return };
        let closures = closures(program, args, exact);
        if !closures.is_empty()
            && let Some(version) = version(program, known, versions, *function, closures)
        {
            *function = version;
        }
    });
}

/// Makes the closures of a body versions for the closures that they capture.
pub(super) fn captures(
    program: &mut Program,
    known: &mut Vec<Known>,
    versions: &mut Versions,
    body: &mut [Stmt],
    exact: Exact<'_>,
) {
    walk_mut::edit_exprs(body, &mut |expr| {
        let ExprKind::MakeObject { class, fields } = &mut expr.kind else { return };
        let closures = closures(program, fields, exact);
        if !closures.is_empty()
            && let Some(version) = closure_version(program, known, versions, *class, closures)
        {
            *class = version;
            if let Ty::Ref(class) = &mut expr.ty {
                *class = version;
            }
        }
    });
}

fn closures(program: &Program, values: &[Expr], exact: Exact<'_>) -> Closures {
    let is_closure = |class: ClassId| program.classes[class.index()].kind == ClassKind::Closure;
    let classes = values.iter().enumerate().filter_map(|(index, it)| Some((index, exact.of(it)?)));
    classes.filter(|(_, class)| is_closure(*class)).collect()
}

fn version(
    program: &mut Program,
    known: &mut Vec<Known>,
    versions: &mut Versions,
    function: FunctionId,
    mut closures: Closures,
) -> Option<FunctionId> {
    let original = &program.functions[function.index()];
    let already = &known[function.index()].params;
    closures.retain(|(index, class)| {
        already.get(*index).copied().flatten() != Some(*class) && uses(original, LocalId(*index as u32))
    });
    if closures.is_empty() {
        return None;
    }
    let key = (function, closures);
    if let Some(&version) = versions.made.get(&key) {
        return Some(version);
    }
    let (version, mut now) = copy(program, known, versions, function)?;
    now.params.resize(program.functions[function.index()].params as usize, None);
    key.1.iter().for_each(|(index, class)| now.params[*index] = Some(*class));
    known.push(now);
    versions.made.insert(key, version);
    Some(version)
}

fn closure_version(
    program: &mut Program,
    known: &mut Vec<Known>,
    versions: &mut Versions,
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
    if let Some(&version) = versions.closures.get(&key) {
        return Some(version);
    }
    let inside = key.1.iter().map(|(_, class)| versions.depth(*class)).max();
    let depth = versions.depth(class).max(1 + inside.unwrap_or(0));
    if depth > DEEPEST {
        return None;
    }
    let (now_code, mut now) = copy(program, known, versions, code)?;
    now.captures.resize(count, None);
    key.1.iter().for_each(|(index, class)| now.captures[*index] = Some(*class));
    known.push(now);
    let mut copy = program.classes[class.index()].clone();
    let tables = copy.interfaces.iter_mut().flat_map(|it| &mut it.1);
    for entry in copy.vtable.iter_mut().chain(tables) {
        if *entry == Some(code) {
            *entry = Some(now_code);
        }
    }
    let version = ClassId(program.classes.len() as u32);
    program.classes.push(copy);
    let shape = program.closure_versions.get(&class).copied().unwrap_or(class);
    program.closure_versions.insert(version, shape);
    versions.closures.insert(key, version);
    versions.depths.insert(version, depth);
    Some(version)
}

/// A copy of a function that is not too long, and what is known of the original. The caller says what is known of the copy.
fn copy(
    program: &mut Program,
    known: &[Known],
    versions: &mut Versions,
    function: FunctionId,
) -> Option<(FunctionId, Known)> {
    let original = &program.functions[function.index()];
    let mut size = 0;
    walk::visit_stmts(&original.body, &mut |_| size += 1);
    if !is_host_code(original) || size == 0 || size > MOST || versions.statements + size > ALL {
        return None;
    }
    versions.statements += size;
    let copy = original.clone();
    let version = FunctionId(program.functions.len() as u32);
    program.functions.push(copy);
    Some((version, known[function.index()].clone()))
}

/// Whether a function calls what a parameter is, or passes it on, and never sets it.
fn uses(function: &Function, param: LocalId) -> bool {
    let is_it = |expr: &Expr| matches!(bare(expr).kind, ExprKind::Local(local) if local == param);
    let mut set = false;
    walk::visit_stmts(&function.body, &mut |stmt| {
        set |= matches!(stmt.kind, StmtKind::Set { local, .. } if local == param);
    });
    !set && param.0 < function.params && passes_on(function, &is_it)
}

/// The same of what the closure captures whose code a function is: it is read into a local first.
fn uses_capture(function: &Function, field: u32) -> bool {
    let is_field = |expr: &Expr| matches!(&bare(expr).kind, ExprKind::Field { object, field: it, .. } if *it == field && is_first(object));
    let mut locals = Vec::new();
    walk::visit_stmts(&function.body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && is_field(value)
        {
            locals.push(*local);
        }
    });
    let is_local = |expr: &Expr| matches!(&bare(expr).kind, ExprKind::Local(local) if locals.contains(local));
    passes_on(function, &|expr| is_field(expr) || is_local(expr))
}

/// Whether a value is called, or an argument, or captured.
fn passes_on(function: &Function, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    walk::visit_exprs(&function.body, &mut |expr, _| match &expr.kind {
        ExprKind::CallClosure { args, .. } => found |= args.first().is_some_and(is_it),
        ExprKind::Call { args, .. } => found |= args.iter().any(is_it),
        ExprKind::MakeObject { fields, .. } => found |= fields.iter().any(is_it),
        _ => {}
    });
    found
}
