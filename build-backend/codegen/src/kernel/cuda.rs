//! Device form of a kernel: a self-contained CUDA C++ source.

use super::device_functions::print_device_functions;
use super::device_slot_calls::{SLOTS_PRELUDE, declare_call_counter, rail_element};
use super::fills::print_fill;
use crate::EmitError;
use crate::code::{Code, PreloadedElement, RailSpelling, Target};
use crate::names::Names;
use apg_mir::*;
use apg_passes::analysis::constants::{constant_block_size, constant_value};
use apg_passes::kernel_ir::{Fill, KernelIr, RailAliases};

const PRELUDE: &str = include_str!("../include/apg_device.h");
const TEAM: &str = include_str!("../include/apg_team.h");

/// Device code of a kernel.
pub(crate) struct DeviceCode {
    /// CUDA C++.
    pub source: String,
    /// It has software-pipelined loops, for launches of few threads.
    pub is_pipelined: bool,
    /// It has a variant for launches that satisfy its launch conditions.
    pub depends_on_launch: bool,
    /// It makes calls of slots.
    pub communicates: bool,
    /// The environment is a parameter, rather than a pointer to it.
    pub has_environment_by_value: bool,
}

/// Prints the device code of a kernel; also returns the errors.
pub(crate) fn print_cuda_source(
    program: &Program,
    names: &Names,
    id: KernelId,
    ir: &KernelIr,
) -> (DeviceCode, Vec<EmitError>) {
    let kernel = &program.kernels[id.index()];
    let mut code = Code::new(program, names, Target::Cuda);
    let statics =
        kernel.captures.iter().enumerate().filter_map(|(index, it)| Some((it.static_field?, index)));
    code.statics = statics.collect();
    let globals = kernel.captures.iter().enumerate().filter_map(|(index, it)| Some((it.global?, index)));
    code.captured_globals = globals.collect();
    code.environment_type = format!("E{}", names.kernels[id.index()]);
    print_kernel_function(&mut code, id, ir);
    let body = code.out.take();
    // Facts about labels are valid in the kernel's body only.
    code.unroll_factors.clear();
    let functions = print_device_functions(&mut code, "static __device__ ");
    let environment = code.environment(id);
    code.structs();
    code.out.line(environment);
    let declarations = code.out.take();
    let fast = if kernel.fast_math { apg_runtime::device::FAST_MATH } else { "" };
    let slots = if ir.communicates { SLOTS_PRELUDE } else { "" };
    let team = if code.used.has_team { TEAM } else { "" };
    let recursion = if has_recursion(program) { "#define APG_RECURSION\n" } else { "" };
    let source = format!("{fast}{recursion}{PRELUDE}{slots}{team}{declarations}{functions}{body}");
    let is_pipelined = !ir.device.pipelined_loops.is_empty();
    let depends_on_launch = ir.depends_on_launch();
    let has_environment_by_value = ir.device.has_environment_by_value;
    let communicates = ir.communicates;
    let code_of_device =
        DeviceCode { source, is_pipelined, depends_on_launch, communicates, has_environment_by_value };
    (code_of_device, code.errors)
}

/// Whether functions of kernels call themselves, directly or through others.
fn has_recursion(program: &Program) -> bool {
    program.functions.iter().any(|it| it.kernel_only && it.recursion.cycle != 0)
}

/// Prints the kernel function.
fn print_kernel_function(code: &mut Code<'_>, id: KernelId, ir: &KernelIr) {
    let kernel = &code.program.kernels[id.index()];
    let symbol = code.names.kernels[id.index()].clone();
    code.check_elimination = ir.bounds.check_elimination.clone();
    code.exact_steps = ir.device.exact_steps.clone();
    code.narrowed = ir.device.narrowed.clone();
    code.locals = Code::plain_locals(&kernel.locals);
    code.variables = Code::variable_names(&kernel.variables);
    code.block_size = match constant_block_size(kernel) {
        Some(size) => format!("{size}u"),
        None => "apg_block_size()".to_owned(),
    };
    code.stack_rails(&kernel.body);
    code.at(kernel.span);
    let bounds = match constant_block_size(kernel) {
        Some(size) if size <= 1024 => format!("__launch_bounds__({size}) "),
        _ => String::new(),
    };
    let (parameter, get) = if ir.device.has_environment_by_value {
        (format!("const __grid_constant__ E{symbol} env"), None)
    } else {
        (format!("const E{symbol} *environment_"), Some(format!("const E{symbol} &env = *environment_;")))
    };
    code.out.open(format!(
        "extern \"C\" __global__ void {bounds}{symbol}({parameter}, const __grid_constant__ apg_launch_shared shared_) {{"
    ));
    if let Some(get) = get {
        code.out.line(get);
    }
    code.out.line("apg_fault *const fault_ = shared_.fault; (void)fault_;");
    if has_recursion(code.program) {
        code.out.line("apg_stack_begin();");
    }
    if ir.communicates {
        declare_call_counter(code);
        let rails = (0..ir.kernel.locals.len()).map(|it| LocalId(it as u32));
        code.slot_elements = rails.filter_map(|it| Some((it, rail_element(&ir.kernel, it)?))).collect();
    }
    declare_captures(code, ir);
    declare_derived_captures(code, ir);
    declare_indices(code, kernel);
    let first_own = kernel.captures.len();
    let given: Vec<usize> = kernel
        .block_locals
        .iter()
        .chain(&kernel.thread_locals)
        .map(|it| it.index())
        .chain(kernel.shared.iter().map(|it| it.local.index()))
        .collect();
    for index in first_own..kernel.locals.len() {
        if !given.contains(&index) {
            code.declare(index..index + 1);
        }
    }
    code.declare_variables(&kernel.variables);
    set_auto_values(code, kernel);
    print_constant_loads(code, ir);
    print_shared_arrays(code, ir);
    code.unroll_factors = ir.device.unroll_factors.clone();
    code.pipelined_loops = ir.device.pipelined_loops.clone();
    code.stmts(&kernel.body);
    code.out.close("}");
}

/// Loads elements of constant arrays with constant indices in front of the body.
fn print_constant_loads(code: &mut Code<'_>, ir: &KernelIr) {
    for load in &ir.device.constant_loads {
        let (rail, index) = (load.rail.index(), load.index);
        let (text, ty) = (code.locals[rail].text.clone(), code.ty(load.element));
        let name = format!("{text}_{index}_");
        // The program may test the length first.
        code.out.line(format!(
            "const {ty} {name} = proven_ && {index} < env.m{rail}.length ? {text}[{index}] : {ty}{{}};"
        ));
        for access in &load.uses {
            let element = PreloadedElement { name: name.clone(), when: "proven_" };
            code.preloaded.insert(*access, element);
        }
    }
}

/// Declares the captures: scalars are read from the environment, arrays become a pointer and a length.
fn declare_captures(code: &mut Code<'_>, ir: &KernelIr) {
    for (index, (capture, aliases)) in ir.kernel.captures.iter().zip(&ir.device.rails).enumerate() {
        let text = code.locals[index].text.clone();
        match capture.kind {
            KernelCaptureKind::Scalar(_) if capture.derived_from.is_some() => {}
            KernelCaptureKind::Scalar(ty) => {
                let name = code.ty(ty);
                // The body may assign a parameter, so it is copied; the compiler removes unneeded copies.
                code.out.line(format!("{name} {text} = env.m{index};"));
            }
            KernelCaptureKind::ConstantBuffer { element } => {
                let name = code.ty(element);
                code.out.append(&format!(
                    "#ifdef APG_CONSTANT\n\
                     const {name} *const {text} = (const {name} *)(apg_constants + (apg_u64)env.m{index}.data);\n\
                     #else\n\
                     const {name} *__restrict__ {text} = (const {name} *){elements};\n\
                     #endif\n",
                    elements = elements(element, &format!("env.m{index}.data")),
                ));
                code.locals[index].rail = Some(RailSpelling::new(text, format!("env.m{index}.length")));
            }
            KernelCaptureKind::Buffer { element } => {
                let name = code.ty(element);
                // The copy of a captured array belongs to this launch alone: nothing aliases it.
                let constant = if *aliases == RailAliases::Written { "" } else { "const " };
                code.out.line(format!(
                    "{constant}{name} *__restrict__ {text} = ({constant}{name} *){};",
                    elements(element, &format!("env.m{index}.data"))
                ));
                code.locals[index].rail = Some(RailSpelling::new(text, format!("env.m{index}.length")));
            }
            KernelCaptureKind::GlobalBuffer { element } => {
                let name = code.ty(element);
                // Global arrays may alias. The runtime tests that at each launch: `APG_APART` means that they
                // do not, unless the code is compiled for a launch with `APG_OVERLAP`.
                let (constant, restrict) = match aliases {
                    RailAliases::ReadOnlyIfApart => ("const ", "APG_APART "),
                    RailAliases::ReadOnly => ("const ", "__restrict__ "),
                    RailAliases::Written => ("", ""),
                };
                code.out.line(format!(
                    "{constant}{name} *{restrict}{text} = ({constant}{name} *){};",
                    elements(element, &format!("env.m{index}.handle"))
                ));
                code.locals[index].rail = Some(RailSpelling::new(text, format!("env.m{index}.size")));
            }
        }
    }
}

/// The address of an array's elements, which is the start of an allocation. Knowing its alignment, the
/// compiler loads the fields of a struct together.
fn elements(element: Ty, address: &str) -> String {
    match element {
        Ty::Struct(_) => format!("__builtin_assume_aligned((const void *){address}, 16)"),
        _ => address.to_owned(),
    }
}

/// Declares the captures that are rematerialised from others.
fn declare_derived_captures(code: &mut Code<'_>, ir: &KernelIr) {
    for local in &ir.device.derived_captures {
        let Some(value) = &ir.kernel.captures[local.index()].derived_from else { continue };
        let (ty, value) = (code.ty(value.ty), code.expr(value));
        let text = &code.locals[local.index()].text;
        code.out.line(format!("{ty} {text} = {value};"));
    }
}

/// Declares block and thread indices; x is the last axis of the loop.
fn declare_indices(code: &mut Code<'_>, kernel: &Kernel) {
    for (locals, builtin) in [(&kernel.block_locals, "blockIdx"), (&kernel.thread_locals, "threadIdx")] {
        for (axis, local) in locals.iter().rev().enumerate().rev() {
            let spelling = code.local(*local);
            let ty = code.ty(spelling.ty);
            let axis = ["x", "y", "z"].get(axis).copied().unwrap_or("x");
            code.out.line(format!("{ty} {} = ({ty}){builtin}.{axis};", spelling.text));
        }
    }
}

/// Sets `autoBlocks()` and `autoThreads()` to the extents of the launch.
fn set_auto_values(code: &mut Code<'_>, kernel: &Kernel) {
    for (local, text) in [
        (kernel.auto_blocks, "gridDim.x * gridDim.y * gridDim.z"),
        (kernel.auto_threads, "blockDim.x * blockDim.y * blockDim.z"),
    ] {
        if let Some(local) = local {
            let spelling = code.local(local);
            let ty = code.ty(spelling.ty);
            code.out.line(format!("{} = ({ty})({text});", spelling.text));
        }
    }
}

/// Declares the shared arrays and prints their initialisation by all threads of the block.
fn print_shared_arrays(code: &mut Code<'_>, ir: &KernelIr) {
    let kernel = &ir.kernel;
    if kernel.shared.is_empty() {
        return;
    }
    code.out.line("extern __shared__ __align__(16) unsigned char shared_memory_[];");
    let (rank, ranks) = ranks(kernel);
    code.out.line(format!("const unsigned rank_ = {rank};"));
    code.out.line(format!("const unsigned ranks_ = {ranks};"));
    for (number, (rail, plan)) in kernel.shared.iter().zip(&ir.shared.rails).enumerate() {
        let spelling = code.local(rail.local);
        let ty = code.ty(rail.element);
        // From constant offsets the compiler knows the alignment of elements, and combines loads.
        let start = if number == 0 { "0u".to_owned() } else { format!("shared_{number}_") };
        let address = match plan.has_constant_offset {
            true => format!("shared_memory_ + {start}"),
            false => format!("__builtin_assume_aligned(shared_memory_ + shared_.offset[{number}], 16)"),
        };
        code.out.line(format!("{ty} *const __restrict__ {} = ({ty} *)({address});", spelling.text));
        if let Some(length) = plan.length.filter(|_| plan.has_constant_offset) {
            let end = format!("shared_{}_", number + 1);
            code.out.line(format!("constexpr unsigned {end} = apg_shared_end<{ty}>({start}, {length}u);"));
        }
        let known = match plan.length {
            Some(length) => format!("{length}LL"),
            None => format!("((apg_i64)shared_.length[{number}])"),
        };
        code.locals[rail.local.index()].rail = Some(RailSpelling::new(spelling.text.clone(), known));
    }
    for (number, (rail, plan)) in kernel.shared.iter().zip(&ir.shared.rails).enumerate() {
        if plan.barrier_before {
            code.out.line("__syncthreads();");
        }
        let head = match plan.fill {
            Fill::Counted { trip_count, threads, guard } => {
                let guard = guard.map_or(String::new(), |length| format!("if (i_ < {length}) "));
                format!("for (int i_ = rank_, t_ = 0; t_ < {trip_count}; ++t_, i_ += {threads}) {guard}{{")
            }
            Fill::WhileBelowLength => {
                format!("for (int i_ = rank_; i_ < shared_.length[{number}]; i_ += ranks_) {{")
            }
        };
        print_fill(code, rail, &head);
    }
    if ir.shared.barrier_after {
        code.out.line("__syncthreads();");
    }
}

/// Rank of a thread in its block and number of threads, with constants where they are known.
fn ranks(kernel: &Kernel) -> (String, String) {
    let extents: Vec<Option<i64>> = kernel.host.threads.iter().rev().map(constant_value).collect();
    let mut rank = "threadIdx.x".to_owned();
    let mut before = String::new();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate().take(extents.len()) {
        let size = match extents[axis] {
            Some(size) if size > 0 => format!("{size}u"),
            _ => format!("blockDim.{name}"),
        };
        if axis > 0 {
            rank = format!("{rank} + {before} * threadIdx.{name}");
            before = format!("{before} * {size}");
        } else {
            before = size;
        }
    }
    (rank, before)
}
