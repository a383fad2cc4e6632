//! Printing of expressions.
//!
//! A binary operation is in parentheses unless it is a whole operand of a statement, call or index.

use super::*;
use crate::text::names::{write_escaped, write_string};
use crate::text::types::derive;

impl<'a> Printer<'a> {
    /// An expression that ends where the text around it cannot be a part of it.
    pub(super) fn full_expr(&mut self, expr: &Expr) {
        self.expr(expr, true);
    }

    /// An operand of a binary operation.
    fn operand(&mut self, expr: &Expr) {
        self.expr(expr, false);
    }

    /// An expression in front of `.`, `[` or `!`.
    fn base(&mut self, expr: &Expr) {
        // A global name would go on with `.` and `[`.
        let ends_in_global = matches!(
            expr.kind,
            ExprKind::Static(_)
                | ExprKind::Allocate(_)
                | ExprKind::Load(_)
                | ExprKind::AddressOf(_)
                | ExprKind::FunctionAddress(_)
                | ExprKind::ExternalAddress(_)
        );
        let plain = !is_binary(&expr.kind)
            && !ends_in_global
            && !matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_))
            && !self.is_ascribed(expr)
            && !self.has_printed_span(expr);
        if plain {
            self.kind(expr);
        } else {
            self.push("(");
            self.full_expr(expr);
            self.push(")");
        }
    }

    fn expr(&mut self, expr: &Expr, is_full: bool) {
        let (is_ascribed, has_span) = (self.is_ascribed(expr), self.has_printed_span(expr));
        let in_parentheses = is_binary(&expr.kind) && (!is_full || is_ascribed || has_span);
        if in_parentheses {
            self.push("(");
        }
        self.kind(expr);
        if in_parentheses {
            self.push(")");
        }
        if is_ascribed {
            self.push(":");
            self.ty(expr.ty);
        }
        if let Some(span) = expr.span.filter(|_| has_span) {
            self.write_span(span, self.inherited.map(|it| it.file));
        }
    }

    /// Whether the type is printed.
    pub(super) fn is_ascribed(&self, expr: &Expr) -> bool {
        match (&expr.kind, expr.ty) {
            (ExprKind::MakeStruct(_), Ty::Struct(_)) | (ExprKind::Int(0 | 1), Ty::Bool) => false,
            (ExprKind::Int(value), Ty::Char) if as_char(*value).is_some() => false,
            _ => derive(&self.scope(), &expr.kind) != Some(expr.ty),
        }
    }

    pub(super) fn has_printed_span(&self, expr: &Expr) -> bool {
        self.spans == SpanDetail::All && expr.span.is_some()
    }

    pub(super) fn args(&mut self, args: &[Expr]) {
        self.push("(");
        self.list(args, |printer, it| printer.full_expr(it));
        self.push(")");
    }

    fn call(&mut self, name: &str, args: &[&Expr]) {
        self.push(name);
        self.push("(");
        self.list(args, |printer, it| printer.full_expr(it));
        self.push(")");
    }

    fn binary(&mut self, left: &Expr, symbol: &str, right: &Expr) {
        self.operand(left);
        self.push(" ");
        self.push(symbol);
        self.push(" ");
        self.operand(right);
    }

    /// The expression without its type, span and parentheses.
    fn kind(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(value) => self.integer(*value, expr.ty),
            ExprKind::Float(value) => self.float(*value),
            ExprKind::String(text) => write_string(&mut self.out, text),
            ExprKind::Null => self.push("null"),
            ExprKind::Zero => self.push("zero"),
            ExprKind::Here => self.push("here"),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Load(_)
            | ExprKind::AddressOf(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::ExternalAddress(_)
            | ExprKind::Bytes(_) => self.memory(&expr.kind),
            ExprKind::CallPointer { callee, args } => {
                self.push("call ");
                self.callee(callee);
                self.args(args);
            }
            ExprKind::Static(id) => {
                self.push("static ");
                self.static_name(*id);
            }
            ExprKind::Field { object, class, field, checked } => {
                self.field_access(object, *class, *field, *checked);
            }
            ExprKind::StructField { value, field } => {
                self.base(value);
                self.push(".");
                self.field_of_struct(value.ty, *field);
            }
            ExprKind::Element { rail, index, checked } => self.element_access(rail, index, *checked),
            ExprKind::Length { rail, checked } => {
                self.call(if *checked { "length?" } else { "length" }, &[&**rail]);
            }
            ExprKind::NonNull(value) => {
                self.base(value);
                self.push("!");
            }
            ExprKind::And(left, right) => self.binary(left, "&&", right),
            ExprKind::Or(left, right) => self.binary(left, "||", right),
            ExprKind::Select { condition, then, otherwise } => {
                self.call("select", &[&**condition, &**then, &**otherwise]);
            }
            ExprKind::Cast { value, target, checked } => {
                self.operand(value);
                self.push(if *checked { " as? " } else { " as " });
                self.target(*target);
            }
            ExprKind::InstanceOf { value, target } => {
                self.operand(value);
                self.push(" is ");
                self.target(*target);
            }
            ExprKind::Operation { operation, args } => self.operation(*operation, args),
            ExprKind::Atomic { operation, rail, index, values } => {
                let args: Vec<&Expr> = [&**rail, &**index].into_iter().chain(values).collect();
                self.call(&format!("atomic_{}", operation.name()), &args);
            }
            ExprKind::Collective { operation, args } => {
                self.push(operation.name);
                self.args(args);
            }
            ExprKind::ThreadIndex(index) => {
                self.push("thread.");
                self.push(index.name());
            }
            ExprKind::At { place, closure } => self.call("at_value", &[&**place, &**closure]),
            ExprKind::MakeStruct(fields) => {
                self.push("struct ");
                if let Ty::Struct(id) = expr.ty {
                    self.structs.write(&mut self.out, id.index(), "@");
                }
                self.args(fields);
            }
            allocation @ (ExprKind::Allocate(_)
            | ExprKind::AllocateRail { .. }
            | ExprKind::TableRail { .. }
            | ExprKind::MakeObject { .. }
            | ExprKind::StackAllocate { .. }) => self.allocation(allocation),
            call => self.any_call(call),
        }
    }

    pub(super) fn float(&mut self, value: f64) {
        let _ = if value.is_finite() {
            write!(self.out, "{value:?}")
        } else {
            write!(self.out, "float(0x{:016x})", value.to_bits())
        };
    }

    fn integer(&mut self, value: i64, ty: Ty) {
        match (ty, as_char(value)) {
            (Ty::Bool, _) if value == 0 => self.push("false"),
            (Ty::Bool, _) if value == 1 => self.push("true"),
            (Ty::Char, Some(c)) => {
                self.push("'");
                write_escaped(&mut self.out, c, '\'');
                self.push("'");
            }
            _ => {
                let _ = write!(self.out, "{value}");
            }
        }
    }

    fn operation(&mut self, operation: Operation, args: &[Expr]) {
        match (operation.symbol(), args) {
            (Some(symbol), [left, right]) => self.binary(left, symbol, right),
            _ => {
                self.push(operation.name());
                self.args(args);
            }
        }
    }

    fn allocation(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Allocate(class) => {
                self.push("new ");
                self.class(*class);
            }
            ExprKind::MakeObject { class, fields } => {
                self.push("new ");
                self.class(*class);
                self.args(fields);
            }
            ExprKind::StackAllocate { slot, class, fields } => {
                let _ = write!(self.out, "stack {slot} ");
                self.class(*class);
                self.args(fields);
            }
            ExprKind::AllocateRail { class, length, zeroed } => {
                self.push(if *zeroed { "new_rail " } else { "uninitialized_rail " });
                self.class(*class);
                self.push("(");
                self.full_expr(length);
                self.push(")");
            }
            ExprKind::TableRail { class, table } => {
                self.push("table_rail ");
                self.class(*class);
                self.table(table);
            }
            _ => {}
        }
    }

    /// `(element TYPE, @CLASS LENGTHS, ..., VALUES)`
    fn table(&mut self, table: &Table) {
        self.push("(");
        self.ty(table.element);
        for (index, class) in table.classes.iter().enumerate() {
            self.push(", ");
            self.class(*class);
            let lengths = table.lengths.get(index).map(Vec::as_slice).unwrap_or_default();
            let _ = write!(self.out, " {lengths:?}");
        }
        self.push(", [");
        let around = self.literal.replace(table.element);
        self.list(&table.elements, |printer, it| printer.full_expr(it));
        self.literal = around;
        self.push("])");
    }

    fn any_call(&mut self, kind: &ExprKind) {
        let args = match kind {
            ExprKind::Call { function, args } => {
                self.function_name(*function);
                return self.args(args);
            }
            ExprKind::Runtime { entry, args } => {
                self.push("rt.");
                self.push(entry);
                return self.args(args);
            }
            ExprKind::CallVirtual { class, slot, args } => {
                self.push("virtual ");
                self.class(*class);
                let _ = write!(self.out, " {slot}");
                args
            }
            ExprKind::CallInterface { interface, slot, args } => {
                self.push("interface ");
                self.interface(*interface);
                let _ = write!(self.out, " {slot}");
                args
            }
            ExprKind::CallClosure { interface, args } => {
                self.push("closure ");
                self.interface(*interface);
                args
            }
            _ => return,
        };
        self.args(args);
    }

    fn target(&mut self, target: CastTarget) {
        match target {
            CastTarget::Class(class) => self.class(class),
            CastTarget::Interface(interface) => {
                self.push("interface ");
                self.interface(interface);
            }
        }
    }

    /// `object.field`; the class is written if it is not that of the object's type.
    pub(super) fn field_access(&mut self, object: &Expr, class: ClassId, field: u32, is_checked: bool) {
        self.base(object);
        self.push(if is_checked { "?." } else { "." });
        self.field_of_class(class, field);
        if object.ty != Ty::Ref(class) {
            self.push("(");
            self.class(class);
            self.push(")");
        }
    }

    pub(super) fn element_access(&mut self, rail: &Expr, index: &Expr, is_checked: bool) {
        self.base(rail);
        self.push(if is_checked { "?[" } else { "[" });
        self.full_expr(index);
        self.push("]");
    }

    pub(super) fn field_of_class(&mut self, class: ClassId, field: u32) {
        let program = self.program;
        let fields = program.classes.get(class.index()).map(|it| it.fields.as_slice()).unwrap_or_default();
        self.field_name(fields, field);
    }

    pub(super) fn field_of_struct(&mut self, ty: Ty, field: u32) {
        let Ty::Struct(id) = ty else { return self.field_name(&[], field) };
        let program = self.program;
        let fields = program.structs.get(id.index()).map(|it| it.fields.as_slice()).unwrap_or_default();
        self.field_name(fields, field);
    }
}

/// The character of a constant.
fn as_char(value: i64) -> Option<char> {
    u32::try_from(value).ok().and_then(char::from_u32)
}

/// Whether an expression is printed as two operands, or as a value and a type, with a symbol between.
fn is_binary(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Cast { .. } | ExprKind::InstanceOf { .. } => true,
        ExprKind::Operation { operation, args } => args.len() == 2 && operation.symbol().is_some(),
        _ => false,
    }
}
