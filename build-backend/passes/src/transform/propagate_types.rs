//! Exact type propagation (Chambers and Ungar, *Customization*, PLDI 1989), with devirtualisation and
//! procedure cloning for closures.
//!
//! The classes of objects are propagated through locals, results and captures. A call on an object of a known
//! class becomes direct; a function that receives a known closure is cloned for it, and so is a closure that
//! captures one. Each of these reveals further classes, so that they alternate.

use apg_mir::{Program, Stmt};

use super::devirtualize;
use super::specialize::{self, Specializations};
use crate::analysis::class_hierarchy::ClassHierarchy;
use crate::analysis::exact_types::{self, ExactTypes, KnownClasses, Supertypes};
use crate::values::is_host_code;

/// Iterations over all functions: the class of a result helps the callers, and their classes help theirs.
const MAX_PROPAGATION_ROUNDS: usize = 3;

/// Propagates classes, devirtualises calls and clones functions for closures, to a fixed number of rounds.
pub(crate) fn propagate_types(program: &mut Program) {
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
