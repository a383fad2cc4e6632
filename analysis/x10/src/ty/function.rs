//! Dependent function types: `(n:Long){n != 0} => Long{self != n}`. Constraints name a formal by a path with
//! its index. The formals of a function type nested in the result are not affected.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{Constraint, ConstraintTerm, Path, PathRoot, Ty, TyKind};
use crate::db::Db;

/// Offsets of paths from this value on denote the formals of a function type, in order.
const FIRST: u32 = u32::MAX - 0x2000;
/// Maximum number of formals with a path of their own.
const MAX_FORMALS: u32 = 0x1000;

/// The formal `index` of a function type.
pub(crate) fn formal(name: impl Into<SmolStr>, index: usize) -> Path {
    Path::local(name, FIRST + (index as u32).min(MAX_FORMALS - 1))
}

/// The index of the formal at the root of a path, if it is one.
fn index_of(path: &Path) -> Option<usize> {
    match path.root {
        PathRoot::Local { offset, .. } if (FIRST..FIRST + MAX_FORMALS).contains(&offset) => {
            Some((offset - FIRST) as usize)
        }
        _ => None,
    }
}

/// Whether a path starts with a formal of a function type.
pub(crate) fn is_formal(path: &Path) -> bool {
    index_of(path).is_some()
}

/// The names of the formals that the constraints of a function type mention, by index.
pub(crate) fn formal_names(db: &dyn Db, ty: Ty) -> FxHashMap<usize, SmolStr> {
    let mut names = FxHashMap::default();
    own_paths(db, ty, &mut |path| {
        if let (Some(index), PathRoot::Local { name, .. }) = (index_of(path), &path.root) {
            names.insert(index, name.clone());
        }
    });
    names
}

/// Calls `visit` with the paths in the constraints of a function type, without those of nested function
/// types.
fn own_paths(db: &dyn Db, ty: Ty, visit: &mut dyn FnMut(&Path)) {
    let TyKind::Function { params, result, guard } = ty.base(db).kind(db) else { return };
    for part in params.iter().chain([result]) {
        if part.as_function(db).is_none() {
            part.visit_paths(db, visit);
        }
    }
    guard.terms.iter().flat_map(ConstraintTerm::paths).for_each(visit);
}

/// A function type, instantiated for a call.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The types of the formals.
    pub params: Vec<Ty>,
    /// The result type.
    pub result: Ty,
    /// The guard.
    pub guard: Constraint,
}

impl Ty {
    /// A function type with a guard over its formals.
    pub fn guarded_function(db: &dyn Db, params: Vec<Ty>, result: Ty, guard: Constraint) -> Ty {
        Ty::new(db, TyKind::Function { params, result, guard })
    }

    /// The guard of a function type.
    pub fn function_guard(self, db: &dyn Db) -> Option<&Constraint> {
        match self.base(db).kind(db) {
            TyKind::Function { guard, .. } => Some(guard),
            _ => None,
        }
    }

    /// Instantiates a function type with `args` for its formals. Terms about a formal without a path are
    /// dropped, except in the guard, which keeps them unchanged.
    pub fn applied(self, db: &dyn Db, args: &[Option<Path>]) -> Option<Applied> {
        let TyKind::Function { params, result, guard } = self.base(db).kind(db) else { return None };
        let value = |path: &Path| match index_of(path) {
            Some(index) => Some(args.get(index)?.clone()?.with_fields(&path.fields)),
            None => Some(path.clone()),
        };
        let part = |ty: Ty| match ty.as_function(db) {
            Some(_) => ty,
            None => ty.map_terms(db, &mut |term| term.map(value)),
        };
        let term = |term: &ConstraintTerm| term.map(value).unwrap_or_else(|| term.clone());
        Some(Applied {
            params: params.iter().map(|&param| part(param)).collect(),
            result: part(*result),
            guard: Constraint { terms: guard.terms.iter().map(term).collect() },
        })
    }

    /// Replaces `variables`, the formals as the body of a function names them, by the formals of the function
    /// type.
    pub fn over_formals(self, db: &dyn Db, variables: &[Path]) -> Ty {
        let path = |path: &Path| {
            let index = variables.iter().position(|variable| variable.root == path.root);
            match (index, &path.root) {
                (Some(index), PathRoot::Local { name, .. }) => {
                    Some(formal(name.clone(), index).with_fields(&path.fields))
                }
                _ => Some(path.clone()),
            }
        };
        let inner = |path: &Path| match variables.iter().any(|variable| variable.root == path.root) {
            true => None,
            false => Some(path.clone()),
        };
        let part = |ty: Ty| match ty.as_function(db) {
            Some(_) => ty.map_terms(db, &mut |term| term.map(inner)),
            None => ty.map_terms(db, &mut |term| term.map(path)),
        };
        let TyKind::Function { params, result, guard } = self.kind(db) else { return self };
        let guard = Constraint { terms: guard.terms.iter().filter_map(|term| term.map(path)).collect() };
        let params = params.iter().map(|&param| part(param)).collect();
        Ty::guarded_function(db, params, part(*result), guard)
    }
}
