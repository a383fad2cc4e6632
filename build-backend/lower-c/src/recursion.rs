//! Functions that call themselves, directly or through others (C17 6.5.2.2, paragraph 11). The stack of a
//! thread of a device is small, and nothing else notices its end: a call inside of a cycle of the call graph
//! asks for it, and ends the program with the place of the call.

use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Ty};

use crate::body::{Body, operation};
use crate::literal::quoted;
use crate::sources::Definition;
use crate::unsupported::Lowered;

impl Body<'_, '_> {
    /// In front of a call that leads back to the function which makes it: ends the program if the stack of
    /// the thread has no room for it.
    pub(crate) fn check_stack(&mut self, callee: Definition, range: TextRange) -> Lowered<()> {
        let sources = self.unit.sources;
        if !self.definition.is_some_and(|own| sources.reaches(callee, own)) {
            return Ok(());
        }
        let name = &sources.hir(callee.0).function(callee.1).name;
        let what = format!(
            "the stack of the thread has no room for this call of `{name}`: the recursion is too deep, or \
             never ends\n  end it by a condition, or write a loop"
        );
        let condition = Expr::new(
            Ty::Bool,
            mir::ExprKind::Runtime { entry: mir::team::STACK_IS_FULL.into(), args: Vec::new() },
        );
        let condition = self.temporary(condition);
        let (then, ()) = self.nested(|it| it.end_with_failure(&what, range))?;
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        Ok(())
    }

    /// Ends the program in a region of a team by a function of the host.
    pub(crate) fn end_team(&mut self, message: &str) -> Lowered<()> {
        let text = quoted(message);
        let function = self.host_function(&format!("apg_parallel_failed({text})"));
        let ty = self.unit.program.types.array_of(Ty::U64, 3);
        let memory = self.memory("operands", ty);
        let address = self.address_of(mir::Place::new(ty, mir::PlaceKind::Variable(memory)));
        let address = operation(Ty::I64, Operation::Convert, vec![address]);
        self.call_entry("team_host_call", vec![function, address, crate::body::int(Ty::I32, 1)]);
        Ok(())
    }
}
