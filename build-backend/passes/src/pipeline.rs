//! The pass pipeline: one table of all passes, in the order in which they run.

use apg_mir::{Kernel, Program, Stmt, StmtKind, verify, walk};

use crate::kernel_ir::KernelIr;
use crate::transform::kernel::{inline, limit_unrolling, remat_captures, structurize_continue};
use crate::transform::kernel_ir::{
    block_interchange, capture_aliases, constant_loads, environment_passing, index_set_split, integer_widths,
    jam_iterations, lane_demand, loop_fission, pointer_rotation, prefetch, private_sums, region_formation,
    scalar_expansion, shared_init, software_pipeline, stream_prefetch, transpose_loads, uniform_loads,
    unroll_and_jam, unroll_collectives, unroll_factors, unswitch,
};
use crate::transform::{
    loop_versioning, outline, propagate_types, stack_alloc, string_builder, trust_declarations,
};

/// A row of the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The usual name of the transformation, as `apg-mir --pass` takes it.
    pub name: &'static str,
    /// Why it runs.
    pub purpose: Purpose,
    /// The builds that run it.
    builds: Builds,
    transform: Transform,
}

/// The representation that a pass transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// MIR.
    Mir,
    /// The kernel IR.
    KernelIr,
}

/// What a pass does.
#[derive(Clone, Copy, Debug)]
enum Transform {
    /// It transforms the MIR of this code.
    Mir(Scope, fn(&mut Program)),
    /// It transforms the kernel IR of one kernel.
    KernelIr(Kernels, fn(&mut KernelIr)),
}

/// The kernels that a pass over the kernel IR transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernels {
    All,
    /// Those whose threads access arrays only and have structured control flow.
    Structured,
}

/// Why a pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Code generation relies on it.
    Correctness,
    /// Programs behave the same without it, more slowly or with longer compilation.
    Speed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Builds {
    All,
    /// With optimisation of host code.
    Optimized,
    /// Not for a debugger.
    NotDebug,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Functions that run on hosts. Those with C++ code of the program have unknown effects, and those
    /// with `goto` unknown paths: their bodies are
    /// hidden from the pass.
    Host,
    /// Functions of hosts, also those with C++ code.
    HostAndNative,
    /// Kernels and functions.
    Kernels,
}

/// All passes, in order.
///
/// Host code is transformed as a whole program first. Inlining comes first among the passes over kernels: it
/// brings in the loops of device functions. [`form_kernel`] then makes the kernel IR of each kernel, which is
/// complete: it can be printed as it is.
///
/// Fission precedes the splits and versions of what it leaves; full tiles, which unswitching makes, are
/// fissioned and split in a second round. Decisions about chunks follow.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "loop-versioning",
        purpose: Purpose::Speed,
        builds: Builds::All,
        transform: Transform::Mir(Scope::HostAndNative, loop_versioning::version_loops),
    },
    Pass {
        name: "exact-type-propagation",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        transform: Transform::Mir(Scope::Host, propagate_types::propagate_types),
    },
    Pass {
        name: "null-check-elimination",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        transform: Transform::Mir(Scope::Host, trust_declarations::remove_declared_null_checks),
    },
    Pass {
        name: "stack-allocation",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        transform: Transform::Mir(Scope::Host, stack_alloc::allocate_on_stack),
    },
    Pass {
        name: "string-builder",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        transform: Transform::Mir(Scope::Host, string_builder::append_in_place),
    },
    Pass {
        name: "outlining",
        purpose: Purpose::Speed,
        builds: Builds::NotDebug,
        transform: Transform::Mir(Scope::HostAndNative, outline::outline_long_runs),
    },
    Pass {
        name: "inlining",
        purpose: Purpose::Correctness,
        builds: Builds::All,
        transform: Transform::Mir(Scope::Kernels, inline::inline_into_kernels),
    },
    Pass {
        name: "structurisation",
        purpose: Purpose::Correctness,
        builds: Builds::All,
        transform: Transform::Mir(Scope::Kernels, structurize_continue::structurize_continue),
    },
    Pass {
        name: "rematerialisation",
        purpose: Purpose::Speed,
        builds: Builds::All,
        transform: Transform::Mir(Scope::Kernels, remat_captures::rematerialize_captures),
    },
    Pass {
        name: "unroll-limits",
        purpose: Purpose::Speed,
        builds: Builds::All,
        transform: Transform::Mir(Scope::Kernels, limit_unrolling::limit_unrolling),
    },
    Pass::of_kernel_ir("collective-unrolling", unroll_collectives::run),
    Pass::of_kernel_ir("prefetching", prefetch::run),
    Pass::of_kernel_ir("stream-prefetching", stream_prefetch::run),
    Pass::of_kernel_ir("pointer-rotation", pointer_rotation::run),
    Pass::of_kernel_ir("block-interchange", block_interchange::run),
    Pass::of_all_kernels("shared-initialisation", shared_init::run),
    Pass::of_kernel_ir("loop-fission", loop_fission::run),
    Pass::of_kernel_ir("grid-stride-unroll-and-jam", jam_iterations::run),
    Pass::of_kernel_ir("index-set-splitting", index_set_split::run),
    Pass::of_kernel_ir("loop-unswitching", unswitch::run),
    Pass::of_kernel_ir("loop-fission", loop_fission::run),
    Pass::of_kernel_ir("index-set-splitting", index_set_split::run),
    Pass::of_kernel_ir("demanded-lanes", lane_demand::run),
    Pass::of_kernel_ir("unroll-and-jam", unroll_and_jam::run),
    Pass::of_kernel_ir("scalar-expansion", scalar_expansion::run),
    Pass::of_kernel_ir("load-transposition", transpose_loads::run),
    Pass::of_kernel_ir("uniform-load-hoisting", uniform_loads::run),
    Pass::of_all_kernels("unroll-factors", unroll_factors::run),
    Pass::of_kernel_ir("software-pipelining", software_pipeline::run),
    Pass::of_kernel_ir("constant-load-hoisting", constant_loads::run),
    Pass::of_all_kernels("capture-aliases", capture_aliases::run),
    Pass::of_kernel_ir("reduction-privatisation", private_sums::run),
    Pass::of_all_kernels("integer-widths", integer_widths::run),
    Pass::of_all_kernels("environment-passing", environment_passing::run),
];

impl Pass {
    /// A row of the kernel IR.
    const fn of_kernel_ir(name: &'static str, run: fn(&mut KernelIr)) -> Pass {
        let transform = Transform::KernelIr(Kernels::Structured, run);
        Pass { name, purpose: Purpose::Speed, builds: Builds::All, transform }
    }

    /// A row of the kernel IR for kernels with pointers, variables in memory and `goto` too.
    const fn of_all_kernels(name: &'static str, run: fn(&mut KernelIr)) -> Pass {
        Pass { transform: Transform::KernelIr(Kernels::All, run), ..Pass::of_kernel_ir(name, run) }
    }

    /// The pass with this name.
    pub fn from_name(name: &str) -> Option<&'static Pass> {
        PASSES.iter().find(|it| it.name == name)
    }

    /// The representation that it transforms.
    pub fn stage(&self) -> Stage {
        match self.transform {
            Transform::Mir(..) => Stage::Mir,
            Transform::KernelIr(..) => Stage::KernelIr,
        }
    }

    /// The code whose MIR it transforms; `None` for a pass over the kernel IR.
    fn scope(&self) -> Option<Scope> {
        match self.transform {
            Transform::Mir(scope, _) => Some(scope),
            Transform::KernelIr(..) => None,
        }
    }

    /// Runs it, and numbers the statements and expressions anew. The program behaves the same afterwards. A
    /// pass over the kernel IR leaves the MIR as it is.
    pub fn run(&self, program: &mut Program) {
        let Transform::Mir(scope, transform) = self.transform else { return };
        let hides_bodies = scope == Scope::Host;
        let hidden = if hides_bodies { take_unstructured_bodies(program) } else { Vec::new() };
        transform(program);
        for (index, body) in hidden {
            program.functions[index].body = body;
        }
        program.assign_ids();
        verify::debug_assert_valid(program, self.name);
    }

    /// Runs it on the kernel IR of one kernel, which behaves the same afterwards. A pass over MIR leaves the
    /// kernel IR as it is.
    pub fn run_on_kernel(&self, ir: &mut KernelIr) {
        if let Transform::KernelIr(kernels, transform) = self.transform
            && (kernels == Kernels::All || !ir.has_unstructured_code)
        {
            transform(ir);
        }
    }
}

/// Analyses a kernel of a program and forms its kernel IR.
pub fn form_kernel(program: &Program, kernel: &Kernel) -> KernelIr {
    region_formation::form_regions(program, kernel)
}

/// Forms the kernel IR of a kernel, as [`form_kernel`], and runs all passes over it.
pub fn schedule_kernel(program: &Program, kernel: &Kernel) -> KernelIr {
    let mut ir = form_kernel(program, kernel);
    PASSES.iter().for_each(|it| it.run_on_kernel(&mut ir));
    ir
}

/// The kind of build that the pipeline prepares a program for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// Whole-program optimisation of host code.
    pub optimize: bool,
    /// Variables and calls stay as the source has them.
    pub debug: bool,
}

impl Pipeline {
    /// The passes of this kind of build, in order.
    pub fn passes(self) -> impl Iterator<Item = &'static Pass> {
        PASSES.iter().filter(move |it| match it.builds {
            Builds::All => true,
            Builds::Optimized => self.optimize,
            Builds::NotDebug => !self.debug,
        })
    }

    /// Runs all passes over MIR of this kind of build.
    pub fn run(self, program: &mut Program) {
        self.passes().for_each(|pass| pass.run(program));
    }
}

/// Runs the passes over kernels, for all builds.
pub fn optimize_kernels(program: &mut Program) {
    PASSES.iter().filter(|it| it.scope() == Some(Scope::Kernels)).for_each(|pass| pass.run(program));
}

/// Runs the whole-program passes over functions of hosts.
pub fn optimize_host_code(program: &mut Program) {
    PASSES.iter().filter(|it| it.scope() == Some(Scope::Host)).for_each(|pass| pass.run(program));
}

/// Removes the bodies that contain C++ code of the program, or `goto`. Functions without a body are left
/// alone by all passes.
fn take_unstructured_bodies(program: &mut Program) -> Vec<(usize, Vec<Stmt>)> {
    let mut bodies = Vec::new();
    for (index, function) in program.functions.iter_mut().enumerate() {
        let mut is_native = false;
        walk::visit_stmts(&function.body, &mut |stmt| is_native |= matches!(stmt.kind, StmtKind::Native(_)));
        if is_native || walk::has_goto(&function.body) {
            bodies.push((index, std::mem::take(&mut function.body)));
        }
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_name_one_transformation() {
        for (index, pass) in PASSES.iter().enumerate() {
            assert!(pass.name.chars().all(|it| it.is_ascii_lowercase() || it == '-'), "{}", pass.name);
            assert_eq!(Pass::from_name(pass.name).map(|it| it.name), Some(pass.name));
            for other in &PASSES[..index] {
                let is_same = match (other.transform, pass.transform) {
                    (Transform::KernelIr(_, a), Transform::KernelIr(_, b)) => std::ptr::fn_addr_eq(a, b),
                    (Transform::Mir(_, a), Transform::Mir(_, b)) => std::ptr::fn_addr_eq(a, b),
                    _ => false,
                };
                assert_eq!(other.name == pass.name, is_same, "{} and {}", other.name, pass.name);
            }
        }
    }

    #[test]
    fn passes_over_mir_precede_those_over_the_kernel_ir() {
        assert!(PASSES.is_sorted_by_key(|it| it.stage() == Stage::KernelIr));
    }

    #[test]
    fn every_build_runs_all_passes_that_are_needed_for_correctness() {
        for (optimize, debug) in [(false, false), (true, false), (false, true)] {
            let run: Vec<&str> = Pipeline { optimize, debug }.passes().map(|it| it.name).collect();
            let needed = PASSES.iter().filter(|it| it.purpose == Purpose::Correctness);
            assert!(needed.into_iter().all(|it| run.contains(&it.name)), "{run:?}");
        }
    }
}
