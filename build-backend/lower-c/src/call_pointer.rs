//! Calls through pointers to functions (C17 6.5.2.2). On devices such a pointer has the address that the
//! function has on the host, so that it may be in memory that host and device share; a call compares it with
//! the addresses of the functions that it may lead to.

use apg_c_analysis::hir::{ExprId, Type};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, Expr, Operation, Ty};

use crate::body::{Body, binary};
use crate::sources::{Definition, ReachedObject};
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    /// The address of a function of the program, as a value.
    pub(crate) fn function_address(&mut self, function: ExprId, range: TextRange) -> Lowered<Expr> {
        let found = self.unit.sources.definition(self.unit.file, function);
        match found.filter(|it| self.team.is_none() && self.unit.sources.is_taken(*it)) {
            Some(found) => self.object_address(ReachedObject::Function(found), range),
            None => {
                let name = self.unit.hir.callee_name(function).unwrap_or_default();
                let message = format!("a pointer to `{name}` has no device form");
                unsupported(range, message, "call the function by its name")
            }
        }
    }

    /// A call through a pointer.
    pub(crate) fn call_pointer(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
        result: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        if self.team.is_some() {
            let message = "a call through a pointer has no device form";
            return unsupported(range, message, "call the function by its name");
        }
        let pointer = self.value(callee)?;
        let untyped = self.unit.program.types.pointer_to(Ty::Void, AddressSpace::Generic);
        let pointer = self.convert_to(pointer, untyped, range)?;
        let pointer = self.temporary(pointer);
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.value(*argument)?;
            values.push(self.temporary(value));
        }
        let returned = self.unit.ty(result, range)?;
        self.check_foreign(returned, range)?;
        let calls = self.candidates(&values, returned, range)?;
        if calls.is_empty() {
            let message = "this pointer leads to no function of the program that has these parameters";
            return unsupported(
                range,
                message,
                "name the files of the functions, or call them by their names",
            );
        }
        let value = match returned {
            Ty::Void => None,
            ty => Some(self.local("", ty)),
        };
        if let Some(local) = value {
            let zero = Expr::new(returned, mir::ExprKind::Zero);
            self.set(local, zero);
        }
        let (mut otherwise, ()) = self.nested(|it| {
            it.end_with_message("a pointer leads to a function that the device does not have", range)
        })?;
        for (function, args) in calls.into_iter().rev() {
            let address = self.object_address(ReachedObject::Function(function), range)?;
            let (then, ()) = self.nested(|it| {
                let call = it.call_with(function, args, range)?;
                match value {
                    Some(local) => it.set(local, call),
                    None => it.push(mir::StmtKind::Expr(call)),
                }
                Ok(())
            })?;
            let condition = binary(Ty::Bool, Operation::Eq, pointer.clone(), address);
            otherwise = vec![mir::Stmt::new(self.span, mir::StmtKind::If { condition, then, otherwise })];
        }
        self.stmts.append(&mut otherwise);
        Ok(match value {
            Some(local) => crate::body::local_value(local, returned),
            None => Expr::new(Ty::I32, mir::ExprKind::Int(0)),
        })
    }

    /// Refuses a call that may lead to a function which no file of the program defines.
    fn check_foreign(&mut self, returned: Ty, range: TextRange) -> Lowered<()> {
        let sources = self.unit.sources;
        for (file, function) in sources.foreign_functions() {
            let of = sources.hir(*file).function(*function);
            if self.unit.in_file(*file, |unit| unit.ty(&of.result, range)) == Ok(returned) {
                let message =
                    format!("this pointer may lead to `{}`, which no file of the program defines", of.name);
                return unsupported(range, message, "define a function that calls it, and point to that");
            }
        }
        Ok(())
    }

    /// The functions that a call may reach, each with its arguments: those that return what the call expects
    /// and take values as it has.
    fn candidates(
        &mut self,
        values: &[Expr],
        returned: Ty,
        range: TextRange,
    ) -> Lowered<Vec<(Definition, Vec<Expr>)>> {
        let mut found = Vec::new();
        for function in self.unit.sources.candidates(values.len()).collect::<Vec<_>>() {
            let result = &self.unit.sources.hir(function.0).function(function.1).result;
            if self.unit.in_file(function.0, |unit| unit.ty(result, range)) != Ok(returned) {
                continue;
            }
            let args = values.iter().enumerate();
            let args: Lowered<Vec<Expr>> =
                args.map(|(index, it)| self.convert_argument(function, index, it.clone(), range)).collect();
            found.extend(args.ok().map(|args| (function, args)));
        }
        Ok(found)
    }
}
