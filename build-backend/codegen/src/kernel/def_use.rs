//! Where the locals of a planned body are used, and how first.

use rustc_hash::{FxHashMap, FxHashSet};

use super::regions::Node;
use apg_mir::walk::{bodies, operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Where a local is used.
#[derive(Clone, Copy)]
pub enum Site {
    /// In one run; `carried` from one turn of a loop around it to the next.
    One {
        run: usize,
        carried: bool,
    },
    Many,
}

/// Where locals are used.
#[derive(Default)]
pub struct Sites {
    /// Those that are.
    pub by_local: FxHashMap<LocalId, Site>,
    runs: usize,
}

impl Sites {
    /// Looks at parts of a body.
    pub fn collect(&mut self, nodes: &[Node<'_>], in_loop: bool) {
        for node in nodes {
            match node {
                Node::Run(stmts) => self.run(stmts, in_loop),
                Node::Uniform(_) | Node::Offset(_) | Node::Jump(_) => {}
                Node::Together(stmt) => {
                    self.condition(stmt);
                    if let StmtKind::Set { local, .. } = &stmt.kind {
                        self.by_local.insert(*local, Site::Many);
                    }
                }
                Node::Stride(stride) => {
                    let body: Vec<&Stmt> = stride.body.iter().collect();
                    self.run(&body, true);
                    // The counter is the loop's own.
                    self.by_local.remove(&stride.index);
                }
                Node::If(stmt, then, otherwise) => {
                    self.condition(stmt);
                    self.collect(then, in_loop);
                    self.collect(otherwise, in_loop);
                }
                Node::Loop(stmt, body, update) => {
                    self.condition(stmt);
                    self.collect(body, true);
                    self.collect(update, true);
                }
                Node::Labeled(_, body) | Node::Warps(body) => self.collect(body, in_loop),
                Node::Switch(stmt, cases) => {
                    self.condition(stmt);
                    for body in cases {
                        self.collect(body, in_loop);
                    }
                }
            }
        }
    }

    /// A condition outside runs looks at the element of one thread.
    fn condition(&mut self, stmt: &Stmt) {
        for expr in operands(&stmt.kind) {
            visit_expr(expr, None, &mut |it, _| {
                if let ExprKind::Local(local) = it.kind {
                    self.by_local.insert(local, Site::Many);
                }
            });
        }
    }

    fn run(&mut self, stmts: &[&Stmt], in_loop: bool) {
        self.runs += 1;
        let run = self.runs;
        for local in mentioned(stmts) {
            let carried = in_loop && !assigned_first(stmts.iter().copied(), local);
            let site = match self.by_local.get(&local) {
                None => Site::One { run, carried },
                Some(Site::One { run: other, carried: before }) if *other == run => {
                    Site::One { run, carried: carried || *before }
                }
                Some(_) => Site::Many,
            };
            self.by_local.insert(local, site);
        }
    }
}

/// Locals read or written in statements.
pub fn mentioned(stmts: &[&Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| {
            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &it.kind {
                found.insert(*local);
            }
        });
        visit_exprs(list, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                found.insert(local);
            }
        });
    }
    found
}

/// How a local is first used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Unused,
    Assigned,
    /// Assigned on some ways, and not read on the others.
    Inside,
    Read,
}

/// Whether every read of a local comes after an assignment in the same statements.
pub fn assigned_first<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> bool {
    first_use(stmts, local) != First::Read
}

/// Whether every way through statements begins with an assignment of a local.
pub fn always_assigned<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> bool {
    first_use(stmts, local) == First::Assigned
}

fn first_use<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> First {
    let mut state = First::Unused;
    for stmt in stmts {
        let mut reads = false;
        for expr in operands(&stmt.kind) {
            visit_expr(expr, None, &mut |it, _| {
                reads |= matches!(it.kind, ExprKind::Local(id) if id == local)
            });
        }
        if reads || matches!(&stmt.kind, StmtKind::SetStructField { local: id, .. } if *id == local) {
            return First::Read;
        }
        if matches!(&stmt.kind, StmtKind::Set { local: id, .. } if *id == local) {
            return First::Assigned;
        }
        if let StmtKind::Loop { body, update, .. } = &stmt.kind {
            // The update comes after the body.
            match first_use(body.iter().chain(update), local) {
                First::Read => return First::Read,
                First::Unused => {}
                _ => state = First::Inside,
            }
            continue;
        }
        let inner: Vec<First> =
            bodies(&stmt.kind).into_iter().map(|body| first_use(body.iter(), local)).collect();
        if inner.contains(&First::Read) {
            return First::Read;
        }
        let everywhere = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Block(_));
        if everywhere && !inner.is_empty() && inner.iter().all(|it| *it == First::Assigned) {
            return First::Assigned;
        }
        if inner.iter().any(|it| *it != First::Unused) {
            state = First::Inside;
        }
    }
    state
}
