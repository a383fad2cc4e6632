//! Printing of what is in memory: types of pointers and arrays, globals, places and addresses.

use super::*;
use crate::text::names::write_string;

impl Printer<'_> {
    /// Types that are made of others.
    pub(super) fn derived_type(&mut self, ty: Ty) {
        let types = &self.program.types;
        if let Some(pointer) = types.pointer(ty) {
            self.push("pointer");
            if pointer.space != AddressSpace::Generic {
                let name = AddressSpace::ALL.iter().find(|it| it.0 == pointer.space).map_or("", |it| it.1);
                let _ = write!(self.out, "({name})");
            }
            self.push(" ");
            self.ty(pointer.pointee);
        } else if let Some(array) = types.array(ty) {
            let _ = write!(self.out, "array {} of ", array.length);
            self.ty(array.element);
        } else if let Ty::Function(id) = ty {
            self.push("function");
            self.signature(id);
        } else {
            let _ = write!(self.out, "<type {ty:?}>");
        }
    }

    /// `(TYPE, ...): TYPE`
    fn signature(&mut self, id: SignatureId) {
        let Some(signature) = self.program.types.signature(id) else {
            let _ = write!(self.out, "<signature {}>", id.0);
            return;
        };
        self.push("(");
        self.list(&signature.params, |printer, ty| printer.ty(*ty));
        if signature.is_variadic {
            self.push(if signature.params.is_empty() { "..." } else { ", ..." });
        }
        self.push("): ");
        self.ty(signature.result);
    }

    pub(super) fn external(&mut self, id: ExternalId) {
        let item = &self.program.externals[id.index()];
        self.push("external ");
        self.externals.write(&mut self.out, id.index(), "@");
        self.signature(item.signature);
        self.push(";");
        self.end();
    }

    pub(super) fn global(&mut self, id: GlobalId) {
        let item = &self.program.globals[id.index()];
        self.push("global ");
        self.globals.write(&mut self.out, id.index(), "@");
        self.push(": ");
        self.ty(item.ty);
        self.push(if item.is_constant { " constant" } else { "" });
        self.push(if item.is_thread_private { " threadprivate" } else { "" });
        if item.init != Initializer::Zero {
            self.push(" = ");
            self.initializer(&item.init, item.ty);
        }
        self.push(";");
        self.end();
    }

    fn initializer(&mut self, init: &Initializer, ty: Ty) {
        match init {
            Initializer::Zero => self.push("zero"),
            Initializer::Int(value) => {
                let _ = write!(self.out, "{value}");
            }
            Initializer::Float(value) => self.float(*value),
            Initializer::Bytes(bytes) => self.bytes(bytes),
            Initializer::Address { global, bytes } => {
                self.push("address ");
                self.globals.write(&mut self.out, global.index(), "@");
                if *bytes != 0 {
                    let _ = write!(self.out, " + {bytes}");
                }
            }
            Initializer::Function(function) => {
                self.push("function ");
                self.function_name(*function);
            }
            Initializer::External(external) => {
                self.push("external ");
                self.externals.write(&mut self.out, external.index(), "@");
            }
            Initializer::List(values) => {
                self.push("{");
                self.list(values.iter().enumerate(), |printer, (index, value)| {
                    let part = match ty {
                        Ty::Struct(id) => {
                            let fields = printer.program.structs.get(id.index()).map(|it| &it.fields);
                            fields.and_then(|it| it.get(index)).map(|it| it.ty)
                        }
                        _ => printer.program.types.array(ty).map(|it| it.element),
                    };
                    printer.initializer(value, part.unwrap_or(Ty::Void));
                });
                self.push("}");
            }
            Initializer::Member { field, value } => {
                self.push(".");
                self.field_of_struct(ty, *field);
                self.push(" = ");
                let part = match ty {
                    Ty::Struct(id) => {
                        let fields = self.program.structs.get(id.index()).map(|it| &it.fields);
                        fields.and_then(|it| it.get(*field as usize)).map(|it| it.ty)
                    }
                    _ => None,
                };
                self.initializer(value, part.unwrap_or(Ty::Void));
            }
        }
    }

    /// `memory [%a: TYPE];`
    pub(super) fn variable_declarations(&mut self) {
        let variables = self.variables;
        if variables.is_empty() {
            return;
        }
        self.begin();
        self.push("memory [");
        self.list(variables.iter().enumerate(), |printer, (index, variable)| {
            printer.variable_names.write(&mut printer.out, index, "%");
            printer.push(": ");
            printer.ty(variable.ty);
        });
        self.push("];");
        self.end();
    }

    /// A place as a whole.
    pub(super) fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Variable(id) => self.variable_names.write(&mut self.out, id.index(), "%"),
            PlaceKind::Global(id) => {
                self.push("global ");
                self.globals.write(&mut self.out, id.index(), "@");
            }
            PlaceKind::Deref(pointer) => {
                self.push("(*");
                self.full_expr(pointer);
                self.push(")");
            }
            PlaceKind::Field { base, field } => {
                self.place_base(base);
                self.push(".");
                self.field_of_struct(base.ty, *field);
            }
            PlaceKind::Index { base, index } => {
                self.place_base(base);
                self.push("[");
                self.full_expr(index);
                self.push("]");
            }
        }
    }

    /// A place in front of `.` or `[`, with which the name of a global would go on.
    fn place_base(&mut self, place: &Place) {
        if matches!(place.kind, PlaceKind::Global(_)) {
            self.push("(");
            self.place(place);
            self.push(")");
        } else {
            self.place(place);
        }
    }

    /// Loads and addresses.
    pub(super) fn memory(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Load(place) => {
                self.push(if place.is_volatile { "load volatile " } else { "load " });
                self.place(place);
            }
            ExprKind::AddressOf(place) => {
                self.push("address ");
                self.place(place);
            }
            ExprKind::FunctionAddress(function) => {
                self.push("function ");
                self.function_name(*function);
            }
            ExprKind::ExternalAddress(external) => {
                self.push("external ");
                self.externals.write(&mut self.out, external.index(), "@");
            }
            ExprKind::Bytes(bytes) => self.bytes(bytes),
            _ => {}
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let text: String = bytes.iter().map(|it| char::from(*it)).collect();
        self.push("bytes ");
        write_string(&mut self.out, &text);
    }

    /// The function of a call through a pointer.
    pub(super) fn callee(&mut self, callee: &Expr) {
        let is_plain = !self.is_ascribed(callee)
            && !self.has_printed_span(callee)
            && matches!(
                callee.kind,
                ExprKind::Local(_)
                    | ExprKind::Load(_)
                    | ExprKind::FunctionAddress(_)
                    | ExprKind::ExternalAddress(_)
            );
        if is_plain {
            self.full_expr(callee);
        } else {
            self.push("(");
            self.full_expr(callee);
            self.push(")");
        }
    }
}
