//! Statements of activities and places: `async`, `finish`, `at`.

use apg_syntax::ast::{self, AstNode, HasAnnotations};
use apg_syntax::{SyntaxNode, TextRange};

use crate::body::{Clocked, ExprId, ExprKind, LocalKind, StmtId, StmtKind};
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::scopes::{FrameKind, Returns};
use crate::rules::r#async::unclocked::Unclocked;
use crate::rules::flow::jump_target::Jump;
use crate::rules::flow::jump_target::JumpTarget;
use crate::rules::r#type::mismatch::Mismatch;
use crate::ty::Ty;
use crate::ty::known::Known;

impl Infer<'_> {
    pub(crate) fn async_stmt(&mut self, s: &ast::AsyncStmt) -> StmtKind {
        let range = range_of(s);
        let clocks: Vec<ast::Expr> = s.clocks().collect();
        let clocked = self.clocked(s.clocked_token().is_some(), s.clocked_clause().is_some(), &clocks);
        if clocked == Clocked::Implicit && !self.in_clocked_finish && !self.in_kernel {
            self.report_at(range, Unclocked { finish: waiting_finish(s) });
        }
        self.scopes.enter_frame(FrameKind::Async);
        let body = self.stmt(s.body().as_ref(), range);
        let captures = self.scopes.leave_frame();
        StmtKind::Async { clocked, body, captures }
    }

    pub(crate) fn finish_stmt(&mut self, s: &ast::FinishStmt) -> StmtKind {
        let clocked = self.clocked(s.clocked_token().is_some(), false, &[]);
        let around = std::mem::replace(&mut self.in_clocked_finish, clocked == Clocked::Implicit);
        let body = self.stmt(s.body().as_ref(), range_of(s));
        self.in_clocked_finish = around;
        StmtKind::Finish { clocked, body }
    }

    pub(crate) fn clocked(&mut self, implicit: bool, clause: bool, clocks: &[ast::Expr]) -> Clocked {
        if !clause {
            return if implicit { Clocked::Implicit } else { Clocked::No };
        }
        let clock = Ty::known(self.db, Known::Clock);
        let mut out = Vec::new();
        for e in clocks {
            let value = self.value(Some(e), range_of(e), Some(clock));
            out.push(self.convert(value, clock, ConversionSite::Argument));
        }
        if out.is_empty() { Clocked::Implicit } else { Clocked::Clocks(out) }
    }

    /// The place that an `at` goes to; a `GlobalRef`, and other values that convert to a place, mean their
    /// home.
    fn target(&mut self, e: Option<&ast::Expr>, range: TextRange) -> ExprId {
        let place = Ty::place(self.db);
        let value = self.value(e, range, Some(place));
        self.convert(value, place, ConversionSite::Place)
    }

    pub(crate) fn at_stmt(&mut self, s: &ast::AtStmt) -> StmtKind {
        let range = range_of(s);
        let place = self.target(s.place().as_ref(), range);
        let known = self.known.len();
        self.scopes.enter_frame(FrameKind::At);
        let outer = self.enter_place(Some(place), range);
        let body = s.body();
        let marked = s.has_annotation("CUDA")
            || matches!(&body, Some(ast::Stmt::Block(block)) if block.has_annotation("CUDA"));
        let around = self.in_kernel;
        self.in_kernel |= marked;
        let body = self.stmt(body.as_ref(), range);
        self.in_kernel = around;
        self.leave_place(outer);
        let captures = self.scopes.leave_frame();
        self.forget(known);
        StmtKind::At { place, body, captures }
    }

    /// `at (p) e`, `at (p) { ... e }`.
    pub(crate) fn at_expr(&mut self, e: &ast::AtExpr, expected: Option<Ty>) -> ExprId {
        let range = range_of(e);
        let place = self.target(e.place().as_ref(), range);
        let known = self.known.len();
        self.scopes.enter_frame(FrameKind::At);
        let outer = self.enter_place(Some(place), range);
        let (body, result) = self.code(e.body(), None, expected, range);
        self.leave_place(outer);
        let captures = self.scopes.leave_frame();
        self.forget(known);
        self.alloc(ExprKind::At { place, body, captures }, result, range)
    }

    /// The code of a closure or an `at` expression, and its result type: `declared`, or what its `return`s
    /// and its last expression deliver.
    pub(crate) fn code(
        &mut self,
        body: Option<ast::ClosureBody>,
        declared: Option<Ty>,
        expected: Option<Ty>,
        range: TextRange,
    ) -> (StmtId, Ty) {
        let depth = self.scopes.frame_depth();
        let returns = Returns { result: declared, declared: declared.is_some(), depth };
        self.scopes.returns.push(returns);
        let wanted = declared.or(expected);
        let around = std::mem::replace(&mut self.in_clocked_finish, false);
        let is_missing = body.is_none();
        let id = match body {
            Some(ast::ClosureBody::Block(block)) => self.code_block(&block, wanted),
            Some(ast::ClosureBody::Expr(e)) => self.deliver(&e, wanted),
            None => self.alloc_stmt(StmtKind::Error, range),
        };
        self.in_clocked_finish = around;
        let result = self.scopes.returns.pop().and_then(|returns| returns.result);
        let nothing = if is_missing { Ty::error(self.db) } else { Ty::void(self.db) };
        let result = result.unwrap_or(nothing);
        self.unify_returns(id, result);
        (id, result)
    }

    /// A block whose last expression, if it has no `;`, is its value.
    pub(crate) fn code_block(&mut self, block: &ast::Block, wanted: Option<Ty>) -> StmtId {
        self.scoped(|infer| {
            let mut out = Vec::new();
            for stmt in block.stmts() {
                infer.stmt_into(&stmt, &mut out);
            }
            if let Some(tail) = block.tail() {
                out.push(infer.deliver(&tail, wanted));
            }
            infer.close_block(block, out)
        })
    }

    /// `return e;`, or `e;` if it has no value.
    fn deliver(&mut self, e: &ast::Expr, wanted: Option<Ty>) -> StmtId {
        let range = range_of(e);
        let value = self.effect_expecting(e, wanted);
        if self.ty(value).is_void(self.db) {
            let kind = StmtKind::Expr(value);
            if wanted.is_some_and(|ty| !ty.is_void(self.db))
                && self.scopes.returns.last().is_some_and(|r| r.declared)
            {
                self.void_used(range);
            }
            return self.alloc_stmt(kind, range);
        }
        if self
            .scopes
            .returns
            .last()
            .is_some_and(|r| r.declared && r.result.is_some_and(|ty| ty.is_void(self.db)))
        {
            return self.alloc_stmt(StmtKind::Expr(value), range);
        }
        let value = self.returned(value);
        self.alloc_stmt(StmtKind::Return(Some(value)), range)
    }

    /// A `return` that would have to leave an activity or a place.
    pub(crate) fn return_across(&mut self, returns: &ast::ReturnStmt, range: TextRange) -> StmtKind {
        let Some(frame) = self.scopes.return_crosses() else { return StmtKind::Error };
        let value = returns.expr();
        if let Some(value) = &value {
            self.effect(value);
        }
        let jump = Jump::Return { has_value: value.is_some() };
        let is_activity = frame == FrameKind::Async;
        self.report_at(range, JumpTarget::Outside { jump, around: frame.name(), is_activity });
        StmtKind::Error
    }

    /// `return e;`, `return;`
    pub(crate) fn return_stmt(&mut self, e: Option<&ast::Expr>, range: TextRange) -> StmtKind {
        let (declared, result) =
            self.scopes.returns.last().map_or((true, None), |returns| (returns.declared, returns.result));
        let is_void = result.is_some_and(|ty| ty.is_void(self.db));
        let Some(e) = e else {
            match result {
                Some(ty) if !is_void && !ty.is_error(self.db) => {
                    self.report_at(range, Mismatch::MissingResult { ty });
                }
                None => self.set_result(Ty::void(self.db)),
                _ => {}
            }
            return StmtKind::Return(None);
        };
        let value = self.value(Some(e), range, result.filter(|ty| !ty.is_void(self.db)));
        if is_void {
            if !self.is_error(value) {
                let is_constructor = self.is_constructor && self.scopes.returns.len() == 1;
                let problem = Mismatch::NoResult { is_constructor, is_declared: declared };
                self.report_at(self.range(value), problem);
            }
            return StmtKind::Return(None);
        }
        StmtKind::Return(Some(self.returned(value)))
    }

    fn set_result(&mut self, ty: Ty) {
        if let Some(returns) = self.scopes.returns.last_mut() {
            returns.result = Some(ty);
        }
    }

    /// A returned value: converted to the declared result, or joined with the result inferred so far.
    pub(crate) fn returned(&mut self, value: ExprId) -> ExprId {
        let Some(returns) = self.scopes.returns.last() else { return value };
        match (returns.result, returns.declared) {
            (Some(ty), true) => self.convert(value, ty, ConversionSite::Return),
            (None, _) => {
                self.set_result(self.without_skolems(self.ty(value)));
                value
            }
            (Some(ty), false) => {
                let joined = self.common_type(ty, self.without_skolems(self.ty(value)));
                self.set_result(joined);
                value
            }
        }
    }

    /// Once the result type of code without a declared one is known, every `return` converts to it.
    fn unify_returns(&mut self, code: StmtId, result: Ty) {
        if result.is_void(self.db) || result.is_error(self.db) {
            return;
        }
        let mut found = Vec::new();
        let body = &self.body;
        body.walk(crate::body::walk::Node::Stmt(code), &mut |node| match node {
            crate::body::walk::Node::Stmt(id) => {
                if let StmtKind::Return(Some(value)) = body.stmt(id).kind {
                    found.push((id, value));
                }
                true
            }
            crate::body::walk::Node::Expr(id) => {
                !matches!(body.expr(id).kind, ExprKind::Closure(_) | ExprKind::At { .. })
            }
        });
        for (id, value) in found {
            let converted = self.convert(value, result, ConversionSite::Return);
            self.body.stmts[id.0 as usize].kind = StmtKind::Return(Some(converted));
        }
    }

    /// `val i = p(0); ...` before `body`.
    pub(crate) fn with_components(
        &mut self,
        point: crate::body::LocalId,
        components: &[crate::body::LocalId],
        body: StmtId,
        range: TextRange,
    ) -> StmtId {
        let mut stmts = self.component_lets(point, components, range);
        stmts.push(body);
        self.alloc_stmt(StmtKind::Block(stmts), range)
    }

    /// `val i = p(0); val j = p(1);`
    pub(crate) fn component_lets(
        &mut self,
        point: crate::body::LocalId,
        components: &[crate::body::LocalId],
        range: TextRange,
    ) -> Vec<StmtId> {
        let mut stmts = Vec::new();
        for (index, &local) in components.iter().enumerate() {
            let receiver = self.read(point, range);
            let number = crate::body::Literal::Int(index as i64);
            let long = Ty::long(self.db);
            let index = self.alloc(ExprKind::Literal(number), long, range);
            let value = self.apply(receiver, vec![index], range);
            let ty = self.ty(value);
            let kind = self.body.local(local).kind;
            if kind != LocalKind::Temporary {
                self.body.locals[local.0 as usize].ty = ty;
            }
            stmts.push(self.alloc_stmt(StmtKind::Let { local, init: Some(value) }, range));
        }
        stmts
    }
}

/// The word `finish` of the innermost `finish` around an `async` in the same code, unless an unclocked
/// activity is between them: it could not start a clocked one.
fn waiting_finish(s: &ast::AsyncStmt) -> Option<TextRange> {
    let is_off_clock = |it: &SyntaxNode| {
        ast::ClosureExpr::can_cast(it.kind())
            || ast::AtEachStmt::can_cast(it.kind())
            || ast::AsyncStmt::cast(it.clone()).is_some_and(|it| it.clocked_token().is_none())
    };
    let here = s.syntax().ancestors().skip(1).take_while(|it| !is_off_clock(it));
    here.filter_map(ast::FinishStmt::cast).next()?.finish_token().map(|it| it.text_range())
}
