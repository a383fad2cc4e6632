//! Statements (C17 6.8), declarations in blocks, and functions of the device.

use apg_c_analysis::hir::{Construct, DirectiveId, ExprId, ExprKind, StmtId, StmtKind, Type, VariableId};
use apg_c_analysis::initializers;
use apg_c_syntax::{Family, TextRange};
use apg_mir::{self as mir, Expr, Operation, Place, PlaceKind, Stmt, Ty};

use crate::array_lengths::has_variable_length;
use crate::body::{Body, Jumps, Role, Storage, TeamThread, binary, int, local_value, operation};
use crate::changes::is_read_only_by_value;
use crate::conversion::zero;
use crate::sources::ReachedObject;
use crate::unit::{CalledFunction, Unit, declared_function};
use crate::unsupported::{Lowered, unsupported};

/// Lowers a function that a region reaches.
pub(crate) fn lower_function(unit: &mut Unit<'_>, called: CalledFunction) -> Lowered<mir::Function> {
    let item = unit.hir.function(called.definition.1);
    let range = item.range.unwrap_or_default();
    let span = unit.span(range);
    let mut function = declared_function(item.name.to_string(), span);
    let is_recursive = unit.sources.reaches(called.definition, called.definition);
    function.recursion.cycle = u32::from(is_recursive);
    let mut body = Body::new(unit, Role::Function(item.result.clone()), span);
    function.result = body.unit.ty(&item.result, range)?;
    let Some(code) = item.body else { return Ok(function) };
    body.note_objects(code);
    body.note_labels(code);
    let is_team = body.unit.tables.is_some();
    body.function_name.clone_from(&item.name);
    body.definition = Some(called.definition);
    if is_team {
        body.team = Some(TeamThread { state: body.local("self", Ty::I64) });
        body.function_team = body.team;
    }
    let mut values = Vec::new();
    for parameter in &item.parameters {
        let of = body.unit.hir.variable(*parameter);
        let ty = body.unit.ty(&of.ty, of.range.unwrap_or(range))?;
        values.push((*parameter, body.local(&of.name, ty), ty));
    }
    if !is_team {
        for object in body.unit.sources.objects_of(called.definition).iter() {
            let (local, _) = body.file_address(*object, range)?;
            if let ReachedObject::Threads(word) = object {
                body.numbers.know(*word, local);
            }
        }
    }
    function.params = body.locals.len() as u32;
    for (parameter, local, ty) in values {
        let is_aggregate = matches!(ty, Ty::Struct(_));
        if is_aggregate || body.addressed.contains(&parameter) {
            let storage = body.declare(parameter, range)?;
            body.initialize(storage, local_value(local, ty));
        } else {
            body.objects.insert(parameter, Storage::Local(local));
        }
    }
    body.note_arrays(code, range)?;
    body.stmt(code);
    if !ends_in_return(&body.stmts) {
        body.free_arrays()?;
    }
    if function.result != Ty::Void && !ends_in_return(&body.stmts) {
        // The value of a function that ends without `return` is not used (C17 6.9.1, paragraph 12).
        let value = match function.result {
            Ty::Struct(_) => Expr::new(function.result, mir::ExprKind::Zero),
            ty => zero(ty),
        };
        body.push(mir::StmtKind::Return(Some(value)));
    }
    let stmts = std::mem::take(&mut body.stmts);
    body.stmts = std::mem::take(&mut body.prologue);
    body.stmts.extend(stmts);
    mir::fold::fold_body(&mut body.stmts);
    (function.locals, function.variables, function.body) = (body.locals, body.variables, body.stmts);
    Ok(function)
}

fn ends_in_return(stmts: &[Stmt]) -> bool {
    match stmts.last().map(|it| &it.kind) {
        Some(mir::StmtKind::Return(_)) => true,
        Some(mir::StmtKind::Block(inner)) => ends_in_return(inner),
        _ => false,
    }
}

impl Body<'_, '_> {
    /// A statement; what has no device form is reported.
    pub(crate) fn stmt(&mut self, id: StmtId) {
        let around = std::mem::replace(&mut self.span, self.unit.span(self.unit.hir.stmt(id).range));
        let is_control = matches!(
            self.unit.hir.stmt(id).kind,
            StmtKind::If(..)
                | StmtKind::While(..)
                | StmtKind::DoWhile(..)
                | StmtKind::For { .. }
                | StmtKind::Switch(..)
        );
        self.control_depth += u32::from(is_control);
        if let Err(error) = self.lower_stmt(id) {
            self.unit.report(error);
        }
        self.control_depth -= u32::from(is_control);
        self.span = around;
    }

    /// The statements of a block.
    fn block(&mut self, id: StmtId) -> Lowered<Vec<Stmt>> {
        let (stmts, ()) = self.nested(|it| {
            it.stmt(id);
            Ok(())
        })?;
        Ok(stmts)
    }

    fn lower_stmt(&mut self, id: StmtId) -> Lowered<()> {
        let hir = self.unit.hir;
        let range = hir.stmt(id).range;
        match &hir.stmt(id).kind {
            StmtKind::Empty => {}
            StmtKind::Block(stmts) => {
                let (inside, ()) = self.nested(|it| {
                    stmts.iter().for_each(|stmt| it.stmt(*stmt));
                    Ok(())
                })?;
                self.push(mir::StmtKind::Block(inside));
            }
            StmtKind::Expr(expr) => self.effect(*expr)?,
            StmtKind::Declaration(variables) => {
                for variable in variables {
                    self.declaration(*variable, range)?;
                }
            }
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.condition(*condition)?;
                let then = self.block(*then)?;
                let otherwise = otherwise.map_or(Ok(Vec::new()), |it| self.block(it))?;
                self.push(mir::StmtKind::If { condition, then, otherwise });
            }
            StmtKind::While(condition, body) => self.pre_tested_loop(Some(*condition), None, *body)?,
            StmtKind::For { init, condition, step, body } => {
                let (inside, ()) = self.nested(|it| {
                    init.iter().for_each(|init| it.stmt(*init));
                    it.pre_tested_loop(*condition, *step, *body)
                })?;
                self.push(mir::StmtKind::Block(inside));
            }
            StmtKind::DoWhile(body, condition) => self.post_tested_loop(*condition, *body)?,
            StmtKind::Break => self.break_stmt(range)?,
            StmtKind::Continue => match self.jumps.last() {
                Some(jumps) => self.push(mir::StmtKind::Continue(jumps.label)),
                None => return unsupported(range, "`continue` is outside of a loop", "leave it out"),
            },
            StmtKind::Return(value) => self.return_stmt(*value, range)?,
            StmtKind::Directive(directive) => self.directive(*directive)?,
            StmtKind::Switch(value, body) => self.switch(*value, *body, range)?,
            StmtKind::Case(_, inner) => self.case_label(id, *inner, range)?,
            StmtKind::Goto(name) => self.goto(name.as_deref(), range)?,
            StmtKind::Label(name, inner) => {
                if let Some(label) = self.labels.get(name).copied() {
                    self.push(mir::StmtKind::Target(label));
                }
                inner.iter().for_each(|it| self.stmt(*it));
            }
            StmtKind::Asm(_) => {
                return unsupported(range, "assembler has no device form", "write it in C");
            }
        }
        Ok(())
    }

    /// `goto`, to a label of the same body.
    fn goto(&mut self, name: Option<&str>, range: TextRange) -> Lowered<()> {
        let Some(name) = name else {
            let message = "`goto` to a computed address has no device form";
            return unsupported(range, message, "write `switch`");
        };
        match self.labels.get(name) {
            Some(label) => self.push(mir::StmtKind::Goto(*label)),
            None => {
                let message = format!("`goto {name}` leaves the region");
                return unsupported(range, message, "write a condition around the rest of the region");
            }
        }
        Ok(())
    }

    /// `break` leaves the innermost `switch` or loop.
    fn break_stmt(&mut self, range: TextRange) -> Lowered<()> {
        let switch = self.switches.last().filter(|it| it.1 == self.jumps.len()).map(|it| it.0);
        let of_loop = self.jumps.last().filter(|it| it.has_break).map(|it| it.label);
        let Some(label) = switch.or(of_loop) else {
            let message = "`break` leaves a loop that threads share";
            return unsupported(range, message, "write a condition around the rest of the body");
        };
        self.push(mir::StmtKind::Break(label));
        Ok(())
    }

    fn pre_tested_loop(
        &mut self,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) -> Lowered<()> {
        let label = self.label();
        let (setup, tested) = match condition {
            Some(condition) => self.nested(|it| it.condition(condition))?,
            None => (Vec::new(), int(Ty::Bool, 1)),
        };
        self.jumps.push(Jumps { label, has_break: true });
        let inside = self.block(body);
        self.jumps.pop();
        let mut inside = inside?;
        let update = match step {
            Some(step) => self.nested(|it| it.effect(step))?.0,
            None => Vec::new(),
        };
        let condition = if setup.is_empty() {
            tested
        } else {
            // The condition has effects: it is evaluated at the start of the body.
            let leave = vec![Stmt::new(self.span, mir::StmtKind::Break(label))];
            let is_over = operation(Ty::Bool, Operation::Not, vec![tested]);
            let test = mir::StmtKind::If { condition: is_over, then: leave, otherwise: Vec::new() };
            let mut all = setup;
            all.push(Stmt::new(self.span, test));
            all.append(&mut inside);
            inside = all;
            int(Ty::Bool, 1)
        };
        self.push(mir::StmtKind::Loop {
            label,
            condition,
            body: inside,
            update,
            unroll: None,
            post_tested: false,
        });
        Ok(())
    }

    /// `do`: a local tells whether another iteration follows.
    fn post_tested_loop(&mut self, condition: ExprId, body: StmtId) -> Lowered<()> {
        let label = self.label();
        let again = self.local("again", Ty::Bool);
        self.set(again, int(Ty::Bool, 1));
        self.jumps.push(Jumps { label, has_break: true });
        let inside = self.block(body);
        self.jumps.pop();
        let (update, ()) = self.nested(|it| {
            let value = it.condition(condition)?;
            it.set(again, value);
            Ok(())
        })?;
        self.push(mir::StmtKind::Loop {
            label,
            condition: local_value(again, Ty::Bool),
            body: inside?,
            update,
            unroll: None,
            post_tested: false,
        });
        Ok(())
    }

    fn return_stmt(&mut self, value: Option<ExprId>, range: TextRange) -> Lowered<()> {
        let Role::Function(result) = self.role.clone() else {
            let message = "`return` leaves the region";
            return unsupported(range, message, "write a condition around the rest of the region");
        };
        let value = match value {
            Some(value) if result == Type::Void => {
                self.effect(value)?;
                None
            }
            Some(value) => {
                let value = self.value(value)?;
                let value = self.convert(value, &result, range)?;
                // It may read an array.
                Some(if self.arrays.is_empty() { value } else { self.temporary(value) })
            }
            None if result == Type::Void => None,
            None => return unsupported(range, "`return` has no value", "write the value"),
        };
        self.free_arrays()?;
        self.push(mir::StmtKind::Return(value));
        Ok(())
    }

    fn declaration(&mut self, variable: VariableId, range: TextRange) -> Lowered<()> {
        let of = self.unit.hir.variable(variable);
        // Each execution of the declaration gives a constant its values, which are the same.
        if of.has_static_storage() && !(of.is_const && is_read_only_by_value(self.unit.hir, variable)) {
            // Code of teams reaches it where the program has it.
            if self.team.is_some() {
                return Ok(());
            }
            self.undeclared.insert(variable);
            let message = format!("`{}` is static, and has no device form", of.name);
            return unsupported(range, message, "map an object that is declared outside of the region");
        }
        if has_variable_length(&of.ty) {
            return self.declare_array(variable, range);
        }
        let storage = self.declare(variable, range)?;
        let value = match of.initializer {
            Some(initializer) => initializer,
            None => {
                // A first value at each execution of the declaration, so that all paths have one.
                match storage {
                    Storage::Local(local) => {
                        let ty = self.locals[local.index()].ty;
                        self.set(local, zero(ty));
                    }
                    Storage::Memory(id) if of.has_static_storage() => {
                        self.fill_zero(&Place::new(self.variables[id.index()].ty, PlaceKind::Variable(id)));
                    }
                    _ => {}
                }
                return Ok(());
            }
        };
        let target = self.unit.hir.expr(value);
        let is_braced = initializers::is_braced(self.unit.hir, value);
        if let Storage::Memory(id) = storage
            && (is_braced || target.kind == ExprKind::String)
        {
            let place = Place::new(self.variables[id.index()].ty, PlaceKind::Variable(id));
            return self.fill(&place, &of.ty, value, range);
        }
        let single = match &target.kind {
            ExprKind::List(values) if is_braced => match values[..] {
                [only] => only,
                _ => {
                    let ty = self.unit.ty(&of.ty, range)?;
                    self.initialize(storage, zero(ty));
                    return Ok(());
                }
            },
            _ => value,
        };
        let value = self.value(single)?;
        let value = self.convert(value, &of.ty, range)?;
        self.initialize(storage, value);
        Ok(())
    }

    /// A loop whose index counts from one number to another.
    pub(crate) fn count(&mut self, first: i64, end: i64, each: impl FnOnce(&mut Self, Expr)) {
        self.count_between(int(Ty::I64, first), int(Ty::I64, end), each);
    }

    /// A loop whose index counts from one value of 64 bits to another.
    pub(crate) fn count_between(&mut self, first: Expr, end: Expr, each: impl FnOnce(&mut Self, Expr)) {
        let label = self.label();
        let index = self.local("", Ty::I64);
        let value = || local_value(index, Ty::I64);
        self.set(index, first);
        let around = std::mem::take(&mut self.stmts);
        each(self, value());
        let body = std::mem::replace(&mut self.stmts, around);
        let next = binary(Ty::I64, Operation::Add, value(), int(Ty::I64, 1));
        let update = vec![Stmt::new(self.span, mir::StmtKind::Set { local: index, value: next })];
        let condition = binary(Ty::Bool, Operation::Lt, value(), end);
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
    }

    /// A directive inside of a region.
    fn directive(&mut self, id: DirectiveId) -> Lowered<()> {
        if self.team.is_some() {
            return self.team_directive(id);
        }
        let directive = self.unit.hir.directive(id).for_device();
        match directive.constructs[..] {
            [Construct::Atomic] => self.atomic(directive),
            _ if directive.family != Family::OpenMp => {
                directive.body.iter().for_each(|it| self.stmt(*it));
                Ok(())
            }
            _ => self.nested_construct(id),
        }
    }
}
