//! Lowering of typed X10 bodies to MIR: everything reachable from `main`, monomorphised.
//!
//! A work list of functions starts with `main`. Lowering a body requests classes, functions and table slots;
//! the tables of classes are filled with the code of called slots, until nothing new is requested.

#![warn(clippy::print_stderr)]

mod builder;
mod construct;
mod error;
mod kernel;
mod layout;
mod mono;

use std::rc::Rc;

use apg_analysis::Db;
use apg_analysis::SourceFile;
use apg_analysis::program::items::{ClassId, FieldId, MethodId};
use apg_analysis::program::ty::Ty;
use apg_analysis::program::ty::{Known, known_class};
use rustc_hash::{FxHashMap, FxHashSet};

pub use error::LowerError;
pub use mono::entry::MainTarget;

use apg_mir as mir;
use layout::slots::{Layout, Universal};

/// Lowers the program that starts at `main`, or returns all errors in the order found.
pub fn lower(db: &dyn Db, main: &MainTarget) -> Result<mir::Program, Vec<LowerError>> {
    let Some(any) = known_class(db, Known::Any) else {
        return Err(vec![LowerError::new("build/no-library", "the class library has no x10.lang.Any")]);
    };
    let mut lowerer = Lowerer::new(db, any);
    lowerer.program(main);
    if !lowerer.errors.is_empty() {
        return Err(lowerer.errors);
    }
    lowerer.program.assign_ids();
    mir::verify::debug_assert_valid(&lowerer.program, "lowering");
    Ok(lowerer.program)
}

/// A method instance: all types are concrete.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Callee {
    method: MethodId,
    /// The instance of the class that declares it.
    owner: Ty,
    /// Its own type arguments.
    type_args: Vec<Ty>,
}

/// The origin of a function of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FunctionKey {
    /// A method with code.
    Method(Callee),
    /// A method compiled for kernels, where elements of global rails are memory.
    KernelMethod(Callee),
    /// A constructor. For a class it fills its first parameter; for a struct it returns the struct.
    Constructor(Callee),
    /// Allocates an object and calls a constructor.
    Creation(Callee),
    /// The initialiser of an instance field. Takes the object, or the partly constructed struct.
    FieldInitializer(FieldId, Ty),
    /// Sets the transient fields after deserialisation. Takes the object, or takes and returns the struct.
    RestoreTransient(Ty),
    /// The initialiser of a static field.
    StaticInitializer(FieldId),
    /// The default implementation of a universal method.
    Default(Universal, Ty),
    /// A table entry that calls another function after unboxing the receiver, or boxes its result.
    Thunk(layout::dispatch::Thunk),
    /// Chooses the implementation of a method with type parameters by the receiver's class.
    Dispatch(Callee),
    /// `==` of two values behind `Any`.
    AnyEqual,
    /// `==` of two structs whose fields cannot be compared as memory.
    StructEqual(Ty),
    /// `==` of a box and a value behind `Any`.
    BoxEqual(Ty),
    /// `main` with the signature that the runtime calls, for a `main` without parameters.
    MainAdapter(Callee),
}

/// The origin of a heap class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ClassKey {
    /// The superclass of all.
    Root,
    /// A class of the program.
    Instance(Ty),
    /// A struct or primitive in a box.
    Boxed(Ty),
    /// A shared variable.
    Cell(Ty),
    /// A closure, numbered.
    Closure(u32),
    /// A function value converted to another function type.
    Adapter(Ty, Ty),
}

/// Data of a class beside [`mir::Class`].
struct ClassData {
    key: ClassKey,
    /// The program creates instances.
    instantiated: bool,
    /// The code of a closure.
    apply: Option<mir::FunctionId>,
    /// The function type of a closure.
    function_type: Option<Ty>,
}

/// The origin of an interface.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum InterfaceKey {
    /// An interface of the program.
    Instance(Ty),
    /// A function type with its calling convention.
    Function(Vec<mir::Ty>, mir::Ty),
    /// The interface of all boxes, which distinguishes values from objects.
    Boxed,
}

/// The state of lowering one program.
struct Lowerer<'db> {
    db: &'db dyn Db,
    program: mir::Program,
    errors: Vec<LowerError>,
    /// `x10.lang.Any`.
    any_class: ClassId,
    classes: FxHashMap<ClassKey, mir::ClassId>,
    class_data: Vec<ClassData>,
    structs: FxHashMap<Ty, mir::StructId>,
    structs_in_progress: Vec<Ty>,
    interfaces: FxHashMap<InterfaceKey, mir::InterfaceId>,
    interface_keys: Vec<InterfaceKey>,
    functions: FxHashMap<FunctionKey, mir::FunctionId>,
    /// Roles of functions that are not plain.
    roles: FxHashMap<mir::FunctionId, mir::FunctionRole>,
    worklist: Vec<(FunctionKey, mir::FunctionId)>,
    /// The function being lowered, and the position in it.
    current: (Option<mir::FunctionId>, Option<mir::Span>),
    /// Where each function was first requested.
    first_requests: FxHashMap<mir::FunctionId, mir::Span>,
    statics: FxHashMap<FieldId, mir::StaticId>,
    files: FxHashMap<SourceFile, Rc<builder::span::FileLines>>,
    layouts: FxHashMap<Ty, Rc<Layout>>,
    supertypes: FxHashMap<Ty, Rc<Vec<Ty>>>,
    /// Called slots: the class instance that introduced the slot (`None`: universal) and its number.
    live_slots: FxHashSet<(Option<Ty>, u32)>,
    live_interface_slots: FxHashSet<(mir::InterfaceId, u32)>,
    /// Dispatchers of virtual methods with type parameters, completed when all classes are known.
    dispatchers: Vec<(Callee, mir::FunctionId)>,
    closures: u32,
    /// The program needs an unbounded number of types.
    is_unbounded: bool,
}
