//! CPU form of a kernel: a loop over blocks, in which each parallel region is a work-item loop that the C++
//! compiler vectorises (Jaaskelainen and others, *pocl: A Performance-Portable OpenCL Implementation*, IJPP
//! 2015). As on a device, the order of threads within a region is unspecified.

mod block_strips;
mod full_tiles;
mod grid_stride_loops;
mod nodes;
mod prefetch;
mod printer;
mod simd_chunks;
mod slot_calls;
mod strided_loops;
mod sub_ranges;
mod transpose_loads;
mod unrolled_loops;
mod warps;
mod workitem_loop;

use crate::code::{Code, RailSpelling, Target, ThreadIndexing};
use crate::kernel::fills::print_fill;
use crate::names;
use apg_mir::*;
use apg_passes::analysis::constants::constant_value;
use apg_passes::kernel_ir::rotated_locals;
use apg_passes::kernel_ir::{KernelIr, PrivateSums, Storage};
use printer::{Printer, context_array, declare_block_indices};

/// Prints the function `cpu_KERNEL`.
pub(super) fn print_cpu_function(code: &mut Code<'_>, id: KernelId, ir: &KernelIr) {
    let kernel = &ir.kernel;
    let symbol = code.names.kernels[id.index()].clone();
    code.target = Target::Cpu;
    code.result = Ty::Void;
    code.scopes.clear();
    code.locals = Code::plain_locals(&kernel.locals);
    code.variables = Code::variable_names(&kernel.variables);
    code.shared = kernel.shared.iter().map(|it| it.local).collect();
    code.stack_rails(&kernel.body);
    code.check_elimination = ir.bounds.check_elimination.clone();
    code.widened = ir.widened.clone();
    code.rematerialized = ir.rematerialized.iter().map(|it| it.local).collect();
    code.out.no_position();
    let parameters = "const void *env_, const apg_launch *launch_, apg_i64 first_, apg_i64 last_";
    code.out.open(format!("template <bool proven_> static apg_object *run_{symbol}({parameters}) {{"));
    code.out.line(format!("const E{symbol} &env = *(const E{symbol} *)env_; (void)env;"));
    declare_extents(code, kernel);
    declare_captures(code, ir);
    let scratch = allocate_scratch(code, ir);
    declare_private_sums(code, ir);
    code.out.line("apg_object *result_ = nullptr;");
    code.out.open("try {");
    print_blocks(code, ir);
    let raised =
        if code.program.has_object_heap() { "catch (apg_object *x_) { result_ = x_; } " } else { "" };
    code.out.close(format!("}} {raised}catch (const apg_kernel_fault &x_) {{ apg_record(launch_, x_); }}"));
    add_private_sums(code, ir);
    if scratch {
        code.out.line("free(scratch_);");
    }
    code.out.line("return result_;");
    code.out.close("}");
    let run = match ir.depends_on_launch() {
        _ if code.program.debug => format!("run_{symbol}<false>"),
        true => format!("(launch_->proven & 3) == 3 ? run_{symbol}<true> : run_{symbol}<false>"),
        false => format!("run_{symbol}<true>"),
    };
    code.out.no_position();
    code.out.line(format!(
        "apg_object *cpu_{symbol}({parameters}) {{ return ({run})(env_, launch_, first_, last_); }}"
    ));
    code.target = Target::Host;
    code.shared.clear();
    code.widened_locals.clear();
    code.rematerialized.clear();
    code.preloaded.clear();
    code.private_sums.clear();
}

/// Declares the private sums, all zero.
fn declare_private_sums(code: &mut Code<'_>, ir: &KernelIr) {
    for sums in &ir.private_sums {
        let (ty, name) = (code.ty(sums.element), private_sums_name(code, sums));
        code.out.line(format!("alignas(64) {ty} {name}[proven_ ? {} : 1] = {{}};", sums.length));
        for access in &sums.uses {
            code.private_sums.insert(*access, name.clone());
        }
    }
}

/// Adds the private sums to their arrays, also if a block has failed.
fn add_private_sums(code: &mut Code<'_>, ir: &KernelIr) {
    for sums in &ir.private_sums {
        let (ty, name) = (code.ty(sums.element), private_sums_name(code, sums));
        let Some(rail) = code.local(sums.rail).rail else { continue };
        code.out.line(format!(
            "if constexpr (proven_) for (apg_i64 i_ = 0; i_ < {}; ++i_) if ({name}[i_]) apg_atomic_add<{ty}>(&{}, {name}[i_]);",
            sums.length,
            rail.element("i_")
        ));
    }
}

fn private_sums_name(code: &Code<'_>, sums: &PrivateSums) -> String {
    format!("{}_sums", code.local(sums.rail).text)
}

/// Prints the loop over blocks. With block interchange it runs only the blocks that are not part of a strip.
fn print_blocks(code: &mut Code<'_>, ir: &KernelIr) {
    let kernel = &ir.kernel;
    match &ir.strips {
        Some(strips) => {
            Printer::new(code, ir).open_block_strips(strips);
            code.out.open("for (apg_i64 block_ = strip_; block_ < next_; ++block_) {");
        }
        None => code.out.open("for (apg_i64 block_ = first_; block_ < last_; ++block_) {"),
    }
    // Code that runs once per block runs as the first thread.
    code.out.line("const apg_i64 r_ = 0; (void)r_;");
    declare_block_indices(code, kernel, BLOCK);
    for (index, class) in ir.storage.iter().enumerate() {
        if *class == Storage::Uniform {
            code.declare(index..index + 1);
        }
    }
    for derived in ir.rematerialized.iter().filter(|it| it.has_offset) {
        code.out.line(format!("apg_i64 {}_u = 0;", code.local(derived.local).text));
    }
    for (rail, plan) in kernel.shared.iter().zip(&ir.shared.rails) {
        if let Some(length) = plan.block_variable {
            let (ty, name) = (code.ty(rail.element), code.local(rail.local).text);
            code.out.line(format!("alignas(64) {ty} {name}[{length}];"));
        }
    }
    initialise_shared(code, ir);
    Printer::new(code, ir).print_nodes(&ir.nodes);
    code.out.close("}");
    if ir.strips.is_some() {
        code.out.close("}");
    }
}

/// Declares the block's extents, as literals where they are constants.
fn declare_extents(code: &mut Code<'_>, kernel: &Kernel) {
    for axis in 0..3 {
        let extent =
            kernel.host.threads.len().checked_sub(axis + 1).and_then(|it| kernel.host.threads.get(it));
        let text = match extent.map(constant_value) {
            None => "1".to_owned(),
            Some(Some(value)) => value.max(0).to_string(),
            Some(None) => format!("launch_->threads[{axis}]"),
        };
        code.out.line(format!("const apg_i64 n{axis}_ = {text};"));
    }
    code.out.line("const apg_i64 threads_ = n0_ * n1_ * n2_; (void)threads_;");
}

fn declare_captures(code: &mut Code<'_>, ir: &KernelIr) {
    let kernel = &ir.kernel;
    for (index, capture) in kernel.captures.iter().enumerate() {
        let text = code.locals[index].text.clone();
        let (element, member, length) = match capture.kind {
            KernelCaptureKind::Scalar(ty) => {
                let ty = code.ty(ty);
                code.out.line(format!("const {ty} {text} = env.m{index};"));
                continue;
            }
            KernelCaptureKind::Buffer { element } | KernelCaptureKind::ConstantBuffer { element } => {
                (element, "data", "length")
            }
            KernelCaptureKind::GlobalBuffer { element } => (element, "handle", "size"),
        };
        let ty = code.ty(element);
        let constant = if ir.accesses.is_read_only(LocalId(index as u32)) { "const " } else { "" };
        code.out.line(format!("{constant}{ty} *const {text} = ({constant}{ty} *)env.m{index}.{member};"));
        declare_debug_length(code, &text, &format!("env.m{index}.{length}"));
        code.locals[index].rail = Some(RailSpelling::new(text, format!("env.m{index}.{length}")));
    }
    for (local, text) in [
        (kernel.auto_blocks, "(apg_i64)launch_->blocks[0] * launch_->blocks[1] * launch_->blocks[2]"),
        (kernel.auto_threads, "threads_"),
    ] {
        if let Some(local) = local {
            let spelling = code.local(local);
            let ty = code.ty(spelling.ty);
            code.out.line(format!("const {ty} {} = ({ty})({text});", spelling.text));
        }
    }
}

/// Tells a debugger the number of elements behind a pointer.
fn declare_debug_length(code: &mut Code<'_>, pointer: &str, length: &str) {
    if code.program.debug {
        code.out.line(format!("const apg_i64 {pointer}_n = {length};"));
    }
}

/// Allocates the shared arrays and the context arrays; returns whether there are any.
fn allocate_scratch(code: &mut Code<'_>, ir: &KernelIr) -> bool {
    let mut parts = Vec::new();
    for (number, (rail, plan)) in ir.kernel.shared.iter().zip(&ir.shared.rails).enumerate() {
        let ty = code.ty(rail.element);
        let length = format!("launch_->shared_lengths[{number}]");
        let text = code.local(rail.local).text;
        if plan.block_variable.is_none() {
            parts.push((ty, text.clone(), length.clone()));
        }
        code.locals[rail.local.index()].rail = Some(RailSpelling::new(text, format!("((apg_i64){length})")));
    }
    for (index, class) in ir.storage.iter().enumerate() {
        if *class == Storage::ContextArray {
            let spelling = code.locals[index].clone();
            if let Some((element, length)) = spelling.stack {
                let ty = code.ty(element);
                parts.push((ty, format!("{}_", spelling.text), format!("threads_ * {length}")));
                let private = ir.private_rails.get(&LocalId(index as u32));
                let rail = match private.is_some_and(|it| it.is_interleaved) {
                    true => RailSpelling {
                        data: format!("{}_", spelling.text),
                        length: format!("{length}LL"),
                        lane: Some(("threads_".into(), "r_".into())),
                    },
                    false => RailSpelling::new(
                        format!("({}_ + r_ * {length})", spelling.text),
                        format!("{length}LL"),
                    ),
                };
                code.locals[index].rail = Some(rail);
                continue;
            }
            let ty = code.ty(spelling.ty);
            parts.push((ty, format!("{}_", spelling.text), "threads_".into()));
            code.locals[index].set_array(format!("{}_", spelling.text), ThreadIndexing::Block);
        }
    }
    if ir.variables == Storage::ContextArray {
        for (index, variable) in ir.kernel.variables.iter().enumerate() {
            let (ty, name) = (code.ty(variable.ty), format!("{}_", names::variable(index, &variable.name)));
            code.variables[index] = format!("{name}[r_]");
            parts.push((ty, name, "threads_".into()));
        }
    }
    if parts.is_empty() {
        return false;
    }
    code.out.line("unsigned long bytes_ = 64;");
    for (number, (ty, _, length)) in parts.iter().enumerate() {
        code.out.line(format!(
            "const unsigned long at{number}_ = bytes_; bytes_ += ((unsigned long)({length}) * sizeof({ty}) + 63) & ~63ul;"
        ));
    }
    code.out.line("char *const scratch_ = (char *)malloc(bytes_);");
    code.out.line(match code.program.has_object_heap() {
        true => {
            "if (!scratch_) return apg_rt->raise(APG_OUT_OF_MEMORY_EXCEPTION, \"no memory for the shared rails and the locals of a kernel's block\");"
        }
        false => "if (!scratch_) { apg_record(launch_, {4, 0, 0, 0, 0, first_, 0}); return nullptr; }",
    });
    code.out.line("char *const base_ = (char *)(((unsigned long)scratch_ + 63) & ~63ul) - 64;");
    let rotated: Vec<String> = rotated_locals(&ir.nodes).iter().map(|it| context_array(code, *it)).collect();
    for (number, (ty, name, length)) in parts.iter().enumerate() {
        let fixed = if rotated.contains(name) { "" } else { "const __restrict__ " };
        code.out.line(format!("{ty} *{fixed}{name} = ({ty} *)(base_ + at{number}_);"));
        declare_debug_length(code, name, length);
    }
    true
}

/// Index of a block in its grid, by axis.
const BLOCK: [&str; 3] = [
    "block_ % launch_->blocks[0]",
    "block_ / launch_->blocks[0] % launch_->blocks[1]",
    "block_ / launch_->blocks[0] / launch_->blocks[1]",
];

fn initialise_shared(code: &mut Code<'_>, ir: &KernelIr) {
    for (number, (rail, plan)) in ir.kernel.shared.iter().zip(&ir.shared.rails).enumerate() {
        if plan.is_overwritten {
            continue;
        }
        code.out.open("{");
        if let SharedInit::Function { index, setup, .. } = &rail.init {
            let mut own = vec![*index];
            walk::visit_stmts(setup, &mut |stmt| {
                if let StmtKind::Set { local, .. } = &stmt.kind
                    && !own.contains(local)
                {
                    own.push(*local);
                }
            });
            for local in own {
                code.declare(local.index()..local.index() + 1);
            }
        }
        let head = format!("for (apg_i64 i_ = 0; i_ < launch_->shared_lengths[{number}]; ++i_) {{");
        print_fill(code, rail, &head);
        code.out.close("}");
    }
}
