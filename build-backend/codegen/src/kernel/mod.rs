//! Code of kernels: CUDA C++ for devices, and work-item loops in C++ for CPUs.
//!
//! `regions` divides a kernel's body into parallel regions, `bounds` proves accesses in bounds. The files
//! named by transformations recognise where these apply and print the result; `cpu` and `cuda` print the
//! functions.

mod access_stride;
mod access_summary;
mod block_interchange;
mod bounds;
mod check;
mod cpu;
mod cuda;
mod def_use;
mod grid_stride;
mod host;
mod index_set_split;
mod induction;
mod init_barrier;
mod loop_fission;
mod pointer_rotation;
mod prefetch;
mod regions;
mod rematerialize;
mod shared_init;
mod simd_chunks;
mod software_pipeline;
mod transpose_loads;
mod unroll_collectives;
mod unroll_factors;
mod unswitch;
mod warp_regions;
mod workitem_loop;

pub use bounds::{CheckElimination, NarrowedExprs};
pub use cuda::print_cuda_source;
pub use host::print_host_unit;
pub use software_pipeline::{PipelinedLoop, has_pipelined_loops};
pub use unroll_factors::UnrollFactor;

use super::code::{Code, Target};
use super::names::Names;
use apg_mir::*;

/// Largest environment that is a parameter of the device function itself. Parameters have 4 KB, of which the
/// table of shared rails needs a part.
const MAX_BY_VALUE_ENVIRONMENT_BYTES: usize = 3840;

/// Whether the environment is a parameter of the device function rather than a pointer.
pub fn passes_environment_by_value(program: &Program, kernel: &Kernel) -> bool {
    let sizes = kernel.captures.iter().map(|capture| match capture.kind {
        KernelCaptureKind::Scalar(ty) => max_size(program, ty),
        KernelCaptureKind::Rail { .. } | KernelCaptureKind::ConstantRail { .. } => 16,
        KernelCaptureKind::GlobalRail { .. } => 24,
    });
    sizes.sum::<usize>() <= MAX_BY_VALUE_ENVIRONMENT_BYTES
}

/// Upper bound of the bytes of a value, padding included.
fn max_size(program: &Program, ty: Ty) -> usize {
    match ty {
        Ty::Struct(id) => program.structs[id.index()].fields.iter().map(|it| max_size(program, it.ty)).sum(),
        _ => 8,
    }
}

/// Whether there is a faster variant for launches whose conditions hold.
pub fn depends_on_launch(program: &Program, names: &Names, id: KernelId) -> bool {
    let bounds = bounds::analyse_kernel(program, names, id);
    bounds.wide_condition.is_some()
        || bounds.narrow_condition.is_some()
        || !bounds.conditions.is_empty() && !program.unchecked
}

/// Value of an integer constant expression.
pub fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Operation { operation: Operation::Convert, args } => constant(args.first()?),
        ExprKind::Operation { operation, args } => {
            let (a, b) = (constant(args.first()?)?, constant(args.get(1)?)?);
            match operation {
                Operation::Add => a.checked_add(b),
                Operation::Sub => a.checked_sub(b),
                Operation::Mul => a.checked_mul(b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Prints the loop that initialises a shared rail; `head` is the loop's head, which counts `i_`.
fn print_fill(code: &mut Code<'_>, rail: &SharedRail, head: &str) {
    let target = code.local(rail.local).text;
    let ty = code.ty(rail.element);
    match &rail.init {
        SharedInit::Zero | SharedInit::Value(_) => {
            let value = match &rail.init {
                SharedInit::Value(value) => code.expr(value),
                _ => format!("{ty}{{}}"),
            };
            // Otherwise the compiler calls `memset` for zeros, which is slower for short rails.
            let (constant, hide) = match code.target {
                Target::Cpu => ("", "asm volatile(\"\" : \"+m\"(value_)); "),
                _ => ("const ", ""),
            };
            code.out.line(format!(
                "{{ {constant}{ty} value_ = {value}; {hide}{head} {target}[i_] = value_; }} }}"
            ));
        }
        SharedInit::Function { index, setup, value } => {
            code.out.open(head);
            let place = code.local(*index);
            let index_ty = code.ty(place.ty);
            code.out.line(format!("{} = ({index_ty})i_;", place.text));
            code.stmts(setup);
            let value = code.expr(value);
            code.out.line(format!("{target}[i_] = {value};"));
            code.out.close("}");
        }
        SharedInit::Copy(source) => {
            let source = code.local(*source);
            let data = source.rail.map_or_else(|| format!("{}.data", source.text), |it| it.data);
            code.out.line(format!("{head} {target}[i_] = {data}[i_]; }}"));
        }
    }
}

/// Prints the functions that the kernels call, directly or indirectly, with prototypes in front.
fn print_device_functions(code: &mut Code<'_>, storage: &str) -> String {
    let mut done: Vec<FunctionId> = Vec::new();
    let mut bodies = String::new();
    while let Some(id) = code.used.device_functions.iter().copied().find(|it| !done.contains(it)) {
        done.push(id);
        let function = &code.program.functions[id.index()];
        code.check_elimination = match code.program.unchecked {
            true => Default::default(),
            false => bounds::analyse_function(code.program, code.names, function).check_elimination,
        };
        code.function(id, storage);
        bodies.push_str(&code.out.take());
    }
    done.sort();
    for id in done {
        let prototype = code.prototype(id);
        code.out.line(format!("{storage}{prototype};"));
    }
    let prototypes = code.out.take();
    prototypes + &bodies
}
