//! The item tree: the signatures of a file's items without positions, as in rust-analyzer. An edit inside a
//! body leaves it equal, so nothing outside that body is invalidated (invariant 3). Local and anonymous
//! classes are listed in the class around them.

pub(crate) mod cfg;
pub(crate) mod item_source;
pub(crate) mod items;
pub(crate) mod lower;
pub(crate) mod nesting;
pub(crate) mod source;
pub(crate) mod token_index;
mod type_ref;

use std::sync::Arc;

use smol_str::SmolStr;

pub(crate) use type_ref::{
    ConstraintRef, NameSegment, ParamRef, PathRef, PathRefRoot, PropertyCallRef, TermRef, TypeRef,
    TypeRefKind,
};

/// The items of one file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ItemTree {
    /// `a.b` of `package a.b;`, empty without one.
    pub package: SmolStr,
    /// Imports in source order.
    pub imports: Vec<Import>,
    /// Top-level classes, structs and interfaces.
    pub classes: Vec<Arc<ClassItem>>,
    /// Top-level type definitions.
    pub typedefs: Vec<Arc<TypedefItem>>,
}

/// `import a.b.C;`, `import a.b.*;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The dotted name, without `.*`.
    pub path: SmolStr,
    /// Whether it ends with `.*`.
    pub on_demand: bool,
    /// Index of its range among the ranges of the file header.
    pub at: u32,
}

/// The kind of a class declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKind {
    /// `class`
    Class,
    /// `struct`
    Struct,
    /// `interface`
    Interface,
}

impl ClassKind {
    /// The keyword, for messages.
    pub fn keyword(self) -> &'static str {
        match self {
            ClassKind::Class => "class",
            ClassKind::Struct => "struct",
            ClassKind::Interface => "interface",
        }
    }
}

/// The kind of place where a class is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassPlace {
    /// At the top of a file, or a member of a class.
    Member,
    /// A statement of a body.
    Local,
    /// `new T() { ... }`
    Anonymous,
}

/// The position of a local class or type definition: its body, and its index there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyPosition {
    /// The name of the method or field with the body.
    pub owner: SmolStr,
    /// The index of the method among the overloads of that name.
    pub nth: u32,
    /// The index among the classes of the body, see [`lower::local_class_nodes`], or among its type
    /// definitions, see [`lower::local_typedef_nodes`].
    pub index: u32,
}

/// A class, struct or interface with its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassItem {
    /// The class without its fields and methods.
    pub head: Arc<ClassHead>,
    /// Properties first (in order), then fields.
    pub fields: Vec<Arc<FieldItem>>,
    /// Methods, operators and constructors; last the automatic constructor, if the class declares none.
    pub methods: Vec<Arc<MethodItem>>,
    /// Member, local and anonymous classes.
    pub classes: Vec<Arc<ClassItem>>,
}

/// A [`ClassItem`] gives access to the fields of its head.
impl std::ops::Deref for ClassItem {
    type Target = ClassHead;
    fn deref(&self) -> &ClassHead {
        &self.head
    }
}

/// A class, struct or interface without its fields and methods, so that a change of their signatures leaves
/// it equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassHead {
    /// Simple name; `$1`, `$2`, ... for anonymous classes.
    pub name: SmolStr,
    /// The index among classes of that name in the same scope.
    pub nth: u32,
    /// Class, struct or interface.
    pub kind: ClassKind,
    /// Whether it is a member, a local or an anonymous class.
    pub place: ClassPlace,
    /// The body around it, for local and anonymous classes.
    pub body: Option<BodyPosition>,
    /// Modifiers.
    pub modifiers: Modifiers,
    /// `[T, U]`
    pub type_params: Vec<TypeParamItem>,
    /// The class guard `{c}`.
    pub guard: Option<ConstraintRef>,
    /// `extends` of a class; the class or interface after `new` of an anonymous one.
    pub extends: Option<TypeRef>,
    /// `implements` of a class or struct, `extends` of an interface.
    pub implements: Vec<TypeRef>,
    /// The classes in it, as in [`ClassItem::classes`].
    pub nested: Vec<Arc<ClassHead>>,
    /// Type definitions: members, and those in bodies.
    pub typedefs: Vec<Arc<TypedefItem>>,
    /// Annotations.
    pub annotations: Vec<AnnotationItem>,
    /// Index of the range of its name.
    pub at: u32,
}

/// A type parameter of a class, method or type definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeParamItem {
    /// Its name.
    pub name: SmolStr,
}

/// A property or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldItem {
    /// Its name.
    pub name: SmolStr,
    /// Whether it is a property, declared in the class header.
    pub is_property: bool,
    /// Whether it is a `var`.
    pub mutable: bool,
    /// Modifiers.
    pub modifiers: Modifiers,
    /// The declared type; `None` if the type is that of the initialiser.
    pub ty: Option<TypeRef>,
    /// Whether it has an initialiser.
    pub has_initializer: bool,
    /// Annotations.
    pub annotations: Vec<AnnotationItem>,
    /// Index of the range of its name.
    pub at: u32,
}

/// The kind of a method declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// `def m()`
    Method,
    /// `property def m()`, `property m()`
    Property,
    /// `def this()`
    Constructor,
    /// The constructor of a class that declares none: it has one formal for each property and sets the
    /// properties.
    AutomaticConstructor,
    /// `operator this + (x:T)`, `operator (x:T) + (y:T)`
    Binary,
    /// `operator (x:T) + this`: the receiver is the right operand.
    BinaryRight,
    /// `operator - this`, `operator - (x:T)`
    Unary,
    /// `operator this(i:T)`
    Apply,
    /// `operator this(i:T) = (v:U)`; the value is the last formal.
    Set,
    /// `operator (x:T) as U`
    ExplicitConversion,
    /// `operator (x:T):U`
    ImplicitConversion,
    /// `operator async(...)` and the like.
    Keyword,
    /// The argument of `@TransientInitExpr`: computes the value of a transient field when its object is
    /// deserialised at another place.
    Restorer,
}

impl MethodKind {
    /// Either kind of constructor.
    pub fn is_constructor(self) -> bool {
        matches!(self, MethodKind::Constructor | MethodKind::AutomaticConstructor)
    }
}

/// The name of a [`MethodKind::Restorer`] is this prefix and the name of its field. No program can call it:
/// the name contains a space.
pub const RESTORER: &str = "transient ";

/// A method, operator, constructor or property method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodItem {
    /// The name, as [`crate::ids::MethodId::name`].
    pub name: SmolStr,
    /// The index among the overloads of that name, in source order.
    pub nth: u32,
    /// The kind of method.
    pub kind: MethodKind,
    /// Modifiers. Operators without `this` have `STATIC` whether it is written or not.
    pub modifiers: Modifiers,
    /// Its own type parameters.
    pub type_params: Vec<TypeParamItem>,
    /// Formals. The value of an indexed assignment comes last.
    pub params: Vec<ParamItem>,
    /// `{c}`
    pub guard: Option<ConstraintRef>,
    /// The declared result type; `None` if it is inferred from the body (`void` for an abstract or native
    /// method).
    pub result: Option<TypeRef>,
    /// `offers`
    pub offers: Option<TypeRef>,
    /// `throws`
    pub throws: Vec<TypeRef>,
    /// Whether it has a body.
    pub has_body: bool,
    /// Annotations.
    pub annotations: Vec<AnnotationItem>,
    /// Index of the range of its name.
    pub at: u32,
}

/// A formal parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamItem {
    /// Its name, if it has one.
    pub name: Option<SmolStr>,
    /// Its type; `None` only after a syntax error.
    pub ty: Option<TypeRef>,
    /// Whether it is a `var`.
    pub mutable: bool,
    /// Index of the range of its name.
    pub at: u32,
}

/// `type Name[T](x:U){c} = V;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedefItem {
    /// Its name.
    pub name: SmolStr,
    /// The index among the type definitions of that name.
    pub nth: u32,
    /// The position of a type definition that is a statement of a body.
    pub body: Option<BodyPosition>,
    /// Modifiers.
    pub modifiers: Modifiers,
    /// Type parameters.
    pub type_params: Vec<TypeParamItem>,
    /// Value parameters.
    pub params: Vec<ParamItem>,
    /// `{c}`
    pub guard: Option<ConstraintRef>,
    /// The type that it abbreviates.
    pub target: TypeRef,
    /// Index of the range of its name.
    pub at: u32,
}

/// A use of an annotation on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationItem {
    /// The name as written.
    pub name: SmolStr,
    /// Index of its range among the ranges of the item.
    pub at: u32,
    /// The value of each argument that is a string literal; `None` for any other argument.
    pub strings: Vec<Option<SmolStr>>,
}

impl AnnotationItem {
    /// The last component of the name.
    pub fn simple_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// The first string argument of the annotation `name` among `annotations`.
pub fn annotation_string<'a>(annotations: &'a [AnnotationItem], name: &str) -> Option<&'a SmolStr> {
    annotations.iter().find(|a| a.simple_name() == name)?.strings.first()?.as_ref()
}

/// Whether an annotation of that simple name is among `annotations`.
pub fn has_annotation(annotations: &[AnnotationItem], name: &str) -> bool {
    annotations.iter().any(|a| a.simple_name() == name)
}

/// A set of modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Modifiers(pub u16);

impl Modifiers {
    /// `public`
    pub const PUBLIC: Modifiers = Modifiers(1);
    /// `protected`
    pub const PROTECTED: Modifiers = Modifiers(1 << 1);
    /// `private`
    pub const PRIVATE: Modifiers = Modifiers(1 << 2);
    /// `static`
    pub const STATIC: Modifiers = Modifiers(1 << 3);
    /// `final`
    pub const FINAL: Modifiers = Modifiers(1 << 4);
    /// `abstract`
    pub const ABSTRACT: Modifiers = Modifiers(1 << 5);
    /// `native`
    pub const NATIVE: Modifiers = Modifiers(1 << 6);
    /// `atomic`
    pub const ATOMIC: Modifiers = Modifiers(1 << 7);
    /// `transient`
    pub const TRANSIENT: Modifiers = Modifiers(1 << 8);
    /// `clocked`
    pub const CLOCKED: Modifiers = Modifiers(1 << 9);
    /// `property`
    pub const PROPERTY: Modifiers = Modifiers(1 << 10);
    /// `static` is required but not written, on an operator without `this`.
    pub const LACKS_STATIC: Modifiers = Modifiers(1 << 11);

    /// Whether all of `other` are set.
    pub fn has(self, other: Modifiers) -> bool {
        self.0 & other.0 == other.0
    }

    /// Adds `other`.
    pub fn with(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }

    /// Removes `other`.
    pub fn without(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 & !other.0)
    }

    /// The modifier of a keyword.
    pub fn from_keyword(keyword: &str) -> Option<Modifiers> {
        Some(match keyword {
            "public" => Self::PUBLIC,
            "protected" => Self::PROTECTED,
            "private" => Self::PRIVATE,
            "static" => Self::STATIC,
            "final" => Self::FINAL,
            "abstract" => Self::ABSTRACT,
            "native" => Self::NATIVE,
            "atomic" => Self::ATOMIC,
            "transient" => Self::TRANSIENT,
            "clocked" => Self::CLOCKED,
            "property" => Self::PROPERTY,
            _ => return None,
        })
    }
}

impl ClassHead {
    /// The member class `name`; local and anonymous classes are not members.
    pub fn member_class(&self, name: &str) -> Option<&Arc<ClassHead>> {
        self.nested.iter().find(|c| c.name == name && c.place == ClassPlace::Member)
    }
}

impl ClassItem {
    /// The properties, in order.
    pub fn properties(&self) -> impl Iterator<Item = &FieldItem> {
        self.fields.iter().map(|f| &**f).filter(|f| f.is_property)
    }
}
