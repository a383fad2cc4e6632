//! What can be tested without a GPU: how its absence shows, and everything up to the driver's door.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call the functions of this crate as generated code does"
)]

use std::ffi::c_void;

use super::*;
use crate::layout::{Capture, GlobalRail, Kernel, Launch, Object, capture_kind};

unsafe extern "C" fn two_tiles(
    environment: *const c_void,
    _: i32,
    threads: i32,
    out: *mut Launch,
) -> *mut Object {
    let launch = unsafe { &mut *out };
    launch.threads[0] = threads;
    launch.blocks[0] = unsafe { environment.cast::<i32>().read() };
    launch.shared_lengths[..2].copy_from_slice(&[i64::from(threads) + 1, 3]);
    std::ptr::null_mut()
}

unsafe extern "C" fn shortened(environment: *const c_void, _: i32, _: i32, out: *mut Launch) -> *mut Object {
    let launch = unsafe { &mut *out };
    launch.blocks[0] = unsafe { environment.cast::<i32>().read() };
    launch.shared_lengths[0] = -6;
    std::ptr::null_mut()
}

unsafe extern "C" fn raises(_: *const c_void, _: i32, _: i32, _: *mut Launch) -> *mut Object {
    std::ptr::dangling_mut()
}

unsafe extern "C" fn no_blocks(_: *const c_void, _: *const Launch, _: i64, _: i64) -> *mut Object {
    std::ptr::null_mut()
}

static SIZES: [u32; 2] = [4, 8];
static CAPTURES: [Capture; 1] = [Capture {
    name: c"out".as_ptr(),
    kind: capture_kind::GLOBAL_RAIL,
    offset: 0,
    size: 24,
    element_size: 8,
}];

const KERNEL: Kernel = Kernel {
    name: c"kernel".as_ptr(),
    file: c"Main.x10".as_ptr(),
    line: 12,
    cuda: std::ptr::null(),
    env_size: 24,
    env_by_value: 1,
    auto_blocks: 0,
    auto_threads: 0,
    early: 0,
    communicates: 0,
    capture_count: 1,
    captures: CAPTURES.as_ptr(),
    shared_count: 2,
    shared_element_sizes: SIZES.as_ptr(),
    configure: two_tiles,
    cpu: no_blocks,
    proven: None,
    block_choices: std::ptr::null(),
    block_choice_count: 0,
    thread_choices: std::ptr::null(),
    thread_choice_count: 0,
};

#[test]
fn without_a_driver_every_operation_is_an_error() {
    let checks = self_test();
    assert_eq!(checks[0].what, "NVIDIA driver");
    match count() {
        Ok(count) => assert!(checks.len() >= count as usize, "{checks:?}"),
        Err(why) => {
            assert!(!why.is_empty());
            assert_eq!(checks[0].result, Err(why.clone()));
            let error = Device::open(0, None).err().expect("there is no driver");
            assert_eq!(error, DeviceError::new(Kind::Unsupported, why));
        }
    }
}

#[test]
fn self_test_compiles_where_there_is_a_compiler() {
    let Ok(version) = compiler_version() else {
        eprintln!("skipped: no CUDA run-time compiler");
        assert!(std::env::var("APG_REQUIRE").is_err(), "APG_REQUIRE is set");
        return;
    };
    let checks = self_test();
    let compiled =
        checks.iter().find(|check| check.what == "compile a kernel").expect("a compiler, so a check");
    assert!(compiled.result.is_ok(), "{version:?}: {compiled:?}");
    compile_for(&crate::device::copy::copy_kernel::SOURCE.to_string_lossy(), "fetch.cu", (9, 0))
        .expect("code that copies");
    compile_for(&crate::device::copy::box_copy::SOURCE.to_string_lossy(), "boxes.cu", (9, 0))
        .expect("code that copies boxes");
    // Of a device that no compiler knows yet.
    let portable =
        compile_for("extern \"C\" __global__ void nothing() {}", "new.cu", (99, 0)).expect("portable code");
    assert!(String::from_utf8_lossy(&portable.0).contains(".visible .entry nothing"));
    let error = compile_for("this is no CUDA", "wrong.cu", (9, 0)).expect_err("not a program");
    assert!(error.message.contains("wrong.cu"), "{error}");
    assert_eq!(error.kind, Kind::Internal);
}

#[test]
fn shared_rails_are_aligned_and_negative_extents_are_errors() {
    let blocks = 5_i32;
    let mut plan = Plan::default();
    if unsafe { configure(&KERNEL, (&raw const blocks).cast(), 1, 32, &mut plan) }.is_err() {
        panic!("nothing is wrong with it");
    }
    // 33 floats are 132 bytes, and the next rail starts at a multiple of 16.
    assert_eq!((plan.shared_offset(0), plan.shared_offset(1)), (0, 144));
    assert_eq!(plan.launch.blocks, [5, 1, 1]);
    assert!(!plan.is_empty());
    let blocks = -1_i32;
    match unsafe { configure(&KERNEL, (&raw const blocks).cast(), 1, 32, &mut plan) } {
        Err(LaunchError::Device(error)) => {
            assert_eq!(error.message, "Main.x10:12: kernel: the extent of a block loop is -1");
            assert_eq!(error.kind, Kind::IllegalOperation);
        }
        _ => panic!("a negative extent"),
    }
    let kernel = Kernel { configure: shortened, ..KERNEL };
    let blocks = 1_i32;
    match unsafe { configure(&kernel, (&raw const blocks).cast(), 1, 1, &mut plan) } {
        Err(LaunchError::Device(error)) => {
            assert_eq!(error.message, "Main.x10:12: kernel: a rail in shared memory has -6 elements");
            assert_eq!(error.kind, Kind::NegativeSize);
        }
        _ => panic!("a negative length"),
    }
    let blocks = 0_i32;
    if unsafe { configure(&kernel, (&raw const blocks).cast(), 1, 1, &mut plan) }.is_err() {
        panic!("no block, no rail");
    }
    assert!(plan.is_empty());
}

#[test]
fn exceptions_of_program_code_are_propagated() {
    let kernel = Kernel { configure: raises, ..KERNEL };
    match unsafe { configure(&kernel, std::ptr::null(), 1, 1, &mut Plan::default()) } {
        Err(LaunchError::Raised(object)) => assert_eq!(object, std::ptr::dangling_mut()),
        _ => panic!("it raises"),
    }
}

fn bytes(rail: &GlobalRail) -> Vec<u8> {
    [rail.size, rail.home, rail.handle].iter().flat_map(|number| number.to_ne_bytes()).collect()
}

#[test]
fn host_kernel_sees_only_its_own_rails() {
    let mut elements = [1.0_f64, 2.0];
    let address = elements.as_mut_ptr().cast::<u8>();
    let resolve = |handle| (handle == 7).then_some(address);
    let environment = bytes(&GlobalRail { size: 2, home: 3, handle: 7 });
    let prepared = prepare_host(3, &KERNEL, &environment, &resolve).expect("known");
    assert_eq!(prepared.bytes()[16..], (address as i64).to_ne_bytes());
    let elsewhere = prepare_host(4, &KERNEL, &environment, &resolve).err().expect("elsewhere");
    assert_eq!(elsewhere.kind, Kind::BadPlace);
    assert!(elsewhere.message.contains("`out` is at Place(3)"), "{elsewhere}");
    let environment = bytes(&GlobalRail { size: 2, home: 3, handle: 8 });
    let unknown = prepare_host(3, &KERNEL, &environment, &resolve).err().expect("unknown");
    assert_eq!(unknown.kind, Kind::IllegalArgument);
}

#[test]
fn overlapping_global_rails_are_detected() {
    static TWO: [Capture; 2] = [
        Capture {
            offset: 0,
            name: c"a".as_ptr(),
            kind: capture_kind::GLOBAL_RAIL,
            size: 24,
            element_size: 8,
        },
        Capture {
            offset: 24,
            name: c"b".as_ptr(),
            kind: capture_kind::GLOBAL_RAIL,
            size: 24,
            element_size: 4,
        },
    ];
    let kernel = Kernel { capture_count: 2, captures: TWO.as_ptr(), ..KERNEL };
    let overlap = |a: (i64, i64), b: (i64, i64)| {
        let rail = |(handle, size)| bytes(&GlobalRail { size, home: 1, handle });
        crate::device::launch::kernel_args::overlap(&kernel, &[rail(a), rail(b)].concat())
    };
    assert!(overlap((1000, 10), (1000, 10)));
    assert!(overlap((1000, 10), (1076, 10)) && overlap((1020, 1), (1000, 10)));
    assert!(!overlap((1000, 10), (1080, 10)) && !overlap((1040, 10), (1000, 10)));
    assert!(!overlap((1000, 0), (1000, 10)));
}

#[test]
fn number_of_kernel_variants_is_limited() {
    let modules = crate::device::launch::module::Modules::new(None);
    let relied_on: Vec<u32> = [5, 1, 5, 0, 3, 7, 9, 1].iter().map(|it| modules.held(&KERNEL, *it)).collect();
    assert_eq!(relied_on, [5, 1, 5, 0, 3, 0, 0, 1]);
}
