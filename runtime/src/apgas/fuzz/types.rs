//! The program of the fuzzer: types of every kind that travels, and closures whose code looks at all that
//! they capture. It trusts the types of fields and nothing else, as generated code does.

use std::ffi::CStr;
use std::path::Path;
use std::sync::OnceLock;

use crate::abi;
use crate::heap;
use crate::heap::Ref;
use crate::heap::tests::{make_rail, make_type};
use crate::layout::Outcome;
use crate::layout::{Field, Kind, Program, Type, custom, result, slot};
use crate::program;

/// The program's types.
pub(super) struct Types {
    /// `x10.lang.String`.
    pub string: &'static Type,
    /// Its rails.
    pub strings: &'static Type,
    /// An exception: message, cause.
    pub exception: &'static Type,
    /// The body of an activity: a number, a node, numbers, anything.
    pub body: &'static Type,
    /// The same with a value.
    pub value_body: &'static Type,
    /// A closure that other places may not have called.
    pub function: &'static Type,
    /// A list.
    pub node: &'static Type,
    /// Numbers.
    pub longs: &'static Type,
    /// Rails of anything.
    pub anys: &'static Type,
    /// What GlobalRefs share.
    pub token: &'static Type,
    /// Has custom serialization.
    pub own: &'static Type,
}

const FIELDS: usize = 8;

fn field(name: &'static CStr, index: u32, slot: u8, ty: *const Type) -> Field {
    Field { name: name.as_ptr(), offset: 8 + 8 * index, slot, transient: 0, ty }
}

/// The types, in the order of their numbers.
fn make() -> (Types, Vec<&'static Type>) {
    let mut all: Vec<&'static Type> = Vec::new();
    let mut add = |ty: &'static Type, change: &dyn Fn(&mut Type)| -> &'static Type {
        // SAFETY: plain data.
        let mut ty = unsafe { std::ptr::read(ty) };
        ty.id = all.len() as u32;
        change(&mut ty);
        all.push(Box::leak(Box::new(ty)));
        all[all.len() - 1]
    };
    let object =
        |name, fields: Vec<Field>| make_type(name, Kind::Object, (8 + 8 * fields.len()) as u64, fields);
    let string = add(make_type(c"x10.lang.String", Kind::String, 16, Vec::new()), &|_| {});
    let strings = add(make_rail(c"x10.lang.Rail[x10.lang.String]", slot::REF), &|ty| ty.element = string);
    let exception_fields =
        vec![field(c"message", 0, slot::REF, string), field(c"cause", 1, slot::REF, std::ptr::null())];
    let exception = add(object(c"Exception", exception_fields), &|_| {});
    add(make_rail(abi_name(), slot::REF), &|ty| ty.element = exception);
    let node_fields = || {
        vec![field(c"next", 0, slot::REF, std::ptr::null()), field(c"value", 1, slot::I64, std::ptr::null())]
    };
    let node = add(object(c"Node", node_fields()), &|_| {});
    let longs = add(make_rail(c"x10.lang.Rail[x10.lang.Long]", slot::I64), &|_| {});
    let anys = add(make_rail(c"x10.lang.Rail[x10.lang.Any]", slot::REF), &|_| {});
    let closure = |name| {
        let fields = vec![
            field(c"number", 0, slot::I64, std::ptr::null()),
            field(c"node", 1, slot::REF, node),
            field(c"longs", 2, slot::REF, longs),
            field(c"any", 3, slot::REF, std::ptr::null()),
        ];
        make_type(name, Kind::Closure, 40, fields)
    };
    let body = add(closure(c"Body"), &|ty| (ty.result, ty.brief) = (result::NOTHING, 1));
    let value_body = add(closure(c"ValueBody"), &|ty| ty.result = result::REFERENCE);
    let function = add(closure(c"Function"), &|ty| ty.result = result::OTHER);
    let mut token_fields = node_fields();
    token_fields[0] = field(c"home", 0, slot::I64, std::ptr::null());
    token_fields.push(Field { transient: 1, ..field(c"target", 2, slot::REF, std::ptr::null()) });
    let token = add(object(c"x10.lang.GlobalObject", token_fields), &|ty| ty.custom = custom::GLOBAL);
    let own_fields = vec![field(c"value", 0, slot::I64, std::ptr::null())];
    let own = add(object(c"Own", own_fields), &|ty| {
        ty.custom = custom::OWN;
        ty.restore = Some(restore);
    });
    let types =
        Types { string, strings, exception, body, value_body, function, node, longs, anys, token, own };
    (types, all)
}

fn abi_name() -> &'static CStr {
    c"x10.lang.Rail[x10.lang.CheckedThrowable]"
}

static TYPES: OnceLock<(Types, Vec<&'static Type>)> = OnceLock::new();

/// The program's types.
pub(super) fn types() -> &'static Types {
    &TYPES.get_or_init(make).0
}

/// A word of an object.
pub(super) fn word(object: Ref, index: usize) -> &'static mut u64 {
    // SAFETY: callers know the object's type.
    unsafe { &mut *object.at(FIELDS + 8 * index).cast::<u64>() }
}

fn reference(object: Ref, index: usize) -> Ref {
    Ref(*word(object, index) as *mut _)
}

/// A new object with these words.
pub(super) fn object(ty: &'static Type, words: &[u64]) -> Outcome<Ref> {
    let object = crate::program::allocate(ty)?;
    words.iter().enumerate().for_each(|(index, value)| *word(object, index) = *value);
    Ok(object)
}

/// A new rail of numbers.
pub(super) fn longs(length: i64) -> Outcome<Ref> {
    crate::program::allocate_rail(types().longs, length)
}

/// Looks at all that a closure captures: a number that depends on it.
fn look(closure: Ref) -> u64 {
    let mut sum = *word(closure, 0);
    let mut node = reference(closure, 1);
    for _ in 0..100 {
        if node.is_null() {
            break;
        }
        assert!(std::ptr::eq(node.ty(), types().node), "a field has its class");
        sum = sum.wrapping_add(*word(node, 1));
        let next = reference(node, 0);
        node = if !next.is_null() && std::ptr::eq(next.ty(), types().node) { next } else { Ref::NULL };
    }
    let longs = reference(closure, 2);
    if !longs.is_null() {
        // SAFETY: inside the rail.
        let values = unsafe { std::slice::from_raw_parts(longs.elements().cast::<u64>(), longs.length()) };
        sum = values.iter().fold(sum, |sum, value| sum.wrapping_add(*value));
    }
    let any = reference(closure, 3);
    if !any.is_null() {
        sum = sum.wrapping_add(any.ty().name().len() as u64);
    }
    sum
}

unsafe extern "C" fn call(closure: Ref) -> Ref {
    assert!(std::ptr::eq(closure.ty(), types().body), "a closure without parameters and result");
    match look(closure) % 7 {
        3 => object(types().exception, &[]).unwrap_or_else(|raised| raised.0),
        _ => Ref::NULL,
    }
}

unsafe extern "C" fn call_value(closure: Ref, out: *mut Ref) -> Ref {
    assert!(std::ptr::eq(closure.ty(), types().value_body), "a closure with a result");
    look(closure);
    // SAFETY: the caller's variable.
    unsafe { out.write(reference(closure, 1)) };
    Ref::NULL
}

unsafe extern "C" fn make_exception(_: u32, argument: Ref, out: *mut Ref) -> Ref {
    let message = if !argument.is_null() && argument.is_string() { argument.0 as u64 } else { 0 };
    match object(types().exception, &[message, 0]) {
        Ok(object) => {
            // SAFETY: the caller's variable.
            unsafe { out.write(object) };
            Ref::NULL
        }
        Err(raised) => raised.0,
    }
}

unsafe extern "C" fn saved(value: Ref, out: *mut Ref) -> Ref {
    assert!(std::ptr::eq(value.ty(), types().own));
    match crate::program::allocate_rail(types().anys, 1) {
        Ok(rail) => {
            if let Ok(node) = object(types().node, &[0, *word(value, 0)]) {
                rail.set_element(0, node);
            }
            // SAFETY: the caller's variable.
            unsafe { out.write(rail) };
            Ref::NULL
        }
        Err(raised) => raised.0,
    }
}

unsafe extern "C" fn deserializer(rail: Ref, out: *mut Ref) -> Ref {
    assert!(rail.is_rail() && rail.ty().element_slot == slot::REF && rail.ty().element.is_null());
    // SAFETY: the caller's variable.
    unsafe { out.write(rail) };
    Ref::NULL
}

unsafe extern "C" fn restore(at: *mut std::ffi::c_void, rail: Ref) -> Ref {
    let first = if rail.length() > 0 { rail.element(0) } else { Ref::NULL };
    let is_node = !first.is_null() && std::ptr::eq(first.ty(), types().node);
    *word(Ref(at.cast()), 0) = if is_node { *word(first, 1) } else { 0 };
    Ref::NULL
}

unsafe extern "C" fn to_string(_: Ref, out: *mut Ref) -> Ref {
    // SAFETY: the caller's variable.
    unsafe { out.write(Ref::NULL) };
    Ref::NULL
}

unsafe extern "C" fn bind(_: *const std::ffi::c_void) {}

unsafe extern "C" fn main(_: Ref) -> Ref {
    Ref::NULL
}

unsafe extern "C" fn equals(_: Ref, _: Ref, _: *mut u8) -> Ref {
    Ref::NULL
}

unsafe extern "C" fn hash_code(_: Ref, _: *mut i32) -> Ref {
    Ref::NULL
}

/// Makes this process run the program.
pub(super) fn attach() {
    types();
    heap::configure(256 << 20, 1);
    let all = &TYPES.get_or_init(make).1;
    let types: &'static [*const Type] =
        all.iter().copied().map(std::ptr::from_ref).collect::<Vec<_>>().leak();
    let own = self::types();
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
        string_type: own.string,
        string_rail_type: own.strings,
        bind,
        main,
        make_exception,
        call,
        call_value,
        to_string,
        equals,
        hash_code,
        saved: Some(saved),
        deserializer: Some(deserializer),
    }));
    program::attach(table, Path::new("fuzz")).expect("the only program");
    abi::bind_program();
}
