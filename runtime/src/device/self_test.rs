//! Self-test of everything a kernel needs, for `apg doctor`: compile, copy in, run, copy out, compare.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call the functions of this crate as generated code does"
)]

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::device::launch::launcher::{LaunchError, LaunchOptions};
use crate::device::{Device, DeviceError, OnComplete};
use crate::layout::{Capture, GlobalRail, Kernel, KernelRail, Launch, Object, capture_kind};

/// A step and how it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was tried.
    pub what: String,
    /// What is known then, or what is wrong.
    pub result: Result<String, String>,
}

const LENGTH: usize = 10_000;

#[repr(C)]
#[derive(Clone, Copy)]
struct Environment {
    factor: f32,
    input: KernelRail,
    output: GlobalRail,
}

const SOURCE: &std::ffi::CStr = c"
struct Rail { float *data; long long length; };
struct GlobalRail { long long size, home; float *data; };
struct Env { float factor; Rail input; GlobalRail output; };
struct Shared { unsigned offset[16]; int length[16]; };
extern \"C\" __global__ void apg_self_test(const __grid_constant__ Env env, const __grid_constant__ Shared shared) {
    extern __shared__ __align__(16) char memory[];
    float *tile = reinterpret_cast<float *>(memory + shared.offset[0]);
    long long stride = (long long)gridDim.x * blockDim.x;
    for (long long base = (long long)blockIdx.x * blockDim.x; base < env.input.length; base += stride) {
        long long at = base + threadIdx.x;
        tile[threadIdx.x] = at < env.input.length ? env.input.data[at] : 0.0f;
        __syncthreads();
        if (at < env.output.size) env.output.data[at] = env.factor * tile[threadIdx.x] + (float)shared.length[0] * 0.0f;
        __syncthreads();
    }
}";

static CAPTURES: [Capture; 3] = [
    Capture { name: c"factor".as_ptr(), kind: capture_kind::SCALAR, offset: 0, size: 4, element_size: 0 },
    Capture { name: c"input".as_ptr(), kind: capture_kind::HOST_RAIL, offset: 8, size: 16, element_size: 4 },
    Capture {
        name: c"output".as_ptr(),
        kind: capture_kind::GLOBAL_RAIL,
        offset: 24,
        size: 24,
        element_size: 4,
    },
];
static SHARED: [u32; 1] = [4];

static KERNEL: Kernel = Kernel {
    name: c"apg_self_test".as_ptr(),
    file: c"self test".as_ptr(),
    line: 1,
    cuda: SOURCE.as_ptr(),
    env_size: size_of::<Environment>() as u32,
    env_by_value: 1,
    auto_blocks: 1,
    auto_threads: 1,
    early: 0,
    communicates: 0,
    capture_count: 3,
    captures: CAPTURES.as_ptr(),
    shared_count: 1,
    shared_element_sizes: SHARED.as_ptr(),
    configure,
    cpu: unused,
    proven: None,
    block_choices: std::ptr::null(),
    block_choice_count: 0,
    thread_choices: std::ptr::null(),
    thread_choice_count: 0,
};

unsafe extern "C" fn configure(_: *const c_void, blocks: i32, threads: i32, out: *mut Launch) -> *mut Object {
    // SAFETY: the launcher passes a valid place for the result.
    let launch = unsafe { &mut *out };
    launch.blocks[0] = blocks;
    launch.threads[0] = threads;
    launch.shared_lengths[0] = i64::from(threads);
    std::ptr::null_mut()
}

unsafe extern "C" fn unused(_: *const c_void, _: *const Launch, _: i64, _: i64) -> *mut Object {
    std::ptr::null_mut()
}

/// Tries everything: the driver, the compiler, and on each device a kernel.
pub fn self_test() -> Vec<Check> {
    let compiler = crate::device::compiler_version().map(|(major, minor)| format!("version {major}.{minor}"));
    let driver = crate::device::count().map(|count| {
        let version = crate::device::driver_version().unwrap_or(0);
        format!("supports CUDA {}.{}; {count} device(s)", version / 1000, version % 1000 / 10)
    });
    let count = crate::device::count().unwrap_or(0);
    let mut checks = vec![
        Check { what: "NVIDIA driver".to_owned(), result: driver },
        Check { what: "CUDA run-time compiler".to_owned(), result: compiler.clone() },
    ];
    if compiler.is_ok() {
        let result = crate::device::compile_for(&SOURCE.to_string_lossy(), "self_test.cu", (9, 0))
            .map(|(code, _)| format!("{} bytes of device code", code.len()))
            .map_err(|error| error.message);
        checks.push(Check { what: "compile a kernel".to_owned(), result });
    }
    if count > 1 {
        // Nothing is missing without it: the hosts do the same.
        let how = match crate::device::collective::group::ready() {
            Ok(()) => "by NCCL".to_owned(),
            Err(why) => format!("through the host: {why}"),
        };
        checks.push(Check { what: "collective operations of GPUs".to_owned(), result: Ok(how) });
    }
    for ordinal in 0..count {
        let (what, result) = match Device::open(ordinal, None) {
            Ok(device) => {
                (format!("run a kernel on {}", device.label()), run(&device).map_err(|error| error.message))
            }
            Err(error) => (format!("use CUDA{ordinal}"), Err(error.message)),
        };
        checks.push(Check { what, result });
    }
    checks
}

/// Waits, on a thread that may, for an operation of the device.
fn wait(start: impl FnOnce(OnComplete)) -> Result<(), DeviceError> {
    let (sender, receiver) = channel();
    start(Box::new(move |result| {
        let _ = sender.send(result);
    }));
    receiver
        .recv()
        .unwrap_or_else(|_| Err(DeviceError::new(crate::device::Kind::Internal, "the device did not answer")))
}

fn run(device: &Arc<Device>) -> Result<String, DeviceError> {
    let mut input: Vec<f32> = (0..LENGTH).map(|index| index as f32).collect();
    let mut output = vec![-1.0_f32; LENGTH];
    let bytes = (LENGTH * 4) as u64;
    let address = device.allocate(bytes)?;
    wait(|done| device.clear(address, bytes, done))?;
    let environment = Environment {
        factor: 3.0,
        input: KernelRail { data: input.as_mut_ptr().cast(), length: LENGTH as i64 },
        output: GlobalRail { size: LENGTH as i64, home: 1, handle: address as i64 },
    };
    // SAFETY: a plain struct as bytes, its padding included, which nobody reads as anything.
    let view = unsafe {
        let mut copy = std::mem::MaybeUninit::<Environment>::zeroed();
        copy.as_mut_ptr().write(environment);
        std::slice::from_raw_parts(copy.as_ptr().cast::<u8>(), size_of::<Environment>()).to_vec()
    };
    let mut failed = None;
    let launched = wait(|done| {
        let failure = DeviceError::new(crate::device::Kind::Internal, "the launch failed");
        let done = Arc::new(parking_lot::Mutex::new(Some(done)));
        let later = Arc::clone(&done);
        let finish = move |result| {
            if let Some(done) = later.lock().take() {
                done(result);
            }
        };
        // SAFETY: the environment is the kernel's; `input` outlives the wait.
        if let Err(error) =
            unsafe { device.launch(1, &KERNEL, &view, LaunchOptions::default(), Box::new(finish)) }
        {
            failed = Some(match error {
                LaunchError::Device(error) => error,
                LaunchError::Raised(_) => failure.clone(),
            });
            if let Some(done) = done.lock().take() {
                done(Err(failure));
            }
        }
    });
    launched.map_err(|error| failed.unwrap_or(error))?;
    // SAFETY: `output` outlives the wait.
    wait(|done| unsafe { device.download(address, output.as_mut_ptr().cast(), bytes, done) })?;
    device.free(address)?;
    let wrong = output.iter().zip(&input).position(|(out, source)| *out != 3.0 * source);
    match wrong {
        None => Ok(format!("{LENGTH} results are right")),
        Some(index) => Err(DeviceError::new(
            crate::device::Kind::Internal,
            format!("result {index} is {} instead of {}", output[index], 3.0 * input[index]),
        )),
    }
}
