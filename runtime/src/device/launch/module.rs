//! Kernels as functions of a device, compiled on first use. A kernel has several variants, which omit the
//! checks that a launch has proven unnecessary.

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::cache::{self, Cache};
use crate::device::Device;
use crate::device::cache::constants::Area;
use crate::device::cuda::driver::sys;
use crate::device::cuda::stream::DurationEstimate;
use crate::device::error::{DeviceError, KernelLocation, Kind};
use crate::device::nvrtc::compile;
use crate::layout::Kernel;

/// A kernel on a device.
pub(crate) struct Function {
    function: sys::CUfunction,
    /// Maximum number of threads of a block, limited by registers.
    pub max_threads: i32,
    /// Shared memory that its code declares.
    pub static_shared: i32,
    /// The constant memory of its code.
    pub constants: Option<Arc<Area>>,
    /// Estimate of its duration.
    pub estimate: Arc<DurationEstimate>,
    /// Dynamic shared memory that it has been allowed so far.
    allowed_shared: Mutex<i32>,
    /// Answers of the occupancy calculator: resident blocks by threads and dynamic shared memory of a block.
    resident: Mutex<FxHashMap<(i32, i32), i32>>,
}

// SAFETY: functions of the driver may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: functions of the driver may be used from any thread.
unsafe impl Sync for Function {}

type Slot = Arc<OnceLock<Result<Arc<Function>, DeviceError>>>;

/// Variant of a kernel: the properties of a launch that its code relies on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// Global rails may have memory in common.
    pub overlap: bool,
    /// Accesses that depend on the launch are inside their rails.
    pub proven: bool,
    /// If not all are: the conditions that hold, one bit each.
    pub held: u32,
    /// Indices fit 32 bits.
    pub narrow: bool,
    /// Constant rails are in constant memory.
    pub constant: bool,
    /// Few threads run: loops load ahead (software pipelining).
    pub early: bool,
}

/// The kernels of a device, by address of their descriptors and variant.
pub(crate) struct Modules {
    cache: Option<Cache>,
    loaded: Mutex<FxHashMap<(usize, Variant), Slot>>,
    /// The sets of conditions that held at launches of a kernel, if not all did.
    held: Mutex<FxHashMap<usize, Vec<u32>>>,
}

/// Maximum number of sets of conditions that a kernel is compiled for: compiling for more would take longer
/// than the checks.
const MAX_VARIANTS: usize = 4;

/// The source location of a kernel.
pub(crate) fn location_of(kernel: &Kernel) -> KernelLocation {
    KernelLocation { file: text(kernel.file), line: kernel.line }
}

fn text(pointer: *const std::ffi::c_char) -> String {
    if pointer.is_null() {
        return "?".to_owned();
    }
    // SAFETY: descriptors hold C strings of the program.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

impl Modules {
    /// Makes an empty table.
    pub(crate) fn new(cache: Option<Cache>) -> Modules {
        Modules { cache, loaded: Mutex::default(), held: Mutex::default() }
    }

    /// The conditions that the code may rely on: `held`, or none if that needs too many variants.
    pub(crate) fn held(&self, kernel: &Kernel, held: u32) -> u32 {
        let mut known = self.held.lock();
        let choices = known.entry(std::ptr::from_ref(kernel) as usize).or_default();
        if choices.len() < MAX_VARIANTS && !choices.contains(&held) {
            choices.push(held);
        }
        if choices.contains(&held) { held } else { 0 }
    }
}

impl Device {
    /// The function of a kernel; the first call compiles it, or finds it in the cache.
    pub(crate) fn function(
        &self,
        kernel: &'static Kernel,
        variant: Variant,
    ) -> Result<Arc<Function>, DeviceError> {
        let key = (std::ptr::from_ref(kernel) as usize, variant);
        let slot = Arc::clone(self.modules.loaded.lock().entry(key).or_default());
        slot.get_or_init(|| self.load(kernel, variant).map(Arc::new)).clone()
    }

    fn load(&self, kernel: &Kernel, variant: Variant) -> Result<Function, DeviceError> {
        let code = self.device_code(kernel, variant)?;
        self.context.enter()?;
        let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
        let name = text(kernel.name);
        // SAFETY: a context of this device is current; the code is a whole image and the name a C string. The
        // module is never unloaded.
        unsafe {
            self.check(
                sys::cuModuleLoadData(&mut module, code.as_ptr().cast()),
                "load the code of a kernel",
            )?;
            let found = sys::cuModuleGetFunction(&mut function, module, kernel.name);
            self.check(found, &format!("find the function {name} in the code of a kernel"))?;
        }
        self.prepare_recursion(module, &code)?;
        let attribute = |attribute| {
            let mut value = 0;
            // SAFETY: a function of this device; the result goes to a local.
            let result = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, function) };
            self.check(result, "describe a kernel").map(|()| value)
        };
        let mut constants = 0;
        if variant.constant {
            // SAFETY: a module of this device and the name of a variable that its code has; the result goes
            // to a local.
            let found = unsafe {
                sys::cuModuleGetGlobal_v2(
                    &mut constants,
                    std::ptr::null_mut(),
                    module,
                    c"apg_constants".as_ptr(),
                )
            };
            self.check(found, &format!("find the constant memory of {name}"))?;
        }
        use sys::CUfunction_attribute_enum::*;
        Ok(Function {
            function,
            constants: variant.constant.then(|| Area::new(constants)),
            max_threads: attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            static_shared: attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            estimate: Arc::default(),
            allowed_shared: Mutex::new(0),
            resident: Mutex::default(),
        })
    }

    fn device_code(&self, kernel: &Kernel, variant: Variant) -> Result<Vec<u8>, DeviceError> {
        if kernel.cuda.is_null() {
            return Err(DeviceError::new(Kind::Unsupported, "the program was built without code for GPUs"));
        }
        // SAFETY: a C string of the program.
        let source = unsafe { CStr::from_ptr(kernel.cuda) };
        let source = source.to_string_lossy();
        let mut head = String::new();
        let traits = [
            ("APG_OVERLAP", variant.overlap),
            ("APG_PROVEN", variant.proven),
            ("APG_NARROW", variant.narrow),
            ("APG_CONSTANT", variant.constant),
            ("APG_PIPELINED", variant.early),
        ];
        for (name, wanted) in traits {
            if wanted {
                head.push_str(&format!("#define {name}\n"));
            }
        }
        if variant.held != 0 {
            head.push_str(&format!("#define APG_HELD {}u\n", variant.held));
        }
        let source = format!("{head}{source}");
        let options = compile::options(self.capability).join(" ");
        let key = cache::key(&[source.as_bytes(), options.as_bytes()]);
        let cached = self.modules.cache.as_ref().map(|cache| (cache, cache.path("kernels", &key, "cubin")));
        if let Some(code) = cached.as_ref().and_then(|(cache, entry)| cache.load(entry)) {
            return Ok(code);
        }
        let name = format!("{}.cu", text(kernel.name));
        let (code, _) = compile::compile_for(&source, &name, self.capability)?;
        if let Some((cache, entry)) = cached {
            // A cache that cannot be written costs time, nothing else.
            let _ = cache.store(&entry, &code);
        }
        Ok(code)
    }

    /// Allows the function that much dynamic shared memory; what every block may have needs no permission.
    pub(crate) fn allow_shared(&self, function: &Function, bytes: i32) -> Result<(), DeviceError> {
        let mut allowed = function.allowed_shared.lock();
        if bytes + function.static_shared <= self.limits.shared || bytes <= *allowed {
            return Ok(());
        }
        let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: a function of this device.
        let result = unsafe { sys::cuFuncSetAttribute(function.function, attribute, bytes) };
        self.check(result, &format!("give a block {bytes} bytes of shared memory"))?;
        *allowed = bytes;
        Ok(())
    }

    /// How many blocks of that size a multiprocessor holds at once.
    pub(crate) fn resident_blocks(
        &self,
        function: &Function,
        threads: i32,
        shared: i32,
    ) -> Result<i32, DeviceError> {
        if let Some(known) = function.resident.lock().get(&(threads, shared)) {
            return Ok(*known);
        }
        self.allow_shared(function, shared)?;
        let mut blocks = 0;
        // SAFETY: a function of this device; the result goes to a local.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                function.function,
                threads,
                shared as usize,
            )
        };
        self.check(result, "tell how many blocks of a kernel it holds")?;
        function.resident.lock().insert((threads, shared), blocks);
        Ok(blocks)
    }
}

impl Function {
    /// For the driver.
    pub(crate) fn raw(&self) -> sys::CUfunction {
        self.function
    }
}
