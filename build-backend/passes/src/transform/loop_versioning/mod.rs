//! Loop versioning for bounds-check elimination (Midkiff, Moreira and Snir, *Optimizing array reference
//! checking in Java programs*, 1998).
//!
//! Guards before a loop with an [induction variable](induction) test that all accesses at [affine](affine)
//! indices are in bounds. If they hold, an unchecked version runs, which the C++ compiler can vectorise; else
//! the loop itself, which raises its exception at the right iteration. Guards cover loop nests: the unchecked
//! version of a nest has no branches. In the checked version of a nest only innermost loops are versioned
//! again.
//!
//! Objects with [`FunctionRole::Indexing`] take part: one function tests the ranges of all indices at once,
//! another accesses an element without a check. Characters of strings are treated as elements of arrays.

mod accesses;
mod affine;
mod expressions;
mod facts;
mod hoist;
mod induction;
mod invariant;
mod rename;
mod scan;
mod state;

use apg_mir::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::values::is_host_code;
use expressions::{and, not_null};
use facts::LoopFacts;
use induction::Entry;
use rename::Renamer;
use state::{HoistedRail, Scan};

/// Number of guards above which a version costs more than it saves.
const MAX_GUARDS: usize = 36;

/// Adds unchecked versions to the loops of all host functions.
pub(crate) fn version_loops(program: &mut Program) {
    for index in 0..program.functions.len() {
        if !is_host_code(&program.functions[index]) || !has_loop(&program.functions[index].body) {
            continue;
        }
        let function = &mut program.functions[index];
        let mut body = std::mem::take(&mut function.body);
        let mut locals = std::mem::take(&mut function.locals);
        let successors = induction::successors(&body);
        let renamer = Renamer::new(&body, function.params);
        let mut versioner =
            Versioner { program, locals: &mut locals, successors, renamer, innermost_only: false };
        versioner.visit(&mut body, Entry::default());
        let function = &mut program.functions[index];
        function.body = body;
        function.locals = locals;
    }
}

fn has_loop(body: &[Stmt]) -> bool {
    let mut found = false;
    walk::visit_stmts(body, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Loop { .. }));
    found
}

/// Versions the loops of one function.
struct Versioner<'a> {
    program: &'a Program,
    locals: &'a mut Vec<Local>,
    successors: FxHashMap<LocalId, Expr>,
    renamer: Renamer,
    /// Set in the checked version of a loop nest.
    innermost_only: bool,
}

/// The unchecked version of a loop.
struct Version {
    /// Loads of arrays before the loop.
    loads: Vec<HoistedRail>,
    condition: Expr,
    unchecked: Stmt,
    is_nest: bool,
}

impl Versioner<'_> {
    /// Versions the loops in statements, outer ones first. `entry` is what is known when the first one is
    /// reached.
    fn visit(&mut self, stmts: &mut Vec<Stmt>, entry: Entry<'_>) {
        let mut at = 0;
        while at < stmts.len() {
            let (before, rest) = stmts.split_at_mut(at);
            let entry = if at == 0 { entry } else { Entry { condition: None, before } };
            match self.version(&rest[0], entry) {
                Some(version) => at += self.add(stmts, at, version),
                None => {
                    self.visit_inside(&mut rest[0], before);
                    at += 1;
                }
            }
        }
    }

    fn visit_inside(&mut self, stmt: &mut Stmt, before: &[Stmt]) {
        if let StmtKind::If { condition, then, otherwise } = &mut stmt.kind {
            self.visit(then, Entry { condition: Some(condition), before });
            self.visit(otherwise, Entry::default());
            return;
        }
        for body in walk_mut::bodies(&mut stmt.kind) {
            self.visit(body, Entry::default());
        }
    }

    /// Replaces a loop by its versions and returns the number of statements that are there instead.
    fn add(&mut self, stmts: &mut Vec<Stmt>, at: usize, version: Version) -> usize {
        let Version { loads, condition, mut unchecked, is_nest } = version;
        let span = stmts[at].span;
        self.visit_inside(&mut unchecked, &[]);
        let outer = self.innermost_only;
        self.innermost_only |= is_nest;
        self.visit_inside(&mut stmts[at], &[]);
        self.innermost_only = outer;
        let load = |it: HoistedRail| Stmt::new(span, StmtKind::Set { local: it.local, value: it.load });
        let before: Vec<Stmt> = loads.into_iter().map(load).collect();
        let count = before.len() + 1;
        let checked = std::mem::replace(&mut stmts[at], unchecked);
        let then = stmts.splice(at..=at, before).collect();
        let kind = StmtKind::If { condition, then, otherwise: vec![checked] };
        stmts.insert(at + count - 1, Stmt::new(span, kind));
        count
    }

    /// The unchecked version of a loop; `None` if no access is covered.
    fn version(&mut self, stmt: &Stmt, entry: Entry<'_>) -> Option<Version> {
        if !matches!(stmt.kind, StmtKind::Loop { .. }) {
            return None;
        }
        let facts = LoopFacts::of(self.program, stmt)?;
        if self.innermost_only && facts.is_nest {
            return None;
        }
        let count = self.locals.len();
        let found = self.scan(stmt, entry, &facts, Vec::new()).and_then(|found| match found.0.is_empty() {
            true => Some(found),
            // Loads that come before the access that needs the array read the hoisted one as well.
            false => self.scan(stmt, entry, &facts, found.0),
        });
        let Some((loads, required, mut unchecked)) = found else {
            self.locals.truncate(count);
            return None;
        };
        let private = self.renamer.private_locals(stmt);
        remove_unused_values(self.program, &private, &required, &mut unchecked);
        self.renamer.rename(&private, &mut unchecked, self.locals);
        let condition = required.into_iter().reduce(and)?;
        Some(Version { loads, condition, unchecked, is_nest: facts.is_nest })
    }

    /// The hoisted arrays, the guards and the loop without the checks that they cover.
    fn scan(
        &mut self,
        stmt: &Stmt,
        entry: Entry<'_>,
        facts: &LoopFacts,
        hoisted: Vec<HoistedRail>,
    ) -> Option<(Vec<HoistedRail>, Vec<Expr>, Stmt)> {
        let mut unchecked = stmt.clone();
        let mut scan = Scan::new(self.program, self.locals, facts, &self.successors, hoisted);
        scan.run(&mut unchecked, entry);
        let present: Vec<Expr> = scan.hoisted.iter().map(|it| not_null(&scan.local(it.local))).collect();
        scan.require(present);
        let Scan { tests, hoisted, covered, .. } = scan;
        let is_versioned = covered > 0 && (1..=MAX_GUARDS).contains(&tests.len());
        is_versioned.then_some((hoisted, tests, unchecked))
    }
}

/// Removes tuples whose components are all that was used of them, and properties that only hoisted checks
/// read. `required` holds in the loop.
fn remove_unused_values(program: &Program, private: &[LocalId], required: &[Expr], stmt: &mut Stmt) {
    let stmts = std::slice::from_mut(stmt);
    let mut used = FxHashSet::default();
    walk::visit_exprs(stmts, &mut |expr, _| {
        if let ExprKind::Local(local) = expr.kind {
            used.insert(local);
        }
    });
    let is_plain = |it: &Expr| matches!(it.kind, ExprKind::Local(_) | ExprKind::Int(_));
    let is_present = |it: &Expr| match &it.kind {
        ExprKind::NonNull(object) => is_plain(object) && required.contains(&not_null(object)),
        _ => is_plain(it),
    };
    let is_unused = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Set { local, value: Expr { kind: ExprKind::Call { function, args }, .. } } => {
            let role = &program.functions[function.index()].role;
            matches!(role, FunctionRole::Tuple | FunctionRole::Property)
                && private.contains(local)
                && !used.contains(local)
                && args.iter().all(is_present)
        }
        _ => false,
    };
    walk_mut::edit_stmts(stmts, &mut |stmt| {
        for body in walk_mut::bodies(&mut stmt.kind) {
            body.retain(|stmt| !is_unused(stmt));
        }
    });
}
