//! Host code of kernels: launch configuration, and the unit that also has launch conditions and CPU forms.

use super::device_functions::print_device_functions;
use super::environment::spell_captures;
use super::launch_conditions::print_launch_conditions;
use crate::code::{Code, Target};
use apg_mir::*;
use apg_passes::kernel_ir::KernelIr;

/// The translation unit of all kernels.
pub(crate) fn print_host_unit(code: &mut Code<'_>, kernels: &[KernelIr]) -> String {
    let mut text = String::new();
    code.out.attribute_each_line(code.program.debug);
    code.attributes_expressions = false;
    for (index, ir) in kernels.iter().enumerate() {
        let id = KernelId(index as u32);
        code.out.no_position();
        text.push_str(&print_launch_conditions(code, id, &ir.bounds.launch));
        print_configure(code, id);
        super::cpu::print_cpu_function(code, id, ir);
        text.push_str(&code.out.take());
    }
    code.target = Target::Cpu;
    let functions = print_device_functions(code, "static inline ");
    code.out.attribute_each_line(false);
    code.target = Target::Host;
    let used = std::mem::take(&mut code.used);
    let mut kernels = used.clone();
    kernels.kernels = (0..code.program.kernels.len() as u32).map(KernelId).collect();
    let declarations = code.declarations(&kernels, &|_| "");
    code.used = used;
    let prelude = crate::unit::prelude(code.program);
    let team = if code.used.has_team { "#include \"apg_team.h\"\n" } else { "" };
    format!("{prelude}#include \"apg_collectives.h\"\n{team}{declarations}{functions}{text}")
}

/// Prints the function that computes extents and lengths of shared arrays from the captures.
fn print_configure(code: &mut Code<'_>, id: KernelId) {
    let kernel = &code.program.kernels[id.index()];
    let symbol = code.names.kernels[id.index()].clone();
    code.target = Target::Host;
    code.forget_expressions();
    spell_captures(code, kernel);
    for (local, text) in [(kernel.auto_blocks, "auto_blocks"), (kernel.auto_threads, "auto_threads")] {
        if let Some(local) = local {
            let ty = code.ty(code.local(local).ty);
            code.locals[local.index()].text = format!("(({ty}){text})");
        }
    }
    code.at(kernel.span);
    code.out.no_position();
    code.out.open(format!(
        "apg_object *configure_{symbol}(const void *env_, apg_i32 auto_blocks, apg_i32 auto_threads, apg_launch *launch) {{"
    ));
    code.out.line(format!("const E{symbol} *env = (const E{symbol} *)env_; (void)env;"));
    // Without objects there are no exceptions.
    let raises = code.program.has_object_heap();
    if raises {
        code.out.open("try {");
    }
    print_extents(code, "blocks", &kernel.host.blocks);
    print_extents(code, "threads", &kernel.host.threads);
    for (index, length) in kernel.host.shared_lengths.iter().enumerate() {
        let length = code.expr(length);
        code.out.line(format!("launch->shared_lengths[{index}] = {length};"));
    }
    code.out.line("return nullptr;");
    if raises {
        code.out.close("} catch (apg_object *e) { return e; }");
    }
    code.out.close("}");
}

/// Sets the extents, x (the last axis) first; unused ones are 1.
fn print_extents(code: &mut Code<'_>, member: &str, extents: &[Expr]) {
    let convert = if code.program.has_object_heap() { "apg_extent" } else { "apg_axis" };
    for axis in 0..3 {
        let text = match extents.len().checked_sub(axis + 1).and_then(|it| extents.get(it)) {
            Some(extent) => format!("{convert}({})", code.expr(extent)),
            None => "1".into(),
        };
        code.out.line(format!("launch->{member}[{axis}] = {text};"));
    }
}
