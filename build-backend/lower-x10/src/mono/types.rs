//! Concrete types: substitution of type parameters, erasure of constraints, and machine types.

use std::rc::Rc;

use apg_analysis::program::items::ClassKind;
use apg_analysis::program::items::{ClassId, TypeParamId};
use apg_analysis::program::items::{class_kind, qualified_name};
use apg_analysis::program::ty::Context;
use apg_analysis::program::ty::Known;
use apg_analysis::program::ty::TypeTest;
use apg_analysis::program::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::Lowerer;
use apg_mir as mir;

/// Nesting of type arguments above which a program is reported as unbounded.
const MAX_TYPE_DEPTH: u32 = 24;

/// The values of the type parameters in force.
#[derive(Clone, Debug, Default)]
pub(crate) struct Substitution {
    types: Rc<FxHashMap<TypeParamId, Ty>>,
}

impl Substitution {
    pub(crate) fn new(pairs: impl IntoIterator<Item = (TypeParamId, Ty)>) -> Substitution {
        Substitution { types: Rc::new(pairs.into_iter().collect()) }
    }

    /// Also these.
    pub(crate) fn with(&self, pairs: impl IntoIterator<Item = (TypeParamId, Ty)>) -> Substitution {
        let mut types = (*self.types).clone();
        types.extend(pairs);
        Substitution { types: Rc::new(types) }
    }
}

/// The representation of a concrete type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// By value: a primitive or a struct.
    Value,
    /// A reference to an object of a class.
    Class,
    /// A reference to an object of any class: interfaces and function types.
    Any,
    /// No value.
    Void,
}

impl<'db> Lowerer<'db> {
    /// `ty` with its type parameters replaced and without constraints.
    pub(crate) fn concrete(&mut self, ty: Ty, substitution: &Substitution) -> Ty {
        let db = self.db;
        match ty.kind(db) {
            TyKind::Class { class, args } => {
                let args = self.concrete_all(args, substitution);
                Ty::class(db, *class, args)
            }
            TyKind::Function { params, result, .. } => {
                let params = self.concrete_all(params, substitution);
                let result = self.concrete(*result, substitution);
                Ty::function(db, params, result)
            }
            TyKind::Param(param) => substitution.types.get(param).copied().unwrap_or(ty),
            TyKind::Constrained { base, .. } => self.concrete(*base, substitution),
            TyKind::Null | TyKind::Void | TyKind::Error => ty,
        }
    }

    pub(crate) fn concrete_all(&mut self, types: &[Ty], substitution: &Substitution) -> Vec<Ty> {
        types.iter().map(|it| self.concrete(*it, substitution)).collect()
    }

    /// Whether a condition on types holds for the current substitution.
    pub(crate) fn type_test(&self, test: &TypeTest, substitution: &Substitution) -> bool {
        let types = substitution.types.iter().map(|(param, ty)| (*param, *ty)).collect();
        let types = apg_analysis::program::ty::Substitution { types, keep_paths: true, ..Default::default() };
        Context::global(self.db).holds(&test.instance(self.db, &types))
    }

    /// The values of the type parameters inside the class instance `owner`.
    pub(crate) fn class_substitution(&mut self, owner: Ty) -> Substitution {
        let db = self.db;
        let Some((class, args)) = owner.as_class(db) else { return Substitution::default() };
        let params = apg_analysis::program::items::all_type_params(db, class).iter().copied();
        Substitution::new(params.zip(args.iter().copied()))
    }

    /// The representation of a type.
    pub(crate) fn shape(&self, ty: Ty) -> Shape {
        match ty.kind(self.db) {
            TyKind::Class { class, .. } => match class_kind(self.db, *class) {
                Some(ClassKind::Struct) => Shape::Value,
                Some(ClassKind::Interface) => Shape::Any,
                _ => Shape::Class,
            },
            TyKind::Void => Shape::Void,
            _ => Shape::Any,
        }
    }

    /// The machine type of a concrete type.
    pub(crate) fn machine(&mut self, ty: Ty) -> mir::Ty {
        if let Some(primitive) = ty.primitive(self.db) {
            return primitive_type(primitive);
        }
        match self.shape(ty) {
            Shape::Void => mir::Ty::Void,
            Shape::Any => mir::Ty::Any,
            Shape::Class => mir::Ty::Ref(self.class_of(ty)),
            Shape::Value => mir::Ty::Struct(self.struct_of(ty)),
        }
    }

    /// The X10 name of a concrete type, with its package and type arguments.
    pub(crate) fn type_name(&self, ty: Ty) -> String {
        let db = self.db;
        match ty.kind(db) {
            TyKind::Class { class, args } => {
                let name = qualified_name(db, *class);
                let own = apg_analysis::program::items::type_param_ids(db, *class).len();
                let args = &args[..own.min(args.len())];
                if args.is_empty() { name.to_string() } else { format!("{name}[{}]", self.type_names(args)) }
            }
            TyKind::Function { params, result, .. } => {
                format!("({})=>{}", self.type_names(params), self.type_name(*result))
            }
            TyKind::Param(param) => param.name(db).to_string(),
            TyKind::Constrained { base, .. } => self.type_name(*base),
            TyKind::Null => "null".to_owned(),
            TyKind::Void => "void".to_owned(),
            TyKind::Error => "?".to_owned(),
        }
    }

    fn type_names(&self, types: &[Ty]) -> String {
        types.iter().map(|it| self.type_name(*it)).collect::<Vec<_>>().join(",")
    }

    /// A short readable name for functions and symbols: without packages.
    pub(crate) fn short_name(&self, ty: Ty) -> SmolStr {
        let db = self.db;
        match ty.kind(db) {
            TyKind::Class { class, args } if args.is_empty() => class.name(db).clone(),
            TyKind::Class { class, args } => {
                let args: Vec<_> = args.iter().map(|it| self.short_name(*it)).collect();
                SmolStr::new(format!("{}[{}]", class.name(db), args.join(",")))
            }
            _ => SmolStr::new(self.type_name(ty)),
        }
    }

    /// Whether type arguments nest too deeply.
    pub(crate) fn too_deep(&self, ty: Ty) -> bool {
        self.depth(ty) > MAX_TYPE_DEPTH
    }

    fn depth(&self, ty: Ty) -> u32 {
        let of_all = |types: &[Ty]| types.iter().map(|it| self.depth(*it)).max().unwrap_or(0);
        match ty.kind(self.db) {
            TyKind::Class { args, .. } => 1 + of_all(args),
            TyKind::Function { params, result, .. } => 1 + of_all(params).max(self.depth(*result)),
            TyKind::Constrained { base, .. } => self.depth(*base),
            _ => 0,
        }
    }

    /// The superclass and interfaces of a concrete class type, direct ones, superclass first.
    pub(crate) fn direct_supertypes(&mut self, ty: Ty) -> Vec<Ty> {
        let Some((class, _)) = ty.as_class(self.db) else { return Vec::new() };
        let substitution = self.class_substitution(ty);
        let header = self.supertypes_of(class);
        self.concrete_all(&header, &substitution)
    }

    /// The superclass of a concrete class type.
    pub(crate) fn superclass(&mut self, ty: Ty) -> Option<Ty> {
        self.direct_supertypes(ty).into_iter().find(|it| self.shape(*it) == Shape::Class)
    }

    /// All interfaces and function types that a concrete type implements, inherited ones included.
    pub(crate) fn all_supertypes(&mut self, ty: Ty) -> Rc<Vec<Ty>> {
        if let Some(known) = self.supertypes.get(&ty) {
            return known.clone();
        }
        let mut all = vec![ty];
        let mut next = 0;
        while next < all.len() && all.len() < 10_000 {
            for supertype in self.direct_supertypes(all[next]) {
                if !all.contains(&supertype) && !self.too_deep(supertype) {
                    all.push(supertype);
                }
            }
            next += 1;
        }
        let all = Rc::new(all);
        self.supertypes.insert(ty, all.clone());
        all
    }

    /// `ty` or its supertype that is an instance of `class`.
    pub(crate) fn as_instance_of(&mut self, ty: Ty, class: ClassId) -> Option<Ty> {
        let db = self.db;
        if ty.as_class(db).is_some_and(|it| it.0 == class) {
            return Some(ty);
        }
        self.all_supertypes(ty).iter().copied().find(|it| it.as_class(db).is_some_and(|it| it.0 == class))
    }
}

/// The machine type of a built-in struct.
fn primitive_type(primitive: Known) -> mir::Ty {
    match primitive {
        Known::Boolean => mir::Ty::Bool,
        Known::Byte => mir::Ty::I8,
        Known::Short => mir::Ty::I16,
        Known::Int => mir::Ty::I32,
        Known::Long => mir::Ty::I64,
        Known::UByte => mir::Ty::U8,
        Known::UShort => mir::Ty::U16,
        Known::UInt => mir::Ty::U32,
        Known::ULong => mir::Ty::U64,
        Known::Float => mir::Ty::F32,
        Known::Double => mir::Ty::F64,
        _ => mir::Ty::Char,
    }
}

/// Whether values of this machine type are references.
pub(crate) fn is_reference(ty: mir::Ty) -> bool {
    matches!(ty, mir::Ty::Ref(_) | mir::Ty::Any)
}

/// The type in calling conventions: all references are alike.
pub(crate) fn erased(ty: mir::Ty) -> mir::Ty {
    if is_reference(ty) { mir::Ty::Any } else { ty }
}
