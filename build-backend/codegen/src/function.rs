//! Functions, and the declarations that a translation unit needs in front of them.

use super::code::{Code, Used, chain};
use super::names;
use apg_mir::*;

impl Code<'_> {
    /// `result name(parameters)`.
    pub(crate) fn prototype(&mut self, id: FunctionId) -> String {
        let function = &self.program.functions[id.index()];
        let result = self.ty(function.result);
        let mut params = Vec::new();
        for (index, local) in function.locals.iter().take(function.params as usize).enumerate() {
            let ty = self.ty(local.ty);
            params.push(format!("{ty} {}", names::local(index, &local.name)));
        }
        params.extend(self.hidden_parameters());
        let prefix = if self.target.is_kernel() { "k" } else { "" };
        format!("{result} {prefix}{}({})", self.names.functions[id.index()], params.join(", "))
    }

    /// Prints a function. Locals are declared first, so that jumps may go anywhere.
    pub(crate) fn function(&mut self, id: FunctionId, storage: &str) {
        let function = &self.program.functions[id.index()];
        self.next = 0;
        self.scopes.clear();
        self.locals = Code::plain_locals(&function.locals);
        self.variables = Code::variable_names(&function.variables);
        self.result = function.result;
        self.cycle = if self.target.is_kernel() { 0 } else { function.recursion.cycle };
        if self.target.is_kernel() {
            self.stack_rails(&function.body);
        }
        self.at(function.span);
        let prototype = self.prototype(id);
        self.out.open(format!("{storage}{prototype} {{"));
        if function.result != Ty::Void && has_cleanup(&function.body) {
            let ty = self.ty(function.result);
            self.out.line(format!("{ty} result_;"));
        }
        self.declare(function.params as usize..function.locals.len());
        self.declare_variables(&function.variables);
        for (slot, class) in function.stack_objects.iter().enumerate() {
            let layout = self.layout(*class);
            self.out.line(format!("{layout} o{slot};"));
        }
        if function.recursion.checks_at_start && !self.target.is_kernel() {
            self.at(function.span);
            self.out.line("apg_stack_check();");
        }
        self.stmts(&function.body);
        self.out.close("}");
    }

    /// Declares locals as variables.
    pub(crate) fn declare(&mut self, locals: std::ops::Range<usize>) {
        for index in locals {
            let spelling = self.locals[index].clone();
            if let Some((element, length)) = spelling.stack {
                let ty = self.ty(element);
                self.out.line(format!("{ty} {}[{}];", spelling.text, length.max(1)));
            } else if spelling.ty != Ty::Void {
                let ty = match self.narrowed.locals.contains(&LocalId(index as u32)) {
                    true => "apg_narrow".to_owned(),
                    false => self.ty(spelling.ty),
                };
                self.out.line(format!("{ty} {};", spelling.text));
            }
        }
    }
}

/// Whether a body has cleanup code that runs on every exit.
fn has_cleanup(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Finish { .. } | StmtKind::Atomic(_) | StmtKind::When(_) => true,
        StmtKind::Try { body, catches, finally } => {
            !finally.is_empty() || has_cleanup(body) || catches.iter().any(|it| has_cleanup(&it.body))
        }
        StmtKind::Block(body) | StmtKind::Outlined(body) | StmtKind::Labeled { body, .. } => {
            has_cleanup(body)
        }
        StmtKind::If { then, otherwise, .. } => has_cleanup(then) || has_cleanup(otherwise),
        StmtKind::Loop { body, update, .. } => has_cleanup(body) || has_cleanup(update),
        StmtKind::Switch { cases, .. } => cases.iter().any(|(_, body)| has_cleanup(body)),
        _ => false,
    })
}

impl Code<'_> {
    /// Prints declarations of everything in `used`, in an order that C++ accepts. Bodies may be printed
    /// earlier: the declarations go in front of them. `storage` gives the storage class of functions.
    pub(crate) fn declarations(
        &mut self,
        used: &Used,
        storage: &dyn Fn(FunctionId) -> &'static str,
    ) -> String {
        let saved = self.out.take();
        // Signatures and layouts name further structs, which the first round collects.
        self.used = used.clone();
        let functions: Vec<String> =
            used.functions.iter().map(|id| self.declaration(*id, storage(*id))).collect();
        let layouts: Vec<String> = used.layouts.iter().map(|id| self.layout_struct(*id)).collect();
        let statics: Vec<String> = used.statics.iter().map(|id| self.static_declaration(*id)).collect();
        let memory = self.memory_declarations(&used.globals, &used.externals);
        let environments: Vec<String> = used.kernels.iter().map(|id| self.environment(*id)).collect();
        self.structs();
        for text in layouts.iter().chain(&environments) {
            self.out.line(text);
        }
        for class in &used.descriptors {
            self.out.line(format!("extern const apg_type {};", self.names.classes[class.index()]));
        }
        for text in &used.strings {
            self.out.line(format!("extern apg_string X_{:016x};", names::hash(text)));
        }
        for name in used.tables.keys() {
            self.out.line(format!("extern const apg_table {name};"));
        }
        for kernel in &used.kernels {
            self.out.line(format!("extern const apg_kernel {};", self.names.kernels[kernel.index()]));
        }
        for text in functions.iter().chain(&statics).chain(&memory) {
            self.out.line(text);
        }
        let text = self.out.take();
        self.out.append(&saved);
        text
    }

    fn declaration(&mut self, id: FunctionId, storage: &str) -> String {
        let attribute = match self.program.functions[id.index()].inlining {
            Inlining::Free => "",
            Inlining::Never => "__attribute__((noinline)) ",
            Inlining::Cold => "APG_COLD ",
        };
        format!("{attribute}{storage}{};", self.prototype(id))
    }

    /// The layout of a class: header, then all fields, inherited first.
    pub(crate) fn layout_struct(&mut self, class: ClassId) -> String {
        let mut members = String::new();
        let mut index = 0;
        for owner in chain(self.program, class) {
            let owner = &self.program.classes[owner.index()];
            for (own, field) in (0..).zip(&owner.fields) {
                let mut ty = self.ty(field.ty);
                if owner.field_attributes(own).volatile {
                    ty = format!("apg_volatile<{ty}>");
                }
                members.push_str(&format!(" {ty} {};", names::field(index, field)));
                index += 1;
            }
        }
        format!("struct L{} {{ apg_object header_;{members} }};", self.names.classes[class.index()])
    }

    fn static_declaration(&mut self, id: StaticId) -> String {
        let name = &self.names.statics[id.index()];
        let ty = self.ty(self.program.statics[id.index()].ty);
        format!(
            "extern {ty} {name}; extern apg_static state_{name}; void init_{name}();\n\
             static inline {ty} get_{name}() {{ if (APG_UNLIKELY(!apg_static_ready(&state_{name}))) init_{name}(); return {name}; }}"
        )
    }

    /// The environment struct of a kernel; the same on host and device.
    pub(crate) fn environment(&mut self, id: KernelId) -> String {
        let mut members = String::new();
        for (index, capture) in self.program.kernels[id.index()].captures.iter().enumerate() {
            let ty = match capture.kind {
                KernelCaptureKind::Scalar(ty) => self.ty(ty),
                KernelCaptureKind::Buffer { element } | KernelCaptureKind::ConstantBuffer { element }
                    if self.target == super::code::Target::Cuda =>
                {
                    format!("apg_view<const {}>", self.ty(element))
                }
                KernelCaptureKind::Buffer { .. } | KernelCaptureKind::ConstantBuffer { .. } => {
                    "apg_kernel_rail".into()
                }
                KernelCaptureKind::GlobalBuffer { .. } => "apg_global_rail".into(),
            };
            members.push_str(&format!(" {ty} m{index};"));
        }
        format!("struct E{} {{{members} }};", self.names.kernels[id.index()])
    }
}
