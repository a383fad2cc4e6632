//! Substitution of types for type parameters, and of paths for variables in constraints.

use rustc_hash::FxHashMap;

use super::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty, TyKind};
use crate::db::Db;
use crate::ids::{ClassId, TypeParamId};
use crate::item_tree::nesting::all_type_params;

/// A substitution.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    /// Types for type parameters.
    pub types: FxHashMap<TypeParamId, Ty>,
    /// The path for `this` in constraints; with `None` a term about `this` is dropped, unless `keep_paths`.
    pub this: Option<Path>,
    /// For a constructor call on an object: the class of that object, and its path if it has one.
    pub around: Option<(ClassId, Option<Path>)>,
    /// The paths for the formals of a signature, by index; `None` for an argument that is not a stable path.
    pub formals: Vec<Option<Path>>,
    /// Whether paths stay as they are, and only types are substituted.
    pub keep_paths: bool,
}

impl Substitution {
    /// Substitutes types only.
    pub fn types(params: &[TypeParamId], args: &[Ty]) -> Substitution {
        let types = params.iter().copied().zip(args.iter().copied()).collect();
        Substitution { types, keep_paths: true, ..Substitution::default() }
    }

    /// Substitutes `args` for the type parameters of `class`.
    pub fn class(db: &dyn Db, class: ClassId, args: &[Ty]) -> Substitution {
        Substitution::types(all_type_params(db, class), args)
    }

    /// Adds types for type parameters.
    pub fn with_types(mut self, params: &[TypeParamId], args: &[Ty]) -> Substitution {
        self.types.extend(params.iter().copied().zip(args.iter().copied()));
        self
    }

    /// Adds paths for `this` and the formals. Terms about a value without a stable path are dropped.
    pub fn with_paths(mut self, this: Option<Path>, formals: Vec<Option<Path>>) -> Substitution {
        self.this = this;
        self.formals = formals;
        self.keep_paths = false;
        self
    }

    /// Whether the substitution changes nothing.
    fn is_identity(&self) -> bool {
        self.types.is_empty() && self.keep_paths
    }

    /// Applies the substitution to a type.
    pub fn apply(&self, db: &dyn Db, ty: Ty) -> Ty {
        if self.is_identity() {
            return ty;
        }
        match ty.kind(db) {
            TyKind::Class { args, .. } if args.is_empty() => ty,
            TyKind::Class { class, args } => Ty::class(db, *class, self.apply_all(db, args)),
            TyKind::Function { params, result, guard } => {
                let guard = self.constraint(guard);
                Ty::guarded_function(db, self.apply_all(db, params), self.apply(db, *result), guard)
            }
            TyKind::Param(param) => self.types.get(param).copied().unwrap_or(ty),
            TyKind::Constrained { base, constraint } => {
                self.apply(db, *base).constrained(db, self.constraint(constraint))
            }
            TyKind::Null | TyKind::Void | TyKind::Error => ty,
        }
    }

    /// Applies the substitution to several types.
    pub fn apply_all(&self, db: &dyn Db, types: &[Ty]) -> Vec<Ty> {
        types.iter().map(|ty| self.apply(db, *ty)).collect()
    }

    /// Applies the substitution to a constraint. Terms about a value without a path are dropped, since they
    /// cannot be expressed any more.
    pub fn constraint(&self, constraint: &Constraint) -> Constraint {
        if self.keep_paths {
            return constraint.clone();
        }
        Constraint { terms: constraint.terms.iter().filter_map(|t| self.term(t)).collect() }
    }

    /// Applies the substitution to a term; `None` if the result cannot be expressed.
    pub fn term(&self, term: &ConstraintTerm) -> Option<ConstraintTerm> {
        if self.keep_paths {
            return Some(term.clone());
        }
        term.map(|path| self.path(path))
    }

    /// Applies the substitution to a path; `None` if the result cannot be expressed.
    pub fn path(&self, path: &Path) -> Option<Path> {
        let root = match &path.root {
            PathRoot::This => self.this.clone()?,
            PathRoot::Static { name, what: Named::Around(class) } => match (&self.around, &self.this) {
                (Some((around, object)), _) if around == class => object.clone()?,
                (Some((_, object)), _) => object.clone()?.field(name.clone()),
                // The object around another one.
                (None, Some(object)) if !object.is_this_or_around() => object.clone().field(name.clone()),
                _ => return Some(path.clone()),
            },
            PathRoot::Local { offset, .. } if (*offset as usize) < self.formals.len() => {
                self.formals[*offset as usize].clone()?
            }
            _ => return Some(path.clone()),
        };
        let mut fields = root.fields;
        fields.extend(path.fields.iter().cloned());
        Some(Path { root: root.root, fields })
    }
}

/// A constraint over `self` as facts about `value`: replaces `self`.
pub(crate) fn facts_about(constraint: &Constraint, value: &Path) -> Vec<ConstraintTerm> {
    constraint.terms.iter().map(|term| term.at_root(&PathRoot::SelfValue, value)).collect()
}
