//! Object creation: `new`, structs without `new`, anonymous classes, and constructor calls in constructors.

use apg_syntax::TextRange;
use apg_syntax::ast::{self, AstNode};

use crate::body::enclosing_owner;
use crate::body::local_class_env::SuperCall;
use crate::body::{ExprId, ExprKind, StmtId, StmtKind};
use crate::ids::ClassId;
use crate::infer::call::overload::{Call, CallTarget};
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::expr::name::Around;
use crate::infer::local_class_env::class_captures;
use crate::item_tree::items::{class_kind, class_modifiers, own_methods, properties, type_param_ids};
use crate::item_tree::nesting::all_type_params;
use crate::item_tree::{ClassKind, Modifiers};
use crate::relate::wellformed::type_problem;
use crate::rules::r#type::abstract_instantiation::AbstractInstantiation;
use crate::rules::r#type::constructor_call::ConstructorCall;
use crate::rules::r#type::no_matching_call::NoMatchingCall;
use crate::rules::r#type::no_outer_object::NoOuterObject;
use crate::rules::r#type::not_callable::NotCallable;
use crate::rules::r#type::not_enclosing::NotEnclosing;
use crate::rules::r#type::wrong_type_arguments::WrongTypeArguments;
use crate::scope::lookup::Found;
use crate::signature::field_type;
use crate::ty::Ty;
use crate::ty::subst::Substitution;

impl Infer<'_> {
    /// `new C[T](args)`
    pub(crate) fn new_object(&mut self, e: &ast::NewExpr) -> ExprId {
        let range = range_of(e);
        let outer = e.outer().map(|outer| self.value(Some(&outer), range, None));
        let args: Vec<ast::Expr> = e.arg_list().into_iter().flat_map(|list| list.exprs()).collect();
        let args: Vec<ExprId> = args.iter().map(|arg| self.value(Some(arg), range_of(arg), None)).collect();
        let Some(ty) = e.named_type() else { return self.error(range) };
        if e.class_body().is_some() {
            return self.anonymous(e, outer, args, range);
        }
        if let Some(outer) = outer {
            return self.new_inner(outer, &ty, args, range);
        }
        let Some((class, given)) = self.written_class(&ty) else { return self.error(range) };
        let made = self.construct(class, given, None, args, range_of(&ty), range);
        if ty.name_ref().is_some_and(|name| name.text() == *class.name(self.db)) {
            return made;
        }
        // A type definition may have further constraints.
        let wanted = self.written_named(&ty);
        self.with_constraint_of(made, wanted)
    }

    /// A new object, constrained by the written type.
    fn with_constraint_of(&mut self, made: ExprId, wanted: Ty) -> ExprId {
        match wanted.constraint(self.db) {
            Some(constraint) if !self.ty(made).is_error(self.db) && !wanted.mentions_error(self.db) => {
                let ty = self.ty(made).constrained(self.db, constraint.clone());
                self.convert(made, ty, ConversionSite::Initialiser)
            }
            _ => made,
        }
    }

    /// `o.new C[T](args)`: an object of an inner class, inside the object `o`.
    fn new_inner(
        &mut self,
        outer: ExprId,
        ty: &ast::NamedType,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let db = self.db;
        let (at, around) = (range_of(ty), self.ty(outer));
        let Some(name) = ty.name_ref().map(|name| name.text()) else { return self.error(range) };
        if around.is_error(db) {
            return self.error(range);
        }
        let class = around.as_class(db).and_then(|(class, _)| self.member_class(class, &name));
        let Some(class) = class else {
            self.no_member(around, &name, at, true);
            return self.error(range);
        };
        let owner = class.outer(db).and_then(|outer| self.as_super(around, outer));
        let Some(owner) = owner.filter(|_| !crate::item_tree::nesting::is_static_class(db, class)) else {
            self.report_at(at, NotEnclosing::NotInner { name });
            return self.error(range);
        };
        let written: Vec<ast::Type> = ty.type_args().collect();
        let own: Vec<Ty> = written.iter().map(|ty| self.written_type(ty)).collect();
        let wanted = type_param_ids(db, class).len();
        if own.len() != wanted {
            self.report_at(at, WrongTypeArguments::Count { name, wanted, given: own.len() });
            return self.error(range);
        }
        let outer = self.convert(outer, owner, ConversionSite::Receiver);
        let params =
            all_type_params(db, class)[wanted..].iter().map(|p| Ty::param(db, *p)).collect::<Vec<_>>();
        let (outer_class, outer_args) = owner.as_class(db).map_or((class, &[][..]), |(c, args)| (c, args));
        let rest = Substitution::class(db, outer_class, outer_args).apply_all(db, &params);
        let given = own.into_iter().chain(rest).collect();
        let made = self.construct(class, Some(given), Some(outer), args, at, range);
        let object = match self.body.expr(made).kind {
            ExprKind::Let { result, .. } => result,
            _ => made,
        };
        if let ExprKind::New { outer: place, .. } = &mut self.body.exprs[object.0 as usize].kind {
            *place = Some(outer);
        }
        made
    }

    fn member_class(&self, class: ClassId, name: &str) -> Option<ClassId> {
        match self.member_type(class, name)? {
            Found::Class(class) => Some(class),
            Found::Param(_) | Found::Typedefs(_) => None,
        }
    }

    /// `new T(args) { ... }`: an object of a class of its own, made by its automatic constructor, which
    /// passes the arguments to the superclass.
    fn anonymous(
        &mut self,
        e: &ast::NewExpr,
        outer: Option<ExprId>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let db = self.db;
        let class = crate::item_tree::source::class_of_node(db, self.owner.into(), e.syntax());
        let (Some(class), Some(named)) = (class, e.named_type()) else { return self.error(range) };
        let at = range_of(&named);
        let Some((above, given)) = self.written_class(&named) else {
            self.records_environment(class, None);
            return self.error(range);
        };
        let call = Call { args, type_args: Vec::new(), through_super: false, at, range };
        let picked = match class_kind(db, above) {
            Some(ClassKind::Class) => match self.resolve_constructor(above, given, outer, &call) {
                Ok(picked) => Some(picked),
                Err(reason) => {
                    self.records_environment(class, None);
                    return self.call_failed(above.name(db), &reason, None, &call);
                }
            },
            _ if !call.args.is_empty() && !self.records_environment(class, None) => {
                self.report_at(range, NoMatchingCall::InterfaceArguments);
                return self.error(range);
            }
            _ => None,
        };
        if picked.is_some() && outer.is_none() && self.lacks_outer(above, false, at) {
            self.records_environment(class, None);
            return self.error(range);
        }
        let superclass = picked.as_ref().map(|picked| SuperCall {
            constructor: picked.method,
            class_args: picked.class_args.clone(),
            outer: outer.map(|outer| self.ty(outer).base(db)),
            params: picked.params.iter().map(|ty| ty.base(db)).collect(),
        });
        let constructor = own_methods(db, class, "this").first().copied();
        let Some(constructor) = constructor.filter(|_| !self.records_environment(class, superclass)) else {
            return self.error(range);
        };
        self.capture_for(class);
        let ty = Ty::this_type(db, class);
        let class_args = ty.as_class(db).map(|(_, args)| args.to_vec()).unwrap_or_default();
        let known = picked.as_ref().and_then(|picked| picked.result.constraint(db)).cloned();
        let args = match &picked {
            Some(picked) => self.convert_args(picked, call.args),
            None => Vec::new(),
        };
        // The object around that of the superclass goes first.
        let args = outer.into_iter().chain(args).collect();
        let ty = ty.constrained(db, known.unwrap_or_default());
        let id = self.alloc(ExprKind::New { outer: None, class, class_args, constructor, args }, ty, range);
        match &picked {
            Some(picked) => self.guarded(id, picked, Vec::new()),
            None => id,
        }
    }

    /// Marks the variables that an object of the class captures as used by the code here.
    fn capture_for(&mut self, class: ClassId) {
        let db = self.db;
        if !crate::item_tree::nesting::is_static_class(db, class) {
            self.scopes.use_this();
        }
        let Some(owner) = enclosing_owner(db, class) else { return };
        if owner != self.owner {
            self.scopes.use_this();
        } else if self.environment_of.is_none() {
            // The environment of another class does not depend on them.
            for variable in class_captures(db, class).iter() {
                self.scopes.use_local(variable.local, false);
            }
        }
    }

    /// Whether the class needs an outer object that is not available here; reports it. With `own` the
    /// object under construction does not count.
    pub(crate) fn lacks_outer(&mut self, class: ClassId, own: bool, at: TextRange) -> bool {
        let db = self.db;
        if crate::item_tree::nesting::is_static_class(db, class) {
            return false;
        }
        let Some(outer) = class.outer(db) else { return false };
        let is_around = |around: &Around| {
            around.has_instance && self.as_super(Ty::this_type(db, around.class), outer).is_some()
        };
        if self.around().iter().skip(usize::from(own)).any(is_around) {
            return false;
        }
        self.report_at(at, NoOuterObject { class, outer });
        true
    }

    /// `S(args)`: a struct without `new`. `exact`: the type arguments are part of `ty`.
    pub(crate) fn construct_struct(
        &mut self,
        ty: Ty,
        exact: bool,
        type_args: Vec<Ty>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let Some((class, own)) = ty.as_class(self.db).map(|(class, args)| (class, args.to_vec())) else {
            self.report_at(range, NotCallable::TypeParameter { ty });
            return self.error(range);
        };
        if class_kind(self.db, class) != Some(ClassKind::Struct) {
            let exact = exact.then_some(ty);
            self.report_at(range, NotCallable::Class { class, exact, type_args });
            return self.error(range);
        }
        let own_params = type_param_ids(self.db, class).len();
        let given = match (exact || own_params == 0, type_args.is_empty()) {
            (true, _) => Some(own),
            (false, false) => Some(type_args.into_iter().chain(own.into_iter().skip(own_params)).collect()),
            (false, true) => None,
        };
        let made = self.construct(class, given, None, args, range, range);
        self.with_constraint_of(made, ty)
    }

    pub(crate) fn construct(
        &mut self,
        class: ClassId,
        given: Option<Vec<Ty>>,
        outer: Option<ExprId>,
        args: Vec<ExprId>,
        at: TextRange,
        range: TextRange,
    ) -> ExprId {
        let db = self.db;
        let name = class.name(db).clone();
        let abstract_kind = match class_kind(db, class) {
            Some(ClassKind::Interface) => Some("an interface"),
            _ if class_modifiers(db, class).has(Modifiers::ABSTRACT) => Some("abstract"),
            _ => None,
        };
        if let Some(kind) = abstract_kind {
            self.report_at(at, AbstractInstantiation { class, kind });
            return self.error(range);
        }
        let type_args = given.clone().unwrap_or_default();
        let is_unknown = type_args.iter().any(|ty| ty.mentions_error(self.db));
        let call = Call { args, type_args: Vec::new(), through_super: false, at, range };
        match self.resolve_constructor(class, given, outer, &call) {
            Err(_) if is_unknown => self.error(range),
            Ok(picked) => {
                if outer.is_none() && self.lacks_outer(class, false, at) {
                    return self.error(range);
                }
                self.capture_for(class);
                if let Some(problem) = type_problem(&self.context(), picked.owner, 0) {
                    self.report(crate::diagnostics::Diagnostic { range: at, ..problem.diagnostic });
                }
                let mut call = call;
                let mut stmts = Vec::new();
                self.bind_skolems(&picked, &mut call.args, &mut stmts);
                let args = self.convert_args(&picked, call.args);
                let class_args = picked.class_args.clone();
                let kind = ExprKind::New { outer: None, class, class_args, constructor: picked.method, args };
                let id = self.alloc(kind, picked.result, range);
                self.guarded(id, &picked, stmts)
            }
            Err(reason) => self.call_failed(&name, &reason, None, &call),
        }
    }

    /// `this(...)`, `super(...)`
    pub(crate) fn constructor_call(&mut self, s: &ast::ConstructorCallStmt) -> StmtKind {
        let range = range_of(s);
        let outer = s.outer().map(|outer| self.value(Some(&outer), range, None));
        let args: Vec<ast::Expr> = s.args().collect();
        let args: Vec<ExprId> = args.iter().map(|arg| self.value(Some(arg), range_of(arg), None)).collect();
        let is_super = s.is_super();
        let word = if is_super { "super" } else { "this" };
        if !self.is_constructor || self.scopes.frame_depth() > 0 {
            self.report_at(range, ConstructorCall::OutsideConstructor { word });
            return StmtKind::Error;
        }
        let target = if is_super {
            crate::signature::supertypes::superclass(self.db, self.class)
        } else {
            Some(Ty::this_type(self.db, self.class))
        };
        let Some((class, class_args)) =
            target.and_then(|ty| ty.as_class(self.db).map(|(class, args)| (class, args.to_vec())))
        else {
            // Without a declared superclass `super()` does nothing; an unknown superclass may take any
            // arguments.
            if !args.is_empty() && !self.may_inherit() {
                self.report_at(range, NoMatchingCall::SuperArguments);
                return StmtKind::Error;
            }
            return StmtKind::Empty;
        };
        let outer = outer.map(|outer| match class.outer(self.db) {
            Some(around) => {
                let around = self.as_super(self.ty(outer), around).unwrap_or(Ty::this_type(self.db, around));
                self.convert(outer, around, ConversionSite::Receiver)
            }
            None => outer,
        });
        let call = Call { args, type_args: Vec::new(), through_super: false, at: range, range };
        match self.resolve_constructor(class, Some(class_args), outer, &call) {
            Ok(picked) => {
                if outer.is_none() && is_super && self.lacks_outer(class, true, range) {
                    return StmtKind::Error;
                }
                let args = self.constructor_args(&picked, call.args, range);
                self.assume_postconditions(picked.result);
                if is_super && properties(self.db, self.class).is_empty() {
                    self.check_postconditions(range);
                }
                let class_args = picked.class_args;
                StmtKind::ConstructorCall { is_super, outer, class_args, constructor: picked.method, args }
            }
            Err(reason) => {
                self.call_failed(class.name(self.db).as_str(), &reason, None, &call);
                StmtKind::Error
            }
        }
    }

    /// The arguments of a constructor call, converted; checks of its condition are made before the first of
    /// them.
    fn constructor_args(
        &mut self,
        picked: &CallTarget,
        mut args: Vec<ExprId>,
        range: TextRange,
    ) -> Vec<ExprId> {
        let mut stmts = Vec::new();
        self.bind_skolems(picked, &mut args, &mut stmts);
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
    pub(crate) fn implicit_super(&mut self, range: TextRange) -> Vec<StmtId> {
        let superclass = crate::signature::supertypes::superclass(self.db, self.class);
        let Some((class, class_args)) =
            superclass.and_then(|ty| ty.as_class(self.db).map(|(class, args)| (class, args.to_vec())))
        else {
            return Vec::new();
        };
        let call = Call { args: Vec::new(), type_args: Vec::new(), through_super: false, at: range, range };
        match self.resolve_constructor(class, Some(class_args), None, &call) {
            Ok(picked) => {
                let class_args = picked.class_args;
                let kind = StmtKind::ConstructorCall {
                    is_super: true,
                    outer: None,
                    class_args,
                    constructor: picked.method,
                    args: Vec::new(),
                };
                vec![self.alloc_stmt(kind, range)]
            }
            Err(_) => {
                self.report_at(range, NoMatchingCall::NoDefaultConstructor { class });
                Vec::new()
            }
        }
    }

    /// Puts the implicit `super()` before the code of a constructor that calls none.
    pub(crate) fn insert_implicit_super(&mut self) {
        let Some(root) = self.body.root else { return };
        let first = match &self.body.stmt(root).kind {
            StmtKind::Block(stmts) => stmts.first().copied(),
            _ => Some(root),
        };
        let is_call = |id: StmtId| matches!(self.body.stmt(id).kind, StmtKind::ConstructorCall { .. });
        let explicit =
            first.is_some_and(|id| is_call(id) || matches!(self.body.stmt(id).kind, StmtKind::Error));
        // One further down is an error of its own.
        let misplaced = || (0..self.body.stmts.len()).any(|index| is_call(StmtId(index as u32)));
        if explicit || misplaced() {
            return;
        }
        let range = crate::infer::body::name_range(self.db, self.owner);
        let stmts = self.implicit_super(range);
        self.prepend(stmts);
    }

    /// Puts statements before the code.
    pub(crate) fn prepend(&mut self, mut stmts: Vec<StmtId>) {
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
    pub(crate) fn property_call(&mut self, s: &ast::PropertyCallStmt) -> StmtKind {
        let range = range_of(s);
        let fields = properties(self.db, self.class);
        let args: Vec<ast::Expr> = s.arg_list().into_iter().flat_map(|list| list.exprs()).collect();
        if !self.is_constructor || self.scopes.frame_depth() > 0 {
            self.report_at(range, ConstructorCall::Properties);
            return StmtKind::Error;
        }
        if fields.len() != args.len() {
            let (class, wanted, given) = (self.class, fields.len(), args.len());
            self.report_at(range, NoMatchingCall::Properties { class, wanted, given });
            for arg in &args {
                self.value(Some(arg), range, None);
            }
            return StmtKind::Error;
        }
        let mut values = Vec::new();
        for (arg, &field) in args.iter().zip(&fields) {
            let ty = field_type(self.db, field);
            let value = self.value(Some(arg), range, Some(ty));
            // Facts about the properties hold from here on.
            let path = self.name_value(value);
            let value = self.convert(value, ty, ConversionSite::Assignment);
            if let Some(path) = path {
                let property = crate::ty::Path::this().field(field.name(self.db).clone());
                self.learn(crate::ty::ConstraintTerm::Equal(property, path));
            }
            values.push(value);
        }
        self.check_postconditions(range);
        StmtKind::Property { fields, values }
    }
}
