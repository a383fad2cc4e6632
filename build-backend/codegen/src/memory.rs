//! Memory: places, pointers, globals, and calls through pointers.

use std::collections::BTreeSet;

use super::code::Code;
use super::names;
use super::writer::quote_bytes;
use apg_mir::*;

impl Code<'_> {
    /// A pointer, array or function type. Templates of the headers keep declarations free of declarators.
    pub(crate) fn type_in_memory(&mut self, ty: Ty) -> String {
        let types = &self.program.types;
        if let Some(pointer) = types.pointer(ty) {
            return format!("apg_pointer<{}>", self.ty(pointer.pointee));
        }
        if let Some(array) = types.array(ty) {
            return format!("apg_array<{}, {}>", self.ty(array.element), array.length);
        }
        match ty {
            Ty::Function(id) => match types.signature(id) {
                Some(signature) => {
                    let mut params: Vec<String> = signature.params.iter().map(|it| self.ty(*it)).collect();
                    params.extend(signature.is_variadic.then(|| "...".to_owned()));
                    format!("apg_code<{}({})>", self.ty(signature.result), params.join(", "))
                }
                None => self.fail(format!("unknown type {ty:?}")),
            },
            _ => self.fail(format!("unknown type {ty:?}")),
        }
    }

    /// A place as an lvalue, with its printed operands.
    fn place(&mut self, place: &Place, operands: &mut std::slice::Iter<'_, String>) -> String {
        match &place.kind {
            PlaceKind::Variable(id) => match self.variables.get(id.index()) {
                Some(name) => name.clone(),
                None => self.fail(format!("unknown variable {}", id.0)),
            },
            PlaceKind::Global(id) => self.global_symbol(*id),
            PlaceKind::Deref(pointer) => {
                // The compiler needs the struct that the pointer points to.
                self.ty(place.ty);
                match operands.next() {
                    Some(text) => format!("(*{text})"),
                    None => self.fail(format!("no operand for {pointer:?}")),
                }
            }
            PlaceKind::Field { base, field } => {
                let text = self.place(base, operands);
                match base.ty {
                    Ty::Struct(id) => {
                        self.used.structs.insert(id);
                        format!("{text}.{}", self.struct_field_name(id, *field))
                    }
                    _ => self.fail("a field of something that is not a struct".into()),
                }
            }
            PlaceKind::Index { base, .. } => {
                let text = self.place(base, operands);
                let index = operands.next().cloned().unwrap_or_default();
                format!("{text}[{index}]")
            }
        }
    }

    pub(crate) fn load(&mut self, place: &Place) -> String {
        self.ordered(&place.operands(), |code, text| code.place(place, &mut text.iter()))
    }

    pub(crate) fn address_of(&mut self, place: &Place) -> String {
        self.ordered(&place.operands(), |code, text| format!("(&{})", code.place(place, &mut text.iter())))
    }

    pub(crate) fn store(&mut self, place: &Place, value: &Expr) {
        let mut operands = place.operands();
        operands.push(value);
        let text = self.ordered_store(&operands, |code, text| {
            let target = code.place(place, &mut text.iter());
            format!("{target} = {}", text.last().map_or("0", String::as_str))
        });
        self.out.line(text);
    }

    /// The address of a constant array of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8], ty: Ty) -> String {
        format!("(({}){})", self.ty(ty), quote_bytes(bytes))
    }

    pub(crate) fn call_pointer(&mut self, callee: &Expr, args: &[Expr]) -> String {
        let operands: Vec<&Expr> = [callee].into_iter().chain(args).collect();
        self.ordered(&operands, |code, text| {
            let Some((callee, args)) = text.split_first() else { return "0".into() };
            code.with_stack_check(None, format!("{callee}({})", args.join(", ")))
        })
    }

    fn global_symbol(&mut self, id: GlobalId) -> String {
        if self.target.is_kernel() {
            let name = &self.program.globals[id.index()].name;
            return self.fail(format!("a kernel cannot use the global `{name}`: pass its address"));
        }
        self.used.globals.insert(id);
        self.names.globals[id.index()].clone()
    }

    pub(crate) fn external_symbol(&mut self, id: ExternalId) -> String {
        if self.target.is_kernel() {
            let name = &self.program.externals[id.index()].name;
            return self.fail(format!("a kernel cannot call the external function `{name}`"));
        }
        self.used.externals.insert(id);
        self.names.externals[id.index()].clone()
    }

    /// Declarations of globals and external functions.
    pub(crate) fn memory_declarations(
        &mut self,
        globals: &BTreeSet<GlobalId>,
        externals: &BTreeSet<ExternalId>,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        for id in globals {
            let ty = self.ty(self.program.globals[id.index()].ty);
            lines.push(format!("extern {ty} {};", self.names.globals[id.index()]));
        }
        for id in externals {
            let item = &self.program.externals[id.index()];
            let ty = self.type_in_memory(Ty::Function(item.signature));
            // Headers of the system may declare it otherwise.
            let (name, symbol) = (&self.names.externals[id.index()], quote_bytes(item.name.as_bytes()));
            lines.push(format!("extern \"C\" {ty} {name} asm(APG_SYMBOL {symbol});"));
        }
        lines
    }

    /// Definitions of all globals.
    pub(crate) fn globals(&mut self) {
        for index in 0..self.program.globals.len() {
            let id = GlobalId(index as u32);
            let global = &self.program.globals[index];
            let ty = self.ty(global.ty);
            let symbol = self.global_symbol(id);
            let init = self.global_initializer(&global.init, global.ty);
            self.out.line(format!("{ty} {symbol} = {init};"));
        }
    }

    fn global_initializer(&mut self, init: &Initializer, ty: Ty) -> String {
        match init {
            Initializer::Zero => "{}".into(),
            Initializer::Int(value) => self.integer(*value, ty),
            Initializer::Float(value) => self.float(*value, ty),
            Initializer::Bytes(bytes) => match self.program.types.array(ty) {
                Some(array) => {
                    let items: Vec<String> = bytes
                        .iter()
                        .map(|it| match array.element {
                            Ty::I8 => it.cast_signed().to_string(),
                            _ => it.to_string(),
                        })
                        .collect();
                    format!("{{{}}}", items.join(", "))
                }
                None => self.bytes(bytes, ty),
            },
            Initializer::Address { global, bytes } => {
                let (name, symbol) = (self.ty(ty), self.global_symbol(*global));
                format!("({name})((char *)&{symbol} + {bytes})")
            }
            Initializer::Function(function) => format!("&{}", self.function_symbol(*function)),
            Initializer::External(external) => format!("&{}", self.external_symbol(*external)),
            Initializer::List(values) => {
                let items: Vec<String> =
                    (0..).zip(values).map(|(index, value)| self.part(value, ty, index)).collect();
                format!("{{{}}}", items.join(", "))
            }
            Initializer::Member { field, value } => format!("{{{}}}", self.part(value, ty, *field)),
        }
    }

    /// The value of an element, or of a field by its name: a declaration may have gaps between them.
    fn part(&mut self, value: &Initializer, ty: Ty, index: u32) -> String {
        if let Some(array) = self.program.types.array(ty) {
            return self.global_initializer(value, array.element);
        }
        let Ty::Struct(id) = ty else { return self.fail(format!("a list of values for {ty:?}")) };
        match self.program.structs[id.index()].fields.get(index as usize) {
            Some(field) => {
                let value = self.global_initializer(value, field.ty);
                format!(".{} = {value}", names::field(index as usize, field))
            }
            None => self.fail(format!("a value for the unknown field {index}")),
        }
    }
}
