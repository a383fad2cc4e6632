//! The pass pipeline: which passes run, and in which order.

use apg_mir::{Program, Stmt, StmtKind, walk};

use crate::analysis::class_hierarchy::ClassHierarchy;
use crate::analysis::exact_types::{self, ExactTypes, KnownClasses, Supertypes};
use crate::kernel::{inline, limit_unrolling, remat_captures, structurize_continue};
use crate::transform::specialize::{self, Specializations};
use crate::transform::{devirtualize, outline, stack_alloc, string_builder, trust_declarations};
use crate::values::is_host_code;

/// Iterations of type propagation, devirtualisation and specialisation over all functions: the class of a
/// result helps the callers, and their classes help theirs.
const MAX_PROPAGATION_ROUNDS: usize = 3;

/// The kind of build that the pipeline prepares a program for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// Whole-program optimisation of host code.
    pub optimize: bool,
    /// Variables and calls stay as the source has them.
    pub debug: bool,
}

impl Pipeline {
    /// Runs all passes of this kind of build. The program behaves the same afterwards.
    pub fn run(self, program: &mut Program) {
        if self.optimize {
            optimize_host_code(program);
        }
        if !self.debug {
            outline::outline_long_runs(program);
        }
        optimize_kernels(program);
    }
}

/// Passes over kernels, for all builds. Inlining comes first: it brings in the loops of device functions.
pub fn optimize_kernels(program: &mut Program) {
    inline::inline_into_kernels(program);
    legalize_kernels(program);
    remat_captures::rematerialize_captures(program);
    limit_unrolling::limit_unrolling(program);
}

/// Passes that code generation for CPUs relies on. They are no optimisations.
fn legalize_kernels(program: &mut Program) {
    structurize_continue::structurize_continue(program);
}

/// Whole-program passes over functions that run on hosts only.
///
/// 1. Type propagation to a fixed number of rounds, with devirtualisation and with specialisation of
///    functions and closures for the closures that they receive.
/// 2. Removal of null checks that declarations make redundant.
/// 3. Stack allocation after escape analysis.
/// 4. In-place appends to strings.
pub fn optimize_host_code(program: &mut Program) {
    let native = take_native_bodies(program);
    propagate_types(program);
    trust_declarations::remove_declared_null_checks(program);
    stack_alloc::allocate_on_stack(program);
    string_builder::append_in_place(program);
    for (index, body) in native {
        program.functions[index].body = body;
    }
}

fn propagate_types(program: &mut Program) {
    let mut known = vec![KnownClasses::default(); program.functions.len()];
    let hierarchy = ClassHierarchy::new(program);
    let mut supertypes = Supertypes::new(program);
    let mut specializations = Specializations::default();
    for _ in 0..MAX_PROPAGATION_ROUNDS {
        let results = exact_types::infer_results(program, &supertypes, &known);
        let mut index = 0;
        // Specialisation adds functions while this runs.
        while index < program.functions.len() {
            if is_host_code(&program.functions[index]) {
                let mut body = std::mem::take(&mut program.functions[index].body);
                let own = known[index].clone();
                let captures = &own.captures;
                let infer = |program: &Program, supertypes: &Supertypes, body: &[Stmt]| {
                    exact_types::infer_locals(&program.functions[index], supertypes, body, &own, &results)
                };
                let locals = infer(program, &supertypes, &body);
                let exact =
                    ExactTypes { locals: &locals, results: &results, captures, supertypes: &supertypes };
                devirtualize::devirtualize_calls(program, &hierarchy, &mut body, exact);
                specialize::specialize_closures(program, &mut known, &mut specializations, &mut body, exact);
                supertypes.add_new_classes(program);
                let locals = infer(program, &supertypes, &body);
                let exact =
                    ExactTypes { locals: &locals, results: &results, captures, supertypes: &supertypes };
                specialize::specialize_calls(program, &mut known, &mut specializations, &mut body, exact);
                program.functions[index].body = body;
            }
            index += 1;
        }
    }
}

/// Removes the bodies that contain C++ code of the program, whose effects are unknown. Functions without a
/// body are left alone by all passes.
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
