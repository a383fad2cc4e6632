//! Code that excludes other threads and in which no thread waits for another one. Threads of a warp that
//! arrive together may have its lock one after the other: none of them continues before all have had it, so
//! that a wait for what one of them does behind the code would not end.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    Construct, Directive, ExprKind, FunctionId, Program, StmtId, StmtKind, VariableId,
};
use apg_c_analysis::loops;

use crate::library::is_mathematical;

/// Whether no thread waits in a statement: it has no locks, no construct but `atomic`, no calls of unknown
/// functions, and its loops are counted.
pub(super) fn never_waits(hir: &Program, stmt: StmtId) -> bool {
    Waits { hir, calls: Vec::new() }.is_free(stmt)
}

struct Waits<'p> {
    hir: &'p Program,
    /// The functions whose bodies are looked into.
    calls: Vec<FunctionId>,
}

impl Waits<'_> {
    fn is_free(&mut self, stmt: StmtId) -> bool {
        let hir = self.hir;
        let mut is_free = true;
        hir.walk_stmt(stmt, &mut |node| {
            is_free = is_free
                && match node {
                    Node::Directive(it) => is_update(hir.directive(it)),
                    Node::Stmt(it) => self.ends(it),
                    Node::Expr(it) => match hir.expr(it).kind {
                        ExprKind::Call(callee, _) => self.is_free_call(&hir.expr(callee).kind),
                        _ => true,
                    },
                };
            is_free
        });
        is_free
    }

    /// Whether a statement by itself ends.
    fn ends(&self, stmt: StmtId) -> bool {
        match self.hir.stmt(stmt).kind {
            StmtKind::For { .. } => {
                let counted = loops::canonical(self.hir, stmt);
                counted.is_ok_and(|it| !self.assigns(it.body, it.variable))
            }
            StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::Goto(_) | StmtKind::Asm(_) => false,
            _ => true,
        }
    }

    fn assigns(&self, stmt: StmtId, variable: VariableId) -> bool {
        let mut found = false;
        self.hir.walk_stmt(stmt, &mut |node| {
            if let Node::Expr(it) = node {
                let target = match self.hir.expr(it).kind {
                    ExprKind::Assign(_, target, _)
                    | ExprKind::Increment { target, .. }
                    | ExprKind::AddressOf(target) => self.hir.base_variable(target),
                    _ => None,
                };
                found |= target == Some(variable);
            }
            !found
        });
        found
    }

    fn is_free_call(&mut self, callee: &ExprKind) -> bool {
        let function = match callee {
            ExprKind::Function(it) => *it,
            ExprKind::Unresolved(name) => return is_known(name),
            _ => return false,
        };
        let of = self.hir.function(function);
        let Some(body) = of.body else { return is_known(&of.name) };
        if self.calls.contains(&function) {
            return false;
        }
        self.calls.push(function);
        let is_free = self.is_free(body);
        self.calls.pop();
        is_free
    }
}

/// Whether a function of the C library waits for no thread.
fn is_known(function: &str) -> bool {
    is_mathematical(function) || function == "printf"
}

/// An update of one object: `atomic` without a value that is read.
fn is_update(directive: &Directive) -> bool {
    directive.constructs == [Construct::Atomic]
        && directive.clause("read").is_none()
        && directive.clause("capture").is_none()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use apg_c_analysis::hir::DirectiveId;
    use apg_c_analysis::{AnalysisHost, Toolchain, parsed};
    use apg_c_syntax::Disk;

    use super::*;

    /// Whether no thread waits in the first directive of a function `f` with this region.
    fn is_free(region: &str) -> bool {
        let text = format!(
            "double sqrt(double x); void unknown(void); void omp_set_lock(void *lock);\n\
             static void add(int *n) {{ *n += 1; }}\nstatic void locks(void) {{ omp_set_lock(0); }}\n\
             static int again(int n) {{ return n ? again(n - 1) : 0; }}\nint count, flag;\n\
             void f(int *a) {{\n#pragma omp critical\n{region}\n}}\n"
        );
        let mut host = AnalysisHost::new(Arc::new(Disk));
        let file = host.set_file(Path::new("a.c"), text.as_str().into(), &Arc::new(Toolchain::default()));
        let parsed = parsed(host.database(), file);
        let body = parsed.program.directive(DirectiveId::new(0)).body.expect("a body");
        never_waits(&parsed.program, body)
    }

    #[test]
    fn code_that_ends_by_itself_never_waits() {
        for region in [
            "count++;",
            "{ add(a); for (int i = 0; i < 10; i++) { if (a[i]) break; a[i] = sqrt(i); } }",
            "{\n#pragma omp atomic\ncount++;\n}",
            "switch (count) { case 1: a[0] = 1; }",
        ] {
            assert!(is_free(region), "{region}");
        }
    }

    #[test]
    fn code_that_others_may_hold_up_waits() {
        for region in [
            "omp_set_lock(a);",
            "locks();",
            "unknown();",
            "again(3);",
            "while (!flag) ;",
            "do count++; while (!flag);",
            "for (;!flag;) ;",
            "for (int i = 0; i < 1; i++) if (!flag) i--;",
            "{ again: if (!flag) goto again; }",
            "{\n#pragma omp critical(inner)\ncount++;\n}",
            "{\n#pragma omp atomic read\ncount = flag;\n}",
            "((void (*)(void)) a)();",
        ] {
            assert!(!is_free(region), "{region}");
        }
    }
}
