//! Resource usage and occupancy of kernels by GPU architecture, computed by NVRTC without a GPU.
//!
//! `apg build --emit resources` prints them, and editors show them at each kernel.

use apg_runtime::device::{self, Occupancy, Resources};

use apg_codegen::constant_value;
use apg_mir as mir;

/// Block size that is assumed where the launch computes it.
const DEFAULT_BLOCK_THREADS: u32 = 256;

/// Resource usage of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// `Class_method_line`.
    pub name: String,
    /// Where its `at` statement is.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Whether the number of threads is a constant; else it is assumed.
    pub threads_known: bool,
    /// Bytes of shared arrays, if constant.
    pub shared: Option<u32>,
    /// By architecture, in the order requested.
    pub needs: Vec<ArchitectureUsage>,
}

/// Resource usage of a kernel on an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchitectureUsage {
    /// 90 for `sm_90`.
    pub architecture: u32,
    /// Registers and memory.
    pub resources: Resources,
    /// Occupancy of a multiprocessor, where its size is known.
    pub occupancy: Option<Occupancy>,
}

/// The kernels of a program, compiled for these architectures without bounds checks.
///
/// # Errors
/// A message for the user: NVRTC is missing, or does not know an architecture.
pub fn kernels(
    program: &mir::Program,
    cuda: &[String],
    architectures: &[u32],
) -> Result<Vec<KernelResources>, String> {
    kernels_by(program, cuda, architectures, &mut |_, source, architecture| {
        device::resources(source, architecture)
    })
}

/// Compiles a kernel from its CUDA source for an architecture.
pub type Compile<'a> = dyn FnMut(&mir::Kernel, &str, u32) -> Result<Resources, String> + 'a;

/// As [`kernels`], with a compiler that may cache results.
///
/// # Errors
/// As [`kernels`], and errors of the compiler.
pub fn kernels_by(
    program: &mir::Program,
    cuda: &[String],
    architectures: &[u32],
    compile: &mut Compile<'_>,
) -> Result<Vec<KernelResources>, String> {
    if architectures.is_empty() && !program.kernels.is_empty() {
        let version = device::compiler_version();
        return Err(version
            .err()
            .unwrap_or_else(|| "the CUDA run-time compiler knows no architecture".into()));
    }
    let kernels = program.kernels.iter().zip(cuda);
    kernels.map(|(kernel, text)| kernel_resources(program, kernel, text, architectures, compile)).collect()
}

fn kernel_resources(
    program: &mir::Program,
    kernel: &mir::Kernel,
    text: &str,
    architectures: &[u32],
    compile: &mut Compile<'_>,
) -> Result<KernelResources, String> {
    let (threads, threads_known) = match extent(&kernel.host.threads) {
        Some(threads) => (threads, true),
        None => (DEFAULT_BLOCK_THREADS, false),
    };
    let shared = shared(program, kernel);
    let source = format!("#define APG_PROVEN\n{text}");
    let compiled = architectures.iter().map(|architecture| {
        let resources = compile(kernel, &source, *architecture)?;
        let occupancy = device::occupancy(*architecture, &resources, threads, shared.unwrap_or(0));
        Ok(ArchitectureUsage { architecture: *architecture, resources, occupancy })
    });
    Ok(KernelResources {
        name: kernel.name.clone(),
        file: program.files.get(kernel.span.file.index()).cloned().unwrap_or_else(|| "?".to_owned()),
        line: kernel.span.line(),
        threads,
        threads_known,
        shared,
        needs: compiled.collect::<Result<_, String>>()?,
    })
}

impl KernelResources {
    /// Describes the launch configuration.
    pub fn launch(&self) -> String {
        let assumed = if self.threads_known { "" } else { " (assumed: the launch decides)" };
        let of_rails = match self.shared {
            Some(bytes) => format!("{bytes} B of shared rails"),
            None => "shared rails whose size the launch decides (taken as 0 below)".to_owned(),
        };
        format!("{} threads a block{assumed}, {of_rails}", self.threads)
    }

    /// Describes the kernel in a paragraph.
    pub fn describe(&self) -> String {
        let mut text = format!("{}:{}: kernel {}\n  {}", self.file, self.line, self.name, self.launch());
        for needs in &self.needs {
            text.push_str(&format!("\n  {}", needs.describe(self.shared.unwrap_or(0))));
        }
        text
    }
}

impl ArchitectureUsage {
    /// A line; `shared` are the bytes of a launch's shared arrays.
    pub fn describe(&self, shared: u32) -> String {
        let Resources { registers, constant, stack, spill_stores, spill_loads, .. } = self.resources;
        let spills = match (spill_stores, spill_loads) {
            (0, 0) => "no spills".to_owned(),
            (stores, loads) => format!("spills: {stores} B stored, {loads} B loaded"),
        };
        // Recent compilers do not report it.
        let constant = if constant > 0 { format!("{constant} B constant, ") } else { String::new() };
        let mut text = format!(
            "sm_{}: {registers} registers, {} B shared, {constant}{stack} B stack, {spills}",
            self.architecture,
            shared + self.resources.shared
        );
        if let Some(found) = self.occupancy {
            let percent = found.percent();
            text.push_str(&format!(
                "; occupancy {percent} % ({} blocks), limited by {}",
                found.blocks, found.limit
            ));
        }
        text
    }
}

/// Threads of a block, if constant.
fn extent(axes: &[mir::Expr]) -> Option<u32> {
    axes.iter().try_fold(1_u32, |all, axis| all.checked_mul(u32::try_from(constant_value(axis)?).ok()?))
}

/// Bytes of shared arrays, if constant.
fn shared(program: &mir::Program, kernel: &mir::Kernel) -> Option<u32> {
    kernel.shared.iter().zip(&kernel.host.shared_lengths).try_fold(0_u32, |all, (rail, length)| {
        let bytes =
            u32::try_from(constant_value(length)?).ok()?.checked_mul(layout(program, rail.element).0)?;
        all.checked_add(bytes.checked_next_multiple_of(16)?)
    })
}

/// Bytes and alignment of a value.
fn layout(program: &mir::Program, ty: mir::Ty) -> (u32, u32) {
    match ty {
        mir::Ty::Bool | mir::Ty::I8 | mir::Ty::U8 => (1, 1),
        mir::Ty::I16 | mir::Ty::U16 => (2, 2),
        mir::Ty::I32 | mir::Ty::U32 | mir::Ty::F32 | mir::Ty::Char => (4, 4),
        mir::Ty::Struct(id) => {
            let (mut end, mut max_alignment) = (0_u32, 1);
            for field in &program.structs[id.index()].fields {
                let (bytes, alignment) = layout(program, field.ty);
                end = end.next_multiple_of(alignment) + bytes;
                max_alignment = max_alignment.max(alignment);
            }
            (end.next_multiple_of(max_alignment).max(1), max_alignment)
        }
        _ => (8, 8),
    }
}
