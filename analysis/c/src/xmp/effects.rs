//! What calls may do to global arrays: functions that no directive and no store of the file can be hidden in.

use rustc_hash::FxHashSet;

use crate::hir::visit::Node;
use crate::hir::{ExprId, ExprKind, FunctionId, Program, StmtId};

/// Functions of the C library that programs call often, and that reach no array but their arguments.
#[rustfmt::skip]
const LIBRARY: &[&str] = &[
    "abort", "abs", "acos", "asin", "atan", "atan2", "atof", "atoi", "atol", "calloc", "ceil", "clock", "clock_gettime", "cos",
    "cosh", "drand48", "erand48", "exit", "exp", "fabs", "fabsf", "fclose", "fflush", "floor", "fmax", "fmaxf", "fmin", "fminf",
    "fmod", "fopen", "fprintf", "fputs", "free", "getenv", "gettimeofday", "labs", "log", "log10", "malloc", "memset", "perror",
    "pow", "powf", "printf", "putchar", "puts", "rand", "round", "sin", "sinh", "snprintf", "sprintf", "sqrt", "sqrtf", "srand",
    "srand48", "strcmp", "strlen", "strtod", "strtol", "tan", "tanh", "time",
];

/// Whether a function belongs to the C library or to that of XcalableMP.
pub fn is_library(name: &str) -> bool {
    LIBRARY.binary_search(&name).is_ok() || name.starts_with("xmp_") || name.starts_with("omp_")
}

/// Whether the value of a library's function is the number of the node.
pub fn is_node_number(name: &str) -> bool {
    matches!(name, "xmp_all_node_num" | "xmp_node_num" | "xmpc_all_node_num" | "xmpc_node_num")
}

/// The functions of a program that may execute directives or store to global arrays.
pub struct Effects {
    opaque: FxHashSet<FunctionId>,
}

impl Effects {
    /// Of a program: the functions that do such things, and those that call them (transitive closure of the
    /// call graph).
    pub fn of(program: &Program) -> Effects {
        let mut effects = Effects { opaque: FxHashSet::default() };
        loop {
            let before = effects.opaque.len();
            for (function, body) in program.defined_functions() {
                if !effects.opaque.contains(&function) && effects.stores(program, body) {
                    effects.opaque.insert(function);
                }
            }
            if effects.opaque.len() == before {
                return effects;
            }
        }
    }

    /// Whether a call may execute directives or store to global arrays.
    pub fn is_opaque(&self, program: &Program, callee: ExprId) -> bool {
        match &program.expr(callee).kind {
            ExprKind::Function(it) if program.function(*it).body.is_some() => self.opaque.contains(it),
            _ => !program.callee_name(callee).is_some_and(is_library),
        }
    }

    /// Whether a statement has a directive, a call of such a function, or a store that is not to a local
    /// object.
    fn stores(&self, program: &Program, body: StmtId) -> bool {
        let mut found = false;
        let is_local = |target: ExprId| match program.expr(target).kind {
            ExprKind::Variable(it) => !matches!(program.variable(it).ty, crate::hir::Type::Array(..)),
            _ => false,
        };
        program.walk_stmt(body, &mut |node| {
            found |= match node {
                Node::Directive(_) => true,
                Node::Stmt(_) => false,
                Node::Expr(it) => match &program.expr(it).kind {
                    ExprKind::Call(callee, _) => self.is_opaque(program, *callee),
                    ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => !is_local(*target),
                    ExprKind::Coindexed(..) | ExprKind::Section(..) => true,
                    _ => false,
                },
            };
            !found
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::LIBRARY;

    #[test]
    fn names_are_in_order() {
        assert!(LIBRARY.is_sorted());
    }
}
