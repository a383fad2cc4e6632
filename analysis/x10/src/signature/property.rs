//! The meaning of classes and their members in constraints: the definitions of property methods, the facts
//! about all objects of a class, and the result types of constructors.

use apg_syntax::SyntaxNode;
use apg_syntax::ast::{self, AstNode, HasBody};

use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{field_item, method_item, properties};
use crate::item_tree::lower::types::TypeLowering;
use crate::item_tree::source::{Item, item_source};
use crate::item_tree::{MethodKind, PathRef, PathRefRoot, TermRef};
use crate::scope::type_scope::TypeScope;
use crate::signature::supertypes::all_supertypes;
use crate::signature::{class_header, formal_values, method_signature};
use crate::ty::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty};

/// The definition of a property method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// The property method is an alias of this path.
    Path(Path),
    /// The property method is the conjunction of these terms.
    Condition(Vec<ConstraintTerm>),
}

/// The definition of a property method, over `this` and its formals; `None` if its body is not expressible as
/// a term of a constraint.
#[salsa::tracked(cycle_result = no_definition)]
pub fn definition(db: &dyn Db, method: MethodId) -> Option<Definition> {
    let item = method_item(db, method).filter(|item| item.kind == MethodKind::Property && item.has_body)?;
    let node = item_source(db, Item::Method(method)).as_ref()?.syntax();
    let value = delivered(&HasBody::body(&ast::MethodDecl::cast(node)?)?)?;
    let mut lowering = TypeLowering::default();
    let values = |name: &str| formal_values(&item.params, name);
    let scope = TypeScope::method(db, method).with_values(&values);
    let mut problems = Vec::new();
    let terms = lowering.constraint(std::iter::once(value)).terms;
    if let [TermRef::Holds(path)] = terms.as_slice() {
        let path = scope.value_path(path, None, &mut problems)?;
        return problems.is_empty().then_some(Definition::Path(path));
    }
    let guard = scope.guard(&crate::item_tree::ConstraintRef { terms }, None, &mut problems);
    let opaque = guard.constraint.terms.iter().any(|term| matches!(term, ConstraintTerm::Opaque(_)));
    (problems.is_empty() && !guard.speaks_of_types() && !opaque)
        .then_some(Definition::Condition(guard.constraint.terms))
}

fn no_definition(_db: &dyn Db, _id: salsa::Id, _method: MethodId) -> Option<Definition> {
    None
}

/// The result of a body that consists of one expression or one `return`.
fn delivered(body: &ast::Body) -> Option<ast::Expr> {
    match body {
        ast::Body::ExprBody(body) => body.expr(),
        ast::Body::Block(block) => {
            let mut stmts = block.stmts();
            match (stmts.next(), stmts.next(), block.tail()) {
                (Some(ast::Stmt::ReturnStmt(only)), None, None) => only.expr(),
                (None, None, tail) => tail,
                _ => None,
            }
        }
        ast::Body::CallBody(_) => None,
    }
}

/// The facts about every object of a class, over `this`: its guard, and the guards and constraints of its
/// supertypes.
#[salsa::tracked(cycle_result = no_facts)]
pub fn class_facts(db: &dyn Db, class: ClassId) -> Vec<ConstraintTerm> {
    let mut facts: Vec<ConstraintTerm> = Vec::new();
    for supertype in all_supertypes(db, class) {
        let Some((class, _)) = supertype.as_class(db) else { continue };
        let header = class_header(db, class);
        let of_supers = header.supers.iter().filter_map(|ty| ty.constraint(db)).flat_map(|c| &c.terms);
        let of_supers = of_supers.map(|term| term.at_root(&PathRoot::SelfValue, &Path::this()));
        for term in header.guard.constraint.terms.iter().cloned().chain(of_supers) {
            if !facts.contains(&term) {
                facts.push(term);
            }
        }
    }
    facts
}

fn no_facts(_db: &dyn Db, _id: salsa::Id, _class: ClassId) -> Vec<ConstraintTerm> {
    Vec::new()
}

/// The result type of a constructor that declares none: its class, constrained by the values that its only
/// `property(...)` sets.
#[salsa::tracked(cycle_result = made_only)]
pub fn constructed(db: &dyn Db, method: MethodId) -> Ty {
    let class = method.class(db);
    let ty = Ty::this_type(db, class);
    let Some(item) = method_item(db, method) else { return ty };
    let fields = properties(db, class);
    let source = item_source(db, Item::Method(method)).as_ref().map(|source| source.syntax());
    let Some(call) = source.filter(|_| !fields.is_empty()).and_then(|node| property_call(&node)) else {
        return ty;
    };
    let mut lowering = TypeLowering::default();
    let values = |name: &str| formal_values(&item.params, name);
    let scope = TypeScope::method(db, method).with_values(&values);
    let args: Vec<ast::Expr> = call.arg_list().into_iter().flat_map(|list| list.exprs()).collect();
    let alike = set_alike(db, &fields, &args);
    let terms = fields.iter().zip(args).filter_map(|(field, arg)| {
        let written = through_locals(lowering.path(&arg), &call, &mut lowering)?;
        let path = scope.value_path(&written, None, &mut Vec::new())?;
        // A field of a formal may change later, unless it is a property.
        let known = matches!(path.root, PathRoot::Local { .. } | PathRoot::Literal(_) | PathRoot::Here);
        let of_formal = || match &path.root {
            PathRoot::Local { offset, .. } => {
                let written = item.params.get(*offset as usize).and_then(|param| param.ty.as_ref());
                written.is_some_and(|ty| is_property(db, scope.resolve(ty, &mut Vec::new()), &path.fields))
            }
            _ => false,
        };
        let stable = known && (path.is_root() || of_formal());
        let mutable = match &path.root {
            PathRoot::Local { offset, .. } => item.params.get(*offset as usize).is_some_and(|p| p.mutable),
            _ => false,
        };
        let property = Path::self_value().field(field.name(db).clone());
        (stable && !mutable).then_some(ConstraintTerm::Equal(property, path))
    });
    let mut terms: Vec<ConstraintTerm> = terms.collect();
    terms.extend(alike);
    ty.constrained(db, Constraint { terms })
}

fn made_only(db: &dyn Db, _id: salsa::Id, method: MethodId) -> Ty {
    Ty::this_type(db, method.class(db))
}

/// Replaces a `val` of the constructor at the root of a path by its initialiser, repeatedly; `None` at a
/// `var`.
fn through_locals(
    mut path: PathRef,
    call: &ast::PropertyCallStmt,
    lowering: &mut TypeLowering,
) -> Option<PathRef> {
    // In a valid program each initialiser names only locals declared earlier. The bound stops at cycles.
    for _ in 0..8 {
        let PathRefRoot::Name(name) = &path.root else { return Some(path) };
        let Some((decl, local)) = declared_before(call, name) else { return Some(path) };
        // A declared type may convert the value of the initialiser.
        if decl.var_token().is_some() || local.ty().is_some() {
            return None;
        }
        let mut value = lowering.path(&local.initializer()?);
        value.fields.append(&mut path.fields);
        path = value;
    }
    None
}

/// The declaration of the local `name` that is in scope at a statement.
fn declared_before(stmt: &ast::PropertyCallStmt, name: &str) -> Option<(ast::LocalDecl, ast::Declarator)> {
    let siblings = |node: SyntaxNode| std::iter::successors(node.prev_sibling(), SyntaxNode::prev_sibling);
    let before = stmt.syntax().ancestors().flat_map(siblings).filter_map(ast::LocalDecl::cast);
    before.into_iter().find_map(|decl| {
        let found = decl.declarators().find(|it| ast::HasName::name_text(it).as_deref() == Some(name))?;
        Some((decl, found))
    })
}

/// The equalities between properties that are set to the same name, whatever the name denotes. Only if all
/// arguments are names and literals, whose evaluation has no side effects.
fn set_alike(db: &dyn Db, fields: &[FieldId], args: &[ast::Expr]) -> Vec<ConstraintTerm> {
    let plain = |arg: &ast::Expr| matches!(arg, ast::Expr::NameExpr(_) | ast::Expr::Literal(_));
    if !args.iter().all(plain) {
        return Vec::new();
    }
    let name = |arg: &ast::Expr| match arg {
        ast::Expr::NameExpr(name) => name.name_ref().map(|it| it.text()),
        _ => None,
    };
    let property = |field: &FieldId| Path::self_value().field(field.name(db).clone());
    let named: Vec<_> =
        fields.iter().zip(args).filter_map(|(field, arg)| Some((field, name(arg)?))).collect();
    let with_earlier = |(index, (field, name)): (usize, &(&FieldId, _))| {
        let (first, _) = named[..index].iter().find(|(_, other)| other == name)?;
        Some(ConstraintTerm::Equal(property(first), property(field)))
    };
    named.iter().enumerate().filter_map(with_earlier).collect()
}

/// Whether `fields` is a single property of a value of type `ty`: a property never changes.
fn is_property(db: &dyn Db, ty: Ty, fields: &[smol_str::SmolStr]) -> bool {
    let [name] = fields else { return false };
    let found = crate::relate::Context::global(db).find_field(ty, name);
    found.is_some_and(|(field, _)| field_item(db, field).is_some_and(|item| item.is_property))
}

/// The `property(...)` in the code of a constructor, if there is exactly one.
fn property_call(node: &SyntaxNode) -> Option<ast::PropertyCallStmt> {
    let mut calls = node.descendants().filter_map(ast::PropertyCallStmt::cast);
    let first = calls.next()?;
    calls.next().is_none().then_some(first)
}

/// The roots of the paths in the constraints of a signature: formals, by index, and `this`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Mentioned {
    /// The mentioned formals, by index, in ascending order.
    pub formals: Vec<u32>,
    /// Whether `this` is mentioned.
    pub this: bool,
}

/// The formals and the `this` mentioned in the constraints of a signature.
#[salsa::tracked]
pub fn mentioned(db: &dyn Db, method: MethodId) -> Mentioned {
    let signature = method_signature(db, method);
    let mut mentioned = Mentioned::default();
    let mut visit = |path: &Path| match &path.root {
        PathRoot::This | PathRoot::Static { what: Named::Around(_), .. } => mentioned.this = true,
        PathRoot::Local { offset, .. } if (*offset as usize) < signature.params.len() => {
            mentioned.formals.push(*offset);
        }
        _ => {}
    };
    let types = signature.params.iter().map(|param| param.ty).chain(signature.result);
    types.for_each(|ty| ty.visit_paths(db, &mut visit));
    signature.guard.constraint.terms.iter().flat_map(ConstraintTerm::paths).for_each(visit);
    if super::inferred::infers_guard(db, method) {
        // The guard is not inferred yet: assume that it mentions everything.
        mentioned.formals = (0..signature.params.len() as u32).collect();
        mentioned.this = true;
    }
    mentioned.formals.sort_unstable();
    mentioned.formals.dedup();
    mentioned
}

/// The guard of the automatic constructor: the guard of the class, over the formals that set the properties.
pub(crate) fn automatic_guard(db: &dyn Db, class: ClassId) -> Constraint {
    let fields = properties(db, class);
    let formal = |path: &Path| {
        let (PathRoot::This, Some((first, rest))) = (&path.root, path.fields.split_first()) else {
            return (path.root != PathRoot::This).then(|| path.clone());
        };
        let index = fields.iter().position(|field| field.name(db) == first)?;
        Some(Path::local(first.clone(), index as u32).with_fields(rest))
    };
    let terms = class_header(db, class).guard.constraint.terms.iter();
    Constraint { terms: terms.filter_map(|term| term.map(formal)).collect() }
}
