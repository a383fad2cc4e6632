//! Rail literals. Many constants become a constant table; computed elements are stored one by one.

use std::sync::Arc;

use apg_analysis::program::body::{ExprId, ExprKind as Source};
use apg_analysis::program::ty::Ty;

use crate::builder::function::Builder;
use crate::builder::operands::{expr, int};
use apg_mir::{self as mir, ExprKind, StmtKind as Out, Table, fold};

/// Number of constants from which a literal becomes a table.
const MIN_TABLE_CONSTANTS: usize = 64;

/// Levels of rails in one table; the same as in `apg_program.h`.
const MAX_TABLE_LEVELS: usize = 8;

/// A lowered element: the statements before it, and its value.
struct Element {
    before: Vec<mir::Stmt>,
    value: mir::Expr,
}

impl Element {
    fn is_constant(&self) -> bool {
        self.before.is_empty() && is_constant(&self.value)
    }
}

/// Whether a value can be in a table.
fn is_constant(value: &mir::Expr) -> bool {
    match &value.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => !matches!(value.ty, mir::Ty::Struct(_)),
        ExprKind::String(_) => true,
        _ => false,
    }
}

impl Builder<'_, '_> {
    pub(crate) fn rail_literal(&mut self, element: Ty, items: &[ExprId], ty: Ty) -> mir::Expr {
        let element = self.concrete(element);
        let rail = Ty::rail(self.lowerer.db, element);
        let class = self.lowerer.class_of(rail);
        self.lowerer.instantiate(class);
        if let Some(table) = self.table_of_rails(class, element, items) {
            let made = ExprKind::TableRail { class, table: Arc::new(table) };
            let made = self.save(expr(mir::Ty::Ref(class), made));
            return self.convert(made, rail, ty);
        }
        let elements: Vec<Element> = items.iter().map(|it| self.lowered_element(*it, element)).collect();
        let is_table = !self.is_device_code()
            && elements.iter().filter(|it| it.is_constant()).count() >= MIN_TABLE_CONSTANTS;
        let made = self.new_rail(class, element, &elements, is_table);
        let made = self.save(made);
        self.store(&made, element, elements, is_table);
        self.convert(made, rail, ty)
    }

    fn lowered_element(&mut self, item: ExprId, element: Ty) -> Element {
        let (before, mut value) = self.nested(|it| it.value_as(item, element));
        fold::fold(&mut value);
        Element { before, value }
    }

    /// The rail of a literal: from a table, in which computed elements are zero, or of zeros.
    fn new_rail(
        &mut self,
        class: mir::ClassId,
        element: Ty,
        elements: &[Element],
        is_table: bool,
    ) -> mir::Expr {
        let length = elements.len() as i64;
        let kind = if is_table {
            let ty = self.lowerer.machine(element);
            let value =
                |it: &Element| if it.is_constant() { it.value.clone() } else { expr(ty, ExprKind::Zero) };
            let elements = elements.iter().map(value).collect();
            let table = Table { classes: vec![class], lengths: vec![vec![length]], element: ty, elements };
            ExprKind::TableRail { class, table: Arc::new(table) }
        } else {
            let length = Box::new(int(mir::Ty::I64, length));
            ExprKind::AllocateRail { class, length, zeroed: true }
        };
        expr(mir::Ty::Ref(class), kind)
    }

    /// Stores the elements, or the computed ones of a rail from a table.
    fn store(&mut self, rail: &mir::Expr, element: Ty, elements: Vec<Element>, is_table: bool) {
        let machine = self.lowerer.machine(element);
        let computed = elements.into_iter().enumerate().filter(|it| !is_table || !it.1.is_constant());
        for (index, Element { before, value }) in computed {
            self.block().extend(before);
            let index = int(mir::Ty::I64, index as i64);
            let rail = rail.clone();
            self.push(Out::SetElement { rail, element: machine, index, value, checked: false });
        }
    }

    /// The table of nested rail literals of many constants.
    fn table_of_rails(&mut self, class: mir::ClassId, element: Ty, items: &[ExprId]) -> Option<Table> {
        if self.is_device_code() || self.constants(items)? < MIN_TABLE_CONSTANTS {
            return None;
        }
        let mut table =
            Table { classes: Vec::new(), lengths: Vec::new(), element: mir::Ty::Void, elements: Vec::new() };
        self.add_rail(&mut table, 0, class, element, items)?;
        Some(table)
    }

    /// The number of constants in rails of literals alone; `None` if there is anything else, or no rail among
    /// the items.
    fn constants(&self, items: &[ExprId]) -> Option<usize> {
        let body = &self.source.body;
        let mut pending: Vec<(&[ExprId], usize)> = vec![(items, 1)];
        let mut count = 0;
        let mut rails = 0;
        while let Some((items, level)) = pending.pop() {
            for item in items {
                match &body.expr(*item).kind {
                    Source::RailLiteral { items, .. } if level < MAX_TABLE_LEVELS => {
                        rails += 1;
                        pending.push((items, level + 1));
                    }
                    _ if level > 1 && self.is_literal(*item) => count += 1,
                    _ => return None,
                }
            }
        }
        (rails > 0).then_some(count)
    }

    /// Whether an expression is a literal, possibly negated or converted, which may be a constant after
    /// lowering.
    fn is_literal(&self, id: ExprId) -> bool {
        match &self.source.body.expr(id).kind {
            Source::Literal(_) => true,
            Source::Coerce { value } | Source::Cast { value, .. } => self.is_literal(*value),
            Source::Call { receiver, args, .. } => match (receiver, args.as_slice()) {
                (Some(operand), []) | (None, [operand]) => self.is_literal(*operand),
                _ => false,
            },
            _ => false,
        }
    }

    fn add_rail(
        &mut self,
        table: &mut Table,
        level: usize,
        class: mir::ClassId,
        element: Ty,
        items: &[ExprId],
    ) -> Option<()> {
        if level == table.classes.len() {
            table.classes.push(class);
            table.lengths.push(Vec::new());
        }
        // The rails of a level are of one class, and all elements are rails or none is.
        if table.classes[level] != class {
            return None;
        }
        table.lengths[level].push(items.len() as i64);
        let machine = self.lowerer.machine(element);
        let source = self.source.body.clone();
        for item in items {
            if let Source::RailLiteral { element: inner, items } = &source.expr(*item).kind {
                let inner = self.concrete(*inner);
                let rail = Ty::rail(self.lowerer.db, inner);
                let class = self.lowerer.class_of(rail);
                self.lowerer.instantiate(class);
                if machine != mir::Ty::Ref(class) {
                    return None;
                }
                self.add_rail(table, level + 1, class, inner, items)?;
            } else {
                let Element { before, value } = self.lowered_element(*item, element);
                if !before.is_empty() || !is_constant(&value) || level + 1 != table.classes.len() {
                    return None;
                }
                if table.elements.is_empty() {
                    table.element = value.ty;
                }
                if table.element != value.ty {
                    return None;
                }
                table.elements.push(value);
            }
        }
        Some(())
    }
}
