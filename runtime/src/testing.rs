//! A program for tests: types made by hand, closures that run Rust code.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call the functions of this crate as generated code does"
)]

use std::path::Path;
use std::sync::{Arc, Once};

use crate::abi::{self, Outcome};
use crate::apgas;
use crate::apgas::activity::{self, Activity, Work};
use crate::apgas::engine::FinishScope;
use crate::apgas::finish::Finish;
use crate::apgas::local_engine::LocalEngine;
use crate::base::ending::Ending;
use crate::heap;
use crate::heap::Ref;
use crate::heap::tests::{make_rail, make_type};
use crate::layout::{Field, Kind, Program, Type, slot};
use crate::net::local::Local;
use crate::program;
use crate::topology::Selection;

/// Threads of the pool in tests: more than the machine may have.
pub(crate) const THREADS: usize = 4;

/// What a closure of a test runs.
type Code = Box<dyn Fn() -> Outcome<()> + Send + Sync>;

fn field(name: &'static std::ffi::CStr, offset: u32, slot: u8) -> Field {
    Field { name: name.as_ptr(), offset, slot, transient: 0, ty: std::ptr::null() }
}

/// Types of the test program.
pub(crate) mod types {
    use super::*;
    use std::sync::OnceLock;

    macro_rules! types {
        ($($name:ident = $make:expr;)*) => { $(
            pub(crate) fn $name() -> &'static Type {
                static TYPE: OnceLock<&'static Type> = OnceLock::new();
                TYPE.get_or_init(|| $make)
            }
        )* };
    }
    types! {
        string = make_type(c"x10.lang.String", Kind::String, 16, Vec::new());
        strings = make_rail(c"x10.lang.Rail[x10.lang.String]", slot::REF);
        throwables = make_rail(c"x10.lang.Rail[x10.lang.CheckedThrowable]", slot::REF);
        anys = make_rail(c"x10.lang.Rail[x10.lang.Any]", slot::REF);
        longs = make_rail(c"x10.lang.Rail[x10.lang.Long]", slot::I64);
        exception = make_type(c"TestException", Kind::Object, 32, vec![
            field(c"message", 8, slot::REF), field(c"exceptions", 16, slot::REF), field(c"kind", 24, slot::I64),
        ]);
        closure = make_type(c"TestClosure", Kind::Closure, 16, vec![field(c"code", 8, slot::I64)]);
        node = make_type(c"Node", Kind::Object, 24, vec![field(c"next", 8, slot::REF), field(c"value", 16, slot::I64)]);
        boxed_long = make_type(c"x10.lang.Long", Kind::Boxed, 16, vec![field(c"value", 8, slot::I64)]);
        boxed_int = make_type(c"x10.lang.Int", Kind::Boxed, 16, vec![field(c"value", 8, slot::I32)]);
        boxed_double = make_type(c"x10.lang.Double", Kind::Boxed, 16, vec![field(c"value", 8, slot::F64)]);
        boxed_float = make_type(c"x10.lang.Float", Kind::Boxed, 16, vec![field(c"value", 8, slot::F32)]);
        boxed_char = make_type(c"x10.lang.Char", Kind::Boxed, 16, vec![field(c"value", 8, slot::CHAR)]);
        boxed_boolean = make_type(c"x10.lang.Boolean", Kind::Boxed, 16, vec![field(c"value", 8, slot::BOOL)]);
    }
}

/// A box of a value.
pub(crate) fn boxed<T>(ty: &'static Type, value: T) -> Ref {
    let object = heap::allocate(ty).expect("room");
    unsafe { object.at(8).cast::<T>().write(value) };
    object
}

/// A string.
pub(crate) fn string(text: &str) -> Ref {
    program::string(text).unwrap_or(Ref::NULL)
}

/// The name of the class that an exception of [`crate::abi::ExceptionKind`] would have, and its message.
pub(crate) fn kind_and_message(exception: Ref) -> (&'static str, String) {
    unsafe {
        let kind = exception.at(24).cast::<i64>().read();
        let message = exception.at(8).cast::<Ref>().read();
        let text = if message.is_null() { String::new() } else { message.text().into_owned() };
        (abi::ExceptionKind::ALL[kind as usize].class(), text)
    }
}

/// What a MultipleExceptions of the test program gathers.
pub(crate) fn gathered(exception: Ref) -> Vec<Ref> {
    let rail = unsafe { exception.at(16).cast::<Ref>().read() };
    (0..rail.length()).map(|index| rail.element(index)).collect()
}

/// A closure that runs Rust code. The code is never freed.
pub(crate) fn closure(code: impl Fn() -> Outcome<()> + Send + Sync + 'static) -> Ref {
    let code: &'static Code = Box::leak(Box::new(Box::new(code) as Code));
    boxed(types::closure(), std::ptr::from_ref(code) as usize)
}

unsafe extern "C" fn bind(_: *const std::ffi::c_void) {}

unsafe extern "C" fn main(_: Ref) -> Ref {
    Ref::NULL
}

unsafe extern "C" fn call(closure: Ref) -> Ref {
    let code = unsafe { &*(closure.at(8).cast::<usize>().read() as *const Code) };
    code().map_or_else(|raised| raised.0, |()| Ref::NULL)
}

unsafe extern "C" fn call_value(closure: Ref, out: *mut Ref) -> Ref {
    unsafe { out.write(closure) };
    Ref::NULL
}

unsafe extern "C" fn make_exception(kind: u32, argument: Ref, out: *mut Ref) -> Ref {
    match crate::program::allocate(types::exception()) {
        Ok(object) => unsafe {
            let offset = if argument.is_rail() { 16 } else { 8 };
            object.at(offset).cast::<Ref>().write(argument);
            object.at(24).cast::<i64>().write(kind.into());
            out.write(object);
            Ref::NULL
        },
        Err(raised) => raised.0,
    }
}

unsafe extern "C" fn to_string(object: Ref, out: *mut Ref) -> Ref {
    unsafe { out.write(if object.is_string() { object } else { string(&object.ty().name()) }) };
    Ref::NULL
}

unsafe extern "C" fn equals(_: Ref, _: Ref, _: *mut u8) -> Ref {
    Ref::NULL
}

unsafe extern "C" fn hash_code(_: Ref, _: *mut i32) -> Ref {
    Ref::NULL
}

/// Makes this process a place that runs the test program.
pub(crate) fn setup() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let types: &'static [*const Type] = Box::leak(Box::new([
            types::string(),
            types::strings(),
            types::throwables(),
            types::exception(),
            types::closure(),
        ]))
        .map(std::ptr::from_ref)
        .to_vec()
        .leak();
        let table = Box::leak(Box::new(Program {
            abi: abi::VERSION,
            type_count: types.len() as u32,
            types: types.as_ptr(),
            kernel_count: 0,
            kernels: std::ptr::null(),
            file_count: 0,
            files: std::ptr::null(),
            root_count: 0,
            roots: std::ptr::null(),
            string_type: types::string(),
            string_rail_type: types::strings(),
            bind,
            main,
            make_exception,
            call,
            call_value,
            to_string,
            equals,
            hash_code,
            saved: None,
            deserializer: None,
        }));
        let system =
            apgas::start(Arc::new(Local::default()), Selection::None, Box::leak(Box::new(Ending::new())))
                .expect("the only place");
        program::attach(table, Path::new("test")).expect("the only program");
        abi::bind_program();
        crate::apgas::worker_loop::start_scheduler(THREADS).expect("threads");
        system.attach(Arc::new(LocalEngine));
    });
}

/// Runs code in an activity under a finish of its own; the exception that it raised, or null.
pub(crate) fn run(code: impl FnOnce() -> Outcome<()> + Send + 'static) -> Ref {
    setup();
    let finish = Finish::new();
    let scope = Arc::clone(&finish) as Arc<dyn FinishScope>;
    let work = move || code().map_or_else(|raised| raised.0, |()| Ref::NULL);
    activity::spawn(Activity::new(scope, Work::Runtime(Box::new(work))));
    let exceptions = finish.wait(None, Ref::NULL);
    assert!(exceptions.len() <= 1, "one activity raises one exception");
    exceptions.first().map_or(Ref::NULL, heap::Handle::get)
}

/// `finish body`.
pub(crate) fn finish(body: impl FnOnce() -> Outcome<()>) -> Outcome<()> {
    use crate::natives::activities::{finish_begin, finish_end};
    finish_begin(false)?;
    finish_end(body().map_or_else(|raised| raised.0, |()| Ref::NULL))
}

/// `async body`.
pub(crate) fn start(body: impl Fn() -> Outcome<()> + Send + Sync + 'static) -> Outcome<()> {
    crate::natives::activities::async_here(closure(body))
}
