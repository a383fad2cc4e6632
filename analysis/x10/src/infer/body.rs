//! Entry of type inference: types the formals, the code and the result of one method, constructor or field
//! initialiser.

use apg_syntax::ast::{self, AstNode, HasBody, HasFormals};
use apg_syntax::{SyntaxNode, TextRange};

use crate::body::Owner;
use crate::body::local_class_env::{LocalClassEnv, SuperCall};
use crate::body::{Body, ExprId, LocalId, LocalKind, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::{ClassId, FieldId};
use crate::infer::BodyResult;
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::local_class_env::{self};
use crate::infer::scopes::Returns;
use crate::item_tree::items::{field_is_mutable, field_is_static, method_is_static, method_item};
use crate::item_tree::source::{Item, item_source};
use crate::item_tree::{ClassPlace, MethodKind, Modifiers, RESTORER};
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::misplaced_annotation::MisplacedAnnotation;
use crate::rules::r#type::missing_type::MissingType;
use crate::signature::{field_signature, method_signature};
use crate::ty::subst::Substitution;
use crate::ty::{Constraint, ConstraintTerm, Path, PathRoot, Ty};

/// The typed code of `owner`.
pub(crate) fn infer(db: &dyn Db, owner: Owner) -> BodyResult {
    let node = item_source(db, owner.into()).as_ref().map(|source| source.syntax());
    match (owner, node) {
        (Owner::Method(method), Some(node)) => {
            let item = method_item(db, method);
            // `operator + (that:T)`: the missing word `static` or `this` is a syntax error.
            let is_static = method_is_static(db, method)
                && !item.is_some_and(|item| item.modifiers.has(Modifiers::LACKS_STATIC));
            let kind = item.map(|item| item.kind);
            let is_constructor = kind.is_some_and(MethodKind::is_constructor);
            let mut infer = Infer::new(db, owner, is_static, is_constructor);
            infer.method(method, &node)
        }
        (Owner::Field(field), Some(node)) => {
            let mut infer = Infer::new(db, owner, field_is_static(db, field), false);
            infer.initializer(field, &node)
        }
        (Owner::Method(method), None) => {
            let mut infer = Infer::new(db, owner, false, true);
            infer.automatic_constructor(method)
        }
        (Owner::Field(_), None) => BodyResult {
            body: Body::default(),
            problems: Vec::new(),
            result: Ty::error(db),
            required: Constraint::default(),
        },
    }
}

/// The environment of `class`, a local or anonymous class in the code of `owner`.
pub(crate) fn local_class_env(db: &dyn Db, owner: Owner, class: ClassId) -> Option<LocalClassEnv> {
    let node = item_source(db, owner.into()).as_ref().map(|source| source.syntax())?;
    let (is_static, is_constructor) = match owner {
        Owner::Method(method) => {
            let kind = method_item(db, method).map(|item| item.kind);
            (method_is_static(db, method), kind.is_some_and(MethodKind::is_constructor))
        }
        Owner::Field(field) => (field_is_static(db, field), false),
    };
    let mut infer = Infer::new(db, owner, is_static, is_constructor);
    infer.environment_of = Some(class);
    match owner {
        Owner::Method(method) => infer.method(method, &node),
        Owner::Field(field) => infer.initializer(field, &node),
    };
    infer.environment
}

/// The formals and the code of a method-like declaration.
fn parts(node: &SyntaxNode) -> (Vec<ast::Formal>, Option<ast::Body>) {
    if let Some(method) = ast::MethodDecl::cast(node.clone()) {
        return (method.formals().collect(), HasBody::body(&method));
    }
    if let Some(constructor) = ast::ConstructorDecl::cast(node.clone()) {
        return (constructor.formals().collect(), HasBody::body(&constructor));
    }
    if let Some(operator) = ast::OperatorDecl::cast(node.clone()) {
        return (operator.formals().collect(), HasBody::body(&operator));
    }
    (Vec::new(), None)
}

/// Whether the code is a block in which no `return` has a value, closures and `at` expressions aside.
pub(crate) fn returns_nothing(db: &dyn Db, method: crate::ids::MethodId) -> bool {
    let Some(node) = item_source(db, Item::Method(method)).as_ref().map(|source| source.syntax()) else {
        return false;
    };
    let (_, Some(ast::Body::Block(block))) = parts(&node) else { return false };
    let mut pending = vec![block.syntax().clone()];
    while let Some(node) = pending.pop() {
        if ast::ReturnStmt::cast(node.clone()).is_some_and(|it| it.expr().is_some()) {
            return false;
        }
        let inner = ast::ClosureExpr::can_cast(node.kind())
            || ast::AtExpr::can_cast(node.kind())
            || ast::TrailingClosureStmt::can_cast(node.kind())
            || ast::ClassBody::can_cast(node.kind());
        if !inner {
            pending.extend(node.children());
        }
    }
    block.tail().is_none()
}

/// The range of an owner's name, relative to its declaration.
pub(crate) fn name_range(db: &dyn Db, owner: Owner) -> TextRange {
    let Some(node) = item_source(db, owner.into()).as_ref().map(|source| source.syntax()) else {
        return TextRange::default();
    };
    let name = ast::MethodDecl::cast(node.clone())
        .and_then(|m| m.name().map(|n| range_of(&n)))
        .or_else(|| ast::Declarator::cast(node.clone()).and_then(|d| d.name().map(|n| range_of(&n))))
        .or_else(|| {
            ast::OperatorDecl::cast(node.clone()).and_then(|o| o.name_token().map(|t| t.text_range()))
        })
        .or_else(|| {
            ast::ConstructorDecl::cast(node.clone()).and_then(|c| c.this_token().map(|t| t.text_range()))
        });
    name.unwrap_or_else(|| TextRange::empty(node.text_range().start()))
}

impl Infer<'_> {
    fn method(&mut self, method: crate::ids::MethodId, node: &SyntaxNode) -> BodyResult {
        let db = self.db;
        if let Some(annotation) = ast::Annotation::cast(node.clone()) {
            return self.restorer(method, &annotation);
        }
        let (formals, code) = parts(node);
        self.scopes.enter();
        self.formals(method, &formals);
        let signature = method_signature(db, method);
        let declared = match self.is_constructor {
            true => Some(Ty::void(db)),
            false => signature.result.map(|ty| self.seen_inside(ty)),
        };
        let Some(code) = code else {
            let result = declared.unwrap_or_else(|| Ty::void(db));
            return self.finish(result);
        };
        self.note_guard(method);
        let bound = node.children().find_map(ast::ResultType::cast).filter(|r| r.is_bound());
        let (mut root, result) = self.body_code(&code, declared, bound.is_some());
        if let (Some(bound), Some(declared)) = (bound, declared) {
            self.check_result_bound(&bound, result, declared);
        }
        if method_item(db, method).is_some_and(|item| item.modifiers.has(Modifiers::ATOMIC)) {
            root = self.alloc_stmt(StmtKind::Atomic(root), self.body.stmt(root).range);
        }
        self.body.root = Some(root);
        self.scopes.leave();
        self.finish(result)
    }

    /// `def m() <: T`: checks that the result is a subtype of `T`.
    fn check_result_bound(&mut self, written: &ast::ResultType, result: Ty, bound: Ty) {
        let db = self.db;
        if self.is_constructor || result.mentions_error(db) || bound.mentions_error(db) || result.is_void(db)
        {
            return;
        }
        if self.context().convert(result, bound, None).is_none() {
            self.report_at(range_of(written), Mismatch::ResultNotSubtype { found: result, bound });
        }
    }

    /// The formals as locals, with the types of the signature.
    fn formals(&mut self, method: crate::ids::MethodId, formals: &[ast::Formal]) {
        let db = self.db;
        let signature = method_signature(db, method);
        for (index, param) in signature.params.iter().enumerate() {
            let formal = formals.get(index);
            let name = formal.and_then(|f| f.name());
            let at = name.as_ref().map(range_of).or(formal.map(range_of)).unwrap_or_default();
            // `def f(x)`: the type `x` is unknown, said elsewhere; the code means a variable.
            let meant = formal.filter(|_| param.ty.is_error(db)).and_then(|it| self.untyped_formal(it));
            let name = meant.unwrap_or_else(|| param.name.clone());
            let local = self.add_local(name, param.ty, param.mutable, LocalKind::Param, at);
            self.body.params.push(local);
        }
        // Constraints name formals by index in the signature, by position in the body.
        for index in 0..self.body.params.len() {
            let local = self.body.params[index];
            let ty = self.seen_inside(self.body.local(local).ty);
            self.body.locals[local.0 as usize].ty = ty;
            if index == signature.written_params().len() {
                self.collector = signature.offers.map(|ty| (local, self.seen_inside(ty)));
                continue;
            }
            self.declare(local);
            self.note_local(local);
            if let Some(pattern) = formals.get(index).and_then(|f| f.point_pattern()) {
                let mutable = self.body.local(local).mutable;
                let mut prologue = std::mem::take(&mut self.prologue);
                self.pattern(local, &pattern, mutable, range_of(&pattern), &mut prologue);
                self.prologue = prologue;
            }
        }
    }

    /// The paths of the formals as the body names them.
    fn formal_paths(&self) -> Vec<Option<Path>> {
        let path = |local: &LocalId| {
            let local = self.body.local(*local);
            (!local.mutable).then(|| Path::local(local.name.clone(), local.range.start().into()))
        };
        self.body.params.iter().map(path).collect()
    }

    /// A type of the signature, as the body sees it.
    pub(crate) fn seen_inside(&self, ty: Ty) -> Ty {
        let inside = Substitution::types(&[], &[]).with_paths(Some(Path::this()), self.formal_paths());
        self.at_this_place(inside.apply(self.db, ty))
    }

    fn note_guard(&mut self, method: crate::ids::MethodId) {
        let substitution = Substitution::types(&[], &[]).with_paths(Some(Path::this()), self.formal_paths());
        let guard = &method_signature(self.db, method).guard.constraint;
        let terms = substitution.constraint(guard).terms;
        for term in &terms {
            let term = self.term_here(term);
            self.learn(term);
        }
    }

    /// The code of a method, and its result type.
    fn body_code(&mut self, code: &ast::Body, declared: Option<Ty>, bound: bool) -> (StmtId, Ty) {
        let range = range_of(code);
        match code {
            ast::Body::Block(block) => {
                let declared = declared.filter(|_| !bound);
                self.code(Some(ast::ClosureBody::Block(block.clone())), declared, None, range)
            }
            ast::Body::ExprBody(body) => {
                let declared = declared.filter(|_| !bound);
                match body.expr() {
                    Some(e) => self.code(Some(ast::ClosureBody::Expr(e)), declared, None, range),
                    None => self.code(None, declared, None, range),
                }
            }
            ast::Body::CallBody(body) => {
                let void = Ty::void(self.db);
                self.scopes.returns.push(Returns { result: Some(void), declared: true, depth: 0 });
                let root = self.stmt(body.stmt().as_ref(), range);
                self.scopes.returns.pop();
                (root, void)
            }
        }
    }

    fn initializer(&mut self, field: FieldId, node: &SyntaxNode) -> BodyResult {
        let db = self.db;
        let declarator = ast::Declarator::cast(node.clone());
        let init = declarator.as_ref().and_then(|d| d.initializer());
        let Some(init) = init else {
            return BodyResult {
                body: Body::default(),
                problems: Vec::new(),
                result: Ty::error(db),
                required: Constraint::default(),
            };
        };
        self.scopes.enter();
        let range = range_of(&init);
        let bound = declarator.is_some_and(|d| d.is_bound());
        let declared = field_signature(db, field).ty.filter(|_| !bound);
        let value = self.value(Some(&init), range, declared);
        if bound && let Some(ty) = field_signature(db, field).ty {
            if field_is_mutable(db, field) {
                self.report_at(range, MissingType::BoundOfVar);
            }
            self.check_bound(value, ty);
        }
        let mutable = field_is_mutable(db, field);
        let result = declared.unwrap_or_else(|| match self.ty(value) {
            ty if ty.is_null(db) => Ty::any(db),
            ty if mutable => ty.base(db),
            ty => ty,
        });
        let reported = self.problems.len();
        let value = self.convert(value, result, ConversionSite::Initialiser);
        if ast::Declarator::cast(node.clone()).is_some_and(|it| it.is_foreign()) {
            self.problems.truncate(reported);
        }
        self.body.root = Some(self.alloc_stmt(StmtKind::Return(Some(value)), range));
        self.scopes.leave();
        self.finish(result)
    }

    /// The argument of `@TransientInitExpr`: a value for the field.
    fn restorer(&mut self, method: crate::ids::MethodId, annotation: &ast::Annotation) -> BodyResult {
        let db = self.db;
        let range = range_of(annotation);
        let name = method.name(db).strip_prefix(RESTORER).unwrap_or_default();
        let ty = crate::item_tree::items::own_field(db, self.class, name);
        let ty = ty.map_or_else(|| Ty::any(db), |field| crate::signature::field_type(db, field));
        let args: Vec<ast::Expr> = annotation.arg_list().into_iter().flat_map(|list| list.exprs()).collect();
        let result = self.seen_inside(ty);
        self.scopes.enter();
        let value = self.value(args.first(), range, Some(result));
        if args.len() > 1 {
            self.report_at(range, MisplacedAnnotation::TransientInitArguments);
        }
        let value = self.convert(value, result, ConversionSite::Initialiser);
        self.body.root = Some(self.alloc_stmt(StmtKind::Return(Some(value)), range));
        self.scopes.leave();
        self.finish(result)
    }

    /// The implicit constructor of a class without one: `def this(p:T, ...) { property(p, ...); }`.
    fn automatic_constructor(&mut self, method: crate::ids::MethodId) -> BodyResult {
        let db = self.db;
        let range = TextRange::default();
        self.formals(method, &[]);
        let properties = crate::item_tree::items::properties(db, self.class);
        let params = self.body.params.clone();
        let around = self.local_class_superclass();
        let mut stmts = match &around {
            Some(call) => vec![self.pass_on(call, &params, range)],
            None => self.implicit_super(range),
        };
        let params = if around.is_some() { Vec::new() } else { params };
        let values = params.into_iter().map(|local| self.read(local, range)).collect();
        if !properties.is_empty() {
            stmts.push(self.alloc_stmt(StmtKind::Property { fields: properties, values }, range));
        }
        self.body.root = Some(self.alloc_stmt(StmtKind::Block(stmts), range));
        if crate::item_tree::items::class_place(db, self.class) == ClassPlace::Anonymous {
            self.problems.clear(); // `new` complains about the arguments that its superclass needs
        }
        self.finish(Ty::void(db))
    }

    /// The constructor of its superclass that an anonymous class is made with.
    fn local_class_superclass(&self) -> Option<SuperCall> {
        let anonymous = crate::item_tree::items::class_place(self.db, self.class) == ClassPlace::Anonymous;
        local_class_env::local_class_env(self.db, self.class).superclass.clone().filter(|_| anonymous)
    }

    /// `super(a, b)`: the arguments of `new` for the superclass of an anonymous class.
    fn pass_on(&mut self, call: &SuperCall, params: &[LocalId], range: TextRange) -> StmtId {
        let mut args: Vec<ExprId> = params.iter().map(|local| self.read(*local, range)).collect();
        let outer = call.outer.is_some().then(|| args.remove(0));
        let kind = StmtKind::ConstructorCall {
            is_super: true,
            outer,
            class_args: call.class_args.clone(),
            constructor: call.constructor,
            args,
        };
        self.alloc_stmt(kind, range)
    }

    fn finish(&mut self, result: Ty) -> BodyResult {
        if self.environment_of.is_some() {
            return BodyResult {
                body: Body::default(),
                problems: Vec::new(),
                result,
                required: Constraint::default(),
            };
        }
        let mut problems = std::mem::take(&mut self.problems);
        let mut body = std::mem::take(&mut self.body);
        if self.is_constructor {
            self.body = body;
            self.insert_implicit_super();
            body = std::mem::take(&mut self.body);
            problems.append(&mut self.problems);
        }
        self.body = body;
        let prologue = std::mem::take(&mut self.prologue);
        self.prepend(prologue);
        body = std::mem::take(&mut self.body);
        problems.sort_by_key(|it| (it.range.start(), it.range.end()));
        self.body = body;
        let result = self.seen_outside(result);
        let required = std::mem::take(&mut self.required);
        let outside = |term: &ConstraintTerm| term.map(|path| self.path_outside(path));
        let required = Constraint { terms: required.iter().filter_map(outside).collect() };
        let mut body = std::mem::take(&mut self.body);
        body.shrink();
        problems.shrink_to_fit();
        BodyResult { body, problems, result, required }
    }

    /// A type inferred in the body, as callers see it: formals named by index, without terms about other
    /// locals.
    fn seen_outside(&self, ty: Ty) -> Ty {
        ty.map_terms(self.db, &mut |term| term.map(|path| self.path_outside(path)))
    }

    fn path_outside(&self, path: &Path) -> Option<Path> {
        let PathRoot::Local { name, offset } = &path.root else { return Some(path.clone()) };
        if crate::ty::function::is_formal(path) {
            return Some(path.clone());
        }
        let root = if path.root == crate::place::here_of_body().root {
            PathRoot::Here
        } else {
            let index = self.body.params.iter().position(|&local| {
                let local = self.body.local(local);
                local.name == *name && u32::from(local.range.start()) == *offset
            })?;
            PathRoot::Local { name: name.clone(), offset: index as u32 }
        };
        Some(Path { root, fields: path.fields.clone() })
    }
}
