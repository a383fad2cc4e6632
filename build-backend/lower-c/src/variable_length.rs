//! Arrays that have a length, or rows of a length, that is not a constant (C17 6.7.6.2): such an array or row
//! is reached by the address of its first element. Those that code of a device declares are in memory of the
//! heap, which each execution of the declaration makes larger if it has to, and which is freed at the end of
//! the function.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{ExprId, ExprKind, Length, Program, StmtId, StmtKind, Type, VariableId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, Expr, Operation, Ty};

use crate::array_lengths::has_variable_length;
use crate::body::{Body, Storage, VariableArray, binary, int, local_value, operation};
use crate::changes::is_changed;
use crate::unsupported::{Lowered, unsupported};

/// The arrays of variable length that a statement declares.
fn declared_arrays(hir: &Program, stmt: StmtId) -> Vec<VariableId> {
    let mut found = Vec::new();
    hir.walk_stmt(stmt, &mut |node| {
        if let Node::Stmt(id) = node
            && let StmtKind::Declaration(variables) = &hir.stmt(id).kind
        {
            found.extend(variables.iter().filter(|it| has_variable_length(&hir.variable(**it).ty)));
        }
        true
    });
    found
}

/// The type of the elements of all dimensions.
fn scalar(ty: &Type) -> &Type {
    let mut inner = ty;
    while let Type::Array(element, _) = inner {
        inner = element;
    }
    inner
}

/// The lengths of the rows that a variable leads to.
fn row_lengths(ty: &Type) -> Vec<ExprId> {
    let (mut inner, mut found) = (ty.element(), Vec::new());
    while let Some(Type::Array(element, Length::Variable(length))) = inner {
        found.push(*length);
        inner = Some(element);
    }
    found
}

/// The variables in the lengths of the rows that a variable leads to.
pub(crate) fn length_variables(hir: &Program, ty: &Type) -> Vec<VariableId> {
    let mut found = Vec::new();
    for length in row_lengths(ty) {
        hir.walk_expr(length, &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Variable(variable) = hir.expr(id).kind
            {
                found.push(variable);
            }
            true
        });
    }
    found
}

impl Body<'_, '_> {
    /// The address of the first element of a row.
    pub(crate) fn row_address(&mut self, id: ExprId, range: TextRange) -> Lowered<Expr> {
        let hir = self.unit.hir;
        match &hir.expr(id).kind {
            ExprKind::Dereference(pointer) => self.value(*pointer),
            ExprKind::Index(base, index) => {
                let pointer = self.value(*base)?;
                let index = self.value(*index)?;
                let count = self.convert_to(index, Ty::I64, range)?;
                let count = self.times_row(count, &hir.expr(id).ty, range)?;
                Ok(operation(pointer.ty, Operation::Offset, vec![pointer, count]))
            }
            _ => unsupported(range, "this row of an array has no device form", "index the array"),
        }
    }

    /// A number times the objects in a row, which its address moves by: one for what is no row.
    pub(crate) fn times_row(&mut self, mut count: Expr, of: &Type, range: TextRange) -> Lowered<Expr> {
        let mut row = Some(of);
        while let Some(Type::Array(element, Length::Variable(length))) = row {
            let length = self.row_length(*length, range)?;
            count = binary(Ty::I64, Operation::Mul, count, length);
            row = Some(element);
        }
        Ok(count)
    }

    /// Makes locals for the arrays of variable length that a body declares; without memory at first.
    pub(crate) fn note_arrays(&mut self, stmt: StmtId, range: TextRange) -> Lowered<()> {
        // In code of teams, whose heap is the host's, they are refused where they are declared.
        if self.team.is_some() {
            return Ok(());
        }
        let hir = self.unit.hir;
        for variable in declared_arrays(hir, stmt) {
            // The type that the array is converted to. Without one the declaration is refused.
            let Ok(ty) = self.unit.ty(&hir.variable(variable).ty.clone().decayed(), range) else { continue };
            let memory = self.local(&hir.variable(variable).name, ty);
            let capacity = self.local("", Ty::I64);
            let (nothing, zero) = (Expr::new(ty, mir::ExprKind::Zero), int(Ty::I64, 0));
            for (local, value) in [(memory, nothing), (capacity, zero)] {
                self.prologue.push(mir::Stmt::new(self.span, mir::StmtKind::Set { local, value }));
            }
            self.arrays.push(VariableArray { variable, memory, capacity });
        }
        Ok(())
    }

    /// Gives the memory of all arrays back.
    pub(crate) fn free_arrays(&mut self) -> Lowered<()> {
        for array in self.arrays.clone() {
            let memory = self.array_address(array);
            self.call_c("free", vec![memory], Ty::Void)?;
        }
        Ok(())
    }

    /// The address of an array, as that of bytes.
    fn array_address(&mut self, array: VariableArray) -> Expr {
        let memory = local_value(array.memory, self.locals[array.memory.index()].ty);
        let bytes = self.unit.program.types.pointer_to(Ty::I8, AddressSpace::Generic);
        operation(bytes, Operation::Convert, vec![memory])
    }

    /// The declaration of an array of variable length: its lengths are what they are now.
    pub(crate) fn declare_array(&mut self, variable: VariableId, range: TextRange) -> Lowered<()> {
        let hir = self.unit.hir;
        let of = hir.variable(variable);
        let Some(array) = self.arrays.iter().find(|it| it.variable == variable).copied() else {
            self.undeclared.insert(variable);
            self.unit.ty(&of.ty.clone().decayed(), range)?;
            let message = "the length of this array is not a constant";
            return unsupported(range, message, "write a constant, or a pointer to elements");
        };
        let Some(size) = hir.size_of(scalar(&of.ty)) else {
            return unsupported(range, "the size of the elements is not known", "declare their type");
        };
        let mut bytes = int(Ty::I64, size as i64);
        let mut inner = &of.ty;
        while let Type::Array(element, length) = inner {
            let count = match length {
                Length::Constant(count) => int(Ty::I64, *count as i64),
                Length::Variable(length) => {
                    let value = match range.contains_range(hir.expr(*length).range) {
                        true => {
                            let value = self.value(*length)?;
                            self.convert_to(value, Ty::I64, range)?
                        }
                        // That of a type with a name, from before.
                        false => self.row_length(*length, range)?,
                    };
                    let value = self.temporary(value);
                    self.array_lengths.insert(*length, value.clone());
                    value
                }
                Length::Unknown => return unsupported(range, "this array has no length", "write it"),
            };
            bytes = binary(Ty::I64, Operation::Mul, bytes, count);
            inner = element;
        }
        let bytes = self.temporary(binary(Ty::I64, Operation::Max, bytes, int(Ty::I64, 1)));
        self.objects.insert(variable, Storage::Local(array.memory));
        let capacity = local_value(array.capacity, Ty::I64);
        let is_larger = binary(Ty::Bool, Operation::Gt, bytes.clone(), capacity);
        let (then, ()) = self.nested(|it| it.grow(array, bytes, range))?;
        self.push(mir::StmtKind::If { condition: is_larger, then, otherwise: Vec::new() });
        Ok(())
    }

    /// Gives an array more memory, without what it has.
    fn grow(&mut self, array: VariableArray, bytes: Expr, range: TextRange) -> Lowered<()> {
        let before = self.array_address(array);
        let to_bytes = before.ty;
        self.call_c("free", vec![before], Ty::Void)?;
        let size = operation(Ty::U64, Operation::Convert, vec![bytes.clone()]);
        let memory = self.call_c("malloc", vec![size], to_bytes)?;
        let memory = self.convert_to(memory, self.locals[array.memory.index()].ty, range)?;
        self.set(array.memory, memory);
        self.set(array.capacity, bytes);
        let memory = self.array_address(array);
        let is_there = self.convert_to(memory, Ty::Bool, range)?;
        let name = self.unit.hir.variable(array.variable).name.clone();
        let (otherwise, ()) =
            self.nested(|it| it.end_with_message(&format!("there is no memory for `{name}`"), range))?;
        self.push(mir::StmtKind::If { condition: is_there, then: Vec::new(), otherwise });
        Ok(())
    }

    /// The length of a row: what the expression in its declaration was then, if nothing has changed since.
    fn row_length(&mut self, length: ExprId, range: TextRange) -> Lowered<Expr> {
        if let Some(known) = self.array_lengths.get(&length) {
            return Ok(known.clone());
        }
        let hir = self.unit.hir;
        let mut changed = None;
        hir.walk_expr(length, &mut |node| {
            let Node::Expr(id) = node else { return true };
            match hir.expr(id).kind {
                ExprKind::Variable(it) => {
                    let of = hir.variable(it);
                    let body = of.function.and_then(|it| hir.function(it).body);
                    if body.is_none_or(|body| is_changed(hir, body, it)) && !of.is_const {
                        changed = Some(of.name.clone());
                    }
                }
                ExprKind::Integer(_) | ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(_) => {}
                _ => changed = Some("the length".into()),
            }
            true
        });
        if let Some(name) = changed {
            let message = format!("the length of these rows may have changed since, with `{name}`");
            return unsupported(range, message, "declare the array by a length that stays as it is");
        }
        let value = self.value(length)?;
        self.convert_to(value, Ty::I64, range)
    }
}
