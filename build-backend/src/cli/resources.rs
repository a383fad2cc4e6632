//! `apg build --emit resources`: what each kernel needs of a multiprocessor, by architecture, computed without a GPU.

use apg_runtime::device::{self, Resources};

use super::{Failure, output};
use crate::build::Translated;
use crate::emit::constant;
use crate::mir;

/// Threads of a block that are assumed where the program computes them at the launch.
const ASSUMED: u32 = 256;

/// Prints a paragraph for each kernel, as it is run where the launch makes checks unnecessary.
pub fn print(translated: &Translated) -> Result<(), Failure> {
    let architectures = device::architectures();
    if architectures.is_empty() && !translated.emitted.cuda.is_empty() {
        let version = device::compiler_version();
        let why = version.err().unwrap_or_else(|| "the CUDA run-time compiler knows no architecture".into());
        return Err(Failure::new(why));
    }
    let program = &translated.mir;
    for (kernel, text) in program.kernels.iter().zip(&translated.emitted.cuda) {
        let file = program.files.get(kernel.position.file.index()).map_or("?", String::as_str);
        output::line(format_args!("{file}:{}: kernel {}", kernel.position.line, kernel.name))?;
        let (threads, known) = match extent(&kernel.host.threads) {
            Some(threads) => (threads, true),
            None => (ASSUMED, false),
        };
        let shared = shared(program, kernel);
        let assumed = if known { "" } else { " (assumed: the launch decides)" };
        let of_rails = match shared {
            Some(bytes) => format!("{bytes} B of shared rails"),
            None => "shared rails whose size the launch decides (taken as 0 below)".to_owned(),
        };
        output::line(format_args!("  {threads} threads a block{assumed}, {of_rails}"))?;
        for architecture in &architectures {
            let source = format!("#define APG_PROVEN\n{text}");
            let needs = device::resources(&source, *architecture).map_err(Failure::new)?;
            output::line(line(*architecture, &needs, threads, shared.unwrap_or(0)))?;
        }
    }
    Ok(())
}

fn line(architecture: u32, needs: &Resources, threads: u32, shared: u32) -> String {
    let Resources { registers, constant, stack, spill_stores, spill_loads, .. } = needs;
    let spills = match (spill_stores, spill_loads) {
        (0, 0) => "no spills".to_owned(),
        (stores, loads) => format!("spills: {stores} B stored, {loads} B loaded"),
    };
    // Recent compilers do not tell it.
    let constant = if *constant > 0 { format!("{constant} B constant, ") } else { String::new() };
    let mut text = format!(
        "  sm_{architecture}: {registers} registers, {} B shared, {constant}{stack} B stack, {spills}",
        shared + needs.shared
    );
    if let Some(found) = device::occupancy(architecture, needs, threads, shared) {
        let percent = 100 * found.threads / found.most_threads.max(1);
        text.push_str(&format!(
            "; occupancy {percent} % ({} blocks), limited by {}",
            found.blocks, found.limit
        ));
    }
    text
}

/// Threads of a block, if the program's text says.
fn extent(axes: &[mir::Expr]) -> Option<u32> {
    axes.iter().try_fold(1_u32, |all, axis| all.checked_mul(u32::try_from(constant(axis)?).ok()?))
}

/// Bytes of shared rails, if the program's text says.
fn shared(program: &mir::Program, kernel: &mir::Kernel) -> Option<u32> {
    kernel.shared.iter().zip(&kernel.host.shared_lengths).try_fold(0_u32, |all, (rail, length)| {
        let bytes = u32::try_from(constant(length)?).ok()?.checked_mul(size(program, rail.element))?;
        all.checked_add(bytes.checked_next_multiple_of(16)?)
    })
}

/// Bytes of a value.
fn size(program: &mir::Program, ty: mir::Ty) -> u32 {
    layout(program, ty).0
}

/// Bytes and alignment of a value.
fn layout(program: &mir::Program, ty: mir::Ty) -> (u32, u32) {
    match ty {
        mir::Ty::Bool | mir::Ty::I8 | mir::Ty::U8 => (1, 1),
        mir::Ty::I16 | mir::Ty::U16 => (2, 2),
        mir::Ty::I32 | mir::Ty::U32 | mir::Ty::F32 | mir::Ty::Char => (4, 4),
        mir::Ty::Struct(id) => {
            let (mut end, mut most) = (0_u32, 1);
            for field in &program.structs[id.index()].fields {
                let (bytes, alignment) = layout(program, field.ty);
                end = end.next_multiple_of(alignment) + bytes;
                most = most.max(alignment);
            }
            (end.next_multiple_of(most).max(1), most)
        }
        _ => (8, 8),
    }
}
