//! Captured variables of closures, `async` and `at`.
//!
//!
//! An `async` shares a `var` with its parent only if a `finish` inside the variable's scope waits for it. A
//! closure copies its captures, so it captures no `var`. An `at` copies to another place: it assigns nothing
//! outside, and reads a `var` only if its place is known to be the variable's own.

use rustc_hash::FxHashMap;

use crate::body::{AssignTarget, Body, ExprId, ExprKind, LocalId, StmtId, StmtKind, walk::Node};
use crate::rules::{Problem, r#async, flow, place};

/// An equivalence class of places.
type PlaceTerm = u32;

enum Frame {
    Closure,
    Async,
    Finish,
    At,
    /// An `at` marked `@CUDA`, which has kernel rules of its own.
    Kernel,
}

pub(super) struct CaptureWalker<'a> {
    body: &'a Body,
    frames: Vec<Frame>,
    /// For each local: the number of frames around its declaration, and its place.
    declared: FxHashMap<LocalId, (usize, PlaceTerm)>,
    /// Known places of `val`s.
    place_of_val: FxHashMap<LocalId, PlaceTerm>,
    here: PlaceTerm,
    next_place: PlaceTerm,
    pub(super) problems: Vec<Problem>,
}

impl<'a> CaptureWalker<'a> {
    pub(super) fn new(body: &'a Body) -> CaptureWalker<'a> {
        CaptureWalker {
            body,
            frames: Vec::new(),
            declared: body.params.iter().map(|&local| (local, (0, 0))).collect(),
            place_of_val: FxHashMap::default(),
            here: 0,
            next_place: 1,
            problems: Vec::new(),
        }
    }

    pub(super) fn run(&mut self) {
        if let Some(root) = self.body.root {
            self.stmt(root);
        }
    }

    fn declare(&mut self, local: LocalId) {
        self.declared.insert(local, (self.frames.len(), self.here));
    }

    fn unknown_place(&mut self) -> PlaceTerm {
        self.next_place += 1;
        self.next_place
    }

    /// The place that `id` evaluates to; a fresh one if unknown.
    fn place_of(&mut self, id: ExprId) -> PlaceTerm {
        let known = match &self.body.expr(id).kind {
            ExprKind::Here => Some(self.here),
            ExprKind::Local(local) => self.place_of_val.get(local).copied(),
            ExprKind::Coerce { value } => return self.place_of(*value),
            _ => None,
        };
        known.unwrap_or_else(|| self.unknown_place())
    }

    fn with_frame(&mut self, frame: Frame, here: PlaceTerm, body: StmtId) {
        self.frames.push(frame);
        let outer = std::mem::replace(&mut self.here, here);
        self.stmt(body);
        self.here = outer;
        self.frames.pop();
    }

    fn stmt(&mut self, id: StmtId) {
        let body = self.body;
        match &body.stmt(id).kind {
            StmtKind::Let { local, init } => {
                if let Some(init) = *init {
                    self.expr(init);
                    if !body.local(*local).mutable {
                        let place = self.place_of(init);
                        self.place_of_val.insert(*local, place);
                    }
                }
                self.declare(*local);
            }
            StmtKind::ForIn { local, components, .. } => {
                self.declare(*local);
                components.iter().for_each(|&local| self.declare(local));
                self.visit_children(Node::Stmt(id));
            }
            StmtKind::Try { catches, .. } => {
                catches.iter().for_each(|&(local, _)| self.declare(local));
                self.visit_children(Node::Stmt(id));
            }
            StmtKind::Async { body: code, .. } => {
                for child in body.children(Node::Stmt(id)) {
                    if let Node::Expr(child) = child {
                        self.expr(child);
                    }
                }
                self.with_frame(Frame::Async, self.here, *code);
            }
            StmtKind::Finish { body: code, .. } => self.with_frame(Frame::Finish, self.here, *code),
            StmtKind::At { place, body: code, .. } => {
                self.expr(*place);
                let there = self.place_of(*place);
                let marked = |id: StmtId| body.stmt(id).annotations.iter().any(|a| a.name == "CUDA");
                let frame = if marked(id) || marked(*code) { Frame::Kernel } else { Frame::At };
                self.with_frame(frame, there, *code);
            }
            StmtKind::AtEach { local, distribution, body: code, .. } => {
                self.expr(*distribution);
                let there = self.unknown_place();
                self.frames.push(Frame::At);
                let outer = std::mem::replace(&mut self.here, there);
                local.iter().for_each(|&local| self.declare(local));
                self.with_frame(Frame::Async, there, *code);
                self.here = outer;
                self.frames.pop();
            }
            _ => self.visit_children(Node::Stmt(id)),
        }
    }

    fn visit_children(&mut self, node: Node) {
        for child in self.body.children(node) {
            match child {
                Node::Expr(child) => self.expr(child),
                Node::Stmt(child) => self.stmt(child),
            }
        }
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Local(local) => self.check_use(*local, id, false),
            ExprKind::Assign { target: AssignTarget::Local(local), value } => {
                self.expr(*value);
                self.check_use(*local, id, true);
            }
            ExprKind::Closure(closure) => {
                let there = self.unknown_place();
                self.frames.push(Frame::Closure);
                closure.params.iter().for_each(|&local| self.declare(local));
                self.frames.pop();
                for &local in &closure.params {
                    self.declared.insert(local, (self.frames.len() + 1, there));
                }
                self.with_frame(Frame::Closure, there, closure.body);
            }
            ExprKind::At { place, body: code, .. } => {
                self.expr(*place);
                let there = self.place_of(*place);
                self.with_frame(Frame::At, there, *code);
            }
            _ => self.visit_children(Node::Expr(id)),
        }
    }

    fn check_use(&mut self, local: LocalId, at: ExprId, assigned: bool) {
        let variable = self.body.local(local);
        if !variable.mutable && !assigned {
            return;
        }
        let Some(&(depth, place)) = self.declared.get(&local) else { return };
        let range = self.body.expr(at).range;
        let between = &self.frames[depth.min(self.frames.len())..];
        let mut finished = false;
        // Activities of a kernel are its blocks and threads, which have rules of their own.
        let in_kernel = self.frames.iter().any(|frame| matches!(frame, Frame::Kernel));
        for frame in between {
            match frame {
                Frame::Finish => finished = true,
                Frame::Closure => {
                    return self.report(Problem::new(
                        range,
                        flow::captured_var::CapturedVar::Closure { local, is_assigned: assigned },
                    ));
                }
                Frame::Kernel => return,
                Frame::At if assigned || place != self.here => {
                    let is_assigned = assigned || self.is_compound_assignment(local, at);
                    return self.report(Problem::new(
                        range,
                        place::captured_var::CapturedVar { local, is_assigned },
                    ));
                }
                Frame::Async if in_kernel => {}
                Frame::Async if !finished => {
                    return self.report(Problem::new(range, r#async::captured_var::CapturedVar { local }));
                }
                Frame::At | Frame::Async => {}
            }
        }
    }

    fn report(&mut self, problem: Problem) {
        // `e++` reads and assigns, at nested ranges: reported once.
        let is_nested =
            |it: &Problem| it.range.contains_range(problem.range) || problem.range.contains_range(it.range);
        if !self.problems.iter().any(|it| it.code() == problem.code() && is_nested(it)) {
            self.problems.push(problem);
        }
    }

    /// Whether a read belongs to a compound assignment, `x += 1`.
    fn is_compound_assignment(&self, local: LocalId, at: ExprId) -> bool {
        let range = self.body.expr(at).range;
        self.body.exprs.iter().any(|expr| {
            let assigns =
                matches!(expr.kind, ExprKind::Assign { target: AssignTarget::Local(it), .. } if it == local);
            assigns && expr.range.start() == range.start() && expr.range.contains_range(range)
        })
    }
}
