//! Typed bodies -> MIR: everything reachable from `main`, with concrete types only.
//!
//! A work list of functions starts with `main`. Lowering a body asks for classes, functions and table slots;
//! tables of classes are filled with the code of those slots that something calls, until nothing new comes up.

mod builder;
mod construct;
mod error;
mod kernel;
mod layout;
mod mono;
mod versioning;

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

/// Lowers the program that starts at `main`. All errors found are given, in the order found.
pub fn lower(db: &dyn Db, main: &MainTarget) -> Result<mir::Program, Vec<LowerError>> {
    let Some(any) = known_class(db, Known::Any) else {
        return Err(vec![LowerError::new("build/no-library", "the class library has no x10.lang.Any")]);
    };
    let mut lowerer = Lowerer::new(db, any);
    lowerer.program(main);
    if lowerer.errors.is_empty() { Ok(lowerer.program) } else { Err(lowerer.errors) }
}

/// A method with all types known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Callee {
    method: MethodId,
    /// The instance of the class that declares it.
    owner: Ty,
    /// Its own type arguments.
    type_args: Vec<Ty>,
}

/// A function of the program: what it is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FunctionKey {
    /// A method with code.
    Method(Callee),
    /// The same for kernels only: elements of global rails are memory there.
    Device(Callee),
    /// A constructor: of a class it fills its first parameter, of a struct it gives the struct.
    Initialise(Callee),
    /// Allocates an object and calls a constructor.
    Create(Callee),
    /// The value of an initialised instance field; takes the object, or the struct so far.
    FieldValue(FieldId, Ty),
    /// Sets the transient fields of what has just arrived: takes the object, or takes and gives the struct.
    Restore(Ty),
    /// The first value of a static field.
    StaticValue(FieldId),
    /// What every object has unless its class says otherwise.
    Default(Universal, Ty),
    /// Calls another function for a table, after unboxing the receiver or boxing the result.
    Thunk(layout::dispatch::Thunk),
    /// Chooses the implementation of a method with type parameters by the receiver's class.
    Dispatch(Callee),
    /// `==` of two values behind `Any`.
    AnyEqual,
    /// `==` of two values of a struct whose fields the machine cannot compare.
    StructEqual(Ty),
    /// `==` of a box and a value behind `Any`.
    BoxEqual(Ty),
    /// `main` as the runtime calls it, for one without parameters.
    Main(Callee),
}

/// What a heap class is made from.
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
    /// A function value seen as one of another type.
    Adapter(Ty, Ty),
}

/// What lowering knows of a class, by the side of [`mir::Class`].
struct ClassData {
    key: ClassKey,
    /// Something makes an instance.
    instantiated: bool,
    /// The code of a closure.
    apply: Option<mir::FunctionId>,
    /// The function type of a closure.
    function_type: Option<Ty>,
}

/// What an interface is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum InterfaceKey {
    /// An interface of the program.
    Instance(Ty),
    /// A function type, as the calling convention sees it.
    Function(Vec<mir::Ty>, mir::Ty),
    /// Implemented by all boxes: tells values from objects.
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
    queue: Vec<(FunctionKey, mir::FunctionId)>,
    /// The function that is being written, and where in it.
    writing: (Option<mir::FunctionId>, Option<mir::Position>),
    /// What asked for a function first.
    asked_for: FxHashMap<mir::FunctionId, mir::Position>,
    statics: FxHashMap<FieldId, mir::StaticId>,
    files: FxHashMap<SourceFile, Rc<builder::position::FileLines>>,
    layouts: FxHashMap<Ty, Rc<Layout>>,
    supertypes: FxHashMap<Ty, Rc<Vec<Ty>>>,
    /// Slots that something calls: the class instance that introduced the slot (`None`: universal) and its number.
    live_slots: FxHashSet<(Option<Ty>, u32)>,
    live_interface_slots: FxHashSet<(mir::InterfaceId, u32)>,
    /// Functions that choose among implementations, to be written when all classes are known.
    dispatchers: Vec<(Callee, mir::FunctionId)>,
    closures: u32,
    /// The program needs endlessly many types: stop.
    endless: bool,
}
