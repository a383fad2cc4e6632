//! Calls: of methods, functions, application operators and struct constructors.

pub(crate) mod apply;
pub(crate) mod overload;

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{T, TextRange, TextSize};
use smol_str::SmolStr;

use crate::body::{Dispatch, ExprId, ExprKind, StmtKind};
use crate::ids::MethodId;
use crate::infer::call::overload::{Call, CallTarget};
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::expr::name::Resolved;
use crate::item_tree::Modifiers;
use crate::item_tree::items::{method_is_static, method_item, own_field, own_methods};
use crate::rules::name as name_rules;
use crate::rules::r#type::constructor_call::ConstructorCall;
use crate::rules::r#type::no_body::NoBody;
use crate::rules::r#type::not_callable::NotCallable;
use crate::ty::Ty;
use crate::ty::known::{Known, known_class};

impl Infer<'_> {
    pub(crate) fn call(&mut self, e: &ast::CallExpr) -> ExprId {
        let range = range_of(e);
        let Some(callee) = e.callee() else { return self.error(range) };
        let args: Vec<ast::Expr> = e.args().collect();
        let values = args.iter().map(|arg| self.value(Some(arg), range_of(arg), None)).collect();
        let type_args: Vec<ast::Type> = e.type_args().collect();
        self.call_values(&callee, &type_args, values, range)
    }

    /// A call whose arguments are typed already.
    pub(crate) fn call_values(
        &mut self,
        callee: &ast::Expr,
        type_args: &[ast::Type],
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let type_args: Vec<Ty> = type_args.iter().map(|ty| self.written_type(ty)).collect();
        match callee {
            ast::Expr::NameExpr(name) => match name.name_ref() {
                Some(name) => {
                    let called = Self::called_name(&name.text());
                    self.call_name(&called, range_of(&name), type_args, args, range)
                }
                None => self.error(range),
            },
            ast::Expr::FieldExpr(field) => self.call_member(field, type_args, args, range),
            ast::Expr::OperatorExpr(operator) => self.call_operator(operator, type_args, args, range),
            ast::Expr::TypeExpr(_) => match self.resolve(callee, true) {
                Resolved::Type(ty) => self.construct_struct(ty, true, type_args, args, range),
                _ => self.error(range),
            },
            ast::Expr::SuperExpr(_) => match self.super_object(callee) {
                Some(object) => {
                    let call = Call { args, type_args, through_super: true, at: range_of(callee), range };
                    self.call_method(object, "operator()", call)
                }
                None => self.error(range),
            },
            _ => {
                let value = self.value(Some(callee), range, None);
                let is_this = matches!(self.body.expr(value).kind, ExprKind::This);
                if is_this && !self.can_apply(self.ty(value)) {
                    self.report_at(range, ConstructorCall::ThisAsValue);
                    return self.error(range);
                }
                self.apply(value, args, range)
            }
        }
    }

    /// `m(x)`: a method of a class around, a function in a variable, or a struct.
    pub(crate) fn call_name(
        &mut self,
        name: &SmolStr,
        at: TextRange,
        type_args: Vec<Ty>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let mut call = Call { args, type_args, through_super: false, at, range };
        let mut failure = None;
        let mut unreachable = false;
        for around in self.around() {
            let ty = Ty::this_type(self.db, around.class);
            let candidates = self.candidates(ty, name);
            if candidates.is_empty() {
                continue;
            }
            let path = (around.class == self.class && around.has_instance).then(crate::ty::Path::this);
            match self.resolve_call(&candidates, path.as_ref(), &call) {
                Ok(picked) if method_is_static(self.db, picked.method) => {
                    return self.static_call(picked, call);
                }
                Ok(picked) => {
                    // Without an object to call it on, a function of that name may be meant.
                    let Some(object) = self.instance(&around, at) else {
                        unreachable = true;
                        break;
                    };
                    return self.instance_call(object, picked, call);
                }
                Err(reason) => {
                    failure.get_or_insert(reason);
                }
            }
        }
        // A variable or a struct of that name, unless a method was meant.
        let resolved = self.resolve_quietly(name, at);
        match (resolved, failure) {
            (Some(Resolved::Value(value)), _) if unreachable && self.can_apply(self.ty(value)) => {
                self.apply(value, call.args, range)
            }
            _ if unreachable => self.no_instance(name, at),
            (Some(Resolved::Value(value)), None) => self.apply(value, call.args, range),
            (Some(Resolved::Value(value)), Some(_)) if self.can_apply(self.ty(value)) => {
                self.apply(value, call.args, range)
            }
            (Some(Resolved::Type(ty)), None) => {
                let type_args = std::mem::take(&mut call.type_args);
                self.construct_struct(ty, false, type_args, call.args, range)
            }
            (_, Some(reason)) => self.call_failed(name, &reason, None, &call),
            (Some(Resolved::Package(_)) | Some(Resolved::Error) | None, None) => {
                // Problems of the arguments would add nothing to that of a foreign function.
                if crate::suggest::foreign_vocabulary::is_foreign(name) {
                    self.problems.retain(|it| !range.contains_range(it.range));
                }
                self.unresolved_method(name, at);
                self.error(range)
            }
        }
    }

    fn unresolved_method(&mut self, name: &str, at: TextRange) {
        if self.may_inherit() {
            return;
        }
        let mut names: Vec<SmolStr> = self.scopes.names().cloned().collect();
        for around in self.around() {
            names.extend(self.member_names(Ty::this_type(self.db, around.class)));
        }
        let diagnostic = name_rules::unresolved::RULE
            .at(at, format!("there is no method, function or struct `{name}` here"));
        if let Some(diagnostic) = self.suggest_print(diagnostic.clone(), name, at) {
            return self.report(diagnostic);
        }
        if let Some(diagnostic) = self.type_scope().with_imports(&diagnostic, name) {
            return self.report(diagnostic);
        }
        // `p->f(x)`
        let arrow = at.start().checked_sub(TextSize::of("->")).map(|start| TextRange::new(start, at.start()));
        if let Some(arrow) = arrow.filter(|it| self.source(*it).is_some_and(|it| it == "->")) {
            let diagnostic = name_rules::unresolved::RULE.at(arrow, "a member is selected by `.`");
            return self.report(crate::suggest::conversion::replaced(diagnostic, arrow, ".".to_owned()));
        }
        let near = apg_syntax::closest(name, names.iter().map(SmolStr::as_str));
        let near = near.filter(|_| !crate::suggest::foreign_vocabulary::is_foreign(name));
        // `sqrt(x)`, as where such functions need no class.
        let math = near.is_none().then(|| known_class(self.db, Known::Math)).flatten();
        if let Some(math) = math
            && own_methods(self.db, math, name).iter().any(|it| method_is_static(self.db, *it))
        {
            let text = format!("Math.{name}");
            let diagnostic = diagnostic.note(format!("X10 has it as `{text}`"));
            return self.report(crate::suggest::conversion::replaced(diagnostic, at, text));
        }
        if near.is_none()
            && let Some(diagnostic) = self
                .suggest_statement(diagnostic.clone(), name, at)
                .or_else(|| self.suggest_misspelt_print(diagnostic.clone(), name, at))
        {
            return self.report(diagnostic);
        }
        self.report(crate::infer::suggest::unresolved::suggest(diagnostic, near, at));
    }

    /// `e.m(x)`, `C.m(x)`, `super.m(x)`
    fn call_member(
        &mut self,
        e: &ast::FieldExpr,
        type_args: Vec<Ty>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let Some(receiver) = e.receiver() else { return self.error(range) };
        let Some(name) = e.name_ref() else {
            // The name is being typed: completion needs the type of the receiver.
            let _ = self.resolve(&receiver, true);
            return self.error(range);
        };
        let at = range_of(&name);
        self.selects(e.syntax(), at);
        let name = Self::called_name(&name.text());
        let through_super = matches!(receiver, ast::Expr::SuperExpr(_));
        let call = Call { args, type_args, through_super, at, range };
        if through_super {
            return match self.super_object(&receiver) {
                Some(object) => self.call_method(object, &name, call),
                None => self.error(range),
            };
        }
        match self.resolve(&receiver, true) {
            Resolved::Value(object) if self.applies_rail(e, object, &name, &call) => {
                self.apply(object, call.args, range)
            }
            Resolved::Value(object) => self.call_method(object, &name, call),
            Resolved::Type(ty) => self.call_static(ty, &name, range_of(e), call),
            Resolved::Package(package) => match self.in_package(&package, &name, at) {
                Resolved::Type(ty) => self.construct_struct(ty, false, call.type_args, call.args, range),
                _ => self.error(range),
            },
            Resolved::Error => self.error(range),
        }
    }

    /// A method of a value, or the function in its field.
    pub(crate) fn call_method(&mut self, object: ExprId, name: &str, call: Call) -> ExprId {
        let ty = self.ty(object);
        if ty.is_error(self.db) || name.is_empty() {
            return self.error(call.range);
        }
        if ty.is_void(self.db) {
            return self.void_used(self.range(object));
        }
        let mut candidates = self.candidates(ty, name);
        self.prefer_left_operand(&mut candidates);
        if candidates.is_empty() {
            if let Some((field, owner)) = self.find_field(ty, name) {
                if !self.is_visible(field) {
                    self.hidden_called(ty, field, call.at);
                    return self.error(call.range);
                }
                let held = self.field_type_in(field, owner);
                if call.args.is_empty() && call.type_args.is_empty() && !self.can_apply(held) {
                    return self.field_called(name, field, &call);
                }
                let selected = TextRange::new(self.range(object).start().min(call.at.start()), call.at.end());
                let value = self.member(object, name, selected, call.at);
                return self.apply(value, call.args, call.range);
            }
            self.no_member(ty, name, call.at, false);
            return self.error(call.range);
        }
        let path = self.receiver_path(object, &candidates);
        match self.resolve_call_of(&candidates, path.as_ref(), &call, false) {
            Ok(picked) if method_is_static(self.db, picked.method) => {
                let result = self.static_call(picked, call);
                self.after(object, result)
            }
            Ok(picked) => self.instance_call(object, picked, call),
            Err(reason) => match self.find_field(ty, name) {
                Some((field, owner)) if self.can_apply(self.field_type_in(field, owner)) => {
                    let selected =
                        TextRange::new(self.range(object).start().min(call.at.start()), call.at.end());
                    let value = self.field_of(object, field, owner, selected);
                    self.apply(value, call.args, call.range)
                }
                _ => self.call_failed(name, &reason, Some(object), &call),
            },
        }
    }

    /// Whether `g.rail()` of a `GlobalRail` is the rail: the property `rail`, a reference, applied. Where
    /// what follows takes a reference, as in `g.rail()()` and `g.rail().home`, it is the property.
    fn applies_rail(&self, e: &ast::FieldExpr, object: ExprId, name: &str, call: &Call) -> bool {
        if name != "rail" || !call.args.is_empty() || self.ty(object).global_rail_element(self.db).is_none() {
            return false;
        }
        let around = e.syntax().parent().and_then(|call| call.parent());
        let applied =
            around.clone().and_then(ast::CallExpr::cast).is_some_and(|it| it.args().next().is_none());
        let selected = around.and_then(ast::FieldExpr::cast).and_then(|it| it.name_ref());
        let of_reference = selected.is_some_and(|member| {
            known_class(self.db, Known::GlobalRef).is_some_and(|class| {
                let reference = Ty::this_type(self.db, class);
                let member = member.text();
                let is_own = |method: &MethodId| method.class(self.db) == class;
                own_field(self.db, class, &member).is_some()
                    || self
                        .candidates(reference, &member)
                        .iter()
                        .any(|it| is_own(&it.method) && !is_of_any(&member))
            })
        });
        !applied && !of_reference
    }

    /// `r.size()`: a field is no method.
    fn field_called(&mut self, name: &str, field: crate::ids::FieldId, call: &Call) -> ExprId {
        let is_property =
            crate::item_tree::items::field_item(self.db, field).is_some_and(|item| item.is_property);
        let parentheses = TextRange::new(call.at.end(), call.range.end());
        let problem = NotCallable::Field { name: name.into(), is_property, parentheses };
        self.report_at(call.range, problem);
        self.error(call.range)
    }

    /// `result`, after `first` was evaluated for its effect.
    fn after(&mut self, first: ExprId, result: ExprId) -> ExprId {
        if self.is_simple(first) || matches!(self.body.expr(first).kind, ExprKind::Local(_)) {
            return result;
        }
        let (range, ty) = (self.range(result), self.ty(result));
        let stmts = vec![self.alloc_stmt(StmtKind::Expr(first), self.range(first))];
        self.alloc(ExprKind::Let { stmts, result }, ty, range)
    }

    /// `C.m(x)`
    pub(crate) fn call_static(&mut self, ty: Ty, name: &str, selected: TextRange, mut call: Call) -> ExprId {
        let candidates = self.candidates(ty, name);
        if !candidates.is_empty() {
            return match self.resolve_call_of(&candidates, None, &call, true) {
                Ok(picked) if method_is_static(self.db, picked.method) => self.static_call(picked, call),
                Ok(_) => self.not_static(ty, name, call.at),
                // Whatever the arguments are, an object is missing.
                Err(_) if candidates.iter().all(|it| !method_is_static(self.db, it.method)) => {
                    self.not_static(ty, name, call.at)
                }
                Err(reason) => self.call_failed(name, &reason, None, &call),
            };
        }
        match self.static_member(ty, name, selected, call.at) {
            Resolved::Value(value) => self.apply(value, call.args, call.range),
            Resolved::Type(ty) => {
                let type_args = std::mem::take(&mut call.type_args);
                self.construct_struct(ty, false, type_args, call.args, call.range)
            }
            _ => self.error(call.range),
        }
    }

    pub(crate) fn static_call(&mut self, picked: CallTarget, mut call: Call) -> ExprId {
        let mut stmts = Vec::new();
        self.bind_skolems(&picked, &mut call.args, &mut stmts);
        let args = std::mem::take(&mut call.args);
        let args = self.convert_args(&picked, args);
        let args = self.with_collector(&picked, args, &call);
        let kind = ExprKind::Call {
            method: picked.method,
            dispatch: Dispatch::Static,
            receiver: None,
            class_args: picked.class_args.clone(),
            type_args: picked.type_args.clone(),
            args,
        };
        let id = self.alloc(kind, picked.result, call.range);
        self.guarded(id, &picked, stmts)
    }

    pub(crate) fn instance_call(&mut self, mut object: ExprId, picked: CallTarget, mut call: Call) -> ExprId {
        if !picked.unproved.terms.is_empty() {
            self.check_place(&picked, object, &call);
        }
        let mut stmts = Vec::new();
        self.bind_skolems(&picked, std::slice::from_mut(&mut object), &mut stmts);
        self.bind_skolems(&picked, &mut call.args, &mut stmts);
        let args = std::mem::take(&mut call.args);
        let args = self.convert_args(&picked, args);
        let args = self.with_collector(&picked, args, &call);
        let receiver = self.convert(object, picked.owner, ConversionSite::Receiver);
        let dispatch = self.dispatch(picked.method, call.through_super);
        if dispatch == Dispatch::Super {
            self.has_code(picked.method, call.range);
        }
        let kind = ExprKind::Call {
            method: picked.method,
            dispatch,
            receiver: Some(receiver),
            class_args: picked.class_args.clone(),
            type_args: picked.type_args.clone(),
            args,
        };
        let id = self.alloc(kind, picked.result, call.range);
        self.guarded(id, &picked, stmts)
    }

    /// `super.f()` needs code to run.
    fn has_code(&mut self, method: MethodId, at: TextRange) {
        let Some(item) = method_item(self.db, method) else { return };
        if item.has_body || item.modifiers.has(Modifiers::NATIVE) || !item.annotations.is_empty() {
            return;
        }
        self.report_at(at, NoBody::CalledBySuper(method));
    }

    pub(crate) fn convert_args(&mut self, picked: &CallTarget, args: Vec<ExprId>) -> Vec<ExprId> {
        let known = self.known.len();
        self.note_arguments(&args);
        let params = &picked.params;
        let convert = |(index, arg): (usize, ExprId)| match params.get(index) {
            Some(&param) => self.convert(arg, param, ConversionSite::Argument),
            None => arg,
        };
        let converted = args.into_iter().enumerate().map(convert).collect();
        self.forget(known);
        converted
    }

    /// `p.async { ... }`, `p.for (i:T in r) { ... }`, ...: a call of the operator of that name, the blocks
    /// being closures.
    pub(crate) fn keyword_call(&mut self, s: &ast::KeywordCallStmt) -> ExprId {
        let range = range_of(s);
        let Some(keyword) = s.keyword_token() else { return self.error(range) };
        let name = SmolStr::from(format!("operator {}", keyword.text()));
        let type_args: Vec<ast::Type> = s.type_arg_list().into_iter().flat_map(|list| list.types()).collect();
        let type_args = type_args.iter().map(|ty| self.written_type(ty)).collect();
        let before: Vec<ast::Expr> = match s.loop_header() {
            Some(header) => header.exprs().collect(),
            None => s.arg_list().into_iter().flat_map(|list| list.exprs()).collect(),
        };
        let clocks = s.clocked_clause().and_then(|clause| clause.arg_list());
        let clocks = clocks.into_iter().flat_map(|list| list.exprs());
        let mut args = Vec::new();
        for arg in before.into_iter().chain(clocks).chain(s.value()) {
            args.push(self.value(Some(&arg), range_of(&arg), None));
        }
        let formals: Vec<ast::Formal> = s.loop_header().into_iter().flat_map(|it| it.formals()).collect();
        if let Some(block) = s.block() {
            let body = self.block_closure(formals.into_iter(), block);
            // The conditions of `do` come after its block.
            let at = if keyword.kind() == T![do] { 0 } else { args.len() };
            args.insert(at, body);
        }
        if let Some(block) = s.else_clause().and_then(|it| it.block()) {
            args.push(self.block_closure(std::iter::empty(), block));
        }
        for clause in s.catch_clauses() {
            if let Some(block) = clause.block() {
                args.push(self.block_closure(clause.formals(), block));
            }
        }
        if let Some(block) = s.finally_clause().and_then(|it| it.block()) {
            args.push(self.block_closure(std::iter::empty(), block));
        }
        self.selects(s.syntax(), keyword.text_range());
        self.call_on(s.receiver(), &name, keyword.text_range(), type_args, args, range)
    }
}

/// Whether all objects have a method of that name.
fn is_of_any(name: &str) -> bool {
    matches!(name, "toString" | "hashCode" | "equals" | "typeName")
}
