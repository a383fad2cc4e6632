//! Rules of memory: types that lie in it, layouts, globals, places, and calls through pointers.

use super::body::Body;
use super::operation::is_integral;
use super::{Rule, Verifier};
use crate::*;

/// Whether values of the type exist, or a function without a result gives it.
fn is_value(ty: Ty) -> bool {
    !matches!(ty, Ty::Array(_) | Ty::Function(_))
}

impl Verifier<'_> {
    /// Checks types, layouts, globals and external functions.
    pub(super) fn check_memory(&mut self) {
        let program = self.program;
        if program.types.parts().any(|it| !self.is_known(it)) {
            let message = "a pointer, array or function type refers to an unknown type".to_owned();
            return self.report(Rule::KnownItem, "types", None, message);
        }
        let mut layouts = Layouts::new(program);
        let holders = self.structs_with_references();
        for item in &program.structs {
            self.check_layout(item, &mut layouts, &holders);
        }
        let mut in_memory = program.types.pointed().chain(program.types.arrays());
        if in_memory.any(|it| self.holds_references(it, &holders)) {
            let message =
                "a pointer or array type has references in its memory, where the collector finds none"
                    .to_owned();
            self.report(Rule::MemoryType, "types", None, message);
        }
        for array in program.types.arrays() {
            if layouts.size(array).is_none() {
                let message = "the elements of an array have no size, or it is too large".to_owned();
                self.report(Rule::MemoryType, "types", None, message);
            }
        }
        for signature in program.types.signatures() {
            let is_valid = is_value(signature.result)
                && signature.params.iter().all(|it| is_value(*it) && *it != Ty::Void);
            if !is_valid {
                let message = "a function type has a parameter or result that is no value".to_owned();
                self.report(Rule::ValueType, "types", None, message);
            }
        }
        for item in &program.globals {
            self.check_global(item, &mut layouts, &holders);
        }
        for item in &program.externals {
            if program.types.signature(item.signature).is_none() {
                self.report(Rule::KnownItem, &item.name, None, "its type is unknown".to_owned());
            }
        }
        let functions = program.functions.iter().map(|it| (&it.name, it.span, &it.variables));
        let kernels = program.kernels.iter().map(|it| (&it.name, it.span, &it.variables));
        for (name, span, variables) in functions.chain(kernels) {
            for variable in variables {
                let is_known = self.is_known(variable.ty);
                if !is_known
                    || layouts.size(variable.ty).is_none()
                    || self.holds_references(variable.ty, &holders)
                {
                    let message = format!("`{}` cannot be in memory: {:?}", variable.name, variable.ty);
                    self.report(Rule::MemoryType, name, Some(span), message);
                }
            }
        }
    }

    /// Checks that a type is one of values, or [`Ty::Void`].
    pub(super) fn check_value_type(&mut self, item: &str, ty: Ty) {
        if !is_value(ty) {
            self.report(Rule::ValueType, item, None, format!("{ty:?} is no type of values"));
        }
    }

    /// For each struct whether it has a reference in it.
    fn structs_with_references(&self) -> Vec<bool> {
        let structs = &self.program.structs;
        let mut holders = vec![false; structs.len()];
        // References come from inner structs to outer ones, which may precede them.
        loop {
            let mut changes = false;
            for (index, item) in structs.iter().enumerate() {
                if !holders[index] && item.fields.iter().any(|it| self.holds_references(it.ty, &holders)) {
                    (holders[index], changes) = (true, true);
                }
            }
            if !changes {
                return holders;
            }
        }
    }

    fn holds_references(&self, ty: Ty, holders: &[bool]) -> bool {
        match self.program.types.innermost(ty) {
            Ty::Ref(_) | Ty::Any => true,
            Ty::Struct(id) => holders.get(id.index()).copied().unwrap_or(false),
            _ => false,
        }
    }

    fn check_layout(&mut self, item: &Struct, layouts: &mut Layouts<'_>, holders: &[bool]) {
        let Some(layout) = &item.layout else {
            if item.fields.iter().any(|it| matches!(it.ty, Ty::Array(_))) {
                self.misplaced(item, "it has arrays, and no layout".to_owned());
            }
            return;
        };
        let SizeAlign { size, align } = layout.size;
        if !align.is_power_of_two() || !size.is_multiple_of(align) {
            self.misplaced(item, format!("a size of {size} is no multiple of its alignment, {align}"));
        }
        if layout.offsets.len() != item.fields.len() {
            return self.misplaced(item, "it does not say where each field is".to_owned());
        }
        let mut end = 0;
        for (field, offset) in item.fields.iter().zip(&layout.offsets) {
            let Some(own) = layouts.size(field.ty) else {
                return self.misplaced(item, format!("the field `{}` has no size", field.name));
            };
            let start = if layout.is_union { 0 } else { end };
            let reaches = offset.checked_add(own.size);
            if *offset < start || reaches.is_none_or(|it| it > size) {
                self.misplaced(item, format!("the field `{}` overlaps another one, or the end", field.name));
            }
            end = reaches.unwrap_or(end);
        }
        if item.fields.iter().any(|it| self.holds_references(it.ty, holders)) {
            let message = "it has a layout, and references, which the collector would not find".to_owned();
            self.report(Rule::MemoryType, &item.name, None, message);
        }
    }

    fn misplaced(&mut self, item: &Struct, message: String) {
        self.report(Rule::Layout, &item.name, None, message);
    }

    fn check_global(&mut self, item: &Global, layouts: &mut Layouts<'_>, holders: &[bool]) {
        if !self.is_known(item.ty)
            || layouts.size(item.ty).is_none()
            || self.holds_references(item.ty, holders)
        {
            let message = format!("{:?} cannot be in memory", item.ty);
            return self.report(Rule::MemoryType, &item.name, None, message);
        }
        if let Err(message) = self.check_initializer(&item.init, item.ty, layouts) {
            self.report(Rule::Initializer, &item.name, None, message);
        }
    }

    fn check_initializer(&self, init: &Initializer, ty: Ty, layouts: &mut Layouts<'_>) -> Result<(), String> {
        let program = self.program;
        let pointed = program.types.pointer(ty).map(|it| it.pointee);
        let is_valid = match init {
            Initializer::Zero => true,
            Initializer::Int(_) => is_integral(ty),
            Initializer::Float(_) => matches!(ty, Ty::F32 | Ty::F64),
            Initializer::Bytes(bytes) => match program.types.array(ty) {
                Some(array) => is_byte(array.element) && bytes.len() as u64 <= array.length,
                None => pointed.is_some_and(is_byte),
            },
            Initializer::Address { global, bytes } => {
                let Some(target) = program.globals.get(global.index()) else {
                    return Err(format!("there is no global {}", global.0));
                };
                let size = layouts.size(target.ty).map_or(0, |it| it.size);
                if !u64::try_from(*bytes).is_ok_and(|it| it <= size) {
                    return Err(format!("byte {bytes} is outside of `{}`", target.name));
                }
                pointed.is_some()
            }
            Initializer::Function(function) => {
                let Some(function) = program.functions.get(function.index()) else {
                    return Err(format!("there is no function {}", function.0));
                };
                program.types.pointed_signature(ty) == Some(&function.signature())
            }
            Initializer::External(external) => {
                let Some(external) = program.externals.get(external.index()) else {
                    return Err(format!("there is no external function {}", external.0));
                };
                pointed == Some(Ty::Function(external.signature))
            }
            Initializer::List(values) => return self.check_list(values, ty, layouts),
            Initializer::Member { field, value } => {
                let Ty::Struct(id) = ty else { return Err("a field of what is no union".to_owned()) };
                let item = &program.structs[id.index()];
                let is_union = item.layout.as_ref().is_some_and(|it| it.is_union);
                return match item.fields.get(*field as usize).filter(|_| is_union) {
                    Some(field) => self.check_initializer(value, field.ty, layouts),
                    None => Err(format!("`{}` is no union with a field {field}", item.name)),
                };
            }
        };
        if is_valid { Ok(()) } else { Err(format!("its first value is none of a {ty:?}")) }
    }

    fn check_list(&self, values: &[Initializer], ty: Ty, layouts: &mut Layouts<'_>) -> Result<(), String> {
        let types = &self.program.types;
        if let Some(array) = types.array(ty) {
            if values.len() as u64 > array.length {
                return Err(format!("{} values for {} elements", values.len(), array.length));
            }
            return values.iter().try_for_each(|it| self.check_initializer(it, array.element, layouts));
        }
        let Ty::Struct(id) = ty else { return Err(format!("a list of values for a {ty:?}")) };
        let item = &self.program.structs[id.index()];
        let is_union = item.layout.as_ref().is_some_and(|it| it.is_union);
        if is_union || values.len() > item.fields.len() {
            return Err(format!("{} values for the fields of `{}`", values.len(), item.name));
        }
        let mut fields = values.iter().zip(&item.fields);
        fields.try_for_each(|(value, field)| self.check_initializer(value, field.ty, layouts))
    }
}

fn is_byte(ty: Ty) -> bool {
    matches!(ty, Ty::I8 | Ty::U8)
}

impl<'p> Body<'_, 'p> {
    /// Checks a place; whether its type is that of what is there.
    fn place(&mut self, place: &'p Place) -> bool {
        if !self.verifier.is_known(place.ty) {
            self.report(Rule::KnownItem, format!("there is no type {:?}", place.ty));
            return false;
        }
        let found = match &place.kind {
            PlaceKind::Variable(id) => match self.variables.get(id.index()) {
                Some(variable) => Some(variable.ty),
                None => {
                    self.report(Rule::KnownLocal, format!("there is no variable {}", id.0));
                    return false;
                }
            },
            PlaceKind::Global(id) => match self.program().globals.get(id.index()) {
                Some(global) => Some(global.ty),
                None => {
                    self.report(Rule::KnownItem, format!("there is no global {}", id.0));
                    return false;
                }
            },
            PlaceKind::Deref(pointer) => {
                self.expr(pointer);
                let found = self.program().types.pointer(pointer.ty);
                if found.is_some_and(|it| it.space == AddressSpace::Shared) && !self.is_device {
                    self.report(
                        Rule::KernelCode,
                        "memory of a block of threads outside of a kernel".to_owned(),
                    );
                }
                found.map(|it| it.pointee)
            }
            PlaceKind::Field { base, field } => {
                if !self.place(base) {
                    return false;
                }
                match base.ty {
                    Ty::Struct(_) => {
                        let Some(ty) = self.struct_field(base.ty, *field) else { return false };
                        Some(ty)
                    }
                    _ => None,
                }
            }
            PlaceKind::Index { base, index } => {
                let is_valid = self.place(base);
                self.integer(index);
                if !is_valid {
                    return false;
                }
                self.program().types.array(base.ty).map(|it| it.element)
            }
        };
        if found != Some(place.ty) {
            self.report(Rule::PlaceType, format!("a place of type {:?} where there is {found:?}", place.ty));
        }
        found == Some(place.ty)
    }

    /// Checks a place that a value is loaded from or stored into.
    fn accessed(&mut self, place: &'p Place) {
        if self.place(place) && (!is_value(place.ty) || place.ty == Ty::Void) {
            self.report(Rule::ValueType, format!("a place of type {:?} contains no value", place.ty));
        }
        if place.is_volatile && matches!(place.ty, Ty::Struct(_)) {
            let message = "a volatile access to a struct: access its fields one by one".to_owned();
            self.report(Rule::ValueType, message);
        }
    }

    pub(super) fn store(&mut self, place: &'p Place, value: &'p Expr) {
        self.accessed(place);
        self.value(value, place.ty);
        let is_constant = match place.root() {
            PlaceKind::Global(id) => self.program().globals.get(id.index()).is_some_and(|it| it.is_constant),
            _ => place.space(&self.program().types) == AddressSpace::Constant,
        };
        if is_constant {
            self.report(Rule::ConstantStore, "a store into constant memory".to_owned());
        }
    }

    /// Checks loads, addresses and calls through pointers.
    pub(super) fn pointer_expr(&mut self, expr: &'p Expr) {
        let types = &self.program().types;
        let points_to = |ty: Option<PointerType>| types.pointer(expr.ty) == ty && ty.is_some();
        match &expr.kind {
            ExprKind::Load(place) => {
                self.accessed(place);
                self.result(expr, place.ty);
            }
            ExprKind::AddressOf(place) => {
                self.place(place);
                let ty = PointerType { pointee: place.ty, space: place.space(types) };
                if !points_to(Some(ty)) {
                    self.report(
                        Rule::ResultType,
                        format!("the address of a {:?} as a {:?}", place.ty, expr.ty),
                    );
                }
            }
            ExprKind::FunctionAddress(id) => match self.program().functions.get(id.index()) {
                Some(function) if types.pointed_signature(expr.ty) == Some(&function.signature()) => {}
                Some(function) => {
                    self.report(Rule::ResultType, format!("`{}` is of another type", function.name));
                }
                None => self.report(Rule::KnownItem, format!("there is no function {}", id.0)),
            },
            ExprKind::ExternalAddress(id) => match self.program().externals.get(id.index()) {
                Some(item)
                    if types.pointer(expr.ty).map(|it| it.pointee) == Some(Ty::Function(item.signature)) => {}
                Some(item) => self.report(Rule::ResultType, format!("`{}` is of another type", item.name)),
                None => self.report(Rule::KnownItem, format!("there is no external function {}", id.0)),
            },
            ExprKind::Bytes(_) if !types.pointer(expr.ty).is_some_and(|it| is_byte(it.pointee)) => {
                self.report(Rule::ResultType, format!("bytes as a {:?}", expr.ty));
            }
            ExprKind::CallPointer { callee, args } => self.call_pointer(expr, callee, args),
            _ => {}
        }
    }

    fn call_pointer(&mut self, expr: &'p Expr, callee: &'p Expr, args: &'p [Expr]) {
        self.expr(callee);
        args.iter().for_each(|it| self.expr(it));
        let Some(signature) = self.program().types.pointed_signature(callee.ty) else {
            return self.report(Rule::OperandType, format!("a call of a {:?}", callee.ty));
        };
        let needed = signature.params.len();
        if args.len() < needed || args.len() > needed && !signature.is_variadic {
            return self.report(Rule::OperandCount, format!("{} arguments instead of {needed}", args.len()));
        }
        for (arg, ty) in args.iter().zip(&signature.params) {
            self.stored(arg, *ty);
        }
        for arg in &args[needed..] {
            if !matches!(arg.ty, Ty::I32 | Ty::U32 | Ty::I64 | Ty::U64 | Ty::F64 | Ty::Pointer(_)) {
                let message = format!("a {:?} behind the parameters: convert it to 32 bits or more", arg.ty);
                self.report(Rule::OperandType, message);
            }
        }
        self.result(expr, signature.result);
    }

    /// Checks that a captured address of a global is a pointer to it.
    pub(super) fn captured_global(&mut self, capture: &KernelCapture) {
        let Some(id) = capture.global else { return };
        let Some(global) = self.program().globals.get(id.index()) else {
            return self.report(Rule::KnownItem, format!("there is no global {}", id.0));
        };
        let pointee = match capture.kind {
            KernelCaptureKind::Scalar(ty) => self.program().types.pointer(ty).map(|it| it.pointee),
            _ => None,
        };
        if pointee != Some(global.ty) {
            let message =
                format!("`{}` is no pointer to `{}`, whose address it is", capture.name, global.name);
            self.report(Rule::OperandType, message);
        } else if global.is_thread_private {
            self.report(Rule::KernelCode, format!("`{}` is private to threads of the host", global.name));
        }
    }

    /// Checks an element behind a pointer, which threads of a kernel change atomically.
    pub(super) fn pointed_element(&mut self, pointer: &'p Expr, index: &'p Expr, element: Ty) {
        self.expr(pointer);
        self.integer(index);
        if !self.is_device {
            self.report(Rule::KernelCode, "an atomic operation on memory outside of a kernel".to_owned());
        }
        match self.program().types.pointer(pointer.ty) {
            Some(PointerType { space: AddressSpace::Constant, .. }) => {
                self.report(Rule::ConstantStore, "an atomic operation on constant memory".to_owned());
            }
            Some(PointerType { pointee, .. }) if pointee == element => {}
            _ => self.report(Rule::ResultType, format!("a {element:?} behind a {:?}", pointer.ty)),
        }
    }

    /// Checks that elements which a pointer is moved over have a size.
    pub(super) fn moved_pointer(&mut self, pointer: Ty) {
        let pointee = self.program().types.pointer(pointer).map(|it| it.pointee);
        if matches!(pointee, None | Some(Ty::Void | Ty::Function(_))) {
            self.report(Rule::OperandType, format!("elements of a {pointer:?} have no size"));
        }
    }
}
