//! Identities of files and items. All are interned or salsa inputs: small, `Copy`, stable over edits
//! that do not rename or reorder the item.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::path::PathBuf;

use smol_str::SmolStr;

/// A source file. The text is the editor's when the file is open there, else the disk's.
#[salsa::input(debug)]
pub struct SourceFile {
    /// Absolute path, or `x10/lang/Int.x10` below [`FileOrigin::Library`].
    #[returns(ref)]
    pub path: PathBuf,
    /// Where it comes from.
    #[returns(copy)]
    pub origin: FileOrigin,
    /// The text.
    #[returns(ref)]
    pub text: std::sync::Arc<str>,
    /// Its parts, once it was edited.
    #[default]
    #[returns(ref)]
    pub edited: Option<crate::split_inputs::EditedFile>,
}

/// Where a source file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileOrigin {
    /// The user's.
    User,
    /// The class library, embedded in the binary (durability HIGH).
    Library,
}

/// A class, struct or interface (top-level, member, local or anonymous).
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct ClassId {
    /// The file that declares it.
    #[returns(copy)]
    pub file: SourceFile,
    /// The class around it.
    #[returns(copy)]
    pub outer: Option<ClassId>,
    /// Simple name; anonymous classes are `$1`, `$2`, ... within `outer`.
    #[returns(ref)]
    pub name: SmolStr,
    /// 0, except for further classes of the same name (an error, but each has its own identity).
    #[returns(copy)]
    pub nth: u32,
}

/// A method, operator, constructor or property method of a class.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct MethodId {
    /// The declaring class.
    #[returns(copy)]
    pub class: ClassId,
    /// `name`, `operator+`, `operator()`, `operator()=`, `operator as` (explicit conversion),
    /// `operator implicit as` (implicit conversion), `operator async` (keywords), `this` for a constructor.
    #[returns(ref)]
    pub name: SmolStr,
    /// The index among the overloads, in source order.
    #[returns(copy)]
    pub nth: u32,
}

/// A field or property of a class.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct FieldId {
    /// The declaring class.
    #[returns(copy)]
    pub class: ClassId,
    /// Its name.
    #[returns(ref)]
    pub name: SmolStr,
}

/// A type parameter of a class or method.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct TypeParamId {
    /// The declaring class.
    #[returns(copy)]
    pub class: ClassId,
    /// The declaring method, if it is a method's.
    #[returns(copy)]
    pub method: Option<MethodId>,
    /// Position in the list.
    #[returns(copy)]
    pub index: u32,
    /// Its name.
    #[returns(ref)]
    pub name: SmolStr,
}

/// A `type Name[T](x:U) = ...;` at the top of a file or in a class.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct TypedefId {
    /// The file that declares it.
    #[returns(copy)]
    pub file: SourceFile,
    /// The class around it.
    #[returns(copy)]
    pub outer: Option<ClassId>,
    /// Its name.
    #[returns(ref)]
    pub name: SmolStr,
    /// The index among those of this name, in source order: type definitions may be overloaded by arity.
    #[returns(copy)]
    pub nth: u32,
}
