//! Calls that end the program (C17 7.22.4), and failing assertions (7.2): a thread of a device says how the
//! program is to end, and ends itself; the host ends the program behind the region.

use apg_c_analysis::hir::{ExprId, ExprKind};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AtomicOperation, Expr, Operation, Place, PlaceKind, Ty};

use crate::atomic::atomic;
use crate::body::{Body, binary, int, operation};
use crate::literal::string_bytes;
use crate::sources::ReachedObject;
use crate::unsupported::{Lowered, unsupported};

/// How the program is to end: numbers that `apg_target.h` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Exit = 1,
    Abort = 2,
    Assertion = 3,
    ExitAtOnce = 4,
    Failure = 5,
    Bounds = 6,
}

impl Body<'_, '_> {
    /// A call of a function that ends the program.
    pub(crate) fn end_program(&mut self, name: &str, arguments: &[ExprId], range: TextRange) -> Lowered<()> {
        let (how, value) = match (name, arguments) {
            ("exit" | "_Exit" | "_exit", [status]) => {
                let status = self.value(*status)?;
                let status = self.convert_to(status, Ty::I32, range)?;
                (if name == "exit" { Ending::Exit } else { Ending::ExitAtOnce }, status)
            }
            ("__assert_fail", [condition, file, line, _]) => {
                let text = self.assertion(*condition, *file, *line, range)?;
                let index = self.unit.message_number(text);
                (Ending::Assertion, int(Ty::I32, index))
            }
            ("abort" | "__builtin_abort", []) => (Ending::Abort, int(Ty::I32, 0)),
            _ => {
                let message = format!("`{name}` does not take {} arguments", arguments.len());
                return unsupported(range, message, "include the header that declares it");
            }
        };
        self.end(how, value, range)
    }

    /// Ends the program with a message that names this place of the source, as a failing assertion does.
    pub(crate) fn end_with_message(&mut self, what: &str, range: TextRange) -> Lowered<()> {
        let text = format!("{}.", self.message_here(what, range));
        let message = int(Ty::I32, self.unit.message_number(text));
        self.end(Ending::Assertion, message, range)
    }

    /// Ends the program with an error that names this place of the source.
    pub(crate) fn end_with_failure(&mut self, what: &str, range: TextRange) -> Lowered<()> {
        let text = self.message_here(what, range);
        if self.team.is_some() {
            return self.end_team(&text);
        }
        let message = int(Ty::I32, self.unit.message_number(text));
        self.end(Ending::Failure, message, range)
    }

    fn message_here(&mut self, what: &str, range: TextRange) -> String {
        let span = self.unit.span(range);
        let file = self.unit.sources.file(span.file.0 as usize).path.display();
        format!("{file}:{}: {}: {what}", span.line(), self.function_name)
    }

    /// Says how the program is to end, if no thread has said so, and ends the thread.
    fn end(&mut self, how: Ending, value: Expr, range: TextRange) -> Lowered<()> {
        let words = self.object_address(ReachedObject::Ending, range)?;
        self.request_end(&words, how, |it| {
            let second = operation(words.ty, Operation::Offset, vec![words.clone(), int(Ty::I64, 1)]);
            it.store(Place::new(Ty::I32, PlaceKind::Deref(Box::new(second))), value);
            Ok(())
        })
    }

    /// Ends the thread; the first that does so stores how the program is to end.
    pub(crate) fn request_end(
        &mut self,
        words: &Expr,
        how: Ending,
        store: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let values = vec![int(Ty::I32, 0), int(Ty::I32, how as i64)];
        let before = self.temporary(atomic(AtomicOperation::Compare, words.clone(), Ty::I32, values));
        let (then, ()) = self.nested(store)?;
        let condition = binary(Ty::Bool, Operation::Eq, before, int(Ty::I32, 0));
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        self.call_entry("thread_end", Vec::new());
        Ok(())
    }

    /// What a failing assertion writes.
    fn assertion(&self, condition: ExprId, file: ExprId, line: ExprId, range: TextRange) -> Lowered<String> {
        let hir = self.unit.hir;
        let text = |id: ExprId| {
            let is_string = hir.expr(id).kind == ExprKind::String;
            let bytes = string_bytes(&self.unit.expanded_text(hir.expr(id).range)).filter(|_| is_string)?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        match (text(condition), text(file), hir.constant(line)) {
            (Some(condition), Some(file), Some(line)) => {
                let function = &self.function_name;
                Ok(format!("{file}:{line}: {function}: Assertion `{condition}' failed."))
            }
            _ => unsupported(range, "the text of this assertion is not known", "write `assert(condition)`"),
        }
    }
}
