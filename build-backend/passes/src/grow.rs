//! Texts that grow: `s += i` puts the new part behind the old ones where the text lies, if nobody else has that text.
//!
//! Whether `s` alone has it is known when the program runs: a variable beside `s` says so after each such assignment, and no more
//! as soon as anything else is done with `s` than to look at it. The runtime then makes texts with room behind them.

use super::{bare, bare_mut, is_host_code};
use apg_mir::*;

/// Runtime entries that only look at a string.
const LOOK: [&str; 10] = [
    JOIN,
    APPEND,
    "string_concat",
    "string_length",
    "string_char_at",
    "string_equals",
    "string_compare",
    "string_hash",
    "string_index_of",
    "string_last_index_of",
];

/// Lets texts of all functions grow in place.
pub(super) fn grow(program: &mut Program) {
    let Some(string) = program.classes.iter().position(|it| it.kind == ClassKind::String) else { return };
    let string = Ty::Ref(ClassId(string as u32));
    for function in program.functions.iter_mut().filter(|it| is_host_code(it)) {
        let mut loops = false;
        walk::visit_stmts(&function.body, &mut |it| loops |= matches!(it.kind, StmtKind::Loop { .. }));
        if !loops {
            continue;
        }
        join_copies(function);
        for index in 0..function.locals.len() {
            let local = LocalId(index as u32);
            if function.locals[index].ty == string && is_worth_it(&function.body, local) {
                let own = LocalId(function.locals.len() as u32);
                function.locals.push(Local { name: format!("${}", own.0).into(), ty: Ty::Bool });
                let grown = Grown { local, own };
                grown.list(&mut function.body);
                function.body.insert(0, grown.owned(false, function.position));
            }
        }
    }
}

/// The parts that are joined, if a statement sets `local` to what begins with `first`.
fn joined(kind: &StmtKind) -> Option<(LocalId, LocalId)> {
    let StmtKind::Set { local, value } = kind else { return None };
    let ExprKind::Runtime { entry, args } = &bare(value).kind else { return None };
    let ExprKind::Local(first) = bare(args.first()?).kind else { return None };
    (entry == JOIN || entry == "string_concat").then_some((*local, first))
}

/// `$ = s; ...; s = $ + x` is `...; s = s + x`, if `s` stays what it is in between and `$` is used nowhere else.
fn join_copies(function: &mut Function) {
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
            if let Some((local, copy)) = joined(&stmts[index].kind)
                && copy != local
                && copy.0 >= params
                && (reads[copy.index()], sets[copy.index()]) == (1, 1)
                && let Some(from) = copied(&stmts[..index], local, copy)
            {
                let ExprKind::Runtime { args, .. } = (match &mut stmts[index].kind {
                    StmtKind::Set { value, .. } => &mut bare_mut(value).kind,
                    _ => return,
                }) else {
                    return;
                };
                if let Some(first) = args.first_mut() {
                    bare_mut(first).kind = ExprKind::Local(local);
                }
                stmts.remove(from);
                continue;
            }
            index += 1;
        }
    });
}

/// Where in front of a statement `copy` is set to what `local` still is there.
fn copied(before: &[Stmt], local: LocalId, copy: LocalId) -> Option<usize> {
    for (index, stmt) in before.iter().enumerate().rev() {
        match &stmt.kind {
            StmtKind::Set { local: set, value } if *set == copy => {
                return matches!(bare(value).kind, ExprKind::Local(it) if it == local).then_some(index);
            }
            StmtKind::Set { local: set, .. } if *set != local => {}
            StmtKind::Expr(_) => {}
            _ => return None,
        }
    }
    None
}

/// Whether a local grows in a loop, and no loop's condition gives it away.
fn is_worth_it(body: &[Stmt], local: LocalId) -> bool {
    let (mut grows, mut refused) = (false, false);
    walk::visit_stmts(body, &mut |stmt| {
        if let StmtKind::Loop { body, update, .. } = &stmt.kind {
            for inner in [body, update] {
                walk::visit_stmts(inner, &mut |it| grows |= joined(&it.kind) == Some((local, local)));
            }
        }
        if matches!(stmt.kind, StmtKind::Loop { .. } | StmtKind::When(_)) {
            refused |= walk::operands(&stmt.kind).into_iter().any(|it| gives_away(it, local, false));
        }
    });
    grows && !refused
}

/// Whether an expression gives a reference away, or `looks` at it only.
fn gives_away(expr: &Expr, local: LocalId, looks: bool) -> bool {
    let looks = match &expr.kind {
        ExprKind::Local(it) => return *it == local && !looks,
        ExprKind::NonNull(_) | ExprKind::Cast { .. } => looks,
        ExprKind::Runtime { entry, .. } => LOOK.contains(&entry.as_str()),
        // What lies in the text is read.
        ExprKind::Operation { .. } | ExprKind::InstanceOf { .. } | ExprKind::Element { .. } => true,
        _ => false,
    };
    walk::children(&expr.kind).into_iter().any(|it| gives_away(it, local, looks))
}

/// A text that grows, and the variable that says whether it is nobody else's.
#[derive(Clone, Copy)]
struct Grown {
    local: LocalId,
    own: LocalId,
}

impl Grown {
    fn owned(self, own: bool, position: Position) -> Stmt {
        let value = Expr { ty: Ty::Bool, kind: ExprKind::Int(own.into()), position: None };
        Stmt { position, kind: StmtKind::Set { local: self.own, value } }
    }

    fn list(self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            let position = stmt.position;
            let gives_away =
                walk::operands(&stmt.kind).into_iter().any(|it| gives_away(it, self.local, false));
            let grows = !gives_away && joined(&stmt.kind) == Some((self.local, self.local));
            let sets = matches!(stmt.kind, StmtKind::Set { local, .. } if local == self.local);
            if !grows && (gives_away || sets) {
                stmts.push(self.owned(false, position));
            }
            if grows && let StmtKind::Set { value, .. } = &mut stmt.kind {
                self.append(bare_mut(value));
            }
            walk_mut::bodies(&mut stmt.kind).into_iter().for_each(|it| self.list(it));
            stmts.push(stmt);
            if grows {
                stmts.push(self.owned(true, position));
            }
        }
    }

    fn append(self, value: &mut Expr) {
        if let ExprKind::Runtime { entry, args } = &mut value.kind {
            *entry = APPEND.into();
            args.insert(1, Expr { ty: Ty::Bool, kind: ExprKind::Local(self.own), position: None });
        }
    }
}
