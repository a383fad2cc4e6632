//! Memory: places, pointers, globals, and calls through pointers.

use std::collections::BTreeSet;

use super::code::{Code, Target};
use super::names;
use super::writer::quote_bytes;
use apg_mir::*;

/// The globals whose addresses are in a first value.
fn named_globals(init: &Initializer) -> Vec<GlobalId> {
    match init {
        Initializer::Address { global, .. } => vec![*global],
        Initializer::List(values) => values.iter().flat_map(named_globals).collect(),
        Initializer::Member { value, .. } => named_globals(value),
        Initializer::Zero
        | Initializer::Int(_)
        | Initializer::Float(_)
        | Initializer::Bytes(_)
        | Initializer::Function(_)
        | Initializer::External(_) => Vec::new(),
    }
}

/// The storage class of a global.
fn storage(global: &Global) -> &'static str {
    if global.is_thread_private { "thread_local " } else { "" }
}

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
            PlaceKind::Global(id) => match self.captured_globals.get(id) {
                Some(member) => format!("(*env.m{member})"),
                None => {
                    let (symbol, ty) = (self.global_symbol(*id), self.ty(place.ty));
                    match self.target {
                        Target::Cuda => format!("(const_cast<{ty} &>({symbol}))"),
                        Target::Host | Target::Cpu => symbol,
                    }
                }
            },
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

    /// A place that is loaded or stored.
    fn accessed(&mut self, place: &Place, operands: &mut std::slice::Iter<'_, String>) -> String {
        let text = self.place(place, operands);
        match place.is_volatile {
            true => format!("(*(volatile {} *)&{text})", self.ty(place.ty)),
            false => text,
        }
    }

    pub(crate) fn load(&mut self, place: &Place) -> String {
        self.ordered(&place.operands(), |code, text| code.accessed(place, &mut text.iter()))
    }

    pub(crate) fn address_of(&mut self, place: &Place) -> String {
        self.ordered(&place.operands(), |code, text| format!("(&{})", code.place(place, &mut text.iter())))
    }

    pub(crate) fn store(&mut self, place: &Place, value: &Expr) {
        let mut operands = place.operands();
        operands.push(value);
        let text = self.ordered_store(&operands, |code, text| {
            let target = code.accessed(place, &mut text.iter());
            format!("{target} = {}", text.last().map_or("0", String::as_str))
        });
        self.out.line(text);
    }

    /// The address of a constant array of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8], ty: Ty) -> String {
        format!("(({}){})", self.ty(ty), quote_bytes(bytes))
    }

    pub(crate) fn call_pointer(&mut self, callee: &Expr, args: &[Expr]) -> String {
        if let ExprKind::ExternalAddress(id) = callee.kind
            && self.target.is_kernel()
        {
            return self.call_library(id, args);
        }
        let operands: Vec<&Expr> = [callee].into_iter().chain(args).collect();
        let kernel_type = self.kernel_function_type(callee.ty);
        let hidden = self.hidden_arguments();
        self.ordered(&operands, |code, text| {
            let Some((callee, args)) = text.split_first() else { return "0".into() };
            let args: Vec<String> = args.iter().cloned().chain(hidden).collect();
            let callee = kernel_type.map_or(callee.clone(), |ty| format!("(({ty}){callee})"));
            code.with_stack_check(None, format!("{callee}({})", args.join(", ")))
        })
    }

    /// A call of a function of the C library in a kernel. Devices have them as functions of the compiler,
    /// whose addresses are not taken.
    fn call_library(&mut self, function: ExternalId, args: &[Expr]) -> String {
        let symbol = self.external_symbol(function);
        let signature = self.program.externals[function.index()].signature;
        let result = self.program.types.signature(signature).map_or(Ty::Void, |it| it.result);
        let result = self.ty(result);
        let is_text = |arg: &Expr| self.target == Target::Cuda && matches!(arg.kind, ExprKind::Bytes(_));
        let is_text: Vec<bool> = args.iter().map(is_text).collect();
        let operands: Vec<&Expr> = args.iter().collect();
        self.ordered(&operands, |_, text| {
            let spelled = |(text, is_text): (&String, bool)| match is_text {
                true => format!("(const char *){text}"),
                false => text.clone(),
            };
            let args: Vec<String> = text.iter().zip(is_text).map(spelled).collect();
            format!("({result}){symbol}({})", args.join(", "))
        })
    }

    /// The address of a function. In a kernel it is that of the code for kernels, as a pointer of the type
    /// that it has elsewhere.
    pub(crate) fn function_address(&mut self, function: FunctionId, ty: Ty) -> String {
        let symbol = self.function_symbol(function);
        match self.target.is_kernel() {
            true => format!("(({})&{symbol})", self.ty(ty)),
            false => format!("(&{symbol})"),
        }
    }

    /// The type of the code for kernels behind a pointer to a function; `None` outside of kernels.
    fn kernel_function_type(&mut self, pointer: Ty) -> Option<String> {
        let hidden = self.hidden_types()?;
        let signature = self.program.types.pointed_signature(pointer)?;
        let params: Vec<String> = signature.params.iter().map(|it| self.ty(*it)).collect();
        let (result, all) = (self.ty(signature.result), params.into_iter().chain([hidden]));
        Some(format!("apg_pointer<apg_code<{result}({})>>", all.collect::<Vec<_>>().join(", ")))
    }

    fn global_symbol(&mut self, id: GlobalId) -> String {
        let item = &self.program.globals[id.index()];
        let is_usable = match self.target {
            Target::Host => true,
            Target::Cpu => !item.is_thread_private,
            Target::Cuda => !item.is_thread_private && item.is_constant,
        };
        if !is_usable {
            let message = format!("a kernel cannot use the global `{}`: capture its address", item.name);
            return self.fail(message);
        }
        self.used.globals.insert(id);
        self.names.globals[id.index()].clone()
    }

    pub(crate) fn external_symbol(&mut self, id: ExternalId) -> String {
        let name = &self.program.externals[id.index()].name;
        let is_known = team::has_library_function(name);
        if self.target == Target::Cuda && is_known {
            return name.clone();
        }
        if self.target.is_kernel() && !is_known {
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
            let global = &self.program.globals[id.index()];
            let (storage, ty) = (storage(global), self.ty(global.ty));
            lines.push(format!("extern {storage}{ty} {};", self.names.globals[id.index()]));
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
            self.out.line(format!("{}{ty} {symbol} = {init};", storage(global)));
        }
    }

    /// Definitions of the constants that device code uses, behind those that their first values name.
    pub(crate) fn device_constants(&mut self) -> String {
        let (mut open, mut done, mut text) = (BTreeSet::new(), BTreeSet::new(), String::new());
        while let Some(id) = self.used.globals.iter().copied().find(|it| !done.contains(it)) {
            self.define_constant(id, &mut open, &mut done, &mut text);
        }
        text
    }

    /// Defines a constant that is not `done`. Those that are `open` name it.
    fn define_constant(
        &mut self,
        id: GlobalId,
        open: &mut BTreeSet<GlobalId>,
        done: &mut BTreeSet<GlobalId>,
        text: &mut String,
    ) {
        let global = &self.program.globals[id.index()];
        open.insert(id);
        for other in named_globals(&global.init) {
            if open.contains(&other) && !done.contains(&other) {
                let message =
                    format!("a kernel cannot use `{}`, which names itself: capture its address", global.name);
                self.fail(message);
            } else if !done.contains(&other) {
                self.define_constant(other, open, done, text);
            }
        }
        let (ty, symbol) = (self.ty(global.ty), self.names.globals[id.index()].clone());
        let init = self.global_initializer(&global.init, global.ty);
        text.push_str(&format!("static __device__ const {ty} {symbol} = {init};\n"));
        done.insert(id);
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
                None if self.target == Target::Cuda => self.unusable_constant("the address of a string"),
                None => self.bytes(bytes, ty),
            },
            // Device compilers evaluate no conversions of addresses before the program runs.
            Initializer::Address { global, bytes } if self.target == Target::Cuda => {
                let symbol = self.global_symbol(*global);
                let pointee = self.program.types.pointer(ty).map(|it| it.pointee);
                match *bytes == 0 && pointee == Some(self.program.globals[global.index()].ty) {
                    true => format!("const_cast<{}>(&{symbol})", self.ty(ty)),
                    false => self.unusable_constant("an address inside of another one"),
                }
            }
            Initializer::Function(function) if self.target == Target::Cuda => {
                let symbol = self.function_symbol(*function);
                match self.hidden_types() {
                    None => format!("&{symbol}"),
                    Some(_) => {
                        self.unusable_constant("the address of a function that needs captured globals")
                    }
                }
            }
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

    fn unusable_constant(&mut self, what: &str) -> String {
        self.fail(format!("a kernel cannot use a constant with {what} in it: compute it in the kernel"))
    }

    /// The value of an element, or of a field by its name: a declaration may have gaps between them.
    fn part(&mut self, value: &Initializer, ty: Ty, index: u32) -> String {
        if let Some(array) = self.program.types.array(ty) {
            return self.global_initializer(value, array.element);
        }
        let Ty::Struct(id) = ty else { return self.fail(format!("a list of values for {ty:?}")) };
        let item = &self.program.structs[id.index()];
        let Some(field) = item.fields.get(index as usize) else {
            return self.fail(format!("a value for the unknown field {index}"));
        };
        let text = self.global_initializer(value, field.ty);
        // C++17, in which device code is compiled, has values of members in their order only.
        match self.target {
            Target::Cuda if self.has_gaps(id) || item.layout.as_ref().is_some_and(|it| it.is_union) => {
                let message =
                    format!("a kernel cannot use a constant with a `{}`: capture its address", item.name);
                self.fail(message)
            }
            Target::Cuda => text,
            Target::Host | Target::Cpu => format!(".{} = {text}", names::field(index as usize, field)),
        }
    }
}
