//! Expressions: one spelling for host, CPU kernels and devices, so that their results agree.
//!
//! Operands are evaluated left to right. Where C++ leaves the order open and it is observable, they go
//! through temporaries in a statement expression.

use super::code::{Code, Target};
use super::names;
use super::operation::is_float;
use apg_mir::*;

/// The effect of evaluating an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// None: constants, locals, arithmetic on them.
    None,
    /// Reads memory, or may raise an exception.
    Reads,
    /// Calls a function that may change anything.
    Changes,
}

/// The effect of an expression.
pub(crate) fn effect(expr: &Expr) -> Effect {
    let all = |args: &[Expr]| args.iter().map(effect).max().unwrap_or(Effect::None);
    let all_of = |args: Vec<&Expr>| args.into_iter().map(effect).max().unwrap_or(Effect::None);
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) | ExprKind::Null | ExprKind::Zero => {
            Effect::None
        }
        ExprKind::Local(_) | ExprKind::Here | ExprKind::ThreadIndex(_) => Effect::None,
        ExprKind::FunctionAddress(_) | ExprKind::ExternalAddress(_) | ExprKind::Bytes(_) => Effect::None,
        ExprKind::Load(place) if place.is_volatile => Effect::Changes,
        ExprKind::Load(place) => all_of(place.operands()).max(Effect::Reads),
        ExprKind::AddressOf(place) => all_of(place.operands()),
        ExprKind::Field { object, .. } => effect(object).max(Effect::Reads),
        ExprKind::Length { rail, .. } => effect(rail).max(Effect::Reads),
        ExprKind::Element { rail, index, .. } => effect(rail).max(effect(index)).max(Effect::Reads),
        ExprKind::StructField { value, .. } => effect(value),
        ExprKind::InstanceOf { value, .. } | ExprKind::Cast { value, checked: false, .. } => effect(value),
        ExprKind::Cast { value, .. } | ExprKind::NonNull(value) => effect(value).max(Effect::Reads),
        ExprKind::MakeStruct(args) => all(args),
        ExprKind::Operation { operation, args } if operation.may_fail() => all(args).max(Effect::Reads),
        ExprKind::Operation { args, .. } => all(args),
        ExprKind::And(a, b) | ExprKind::Or(a, b) => effect(a).max(effect(b)),
        ExprKind::Select { condition, then, otherwise } => {
            effect(condition).max(effect(then)).max(effect(otherwise))
        }
        ExprKind::Static(_)
        | ExprKind::Atomic { .. }
        | ExprKind::Collective { .. }
        | ExprKind::Allocate(_)
        | ExprKind::AllocateRail { .. }
        | ExprKind::TableRail { .. }
        | ExprKind::MakeObject { .. }
        | ExprKind::StackAllocate { .. }
        | ExprKind::At { .. }
        | ExprKind::CallPointer { .. }
        | ExprKind::Call { .. }
        | ExprKind::CallVirtual { .. }
        | ExprKind::CallInterface { .. }
        | ExprKind::CallClosure { .. }
        | ExprKind::Runtime { .. } => Effect::Changes,
    }
}

/// Whether the evaluation of an expression can raise an exception. Calls can: see [`Effect::Changes`].
fn may_raise(expr: &Expr) -> bool {
    let own = match &expr.kind {
        ExprKind::Field { checked, .. }
        | ExprKind::Length { checked, .. }
        | ExprKind::Element { checked, .. }
        | ExprKind::Cast { checked, .. } => *checked,
        ExprKind::NonNull(_) => true,
        ExprKind::Operation { operation: Operation::Div | Operation::Rem, args } => {
            !matches!(expr.ty, Ty::F32 | Ty::F64)
                && !args.get(1).is_some_and(|it| matches!(it.kind, ExprKind::Int(value) if value != 0))
        }
        _ => effect(expr) == Effect::Changes,
    };
    own || walk::children(&expr.kind).into_iter().any(may_raise)
}

/// Whether backtraces and debuggers can stop in an expression.
fn is_visible_to_debuggers(kind: &ExprKind) -> bool {
    !matches!(
        kind,
        ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Null
            | ExprKind::Zero
            | ExprKind::Local(_)
            | ExprKind::Here
            | ExprKind::Bytes(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::ExternalAddress(_)
    )
}

impl Code<'_> {
    /// Whether C++'s free order of evaluation of these operands is observable: one changes what another
    /// reads, or two may raise exceptions.
    pub(crate) fn order_matters(&self, args: &[&Expr]) -> bool {
        let effects: Vec<Effect> = args.iter().map(|it| effect(it)).collect();
        let depends = effects.iter().filter(|it| **it != Effect::None).count();
        if depends < 2 {
            return false;
        }
        // In a kernel, any one of several failures may be reported.
        effects.contains(&Effect::Changes)
            || !self.target.is_kernel() && args.iter().filter(|it| may_raise(it)).count() >= 2
    }

    /// Prints an expression.
    pub(crate) fn expr(&mut self, expr: &Expr) -> String {
        let Some(span) = expr.span.filter(|it| !it.starts_in_line_of(self.span)) else {
            return self.expr_at_current_position(expr);
        };
        let around = std::mem::replace(&mut self.span, span);
        let text = self.expr_at_current_position(expr);
        self.span = around;
        if !self.attributes_expressions || !is_visible_to_debuggers(&expr.kind) {
            return text;
        }
        let files = &self.program.files;
        let [here, back] = [span, around].map(|it| super::writer::directive(it, files));
        // GCC attributes an operand of a call to that call's line, but not the inside of a statement
        // expression.
        let text = if effect(expr) == Effect::Changes { format!("({{ {text}; }})") } else { text };
        format!("\n{here}{text}\n{back}")
    }

    /// Prints an expression at the position of the enclosing one.
    fn expr_at_current_position(&mut self, expr: &Expr) -> String {
        if self.assumed_conditions.contains(&expr.id) {
            return "true".into();
        }
        match &expr.kind {
            ExprKind::Int(value) => self.integer(*value, expr.ty),
            ExprKind::Float(value) => self.float(*value, expr.ty),
            ExprKind::String(text) => self.string(text),
            ExprKind::Null => "((apg_object *)nullptr)".into(),
            ExprKind::Zero => self.zero(expr.ty),
            ExprKind::Local(id) => self.local_value(*id),
            ExprKind::Field { object, class, field, checked } => {
                let object = self.expr(object);
                let member = self.member(&object, *class, *field, *checked);
                if self.program.classes[class.index()].field_attributes(*field).volatile {
                    member + ".get()"
                } else {
                    member
                }
            }
            ExprKind::StructField { value, field } => self.struct_member(value, *field),
            ExprKind::Element { rail, index, checked } => self.element(rail, index, expr.ty, *checked),
            ExprKind::Atomic { operation, rail, index, values } => {
                self.atomic(*operation, rail, index, values, expr.ty)
            }
            ExprKind::Collective { operation, args } => self.collective(*operation, args, expr.ty),
            ExprKind::ThreadIndex(number) => {
                self.fail(format!("`{}` of a thread outside of a kernel", number.name()))
            }
            ExprKind::Length { rail, checked } => self.length(rail, *checked),
            ExprKind::Static(id) if self.target == Target::Cuda => match self.statics.get(id) {
                Some(member) => format!("env.m{member}"),
                None => self.fail("a static field that does not travel with the kernel".into()),
            },
            ExprKind::Static(id) => {
                self.used.statics.insert(*id);
                format!("get_{}()", self.names.statics[id.index()])
            }
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::FunctionAddress(function) => self.function_address(*function, expr.ty),
            ExprKind::ExternalAddress(external) => format!("(&{})", self.external_symbol(*external)),
            ExprKind::Bytes(bytes) => self.bytes(bytes, expr.ty),
            ExprKind::CallPointer { callee, args } => self.call_pointer(callee, args),
            ExprKind::MakeStruct(args) => self.make_struct(expr.ty, args),
            ExprKind::Allocate(class) => {
                let descriptor = self.descriptor(*class);
                format!("apg_allocate({descriptor})")
            }
            ExprKind::AllocateRail { class, length, zeroed } => {
                let descriptor = self.descriptor(*class);
                let length = self.expr(length);
                let how = if *zeroed { "" } else { "_unwritten" };
                format!("apg_allocate_rail{how}({descriptor}, {length})")
            }
            ExprKind::TableRail { table, .. } => self.table_rail(table),
            ExprKind::MakeObject { class, fields } => self.make_object(*class, fields, None),
            ExprKind::StackAllocate { slot, class, fields } => self.make_object(*class, fields, Some(*slot)),
            ExprKind::NonNull(value) => {
                let value = self.expr(value);
                format!("apg_check({value})")
            }
            ExprKind::At { place, closure } => {
                self.ordered(&[place, closure], |_, text| format!("apg_at_value({}, {})", text[0], text[1]))
            }
            ExprKind::Call { function, args } => self.call(*function, args),
            ExprKind::CallVirtual { class, slot, args } => self.call_virtual(expr.ty, *class, *slot, args),
            ExprKind::CallInterface { interface, slot, args } => {
                self.call_interface(expr.ty, *interface, *slot, args)
            }
            ExprKind::CallClosure { interface, args } => self.call_closure(expr.ty, *interface, args),
            ExprKind::Operation { operation, args } if operation.is_comparison() && self.is_narrow(expr) => {
                let full: Vec<String> = args.iter().map(|it| self.expr(it)).collect();
                let full = self.operation(*operation, expr.ty, args, &full);
                let short: Vec<String> = args.iter().map(|it| self.narrow_value(it)).collect();
                let sign = operation.symbol().unwrap_or("==");
                format!("(narrow_ ? ({}) : {full})", short.join(&format!(" {sign} ")))
            }
            ExprKind::Operation { operation: operation @ (Operation::Div | Operation::Rem), args }
                if self.is_narrow(expr) && self.has_narrow_parts(expr) =>
            {
                let full: Vec<String> = args.iter().map(|it| self.expr(it)).collect();
                let full = self.operation(*operation, expr.ty, args, &full);
                format!("(narrow_ ? (apg_i64)({}) : {full})", self.narrow_value(expr))
            }
            ExprKind::Operation { operation: Operation::Convert, args }
                if self.is_narrow(expr) && is_float(expr.ty) =>
            {
                let (full, short) = (self.expr(&args[0]), self.narrow_value(&args[0]));
                let ty = self.ty(expr.ty);
                format!("(narrow_ ? ({ty})({short}) : ({ty})({full}))")
            }
            ExprKind::Operation { operation, args } => {
                let operands: Vec<&Expr> = args.iter().collect();
                self.ordered(&operands, |code, text| code.operation(*operation, expr.ty, args, text))
            }
            ExprKind::Runtime { entry, args } => self.call_runtime(entry, expr.ty, args),
            ExprKind::Cast { value, target, checked } => self.cast(value, *target, *checked),
            ExprKind::InstanceOf { value, target } => self.instance_of(value, *target),
            // Work-item loops without branches are vectorised.
            ExprKind::And(a, b) if self.target == Target::Cpu && effect(b) == Effect::None => {
                format!("(bool)({} & {})", self.expr(a), self.expr(b))
            }
            ExprKind::Or(a, b) if self.target == Target::Cpu && effect(b) == Effect::None => {
                format!("(bool)({} | {})", self.expr(a), self.expr(b))
            }
            ExprKind::And(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            ExprKind::Select { condition, then, otherwise } => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Here if self.target.is_kernel() => {
                self.fail("`here` has no meaning in a kernel: take it before the `at`".into())
            }
            ExprKind::Here => "apg_here()".into(),
        }
    }

    /// Prints operands so that they are evaluated left to right, and the expression that `build` makes of
    /// them.
    pub(crate) fn ordered(
        &mut self,
        args: &[&Expr],
        build: impl FnOnce(&mut Self, &[String]) -> String,
    ) -> String {
        let mut text: Vec<String> = args.iter().map(|it| self.expr(it)).collect();
        if !self.order_matters(args) {
            return build(self, &text);
        }
        let mut temporaries = String::new();
        for (arg, text) in args.iter().zip(&mut text) {
            if effect(arg) == Effect::None {
                continue;
            }
            let name = format!("t{}", self.fresh());
            let ty = self.ty(arg.ty);
            temporaries.push_str(&format!("{ty} {name} = {text}; "));
            *text = name;
        }
        let value = build(self, &text);
        // Device compilers have no statement expressions.
        match self.target {
            Target::Cuda => format!("[&]() {{ {temporaries}return {value}; }}()"),
            Target::Host | Target::Cpu => format!("({{ {temporaries}{value}; }})"),
        }
    }

    fn string(&mut self, text: &str) -> String {
        if self.target.is_kernel() {
            return self.fail("a kernel cannot use a String".into());
        }
        self.used.strings.insert(text.to_owned());
        string_symbol(text)
    }

    fn zero(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Ref(_) | Ty::Any if !self.target.is_kernel() => "((apg_object *)nullptr)".into(),
            Ty::Ref(_) | Ty::Any | Ty::Struct(_) => format!("{}{{}}", self.ty(ty)),
            Ty::Pointer(_) => format!("(({})nullptr)", self.ty(ty)),
            Ty::F32 | Ty::F64 => self.float(0.0, ty),
            _ => self.integer(0, ty),
        }
    }

    /// A local as a value; an array of a kernel's environment becomes a pair.
    fn local_value(&mut self, id: LocalId) -> String {
        let spelling = self.local(id);
        match (&spelling.rail, spelling.ty) {
            (Some(rail), Ty::Struct(_)) => {
                let ty = self.ty(spelling.ty);
                format!("{ty}{{{}, 0, (apg_i64){}}}", rail.length, rail.data)
            }
            // Shared memory of a program without objects.
            (Some(rail), Ty::Pointer(_)) => rail.data.clone(),
            (Some(rail), ty) => {
                let ty = self.ty(ty);
                format!("{ty}{{{}, {}}}", rail.data, rail.length)
            }
            // Shifts and bit operations need its 64 bits.
            (None, _) if self.narrowed.locals.contains(&id) => format!("((apg_i64){})", spelling.text),
            (None, _) => spelling.text,
        }
    }

    /// A field of an object, as an lvalue.
    pub(crate) fn member(&mut self, object: &str, class: ClassId, field: u32, checked: bool) -> String {
        if self.target.is_kernel() {
            return self.fail("a kernel cannot read the field of an object: take it before the `at`".into());
        }
        let layout = self.layout(class);
        let field = self.field_name(class, field);
        if checked {
            format!("(({layout} *)apg_check({object}))->{field}")
        } else {
            format!("(({layout} *){object})->{field}")
        }
    }

    fn struct_member(&mut self, value: &Expr, field: u32) -> String {
        let Ty::Struct(id) = value.ty else {
            return self.fail("a field of something that is not a struct".into());
        };
        if let ExprKind::Local(local) = value.kind
            && let Some(rail) = self.local(local).rail
            && field == 0
        {
            return rail.length;
        }
        let text = self.expr(value);
        self.used.structs.insert(id);
        format!("{text}.{}", self.struct_field_name(id, field))
    }

    /// An element of an array, as an lvalue.
    pub(crate) fn element(&mut self, rail: &Expr, index: &Expr, element: Ty, checked: bool) -> String {
        let ty = self.ty(element);
        if let ExprKind::Local(local) = rail.kind
            && let Some(rail) = self.local(local).rail
        {
            return self.kernel_element(&rail, index);
        }
        let checked = checked && !self.program.unchecked;
        let is_kernel = self.target.is_kernel();
        self.ordered_lvalue(&[rail, index], |code, text| match rail.ty {
            Ty::Struct(id) if is_kernel => {
                let (length, handle) = (code.struct_field_name(id, 0), code.struct_field_name(id, 2));
                let view = format!("apg_view<{ty}>{{({ty} *){0}.{handle}, {0}.{length}}}", text[0]);
                code.view_element(&view, index, &text[1])
            }
            _ if is_kernel => code.view_element(&text[0], index, &text[1]),
            _ if checked => format!("apg_element<{ty}>({}, {})", text[0], text[1]),
            _ => format!("apg_unchecked<{ty}>({}, {})", text[0], text[1]),
        })
    }

    /// An atomic operation on an element. Operands with effects are evaluated before.
    fn atomic(
        &mut self,
        operation: AtomicOperation,
        rail: &Expr,
        index: &Expr,
        values: &[Expr],
        element: Ty,
    ) -> String {
        let ty = self.ty(element);
        if self.target == Target::Host && matches!(rail.ty, Ty::Struct(_)) {
            // Memory of a device is accessible to kernels only.
            return format!(
                "({{ apg_raise(APG_UNSUPPORTED_OPERATION_EXCEPTION, \"an atomic operation on the memory of a device outside of a kernel\"); {ty}{{}}; }})"
            );
        }
        let sums = self.private_sums.get(&index.id).cloned();
        let element = match rail.ty {
            Ty::Pointer(_) => self.ordered(&[rail, index], |_, text| format!("({} + {})", text[0], text[1])),
            _ => format!("&{}", self.element(rail, index, element, true)),
        };
        let mut args = vec![element];
        args.extend(values.iter().map(|it| self.expr(it)));
        let is_alone = self.target == Target::Cpu
            && matches!(rail.kind, ExprKind::Local(local) if self.shared.contains(&local));
        let how = if is_alone { "alone" } else { "atomic" };
        let shared = format!("apg_{how}_{}<{ty}>({})", operation.name(), args.join(", "));
        match sums {
            Some(sums) => {
                let (index, value) = (self.expr(index), args[1..].join(", "));
                format!("(proven_ ? ({ty})({sums}[{index}] += {value}) : {shared})")
            }
            None => shared,
        }
    }

    /// A collective operation of a warp or block on a device: all threads call it.
    fn collective(&mut self, operation: CollectiveOp, args: &[Expr], result: Ty) -> String {
        if self.target != Target::Cuda {
            return self.fail(format!("`{}` in the middle of an expression", operation.name));
        }
        if let Some(call) = operation.slot_call() {
            return self.device_slot_call(call, args);
        }
        let ty = self.ty(args.first().map_or(result, |it| it.ty));
        let mut text: Vec<String> = args.iter().map(|it| self.expr(it)).collect();
        text.push(self.block_size.clone());
        format!("apg_{}<{ty}>({})", operation.name, text.join(", "))
    }

    /// As [`Self::ordered`], for an lvalue: a statement expression would copy it, so its address is passed.
    fn ordered_lvalue(
        &mut self,
        args: &[&Expr],
        build: impl FnOnce(&mut Self, &[String]) -> String,
    ) -> String {
        if self.order_matters(args) {
            let address = self.ordered(args, |code, text| format!("&{}", build(code, text)));
            format!("(*{address})")
        } else {
            self.ordered(args, build)
        }
    }

    fn length(&mut self, rail: &Expr, checked: bool) -> String {
        if let ExprKind::Local(local) = rail.kind
            && let Some(rail) = self.local(local).rail
        {
            return rail.length;
        }
        let text = self.expr(rail);
        match rail.ty {
            Ty::Struct(id) => format!("{text}.{}", self.struct_field_name(id, 0)),
            _ if self.target.is_kernel() => format!("{text}.length"),
            _ if checked => format!("apg_length(apg_check({text}))"),
            _ => format!("apg_length({text})"),
        }
    }

    fn make_struct(&mut self, ty: Ty, args: &[Expr]) -> String {
        // C++ evaluates a braced list left to right.
        let ty = self.ty(ty);
        let args: Vec<String> = args.iter().map(|it| self.expr(it)).collect();
        format!("{ty}{{{}}}", args.join(", "))
    }

    /// A new object, on the heap or in a slot of the function's frame.
    fn make_object(&mut self, class: ClassId, fields: &[Expr], slot: Option<u32>) -> String {
        let descriptor = self.descriptor(class);
        if fields.is_empty() && slot.is_none() {
            return format!("apg_allocate({descriptor})");
        }
        let layout = self.layout(class);
        let object = format!("t{}", self.fresh());
        let operands: Vec<&Expr> = fields.iter().collect();
        let mut before = String::new();
        let mut stores = String::new();
        for (index, field) in operands.iter().enumerate() {
            let mut text = self.expr(field);
            // The object in the frame may be an operand of its successor.
            if effect(field) != Effect::None || slot.is_some() {
                let name = format!("t{}", self.fresh());
                let ty = self.ty(field.ty);
                before.push_str(&format!("{ty} {name} = {text}; "));
                text = name;
            }
            stores.push_str(&format!("{object}->{} = {text}; ", self.field_name(class, index as u32)));
        }
        let memory = match slot {
            Some(slot) => format!("&o{slot}; *{object} = {layout}{{{{{descriptor}}}}}"),
            None => format!("({layout} *)apg_allocate({descriptor})"),
        };
        format!("({{ {before}{layout} *{object} = {memory}; {stores}(apg_object *){object}; }})")
    }

    fn cast(&mut self, value: &Expr, target: CastTarget, checked: bool) -> String {
        let text = self.expr(value);
        if !checked || self.target.is_kernel() {
            return text;
        }
        match target {
            CastTarget::Class(class) => {
                let descriptor = self.descriptor(class);
                let is_box = matches!(self.program.classes[class.index()].kind, ClassKind::Boxed { .. });
                let cast = if is_box { "apg_unbox" } else { "apg_cast" };
                format!("{cast}({text}, {descriptor})")
            }
            CastTarget::Interface(interface) => {
                let name = super::writer::quote(&self.program.interfaces[interface.index()].name);
                format!("apg_cast_interface({text}, {}u, {name})", self.names.interfaces[interface.index()])
            }
        }
    }

    fn instance_of(&mut self, value: &Expr, target: CastTarget) -> String {
        let text = self.expr(value);
        match target {
            _ if self.target == Target::Cuda => self.fail("a kernel cannot use `instanceof`".into()),
            CastTarget::Class(class) => {
                let descriptor = self.descriptor(class);
                format!("apg_is({text}, {descriptor})")
            }
            CastTarget::Interface(interface) => {
                format!("apg_implements({text}, {}u)", self.names.interfaces[interface.index()])
            }
        }
    }
}

/// The symbol of a string constant.
pub(crate) fn string_symbol(text: &str) -> String {
    format!("((apg_object *)&X_{:016x})", names::hash(text))
}
