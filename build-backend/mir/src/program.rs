//! A whole program.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::*;

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Paths of source files, as shown in messages.
    pub files: Vec<String>,
    /// Files of the class library.
    pub library: Vec<FileId>,
    /// Types that are made of other types.
    pub types: TypeTable,
    /// Structs and unions.
    pub structs: Vec<Struct>,
    /// What the object dialect knows of structs; those without attributes are left out.
    pub struct_attributes: BTreeMap<StructId, TypeAttributes>,
    /// Structs that name a texture of a device.
    pub textures: BTreeSet<StructId>,
    /// Heap classes, rails, boxes and closures; a superclass comes before its subclasses. The first one is
    /// the root (no fields, the fixed slots): superclass of every class that names no other,
    /// and the class of a `CallVirtual` on a receiver of type [`Ty::Any`].
    pub classes: Vec<Class>,
    /// Specialised closure classes and their originals, which have the same layout.
    pub closure_versions: FxHashMap<ClassId, ClassId>,
    /// Interfaces with at least one method called through them.
    pub interfaces: Vec<Interface>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Objects in memory that exist from the start.
    pub globals: Vec<Global>,
    /// Functions that the program is linked with.
    pub externals: Vec<External>,
    /// Static fields, initialised lazily and once.
    pub statics: Vec<Static>,
    /// Kernels.
    pub kernels: Vec<Kernel>,
    /// `main`: takes a `Ref` to the rail of strings. Without classes it is that of C (C17, 5.1.2.2.1): it
    /// takes nothing, or an `I32` and a pointer to pointers, and gives an `I32`.
    pub main: Option<FunctionId>,
    /// Called by the runtime to make an exception of its own: `(message) -> object`, one per kind in
    /// the order of the ABI's `apg_exception_kind`.
    pub runtime_exceptions: Vec<FunctionId>,
    /// Serialises an instance of a [`Serialization::Custom`] type: `(object) -> rail`. Called by the runtime.
    pub serialize_hook: Option<FunctionId>,
    /// Makes the deserialiser, the argument of the function in [`Serialization::Custom`]: `(rail) -> object`.
    pub deserialize_hook: Option<FunctionId>,
    /// C++ files that source files name.
    pub natives: Vec<native::NativeFile>,
    /// Whether the program contains C++ code in methods, blocks or files.
    pub has_native_code: bool,
    /// Without checks of rail indices (`--checks none`).
    pub unchecked: bool,
    /// For a debugger: CPU kernels loop over the threads of each statement, and each statement has its line.
    pub debug: bool,
    /// A `#line` directive for each statement, also where the compiler can count lines: for readers of the
    /// code.
    pub emit_all_lines: bool,
}

impl Program {
    /// Whether the program has objects on a collected heap, and the runtime of places and activities.
    pub fn has_object_heap(&self) -> bool {
        !self.classes.is_empty()
    }

    /// The attributes of a struct.
    pub fn attributes_of_struct(&self, id: StructId) -> TypeAttributes {
        self.struct_attributes.get(&id).cloned().unwrap_or_default()
    }

    /// Sets the attributes of a struct.
    pub fn set_attributes_of_struct(&mut self, id: StructId, attributes: TypeAttributes) {
        match attributes == TypeAttributes::default() {
            true => self.struct_attributes.remove(&id),
            false => self.struct_attributes.insert(id, attributes),
        };
    }
}
