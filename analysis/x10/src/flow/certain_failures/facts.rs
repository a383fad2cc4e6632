//! What the interpreter asks of types and methods again and again: each is derived once for a body
//! (memoization, Michie, Nature 1968).

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::integer_types::{IntegerInterval, Interval};
use crate::db::Db;
use crate::ids::{FileOrigin, MethodId};
use crate::ty::known::{Known, primitive_class};
use crate::ty::{ConstraintTerm, Path, PathRoot, Ty, TyKind};

/// What a type says of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeFacts {
    /// The built-in number type, `Boolean` or `Char`.
    pub(super) primitive: Option<Known>,
    /// Whether it is a `Rail` or a `GlobalRail`.
    pub(super) is_rail: bool,
    pub(super) is_string: bool,
    /// Whether its values are `null`, if its constraint says so.
    pub(super) is_null: Option<bool>,
    pub(super) has_constraint: bool,
}

impl TypeFacts {
    /// All values of an integer type.
    pub(super) fn integers(self) -> Option<Interval> {
        self.primitive.and_then(Interval::of_type)
    }
}

/// What a call needs to know of a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct MethodFacts<'a> {
    /// The name without trailing blanks.
    pub(super) name: &'a str,
    /// The built-in type that it is a method of.
    pub(super) primitive: Option<Known>,
    /// Whether it is `abs`, `min` or `max` of `x10.lang.Math`.
    pub(super) is_math: bool,
    /// Whether its code is one of the program, which may throw.
    pub(super) is_user_code: bool,
}

impl MethodFacts<'_> {
    /// Whether it is a method of an integer type.
    pub(super) fn is_of_integer(self) -> bool {
        self.primitive.is_some_and(Known::is_integer)
    }
}

/// Facts that have been derived so far.
pub(super) struct Facts<'a> {
    db: &'a dyn Db,
    types: RefCell<FxHashMap<Ty, TypeFacts>>,
    methods: RefCell<FxHashMap<MethodId, MethodFacts<'a>>>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(db: &'a dyn Db) -> Facts<'a> {
        Facts { db, types: RefCell::default(), methods: RefCell::default() }
    }

    pub(super) fn of_type(&self, ty: Ty) -> TypeFacts {
        *self.types.borrow_mut().entry(ty).or_insert_with(|| derive_type_facts(self.db, ty))
    }

    pub(super) fn of_method(&self, method: MethodId) -> MethodFacts<'a> {
        *self.methods.borrow_mut().entry(method).or_insert_with(|| derive_method_facts(self.db, method))
    }
}

fn derive_type_facts(db: &dyn Db, ty: Ty) -> TypeFacts {
    let primitive = ty.primitive(db);
    TypeFacts {
        primitive,
        is_rail: primitive.is_none()
            && (ty.rail_element(db).is_some() || ty.global_rail_element(db).is_some()),
        is_string: primitive.is_none() && ty.is_known(db, Known::String),
        is_null: constrained_nullness(db, ty),
        has_constraint: ty.constraint(db).is_some(),
    }
}

fn derive_method_facts(db: &dyn Db, method: MethodId) -> MethodFacts<'_> {
    let (class, name) = (method.class(db), method.name(db).trim_end());
    MethodFacts {
        name,
        primitive: primitive_class(db, class),
        is_math: matches!(name, "abs" | "min" | "max") && Ty::this_type(db, class).is_known(db, Known::Math),
        is_user_code: class.file(db).origin(db) == FileOrigin::User,
    }
}

fn constrained_nullness(db: &dyn Db, ty: Ty) -> Option<bool> {
    if matches!(ty.kind(db), TyKind::Null) {
        return Some(true);
    }
    let is_self = |path: &Path| path.root == PathRoot::SelfValue && path.fields.is_empty();
    let is_null = |path: &Path| matches!(&path.root, PathRoot::Literal(text) if text == "null");
    ty.constraint(db)?.terms.iter().find_map(|term| match term {
        ConstraintTerm::Equal(a, b) if is_self(a) && is_null(b) || is_null(a) && is_self(b) => Some(true),
        ConstraintTerm::NotEqual(a, b) if is_self(a) && is_null(b) || is_null(a) && is_self(b) => Some(false),
        _ => None,
    })
}
