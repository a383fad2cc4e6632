//! CUDA C++ to device code by NVIDIA's run-time compiler, which needs no GPU.

use std::ffi::{CString, c_char};

use cudarc::nvrtc::sys;

use super::error::{DeviceError, Kind};

/// The compiler's version, or why it cannot be used.
pub fn compiler_version() -> Result<(u32, u32), String> {
    // SAFETY: looks for a library of a well-known name.
    if !unsafe { sys::is_culib_present() } {
        return Err("the CUDA run-time compiler is not installed (no libnvrtc); it comes with the CUDA toolkit and with \
                    the Python package nvidia-cuda-nvrtc, whose folder then belongs on LD_LIBRARY_PATH"
            .to_owned());
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is there; results go to locals.
    match unsafe { sys::nvrtcVersion(&mut major, &mut minor) } {
        sys::nvrtcResult::NVRTC_SUCCESS => Ok((major as u32, minor as u32)),
        other => Err(format!("the CUDA run-time compiler does not tell its version: {other:?}")),
    }
}

/// The options that every kernel is compiled with, for a compute capability.
pub(super) fn options(capability: (u32, u32)) -> Vec<String> {
    let (major, minor) = capability;
    vec![
        format!("--gpu-architecture=sm_{major}{minor}"),
        "--std=c++17".to_owned(),
        "--generate-line-info".to_owned(),
        // Infinite loops without side effects are X10's to keep, and warnings about unused variables nobody's to read.
        "--disable-warnings".to_owned(),
    ]
}

/// Compiles for a compute capability. `name` is shown in messages of the compiler. The result is device code and what the
/// compiler said.
pub fn compile_for(
    source: &str,
    name: &str,
    capability: (u32, u32),
) -> Result<(Vec<u8>, String), DeviceError> {
    let target = format!("compute capability {}.{}", capability.0, capability.1);
    let (program, log) = compile(source, name, &options(capability), &target)?;
    Ok((program.code()?, log))
}

/// The virtual architecture of [`ptx`]: the oldest that the compiler knows, so that the text fits every device.
const PTX_ARCHITECTURE: &str = "--gpu-architecture=compute_75";

/// The PTX of a kernel, for people.
///
/// # Errors
/// Words for the user: there is no compiler, or it refuses the code.
pub fn ptx(source: &str) -> Result<String, String> {
    let options =
        [PTX_ARCHITECTURE, "--std=c++17", "--generate-line-info", "--disable-warnings"].map(str::to_owned);
    let (program, _) = compile(source, "kernel.cu", &options, "PTX").map_err(|error| error.message)?;
    program.ptx().map_err(|error| error.message)
}

fn compile(
    source: &str,
    name: &str,
    options: &[String],
    target: &str,
) -> Result<(Program, String), DeviceError> {
    compiler_version().map_err(DeviceError::unavailable)?;
    let text = |text: &str| {
        CString::new(text).map_err(|_| {
            DeviceError::new(Kind::Internal, "the CUDA code of a kernel has a zero character in it")
        })
    };
    let (source, name) = (text(source)?, text(name)?);
    let options = options.iter().map(|option| text(option)).collect::<Result<Vec<_>, _>>()?;
    let program = Program::new(&source, &name)?;
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: a live program; the options outlive the call.
    let result = unsafe { sys::nvrtcCompileProgram(program.0, pointers.len() as i32, pointers.as_ptr()) };
    let log = program.log();
    if result != sys::nvrtcResult::NVRTC_SUCCESS {
        let message = format!(
            "the CUDA code that was generated for this kernel does not compile for {target} ({result:?}):\n{log}"
        );
        return Err(DeviceError::new(Kind::Internal, message));
    }
    Ok((program, log))
}

/// A program of the compiler.
struct Program(sys::nvrtcProgram);

impl Program {
    fn new(source: &CString, name: &CString) -> Result<Program, DeviceError> {
        let mut program = std::ptr::null_mut();
        // SAFETY: texts that outlive the call, no headers; the compiler copies them.
        let result = unsafe {
            sys::nvrtcCreateProgram(
                &mut program,
                source.as_ptr(),
                name.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        check(result, "start")?;
        Ok(Program(program))
    }

    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: a live program; the log is written into memory of the size it told.
        let bytes = unsafe {
            if sys::nvrtcGetProgramLogSize(self.0, &mut size) != sys::nvrtcResult::NVRTC_SUCCESS {
                return String::new();
            }
            let mut bytes = vec![0_u8; size];
            sys::nvrtcGetProgramLog(self.0, bytes.as_mut_ptr().cast());
            bytes
        };
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim_end().to_owned()
    }

    fn ptx(&self) -> Result<String, DeviceError> {
        let mut size = 0;
        // SAFETY: a compiled program; the text is written into memory of the size it told.
        let bytes = unsafe {
            check(sys::nvrtcGetPTXSize(self.0, &mut size), "tell the size of its result")?;
            let mut bytes = vec![0_u8; size];
            check(sys::nvrtcGetPTX(self.0, bytes.as_mut_ptr().cast()), "give its result")?;
            bytes
        };
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
    }

    fn code(&self) -> Result<Vec<u8>, DeviceError> {
        let mut size = 0;
        // SAFETY: a compiled program; the code is written into memory of the size it told.
        unsafe {
            check(sys::nvrtcGetCUBINSize(self.0, &mut size), "tell the size of its result")?;
            let mut bytes = vec![0_u8; size];
            check(sys::nvrtcGetCUBIN(self.0, bytes.as_mut_ptr().cast()), "give its result")?;
            Ok(bytes)
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: ours, and destroyed once.
        unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}

fn check(result: sys::nvrtcResult, what: &str) -> Result<(), DeviceError> {
    if result == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    Err(DeviceError::new(Kind::Internal, format!("the CUDA run-time compiler does not {what}: {result:?}")))
}
