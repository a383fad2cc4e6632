//! A run taken apart at loops whose turns all threads take alike. Some threads, a *chunk*, go through such a loop together, so that the
//! loops over them are innermost, short, of known length, and vectorised by every compiler; what they keep from turn
//! to turn stays in registers. Branches that threads take for themselves become masks.

use rustc_hash::{FxHashMap, FxHashSet};

use super::access_stride::is_strided;
use super::def_use::{assigned_first, mentioned};
use super::regions::{Class, Plan};
use apg_mir::walk::{bodies, visit_exprs, visit_stmts};
use apg_mir::*;

/// A part of a run.
pub enum Part<'a> {
    /// Statements for each thread of the chunk.
    Lanes(Vec<&'a Stmt>),
    /// Assignment of a uniform local.
    Uniform(&'a Stmt),
    /// A loop that all take together: body and update.
    Loop(&'a Stmt, Vec<Part<'a>>, Vec<Part<'a>>),
    /// A branch that all take alike.
    If(&'a Stmt, Vec<Part<'a>>, Vec<Part<'a>>),
    /// A branch that each takes for itself.
    Masked(&'a Stmt, Vec<Part<'a>>, Vec<Part<'a>>),
}

/// A run in parts.
pub struct Fission<'a> {
    /// In order.
    pub parts: Vec<Part<'a>>,
    /// Locals with one value for all threads of the chunk.
    pub uniform: Vec<LocalId>,
    /// Locals that have an element for each thread of the chunk.
    pub arrays: Vec<LocalId>,
}

/// Takes a run apart, if it has a loop for which that is worth it.
pub fn fission<'a>(plan: &Plan<'a>, stmts: &[&'a Stmt]) -> Option<Fission<'a>> {
    let mut found = Fissioner { plan, uniform: FxHashSet::default(), mentions: mentions(stmts) };
    found.find_uniform(stmts);
    let parts = found.parts(stmts.iter().copied());
    if !parts.iter().any(has_loop) || is_strided(plan, &found.uniform, stmts) {
        return None;
    }
    let mut sites = Sites { plan, uniform: &found.uniform, by_local: FxHashMap::default(), count: 0 };
    sites.collect(&parts, false);
    let mut arrays: Vec<LocalId> =
        sites.by_local.iter().filter(|it| it.1.is_none()).map(|it| *it.0).collect();
    arrays.sort();
    let mut uniform: Vec<LocalId> = found.uniform.iter().copied().collect();
    uniform.sort();
    Some(Fission { parts, uniform, arrays })
}

/// Whether a part is or has a loop that all take together.
pub fn has_loop(part: &Part<'_>) -> bool {
    match part {
        Part::Loop(..) => true,
        Part::If(_, then, otherwise) | Part::Masked(_, then, otherwise) => {
            then.iter().chain(otherwise).any(has_loop)
        }
        Part::Lanes(_) | Part::Uniform(_) => false,
    }
}

/// How often locals are read or assigned.
pub fn mentions(stmts: &[&Stmt]) -> FxHashMap<LocalId, usize> {
    let mut found: FxHashMap<LocalId, usize> = FxHashMap::default();
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| {
            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &it.kind {
                *found.entry(*local).or_default() += 1;
            }
        });
        visit_exprs(list, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                *found.entry(local).or_default() += 1;
            }
        });
    }
    found
}

struct Fissioner<'p, 'a> {
    plan: &'p Plan<'a>,
    uniform: FxHashSet<LocalId>,
    /// In the whole run.
    mentions: FxHashMap<LocalId, usize>,
}

impl<'a> Fissioner<'_, 'a> {
    /// All locals of the run are assumed to be uniform, and dropped until what remains holds.
    fn find_uniform(&mut self, stmts: &[&'a Stmt]) {
        for local in self.mentions.keys() {
            if self.plan.classes.get(local.index()) == Some(&Class::Private) {
                self.uniform.insert(*local);
            }
        }
        loop {
            let mut wrong = FxHashSet::default();
            for stmt in stmts {
                self.check(std::slice::from_ref(*stmt), None, &mut wrong);
            }
            let before = self.uniform.len();
            self.uniform.retain(|it| !wrong.contains(it));
            if self.uniform.len() == before {
                return;
            }
        }
    }

    fn is_uniform(&self, expr: &Expr) -> bool {
        self.plan.is_uniform(expr, &self.uniform)
    }

    /// Finds locals that are not uniform. Where not all threads go, only `allowed` ones can be, which nothing else speaks of.
    fn check(&self, stmts: &[Stmt], allowed: Option<&FxHashSet<LocalId>>, wrong: &mut FxHashSet<LocalId>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Set { local, value } => {
                    let is_rail = matches!(value.kind, ExprKind::AllocateRail { .. });
                    if is_rail || !self.is_uniform(value) || allowed.is_some_and(|it| !it.contains(local)) {
                        wrong.insert(*local);
                    }
                }
                StmtKind::SetStructField { local, .. } => {
                    wrong.insert(*local);
                }
                StmtKind::Block(body) => self.check(body, allowed, wrong),
                StmtKind::If { condition, then, otherwise } => {
                    let alike = self.is_uniform(condition);
                    for branch in [then, otherwise] {
                        let inside = (!alike).then(|| self.only_in(branch));
                        self.check(branch, inside.as_ref().or(allowed), wrong);
                    }
                }
                StmtKind::Loop { body, update, .. } if self.is_taken_apart(stmt) => {
                    self.check(body, allowed, wrong);
                    self.check(update, allowed, wrong);
                }
                kind => {
                    for body in bodies(kind) {
                        visit_stmts(body, &mut |it| {
                            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } =
                                &it.kind
                            {
                                wrong.insert(*local);
                            }
                        });
                    }
                }
            }
        }
    }

    /// Locals that only these statements speak of.
    fn only_in(&self, body: &[Stmt]) -> FxHashSet<LocalId> {
        let stmts: Vec<&Stmt> = body.iter().collect();
        mentions(&stmts)
            .into_iter()
            .filter(|(local, count)| self.mentions.get(local) == Some(count))
            .map(|it| it.0)
            .collect()
    }

    /// A loop whose turns are the same for all threads, and that is left only at its end.
    fn is_taken_apart(&self, stmt: &Stmt) -> bool {
        let StmtKind::Loop { condition, body, update, .. } = &stmt.kind else { return false };
        let mut inner = FxHashSet::default();
        let mut stays = true;
        for body in [body, update] {
            visit_stmts(body, &mut |it| {
                if let StmtKind::Loop { label, .. }
                | StmtKind::Switch { label, .. }
                | StmtKind::Labeled { label, .. } = &it.kind
                {
                    inner.insert(*label);
                }
            });
        }
        for body in [body, update] {
            visit_stmts(body, &mut |it| match &it.kind {
                StmtKind::Break(label) | StmtKind::Continue(label) => stays &= inner.contains(label),
                _ => {}
            });
        }
        stays && self.is_uniform(condition)
    }

    /// Whether a loop inside is taken apart.
    fn divides(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Loop { .. } => self.is_taken_apart(stmt),
            StmtKind::Block(body) => body.iter().any(|it| self.divides(it)),
            StmtKind::If { then, otherwise, .. } => then.iter().chain(otherwise).any(|it| self.divides(it)),
            _ => false,
        }
    }

    fn parts<'s>(&self, stmts: impl Iterator<Item = &'a Stmt> + 's) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        for stmt in stmts {
            self.add(stmt, &mut parts);
        }
        parts
    }

    fn add(&self, stmt: &'a Stmt, parts: &mut Vec<Part<'a>>) {
        match &stmt.kind {
            StmtKind::Set { local, .. } if self.uniform.contains(local) => parts.push(Part::Uniform(stmt)),
            StmtKind::Set { local, .. } if self.plan.classes.get(local.index()) == Some(&Class::Derived) => {}
            StmtKind::Block(body) => {
                for stmt in body {
                    self.add(stmt, parts);
                }
            }
            StmtKind::If { condition, then, otherwise }
                if self.divides(stmt) || self.assigns_uniform(stmt) =>
            {
                let (then, otherwise) = (self.parts(then.iter()), self.parts(otherwise.iter()));
                parts.push(match self.is_uniform(condition) {
                    true => Part::If(stmt, then, otherwise),
                    false => Part::Masked(stmt, then, otherwise),
                });
            }
            StmtKind::Loop { body, update, .. } if self.is_taken_apart(stmt) => {
                parts.push(Part::Loop(stmt, self.parts(body.iter()), self.parts(update.iter())));
            }
            _ => match parts.last_mut() {
                Some(Part::Lanes(lanes)) => lanes.push(stmt),
                _ => parts.push(Part::Lanes(vec![stmt])),
            },
        }
    }

    fn assigns_uniform(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        visit_stmts(std::slice::from_ref(stmt), &mut |it| {
            found |= matches!(&it.kind, StmtKind::Set { local, .. } if self.uniform.contains(local));
        });
        found
    }
}

/// Which locals are used in more than one part, or from one turn to the next (none), and which in one only (its number).
struct Sites<'p, 'a> {
    plan: &'p Plan<'a>,
    uniform: &'p FxHashSet<LocalId>,
    by_local: FxHashMap<LocalId, Option<usize>>,
    count: usize,
}

impl Sites<'_, '_> {
    fn collect(&mut self, parts: &[Part<'_>], in_loop: bool) {
        for part in parts {
            match part {
                Part::Lanes(stmts) => self.lanes(stmts, in_loop),
                Part::Uniform(_) => {}
                Part::Loop(_, body, update) => {
                    self.collect(body, true);
                    self.collect(update, true);
                }
                Part::If(_, then, otherwise) => {
                    self.collect(then, in_loop);
                    self.collect(otherwise, in_loop);
                }
                Part::Masked(stmt, then, otherwise) => {
                    self.count += 1;
                    if let StmtKind::If { condition, .. } = &stmt.kind {
                        walk::visit_expr(condition, None, &mut |it, _| {
                            if let ExprKind::Local(local) = it.kind {
                                self.add(local, true);
                            }
                        });
                    }
                    self.collect(then, in_loop);
                    self.collect(otherwise, in_loop);
                }
            }
        }
    }

    fn lanes(&mut self, stmts: &[&Stmt], in_loop: bool) {
        self.count += 1;
        for local in mentioned(stmts) {
            let spilled = self.plan.classes.get(local.index()) == Some(&Class::Spilled);
            let carried = in_loop && (spilled || !assigned_first(stmts.iter().copied(), local));
            self.add(local, carried);
        }
    }

    fn add(&mut self, local: LocalId, carried: bool) {
        let class = self.plan.classes.get(local.index());
        if !matches!(class, Some(Class::Private | Class::Spilled)) || self.uniform.contains(&local) {
            return;
        }
        let count = self.count;
        let site = self.by_local.entry(local).or_insert(Some(count));
        if carried || *site != Some(count) {
            *site = None;
        }
    }
}
