//! Printing of declarations.

use rustc_hash::FxHashMap;

use super::*;
use crate::native::{NamedFile, NativeFile};
use crate::text::names::write_string;

/// Width of the lines that lists of names are wrapped to.
const WRAPPED_COLUMNS: usize = 110;

impl<'a> Printer<'a> {
    pub(super) fn program(&mut self) {
        let program = self.program;
        self.options();
        for (index, name) in program.files.iter().enumerate() {
            let is_library = program.library.contains(&FileId(index as u32));
            self.push(if is_library { "library file " } else { "file " });
            write_string(&mut self.out, name);
            self.push(";");
            self.end();
        }
        for index in 0..program.structs.len() {
            self.structure(index);
        }
        (0..program.externals.len()).for_each(|it| self.external(ExternalId(it as u32)));
        (0..program.globals.len()).for_each(|it| self.global(GlobalId(it as u32)));
        for (index, item) in program.interfaces.iter().enumerate() {
            self.push("interface ");
            self.interface(InterfaceId(index as u32));
            let _ = write!(self.out, " slots {};", item.slots);
            self.end();
        }
        for index in 0..program.classes.len() {
            self.class_declaration(ClassId(index as u32));
        }
        for (index, item) in program.statics.iter().enumerate() {
            self.push("static ");
            self.static_name(StaticId(index as u32));
            self.push(": ");
            self.ty(item.ty);
            self.push(" init ");
            self.function_name(item.init);
            self.push(";");
            self.end();
        }
        self.entry_points();
        program.natives.iter().for_each(|file| self.native_file(file));
        for index in 0..program.kernels.len() {
            self.kernel(KernelId(index as u32));
        }
        for index in 0..program.functions.len() {
            self.function(FunctionId(index as u32));
        }
    }

    fn options(&mut self) {
        let program = self.program;
        for (name, is_set) in [
            ("native_code", program.has_native_code),
            ("unchecked", program.unchecked),
            ("debug", program.debug),
            ("all_lines", program.emit_all_lines),
        ] {
            if is_set {
                self.line(&format!("option {name};"));
            }
        }
    }

    fn entry_points(&mut self) {
        let program = self.program;
        for (word, function) in [
            ("main", program.main),
            ("serialize_hook", program.serialize_hook),
            ("deserialize_hook", program.deserialize_hook),
        ] {
            if let Some(function) = function {
                self.push(word);
                self.push(" ");
                self.function_name(function);
                self.push(";");
                self.end();
            }
        }
        if !program.runtime_exceptions.is_empty() {
            self.begin();
            self.push("runtime_exceptions ");
            self.wrapped(&program.runtime_exceptions, |printer, function| printer.function_name(*function));
            self.push(";");
            self.end();
        }
    }

    /// A list in brackets, over several lines if it is long.
    fn wrapped<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.push("[");
        let mut line = self.out.rfind('\n').map_or(0, |it| it + 1);
        self.list(items, |printer, item| {
            let before = printer.out.len();
            write(printer, item);
            if printer.out.len() - line > WRAPPED_COLUMNS && before - line > WRAPPED_COLUMNS / 2 {
                let item = printer.out.split_off(before);
                printer.out.truncate(printer.out.trim_end().len());
                printer.end();
                line = printer.out.len();
                printer.indent += 2;
                printer.begin();
                printer.indent -= 2;
                printer.out.push_str(&item);
            }
        });
        self.push("]");
    }

    fn structure(&mut self, index: usize) {
        let item = &self.program.structs[index];
        let is_union = item.layout.as_ref().is_some_and(|it| it.is_union);
        self.push(if is_union { "union " } else { "struct " });
        self.structs.write(&mut self.out, index, "@");
        if let Some(MemoryLayout { size, .. }) = &item.layout {
            let _ = write!(self.out, " size {} align {}", size.size, size.align);
        }
        self.open();
        let attributes = self.program.attributes_of_struct(StructId(index as u32));
        self.fields(&item.fields, &attributes, item.layout.as_ref().filter(|_| !is_union));
        if self.program.textures.contains(&StructId(index as u32)) {
            self.line("texture;");
        }
        self.serialization(attributes.serialization);
        self.close();
    }

    fn class_declaration(&mut self, id: ClassId) {
        let program = self.program;
        let item = &program.classes[id.index()];
        self.push("class ");
        self.class(id);
        if let Some(superclass) = item.superclass {
            self.push(" extends ");
            self.class(superclass);
        }
        let (word, ty) = match item.kind {
            ClassKind::Object => ("", None),
            ClassKind::Rail { element } => (" rail", Some(element)),
            ClassKind::String => (" string", None),
            ClassKind::Boxed { value } => (" box", Some(value)),
            ClassKind::Closure => (" closure", None),
            ClassKind::Cell { value } => (" cell", Some(value)),
        };
        self.push(word);
        if let Some(ty) = ty {
            self.push(" of ");
            self.ty(ty);
        }
        self.open();
        self.fields(&item.fields, &item.attributes, None);
        if item.attributes.records_stack_trace {
            self.line("records_stack_trace;");
        }
        self.serialization(item.attributes.serialization);
        if let Some(original) = program.closure_versions.get(&id) {
            self.begin();
            self.push("version_of ");
            self.class(*original);
            self.push(";");
            self.end();
        }
        if !item.vtable.is_empty() {
            self.begin();
            self.push("vtable ");
            self.wrapped(&item.vtable, |printer, function| printer.slot(*function));
            self.push(";");
            self.end();
        }
        for (interface, functions) in &item.interfaces {
            self.begin();
            self.push("implements ");
            self.interface(*interface);
            self.push(" ");
            self.wrapped(functions, |printer, function| printer.slot(*function));
            self.push(";");
            self.end();
        }
        self.close();
    }

    /// Fields with their attributes, and their offsets in a layout.
    fn fields(&mut self, fields: &[Field], attributes: &TypeAttributes, layout: Option<&MemoryLayout>) {
        for (index, field) in fields.iter().enumerate() {
            self.begin();
            self.push("field ");
            self.field_name(fields, index as u32);
            self.push(": ");
            self.ty(field.ty);
            if let Some(offset) = layout.map(|it| it.offsets.get(index).copied().unwrap_or(0)) {
                let _ = write!(self.out, " at {offset}");
            }
            let FieldAttributes { transient, volatile, non_null, immutable } = attributes.field(index as u32);
            for (word, is_set) in [
                (" transient", transient),
                (" volatile", volatile),
                (" non_null", non_null),
                (" immutable", immutable),
            ] {
                self.push(if is_set { word } else { "" });
            }
            self.push(";");
            self.end();
        }
    }

    fn serialization(&mut self, serialization: Serialization) {
        let (word, function) = match serialization {
            Serialization::FieldByField => return,
            Serialization::Custom(function) => ("custom", function),
            Serialization::RestoreTransient(function) => ("restore_transient", Some(function)),
            Serialization::NotSerializable => ("never", None),
            Serialization::GlobalRef => ("global_ref", None),
        };
        self.begin();
        self.push("serialization ");
        self.push(word);
        if let Some(function) = function {
            self.push(" ");
            self.function_name(function);
        }
        self.push(";");
        self.end();
    }

    fn native_file(&mut self, file: &NativeFile) {
        let _ = write!(self.out, "native {} ", file.file.0);
        write_string(&mut self.out, &file.folder);
        self.open();
        let named = |printer: &mut Self, word: &str, files: &[NamedFile]| {
            for file in files {
                printer.begin();
                printer.push(word);
                printer.push(" ");
                write_string(&mut printer.out, &file.name);
                printer.push(" ");
                printer.write_span(file.span, None);
                printer.push(";");
                printer.end();
            }
        };
        named(self, "include", &file.includes);
        named(self, "source", &file.sources);
        named(self, "other", &file.others);
        self.close();
    }

    pub(super) fn function(&mut self, id: FunctionId) {
        let function = &self.program.functions[id.index()];
        self.set_locals(&function.locals, &function.variables, FxHashMap::default());
        self.push("function ");
        self.function_name(id);
        self.push("(");
        self.list(0..function.params, |printer, index| printer.typed_local(LocalId(index)));
        self.push("): ");
        self.ty(function.result);
        for (word, is_set) in [(" device", function.device), (" kernel_only", function.kernel_only)] {
            self.push(if is_set { word } else { "" });
        }
        self.push(match function.inlining {
            Inlining::Free => "",
            Inlining::Never => " noinline",
            Inlining::Cold => " cold",
        });
        if function.recursion.cycle > 0 {
            let _ = write!(self.out, " cycle {}", function.recursion.cycle);
        }
        if function.recursion.checks_at_start {
            self.push(" checks_at_start");
        }
        self.role(&function.role);
        self.declared_span(function.span);
        self.open();
        if !function.stack_objects.is_empty() {
            self.begin();
            self.push("stack [");
            self.list(&function.stack_objects, |printer, class| printer.class(*class));
            self.push("];");
            self.end();
        }
        self.variable_declarations();
        self.local_declarations(function.params as usize);
        self.stmts(&function.body);
        self.close();
        self.span = None;
    }

    fn role(&mut self, role: &FunctionRole) {
        match role {
            FunctionRole::Plain => {}
            FunctionRole::Tuple => self.push(" tuple"),
            FunctionRole::Property => self.push(" property"),
            FunctionRole::CharAt => self.push(" char_at"),
            FunctionRole::Indexing(forms) => {
                for form in forms {
                    let _ = write!(self.out, " indexing {} ", form.rank);
                    self.function_name(form.covers);
                    self.push(" ");
                    self.function_name(form.unchecked);
                }
            }
        }
    }

    /// Declarations of the locals from an index on.
    pub(super) fn local_declarations(&mut self, first: usize) {
        if self.locals.len() <= first {
            return;
        }
        let own: Vec<LocalId> = (first..self.locals.len()).map(|it| LocalId(it as u32)).collect();
        self.begin();
        self.push("var ");
        self.wrapped(&own, |printer, local| printer.typed_local(*local));
        self.push(";");
        self.end();
    }
}
