//! Printer of MIR, for `apg build --emit mir` and for snapshot tests.

use std::fmt::Write;

use super::*;

/// The whole program as text.
pub fn print(program: &Program) -> String {
    print_with_spans(program).0
}

/// The whole program as text, and the source span of each line.
pub fn print_with_spans(program: &Program) -> (String, Vec<Option<Span>>) {
    let mut printer = Printer::new(program);
    printer.program();
    (printer.out, printer.spans)
}

/// One function as text, for tests that look at a single one.
pub fn print_function(program: &Program, function: FunctionId) -> String {
    let mut printer = Printer::new(program);
    printer.function(function);
    printer.out
}

/// One kernel as text.
pub fn print_kernel(program: &Program, kernel: KernelId) -> String {
    let mut printer = Printer::new(program);
    printer.kernel(&program.kernels[kernel.index()]);
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    /// Locals of the function being printed.
    locals: &'a [Local],
    out: String,
    indent: usize,
    /// The span of the statement being printed.
    span: Option<Span>,
    /// The span of each line.
    spans: Vec<Option<Span>>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Self {
        Self { program, locals: &[], out: String::new(), indent: 0, span: None, spans: Vec::new() }
    }

    fn program(&mut self) {
        let program = self.program;
        for (index, item) in program.structs.iter().enumerate() {
            self.line(&format!("struct {} #{index} {{", item.name));
            self.fields(&item.fields);
            self.line("}");
        }
        for (index, item) in program.interfaces.iter().enumerate() {
            self.line(&format!("interface {} #{index}, {} slots", item.name, item.slots));
        }
        for (index, item) in program.classes.iter().enumerate() {
            self.class(index, item);
        }
        for item in &program.statics {
            self.line(&format!("static {}: {} = {}()", item.name, self.ty(item.ty), self.callee(item.init)));
        }
        for kernel in &program.kernels {
            self.kernel(kernel);
        }
        if let Some(main) = program.main {
            self.line(&format!("main = {}", self.callee(main)));
        }
        for index in 0..program.functions.len() {
            self.function(FunctionId(index as u32));
        }
    }

    fn class(&mut self, index: usize, class: &Class) {
        let kind = match class.kind {
            ClassKind::Object => "class".to_owned(),
            ClassKind::Rail { element } => format!("rail of {}", self.ty(element)),
            ClassKind::String => "string".to_owned(),
            ClassKind::Boxed { value } => format!("box of {}", self.ty(value)),
            ClassKind::Closure => "closure".to_owned(),
            ClassKind::Cell { value } => format!("cell of {}", self.ty(value)),
        };
        let superclass =
            class.superclass.map(|it| format!(" extends {}", self.class_name(it))).unwrap_or_default();
        self.line(&format!("{kind} {} #{index}{superclass} {{", class.name));
        self.fields(&class.fields);
        self.indent += 1;
        for (slot, function) in class.vtable.iter().enumerate() {
            if let Some(function) = function {
                self.line(&format!("slot {slot} = {}", self.callee(*function)));
            }
        }
        for (interface, functions) in &class.interfaces {
            let slots: Vec<String> =
                functions.iter().map(|it| it.map_or("-".to_owned(), |it| self.callee(it))).collect();
            let name = &self.program.interfaces[interface.index()].name;
            self.line(&format!("implements {name} [{}]", slots.join(", ")));
        }
        self.indent -= 1;
        self.line("}");
    }

    fn fields(&mut self, fields: &[Field]) {
        self.indent += 1;
        for field in fields {
            let transient = if field.transient { "transient " } else { "" };
            let volatile = if field.volatile { "volatile " } else { "" };
            self.line(&format!("{transient}{volatile}{}: {}", field.name, self.ty(field.ty)));
        }
        self.indent -= 1;
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.program.functions[id.index()];
        self.locals = &function.locals;
        self.span = Some(function.span);
        let params: Vec<String> = (0..function.params).map(|it| self.declared(LocalId(it))).collect();
        let device = if function.device { "device " } else { "" };
        self.line(&format!(
            "{device}function {} #{}({}): {} {{",
            function.name,
            id.0,
            params.join(", "),
            self.ty(function.result)
        ));
        self.block(&function.body);
        self.line("}");
        self.span = None;
    }

    fn kernel(&mut self, kernel: &'a Kernel) {
        self.locals = &kernel.locals;
        self.line(&format!("kernel {} {{", kernel.name));
        self.indent += 1;
        for capture in &kernel.captures {
            let kind = match capture.kind {
                KernelCaptureKind::Scalar(ty) => self.ty(ty),
                KernelCaptureKind::Rail { element } => format!("rail of {}", self.ty(element)),
                KernelCaptureKind::ConstantRail { element } => {
                    format!("constant rail of {}", self.ty(element))
                }
                KernelCaptureKind::GlobalRail { element } => format!("global rail of {}", self.ty(element)),
            };
            let made =
                capture.derived_from.as_ref().map_or(String::new(), |it| format!(" = {}", self.expr(it)));
            self.line(&format!("capture {}: {kind}{made}", capture.name));
        }
        for (local, extent) in kernel.block_locals.iter().zip(&kernel.host.blocks) {
            self.line(&format!("block {} < {}", self.declared(*local), self.expr(extent)));
        }
        for (local, extent) in kernel.thread_locals.iter().zip(&kernel.host.threads) {
            self.line(&format!("thread {} < {}", self.declared(*local), self.expr(extent)));
        }
        for (what, local, choices) in [
            ("blocks", kernel.auto_blocks, &kernel.block_choices),
            ("threads", kernel.auto_threads, &kernel.thread_choices),
        ] {
            let Some(local) = local else { continue };
            let choices = if choices.is_empty() { String::new() } else { format!(" of {choices:?}") };
            self.line(&format!("automatic {what}: {}{choices}", self.declared(local)));
        }
        for (rail, length) in kernel.shared.iter().zip(&kernel.host.shared_lengths) {
            self.shared(rail, length);
        }
        self.indent -= 1;
        self.block(&kernel.body);
        self.line("}");
    }

    fn shared(&mut self, rail: &SharedRail, length: &Expr) {
        let init = match &rail.init {
            SharedInit::Zero => "zeros".to_owned(),
            SharedInit::Value(value) => self.expr(value),
            SharedInit::Function { index, value, .. } => {
                format!("({}) => {}", self.declared(*index), self.expr(value))
            }
            SharedInit::Copy(from) => format!("copy of {}", self.local(*from)),
        };
        let name = self.local(rail.local);
        self.line(&format!("shared {name}: {}[{}] = {init}", self.ty(rail.element), self.expr(length)));
        if let SharedInit::Function { setup, .. } = &rail.init {
            self.block(setup);
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 2);
        // String literals and native code may have several lines.
        self.spans.resize(self.spans.len() + 1 + text.matches('\n').count(), self.span);
    }

    fn block(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        for stmt in stmts {
            self.stmt(stmt);
        }
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let around = self.span.replace(stmt.span);
        self.stmt_with_span(stmt);
        self.span = around;
    }

    fn stmt_with_span(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(body) => {
                self.line("{");
                self.block(body);
                self.line("}");
            }
            StmtKind::Outlined(body) => {
                self.line("outlined {");
                self.block(body);
                self.line("}");
            }
            StmtKind::If { condition, then, otherwise } => {
                self.line(&format!("if {} {{", self.expr(condition)));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
            StmtKind::Loop { .. } | StmtKind::Switch { .. } | StmtKind::Labeled { .. } => {
                self.labelled(&stmt.kind)
            }
            StmtKind::Try { body, catches, finally } => {
                self.line("try {");
                self.block(body);
                for catch in catches {
                    self.line(&format!(
                        "}} catch {}: {} {{",
                        self.local(catch.local),
                        self.class_name(catch.class)
                    ));
                    self.block(&catch.body);
                }
                if !finally.is_empty() {
                    self.line("} finally {");
                    self.block(finally);
                }
                self.line("}");
            }
            StmtKind::Finish { body, clocked } => {
                self.line(if *clocked { "clocked finish {" } else { "finish {" });
                self.block(body);
                self.line("}");
            }
            StmtKind::Atomic(body) => {
                self.line("atomic {");
                self.block(body);
                self.line("}");
            }
            StmtKind::When(branches) => self.when(branches),
            simple => {
                let text = self.simple(simple);
                self.line(&text);
            }
        }
    }

    fn labelled(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Loop { label, condition, body, update, unroll, post_tested } => {
                let unroll = unroll.map(|it| format!(" unroll {it}")).unwrap_or_default();
                let word = if *post_tested { "do while" } else { "while" };
                self.line(&format!("'{}: {word} {}{unroll} {{", label.0, self.expr(condition)));
                self.block(body);
                if !update.is_empty() {
                    self.line("} update {");
                    self.block(update);
                }
            }
            StmtKind::Switch { label, value, cases } => {
                self.line(&format!("'{}: switch {} {{", label.0, self.expr(value)));
                for (constants, body) in cases {
                    let constants: Vec<String> = constants
                        .iter()
                        .map(|it| it.map_or("default".to_owned(), |it| it.to_string()))
                        .collect();
                    self.line(&format!("case {}:", constants.join(", ")));
                    self.block(body);
                }
            }
            StmtKind::Labeled { label, body } => {
                self.line(&format!("'{}: {{", label.0));
                self.block(body);
            }
            _ => {}
        }
        self.line("}");
    }

    fn when(&mut self, branches: &[WhenBranch]) {
        for branch in branches {
            self.line("when {");
            self.block(&branch.setup);
            self.line(&format!("}} ({}) {{", self.expr(&branch.condition)));
            self.block(&branch.body);
            self.line("}");
        }
    }

    /// Statements without nested ones.
    fn simple(&self, kind: &StmtKind) -> String {
        match kind {
            StmtKind::Set { local, value } => format!("{} = {}", self.declared(*local), self.expr(value)),
            StmtKind::SetField { object, class, field, value, checked } => {
                let field = self.field_name(*class, *field);
                format!("{}{}.{field} = {}", self.expr(object), mark(*checked), self.expr(value))
            }
            StmtKind::SetStructField { local, field, value } => {
                let field = self.struct_field_name(self.local_ty(*local), *field);
                format!("{}.{field} = {}", self.local(*local), self.expr(value))
            }
            StmtKind::SetElement { rail, index, value, checked, .. } => {
                format!("{}[{}]{} = {}", self.expr(rail), self.expr(index), mark(*checked), self.expr(value))
            }
            StmtKind::SetStatic { field, value } => {
                format!("static {} = {}", self.program.statics[field.index()].name, self.expr(value))
            }
            StmtKind::Expr(value) => self.expr(value),
            StmtKind::Break(label) => format!("break '{}", label.0),
            StmtKind::Continue(label) => format!("continue '{}", label.0),
            StmtKind::Return(None) => "return".to_owned(),
            StmtKind::Return(Some(value)) => format!("return {}", self.expr(value)),
            StmtKind::Throw(value) => format!("throw {}", self.expr(value)),
            StmtKind::Async { closure, clocks } => {
                format!("async{} {}", self.clocks(clocks), self.expr(closure))
            }
            StmtKind::AsyncAt { place, closure, clocks, .. } => {
                format!("async{} at ({}) {}", self.clocks(clocks), self.expr(place), self.expr(closure))
            }
            StmtKind::At { place, closure } => format!("at ({}) {}", self.expr(place), self.expr(closure)),
            StmtKind::Launch { place, kernel, captures, fallback_activity, captures_stable } => {
                let name = &self.program.kernels[kernel.index()].name;
                let start = match fallback_activity {
                    Some(_) if *captures_stable => "start",
                    Some(_) => "start with copies",
                    None => "launch",
                };
                format!("{start} {name} at ({}) [{}]", self.expr(place), self.list(captures))
            }
            StmtKind::Barrier => "barrier".to_owned(),
            StmtKind::Native(native) => self.native(native),
            _ => String::new(),
        }
    }

    fn native(&self, native: &native::NativeCode) -> String {
        let part = |it: &native::Fragment| match it {
            native::Fragment::Text(text) => text.clone(),
            native::Fragment::Value(value) => format!("#{}", self.expr(value)),
            native::Fragment::Type(ty) => format!("#{ty:?}"),
            native::Fragment::Address(local) => format!("&{}", self.local(*local)),
            native::Fragment::Field(_, index) => format!("#{index}"),
            native::Fragment::Line(_) => String::new(),
        };
        let kind = if native.result.is_some() { "native return" } else { "native" };
        format!("{kind} {{ {} }}", native.fragments.iter().map(part).collect::<String>())
    }

    fn clocks(&self, clocks: &Clocks) -> String {
        match clocks {
            Clocks::None => String::new(),
            Clocks::Uncounted => " uncounted".to_owned(),
            Clocks::Implicit => " clocked".to_owned(),
            Clocks::Listed(list) => format!(" clocked({})", self.list(list)),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|it| self.expr(it)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Int(value) => format!("{value}:{}", self.ty(expr.ty)),
            ExprKind::Float(value) => format!("{value:?}:{}", self.ty(expr.ty)),
            ExprKind::String(text) => format!("{text:?}"),
            ExprKind::Null => "null".to_owned(),
            ExprKind::Zero => format!("zero:{}", self.ty(expr.ty)),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Field { object, class, field, checked } => {
                format!("{}{}.{}", self.expr(object), mark(*checked), self.field_name(*class, *field))
            }
            ExprKind::StructField { value, field } => {
                format!("{}.{}", self.expr(value), self.struct_field_name(value.ty, *field))
            }
            ExprKind::Element { rail, index, checked } => {
                format!("{}[{}]{}", self.expr(rail), self.expr(index), mark(*checked))
            }
            ExprKind::Length { rail, checked } => format!("{}{}.length", self.expr(rail), mark(*checked)),
            ExprKind::Static(id) => format!("static {}", self.program.statics[id.index()].name),
            ExprKind::MakeStruct(fields) => format!("{}{{{}}}", self.ty(expr.ty), self.list(fields)),
            ExprKind::Allocate(_)
            | ExprKind::AllocateRail { .. }
            | ExprKind::TableRail { .. }
            | ExprKind::MakeObject { .. }
            | ExprKind::StackAllocate { .. } => self.object(&expr.kind),
            ExprKind::Operation { operation, args } => self.operation(*operation, args, expr.ty),
            ExprKind::Cast { value, target, checked } => {
                format!("({} as{} {})", self.expr(value), mark(*checked), self.target(*target))
            }
            ExprKind::InstanceOf { value, target } => {
                format!("({} instanceof {})", self.expr(value), self.target(*target))
            }
            ExprKind::And(left, right) => format!("({} && {})", self.expr(left), self.expr(right)),
            ExprKind::Or(left, right) => format!("({} || {})", self.expr(left), self.expr(right)),
            ExprKind::Select { condition, then, otherwise } => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Atomic { operation, rail, index, values } => format!(
                "atomic {} {}[{}] {}",
                operation.name(),
                self.expr(rail),
                self.expr(index),
                self.list(values)
            ),
            ExprKind::ThreadIndex(number) => format!("thread.{}", number.name()),
            ExprKind::Collective { operation, args } => format!("{} {}", operation.name, self.list(args)),
            ExprKind::Here => "here".to_owned(),
            ExprKind::NonNull(value) => format!("{}!", self.expr(value)),
            ExprKind::At { place, closure } => format!("at ({}) {}", self.expr(place), self.expr(closure)),
            ExprKind::Call { .. }
            | ExprKind::CallVirtual { .. }
            | ExprKind::CallInterface { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::Runtime { .. } => self.call(&expr.kind),
        }
    }

    /// Allocations.
    fn object(&self, kind: &ExprKind) -> String {
        match kind {
            ExprKind::Allocate(class) => format!("new {}", self.class_name(*class)),
            ExprKind::AllocateRail { class, length, zeroed } => {
                let how = if *zeroed { "new" } else { "unwritten" };
                format!("{how} {}[{}]", self.class_name(*class), self.expr(length))
            }
            ExprKind::TableRail { class, table } => {
                format!("new {} of table [{}]", self.class_name(*class), self.list(&table.elements))
            }
            ExprKind::MakeObject { class, fields } => {
                format!("new {}{{{}}}", self.class_name(*class), self.list(fields))
            }
            ExprKind::StackAllocate { slot, class, fields } => {
                format!("frame#{slot} {}{{{}}}", self.class_name(*class), self.list(fields))
            }
            _ => String::new(),
        }
    }

    fn call(&self, kind: &ExprKind) -> String {
        match kind {
            ExprKind::Call { function, args } => format!("{}({})", self.callee(*function), self.list(args)),
            ExprKind::CallVirtual { class, slot, args } => {
                format!("virtual {}.{slot}({})", self.class_name(*class), self.list(args))
            }
            ExprKind::CallInterface { interface, slot, args } => {
                let name = &self.program.interfaces[interface.index()].name;
                format!("interface {name}.{slot}({})", self.list(args))
            }
            ExprKind::CallClosure { args, .. } => format!("closure {}", self.list(args)),
            ExprKind::Runtime { entry, args } => format!("rt.{entry}({})", self.list(args)),
            _ => String::new(),
        }
    }

    fn operation(&self, operation: Operation, args: &[Expr], result: Ty) -> String {
        match (operation.symbol(), args) {
            (Some(symbol), [left, right]) => format!("({} {symbol} {})", self.expr(left), self.expr(right)),
            _ if matches!(operation, Operation::Convert | Operation::Bitcast) => {
                format!("{}.{}({})", operation.name(), self.ty(result), self.list(args))
            }
            _ => format!("{}({})", operation.name(), self.list(args)),
        }
    }

    fn target(&self, target: CastTarget) -> String {
        match target {
            CastTarget::Class(class) => self.class_name(class),
            CastTarget::Interface(interface) => self.program.interfaces[interface.index()].name.clone(),
        }
    }

    fn callee(&self, id: FunctionId) -> String {
        let name = self.program.functions.get(id.index()).map_or("?", |it| it.name.as_str());
        format!("{name}#{}", id.0)
    }

    fn class_name(&self, id: ClassId) -> String {
        self.program.classes.get(id.index()).map_or_else(|| format!("class#{}", id.0), |it| it.name.clone())
    }

    fn field_name(&self, class: ClassId, field: u32) -> String {
        let fields =
            self.program.classes.get(class.index()).map(|it| it.fields.as_slice()).unwrap_or_default();
        fields.get(field as usize).map_or_else(|| field.to_string(), |it| it.name.to_string())
    }

    fn struct_field_name(&self, ty: Ty, field: u32) -> String {
        let Ty::Struct(id) = ty else { return field.to_string() };
        let fields = self.program.structs.get(id.index()).map(|it| it.fields.as_slice()).unwrap_or_default();
        fields.get(field as usize).map_or_else(|| field.to_string(), |it| it.name.to_string())
    }

    fn local_ty(&self, id: LocalId) -> Ty {
        self.locals.get(id.index()).map_or(Ty::Void, |it| it.ty)
    }

    fn local(&self, id: LocalId) -> String {
        let name = self.locals.get(id.index()).map_or("?", |it| it.name.as_str());
        format!("{name}_{}", id.0)
    }

    fn declared(&self, id: LocalId) -> String {
        format!("{}: {}", self.local(id), self.ty(self.local_ty(id)))
    }

    fn ty(&self, ty: Ty) -> String {
        match ty {
            Ty::Ref(class) => self.class_name(class),
            Ty::Struct(id) => self
                .program
                .structs
                .get(id.index())
                .map_or_else(|| format!("struct#{}", id.0), |it| it.name.clone()),
            simple => format!("{simple:?}").to_lowercase(),
        }
    }
}

/// The mark of operations that are checked at run time.
fn mark(checked: bool) -> &'static str {
    if checked { "?" } else { "" }
}
