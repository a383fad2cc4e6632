//! Statements (C17 6.8), declarations in blocks, and functions of the device.

use apg_c_analysis::hir::{Construct, DirectiveId, ExprId, ExprKind, StmtId, StmtKind, Type, VariableId};
use apg_c_syntax::{Family, TextRange};
use apg_mir::{self as mir, Expr, Operation, Place, PlaceKind, Stmt, Ty};

use crate::body::{Body, Jumps, Role, Storage, TeamThread, binary, int, local_value, operation};
use crate::conversion::zero;
use crate::literal::string_bytes;
use crate::unit::{CalledFunction, Unit, declared_function};
use crate::unsupported::{Lowered, unsupported};

/// Lowers a function that a region reaches.
pub(crate) fn lower_function(unit: &mut Unit<'_>, called: CalledFunction) -> Lowered<mir::Function> {
    let item = unit.hir.function(called.definition.1);
    let range = item.range.unwrap_or_default();
    let span = unit.span(range);
    let mut function = declared_function(item.name.to_string(), span);
    let mut body = Body::new(unit, Role::Function(item.result.clone()), span);
    function.result = body.unit.ty(&item.result, range)?;
    let Some(code) = item.body else { return Ok(function) };
    body.note_objects(code);
    let is_team = body.unit.tables.is_some();
    body.function_name.clone_from(&item.name);
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
            body.file_address(*object, range)?;
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
    body.stmt(code);
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
        if let Err(error) = self.lower_stmt(id) {
            self.unit.report(error);
        }
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
            StmtKind::Case(..) => {
                return unsupported(range, "a label outside of `switch`", "leave it out");
            }
            StmtKind::Goto(_) | StmtKind::Label(..) => {
                return unsupported(range, "`goto` has no device form yet", "write loops and conditions");
            }
            StmtKind::Asm(_) => {
                return unsupported(range, "assembler has no device form", "write it in C");
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
                Some(self.convert(value, &result, range)?)
            }
            None if result == Type::Void => None,
            None => return unsupported(range, "`return` has no value", "write the value"),
        };
        self.push(mir::StmtKind::Return(value));
        Ok(())
    }

    fn declaration(&mut self, variable: VariableId, range: TextRange) -> Lowered<()> {
        let of = self.unit.hir.variable(variable);
        if of.has_static_storage() {
            self.undeclared.insert(variable);
            let message = format!("`{}` is static, and has no device form", of.name);
            return unsupported(range, message, "map an object that is declared outside of the region");
        }
        let storage = self.declare(variable, range)?;
        let value = match of.initializer {
            Some(initializer) => initializer,
            None => {
                // A first value at each execution of the declaration, so that all paths have one.
                if let Storage::Local(local) = storage {
                    let ty = self.locals[local.index()].ty;
                    self.set(local, zero(ty));
                }
                return Ok(());
            }
        };
        let target = self.unit.hir.expr(value);
        let is_literal = matches!(target.kind, ExprKind::List(_)) && target.ty != Type::Unknown;
        if !is_literal
            && let (Storage::Memory(id), ExprKind::List(_) | ExprKind::String | ExprKind::Other(_)) =
                (storage, &target.kind)
        {
            let place = Place::new(self.variables[id.index()].ty, PlaceKind::Variable(id));
            return self.fill(&place, &of.ty, Some(value), range);
        }
        let single = match &target.kind {
            ExprKind::List(values) if values.len() == 1 && !is_literal => values[0],
            _ => value,
        };
        let value = self.value(single)?;
        let value = self.convert(value, &of.ty, range)?;
        self.initialize(storage, value);
        Ok(())
    }

    /// Stores the values of an initialiser, and zeros where there is none.
    pub(crate) fn fill(
        &mut self,
        place: &Place,
        ty: &Type,
        value: Option<ExprId>,
        range: TextRange,
    ) -> Lowered<()> {
        let hir = self.unit.hir;
        let is_literal = value.is_some_and(|it| hir.expr(it).ty != Type::Unknown);
        let values = match value.map(|it| &hir.expr(it).kind) {
            Some(ExprKind::List(values)) if !is_literal => Some(&values[..]),
            Some(ExprKind::Other(_)) => {
                let message = "an initialiser with designators has no device form";
                return unsupported(range, message, "write all values in order");
            }
            _ => None,
        };
        if let (Type::Array(..), Some(value)) = (ty, value)
            && let Some(text) = self.initial_text(value, values)
        {
            return self.fill_text(place, &text, range);
        }
        match ty {
            Type::Array(element, _) if value.is_none() || values.is_some() => {
                let values = values.unwrap_or_default();
                let ty = self.unit.ty(element, range)?;
                let at = |index| {
                    let (base, index) = (Box::new(place.clone()), Box::new(index));
                    Place::new(ty, PlaceKind::Index { base, index })
                };
                for (index, value) in values.iter().enumerate() {
                    self.fill(&at(int(Ty::I64, index as i64)), element, Some(*value), range)?;
                }
                let length = self.unit.program.types.array(place.ty).map_or(0, |it| it.length);
                if (values.len() as u64) < length {
                    self.fill_rest(values.len() as i64, length as i64, |it, index| {
                        it.fill(&at(index), element, None, range)
                    })?;
                }
                Ok(())
            }
            Type::Record(id) if value.is_none() || values.is_some() => {
                let record = hir.record(*id);
                let zeros = Expr::new(place.ty, mir::ExprKind::Zero);
                self.store(place.clone(), zeros);
                let fields = record.fields.as_deref().unwrap_or_default();
                for (index, (value, field)) in values.unwrap_or_default().iter().zip(fields).enumerate() {
                    let ty = self.unit.ty(&field.ty, range)?;
                    let kind = PlaceKind::Field { base: Box::new(place.clone()), field: index as u32 };
                    self.fill(&Place::new(ty, kind), &field.ty, Some(*value), range)?;
                }
                Ok(())
            }
            _ => {
                let value = match (value, values) {
                    (None, _) => zero(place.ty),
                    (Some(_), Some([single])) => self.value(*single)?,
                    (Some(value), _) => self.value(value)?,
                };
                let value = match matches!(ty, Type::Array(..) | Type::Record(_)) && value.ty != place.ty {
                    true => {
                        let message = "the values of an inner array or struct stand without braces";
                        return unsupported(range, message, "write braces around them");
                    }
                    false => self.convert(value, ty, range)?,
                };
                self.store(place.clone(), value);
                Ok(())
            }
        }
    }

    /// The string that an array is initialised with, in braces or not (C17 6.7.9, paragraph 14).
    fn initial_text(&self, value: ExprId, values: Option<&[ExprId]>) -> Option<Vec<u8>> {
        let hir = self.unit.hir;
        let single = match values {
            Some([single]) => *single,
            Some(_) => return None,
            None => value,
        };
        let is_string = hir.expr(single).kind == ExprKind::String;
        string_bytes(&self.unit.expanded_text(hir.expr(single).range)).filter(|_| is_string)
    }

    /// Stores the bytes of a string, and zeros behind it.
    fn fill_text(&mut self, place: &Place, text: &[u8], range: TextRange) -> Lowered<()> {
        let Some(array) = self.unit.program.types.array(place.ty) else {
            return unsupported(range, "this string has no array of known length", "write the length");
        };
        let (element, length) = (array.element, array.length);
        if !matches!(element, Ty::I8 | Ty::U8) {
            return unsupported(range, "this string is no array of `char`", "write the values in braces");
        }
        let at = |index| {
            let (base, index) = (Box::new(place.clone()), Box::new(index));
            Place::new(element, PlaceKind::Index { base, index })
        };
        for (index, byte) in text.iter().take(length as usize).enumerate() {
            let value = if element == Ty::I8 { i64::from(*byte as i8) } else { i64::from(*byte) };
            self.store(at(int(Ty::I64, index as i64)), int(element, value));
        }
        if (text.len() as u64) < length {
            self.count(text.len() as i64, length as i64, |it, index| it.store(at(index), int(element, 0)));
        }
        Ok(())
    }

    /// A loop over the elements that an initialiser has no values for.
    fn fill_rest(
        &mut self,
        first: i64,
        end: i64,
        fill: impl FnOnce(&mut Self, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let mut result = Ok(());
        self.count(first, end, |it, index| result = fill(it, index));
        result
    }

    /// A loop whose index counts from one number to another.
    pub(crate) fn count(&mut self, first: i64, end: i64, each: impl FnOnce(&mut Self, Expr)) {
        let label = self.label();
        let index = self.local("", Ty::I64);
        let value = || local_value(index, Ty::I64);
        self.set(index, int(Ty::I64, first));
        let around = std::mem::take(&mut self.stmts);
        each(self, value());
        let body = std::mem::replace(&mut self.stmts, around);
        let next = binary(Ty::I64, Operation::Add, value(), int(Ty::I64, 1));
        let update = vec![Stmt::new(self.span, mir::StmtKind::Set { local: index, value: next })];
        let condition = binary(Ty::Bool, Operation::Lt, value(), int(Ty::I64, end));
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
    }

    /// A directive inside of a region.
    fn directive(&mut self, id: DirectiveId) -> Lowered<()> {
        if self.team.is_some() {
            return self.team_directive(id);
        }
        let directive = self.unit.hir.directive(id);
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
