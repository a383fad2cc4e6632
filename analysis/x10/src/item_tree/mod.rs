//! Signatures of a file's items without positions: the barrier that keeps an edit inside a body from
//! invalidating anything outside that body (invariant 3). Classes inside bodies (local and anonymous)
//! stand in the list of the class around them.

pub mod cfg;
pub mod item_source;
pub mod items;
pub mod lower;
pub mod nesting;
pub mod source;
pub mod token_index;
mod type_ref;

use std::sync::Arc;

use smol_str::SmolStr;

pub use type_ref::{
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
    /// `.*` was given.
    pub on_demand: bool,
    /// Index of its range among the ranges of the file header.
    pub at: u32,
}

/// What a class declaration declares.
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

/// Where a class is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassPlace {
    /// At the top of a file, or a member of a class.
    Member,
    /// A statement of a body.
    Local,
    /// `new T() { ... }`
    Anonymous,
}

/// Which class or type definition of which body it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyPosition {
    /// The name of the method or field of the class around it.
    pub owner: SmolStr,
    /// Which of the overloads.
    pub nth: u32,
    /// Its position among the classes of that body, see [`lower::local_class_nodes`], or among its type
    /// definitions, see [`lower::local_typedef_nodes`].
    pub index: u32,
}

/// A class, struct or interface with its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassItem {
    /// All but its members.
    pub head: Arc<ClassHead>,
    /// Properties first (in order), then fields.
    pub fields: Vec<Arc<FieldItem>>,
    /// Methods, operators and constructors; a class that declares no constructor has its automatic one.
    pub methods: Vec<Arc<MethodItem>>,
    /// Member, local and anonymous classes.
    pub classes: Vec<Arc<ClassItem>>,
}

/// A class with its members is what it is without them, and more.
impl std::ops::Deref for ClassItem {
    type Target = ClassHead;
    fn deref(&self) -> &ClassHead {
        &self.head
    }
}

/// A class, struct or interface without its fields and methods: another signature of one of them leaves it as
/// it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassHead {
    /// Simple name; `$1`, `$2`, ... for anonymous classes.
    pub name: SmolStr,
    /// Which of several of that name in the same scope.
    pub nth: u32,
    /// Class, struct or interface.
    pub kind: ClassKind,
    /// Where it stands.
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
    /// A property, declared in the class header.
    pub is_property: bool,
    /// `var`.
    pub mutable: bool,
    /// Modifiers.
    pub modifiers: Modifiers,
    /// Declared type; without one the initialiser says it.
    pub ty: Option<TypeRef>,
    /// Whether it has an initialiser.
    pub has_initializer: bool,
    /// Annotations.
    pub annotations: Vec<AnnotationItem>,
    /// Index of the range of its name.
    pub at: u32,
}

/// What a method declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// `def m()`
    Method,
    /// `property def m()`, `property m()`
    Property,
    /// `def this()`
    Constructor,
    /// The constructor that a class without one has: one formal a property, which it sets.
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
    /// The argument of `@TransientInitExpr`, which gives a transient field its value where its object
    /// arrives.
    Restorer,
}

impl MethodKind {
    /// Either kind of constructor.
    pub fn is_constructor(self) -> bool {
        matches!(self, MethodKind::Constructor | MethodKind::AutomaticConstructor)
    }
}

/// The name of a [`MethodKind::Restorer`] is this and that of its field: no program can call it.
pub const RESTORER: &str = "transient ";

/// A method, operator, constructor or property method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodItem {
    /// As [`crate::ids::MethodId::name`].
    pub name: SmolStr,
    /// Which of the overloads of that name, in source order.
    pub nth: u32,
    /// What it is.
    pub kind: MethodKind,
    /// Modifiers. Operators without `this` are static whether they say so or not.
    pub modifiers: Modifiers,
    /// Its own type parameters.
    pub type_params: Vec<TypeParamItem>,
    /// Formals; for an indexed assignment the value last.
    pub params: Vec<ParamItem>,
    /// `{c}`
    pub guard: Option<ConstraintRef>,
    /// Declared result; without one the body says it (`void` for an abstract or native method).
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
    /// `var`.
    pub mutable: bool,
    /// Index of the range of its name.
    pub at: u32,
}

/// `type Name[T](x:U){c} = V;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedefItem {
    /// Its name.
    pub name: SmolStr,
    /// Which of those of that name.
    pub nth: u32,
    /// The body around it, for a type definition that is a statement.
    pub body: Option<BodyPosition>,
    /// Modifiers.
    pub modifiers: Modifiers,
    /// Type parameters.
    pub type_params: Vec<TypeParamItem>,
    /// Value parameters.
    pub params: Vec<ParamItem>,
    /// `{c}`
    pub guard: Option<ConstraintRef>,
    /// What it stands for.
    pub target: TypeRef,
    /// Index of the range of its name.
    pub at: u32,
}

/// A use of an annotation on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationItem {
    /// The name as written.
    pub name: SmolStr,
    /// Where: an index into the ranges of the item.
    pub at: u32,
    /// The value of each argument that is a string literal.
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
    /// `static` should be written, and is not: of an operator without `this`.
    pub const LACKS_STATIC: Modifiers = Modifiers(1 << 11);

    /// Whether all of `other` are set.
    pub fn has(self, other: Modifiers) -> bool {
        self.0 & other.0 == other.0
    }

    /// With `other` set as well.
    pub fn with(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }

    /// With none of `other` set.
    pub fn without(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 & !other.0)
    }

    /// The modifier that a keyword stands for.
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
    /// A member class, not a local or anonymous one.
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
