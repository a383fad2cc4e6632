//! String conversion and concatenation, and exceptions with messages.

use apg_analysis::program::body::ExprId;
use apg_analysis::program::items::MethodId;
use apg_analysis::program::items::{method_item, methods};
use apg_analysis::program::ty::Known;
use apg_analysis::program::ty::Ty;

use crate::builder::function::Builder;
use crate::builder::operands::{expr, operation, zero};
use crate::layout::slots::Implementation;
use crate::mono::types::Shape;
use crate::{Callee, FunctionKey};
use apg_mir::{self as mir, ExprKind, Operation, StmtKind as Out, slot};

impl Builder<'_, '_> {
    /// Concatenates operands of any type. Null becomes "null".
    pub(crate) fn concat(&mut self, parts: &[ExprId]) -> mir::Expr {
        let operands: Vec<_> = parts.iter().map(|it| (*it, self.type_of(*it))).collect();
        let values = self.operands(&operands);
        let string = Ty::string(self.lowerer.db);
        let machine = self.lowerer.machine(string);
        let mut strings: Vec<mir::Expr> = Vec::new();
        for (value, (_, ty)) in values.into_iter().zip(operands) {
            let text = self.string_of_value(value, ty);
            if let (Some(ExprKind::String(before)), ExprKind::String(after)) =
                (strings.last().map(|it| &it.kind), &text.kind)
            {
                let both = expr(machine, ExprKind::String(format!("{before}{after}").into()));
                strings.pop();
                strings.push(both);
            } else {
                strings.push(text);
            }
        }
        if strings.is_empty() { expr(machine, ExprKind::String("".into())) } else { self.join(strings) }
    }

    /// Converts a value to a non-null string.
    pub(crate) fn string_of_value(&mut self, value: mir::Expr, ty: Ty) -> mir::Expr {
        let string = Ty::string(self.lowerer.db);
        let machine = self.lowerer.machine(string);
        let null = expr(machine, ExprKind::String("null".into()));
        match &value.kind {
            ExprKind::String(_) => return value,
            ExprKind::Null => return null,
            _ => {}
        }
        if self.lowerer.shape(ty) == Shape::Value {
            return self.text_of_value(value, ty, machine);
        }
        // Strings are used as they are; `string_concat` treats null as "null".
        if ty.is_known(self.lowerer.db, Known::String) {
            return value;
        }
        let value = self.save(value);
        let value = self.as_any(value);
        let class = self.lowerer.root();
        self.lowerer.live_slots.insert((None, slot::TO_STRING));
        let args = vec![value.clone()];
        let text = expr(machine, ExprKind::CallVirtual { class, slot: slot::TO_STRING, args });
        let is_null =
            operation(Operation::Eq, mir::Ty::Bool, vec![value, expr(mir::Ty::Any, ExprKind::Null)]);
        let (condition, then, otherwise) = (Box::new(is_null), Box::new(null), Box::new(text));
        expr(machine, ExprKind::Select { condition, then, otherwise })
    }

    /// `toString()` of a primitive or struct.
    fn text_of_value(&mut self, value: mir::Expr, ty: Ty, machine: mir::Ty) -> mir::Expr {
        // Operands of a concatenation need no string of their own.
        let (entry, wide) = match value.ty {
            mir::Ty::I8 | mir::Ty::I16 | mir::Ty::I32 => ("string_from_i64", mir::Ty::I64),
            mir::Ty::U8 | mir::Ty::U16 | mir::Ty::U32 => ("string_from_u64", mir::Ty::U64),
            _ => ("", mir::Ty::Void),
        };
        if wide != mir::Ty::Void {
            let value = operation(Operation::Convert, wide, vec![value]);
            return self.runtime(entry, vec![value], machine);
        }
        match self.lowerer.text_method(ty) {
            Implementation::Method(callee) => {
                let result = self.lowerer.concrete_signature(&callee).1;
                let text = self.call_static(&callee, vec![value], result, Default::default());
                self.retype(text, machine)
            }
            _ => {
                let key = FunctionKey::Default(crate::layout::slots::Universal::ToString, ty);
                let function = self.lowerer.function(key);
                expr(machine, ExprKind::Call { function, args: vec![value] })
            }
        }
    }

    /// `throw new C(message)`.
    pub(crate) fn throw_new(&mut self, class: &str, message: Option<mir::Expr>) {
        let Some((owner, constructor)) = self.lowerer.constructor_with_message(class) else {
            let range = Default::default();
            self.unsupported(&format!("raising {class}, which the class library lacks,"), range);
            return;
        };
        let callee = Callee { method: constructor, owner, type_args: Vec::new() };
        let string = Ty::string(self.lowerer.db);
        let wanted = self.lowerer.concrete_signature(&callee).0.first().copied().unwrap_or(string);
        let machine = self.lowerer.machine(string);
        let message = message.unwrap_or_else(|| expr(machine, ExprKind::Null));
        let message = self.convert(message, string, wanted);
        let id = self.lowerer.class_of(owner);
        self.lowerer.instantiate(id);
        let function = self.lowerer.function(FunctionKey::Creation(callee));
        let made = expr(mir::Ty::Ref(id), ExprKind::Call { function, args: vec![message] });
        self.push(Out::Throw(made));
    }

    /// Concatenates lowered strings.
    pub(crate) fn join(&mut self, parts: Vec<mir::Expr>) -> mir::Expr {
        let string = Ty::string(self.lowerer.db);
        let machine = self.lowerer.machine(string);
        let mut parts = parts.into_iter();
        let Some(mut result) = parts.next() else { return zero(machine) };
        loop {
            // Joins as many operands at once as the runtime supports, without intermediate strings.
            let mut some = vec![result];
            some.extend(parts.by_ref().take(mir::entries::MAX_JOIN_OPERANDS - 1));
            if some.len() == 1 {
                return some.remove(0);
            }
            let some: Vec<_> = some.into_iter().map(part).collect();
            let strings = some.iter().all(|it| matches!(it.ty, mir::Ty::Ref(_) | mir::Ty::Any));
            result = if strings && some.len() == 2 {
                self.runtime("string_concat", some, machine)
            } else {
                expr(machine, ExprKind::Runtime { entry: mir::entries::JOIN.into(), args: some })
            };
        }
    }
}

/// An operand of a concatenation: for a converted number, the number.
fn part(text: mir::Expr) -> mir::Expr {
    const VALUE_TO_STRING_ENTRIES: [&str; 6] = [
        "string_from_i64",
        "string_from_u64",
        "string_from_f64",
        "string_from_f32",
        "string_from_bool",
        "string_from_char",
    ];
    let mut at = &text;
    while let ExprKind::Cast { value, .. } = &at.kind {
        at = value;
    }
    match &at.kind {
        ExprKind::Runtime { entry, args }
            if VALUE_TO_STRING_ENTRIES.contains(&entry.as_str()) && args.len() == 1 =>
        {
            args[0].clone()
        }
        _ => text,
    }
}

impl crate::Lowerer<'_> {
    /// The string of a struct.
    fn text_method(&mut self, ty: Ty) -> Implementation {
        let layout = self.layout(ty);
        layout.slots[slot::TO_STRING as usize].implementation.clone()
    }

    /// The class of that name and its constructor whose only parameter is a string or any value.
    pub(crate) fn constructor_with_message(&mut self, name: &str) -> Option<(Ty, MethodId)> {
        let class = self.library_class(name)?;
        let string = Ty::string(self.db);
        let any = Ty::any(self.db);
        let owner = Ty::class(self.db, class, Vec::new());
        let candidates = methods(self.db, class).to_vec();
        let with = |wanted: Ty, lowerer: &mut Self| {
            candidates.iter().copied().find(|it| {
                let constructor = method_item(lowerer.db, *it).is_some_and(|it| it.kind.is_constructor());
                let params = lowerer.param_types(*it);
                constructor && lowerer.concrete_all(&params, &Default::default()) == [wanted]
            })
        };
        let found = with(string, self).or_else(|| with(any, self))?;
        Some((owner, found))
    }
}
