//! Context shared by the checks of one kernel or `@CUDA` function: its body, device semantics of names, and
//! the violations found so far.

use std::cell::RefCell;

use apg_syntax::TextRange;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Body, Expr, ExprId, ExprKind, Local, LocalId, Stmt, StmtId, StmtKind};
use crate::diagnostics::Rule;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
use crate::kernel::violation::Violation;
use crate::rules::ProblemData;

/// The body of one `@CUDA` block or function under check.
pub(crate) struct KernelContext<'a> {
    pub semantics: &'a DeviceSemantics<'a>,
    pub body: &'a Body,
    pub parents: &'a Parents,
    /// The `at` statement; for a function, its root.
    pub at: StmtId,
    /// Locals declared inside the `at`.
    pub inner: FxHashSet<LocalId>,
    found: RefCell<Vec<Violation>>,
    broken: std::cell::Cell<bool>,
}

impl<'a> KernelContext<'a> {
    pub(crate) fn new(
        semantics: &'a DeviceSemantics<'a>,
        body: &'a Body,
        parents: &'a Parents,
        at: StmtId,
    ) -> KernelContext<'a> {
        let inner = declared_below(body, Node::Stmt(at));
        KernelContext { semantics, body, parents, at, inner, found: RefCell::default(), broken: false.into() }
    }

    pub(crate) fn expr(&self, id: ExprId) -> &'a Expr {
        self.body.expr(id)
    }

    pub(crate) fn stmt(&self, id: StmtId) -> &'a Stmt {
        self.body.stmt(id)
    }

    pub(crate) fn local(&self, id: LocalId) -> &'a Local {
        self.body.local(id)
    }

    /// Starts a violation; [`KernelContext::report`] records it.
    pub(crate) fn violation(&self, range: TextRange, data: impl Into<ProblemData>) -> Violation {
        Violation::new(self.at, range, data)
    }

    /// Records a violation without a fix.
    pub(crate) fn report_at(&self, range: TextRange, data: impl Into<ProblemData>) {
        self.report(self.violation(range, data));
    }

    pub(crate) fn report(&self, violation: Violation) {
        let mut found = self.found.borrow_mut();
        let same = |old: &Violation| {
            old.problem.code() == violation.problem.code() && old.range() == violation.range()
        };
        if !found.iter().any(same) {
            found.push(violation);
        }
    }

    /// Whether a violation of the rule covers `range`.
    pub(crate) fn has_violation(&self, rule: &Rule, range: TextRange) -> bool {
        self.found.borrow().iter().any(|it| it.breaks(rule) && it.range().contains_range(range))
    }

    /// Whether any violation of the rule is recorded.
    pub(crate) fn breaks(&self, rule: &Rule) -> bool {
        self.found.borrow().iter().any(|it| it.breaks(rule))
    }

    /// Whether an expression is a variable of the kernel whose initialiser already has a violation, so that
    /// its uses need no further report.
    pub(crate) fn is_reported(&self, expr: ExprId) -> bool {
        let ExprKind::Local(local) = self.expr(self.strip_coercions(expr)).kind else { return false };
        let Some(init) = self.initialiser(local).filter(|_| self.inner.contains(&local)) else {
            return false;
        };
        let range = self.expr(init).range;
        self.found.borrow().iter().any(|it| range.contains_range(it.range()))
    }

    /// Records that some code has type errors: then there is no kernel, and nothing more to report.
    pub(crate) fn mark_broken(&self) {
        self.broken.set(true);
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// Whether `node` or anything below it has type errors; then there is no kernel.
    pub(crate) fn has_errors(&self, node: impl Into<Node>) -> bool {
        let mut found = false;
        self.body.walk(node.into(), &mut |node| {
            found |= match node {
                Node::Stmt(stmt) => matches!(self.stmt(stmt).kind, StmtKind::Error),
                Node::Expr(expr) => matches!(self.expr(expr).kind, ExprKind::Error),
            };
            !found
        });
        if found {
            self.mark_broken();
        }
        found
    }

    /// All violations so far, in source order.
    pub(crate) fn into_violations(self) -> Vec<Violation> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|violation| (violation.range().start(), violation.range().end()));
        found
    }

    /// The range of the annotation `x10.compiler.NAME` of a statement, or of the body of an `at`.
    pub(crate) fn annotation_range(&self, stmt: StmtId, name: &str) -> Option<TextRange> {
        annotation_range(self.semantics, self.body, stmt, name)
    }

    /// The statements of a block, without empty ones and nested single-statement blocks.
    pub(crate) fn flat_statements(&self, stmt: StmtId) -> Vec<StmtId> {
        let mut current = stmt;
        loop {
            let StmtKind::Block(stmts) = &self.stmt(current).kind else { return vec![current] };
            let real: Vec<StmtId> = stmts
                .iter()
                .copied()
                .filter(|stmt| !matches!(self.stmt(*stmt).kind, StmtKind::Empty))
                .collect();
            match real[..] {
                [only] if matches!(self.stmt(only).kind, StmtKind::Block(_)) => current = only,
                _ => return real,
            }
        }
    }

    /// The expression without conversions that have no effect at run time.
    pub(crate) fn strip_coercions(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Coerce { value } = self.expr(expr).kind {
            expr = value;
        }
        expr
    }

    /// The local that an expression names, resolved through `val`s that alias another local.
    pub(crate) fn named_local(&self, expr: ExprId) -> Option<LocalId> {
        let mut expr = self.strip_coercions(expr);
        for _ in 0..self.body.locals.len() {
            let ExprKind::Local(local) = self.expr(expr).kind else { return None };
            match self.initialiser(local).map(|init| self.strip_coercions(init)) {
                Some(init) if !self.local(local).mutable && self.inner.contains(&local) => {
                    if !matches!(self.expr(init).kind, ExprKind::Local(_)) {
                        return Some(local);
                    }
                    expr = init;
                }
                _ => return Some(local),
            }
        }
        None
    }

    /// The initialiser of a local.
    pub(crate) fn initialiser(&self, local: LocalId) -> Option<ExprId> {
        self.body.stmts.iter().find_map(|stmt| match stmt.kind {
            StmtKind::Let { local: declared, init } if declared == local => init,
            _ => None,
        })
    }

    /// A fix that moves an expression into a `val` before the statement that holds the `at`.
    pub(crate) fn hoist_before_at(&self, range: TextRange, suggestion: &str) -> FixTemplate {
        let name = self.fresh_name(suggestion);
        let (anchor, in_block) = self.insertion_anchor();
        let anchor_range = self.stmt(anchor).range;
        let mut before = vec![text(format!("val {name} = ")), Fragment::Source(range), text(";")];
        if in_block {
            before.push(Fragment::NewLine(anchor_range.start()));
        } else {
            before.insert(0, text("{ "));
            before.push(text(" "));
        }
        let mut edits = vec![
            EditTemplate { range: TextRange::empty(anchor_range.start()), text: before },
            EditTemplate { range, text: vec![text(name.as_str())] },
        ];
        if !in_block {
            edits.push(EditTemplate { range: TextRange::empty(anchor_range.end()), text: vec![text(" }")] });
        }
        let title = vec![
            text("Hoist `"),
            Fragment::Source(range),
            text(format!("` into `val {name}` before the `at`")),
        ];
        FixTemplate::edits(title, edits)
    }

    /// A fix that moves a statement before or after the statement that holds the `at`.
    pub(crate) fn move_out_of_at(&self, stmt: StmtId, after: bool) -> Option<FixTemplate> {
        if self.is_in_multi_declaration(stmt) {
            return None;
        }
        let range = self.stmt(stmt).range;
        let (anchor, in_block) = self.insertion_anchor();
        let anchor = self.stmt(anchor).range;
        let (offset, side) = if after { (anchor.end(), "behind") } else { (anchor.start(), "before") };
        let line = if in_block { Fragment::NewLine(anchor.start()) } else { text(" ") };
        let moved =
            if after { vec![line, Fragment::Source(range)] } else { vec![Fragment::Source(range), line] };
        let mut edits = vec![
            EditTemplate { range: TextRange::empty(offset), text: moved },
            EditTemplate { range, text: Vec::new() },
        ];
        if !in_block {
            edits.push(EditTemplate { range: TextRange::empty(anchor.start()), text: vec![text("{ ")] });
            edits.push(EditTemplate { range: TextRange::empty(anchor.end()), text: vec![text(" }")] });
        }
        Some(FixTemplate::edits(vec![text(format!("Move the statement {side} the `at`"))], edits))
    }

    /// Whether a statement declares one of several variables of `val a = 1, b = 2;`, which cannot be moved
    /// alone.
    pub(crate) fn is_in_multi_declaration(&self, stmt: StmtId) -> bool {
        match self.stmt(stmt).kind {
            StmtKind::Let { local, .. } => self.local(local).range.start() == self.stmt(stmt).range.start(),
            _ => false,
        }
    }

    /// The outermost statement around the `at` before which a declaration can be inserted, and whether it is
    /// in a block.
    pub(crate) fn insertion_anchor(&self) -> (StmtId, bool) {
        let mut anchor = self.at;
        loop {
            match self.parents.parent(Node::Stmt(anchor)) {
                Some(Node::Stmt(parent)) => match self.stmt(parent).kind {
                    StmtKind::Block(_) | StmtKind::Switch { .. } => return (anchor, true),
                    StmtKind::Finish { .. } | StmtKind::Async { .. } | StmtKind::Labeled { .. } => {
                        anchor = parent
                    }
                    _ => return (anchor, false),
                },
                _ => return (anchor, false),
            }
        }
    }

    /// A name that is not used by any local or accessed field of the body.
    pub(crate) fn fresh_name(&self, suggestion: &str) -> SmolStr {
        let db = self.semantics.db;
        let names_field = |name: &str| {
            self.body.exprs.iter().any(|it| {
                matches!(it.kind, ExprKind::Field { field, .. } | ExprKind::StaticField(field) if field.name(db) == name)
            })
        };
        let taken = |name: &str| self.body.locals.iter().any(|it| it.name == name) || names_field(name);
        if !taken(suggestion) {
            return suggestion.into();
        }
        (2..)
            .map(|number| format!("{suggestion}{number}"))
            .find(|name| !taken(name))
            .unwrap_or_else(|| format!("{suggestion}_"))
            .into()
    }
}

/// The range of the annotation `x10.compiler.NAME` of `stmt`; for an `at`, of its body.
pub(super) fn annotation_range(
    semantics: &DeviceSemantics,
    body: &Body,
    stmt: StmtId,
    name: &str,
) -> Option<TextRange> {
    let full = format!("x10.compiler.{name}");
    let of = |stmt: StmtId| {
        body.stmt(stmt).annotations.iter().find(|annotation| match annotation.class {
            Some(class) => semantics.is_class(class, &full),
            None => {
                annotation.name == name
                    || crate::kernel::device_semantics::is_misspelt(&annotation.name, name)
            }
        })
    };
    let annotated = match body.stmt(stmt).kind {
        StmtKind::At { body: inner, .. } => inner,
        _ => stmt,
    };
    of(annotated).map(|annotation| annotation.range)
}

/// The locals declared at or below `node`.
pub(super) fn declared_below(body: &Body, node: Node) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    body.walk(node, &mut |node| {
        match node {
            Node::Stmt(stmt) => match &body.stmt(stmt).kind {
                StmtKind::Let { local, .. } => {
                    found.insert(*local);
                }
                StmtKind::ForIn { local, components, .. } => {
                    found.insert(*local);
                    found.extend(components.iter().copied());
                }
                StmtKind::Try { catches, .. } => found.extend(catches.iter().map(|(local, _)| *local)),
                StmtKind::AtEach { local, .. } => found.extend(*local),
                _ => {}
            },
            Node::Expr(expr) => {
                if let ExprKind::Closure(closure) = &body.expr(expr).kind {
                    found.extend(closure.params.iter().copied());
                }
            }
        }
        true
    });
    found
}
