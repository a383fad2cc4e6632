//! Printer of MIR. Whatever it prints of a well-formed program, the parser reads back.
//!
//! References outside of their tables, which only a defective pass creates, are printed as `<class 7>`, which
//! is no text of MIR.

mod exprs;
mod fragments;
mod items;
mod kernels;
mod memory;
mod stmts;

pub use fragments::FragmentPrinter;

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::names::{ordinals, write_name};
use super::types::{Scope, simple_name};
use crate::*;

/// Which source positions the text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpanDetail {
    /// None.
    None,
    /// Those of functions, kernels and statements; of statements where they change.
    #[default]
    Statements,
    /// All, so that the text is read back as the same program.
    All,
}

/// The whole program as text.
pub fn print(program: &Program, spans: SpanDetail) -> String {
    let mut printer = Printer::new(program, spans);
    printer.program();
    printer.out
}

/// The whole program as text without positions, and the source of each line.
pub fn print_with_lines(program: &Program) -> (String, Vec<Option<Span>>) {
    let mut printer = Printer::new(program, SpanDetail::None);
    printer.program();
    (printer.out, printer.lines)
}

/// One function as text without positions.
pub fn print_function(program: &Program, function: FunctionId) -> String {
    let mut printer = Printer::new(program, SpanDetail::None);
    printer.function(function);
    printer.out
}

/// One kernel as text without positions.
pub fn print_kernel(program: &Program, kernel: KernelId) -> String {
    let mut printer = Printer::new(program, SpanDetail::None);
    printer.kernel(kernel);
    printer.out
}

/// Declarations of one kind: names, and how many earlier ones have the same.
struct Names<'a> {
    kind: &'static str,
    names: Vec<&'a str>,
    ordinals: Vec<u32>,
}

impl<'a> Names<'a> {
    fn new(kind: &'static str, names: impl Iterator<Item = &'a str> + Clone) -> Names<'a> {
        Names { kind, names: names.clone().collect(), ordinals: ordinals(names) }
    }

    fn write(&self, out: &mut String, index: usize, sigil: &str) {
        match self.names.get(index) {
            Some(name) => {
                out.push_str(sigil);
                write_name(out, name, self.ordinals[index], sigil == "@");
            }
            None => {
                let _ = write!(out, "<{} {index}>", self.kind);
            }
        }
    }
}

struct Printer<'a> {
    program: &'a Program,
    structs: Names<'a>,
    interfaces: Names<'a>,
    classes: Names<'a>,
    statics: Names<'a>,
    functions: Names<'a>,
    kernels: Names<'a>,
    globals: Names<'a>,
    externals: Names<'a>,
    spans: SpanDetail,
    /// Locals of the function being printed.
    locals: &'a [Local],
    local_names: Names<'a>,
    /// Its variables in memory.
    variables: &'a [Local],
    variable_names: Names<'a>,
    elements: FxHashMap<LocalId, Ty>,
    /// The type of constants in the table being printed.
    literal: Option<Ty>,
    out: String,
    indent: usize,
    /// The source of the statement being printed.
    span: Option<Span>,
    /// The last span that was printed for a statement, which the following ones inherit.
    inherited: Option<Span>,
    /// The source of each line.
    lines: Vec<Option<Span>>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, spans: SpanDetail) -> Self {
        Self {
            program,
            structs: Names::new("struct", program.structs.iter().map(|it| it.name.as_str())),
            interfaces: Names::new("interface", program.interfaces.iter().map(|it| it.name.as_str())),
            classes: Names::new("class", program.classes.iter().map(|it| it.name.as_str())),
            statics: Names::new("static", program.statics.iter().map(|it| it.name.as_str())),
            functions: Names::new("function", program.functions.iter().map(|it| it.name.as_str())),
            kernels: Names::new("kernel", program.kernels.iter().map(|it| it.name.as_str())),
            globals: Names::new("global", program.globals.iter().map(|it| it.name.as_str())),
            externals: Names::new("external", program.externals.iter().map(|it| it.name.as_str())),
            spans,
            locals: &[],
            local_names: Names::new("local", std::iter::empty()),
            variables: &[],
            variable_names: Names::new("variable", std::iter::empty()),
            elements: FxHashMap::default(),
            literal: None,
            out: String::new(),
            indent: 0,
            span: None,
            inherited: None,
            lines: Vec::new(),
        }
    }

    fn scope(&self) -> Scope<'_> {
        let (program, locals, elements) = (self.program, self.locals, &self.elements);
        Scope { program, types: &program.types, locals, elements, literal: self.literal }
    }

    fn set_locals(&mut self, locals: &'a [Local], variables: &'a [Local], elements: FxHashMap<LocalId, Ty>) {
        self.variables = variables;
        self.variable_names = Names::new("variable", variables.iter().map(|it| it.name.as_str()));
        self.locals = locals;
        self.local_names = Names::new("local", locals.iter().map(|it| it.name.as_str()));
        self.elements = elements;
    }

    // ---- Layout

    /// Begins a line.
    fn begin(&mut self) {
        let width = self.indent * super::INDENT;
        self.out.extend(std::iter::repeat_n(' ', width));
    }

    /// Ends a line. Literals have no line ends, so that one call is one line.
    fn end(&mut self) {
        self.out.push('\n');
        self.lines.push(self.span);
    }

    /// A line of its own.
    fn line(&mut self, text: &str) {
        self.begin();
        self.out.push_str(text);
        self.end();
    }

    /// Ends a line with `{`.
    fn open(&mut self) {
        self.out.push_str(" {");
        self.end();
        self.indent += 1;
    }

    /// A line with `}`.
    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    /// The beginning of a line: `}` and a text.
    fn close_and_continue(&mut self, text: &str) {
        self.indent -= 1;
        self.begin();
        self.out.push_str("} ");
        self.out.push_str(text);
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes something for each item, with commas between.
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            write(self, item);
        }
    }

    // ---- Names and types

    fn class(&mut self, id: ClassId) {
        self.classes.write(&mut self.out, id.index(), "@");
    }

    fn interface(&mut self, id: InterfaceId) {
        self.interfaces.write(&mut self.out, id.index(), "@");
    }

    fn function_name(&mut self, id: FunctionId) {
        self.functions.write(&mut self.out, id.index(), "@");
    }

    fn static_name(&mut self, id: StaticId) {
        self.statics.write(&mut self.out, id.index(), "@");
    }

    fn kernel_name(&mut self, id: KernelId) {
        self.kernels.write(&mut self.out, id.index(), "@");
    }

    fn local(&mut self, id: LocalId) {
        self.local_names.write(&mut self.out, id.index(), "%");
    }

    /// A function, or `-` for none.
    fn slot(&mut self, function: Option<FunctionId>) {
        match function {
            Some(function) => self.function_name(function),
            None => self.push("-"),
        }
    }

    /// The name of a field after `.`, with its ordinal among those of its type.
    fn field_name(&mut self, fields: &[Field], index: u32) {
        match fields.get(index as usize) {
            Some(field) => {
                let earlier = fields[..index as usize].iter().filter(|it| it.name == field.name).count();
                write_name(&mut self.out, &field.name, earlier as u32, false);
            }
            None => {
                let _ = write!(self.out, "<field {index}>");
            }
        }
    }

    fn ty(&mut self, ty: Ty) {
        match ty {
            Ty::Ref(class) => {
                self.push("ref ");
                self.class(class);
            }
            Ty::Struct(id) => {
                self.push("struct ");
                self.structs.write(&mut self.out, id.index(), "@");
            }
            Ty::Pointer(_) | Ty::Array(_) | Ty::Function(_) => self.derived_type(ty),
            simple => self.push(simple_name(simple)),
        }
    }

    fn typed_local(&mut self, id: LocalId) {
        self.local(id);
        self.push(": ");
        match self.locals.get(id.index()) {
            Some(local) => self.ty(local.ty),
            None => self.push("<type>"),
        }
    }

    // ---- Positions

    /// A span behind `@`; the file is left out where it is `file`.
    fn write_span(&mut self, span: Span, file: Option<FileId>) {
        self.push("@");
        if file != Some(span.file) {
            let _ = write!(self.out, "{}:", span.file.0);
        }
        let _ = write!(self.out, "{}:{}", span.start.line, span.start.column);
        if span.end.line != span.start.line {
            let _ = write!(self.out, "-{}:{}", span.end.line, span.end.column);
        } else if span.end.column != span.start.column {
            let _ = write!(self.out, "-{}", span.end.column);
        }
    }

    /// The span of a declaration, unless it is the one without a position.
    fn declared_span(&mut self, span: Span) {
        (self.span, self.inherited) = (Some(span), Some(span));
        if self.spans != SpanDetail::None && span != super::DEFAULT_SPAN {
            self.push(" ");
            self.write_span(span, None);
        }
    }

    /// The span of a statement, behind its first line, if it is not inherited.
    fn statement_span(&mut self, span: Span) {
        if self.spans != SpanDetail::None && self.inherited != Some(span) {
            self.push(" ");
            self.write_span(span, self.inherited.map(|it| it.file));
            self.inherited = Some(span);
        }
    }
}
