//! Small functions in units that call them. Programs of several units would call an array's access in another unit each time; with
//! a copy at hand the compiler puts it in place.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::code::{Code, Target};
use crate::mir::*;

/// More statements than this are not small.
const STATEMENTS: usize = 8;
/// More expressions than this are not small.
const EXPRESSIONS: usize = 60;

/// The functions that are copied into units.
pub fn small(program: &Program) -> FxHashSet<FunctionId> {
    let all = program.functions.iter().enumerate();
    all.filter(|(_, function)| is_small(function)).map(|(index, _)| FunctionId(index as u32)).collect()
}

fn is_small(function: &Function) -> bool {
    if function.recursive || function.for_kernels {
        return false;
    }
    let (mut statements, mut plain) = (0, true);
    walk::visit_stmts(&function.body, &mut |stmt| {
        statements += 1;
        plain &= matches!(
            stmt.kind,
            StmtKind::Set { .. }
                | StmtKind::SetField { .. }
                | StmtKind::SetStructField { .. }
                | StmtKind::SetElement { .. }
                | StmtKind::Expr(_)
                | StmtKind::Block(_)
                | StmtKind::If { .. }
                | StmtKind::Throw(_)
                | StmtKind::Return(_)
        );
    });
    if !plain || statements > STATEMENTS {
        return false;
    }
    let mut expressions = 0;
    walk::visit_exprs(&function.body, &mut |_, _| expressions += 1);
    expressions <= EXPRESSIONS
}

impl Code<'_> {
    /// The symbol to call a function by.
    pub fn call_symbol(&mut self, id: FunctionId) -> String {
        if self.target == Target::Host && self.small.is_some_and(|it| it.contains(&id)) {
            self.used.copies.insert(id);
            return format!("i{}", self.names.functions[id.index()]);
        }
        self.function_symbol(id)
    }

    /// The copies that the text so far calls, and those that they call.
    pub fn copies(&mut self) -> String {
        let saved = self.out.take();
        let mut done = BTreeSet::new();
        self.is_copy = true;
        while let Some(id) = self.used.copies.difference(&done).next().copied() {
            done.insert(id);
            self.function(id, "static inline ");
        }
        let bodies = self.out.take();
        let mut text: String =
            done.iter().map(|id| format!("static inline {};\n", self.prototype(*id))).collect();
        self.is_copy = false;
        text.push_str(&bodies);
        self.out.append(&saved);
        text
    }
}
