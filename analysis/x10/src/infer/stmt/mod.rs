//! Typing of statements: blocks, conditionals, jumps, exceptions and `switch`. Loops, declarations and the
//! statements of activities have files of their own.

pub(crate) mod activity;
pub(crate) mod ateach;
pub(crate) mod collecting_finish;
pub(crate) mod local;
pub(crate) mod loops;
pub(crate) mod profiled;
pub(crate) mod unused_value;

use apg_syntax::ast::{self, AstNode, HasAnnotations};
use apg_syntax::{SyntaxNode, TextRange};
use rustc_hash::FxHashSet;

use crate::body::{Annotation, ExprId, Literal, LocalId, LocalKind, StmtId, StmtKind};
use crate::ids::ClassId;
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::scopes::{FrameKind, JumpResolution};
use crate::infer::stmt::unused_value::has_no_effect;
use crate::item_tree::cfg::is_left_out;
use crate::rules::flow::jump_target::{Jump, JumpTarget};
use crate::rules::flow::unreachable_catch::UnreachableCatch;
use crate::rules::r#type::duplicate_case::DuplicateCase;
use crate::rules::r#type::literal_range::LiteralRange;
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::misplaced_annotation::MisplacedAnnotation;
use crate::rules::r#type::not_constant::NotConstant;
use crate::scope::lookup::Found;
use crate::ty::Ty;
use crate::ty::known::Known;
use smol_str::SmolStr;

impl Infer<'_> {
    /// A statement; several declarations become a block.
    pub(crate) fn stmt(&mut self, stmt: Option<&ast::Stmt>, range: TextRange) -> StmtId {
        let Some(stmt) = stmt else { return self.alloc_stmt(StmtKind::Error, range) };
        if is_left_out(stmt) {
            return self.alloc_stmt(StmtKind::Empty, range);
        }
        if let ast::Stmt::Block(block) = stmt {
            return self.block(block);
        }
        self.scoped(|infer| {
            let mut out = Vec::new();
            infer.stmt_into(stmt, &mut out);
            match out[..] {
                [only] => only,
                _ => infer.alloc_stmt(StmtKind::Block(out), range_of(stmt)),
            }
        })
    }

    /// A statement that runs where `condition` is true, or false.
    pub(crate) fn stmt_if(
        &mut self,
        condition: ExprId,
        holds: bool,
        stmt: Option<&ast::Stmt>,
        range: TextRange,
    ) -> StmtId {
        self.scoped(|infer| {
            infer.assume(condition, holds);
            infer.stmt(stmt, range)
        })
    }

    /// Runs `make` in a new scope.
    pub(crate) fn scoped<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.known.len();
        let (types, tested) = (self.local_types.len(), self.assumptions.len());
        self.scopes.enter();
        let made = make(self);
        self.scopes.leave();
        self.forget(known);
        self.local_types.truncate(types);
        self.assumptions.truncate(tested);
        made
    }

    /// `{ ... }`; an expression at the end, without `;`, is evaluated for its effect.
    pub(crate) fn block(&mut self, block: &ast::Block) -> StmtId {
        self.scoped(|infer| {
            let mut out = Vec::new();
            for stmt in block.stmts() {
                infer.stmt_into(&stmt, &mut out);
            }
            if let Some(tail) = block.tail() {
                let value = infer.effect(&tail);
                out.push(infer.alloc_stmt(StmtKind::Expr(value), range_of(&tail)));
            }
            infer.close_block(block, out)
        })
    }

    pub(crate) fn close_block(&mut self, block: &ast::Block, out: Vec<StmtId>) -> StmtId {
        let id = self.alloc_stmt(StmtKind::Block(out), range_of(block));
        let annotations = self.annotations(block.annotations());
        self.body.stmts[id.0 as usize].annotations = annotations;
        id
    }

    /// The uses of annotations; their arguments are typed without expectations.
    pub(crate) fn annotations(&mut self, found: impl Iterator<Item = ast::Annotation>) -> Vec<Annotation> {
        let mut out = Vec::new();
        for annotation in found {
            let Some(name) = annotation.simple_name() else { continue };
            let class = self.annotation_class(&annotation);
            self.check_annotation(class, &annotation);
            let args: Vec<ast::Expr> = annotation.arg_list().into_iter().flat_map(|it| it.exprs()).collect();
            let args = args.iter().map(|arg| self.value(Some(arg), range_of(arg), None)).collect();
            out.push(Annotation { class, name, args, range: range_of(&annotation) });
        }
        out
    }

    /// Annotations of statements, which may also be meant for the expression that a statement is.
    fn check_annotation(&mut self, class: Option<ClassId>, annotation: &ast::Annotation) {
        let db = self.db;
        let Some(class) = class else { return };
        let allowed = [Known::StatementAnnotation, Known::ExpressionAnnotation];
        let known = allowed.iter().filter_map(|known| crate::ty::known::known_class(db, *known));
        let context = self.context();
        if known.clone().count() == 0 || known.into_iter().any(|known| context.is_subclass(class, known)) {
            return;
        }
        self.report_at(range_of(annotation), MisplacedAnnotation::Statement { class });
    }

    /// A statement; a declaration of several variables makes several.
    pub(crate) fn stmt_into(&mut self, stmt: &ast::Stmt, out: &mut Vec<StmtId>) {
        if self.environment.is_some() || is_left_out(stmt) {
            return;
        }
        if let ast::Stmt::LocalDecl(decl) = stmt {
            return self.local_decl(decl, out);
        }
        let id = match stmt {
            ast::Stmt::Block(block) => return out.push(self.block(block)),
            _ => self.plain_stmt(stmt),
        };
        let annotations = self.annotations(stmt.annotations());
        self.body.stmts[id.0 as usize].annotations.extend(annotations);
        self.profile_stmt(id);
        out.push(id);
    }

    fn plain_stmt(&mut self, stmt: &ast::Stmt) -> StmtId {
        let range = range_of(stmt);
        let kind = match stmt {
            ast::Stmt::Block(block) => return self.block(block),
            ast::Stmt::LocalDecl(_) => StmtKind::Error,
            ast::Stmt::EmptyStmt(_) => StmtKind::Empty,
            ast::Stmt::ClassDecl(c) => self.local_class(c.name(), c.syntax()),
            ast::Stmt::StructDecl(c) => self.local_class(c.name(), c.syntax()),
            ast::Stmt::InterfaceDecl(c) => self.local_class(c.name(), c.syntax()),
            ast::Stmt::TypeDef(t) => {
                self.local_typedef(t);
                StmtKind::Empty
            }
            ast::Stmt::ExprStmt(s) => match s.expr() {
                // The parser has reported the missing `return`.
                Some(e) if self.is_meant_as_result(s, &e) => self.return_stmt(Some(&e), range),
                Some(e) if self.lacks_return(s, &e) => {
                    self.report_missing_return(&e);
                    self.return_stmt(Some(&e), range)
                }
                Some(e) => StmtKind::Expr(self.statement_expr(&e)),
                None => StmtKind::Error,
            },
            ast::Stmt::TrailingClosureStmt(s) => StmtKind::Expr(self.trailing_closure(s)),
            ast::Stmt::KeywordCallStmt(s) => StmtKind::Expr(self.keyword_call(s)),
            ast::Stmt::ConstructorCallStmt(s) => self.constructor_call(s),
            ast::Stmt::PropertyCallStmt(s) => self.property_call(s),
            ast::Stmt::IfStmt(s) => {
                let condition = self.condition(s.condition().as_ref(), range);
                let then = self.stmt_if(condition, true, s.then_branch().as_ref(), range);
                let otherwise = s.else_branch().map(|e| self.stmt_if(condition, false, Some(&e), range));
                for (branch, holds) in [(Some(then), false), (otherwise, true)] {
                    if branch.is_some_and(|branch| self.always_leaves(branch)) {
                        self.assume(condition, holds);
                    }
                }
                StmtKind::If { condition, then, otherwise }
            }
            ast::Stmt::SwitchStmt(s) => self.switch(s),
            ast::Stmt::WhileStmt(s) => self.while_loop(s),
            ast::Stmt::DoStmt(s) => self.do_loop(s),
            ast::Stmt::ForStmt(s) => self.for_loop(s),
            ast::Stmt::ForInStmt(s) => self.for_in(s),
            ast::Stmt::LabeledStmt(s) => return self.labeled(s),
            ast::Stmt::BreakStmt(s) => self.jump(s.name_ref(), true, range),
            ast::Stmt::ContinueStmt(s) => self.jump(s.name_ref(), false, range),
            ast::Stmt::ReturnStmt(s) if self.scopes.return_crosses().is_some() => {
                self.return_across(s, range)
            }
            ast::Stmt::ReturnStmt(s) => self.return_stmt(s.expr().as_ref(), range),
            ast::Stmt::ThrowStmt(s) => self.throw(s.expr().as_ref(), range),
            ast::Stmt::TryStmt(s) => self.try_stmt(s),
            ast::Stmt::AssertStmt(s) => {
                let condition = self.condition(s.condition().as_ref(), range);
                let message = s.message().map(|e| self.value(Some(&e), range, None));
                self.assume(condition, true);
                StmtKind::Assert { condition, message }
            }
            _ => self.activity_stmt(stmt, range),
        };
        self.alloc_stmt(kind, range)
    }

    /// Whether an expression without effect and without `;` ends a method that could return it.
    fn is_meant_as_result(&self, stmt: &ast::ExprStmt, e: &ast::Expr) -> bool {
        let ends =
            !stmt.syntax().children_with_tokens().any(|it| it.kind() == apg_syntax::SyntaxKind::SEMICOLON);
        let result = self.scopes.returns.last().and_then(|returns| returns.result);
        ends && has_no_effect(e)
            && self.scopes.return_crosses().is_none()
            && !result.is_some_and(|ty| ty.is_void(self.db))
    }

    /// The statements of activities: `async`, `finish`, `at`, `atomic`, `when`.
    fn activity_stmt(&mut self, stmt: &ast::Stmt, range: TextRange) -> StmtKind {
        match stmt {
            ast::Stmt::AsyncStmt(s) => self.async_stmt(s),
            ast::Stmt::FinishStmt(s) => self.finish_stmt(s),
            ast::Stmt::AtStmt(s) => self.at_stmt(s),
            ast::Stmt::AtEachStmt(s) => self.at_each(s),
            ast::Stmt::AtomicStmt(s) => StmtKind::Atomic(self.stmt(s.body().as_ref(), range)),
            ast::Stmt::WhenStmt(s) => {
                let condition = self.condition(s.condition().as_ref(), range);
                StmtKind::When(vec![(condition, self.stmt_if(condition, true, s.body().as_ref(), range))])
            }
            ast::Stmt::OfferStmt(s) => self.offer(s),
            _ => StmtKind::Error,
        }
    }

    /// A class declared by a statement: from here on its name is known.
    fn local_class(&mut self, name: Option<ast::Name>, node: &SyntaxNode) -> StmtKind {
        let class = crate::item_tree::source::class_of_node(self.db, self.owner.into(), node);
        if class.is_some_and(|class| self.records_environment(class, None)) {
            return StmtKind::Empty;
        }
        if let (Some(name), Some(class)) = (name, class) {
            self.local_types.push((name.text(), Found::Class(class)));
        }
        StmtKind::Empty
    }

    /// A condition, which is a `Boolean`.
    pub(crate) fn condition(&mut self, e: Option<&ast::Expr>, range: TextRange) -> ExprId {
        let boolean = Ty::boolean(self.db);
        let value = self.value(e, range, Some(boolean));
        self.convert(value, boolean, ConversionSite::Condition)
    }

    /// A labelled statement: a loop takes the label itself, anything else becomes a target of `break`.
    fn labeled(&mut self, s: &ast::LabeledStmt) -> StmtId {
        if let Some(name) = s.name() {
            self.scopes.label(name.text());
        }
        let range = range_of(s);
        let inner = s.stmt();
        match &inner {
            Some(stmt) if stmt.is_loop() || matches!(stmt, ast::Stmt::LabeledStmt(_)) => {
                self.stmt(Some(stmt), range)
            }
            _ => {
                let label = self.scopes.enter_target(false, false);
                let body = self.stmt(inner.as_ref(), range);
                self.scopes.leave_target();
                self.alloc_stmt(StmtKind::Labeled { label, body }, range)
            }
        }
    }

    fn jump(&mut self, name: Option<ast::NameRef>, is_break: bool, range: TextRange) -> StmtKind {
        let name = name.map(|n| n.text());
        let jump = if is_break { Jump::Break } else { Jump::Continue { has_label: name.is_some() } };
        let problem = match (self.scopes.jump(name.as_deref(), is_break), name) {
            (JumpResolution::To(label), _) if is_break => return StmtKind::Break(label),
            (JumpResolution::To(label), _) => return StmtKind::Continue(label),
            (JumpResolution::Outside(frame), _) => {
                JumpTarget::Outside { jump, around: frame.name(), is_activity: frame == FrameKind::Async }
            }
            (JumpResolution::NotALoop, name) => JumpTarget::NotALoop { label: name.unwrap_or_default() },
            (JumpResolution::None, Some(label)) => {
                let similar = apg_syntax::closest(&label, self.scopes.label_names().map(SmolStr::as_str));
                let similar = similar.map(SmolStr::new);
                JumpTarget::UnknownLabel { jump, label, similar }
            }
            (JumpResolution::None, None) => JumpTarget::NoTarget { jump },
        };
        self.report_at(range, problem);
        StmtKind::Error
    }

    fn throw(&mut self, e: Option<&ast::Expr>, range: TextRange) -> StmtKind {
        let value = self.value(e, range, None);
        let throwable = Ty::known(self.db, Known::CheckedThrowable);
        if !self.is_error(value) && !self.is_subtype(self.ty(value), throwable) {
            self.report_at(self.range(value), Mismatch::Throw { ty: self.ty(value) });
        }
        StmtKind::Throw(value)
    }

    fn try_stmt(&mut self, s: &ast::TryStmt) -> StmtKind {
        let range = range_of(s);
        let body = self.opt_block(s.block(), range);
        let mut catches: Vec<(LocalId, StmtId)> = Vec::new();
        for clause in s.catch_clauses() {
            let range = range_of(&clause);
            let made = self.scoped(|infer| {
                let formal = clause.formals().next();
                let ty = formal.as_ref().and_then(|f| f.ty()).map(|ty| infer.written_type(&ty));
                let ty = ty.unwrap_or_else(|| Ty::error(infer.db));
                infer.check_catchable(ty, formal.as_ref().map_or(range, range_of));
                let name = formal.as_ref().and_then(|f| f.name());
                let at = name.as_ref().map_or(range, range_of);
                let name = name.map(|n| n.text()).unwrap_or_default();
                let local = infer.add_local(name, ty, false, LocalKind::Catch, at);
                infer.declare(local);
                (local, infer.opt_block(clause.block(), range))
            });
            let earlier: Vec<Ty> = catches.iter().map(|(local, _)| self.body.local(*local).ty).collect();
            self.check_reachable_catch(self.body.local(made.0).ty, &earlier, &clause);
            catches.push(made);
        }
        let finally = s.finally_clause().map(|f| self.opt_block(f.block(), range_of(&f)));
        StmtKind::Try { body, catches, finally }
    }

    fn check_reachable_catch(&mut self, ty: Ty, earlier: &[Ty], clause: &ast::CatchClause) {
        let plain = |ty: &Ty| ty.constraint(self.db).is_none() && !ty.mentions_error(self.db);
        let Some(first) = earlier.iter().find(|it| plain(it) && plain(&ty) && self.is_subtype(ty, **it))
        else {
            return;
        };
        let range = clause.formals().next().map_or_else(|| range_of(clause), |formal| range_of(&formal));
        self.report_at(range, UnreachableCatch { earlier: *first, caught: ty });
    }

    fn check_catchable(&mut self, ty: Ty, range: TextRange) {
        let throwable = Ty::known(self.db, Known::CheckedThrowable);
        if !ty.is_error(self.db) && !self.is_subtype(ty, throwable) {
            self.report_at(range, Mismatch::Catch { ty });
        }
    }

    pub(crate) fn opt_block(&mut self, block: Option<ast::Block>, range: TextRange) -> StmtId {
        match block {
            Some(block) => self.block(&block),
            None => self.alloc_stmt(StmtKind::Error, range),
        }
    }

    fn switch(&mut self, s: &ast::SwitchStmt) -> StmtKind {
        let range = range_of(s);
        let value = self.value(s.value().as_ref(), range, None);
        let ty = self.ty(value).base(self.db);
        let allowed = ty.primitive(self.db).is_some_and(|k| k.is_integer() || k == Known::Char)
            || ty.is_known(self.db, Known::String);
        if !allowed && !ty.is_error(self.db) {
            self.report_at(self.range(value), Mismatch::Switch { ty });
        }
        let label = self.scopes.enter_target(false, true);
        let mut seen: FxHashSet<Option<Literal>> = FxHashSet::default();
        let cases = self.scoped(|infer| {
            let groups = s.switch_block().into_iter().flat_map(|block| block.switch_groups());
            let mut cases = Vec::new();
            for group in groups {
                let mut constants = Vec::new();
                for case in group.switch_labels() {
                    constants.extend(infer.case(&case, ty, &mut seen));
                }
                let mut stmts = Vec::new();
                for stmt in group.stmts() {
                    infer.stmt_into(&stmt, &mut stmts);
                }
                cases.push((constants, stmts));
            }
            cases
        });
        self.scopes.leave_target();
        StmtKind::Switch { label, value, cases }
    }

    /// Whether a number, of type `of`, is one of the integers of `ty`.
    fn holds(&self, ty: Ty, number: i64, of: Ty) -> bool {
        let integer = |ty: Ty| ty.primitive(self.db).filter(|kind| kind.is_integer());
        let (Some(kind), Some(of)) = (integer(ty), integer(of)) else { return true };
        let bits = 8 * kind.size().unwrap_or(8);
        let exact = if of.is_unsigned() { i128::from(number as u64) } else { i128::from(number) };
        let (least, greatest) = match kind.is_unsigned() {
            true => (0, (1_i128 << bits) - 1),
            false => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        };
        (least..=greatest).contains(&exact)
    }

    fn case(
        &mut self,
        label: &ast::SwitchLabel,
        ty: Ty,
        seen: &mut FxHashSet<Option<Literal>>,
    ) -> Option<Option<Literal>> {
        let range = range_of(label);
        let constant = if label.is_default() {
            None
        } else {
            let value = self.value(label.expr().as_ref(), range, Some(ty));
            let literal = crate::infer::expr::constant::value(self.db, &self.body, value);
            let fits = self.is_subtype(self.ty(value).base(self.db), ty)
                || self
                    .ty(value)
                    .primitive(self.db)
                    .is_some_and(|k| k.is_integer() && ty.primitive(self.db).is_some_and(|t| t.is_integer()));
            match literal {
                _ if self.is_error(value) || ty.is_error(self.db) => return None,
                Some(Literal::Int(number)) if fits && !self.holds(ty, number, self.ty(value)) => {
                    self.report_at(self.range(value), LiteralRange::Case { ty });
                    return None;
                }
                Some(literal) if fits => Some(literal),
                Some(_) => {
                    self.mismatch(self.range(value), ty, self.ty(value));
                    return None;
                }
                None => {
                    self.report_at(self.range(value), NotConstant);
                    return None;
                }
            }
        };
        if !seen.insert(constant.clone()) {
            self.report_at(range, DuplicateCase { is_default: constant.is_none() });
            return None;
        }
        Some(constant)
    }
}
