//! Construction and inspection of types.

use smol_str::{SmolStr, format_smolstr};

use super::known::{Known, known_class, primitive_class};
use super::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty, TyKind};
use crate::db::Db;
use crate::ids::{ClassId, FieldId, TypeParamId};
use crate::item_tree::ClassKind;
use crate::item_tree::items::class_kind;
use crate::item_tree::nesting::all_type_params;

impl Ty {
    /// The unknown type, after a reported problem.
    pub fn error(db: &dyn Db) -> Ty {
        Ty::new(db, TyKind::Error)
    }
    /// `void`.
    pub fn void(db: &dyn Db) -> Ty {
        Ty::new(db, TyKind::Void)
    }
    /// The type of `null`.
    pub fn null(db: &dyn Db) -> Ty {
        Ty::new(db, TyKind::Null)
    }
    /// A class, struct or interface with type arguments.
    pub fn class(db: &dyn Db, class: ClassId, args: Vec<Ty>) -> Ty {
        Ty::new(db, TyKind::Class { class, args })
    }
    /// A class applied to its own type parameters: the type of `this`.
    pub fn this_type(db: &dyn Db, class: ClassId) -> Ty {
        let args = all_type_params(db, class).iter().map(|p| Ty::param(db, *p)).collect();
        Ty::class(db, class, args)
    }
    /// A function type.
    pub fn function(db: &dyn Db, params: Vec<Ty>, result: Ty) -> Ty {
        Ty::guarded_function(db, params, result, Constraint::default())
    }
    /// A type parameter.
    pub fn param(db: &dyn Db, param: TypeParamId) -> Ty {
        Ty::new(db, TyKind::Param(param))
    }
    /// A class of the library without type arguments, [`Ty::error`] if the library lacks it.
    pub fn known(db: &dyn Db, known: Known) -> Ty {
        known_class(db, known).map_or_else(|| Ty::error(db), |class| Ty::class(db, class, Vec::new()))
    }
    /// A class of the library with type arguments, [`Ty::error`] if the library lacks it.
    pub fn known_with(db: &dyn Db, known: Known, args: Vec<Ty>) -> Ty {
        known_class(db, known).map_or_else(|| Ty::error(db), |class| Ty::class(db, class, args))
    }
    /// `Any`.
    pub fn any(db: &dyn Db) -> Ty {
        Ty::known(db, Known::Any)
    }
    /// `Boolean`.
    pub fn boolean(db: &dyn Db) -> Ty {
        Ty::known(db, Known::Boolean)
    }
    /// `Int`.
    pub fn int(db: &dyn Db) -> Ty {
        Ty::known(db, Known::Int)
    }
    /// `Long`.
    pub fn long(db: &dyn Db) -> Ty {
        Ty::known(db, Known::Long)
    }
    /// `String`.
    pub fn string(db: &dyn Db) -> Ty {
        Ty::known(db, Known::String)
    }
    /// `Place`.
    pub fn place(db: &dyn Db) -> Ty {
        Ty::known(db, Known::Place)
    }
    /// `Rail[element]`.
    pub fn rail(db: &dyn Db, element: Ty) -> Ty {
        Ty::known_with(db, Known::Rail, vec![element])
    }

    /// Adds a constraint; terms that are present already are dropped.
    pub fn constrained(self, db: &dyn Db, constraint: Constraint) -> Ty {
        let (base, mut all) = match self.kind(db) {
            TyKind::Constrained { base, constraint } => (*base, constraint.clone()),
            _ => (self, Constraint::default()),
        };
        for term in constraint.terms {
            if !all.terms.contains(&term) {
                all.terms.push(term);
            }
        }
        if all.terms.is_empty() || base.is_error(db) {
            return base;
        }
        Ty::new(db, TyKind::Constrained { base, constraint: all })
    }
    /// The type without its constraint.
    pub fn base(self, db: &dyn Db) -> Ty {
        match self.kind(db) {
            TyKind::Constrained { base, .. } => *base,
            _ => self,
        }
    }
    /// The constraint, if there is one.
    pub fn constraint(self, db: &dyn Db) -> Option<&Constraint> {
        match self.kind(db) {
            TyKind::Constrained { constraint, .. } => Some(constraint),
            _ => None,
        }
    }
    /// Adds the term `self == path`, for the value of a `val`, literal or property.
    pub fn equal_to(self, db: &dyn Db, path: Path) -> Ty {
        let term = ConstraintTerm::Equal(Path::self_value(), path);
        self.constrained(db, Constraint { terms: vec![term] })
    }

    /// Whether it is [`Ty::error`].
    pub fn is_error(self, db: &dyn Db) -> bool {
        matches!(self.kind(db), TyKind::Error)
    }
    /// Whether [`Ty::error`] occurs anywhere in the type: no follow-up problems are reported for it.
    pub fn mentions_error(self, db: &dyn Db) -> bool {
        match self.kind(db) {
            TyKind::Error => true,
            TyKind::Class { args, .. } => args.iter().any(|a| a.mentions_error(db)),
            TyKind::Function { params, result, .. } => {
                result.mentions_error(db) || params.iter().any(|p| p.mentions_error(db))
            }
            TyKind::Constrained { base, .. } => base.mentions_error(db),
            TyKind::Param(_) | TyKind::Null | TyKind::Void => false,
        }
    }
    /// Whether it is `void`.
    pub fn is_void(self, db: &dyn Db) -> bool {
        matches!(self.kind(db), TyKind::Void)
    }
    /// Whether it is the type of `null`.
    pub fn is_null(self, db: &dyn Db) -> bool {
        matches!(self.kind(db), TyKind::Null)
    }
    /// The class and its arguments, constraint aside.
    pub fn as_class(self, db: &dyn Db) -> Option<(ClassId, &[Ty])> {
        match self.base(db).kind(db) {
            TyKind::Class { class, args } => Some((*class, args)),
            _ => None,
        }
    }
    /// The formals' types and the result, constraint aside.
    pub fn as_function(self, db: &dyn Db) -> Option<(&[Ty], Ty)> {
        match self.base(db).kind(db) {
            TyKind::Function { params, result, .. } => Some((params, *result)),
            _ => None,
        }
    }
    /// The type parameter, constraint aside.
    pub fn as_param(self, db: &dyn Db) -> Option<TypeParamId> {
        match self.base(db).kind(db) {
            TyKind::Param(param) => Some(*param),
            _ => None,
        }
    }
    /// Whether it is the library class `known`.
    pub fn is_known(self, db: &dyn Db, known: Known) -> bool {
        self.as_class(db).is_some_and(|(class, _)| known_class(db, known) == Some(class))
    }
    /// The built-in number type, `Boolean` or `Char`, if it is one.
    pub fn primitive(self, db: &dyn Db) -> Option<Known> {
        let (class, _) = self.as_class(db)?;
        primitive_class(db, class)
    }
    /// Whether it is a struct.
    pub fn is_struct(self, db: &dyn Db) -> bool {
        self.as_class(db).is_some_and(|(class, _)| class_kind(db, class) == Some(ClassKind::Struct))
    }
    /// Whether it is an interface.
    pub fn is_interface(self, db: &dyn Db) -> bool {
        self.as_class(db).is_some_and(|(class, _)| class_kind(db, class) == Some(ClassKind::Interface))
    }
    /// The element type of a `Rail`.
    pub fn rail_element(self, db: &dyn Db) -> Option<Ty> {
        self.known_arg(db, Known::Rail)
    }
    /// The element type of a `GlobalRail`.
    pub fn global_rail_element(self, db: &dyn Db) -> Option<Ty> {
        self.known_arg(db, Known::GlobalRail)
    }
    fn known_arg(self, db: &dyn Db, known: Known) -> Option<Ty> {
        let (class, args) = self.as_class(db)?;
        (known_class(db, known) == Some(class)).then(|| args.first().copied()).flatten()
    }
}

impl Path {
    /// `self`.
    pub fn self_value() -> Path {
        Path { root: PathRoot::SelfValue, fields: Vec::new() }
    }
    /// A literal, as written or normalised.
    pub fn literal(text: impl Into<SmolStr>) -> Path {
        Path { root: PathRoot::Literal(text.into()), fields: Vec::new() }
    }
    /// A local or formal.
    pub fn local(name: impl Into<SmolStr>, offset: u32) -> Path {
        Path { root: PathRoot::Local { name: name.into(), offset }, fields: Vec::new() }
    }
    /// `this`.
    pub fn this() -> Path {
        Path { root: PathRoot::This, fields: Vec::new() }
    }
    /// `here`.
    pub fn here() -> Path {
        Path { root: PathRoot::Here, fields: Vec::new() }
    }
    /// A path that starts at a qualified name.
    pub fn named(name: SmolStr, what: Named) -> Path {
        Path { root: PathRoot::Static { name, what }, fields: Vec::new() }
    }
    /// A static field.
    pub fn static_field(db: &dyn Db, field: FieldId) -> Path {
        let class = crate::item_tree::items::qualified_name(db, field.class(db));
        Path::named(format_smolstr!("{class}.{}", field.name(db)), Named::Field(field))
    }
    /// `self.name`
    pub fn field(mut self, name: impl Into<SmolStr>) -> Path {
        self.fields.push(name.into());
        self
    }
}
