//! The pass pipeline: one table of all passes, in the order in which they run.

use apg_mir::{Program, Stmt, StmtKind, verify, walk};

use crate::kernel::{inline, limit_unrolling, remat_captures, structurize_continue};
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
    /// The code that it transforms.
    scope: Scope,
    transform: fn(&mut Program),
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
    /// Functions that run on hosts. Those with C++ code of the program have unknown effects: their bodies are
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
/// brings in the loops of device functions.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "loop-versioning",
        purpose: Purpose::Speed,
        builds: Builds::All,
        scope: Scope::HostAndNative,
        transform: loop_versioning::version_loops,
    },
    Pass {
        name: "exact-type-propagation",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        scope: Scope::Host,
        transform: propagate_types::propagate_types,
    },
    Pass {
        name: "null-check-elimination",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        scope: Scope::Host,
        transform: trust_declarations::remove_declared_null_checks,
    },
    Pass {
        name: "stack-allocation",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        scope: Scope::Host,
        transform: stack_alloc::allocate_on_stack,
    },
    Pass {
        name: "string-builder",
        purpose: Purpose::Speed,
        builds: Builds::Optimized,
        scope: Scope::Host,
        transform: string_builder::append_in_place,
    },
    Pass {
        name: "outlining",
        purpose: Purpose::Speed,
        builds: Builds::NotDebug,
        scope: Scope::HostAndNative,
        transform: outline::outline_long_runs,
    },
    Pass {
        name: "inlining",
        purpose: Purpose::Correctness,
        builds: Builds::All,
        scope: Scope::Kernels,
        transform: inline::inline_into_kernels,
    },
    Pass {
        name: "structurisation",
        purpose: Purpose::Correctness,
        builds: Builds::All,
        scope: Scope::Kernels,
        transform: structurize_continue::structurize_continue,
    },
    Pass {
        name: "rematerialisation",
        purpose: Purpose::Speed,
        builds: Builds::All,
        scope: Scope::Kernels,
        transform: remat_captures::rematerialize_captures,
    },
    Pass {
        name: "unroll-limits",
        purpose: Purpose::Speed,
        builds: Builds::All,
        scope: Scope::Kernels,
        transform: limit_unrolling::limit_unrolling,
    },
];

impl Pass {
    /// The pass with this name.
    pub fn from_name(name: &str) -> Option<&'static Pass> {
        PASSES.iter().find(|it| it.name == name)
    }

    /// Runs it, and numbers the statements and expressions anew. The program behaves the same afterwards.
    pub fn run(&self, program: &mut Program) {
        let hides_native_code = self.scope == Scope::Host;
        let native = if hides_native_code { take_native_bodies(program) } else { Vec::new() };
        (self.transform)(program);
        for (index, body) in native {
            program.functions[index].body = body;
        }
        program.assign_ids();
        verify::debug_assert_valid(program, self.name);
    }
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

    /// Runs all passes of this kind of build.
    pub fn run(self, program: &mut Program) {
        self.passes().for_each(|pass| pass.run(program));
    }
}

/// Runs the passes over kernels, for all builds.
pub fn optimize_kernels(program: &mut Program) {
    PASSES.iter().filter(|it| it.scope == Scope::Kernels).for_each(|pass| pass.run(program));
}

/// Runs the whole-program passes over functions of hosts.
pub fn optimize_host_code(program: &mut Program) {
    PASSES.iter().filter(|it| it.scope == Scope::Host).for_each(|pass| pass.run(program));
}

/// Removes the bodies that contain C++ code of the program. Functions without a body are left alone by all
/// passes.
fn take_native_bodies(program: &mut Program) -> Vec<(usize, Vec<Stmt>)> {
    let mut bodies = Vec::new();
    for (index, function) in program.functions.iter_mut().enumerate() {
        let mut is_native = false;
        walk::visit_stmts(&function.body, &mut |stmt| is_native |= matches!(stmt.kind, StmtKind::Native(_)));
        if is_native {
            bodies.push((index, std::mem::take(&mut function.body)));
        }
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        for (index, pass) in PASSES.iter().enumerate() {
            assert!(pass.name.chars().all(|it| it.is_ascii_lowercase() || it == '-'), "{}", pass.name);
            assert!(PASSES[..index].iter().all(|it| it.name != pass.name), "{} twice", pass.name);
            assert_eq!(Pass::from_name(pass.name).map(|it| it.name), Some(pass.name));
        }
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
