//! Renumbering of the parts of a program behind an edit: numbers and ranges behind a place move by an amount.

use std::sync::Arc;

use apg_c_syntax::{TextRange, TextSize};

use super::mapping::{Mapping, SubscriptKind};
use super::{
    CaseLabel, Clause, Designator, Directive, DirectiveId, Entity, Expr, ExprId, ExprKind, Function,
    HostDirective, Item, Length, Mapper, Stmt, StmtId, StmtKind, Type, Variable, VariableId,
};

/// Numbers from one on move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offset {
    from: usize,
    new_from: usize,
}

impl Offset {
    /// What stood at `from` stands at `new_from` now.
    pub(crate) fn new(from: usize, new_from: usize) -> Offset {
        Offset { from, new_from }
    }

    /// The new number of a part.
    pub(crate) fn of(self, number: usize) -> usize {
        match number.checked_sub(self.from) {
            Some(behind) => self.new_from + behind,
            None => number,
        }
    }
}

/// How the parts behind an edit move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    pub(crate) variables: Offset,
    pub(crate) exprs: Offset,
    pub(crate) stmts: Offset,
    pub(crate) directives: Offset,
    pub(crate) text: Offset,
    /// Types of arrays name expressions.
    pub(crate) has_variable_lengths: bool,
}

impl Shift {
    pub(crate) fn variable_id(&self, id: VariableId) -> VariableId {
        VariableId::new(self.variables.of(id.index()))
    }

    fn expr_id(&self, id: &mut ExprId) {
        *id = ExprId::new(self.exprs.of(id.index()));
    }

    fn stmt_id(&self, id: &mut StmtId) {
        *id = StmtId::new(self.stmts.of(id.index()));
    }

    fn directive_id(&self, id: &mut DirectiveId) {
        *id = DirectiveId::new(self.directives.of(id.index()));
    }

    pub(crate) fn range(&self, range: TextRange) -> TextRange {
        let moved = |it: TextSize| {
            let number = self.text.of(usize::from(it));
            TextSize::try_from(number).unwrap_or(it)
        };
        let start = moved(range.start());
        TextRange::at(start, range.len())
    }

    pub(crate) fn ty(&self, ty: &mut Type) {
        if !self.has_variable_lengths {
            return;
        }
        match ty {
            Type::Pointer(element) | Type::Function(element) => self.ty(Arc::make_mut(element)),
            Type::Array(element, length) => {
                self.ty(Arc::make_mut(element));
                if let Length::Variable(expr) = length {
                    self.expr_id(expr);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn variable(&self, variable: &mut Variable) {
        self.ty(&mut variable.ty);
        variable.range = variable.range.map(|it| self.range(it));
        variable.initializer.iter_mut().for_each(|it| self.expr_id(it));
    }

    pub(crate) fn function(&self, function: &mut Function) {
        function.range = function.range.map(|it| self.range(it));
        function.body.iter_mut().for_each(|it| self.stmt_id(it));
        function.parameters.iter_mut().for_each(|it| *it = self.variable_id(*it));
    }

    pub(crate) fn entity(&self, entity: &mut Entity) {
        match entity {
            Entity::Variable(it) => *it = self.variable_id(*it),
            Entity::Typedef(ty) => self.ty(ty),
            Entity::Function(_) | Entity::Constant(_) => {}
        }
    }

    pub(crate) fn expr(&self, expr: &mut Expr) {
        expr.range = self.range(expr.range);
        self.ty(&mut expr.ty);
        match &mut expr.kind {
            ExprKind::Other(all) | ExprKind::List(all) => all.iter_mut().for_each(|it| self.expr_id(it)),
            ExprKind::Designated(all) => {
                for (designators, value) in all {
                    designators.iter_mut().for_each(|it| self.designator(it));
                    self.expr_id(value);
                }
            }
            ExprKind::Variable(it) => *it = self.variable_id(*it),
            ExprKind::Unary(_, it)
            | ExprKind::AddressOf(it)
            | ExprKind::Dereference(it)
            | ExprKind::Cast(it)
            | ExprKind::Increment { target: it, .. }
            | ExprKind::Member { base: it, .. } => self.expr_id(it),
            ExprKind::Binary(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::Coindexed(a, b)
            | ExprKind::Comma(a, b) => [a, b].into_iter().for_each(|it| self.expr_id(it)),
            ExprKind::Section(base, low, length) => {
                self.expr_id(base);
                low.iter_mut().chain(length).for_each(|it| self.expr_id(it));
            }
            ExprKind::Call(callee, arguments) => {
                self.expr_id(callee);
                arguments.iter_mut().for_each(|it| self.expr_id(it));
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.expr_id(condition);
                then.iter_mut().for_each(|it| self.expr_id(it));
                self.expr_id(otherwise);
            }
            ExprKind::Block(it) => self.stmt_id(it),
            ExprKind::Function(_)
            | ExprKind::Unresolved(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::String
            | ExprKind::Unevaluated => {}
        }
    }

    pub(crate) fn stmt(&self, stmt: &mut Stmt) {
        stmt.range = self.range(stmt.range);
        match &mut stmt.kind {
            StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Block(stmts) => stmts.iter_mut().for_each(|it| self.stmt_id(it)),
            StmtKind::Expr(it) => self.expr_id(it),
            StmtKind::Declaration(all) => all.iter_mut().for_each(|it| *it = self.variable_id(*it)),
            StmtKind::If(condition, then, otherwise) => {
                self.expr_id(condition);
                self.stmt_id(then);
                otherwise.iter_mut().for_each(|it| self.stmt_id(it));
            }
            StmtKind::While(condition, body)
            | StmtKind::Switch(condition, body)
            | StmtKind::DoWhile(body, condition) => {
                self.expr_id(condition);
                self.stmt_id(body);
            }
            StmtKind::For { init, condition, step, body } => {
                init.iter_mut().for_each(|it| self.stmt_id(it));
                condition.iter_mut().chain(step).for_each(|it| self.expr_id(it));
                self.stmt_id(body);
            }
            StmtKind::Label(_, body) => body.iter_mut().for_each(|it| self.stmt_id(it)),
            StmtKind::Case(label, body) => {
                match label {
                    CaseLabel::Value(it) => self.expr_id(it),
                    CaseLabel::Range(first, last) => {
                        self.expr_id(first);
                        self.expr_id(last);
                    }
                    CaseLabel::Default | CaseLabel::Missing => {}
                }
                body.iter_mut().for_each(|it| self.stmt_id(it));
            }
            StmtKind::Return(value) => value.iter_mut().for_each(|it| self.expr_id(it)),
            StmtKind::Asm(operands) => operands.iter_mut().for_each(|it| self.expr_id(it)),
            StmtKind::Directive(it) => self.directive_id(it),
        }
    }

    pub(crate) fn directive(&self, directive: &mut Directive) {
        directive.name_range = self.range(directive.name_range);
        directive.range = self.range(directive.range);
        directive.argument.iter_mut().for_each(|it| self.item(it));
        directive.clauses.iter_mut().for_each(|it| self.clause(it));
        directive.body.iter_mut().for_each(|it| self.stmt_id(it));
        directive.parent.iter_mut().for_each(|it| self.directive_id(it));
        if let Some(of) = &mut directive.metadirective {
            if let HostDirective::Words(words) = &mut of.on_host {
                *words = self.range(*words);
            }
            of.on_device.iter_mut().for_each(|it| self.directive(it));
        }
    }

    fn clause(&self, clause: &mut Clause) {
        clause.range = self.range(clause.range);
        clause.items.iter_mut().for_each(|it| self.item(it));
        for modifier in &mut clause.modifiers {
            modifier.range = self.range(modifier.range);
            modifier.arguments.iter_mut().for_each(|it| self.item(it));
        }
    }

    fn designator(&self, designator: &mut Designator) {
        match designator {
            Designator::Field(_) => {}
            Designator::Element(it) => self.expr_id(it),
            Designator::Elements(first, last) => {
                self.expr_id(first);
                self.expr_id(last);
            }
        }
    }

    pub(crate) fn mapper(&self, mapper: &mut Mapper) {
        self.ty(&mut mapper.ty);
        mapper.variable = self.variable_id(mapper.variable);
        self.directive_id(&mut mapper.directive);
    }

    fn item(&self, item: &mut Item) {
        item.range = self.range(item.range);
        item.expr.iter_mut().for_each(|it| self.expr_id(it));
        item.mapping.iter_mut().for_each(|it| self.mapping(it));
    }

    fn mapping(&self, mapping: &mut Mapping) {
        mapping.name_range = self.range(mapping.name_range);
        mapping.variable = mapping.variable.map(|it| self.variable_id(it));
        for subscript in &mut mapping.subscripts {
            subscript.range = self.range(subscript.range);
            match &mut subscript.kind {
                SubscriptKind::Expr(it) => self.expr_id(it),
                SubscriptKind::Bounds(low, high) => {
                    low.iter_mut().chain(high).for_each(|it| self.expr_id(it));
                }
                SubscriptKind::Star | SubscriptKind::Missing => {}
            }
        }
    }
}
