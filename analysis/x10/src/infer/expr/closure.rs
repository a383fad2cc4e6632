//! Closure literals and trailing closures.

use apg_syntax::ast::{self, AstNode, HasFormals};
use apg_syntax::{SyntaxKind, TextRange};
use smol_str::SmolStr;

use crate::body::{Closure, ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::infer::context::{Infer, range_of};
use crate::infer::scopes::FrameKind;
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::missing_type::MissingType;
use crate::ty::{Constraint, Path, Ty};

impl Infer<'_> {
    /// `(x:T) => e`, `(x:T):R => { ... }`.
    pub(crate) fn closure(&mut self, e: &ast::ClosureExpr, expected: Option<Ty>) -> ExprId {
        let range = range_of(e);
        if e.type_param_list().is_some() {
            return self.error(range); // of which the parser complained
        }
        let wanted: Option<(Vec<Ty>, Ty)> =
            expected.and_then(|ty| ty.as_function(self.db)).map(|(params, result)| (params.to_vec(), result));
        self.scopes.enter_frame(FrameKind::Closure);
        let outer = self.enter_place(None, range);
        let (closure, guard) = self.scoped(|infer| {
            let wanted_params = wanted.as_ref().map(|(params, _)| params.as_slice());
            let (params, patterns) = infer.closure_params(e.formals(), wanted_params);
            // The expected result type is expressed by the formals of this closure.
            let formals: Vec<_> = params.iter().map(|&local| Some(infer.local_path(local))).collect();
            let wanted = expected.and_then(|ty| ty.applied(infer.db, &formals));
            let guard = e.guard().map(|guard| infer.closure_guard(&guard)).unwrap_or_default();
            let declared = e.result_type().and_then(|r| {
                let ty = r.ty()?;
                Some((infer.written_result(&ty), r.is_bound()))
            });
            let result = wanted.map(|it| it.result).filter(|ty| !ty.mentions_error(infer.db));
            let (body, found) = match declared {
                Some((ty, false)) => infer.code(e.body(), Some(ty), None, range),
                Some((ty, true)) => infer.code(e.body(), None, Some(ty), range),
                // A closure that is needed for its effect delivers nothing.
                None if result.is_some_and(|ty| ty.is_void(infer.db)) => {
                    infer.code(e.body(), result, None, range)
                }
                None => infer.code(e.body(), None, result, range),
            };
            if declared.is_some_and(|(ty, bound)| ty.is_void(infer.db) && !bound) {
                infer.check_no_value(e.body(), body);
            }
            let body = infer.after_patterns(patterns, body, range);
            (Closure { params, result: found, body, captures: Vec::new() }, guard)
        });
        self.leave_place(outer);
        self.finish_closure(closure, guard, range)
    }

    /// The condition of a closure: its code may rely on it.
    fn closure_guard(&mut self, guard: &ast::Guard) -> Constraint {
        let guard = self.with_type_scope(None, |scope, lowering, problems| {
            let written = lowering.constraint(guard.exprs());
            scope.function_guard(&written, problems)
        });
        for term in &guard.terms {
            self.learn(term.clone());
        }
        guard
    }

    /// A closure that is declared `void` cannot end in a value.
    fn check_no_value(&mut self, code: Option<ast::ClosureBody>, body: StmtId) {
        let last = match (code, &self.body.stmt(body).kind) {
            (Some(ast::ClosureBody::Block(block)), StmtKind::Block(stmts)) if block.tail().is_some() => {
                stmts.last().copied()
            }
            (Some(ast::ClosureBody::Expr(_)), _) => Some(body),
            _ => None,
        };
        let Some(StmtKind::Expr(value)) = last.map(|last| &self.body.stmt(last).kind) else { return };
        let ty = self.ty(*value);
        if !ty.is_void(self.db) && !ty.mentions_error(self.db) {
            self.report_at(self.range(*value), Mismatch::ClosureValue { ty });
        }
    }

    /// A block that stands for a closure: the last argument of a call, a part of a user-defined control
    /// structure.
    pub(crate) fn block_closure(
        &mut self,
        formals: impl Iterator<Item = ast::Formal>,
        block: ast::Block,
    ) -> ExprId {
        let range = range_of(&block);
        self.scopes.enter_frame(FrameKind::Closure);
        let outer = self.enter_place(None, range);
        let closure = self.scoped(|infer| {
            let (params, patterns) = infer.closure_params(formals, None);
            let (body, result) = infer.code(Some(ast::ClosureBody::Block(block)), None, None, range);
            let body = infer.after_patterns(patterns, body, range);
            Closure { params, result, body, captures: Vec::new() }
        });
        self.leave_place(outer);
        self.finish_closure(closure, Constraint::default(), range)
    }

    fn finish_closure(&mut self, mut closure: Closure, guard: Constraint, range: TextRange) -> ExprId {
        closure.captures = self.scopes.leave_frame();
        let params = closure.params.iter().map(|&local| self.body.local(local).ty).collect();
        let formals: Vec<Path> = closure.params.iter().map(|&local| self.local_path(local)).collect();
        let ty = Ty::guarded_function(self.db, params, closure.result, guard);
        let ty = ty.over_formals(self.db, &formals);
        self.alloc(ExprKind::Closure(Box::new(closure)), ty, range)
    }

    /// The formals as locals, and the statements that split those with a pattern.
    fn closure_params(
        &mut self,
        formals: impl Iterator<Item = ast::Formal>,
        wanted: Option<&[Ty]>,
    ) -> (Vec<LocalId>, Vec<StmtId>) {
        let mut params = Vec::new();
        let mut patterns = Vec::new();
        for (index, formal) in formals.enumerate() {
            let range = range_of(&formal);
            if let Some(name) = self.untyped_formal(&formal) {
                let wanted = wanted.and_then(|types| types.get(index).copied());
                let reported = self.problems.len();
                params.push(self.formal_without_type(&name, wanted, range));
                // One error is enough for all formals; a wrong arrow is reported already.
                if has_wrong_arrow(&formal) || wanted.is_none() && index > 0 {
                    self.problems.truncate(reported);
                }
                continue;
            }
            let ty = match formal.ty() {
                Some(ty) => self.written_type(&ty),
                None => wanted.and_then(|types| types.get(index).copied()).unwrap_or_else(|| {
                    self.report_at(range, MissingType::Formal);
                    Ty::error(self.db)
                }),
            };
            let name = formal.name();
            let at = name.as_ref().map_or(range, range_of);
            let name = name.map_or_else(SmolStr::default, |n| n.text());
            let local = self.add_local(name, ty, formal.is_var(), LocalKind::ClosureParam, at);
            self.declare(local);
            self.note_local(local);
            params.push(local);
            if let Some(pattern) = formal.point_pattern() {
                self.pattern(local, &pattern, formal.is_var(), range, &mut patterns);
            }
        }
        (params, patterns)
    }

    /// The name of a formal that is written alone, where the syntax has a type.
    pub(crate) fn untyped_formal(&self, formal: &ast::Formal) -> Option<SmolStr> {
        let Some(ast::Type::NamedType(named)) = formal.ty().filter(|_| formal.is_bare_type()) else {
            return None;
        };
        let is_plain =
            named.qualifier().is_none() && named.type_arg_list().is_none() && named.arg_list().is_none();
        let name = named.name_ref()?.text();
        (is_plain && self.type_scope().find_type(&name).is_none()).then_some(name)
    }

    /// `(x) => e`: the formal lacks a type; its name is declared all the same.
    fn formal_without_type(&mut self, name: &SmolStr, wanted: Option<Ty>, range: TextRange) -> LocalId {
        let wanted = wanted.filter(|ty| !ty.mentions_error(self.db));
        let ty = wanted.unwrap_or_else(|| Ty::error(self.db));
        self.report_at(range, MissingType::FormalName { name: name.clone(), ty: wanted });
        let local = self.add_local(name.clone(), ty, false, LocalKind::ClosureParam, range);
        self.declare(local);
        self.note_local(local);
        local
    }

    /// `body`, after the statements that split formals.
    fn after_patterns(&mut self, mut patterns: Vec<StmtId>, body: StmtId, range: TextRange) -> StmtId {
        if patterns.is_empty() {
            return body;
        }
        patterns.push(body);
        self.alloc_stmt(StmtKind::Block(patterns), range)
    }

    /// `f(x) { ... }`: a call whose last argument is a closure without formals.
    pub(crate) fn trailing_closure(&mut self, s: &ast::TrailingClosureStmt) -> ExprId {
        let range = range_of(s);
        let Some(callee) = s.callee() else { return self.error(range) };
        let type_args: Vec<ast::Type> = s.type_arg_list().into_iter().flat_map(|list| list.types()).collect();
        let args: Vec<ast::Expr> = s.arg_list().into_iter().flat_map(|list| list.exprs()).collect();
        let mut values: Vec<ExprId> =
            args.iter().map(|arg| self.value(Some(arg), range_of(arg), None)).collect();
        if let Some(block) = s.block() {
            values.push(self.block_closure(std::iter::empty(), block));
        }
        self.call_values(&callee, &type_args, values, range)
    }
}

/// Whether the arrow of its closure is that of another language, which is an error already.
fn has_wrong_arrow(formal: &ast::Formal) -> bool {
    let closure = formal.syntax().ancestors().find_map(ast::ClosureExpr::cast);
    closure.is_some_and(|it| {
        !it.syntax().children_with_tokens().any(|child| child.kind() == SyntaxKind::FAT_ARROW)
    })
}
