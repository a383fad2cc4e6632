//! The `single` construct with `copyprivate` (OpenMP 2.5, sections 2.5.3 and 2.8.4.2): the first thread that
//! arrives executes it, and hands its values over by memory of the team. `master` (section 2.6.1).

use apg_c_analysis::hir::Directive;
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Ty};

use crate::body::{Body, binary, int};
use crate::lvalue::Lvalue;
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    pub(super) fn single(&mut self, directive: &Directive) -> Lowered<()> {
        let chosen = self.entry_value("team_single", Vec::new());
        let is_chosen = |value: i64| binary(Ty::Bool, Operation::Ne, chosen.clone(), int(Ty::I32, value));
        let handed = self.handed_over(directive)?;
        let exchange = match handed.is_empty() {
            true => None,
            false => Some(self.entry_value("team_copyprivate", Vec::new())),
        };
        let (then, ()) = self.nested(|it| {
            it.in_environment(directive, |it| {
                directive.body.iter().for_each(|body| it.stmt(*body));
                Ok(())
            })?;
            exchange.iter().try_for_each(|to| it.hand_over(&handed, to, true))
        })?;
        self.push(mir::StmtKind::If { condition: is_chosen(0), then, otherwise: Vec::new() });
        let Some(exchange) = exchange else {
            self.end_worksharing(directive);
            return Ok(());
        };
        self.call_entry("team_synchronize", Vec::new());
        let (then, ()) = self.nested(|it| it.hand_over(&handed, &exchange, false))?;
        self.push(mir::StmtKind::If { condition: is_chosen(1), then, otherwise: Vec::new() });
        // The memory may be used again.
        self.call_entry("team_synchronize", Vec::new());
        Ok(())
    }

    /// The objects of `copyprivate`, and where their values are handed over.
    fn handed_over(&mut self, directive: &Directive) -> Lowered<Vec<(Lvalue, u64, TextRange)>> {
        let mut found = Vec::new();
        let mut offset = 0;
        for item in directive.clauses_named("copyprivate").flat_map(|it| &it.items) {
            let Some(variable) = item.variable(self.unit.hir) else { continue };
            let lvalue = self.object(variable, item.range)?;
            let size = mir::Layouts::new(&self.unit.program).size(lvalue.ty()).map_or(u64::MAX, |it| it.size);
            found.push((lvalue, offset, item.range));
            offset = size.checked_next_multiple_of(16).map_or(u64::MAX, |it| it.saturating_add(offset));
            if offset > mir::team::EXCHANGE_BYTES {
                let message =
                    format!("`copyprivate` hands over more than {} bytes", mir::team::EXCHANGE_BYTES);
                return unsupported(item.range, message, "hand over a pointer");
            }
        }
        Ok(found)
    }

    /// Stores values for other threads, or loads them. A thread alone exchanges none.
    fn hand_over(
        &mut self,
        handed: &[(Lvalue, u64, TextRange)],
        memory: &Expr,
        is_store: bool,
    ) -> Lowered<()> {
        let (then, ()) = self.nested(|it| {
            for (lvalue, offset, range) in handed {
                let address = binary(Ty::I64, Operation::Add, memory.clone(), int(Ty::I64, *offset as i64));
                it.exchange(lvalue, address, is_store, *range)?;
            }
            Ok(())
        })?;
        let is_there = binary(Ty::Bool, Operation::Ne, memory.clone(), int(Ty::I64, 0));
        self.push(mir::StmtKind::If { condition: is_there, then, otherwise: Vec::new() });
        Ok(())
    }

    /// `master` and `masked`.
    pub(super) fn master(&mut self, directive: &Directive) -> Lowered<()> {
        let chosen = match directive.clause("filter").and_then(|it| it.items.first()?.expr) {
            Some(expr) => {
                let value = self.value(expr)?;
                self.convert_to(value, Ty::I32, directive.range)?
            }
            None => int(Ty::I32, 0),
        };
        let number = self.entry_value("team_thread", Vec::new());
        let condition = binary(Ty::Bool, Operation::Eq, number, chosen);
        // The clauses of `parallel master` concern all threads.
        self.in_environment(directive, |it| {
            let (then, ()) = it.nested(|it| {
                directive.body.iter().for_each(|body| it.stmt(*body));
                Ok(())
            })?;
            it.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
            Ok(())
        })
    }
}
