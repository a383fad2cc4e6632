//! NVRTC: compiles CUDA C++ to device code at run time, without a GPU.

use std::ffi::{CString, c_char};

use cudarc::nvrtc::sys;

use crate::device::error::{DeviceError, Kind};

/// Environment variable with which kernels are compiled for a debugger: without optimisation, with variables.
pub const DEBUG: &str = "APG_DEVICE_DEBUG";

/// First line of code that uses the fast mathematical functions.
pub const FAST_MATH: &str = "#pragma apg fast_math\n";

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

/// What a kernel is compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Code of this device.
    Device(u32),
    /// Code of an older architecture that the driver translates: the device is newer than the compiler.
    Portable(u32),
}

/// The best that a compiler for these architectures can do for a device.
fn target(capability: (u32, u32), supported: &[u32]) -> Option<Target> {
    let wanted = capability.0 * 10 + capability.1;
    if supported.contains(&wanted) {
        return Some(Target::Device(wanted));
    }
    supported.iter().copied().filter(|known| *known < wanted).max().map(Target::Portable)
}

/// The architectures that the compiler knows; empty if unknown.
pub(crate) fn supported() -> Vec<u32> {
    if compiler_version().is_err() {
        return Vec::new();
    }
    let mut count = 0;
    // SAFETY: the library is there; the list is written into memory of the size it reported.
    unsafe {
        if sys::nvrtcGetNumSupportedArchs(&mut count) != sys::nvrtcResult::NVRTC_SUCCESS {
            return Vec::new();
        }
        let mut known = vec![0_i32; count as usize];
        if sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) != sys::nvrtcResult::NVRTC_SUCCESS {
            return Vec::new();
        }
        known.into_iter().map(|number| number as u32).collect()
    }
}

/// The options that every kernel is compiled with, for a compute capability.
pub(crate) fn options(capability: (u32, u32)) -> Vec<String> {
    options_for(Target::Device(capability.0 * 10 + capability.1))
}

fn options_for(target: Target) -> Vec<String> {
    let architecture = match target {
        Target::Device(number) => format!("--gpu-architecture=sm_{number}"),
        Target::Portable(number) => format!("--gpu-architecture=compute_{number}"),
    };
    let debug = std::env::var_os(DEBUG).is_some_and(|value| value != "0");
    vec![
        architecture,
        "--std=c++17".to_owned(),
        if debug { "--device-debug" } else { "--generate-line-info" }.to_owned(),
        // Infinite loops without side effects are X10's to keep, and warnings about unused variables are of
        // no use.
        "--disable-warnings".to_owned(),
    ]
}

/// Compiles for a compute capability. `name` is shown in messages of the compiler. The result is device code
/// and what the compiler said.
pub fn compile_for(
    source: &str,
    name: &str,
    capability: (u32, u32),
) -> Result<(Vec<u8>, String), DeviceError> {
    compiler_version().map_err(DeviceError::unavailable)?;
    let (major, minor) = capability;
    let target = target(capability, &supported()).ok_or_else(|| {
        DeviceError::unavailable(format!(
            "this CUDA run-time compiler has no code for compute capability {major}.{minor}: the device is too old for \
             it, or a newer compiler is needed"
        ))
    })?;
    let text = format!("compute capability {major}.{minor}");
    let (program, log) = compile(source, name, &options_for(target), &text)?;
    Ok((program.code(target)?, log))
}

/// The virtual architecture of [`ptx`]: the oldest that the compiler knows, so that the text fits every
/// device.
const PTX_TARGET: Target = Target::Portable(75);

/// The PTX of a kernel, for people.
///
/// # Errors
/// Words for the user: there is no compiler, or it refuses the code.
pub fn ptx(source: &str) -> Result<String, String> {
    let options = options_for(PTX_TARGET);
    let (program, _) = compile(source, "kernel.cu", &options, "PTX").map_err(|error| error.message)?;
    let text = program.code(PTX_TARGET).map_err(|error| error.message)?;
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
}

/// What the compiler says of a kernel's registers and memory on an architecture.
pub(crate) fn verbose(source: &str, architecture: u32) -> Result<String, DeviceError> {
    let mut options = options_for(Target::Device(architecture));
    options.push("--ptxas-options=-v".to_owned());
    let (_, log) = compile(source, "kernel.cu", &options, &format!("sm_{architecture}"))?;
    Ok(log)
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
    let fast = source.lines().any(|line| line == FAST_MATH.trim_end()).then(|| "--use_fast_math".to_owned());
    let (source, name) = (text(source)?, text(name)?);
    let options = options.iter().chain(&fast).map(|option| text(option)).collect::<Result<Vec<_>, _>>()?;
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
        // SAFETY: C strings that outlive the call, no headers; the compiler copies them.
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
        // SAFETY: a live program; the log is written into memory of the size it reported.
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

    /// Device code, or portable code with the zero at its end that the driver wants.
    fn code(&self, target: Target) -> Result<Vec<u8>, DeviceError> {
        let mut size = 0;
        // SAFETY: a compiled program; the code is written into memory of the size it reported.
        unsafe {
            let reported = match target {
                Target::Device(_) => sys::nvrtcGetCUBINSize(self.0, &mut size),
                Target::Portable(_) => sys::nvrtcGetPTXSize(self.0, &mut size),
            };
            check(reported, "tell the size of its result")?;
            let mut bytes = vec![0_u8; size];
            let given = match target {
                Target::Device(_) => sys::nvrtcGetCUBIN(self.0, bytes.as_mut_ptr().cast()),
                Target::Portable(_) => sys::nvrtcGetPTX(self.0, bytes.as_mut_ptr().cast()),
            };
            check(given, "give its result")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_newer_than_the_compiler_gets_portable_code() {
        let supported = [75, 80, 90];
        assert_eq!(target((9, 0), &supported), Some(Target::Device(90)));
        assert_eq!(target((12, 1), &supported), Some(Target::Portable(90)));
        assert_eq!(target((8, 9), &supported), Some(Target::Portable(80)));
        assert_eq!(target((7, 0), &supported), None);
        assert_eq!(options((9, 0))[0], "--gpu-architecture=sm_90");
        assert_eq!(options_for(Target::Portable(80))[0], "--gpu-architecture=compute_80");
    }
}
