//! Metadata of a program: type descriptors, vtables, interface tables, string constants, static fields,
//! kernels, and the exported table through which the runtime finds them.

use super::code::{Code, Used, chain};
use super::constant_table;
use super::kernel::DeviceCode;
use super::names;
use super::writer::quote;
use apg_mir::*;
use apg_passes::analysis::bounded_cost::BoundedCost;

/// The kind of a class in the ABI.
fn kind(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Object => "APG_OBJECT",
        ClassKind::Rail { .. } => "APG_RAIL",
        ClassKind::String => "APG_STRING",
        ClassKind::Boxed { .. } => "APG_BOXED",
        ClassKind::Closure => "APG_CLOSURE",
        ClassKind::Cell { .. } => "APG_CELL",
    }
}

/// The result kind of a closure without parameters in the ABI.
fn result(program: &Program, class: &Class) -> &'static str {
    let code = class.vtable.get(apg_mir::slot::CLOSURE_APPLY as usize).copied().flatten();
    let code = code.filter(|_| class.kind == ClassKind::Closure).map(|it| &program.functions[it.index()]);
    match code.filter(|code| code.params == 1).map(|code| code.result) {
        Some(Ty::Void) => "APG_RESULT_NOTHING",
        Some(Ty::Ref(_) | Ty::Any) => "APG_RESULT_REFERENCE",
        _ => "APG_RESULT_OTHER",
    }
}

/// The kind of a slot in the ABI.
pub(crate) fn slot(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "APG_BOOL",
        Ty::I8 => "APG_I8",
        Ty::I16 => "APG_I16",
        Ty::I32 => "APG_I32",
        Ty::I64 => "APG_I64",
        Ty::U8 | Ty::Void => "APG_U8",
        Ty::U16 => "APG_U16",
        Ty::U32 => "APG_U32",
        Ty::U64 | Ty::Pointer(_) => "APG_U64",
        Ty::F32 => "APG_F32",
        Ty::F64 => "APG_F64",
        Ty::Char => "APG_CHAR",
        Ty::Ref(_) | Ty::Any => "APG_REF",
        Ty::Struct(_) | Ty::Array(_) | Ty::Function(_) => "APG_VALUE",
    }
}

impl Code<'_> {
    /// The unit of metadata. `strings` are the constants of all units.
    pub(crate) fn print_metadata(&mut self, strings: &Used, device_code: &[DeviceCode]) -> String {
        self.globals();
        if !self.program.has_object_heap() {
            return self.standalone_program(device_code);
        }
        self.class_tables();
        let mut all = strings.strings.clone();
        all.extend(strings.tables.values().flat_map(|it| constant_table::strings(it)));
        self.string_constants(&all);
        strings.tables.iter().for_each(|(name, table)| self.table_definition(name, table));
        self.static_fields();
        self.kernel_tables(device_code);
        self.entries();
        self.program_table();
        let body = self.out.take();
        let mut used = std::mem::take(&mut self.used);
        used.strings.clear();
        used.tables.clear();
        used.kernels.clear();
        used.statics.clear();
        let declarations = self.declarations(&used, &|_| "");
        format!(
            "#include \"apg_program.h\"\n\
             #define APG_CATCH(...) try {{ __VA_ARGS__; return nullptr; }} catch (apg_object *e) {{ return e; }}\n\
             static void apg_no_code() {{ __builtin_trap(); }}\n{declarations}{body}"
        )
    }

    /// The unit of a program without objects: globals, kernels, and `main` as C has it.
    fn standalone_program(&mut self, device_code: &[DeviceCode]) -> String {
        self.kernel_tables(device_code);
        if let Some(main) = self.program.main {
            let symbol = self.function_symbol(main);
            let args = match self.program.functions[main.index()].params {
                0 => "",
                _ => "count, (apg_i8 **)values",
            };
            self.out.line(format!("int main(int count, char **values) {{ return {symbol}({args}); }}"));
        }
        let body = self.out.take();
        let mut used = std::mem::take(&mut self.used);
        used.kernels.clear();
        let declarations = self.declarations(&used, &|_| "");
        self.used = used;
        format!("{}{declarations}{body}", super::unit::prelude(self.program))
    }

    fn class_tables(&mut self) {
        for index in 0..self.program.structs.len() {
            self.struct_descriptor(StructId(index as u32));
        }
        let program = self.program;
        let names = self.names;
        let mut costs = BoundedCost::new(program, &names.hierarchy);
        for (index, class) in program.classes.iter().enumerate() {
            let id = ClassId(index as u32);
            self.used.descriptors.insert(id);
            self.class_descriptor(id, costs.is_bounded(class), result(program, class));
        }
    }

    /// Field table of a struct or class; `fields` are the C++ members, and whether they are transient.
    fn field_table(&mut self, symbol: &str, layout: &str, fields: &[(String, Field, bool)]) {
        if fields.is_empty() {
            return;
        }
        let mut rows = Vec::new();
        for (member, field, is_transient) in fields {
            let ty = match field.ty {
                Ty::Struct(id) => format!("&D{}", self.names.structs[id.index()]),
                Ty::Ref(class) => self.descriptor(class),
                _ => "nullptr".into(),
            };
            rows.push(format!(
                "  {{{}, (apg_u32)__builtin_offsetof({layout}, {member}), {}, {}, {ty}}}",
                quote(&field.name),
                slot(field.ty),
                u8::from(*is_transient)
            ));
        }
        self.out.line(format!("static const apg_field fields_{symbol}[] = {{\n{}}};", rows.join(",\n")));
    }

    fn struct_descriptor(&mut self, id: StructId) {
        self.used.structs.insert(id);
        let item = &self.program.structs[id.index()];
        let name = self.names.structs[id.index()].clone();
        self.out.line(format!("extern const apg_type D{name};"));
        // The runtime knows no arrays and unions: it copies values of structs with a layout as a whole.
        let known: &[Field] = if item.layout.is_some() { &[] } else { &item.fields };
        let attributes = self.program.attributes_of_struct(id);
        let fields: Vec<(String, Field, bool)> = known
            .iter()
            .enumerate()
            .map(|(index, it)| {
                (names::field(index, it), it.clone(), attributes.field(index as u32).transient)
            })
            .collect();
        // A member struct may be described further down.
        for (_, field, _) in &fields {
            if let Ty::Struct(inner) = field.ty {
                self.out.line(format!("extern const apg_type D{};", self.names.structs[inner.index()]));
            }
        }
        self.field_table(&name, &name, &fields);
        let table = if fields.is_empty() { "nullptr".into() } else { format!("fields_{name}") };
        let custom = self.custom(attributes.serialization, &name, Some(&name));
        self.out.line(format!(
            "const apg_type D{name} = {{{}u, APG_STRUCT, {}, nullptr, sizeof({name}), {}, {table}, 0, 0, nullptr, 0, nullptr, 0, {custom}}};",
            self.program.classes.len() + id.index(),
            quote(&item.name),
            fields.len(),
        ));
    }

    fn class_descriptor(&mut self, id: ClassId, brief: bool, result: &str) {
        let class = &self.program.classes[id.index()];
        let name = self.names.classes[id.index()].clone();
        let counted = matches!(class.kind, ClassKind::Rail { .. } | ClassKind::String);
        let mut fields = Vec::new();
        let mut layout = String::new();
        if !counted {
            layout = self.layout(id);
            let mut index = 0;
            for owner in chain(self.program, id) {
                let owner = &self.program.classes[owner.index()];
                for (own, field) in (0..).zip(&owner.fields) {
                    let is_transient = owner.field_attributes(own).transient;
                    fields.push((names::field(index, field), field.clone(), is_transient));
                    index += 1;
                }
            }
        }
        self.field_table(&name, &layout, &fields);
        let interfaces = self.interface_tables(class, &name);
        let vtable = self.vtable(class);
        let superclass = class.superclass.map_or("nullptr".into(), |it| self.descriptor(it));
        let size = if counted { "sizeof(apg_rail)".to_owned() } else { format!("sizeof({layout})") };
        let element = self.element_text(class.kind);
        let custom = self.custom(class.attributes.serialization, &name, None);
        let table = if fields.is_empty() { "nullptr".into() } else { format!("fields_{name}") };
        // Not every compiler initialises a flexible array member: here it has a length.
        let declared = match class.vtable.len() {
            0 => format!("const apg_type {name}"),
            length => format!(
                "struct V{name} {{ APG_TYPE_MEMBERS const void *vtable[{length}]; }};\n\
                 extern const V{name} K{name} asm(\"{name}\"); const V{name} K{name}"
            ),
        };
        self.out.line(format!(
            "{declared} = {{{}u, {}, {}, {superclass}, {size}, {}, {table}, {element}, {}, {interfaces}, {}, {custom}, {}, {result}{vtable}}};",
            id.0,
            kind(class.kind),
            quote(&class.name),
            fields.len(),
            class.interfaces.len(),
            class.vtable.len(),
            u8::from(brief),
        ));
    }

    /// How instances are serialised, and a function that restores one at an address; `value` is the C++ name
    /// of a struct.
    fn custom(&mut self, serialization: Serialization, name: &str, value: Option<&str>) -> String {
        let restore = match serialization {
            Serialization::FieldByField => return "APG_BY_FIELDS, nullptr".into(),
            Serialization::NotSerializable => return "APG_REFUSED, nullptr".into(),
            Serialization::GlobalRef => return "APG_GLOBAL, nullptr".into(),
            Serialization::Custom(None) => return "APG_OWN, nullptr".into(),
            Serialization::Custom(Some(function)) | Serialization::RestoreTransient(function) => {
                self.function_symbol(function)
            }
        };
        let (how, code) = match (serialization, value) {
            (Serialization::RestoreTransient(_), Some(value)) => {
                ("RESTORED", format!("*({value} *)at = {restore}(*({value} *)at)"))
            }
            (Serialization::RestoreTransient(_), None) => {
                ("RESTORED", format!("{restore}((apg_object *)at)"))
            }
            (_, Some(value)) => ("OWN", format!("*({value} *)at = {restore}(d)")),
            (_, None) => ("OWN", format!("{restore}((apg_object *)at, d)")),
        };
        self.out.line(format!(
            "static apg_object *restore_{name}(void *at, apg_object *d) {{ APG_CATCH({code}) }}"
        ));
        format!("APG_{how}, restore_{name}")
    }

    fn element_text(&mut self, kind: ClassKind) -> String {
        let ClassKind::Rail { element } = kind else { return "0, 0, nullptr".into() };
        let ty = self.ty(element);
        let descriptor = match element {
            Ty::Struct(id) => format!("&D{}", self.names.structs[id.index()]),
            Ty::Ref(class) => self.descriptor(class),
            _ => "nullptr".into(),
        };
        format!("{}, sizeof({ty}), {descriptor}", slot(element))
    }

    fn code_address(&mut self, function: Option<FunctionId>) -> String {
        match function {
            Some(id) => format!("(const void *){}", self.function_symbol(id)),
            None => "(const void *)apg_no_code".into(),
        }
    }

    /// Values of the vtable, the last member of a descriptor.
    fn vtable(&mut self, class: &Class) -> String {
        if class.vtable.is_empty() {
            return String::new();
        }
        let code: Vec<String> = class.vtable.iter().map(|it| self.code_address(*it)).collect();
        format!(", {{{}}}", code.join(", "))
    }

    fn interface_tables(&mut self, class: &Class, name: &str) -> String {
        if class.interfaces.is_empty() {
            return "nullptr".into();
        }
        let mut rows = Vec::new();
        for (interface, slots) in &class.interfaces {
            let number = self.names.interfaces[interface.index()];
            let code: Vec<String> = slots.iter().map(|it| self.code_address(*it)).collect();
            let code = if code.is_empty() { "nullptr".into() } else { code.join(", ") };
            self.out.line(format!("static const void *const methods_{name}_{}[] = {{{code}}};", interface.0));
            rows.push((number, format!("{{{number}u, methods_{name}_{}}}", interface.0)));
        }
        rows.sort();
        let rows: Vec<String> = rows.into_iter().map(|(_, text)| text).collect();
        self.out.line(format!("static const apg_itable interfaces_{name}[] = {{{}}};", rows.join(", ")));
        format!("interfaces_{name}")
    }

    /// Strings are objects in constant memory, which the collector ignores.
    fn string_constants(&mut self, strings: &std::collections::BTreeSet<String>) {
        let Some(class) = self.class_of_kind(ClassKind::String) else { return };
        let descriptor = self.descriptor(class);
        for text in strings {
            self.out.line(format!(
                "extern apg_string_constant<{1}> X_{0:016x}; apg_string_constant<{1}> X_{0:016x} = {{{descriptor}, {2}, {3}}};",
                names::hash(text),
                text.len() + 1,
                text.len(),
                quote(text)
            ));
        }
    }

    /// The first class of a kind.
    fn class_of_kind(&self, kind: ClassKind) -> Option<ClassId> {
        self.program.classes.iter().position(|it| it.kind == kind).map(|it| ClassId(it as u32))
    }

    fn static_fields(&mut self) {
        for (index, item) in self.program.statics.iter().enumerate() {
            let name = self.names.statics[index].clone();
            let ty = self.ty(item.ty);
            let init = self.function_symbol(item.init);
            self.out.line(format!(
                "{ty} {name};\napg_static state_{name} = {{0, {}, nullptr}};",
                quote(&item.name)
            ));
            self.out.line(format!(
                "void init_{name}() {{\n\
                 \x20 if (!apg_static_begin(&state_{name})) return;\n\
                 \x20 apg_object *e = nullptr;\n\
                 \x20 try {{ {name} = {init}(); }} catch (apg_object *x) {{ e = x; }}\n\
                 \x20 apg_static_end(&state_{name}, e);\n}}"
            ));
        }
    }

    /// Roots of the collector: static fields that hold references, and exceptions of failed initialisers.
    fn roots(&mut self) -> Vec<String> {
        let mut rows = Vec::new();
        for (index, item) in self.program.statics.iter().enumerate() {
            let name = &self.names.statics[index];
            match item.ty {
                Ty::Ref(_) | Ty::Any => rows.push(format!("{{&{name}, APG_REF, nullptr}}")),
                Ty::Struct(id) => {
                    rows.push(format!("{{&{name}, APG_VALUE, &D{}}}", self.names.structs[id.index()]));
                }
                _ => {}
            }
            rows.push(format!("{{&state_{name}.failure, APG_REF, nullptr}}"));
        }
        rows
    }

    fn kernel_tables(&mut self, device_code: &[DeviceCode]) {
        for (index, code) in device_code.iter().enumerate() {
            self.kernel_table(KernelId(index as u32), code);
        }
    }

    fn kernel_table(&mut self, id: KernelId, code: &DeviceCode) {
        let kernel = &self.program.kernels[id.index()];
        let name = self.names.kernels[id.index()].clone();
        let environment = self.environment(id);
        self.out.line(environment);
        let mut rows = Vec::new();
        for (index, capture) in kernel.captures.iter().enumerate() {
            let (kind, element) = match capture.kind {
                KernelCaptureKind::Scalar(_) => ("APG_SCALAR", None),
                KernelCaptureKind::Buffer { element } => ("APG_HOST_RAIL", Some(element)),
                KernelCaptureKind::ConstantBuffer { element } => ("APG_CONSTANT_RAIL", Some(element)),
                KernelCaptureKind::GlobalBuffer { element } => ("APG_GLOBAL_RAIL", Some(element)),
            };
            let size = element.map_or("0".into(), |it| format!("sizeof({})", self.ty(it)));
            rows.push(format!(
                "  {{{}, {kind}, __builtin_offsetof(E{name}, m{index}), sizeof(E{name}::m{index}), {size}}}",
                quote(&capture.name)
            ));
            if let KernelCaptureKind::Scalar(ty) = capture.kind {
                self.texture_rows(
                    ty,
                    &format!("__builtin_offsetof(E{name}, m{index})"),
                    &capture.name,
                    &mut rows,
                );
            }
        }
        let captures = table(&mut self.out, "apg_capture", format!("captures_{name}"), &rows);
        let shared: Vec<String> =
            kernel.shared.iter().map(|it| format!("sizeof({})", self.ty(it.element))).collect();
        let sizes = table(&mut self.out, "apg_u32", format!("shared_{name}"), &shared);
        let choices = [("blocks", &kernel.block_choices), ("threads", &kernel.thread_choices)].map(
            |(what, numbers)| {
                let rows: Vec<String> = numbers.iter().map(i32::to_string).collect();
                let head = format!("{what}_of_{name}");
                format!("{}, {}", table(&mut self.out, "apg_i32", head, &rows), rows.len())
            },
        );
        let file = self.program.files.get(kernel.span.file.index()).cloned().unwrap_or_default();
        self.out.line(format!("apg_object *configure_{name}(const void *, apg_i32, apg_i32, apg_launch *);"));
        self.out.line(format!("apg_object *cpu_{name}(const void *, const apg_launch *, apg_i64, apg_i64);"));
        let proven = code.depends_on_launch.then(|| format!("proven_{name}"));
        if let Some(proven) = &proven {
            self.out.line(format!("apg_u64 {proven}(const void *, const apg_launch *);"));
        }
        let proven = proven.unwrap_or_else(|| "nullptr".into());
        self.out.line(format!("extern const apg_kernel {name};"));
        self.out.line(format!(
            "const apg_kernel {name} = {{{}, {}, {},",
            quote(&name),
            quote(&file),
            kernel.span.line()
        ));
        self.out.append(&format!("  {},\n", quote(&code.source).replace("\\n", "\\n\"\n  \"")));
        let [block_choices, thread_choices] = choices;
        self.out.line(format!(
            "  sizeof(E{name}), {}, {}, {}, {}, {}, {}, {captures}, {}, {sizes}, configure_{name}, cpu_{name}, {proven}, {block_choices}, {thread_choices}}};",
            u8::from(code.has_environment_by_value),
            u8::from(kernel.auto_blocks.is_some()),
            u8::from(kernel.auto_threads.is_some()),
            u8::from(code.is_pipelined),
            u8::from(code.communicates),
            rows.len(),
            kernel.shared.len(),
        ));
    }

    /// Rows for the textures in a captured value at `offset`: the runtime checks which device they belong to.
    fn texture_rows(&mut self, ty: Ty, offset: &str, capture: &str, rows: &mut Vec<String>) {
        let Ty::Struct(id) = ty else { return };
        let item = &self.program.structs[id.index()];
        if self.program.textures.contains(&id) {
            rows.push(format!(
                "  {{{}, APG_TEXTURE, {offset}, sizeof(apg_texture_rail), 0}}",
                quote(capture)
            ));
            return;
        }
        let types: Vec<Ty> = item.fields.iter().map(|it| it.ty).collect();
        let name = self.ty(ty);
        for (number, field) in types.into_iter().enumerate() {
            let member = self.struct_field_name(id, number as u32);
            self.texture_rows(
                field,
                &format!("{offset} + __builtin_offsetof({name}, {member})"),
                capture,
                rows,
            );
        }
    }

    /// Functions that the runtime calls: exceptions are returned, not thrown.
    fn entries(&mut self) {
        self.out.line(
            "const apg_runtime *apg_rt;\n\
             #include \"apg_throw.h\"\n\
             static void apg_bind(const apg_runtime *runtime) { apg_rt = runtime; }\n\
             static apg_object *apg_call(apg_object *o) { APG_CATCH(((void (*)(apg_object *))apg_function(o, 0))(o)) }\n\
             static apg_object *apg_call_value(apg_object *o, apg_object **r) { APG_CATCH(*r = ((apg_object *(*)(apg_object *))apg_function(o, 0))(o)) }\n\
             static apg_object *apg_to_string(apg_object *o, apg_object **r) { APG_CATCH(*r = ((apg_object *(*)(apg_object *))apg_check(o)->type->vtable[0])(o)) }\n\
             static apg_object *apg_equals(apg_object *o, apg_object *p, apg_u8 *r) { APG_CATCH(*r = ((bool (*)(apg_object *, apg_object *))apg_check(o)->type->vtable[1])(o, p)) }\n\
             static apg_object *apg_hash_code(apg_object *o, apg_i32 *r) { APG_CATCH(*r = ((apg_i32 (*)(apg_object *))apg_check(o)->type->vtable[2])(o)) }",
        );
        let main = match self.program.main {
            Some(id) => {
                let symbol = self.function_symbol(id);
                let takes = self.program.functions[id.index()].params > 0;
                format!("{symbol}({})", if takes { "arguments" } else { "" })
            }
            None => "(void)0".into(),
        };
        self.out.line(format!("static apg_object *apg_main(apg_object *arguments) {{ APG_CATCH({main}) }}"));
        for (name, function) in
            [("saved", self.program.serialize_hook), ("deserializer", self.program.deserialize_hook)]
        {
            if let Some(id) = function {
                let symbol = self.function_symbol(id);
                self.out.line(format!(
                    "static apg_object *apg_{name}(apg_object *o, apg_object **r) {{ APG_CATCH(*r = {symbol}(o)) }}"
                ));
            }
        }
        let factories: Vec<FunctionId> = self.program.runtime_exceptions.clone();
        self.out.open(
            "static apg_object *apg_make_exception(apg_u32 kind, apg_object *message, apg_object **result) {",
        );
        self.out.open("switch (kind) {");
        for (index, id) in factories.iter().enumerate() {
            let symbol = self.function_symbol(*id);
            self.out.line(format!("case {index}: APG_CATCH(*result = {symbol}(message))"));
        }
        self.out.close("}");
        self.out.line("*result = nullptr; return nullptr;");
        self.out.close("}");
    }

    fn program_table(&mut self) {
        let types: Vec<String> = self
            .names
            .classes
            .iter()
            .map(|it| format!("&{it}"))
            .chain(self.names.structs.iter().map(|it| format!("&D{it}")))
            .collect();
        let kernels: Vec<String> = self.names.kernels.iter().map(|it| format!("&{it}")).collect();
        let files: Vec<String> = self.program.files.iter().map(|it| quote(it)).collect();
        let roots = self.roots();
        let string = self.class_of_kind(ClassKind::String);
        let is_string = |ty: Ty| string.is_some_and(|it| ty == Ty::Ref(it));
        let string_rail = self
            .program
            .classes
            .iter()
            .position(|it| matches!(it.kind, ClassKind::Rail { element } if is_string(element)))
            .map(|it| ClassId(it as u32));
        let string = string.map_or("nullptr".into(), |it| self.descriptor(it));
        let string_rail = string_rail.map_or("nullptr".into(), |it| self.descriptor(it));
        let saved = if self.program.serialize_hook.is_some() { "apg_saved" } else { "nullptr" };
        let deserializer =
            if self.program.deserialize_hook.is_some() { "apg_deserializer" } else { "nullptr" };
        let (type_count, kernel_count, file_count, root_count) =
            (types.len(), kernels.len(), files.len(), roots.len());
        let types = table(&mut self.out, "apg_type *const", "types", &types);
        let kernels = table(&mut self.out, "apg_kernel *const", "kernels", &kernels);
        let files = table(&mut self.out, "char *const", "files", &files);
        let roots = table(&mut self.out, "apg_root", "roots", &roots);
        self.out.line(format!(
            "extern \"C\" __attribute__((visibility(\"default\"))) const apg_program apg_program_v1 = {{APG_ABI_VERSION, {type_count}, {types}, \
             {kernel_count}, {kernels}, {file_count}, {files}, {root_count}, {roots}, {string}, {string_rail}, apg_bind, apg_main, \
             apg_make_exception, apg_call, apg_call_value, apg_to_string, apg_equals, apg_hash_code, {saved}, {deserializer}}};"
        ));
    }
}

/// Prints a constant array unless it is empty; returns its name or a null pointer.
fn table(out: &mut super::writer::Writer, element: &str, name: impl Into<String>, rows: &[String]) -> String {
    if rows.is_empty() {
        return "nullptr".into();
    }
    let name = name.into();
    out.line(format!("static const {element} {name}[] = {{\n{}}};", rows.join(",\n")));
    name
}
