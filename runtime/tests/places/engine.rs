//! Activities as threads, and a few types made by hand: what the scenarios run on.

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::ptr::null;
use std::sync::{Arc, Condvar, Mutex};

use apg_runtime::abi::ExceptionKind;
use apg_runtime::apgas::clock::{ClockContext, ClockRegistration};
use apg_runtime::apgas::engine::{Engine, FinishScope, Waiter};
use apg_runtime::apgas::finish::id::FinishId;
use apg_runtime::apgas::finish::root::FinishRoot;
use apg_runtime::base::place::PlaceId;
use apg_runtime::heap;
use apg_runtime::heap::{Handle, Ref};
use apg_runtime::layout::{Field, Kind, Type, slot};

const fn ty(id: u32, kind: Kind, name: &'static CStr, size: u64) -> Type {
    Type {
        id,
        kind: kind as u32,
        name: name.as_ptr().cast::<c_char>(),
        superclass: null(),
        size,
        field_count: 0,
        fields: null(),
        element_slot: 0,
        element_size: 0,
        element: null(),
        interface_count: 0,
        interfaces: null(),
        vtable: [],
        vtable_length: 0,
        custom: 0,
        restore: None,
        brief: 0,
        result: 0,
    }
}

const fn field(offset: u32, slot: u8) -> Field {
    Field { name: c"field".as_ptr(), offset, slot, transient: 0, ty: null() }
}

static TASK_FIELDS: [Field; 4] =
    [field(8, slot::I64), field(16, slot::I64), field(24, slot::I64), field(32, slot::REF)];
/// A closure: which code, two numbers, an object.
pub(crate) static TASK: Type =
    Type { field_count: 4, fields: TASK_FIELDS.as_ptr(), ..ty(0, Kind::Closure, c"Task", 40) };
static LONG_FIELDS: [Field; 1] = [field(8, slot::I64)];
/// A boxed number.
pub(crate) static LONG: Type =
    Type { field_count: 1, fields: LONG_FIELDS.as_ptr(), ..ty(1, Kind::Boxed, c"Long", 16) };
/// Text.
pub(crate) static STRING: Type = ty(2, Kind::String, c"x10.lang.String", 16);
static ERROR_FIELDS: [Field; 2] = [field(8, slot::I64), field(16, slot::REF)];
/// An exception: kind and message.
pub(crate) static ERROR: Type =
    Type { field_count: 2, fields: ERROR_FIELDS.as_ptr(), ..ty(3, Kind::Object, c"Error", 24) };
/// Numbers.
pub(crate) static LONGS: Type =
    Type { element_slot: slot::I64, element_size: 8, ..ty(4, Kind::Rail, c"Rail[Long]", 16) };
/// Objects.
pub(crate) static OBJECTS: Type =
    Type { element_slot: slot::REF, element_size: 8, ..ty(5, Kind::Rail, c"Rail[Any]", 16) };
/// Other numbers.
pub(crate) static FLOATS: Type =
    Type { element_slot: slot::F32, element_size: 4, ..ty(6, Kind::Rail, c"Rail[Float]", 16) };
static TYPES: [&Type; 7] = [&TASK, &LONG, &STRING, &ERROR, &LONGS, &OBJECTS, &FLOATS];

/// A word of an object.
pub(crate) fn word(object: Ref, offset: usize) -> &'static mut i64 {
    assert!(!object.is_null());
    // SAFETY: the scenarios know their types.
    unsafe { &mut *object.at(offset).cast::<i64>() }
}

/// A new closure.
pub(crate) fn task(code: i64, a: i64, b: i64, object: Ref) -> Ref {
    let task = heap::allocate(&TASK).expect("memory");
    for (index, value) in [code, a, b, object.0 as i64].into_iter().enumerate() {
        *word(task, 8 + 8 * index) = value;
    }
    task
}

/// A boxed number.
pub(crate) fn long(value: i64) -> Ref {
    let object = heap::allocate(&LONG).expect("memory");
    *word(object, 8) = value;
    object
}

/// A new string.
pub(crate) fn string(text: &str) -> Ref {
    let object = heap::allocate_counted(&STRING, text.len() as i64).expect("memory");
    // SAFETY: a new string of that length.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), object.elements(), text.len()) };
    object
}

/// A new rail of numbers.
pub(crate) fn longs(values: &[i64]) -> Ref {
    let rail = heap::allocate_counted(&LONGS, values.len() as i64).expect("memory");
    // SAFETY: a new rail of that length.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast(), rail.elements(), values.len() * 8) };
    rail
}

/// The numbers of a rail.
pub(crate) fn values(rail: Ref) -> Vec<i64> {
    (0..rail.length()).map(|index| *word(rail, 16 + 8 * index)).collect()
}

/// A new exception.
pub(crate) fn error(kind: i64, message: &str) -> Ref {
    let text = Handle::new(string(message));
    let object = heap::allocate(&ERROR).expect("memory");
    *word(object, 8) = kind;
    *word(object, 16) = text.get().0 as i64;
    object
}

/// The message of an exception.
pub(crate) fn message(error: Ref) -> String {
    assert_eq!(error.ty().name(), "Error");
    Ref(*word(error, 16) as *mut _).text().into_owned()
}

/// A finish of this place.
#[derive(Default)]
pub(crate) struct Finish {
    state: Mutex<(u64, Vec<Handle>)>,
    changed: Condvar,
    home: FinishRoot,
}

impl Finish {
    /// Waits for all; what they raised.
    pub(crate) fn wait(&self) -> Vec<Handle> {
        let mut state = self.state.lock().expect("no panic");
        while state.0 > 0 {
            state = self.changed.wait(state).expect("no panic");
        }
        std::mem::take(&mut state.1)
    }
}

impl FinishScope for Finish {
    fn enter(&self) {
        self.state.lock().expect("no panic").0 += 1;
    }

    fn leave(&self, exception: Ref) {
        let handle = (!exception.is_null()).then(|| Handle::new(exception));
        let mut state = self.state.lock().expect("no panic");
        assert!(state.0 > 0, "left more often than entered");
        state.0 -= 1;
        state.1.extend(handle);
        self.changed.notify_all();
    }

    fn global_id(&self, this: &Arc<dyn FinishScope>) -> FinishId {
        self.home.global_id(this)
    }

    fn on_remote_spawn(&self, this: &Arc<dyn FinishScope>, place: PlaceId) {
        self.home.on_remote_spawn(this, place);
    }
}

struct Nobody;

impl FinishScope for Nobody {
    fn enter(&self) {}
    fn leave(&self, _: Ref) {}
    fn global_id(&self, _: &Arc<dyn FinishScope>) -> FinishId {
        FinishId::NONE
    }
    fn on_remote_spawn(&self, _: &Arc<dyn FinishScope>, _: PlaceId) {}
}

thread_local! {
    static GOVERNOR: RefCell<Option<Arc<dyn FinishScope>>> = const { RefCell::new(None) };
}

/// Runs `body` under a new finish and waits: what its activities raised.
pub(crate) fn finish(body: impl FnOnce()) -> Vec<Handle> {
    let finish = Arc::new(Finish::default());
    let outer = GOVERNOR.replace(Some(Arc::clone(&finish) as Arc<dyn FinishScope>));
    body();
    GOVERNOR.set(outer);
    finish.wait()
}

#[derive(Default)]
struct Flag(Mutex<bool>, Condvar);

impl Waiter for Flag {
    fn wait(&self) {
        let mut set = self.0.lock().expect("no panic");
        while !*set {
            set = self.1.wait(set).expect("no panic");
        }
    }

    fn wake(&self) {
        *self.0.lock().expect("no panic") = true;
        self.1.notify_all();
    }
}

/// An activity is a thread.
pub(crate) struct Threads;

impl Engine for Threads {
    fn spawn(&self, scope: Arc<dyn FinishScope>, work: Box<dyn FnOnce() -> Ref + Send>) {
        let place = apg_runtime::apgas::system();
        std::thread::spawn(move || {
            let _place = place.enter();
            GOVERNOR.set(Some(Arc::clone(&scope)));
            let exception = work();
            scope.leave(exception);
        });
    }

    fn spawn_on_clocks(
        &self,
        scope: Arc<dyn FinishScope>,
        clocks: ClockContext,
        work: Box<dyn FnOnce() -> Ref + Send>,
    ) {
        assert!(clocks.is_empty(), "threads have no clocks");
        self.spawn(scope, work);
    }

    fn clocks(&self) -> ClockContext {
        ClockContext::default()
    }

    fn take_clocks(&self) -> Vec<ClockRegistration> {
        Vec::new()
    }

    fn set_clocks(&self, registrations: Vec<ClockRegistration>) {
        assert!(registrations.is_empty(), "threads have no clocks");
    }

    fn scope(&self) -> Arc<dyn FinishScope> {
        GOVERNOR.with_borrow(|scope| scope.clone()).unwrap_or_else(|| self.uncounted())
    }

    fn uncounted(&self) -> Arc<dyn FinishScope> {
        Arc::new(Nobody)
    }

    fn waiter(&self) -> Arc<dyn Waiter> {
        Arc::new(Flag::default())
    }

    fn types(&self) -> &'static [&'static Type] {
        &TYPES
    }

    fn call(&self, closure: Ref) -> Ref {
        self.call_value(closure).map_or_else(|error| error, |_| Ref::NULL)
    }

    fn call_value(&self, closure: Ref) -> Result<Ref, Ref> {
        assert_eq!(closure.ty().name(), "Task");
        let [code, a, b, object] = [8, 16, 24, 32].map(|offset| *word(closure, offset));
        crate::scenarios::run(code, a, b, Ref(object as *mut _))
    }

    fn is_body(&self, object: Ref, _: bool) -> bool {
        std::ptr::eq(object.ty(), &TASK)
    }

    fn is_exception(&self, object: Ref) -> bool {
        std::ptr::eq(object.ty(), &ERROR)
    }

    fn exception(&self, kind: ExceptionKind, message: &str) -> Ref {
        error(kind as i64, message)
    }

    #[expect(clippy::disallowed_methods, reason = "the process of a place of the test")]
    fn end(&self, code: i32) {
        if apg_runtime::base::place::here() == PlaceId::ZERO {
            std::process::exit(code);
        }
    }
}
