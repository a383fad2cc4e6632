//! The `sections` construct (OpenMP 2.5, section 2.5.2): the sections are the iterations of a loop with a
//! dynamic schedule.

use apg_c_analysis::hir::{Construct, Directive, StmtId, StmtKind};
use apg_mir::{self as mir, Operation, Ty};

use super::worksharing::schedule;
use crate::body::{Body, binary, int};
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    pub(super) fn sections(&mut self, directive: &Directive) -> Lowered<()> {
        let parts = self.parts(directive);
        let count = parts.len() as i64;
        if parts.is_empty() {
            return unsupported(directive.range, "there is no section", "write `#pragma omp section`");
        }
        let environment = self.enter_environment(directive)?;
        let args =
            vec![int(Ty::I32, schedule::DYNAMIC), int(Ty::I64, count), int(Ty::I64, 1), int(Ty::I32, 0)];
        self.call_entry("team_loop_begin", args);
        let label = self.label();
        let (stmts, ()) = self.nested(|it| {
            it.leave_without_chunk(label);
            it.chunk(
                |it, number| {
                    for (index, part) in parts.iter().enumerate() {
                        let (then, ()) = it.nested(|it| {
                            part.iter().for_each(|stmt| it.stmt(*stmt));
                            if index as i64 + 1 == count {
                                it.keep_last(&environment)?;
                            }
                            Ok(())
                        })?;
                        let is_it =
                            binary(Ty::Bool, Operation::Eq, number.clone(), int(Ty::I64, index as i64));
                        it.push(mir::StmtKind::If { condition: is_it, then, otherwise: Vec::new() });
                    }
                    Ok(())
                },
                |_, _| Ok(()),
            )
        })?;
        self.push_endless(label, stmts);
        self.call_entry("team_loop_leave", Vec::new());
        self.leave_environment(environment)?;
        self.end_worksharing(directive);
        Ok(())
    }

    /// The statements of each section. The first one needs no directive.
    fn parts(&self, directive: &Directive) -> Vec<Vec<StmtId>> {
        let hir = self.unit.hir;
        let mut parts: Vec<Vec<StmtId>> = Vec::new();
        let mut first = Vec::new();
        for stmt in directive.body.map_or_else(Vec::new, |it| self.block_statements(it)) {
            match hir.stmt(stmt).kind {
                StmtKind::Directive(id) if hir.directive(id).constructs[..] == [Construct::Section] => {
                    parts.push(hir.directive(id).body.into_iter().collect());
                }
                StmtKind::Empty => {}
                _ => match parts.last_mut() {
                    Some(last) => last.push(stmt),
                    None => first.push(stmt),
                },
            }
        }
        if !first.is_empty() {
            parts.insert(0, first);
        }
        parts
    }
}
