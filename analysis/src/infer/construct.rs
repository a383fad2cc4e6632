//! Making objects: `new`, structs without `new`, and the calls of constructors in constructors.

use apg_syntax::TextRange;
use apg_syntax::ast::{self, AstNode};

use super::convert::Why;
use super::ctx::{Infer, range_of};
use super::pick::{Call, Picked};
use crate::body::{ExprId, ExprKind, StmtId, StmtKind};
use crate::diagnostics::r#type as type_rules;
use crate::ids::ClassId;
use crate::item_tree::items::{class_kind, class_modifiers, properties};
use crate::item_tree::{ClassKind, Modifiers};
use crate::scope::signature::field_type;
use crate::ty::Ty;

impl Infer<'_> {
    /// `new C[T](args)`
    pub(super) fn new_object(&mut self, e: &ast::NewExpr) -> ExprId {
        let range = range_of(e);
        let args: Vec<ast::Expr> = e.arg_list().into_iter().flat_map(|list| list.exprs()).collect();
        let args: Vec<ExprId> = args.iter().map(|arg| self.value(Some(arg), range_of(arg), None)).collect();
        if e.outer().is_some() {
            let instead = "create it in a method of the outer class";
            return self.unsupported(range, "`new` of an inner class through an outer object", instead);
        }
        let Some(ty) = e.named_type() else { return self.error(range) };
        if e.class_body().is_some() {
            return self.anonymous(e, args, range);
        }
        let Some((class, given)) = self.written_class(&ty) else { return self.error(range) };
        self.construct(class, given, args, range_of(&ty), range)
    }

    /// `new T() { ... }`: an object of a class of its own, made by its automatic constructor.
    fn anonymous(&mut self, e: &ast::NewExpr, args: Vec<ExprId>, range: TextRange) -> ExprId {
        if !args.is_empty() {
            let instead = "declare a class that extends it, with a constructor that calls `super(...)`";
            return self.unsupported(range, "an anonymous class whose superclass takes arguments", instead);
        }
        let class = crate::item_tree::source::class_of_node(self.db, self.owner.into(), e.syntax());
        let Some(class) = class else { return self.error(range) };
        if !crate::members::is_static_class(self.db, class) {
            self.scopes.use_this();
        }
        let call = Call { args, type_args: Vec::new(), through_super: false, at: range, range };
        match self.pick_constructor(class, Some(Vec::new()), &call) {
            Ok(picked) => {
                let kind = ExprKind::New {
                    class,
                    class_args: Vec::new(),
                    constructor: picked.method,
                    args: Vec::new(),
                };
                self.alloc(kind, picked.result, range)
            }
            Err(_) => self.error(range),
        }
    }

    /// `S(args)`: a struct without `new`. `exact`: the type arguments are part of `ty`.
    pub(super) fn construct_struct(
        &mut self,
        ty: Ty,
        exact: bool,
        type_args: Vec<Ty>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let Some((class, own)) = ty.as_class(self.db).map(|(class, args)| (class, args.to_vec())) else {
            self.report(
                type_rules::not_callable::RULE
                    .at(range, format!("`{}` is a type parameter, and no function", self.show(ty))),
            );
            return self.error(range);
        };
        if class_kind(self.db, class) != Some(ClassKind::Struct) {
            let name = class.name(self.db).clone();
            self.report(
                type_rules::not_callable::RULE
                    .at(range, format!("`{name}` is a class, not a function or a struct"))
                    .note(format!("to make an object of it, write `new {name}(...)`"))
                    .fix(crate::diagnostics::Fix {
                        title: "Add `new`".to_owned(),
                        edits: vec![crate::diagnostics::TextEdit {
                            file: None,
                            range: TextRange::empty(range.start()),
                            text: "new ".to_owned(),
                        }],
                    }),
            );
            return self.error(range);
        }
        let given = match (exact || own.is_empty(), type_args.is_empty()) {
            (true, _) => Some(own),
            (false, false) => Some(type_args),
            (false, true) => None,
        };
        self.construct(class, given, args, range, range)
    }

    pub(super) fn construct(
        &mut self,
        class: ClassId,
        given: Option<Vec<Ty>>,
        args: Vec<ExprId>,
        at: TextRange,
        range: TextRange,
    ) -> ExprId {
        let db = self.db;
        let name = class.name(db).clone();
        let refusal = match class_kind(db, class) {
            Some(ClassKind::Interface) => Some("an interface"),
            _ if class_modifiers(db, class).has(Modifiers::ABSTRACT) => Some("abstract"),
            _ => None,
        };
        if let Some(what) = refusal {
            self.report(
                type_rules::abstract_instantiation::RULE
                    .at(at, format!("`{name}` is {what}, so no object of just that class can be made"))
                    .note("create an object of a class that extends or implements it"),
            );
            return self.error(range);
        }
        let call = Call { args, type_args: Vec::new(), through_super: false, at, range };
        match self.pick_constructor(class, given, &call) {
            Ok(picked) => {
                let mut call = call;
                let mut stmts = Vec::new();
                self.bind_nameless(&picked, &mut call.args, &mut stmts);
                let args = self.convert_args(&picked, call.args);
                let class_args = picked.class_args.clone();
                let kind = ExprKind::New { class, class_args, constructor: picked.method, args };
                let id = self.alloc(kind, picked.result, range);
                self.guarded(id, &picked, stmts)
            }
            Err(reason) => self.call_failed(&name, &reason, None, &call),
        }
    }

    /// `this(...)`, `super(...)`
    pub(super) fn constructor_call(&mut self, s: &ast::ConstructorCallStmt) -> StmtKind {
        let range = range_of(s);
        let args: Vec<ast::Expr> = s.args().collect();
        let args: Vec<ExprId> = args.iter().map(|arg| self.value(Some(arg), range_of(arg), None)).collect();
        let is_super = s.is_super();
        let word = if is_super { "super" } else { "this" };
        if !self.is_constructor || self.scopes.frame_depth() > 0 {
            self.report(
                type_rules::constructor_call::RULE
                    .at(range, format!("`{word}(...)` can only be called in a constructor"))
                    .note(format!("to call a method of the object, write `{word}.name(...)`")),
            );
            return StmtKind::Error;
        }
        if s.outer().is_some() {
            self.unsupported(
                range,
                "a constructor call through an outer object",
                "call it without the object",
            );
            return StmtKind::Error;
        }
        let target = if is_super {
            crate::ty::supers::superclass(self.db, self.class)
        } else {
            Some(Ty::this_type(self.db, self.class))
        };
        let Some((class, class_args)) =
            target.and_then(|ty| ty.as_class(self.db).map(|(class, args)| (class, args.to_vec())))
        else {
            // Without a declared superclass `super()` does nothing.
            if !args.is_empty() {
                let message = "the superclass has no constructor with arguments";
                self.report(type_rules::no_matching_call::RULE.at(range, message));
                return StmtKind::Error;
            }
            return StmtKind::Empty;
        };
        let call = Call { args, type_args: Vec::new(), through_super: false, at: range, range };
        match self.pick_constructor(class, Some(class_args), &call) {
            Ok(picked) => {
                let args = self.constructor_args(&picked, call.args, range);
                let class_args = picked.class_args;
                StmtKind::ConstructorCall { is_super, class_args, constructor: picked.method, args }
            }
            Err(reason) => {
                self.call_failed(class.name(self.db).as_str(), &reason, None, &call);
                StmtKind::Error
            }
        }
    }

    /// The arguments of a constructor call, converted; checks of its condition are made before the first of them.
    fn constructor_args(&mut self, picked: &Picked, mut args: Vec<ExprId>, range: TextRange) -> Vec<ExprId> {
        let mut stmts = Vec::new();
        self.bind_nameless(picked, &mut args, &mut stmts);
        let mut args = self.convert_args(picked, args);
        self.check_guard(picked, range, &mut stmts);
        if let Some(first) = args.first_mut()
            && !stmts.is_empty()
        {
            let ty = self.ty(*first);
            *first = self.alloc(ExprKind::Let { stmts, result: *first }, ty, range);
        }
        args
    }

    /// The call of the superclass's constructor that a constructor without one starts with.
    pub(super) fn implicit_super(&mut self, range: TextRange) -> Vec<StmtId> {
        let superclass = crate::ty::supers::superclass(self.db, self.class);
        let Some((class, class_args)) =
            superclass.and_then(|ty| ty.as_class(self.db).map(|(class, args)| (class, args.to_vec())))
        else {
            return Vec::new();
        };
        let call = Call { args: Vec::new(), type_args: Vec::new(), through_super: false, at: range, range };
        match self.pick_constructor(class, Some(class_args), &call) {
            Ok(picked) => {
                let class_args = picked.class_args;
                let kind = StmtKind::ConstructorCall {
                    is_super: true,
                    class_args,
                    constructor: picked.method,
                    args: Vec::new(),
                };
                vec![self.alloc_stmt(kind, range)]
            }
            Err(_) => {
                let name = class.name(self.db).clone();
                self.report(
                    type_rules::no_matching_call::RULE
                        .at(range, format!("the superclass `{name}` has no constructor without arguments"))
                        .note("start the constructor with `super(...)` and the arguments it needs"),
                );
                Vec::new()
            }
        }
    }

    /// Puts the implicit `super()` before the code of a constructor that calls none.
    pub(super) fn insert_implicit_super(&mut self) {
        let Some(root) = self.body.root else { return };
        let first = match &self.body.stmt(root).kind {
            StmtKind::Block(stmts) => stmts.first().copied(),
            _ => Some(root),
        };
        let explicit = first.is_some_and(|id| {
            matches!(self.body.stmt(id).kind, StmtKind::ConstructorCall { .. } | StmtKind::Error)
        });
        if explicit {
            return;
        }
        let range = super::start::name_range(self.db, self.owner);
        let stmts = self.implicit_super(range);
        self.prepend(stmts);
    }

    /// Puts statements before the code.
    pub(super) fn prepend(&mut self, mut stmts: Vec<StmtId>) {
        let Some(root) = self.body.root.filter(|_| !stmts.is_empty()) else { return };
        let whole = self.body.stmt(root).range;
        match &mut self.body.stmts[root.0 as usize].kind {
            StmtKind::Block(code) => {
                stmts.append(code);
                *code = stmts;
            }
            _ => {
                stmts.push(root);
                self.body.root = Some(self.alloc_stmt(StmtKind::Block(stmts), whole));
            }
        }
    }

    /// `property(a, b);`
    pub(super) fn property_call(&mut self, s: &ast::PropertyCallStmt) -> StmtKind {
        let range = range_of(s);
        let fields = properties(self.db, self.class);
        let args: Vec<ast::Expr> = s.arg_list().into_iter().flat_map(|list| list.exprs()).collect();
        if !self.is_constructor || self.scopes.frame_depth() > 0 {
            self.report(
                type_rules::constructor_call::RULE
                    .at(range, "`property(...)` can only be called in a constructor"),
            );
            return StmtKind::Error;
        }
        if fields.len() != args.len() {
            let name = self.class.name(self.db).clone();
            self.report(type_rules::no_matching_call::RULE.at(
                range,
                format!(
                    "`{name}` has {} properties, and {} are given",
                    fields.len(),
                    super::call::count(args.len())
                ),
            ));
            for arg in &args {
                self.value(Some(arg), range, None);
            }
            return StmtKind::Error;
        }
        let mut values = Vec::new();
        for (arg, &field) in args.iter().zip(&fields) {
            let ty = field_type(self.db, field);
            let value = self.value(Some(arg), range, Some(ty));
            // What is set here is known afterwards, and no sooner.
            let value = self.convert(value, ty, Why::Assignment);
            if let Some(path) = self.path_of(value) {
                let property = crate::ty::Path::this().field(field.name(self.db).clone());
                self.learn(crate::ty::ConstraintTerm::Equal(property, path));
            }
            values.push(value);
        }
        StmtKind::Property { fields, values }
    }
}
