//! In-place string append: `s += x` in a loop appends to the buffer of `s` instead of copying it.
//!
//! This is correct while `s` is the only reference to the string. A Boolean local beside `s` tracks
//! uniqueness at run time: it is set after each append, and cleared when the reference is copied, passed on
//! or stored. The runtime allocates appended strings with spare capacity.

use apg_mir::entries::{APPEND, JOIN, reads_strings_only};
use apg_mir::*;

use crate::values::{is_host_code, strip_checks, strip_checks_mut};

/// Rewrites string concatenations in loops of host functions to appends.
pub(crate) fn append_in_place(program: &mut Program) {
    let Some(string) = program.classes.iter().position(|it| it.kind == ClassKind::String) else { return };
    let string = Ty::Ref(ClassId(string as u32));
    for function in program.functions.iter_mut().filter(|it| is_host_code(it)) {
        let mut has_loop = false;
        walk::visit_stmts(&function.body, &mut |it| has_loop |= matches!(it.kind, StmtKind::Loop { .. }));
        if !has_loop {
            continue;
        }
        forward_copies(function);
        for index in 0..function.locals.len() {
            let local = LocalId(index as u32);
            if function.locals[index].ty == string && is_appended_in_loop(&function.body, local) {
                let unique = LocalId(function.locals.len() as u32);
                function.locals.push(Local { name: format!("${}", unique.0).into(), ty: Ty::Bool });
                let appended = AppendedString { local, unique };
                appended.rewrite(&mut function.body);
                function.body.insert(0, appended.set_unique(false, function.span));
            }
        }
    }
}

/// `(local, first)` for an assignment of a concatenation whose first operand is the local `first`.
fn concatenation(kind: &StmtKind) -> Option<(LocalId, LocalId)> {
    let StmtKind::Set { local, value } = kind else { return None };
    let ExprKind::Runtime { entry, args } = &strip_checks(value).kind else { return None };
    let ExprKind::Local(first) = strip_checks(args.first()?).kind else { return None };
    (entry == JOIN || entry == "string_concat").then_some((*local, first))
}

/// Copy propagation: `$ = s; ...; s = $ + x` becomes `...; s = s + x` if `s` is not assigned in between and
/// `$` is not used elsewhere.
fn forward_copies(function: &mut Function) {
    let mut reads = vec![0_u32; function.locals.len()];
    let mut sets = vec![0_u32; function.locals.len()];
    walk::visit_exprs(&function.body, &mut |expr, _| {
        if let ExprKind::Local(local) = expr.kind {
            reads[local.index()] += 1;
        }
    });
    walk::visit_stmts(&function.body, &mut |stmt| {
        if let StmtKind::Set { local, .. } = stmt.kind {
            sets[local.index()] += 1;
        }
    });
    let params = function.params;
    walk_mut::edit_bodies(&mut function.body, &mut |stmts| {
        let mut index = 0;
        while index < stmts.len() {
            if let Some((local, copy)) = concatenation(&stmts[index].kind)
                && copy != local
                && copy.0 >= params
                && (reads[copy.index()], sets[copy.index()]) == (1, 1)
                && let Some(from) = find_copy(&stmts[..index], local, copy)
            {
                let ExprKind::Runtime { args, .. } = (match &mut stmts[index].kind {
                    StmtKind::Set { value, .. } => &mut strip_checks_mut(value).kind,
                    _ => return,
                }) else {
                    return;
                };
                if let Some(first) = args.first_mut() {
                    strip_checks_mut(first).kind = ExprKind::Local(local);
                }
                stmts.remove(from);
                continue;
            }
            index += 1;
        }
    });
}

/// The index of the last `copy = local` after which `local` is not assigned.
fn find_copy(before: &[Stmt], local: LocalId, copy: LocalId) -> Option<usize> {
    for (index, stmt) in before.iter().enumerate().rev() {
        match &stmt.kind {
            StmtKind::Set { local: set, value } if *set == copy => {
                return matches!(strip_checks(value).kind, ExprKind::Local(it) if it == local)
                    .then_some(index);
            }
            StmtKind::Set { local: set, .. } if *set != local => {}
            StmtKind::Expr(_) => {}
            _ => return None,
        }
    }
    None
}

/// Whether a local is appended to in a loop and does not escape in the condition of a loop or `when`, where
/// the uniqueness local cannot be updated.
fn is_appended_in_loop(body: &[Stmt], local: LocalId) -> bool {
    let (mut appends, mut escapes) = (false, false);
    walk::visit_stmts(body, &mut |stmt| {
        if let StmtKind::Loop { body, update, .. } = &stmt.kind {
            for inner in [body, update] {
                walk::visit_stmts(inner, &mut |it| {
                    appends |= concatenation(&it.kind) == Some((local, local))
                });
            }
        }
        if matches!(stmt.kind, StmtKind::Loop { .. } | StmtKind::When(_)) {
            escapes |= walk::operands(&stmt.kind).into_iter().any(|it| copies_reference(it, local, false));
        }
    });
    appends && !escapes
}

/// Whether an expression copies the reference in `local` or passes it on. `reads`: the context only reads the
/// string.
fn copies_reference(expr: &Expr, local: LocalId, reads: bool) -> bool {
    let reads = match &expr.kind {
        ExprKind::Local(it) => return *it == local && !reads,
        ExprKind::NonNull(_) | ExprKind::Cast { .. } => reads,
        ExprKind::Runtime { entry, .. } => reads_strings_only(entry),
        ExprKind::Operation { .. } | ExprKind::InstanceOf { .. } | ExprKind::Element { .. } => true,
        _ => false,
    };
    walk::children(&expr.kind).into_iter().any(|it| copies_reference(it, local, reads))
}

/// A string that is appended to, and the local that says whether its reference is the only one.
#[derive(Clone, Copy)]
struct AppendedString {
    local: LocalId,
    unique: LocalId,
}

impl AppendedString {
    fn set_unique(self, unique: bool, span: Span) -> Stmt {
        let value = Expr::new(Ty::Bool, ExprKind::Int(unique.into()));
        Stmt::new(span, StmtKind::Set { local: self.unique, value })
    }

    fn rewrite(self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            let span = stmt.span;
            let copies =
                walk::operands(&stmt.kind).into_iter().any(|it| copies_reference(it, self.local, false));
            let appends = !copies && concatenation(&stmt.kind) == Some((self.local, self.local));
            let assigns = matches!(stmt.kind, StmtKind::Set { local, .. } if local == self.local);
            if !appends && (copies || assigns) {
                stmts.push(self.set_unique(false, span));
            }
            if appends && let StmtKind::Set { value, .. } = &mut stmt.kind {
                self.rewrite_to_append(strip_checks_mut(value));
            }
            walk_mut::bodies(&mut stmt.kind).into_iter().for_each(|it| self.rewrite(it));
            stmts.push(stmt);
            if appends {
                stmts.push(self.set_unique(true, span));
            }
        }
    }

    fn rewrite_to_append(self, value: &mut Expr) {
        if let ExprKind::Runtime { entry, args } = &mut value.kind {
            *entry = APPEND.into();
            args.insert(1, Expr::new(Ty::Bool, ExprKind::Local(self.unique)));
        }
    }
}
