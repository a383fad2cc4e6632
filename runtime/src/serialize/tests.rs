//! Graphs of hand-made types, copied and sent.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call the functions of this crate as generated code does"
)]

use std::cell::RefCell;
use std::ffi::c_char;
use std::ptr::null;

use proptest::prelude::*;

use super::read::Input;
use crate::layout::{Counted, Field, Kind, Object, Type, slot};
use crate::serialize::{Error, Heap, TypeTable, copy, read, single, write};

const fn ty(id: u32, kind: Kind, name: &'static [u8], size: u64) -> Type {
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

const fn field(offset: u32, slot: u8, transient: bool, ty: *const Type) -> Field {
    Field { name: c"f".as_ptr(), offset, slot, transient: transient as u8, ty }
}

#[repr(C)]
struct Node {
    ty: *const Type,
    next: *mut Object,
    value: i64,
    cache: i64,
    pair: Pair,
    label: *mut Object,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Pair {
    number: i32,
    other: *mut Object,
}

static PAIR_FIELDS: [Field; 2] = [field(0, slot::I32, false, null()), field(8, slot::REF, false, null())];
static PAIR: Type =
    Type { field_count: 2, fields: PAIR_FIELDS.as_ptr(), ..ty(0, Kind::Struct, b"Pair\0", 16) };
static NODE_FIELDS: [Field; 5] = [
    field(8, slot::REF, false, &raw const NODE),
    field(16, slot::I64, false, null()),
    field(24, slot::I64, true, null()),
    field(32, slot::VALUE, false, &raw const PAIR),
    field(48, slot::REF, false, null()),
];
static NODE: Type =
    Type { field_count: 5, fields: NODE_FIELDS.as_ptr(), ..ty(1, Kind::Object, b"Node\0", 56) };
static STRING: Type = ty(2, Kind::String, b"x10.lang.String\0", 16);
static REFS: Type =
    Type { element_slot: slot::REF, element_size: 8, ..ty(3, Kind::Rail, b"Rail[Any]\0", 16) };
static DOUBLES: Type =
    Type { element_slot: slot::F64, element_size: 8, ..ty(4, Kind::Rail, b"Rail[Double]\0", 16) };
static PAIRS: Type = Type {
    element_slot: slot::VALUE,
    element_size: 16,
    element: &raw const PAIR,
    ..ty(5, Kind::Rail, b"Rail[Pair]\0", 16)
};
static EMPTY: Type = ty(6, Kind::Struct, b"Empty\0", 1);
static EMPTIES: Type = Type {
    element_slot: slot::VALUE,
    element_size: 1,
    element: &raw const EMPTY,
    ..ty(7, Kind::Rail, b"Rail[Empty]\0", 16)
};
static PLAIN_FIELDS: [Field; 3] = [
    field(8, slot::I64, false, null()),
    field(16, slot::BOOL, false, null()),
    field(20, slot::F32, false, null()),
];
static PLAIN: Type =
    Type { field_count: 3, fields: PLAIN_FIELDS.as_ptr(), ..ty(8, Kind::Object, b"Plain\0", 24) };
static TYPES: [&Type; 9] = [&PAIR, &NODE, &STRING, &REFS, &DOUBLES, &PAIRS, &EMPTY, &EMPTIES, &PLAIN];
const TABLE: TypeTable = TypeTable(&TYPES);

/// Keeps all it gave out; refuses anything above 16 MiB.
#[derive(Default)]
struct TestHeap(RefCell<Vec<Vec<u64>>>);

impl Heap for TestHeap {
    fn allocate(&self, ty: &'static Type, length: i64) -> Option<*mut Object> {
        let size = ty.instance_size(length).filter(|size| *size < 16 << 20)?;
        let mut memory = vec![0_u64; size.div_ceil(8)];
        let object = memory.as_mut_ptr().cast::<Object>();
        self.0.borrow_mut().push(memory);
        unsafe {
            (*object).ty = ty;
            if ty.is_counted() {
                (*object.cast::<Counted>()).length = length;
            }
        }
        Some(object)
    }
}

impl TestHeap {
    fn make(&self, ty: &'static Type, length: i64) -> *mut Object {
        self.allocate(ty, length).expect("test objects are small")
    }

    fn node(&self, value: i64) -> *mut Node {
        let node = self.make(&NODE, 0).cast::<Node>();
        unsafe { (*node).value = value };
        node
    }

    fn string(&self, text: &str) -> *mut Object {
        let string = self.make(&STRING, text.len() as i64);
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), string.cast::<u8>().add(16), text.len());
        }
        string
    }

    fn send(&self, root: *mut Object) -> Result<*mut Object, Error> {
        let mut bytes = Vec::new();
        unsafe { write::graph(&mut bytes, root, &Default::default(), crate::heap::global_refs::Copies::One) }
            .expect("nothing custom");
        let mut input = Input::new(&bytes);
        let result = read::graph(&mut input, TABLE, self)?.root;
        input.end()?;
        Ok(result)
    }
}

unsafe fn elements<T>(rail: *mut Object) -> *mut T {
    unsafe { rail.cast::<u8>().add(16).cast() }
}

unsafe fn text(string: *mut Object) -> String {
    unsafe {
        let bytes =
            std::slice::from_raw_parts(elements::<u8>(string), (*string.cast::<Counted>()).length as usize);
        String::from_utf8(bytes.to_vec()).expect("UTF-8")
    }
}

/// Both ways of copying must give the same graph.
fn both(heap: &TestHeap, root: *mut Object, check: impl Fn(*mut Object)) {
    check(unsafe { copy::copy(root, heap) }.expect("copy"));
    check(heap.send(root).expect("send"));
}

#[test]
fn null_stays_null() {
    let heap = TestHeap::default();
    both(&heap, std::ptr::null_mut(), |copy| assert!(copy.is_null()));
}

#[test]
fn sharing_and_cycles_are_kept_and_transients_are_zero() {
    let heap = TestHeap::default();
    let (first, second) = (heap.node(1), heap.node(2));
    let label = heap.string("grüße");
    unsafe {
        (*first).next = second.cast();
        (*second).next = first.cast();
        (*first).cache = 99;
        (*first).label = label;
        (*second).label = label;
        (*second).pair = Pair { number: 7, other: first.cast() };
    }
    both(&heap, first.cast(), |copy| unsafe {
        let first_copy = copy.cast::<Node>();
        assert_ne!(first_copy, first);
        let second_copy = (*first_copy).next.cast::<Node>();
        assert_ne!(second_copy, second);
        assert_eq!(((*first_copy).value, (*second_copy).value), (1, 2));
        assert_eq!((*second_copy).next, copy);
        assert_eq!((*first_copy).cache, 0);
        assert_eq!((*first).cache, 99);
        assert_eq!((*second_copy).pair.number, 7);
        assert_eq!((*second_copy).pair.other, copy);
        assert_eq!((*first_copy).label, (*second_copy).label);
        assert_eq!(text((*first_copy).label), "grüße");
    });
}

#[test]
fn rails_round_trip() {
    let heap = TestHeap::default();
    let doubles = heap.make(&DOUBLES, 3);
    let pairs = heap.make(&PAIRS, 2);
    let empties = heap.make(&EMPTIES, 5);
    let all = heap.make(&REFS, 5);
    unsafe {
        for index in 0..3 {
            elements::<f64>(doubles).add(index).write(index as f64 + 0.5);
        }
        elements::<Pair>(pairs).add(1).write(Pair { number: -4, other: doubles });
        for (index, object) in
            [doubles, pairs, empties, doubles, std::ptr::null_mut()].into_iter().enumerate()
        {
            elements::<*mut Object>(all).add(index).write(object);
        }
    }
    both(&heap, all, |copy| unsafe {
        let part = |index| elements::<*mut Object>(copy).add(index).read();
        assert_eq!((*copy.cast::<Counted>()).length, 5);
        assert_eq!(part(0), part(3));
        assert_ne!(part(0), doubles);
        assert_eq!(std::slice::from_raw_parts(elements::<f64>(part(0)), 3), [0.5, 1.5, 2.5]);
        let pair = elements::<Pair>(part(1)).add(1).read();
        assert_eq!((pair.number, pair.other), (-4, part(0)));
        assert_eq!((*part(2).cast::<Counted>()).length, 5);
        assert!(part(4).is_null());
    });
}

#[test]
fn long_lists_need_no_recursion() {
    let heap = TestHeap::default();
    let mut head = std::ptr::null_mut();
    for value in 0..200_000 {
        let node = heap.node(value);
        unsafe { (*node).next = head };
        head = node.cast();
    }
    both(&heap, head, |copy| {
        let (mut at, mut count) = (copy.cast::<Node>(), 0);
        while !at.is_null() {
            count += 1;
            at = unsafe { (*at).next.cast() };
        }
        assert_eq!(count, 200_000);
    });
}

fn read_bytes(bytes: &[u8]) -> Result<*mut Object, Error> {
    let heap = TestHeap::default();
    let mut input = Input::new(bytes);
    let result = read::graph(&mut input, TABLE, &heap)?.root;
    input.end()?;
    Ok(result)
}

#[test]
fn malformed_messages_are_errors() {
    let damaged: [(&str, &[u8]); 8] = [
        ("more bytes", &[]),
        ("more bytes", &[1]),
        ("a reference to an object of the message", &[1, 0]),
        ("the number of a class of this program", &[1, 99, 0]),
        ("the number of a class of this program", &[1, 1, 0]),
        ("a length that the message can hold", &[1, 5, 0x80, 0x80, 0x80, 0x80, 0x40, 0]),
        ("a number below 2^64", &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]),
        ("the end of the message", &[0, 0, 0]),
    ];
    for (what, bytes) in damaged {
        match read_bytes(bytes) {
            Err(Error::Malformed { expected, .. }) => assert_eq!(expected, what, "{bytes:?}"),
            other => panic!("{bytes:?} gave {other:?}"),
        }
    }
}

#[test]
fn field_of_another_class_is_an_error() {
    let heap = TestHeap::default();
    let node = heap.node(1);
    unsafe { (*node).next = heap.string("not a node") };
    let error = heap.send(node.cast()).expect_err("a string is no Node");
    assert!(matches!(error, Error::Malformed { expected: "an object of the field's class", .. }), "{error}");
}

#[test]
fn full_heap_error_names_the_type() {
    let mut bytes = vec![1, 8];
    write::number(&mut bytes, 1 << 40);
    bytes.push(0);
    match read_bytes(&bytes) {
        Err(Error::OutOfMemory { what, bytes }) => {
            assert_eq!((what.as_str(), bytes), ("Rail[Empty]", (1 << 40) + 16))
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(prop_oneof![0_u8..10, any::<u8>()], 0..64)) {
        let _ = read_bytes(&bytes);
    }

    #[test]
    fn corrupted_graphs_never_panic(at in 0_usize..200, value in any::<u8>()) {
        let heap = TestHeap::default();
        let (first, second) = (heap.node(1), heap.node(2));
        let all = heap.make(&REFS, 3);
        unsafe {
            (*first).next = second.cast();
            (*first).label = heap.string("label");
            elements::<*mut Object>(all).write(first.cast());
            elements::<*mut Object>(all).add(2).write(all);
        }
        let mut bytes = Vec::new();
        unsafe { write::graph(&mut bytes, all, &Default::default(), crate::heap::global_refs::Copies::One) }.expect("nothing custom");
        let at = at % bytes.len();
        bytes[at] = value;
        let _ = read_bytes(&bytes);
    }
}

#[test]
fn size_limit_is_enforced() {
    let heap = TestHeap::default();
    let written = |root, most| {
        let (mut bytes, mut parts) = (vec![9; 5], Vec::new());
        let (saved, copies) = (Default::default(), crate::heap::global_refs::Copies::One);
        unsafe { write::graph_in_parts(&mut bytes, Some(&mut parts), root, &saved, copies, most) }
            .is_ok()
            .then_some((bytes.len(), parts.len()))
    };
    let mut list = std::ptr::null_mut::<Object>();
    for value in 0..1000 {
        let node = heap.node(value);
        unsafe { (*node).next = list };
        list = node.cast();
    }
    let (whole, _) = written(list, usize::MAX).expect("no limit");
    assert!(whole > 4096 && written(list, 4096).is_none());
    assert!(written(heap.node(1).cast(), 4096).is_some());
    let references = heap.make(&REFS, 1000);
    assert!(written(references, 4096).is_none(), "they need not be followed");
    let text = heap.string(&"x".repeat(5000));
    assert!(written(text, 4096).is_none());
    let long = heap.string(&"x".repeat(2 * crate::serialize::out_of_band::MIN_PART_SIZE));
    assert!(matches!(written(long, 4096), Some((..100, 1))), "it goes beside the bytes");
}

#[test]
fn fast_path_uses_the_common_encoding() {
    let heap = TestHeap::default();
    let plain = heap.make(&PLAIN, 0);
    let fields = |object: *mut Object| unsafe { object.cast::<u64>().add(1).cast::<[u64; 2]>().read() };
    unsafe {
        plain
            .cast::<u64>()
            .add(1)
            .cast::<[u64; 2]>()
            .write([u64::MAX - 7, 1 | u64::from(1.5_f32.to_bits()) << 32])
    };
    let (mut common, mut short) = (Vec::new(), vec![9]);
    unsafe { write::graph(&mut common, plain, &Default::default(), crate::heap::global_refs::Copies::One) }
        .expect("nothing custom");
    assert!(unsafe { single::write(&mut short, plain) });
    assert_eq!(short[1..], common);
    let mut input = Input::new(&common);
    let copy = single::read(&mut input, TABLE, &heap).expect("such an object");
    assert_eq!((fields(copy), input.remaining()), (fields(plain), 0));
    for length in 0..common.len() {
        let mut input = Input::new(&common[..length]);
        assert!(single::read(&mut input, TABLE, &heap).is_none() && input.remaining() == length);
    }
}

#[test]
fn fast_path_rejects_other_objects() {
    let heap = TestHeap::default();
    let others = [std::ptr::null_mut(), heap.node(1).cast(), heap.string("text"), heap.make(&DOUBLES, 2)];
    for other in others {
        let mut bytes = vec![9];
        assert!(!unsafe { single::write(&mut bytes, other) } && bytes == [9]);
        unsafe {
            write::graph(&mut bytes, other, &Default::default(), crate::heap::global_refs::Copies::One)
        }
        .expect("nothing custom");
        let mut input = Input::new(&bytes[1..]);
        assert!(single::read(&mut input, TABLE, &heap).is_none() && input.remaining() == bytes.len() - 1);
    }
}
