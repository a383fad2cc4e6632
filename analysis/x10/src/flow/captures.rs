//! Captured variables of closures, `async` and `at`.
//!
//!
//! An `async` shares a `var` with its parent only if a `finish` inside the variable's scope waits for it. A
//! closure copies its captures, so it captures no `var`. An `at` copies to another place: it assigns nothing
//! outside, and reads a `var` only if its place is known to be the variable's own.

use rustc_hash::FxHashMap;

use super::FlowContext;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, LocalId, StmtId, StmtKind, walk::Node};
use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::rules::flow as rules;

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
    context: &'a FlowContext<'a>,
    body: &'a Body,
    frames: Vec<Frame>,
    /// For each local: the number of frames around its declaration, and its place.
    declared: FxHashMap<LocalId, (usize, PlaceTerm)>,
    /// Known places of `val`s.
    place_of_val: FxHashMap<LocalId, PlaceTerm>,
    here: PlaceTerm,
    next_place: PlaceTerm,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> CaptureWalker<'a> {
    pub(super) fn new(context: &'a FlowContext<'a>, body: &'a Body) -> CaptureWalker<'a> {
        CaptureWalker {
            context,
            body,
            frames: Vec::new(),
            declared: body.params.iter().map(|&local| (local, (0, 0))).collect(),
            place_of_val: FxHashMap::default(),
            here: 0,
            next_place: 1,
            diagnostics: Vec::new(),
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
        let between = &self.frames[depth.min(self.frames.len())..];
        let mut finished = false;
        // Activities of a kernel are its blocks and threads, which have rules of their own.
        let in_kernel = self.frames.iter().any(|frame| matches!(frame, Frame::Kernel));
        for frame in between {
            match frame {
                Frame::Finish => finished = true,
                Frame::Closure => return self.report_closure(local, at, assigned),
                Frame::Kernel => return,
                Frame::At if assigned || place != self.here => return self.report_at(local, at, assigned),
                Frame::Async if in_kernel => {}
                Frame::Async if !finished => return self.report_async(local, at),
                Frame::At | Frame::Async => {}
            }
        }
    }

    fn report(&mut self, diagnostic: Diagnostic, local: LocalId) {
        // `e++` reads and assigns, at nested ranges: reported once.
        let nested = |d: &Diagnostic| {
            d.range.contains_range(diagnostic.range) || diagnostic.range.contains_range(d.range)
        };
        let repeated = self.diagnostics.iter().any(|d| d.code == diagnostic.code && nested(d));
        if repeated {
            return;
        }
        let variable = self.body.local(local);
        let fix =
            (variable.mutable && !self.is_assigned(local)).then(|| self.declare_as_val_fix(local)).flatten();
        let diagnostic = match fix {
            Some(fix) => diagnostic.fix(fix),
            None => diagnostic,
        };
        self.diagnostics.push(diagnostic);
    }

    fn is_assigned(&self, local: LocalId) -> bool {
        self.body
            .exprs
            .iter()
            .any(|e| matches!(e.kind, ExprKind::Assign { target: AssignTarget::Local(l), .. } if l == local))
    }

    /// A fix that declares an unassigned `var` as `val`.
    fn declare_as_val_fix(&self, local: LocalId) -> Option<Fix> {
        let range = (self.context.keyword)(local)?;
        Some(Fix {
            title: format!("Declare `{}` as `val`", self.body.local(local).name),
            edits: vec![TextEdit { file: None, range, text: "val".to_owned() }],
        })
    }

    fn report_closure(&mut self, local: LocalId, at: ExprId, assigned: bool) {
        let name = &self.body.local(local).name;
        let does = if assigned { "assign" } else { "use" };
        let diagnostic = rules::captured_var::RULE
            .at(
                self.body.expr(at).range,
                format!("a closure cannot {does} `{name}`, a variable of the code around it that changes"),
            )
            .note(format!(
                "a closure keeps copies of what it captures: copy the value into a `val` before the closure, or put `{name}` into a `Cell`"
            ));
        self.report(diagnostic, local);
    }

    fn report_async(&mut self, local: LocalId, at: ExprId) {
        let name = &self.body.local(local).name;
        let diagnostic = crate::rules::r#async::captured_var::RULE
            .at(
                self.body.expr(at).range,
                format!("this activity cannot share `{name}`: nothing waits for it inside the scope of `{name}`"),
            )
            .note(format!(
                "the activity may outlive the variable: put a `finish` around the `async`, inside the scope of `{name}`, or copy the value into a `val` before it"
            ));
        self.report(diagnostic, local);
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

    fn report_at(&mut self, local: LocalId, at: ExprId, assigned: bool) {
        let name = &self.body.local(local).name;
        let (does, instead) = if assigned || self.is_compound_assignment(local, at) {
            (
                "assigned",
                format!(
                    "deliver the value as the result of an `at` expression, `{name} = at (p) e`, or reach the variable's place through a `GlobalRef`"
                ),
            )
        } else {
            ("read", "copy its value into a `val` before the `at`".to_owned())
        };
        let diagnostic = crate::rules::place::captured_var::RULE
            .at(
                self.body.expr(at).range,
                format!("`{name}` cannot be {does} here: it lives at another place, outside the `at`"),
            )
            .note(format!("an `at` works on copies of what it captures: {instead}"));
        self.report(diagnostic, local);
    }
}
