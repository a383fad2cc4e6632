//! C++ code in X10 programs. Functions with such code are in units of their own, with the headers that they
//! name; the C++ files that belong to them are further units.

use std::path::PathBuf;

use super::code::Code;
use super::names::hash;
use super::writer::directive;
use crate::translation_unit::{Unit, UnitKind};
use apg_mir::native::{Fragment, NamedFile, NativeCode, NativeFile};
use apg_mir::*;

/// Whether a function contains C++ code.
pub(crate) fn is_native(function: &Function) -> bool {
    let mut found = false;
    walk::visit_stmts(&function.body, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Native(_)));
    found
}

/// The `#include`s of a unit with C++ code.
pub(crate) fn prelude(program: &Program, file: FileId) -> String {
    let mut text = "#include \"apg_native.h\"\n".to_owned();
    for native in program.natives.iter().filter(|it| it.file == file) {
        for header in &native.includes {
            text.push_str(&include(program, native, header));
        }
    }
    text
}

/// An `#include` that the compiler attributes to the annotation that names the file.
fn include(program: &Program, native: &NativeFile, file: &NamedFile) -> String {
    format!("{}#include {}\n", directive(file.span, &program.files), quoted(native, &file.name))
}

/// Files that the units of a file with C++ code depend on.
pub(crate) fn included_files(program: &Program, file: FileId) -> Vec<PathBuf> {
    let natives = program.natives.iter().filter(|it| it.file == file);
    let named = natives.flat_map(|it| it.includes.iter().chain(&it.others).map(|file| path(it, &file.name)));
    named.collect()
}

/// The C++ files that belong to X10 files with C++ code.
pub(crate) fn sources(program: &Program) -> Vec<Unit> {
    let is_used = |native: &&NativeFile| {
        program.functions.iter().any(|it| it.span.file == native.file && is_native(it))
    };
    let mut units: Vec<Unit> = Vec::new();
    for native in program.natives.iter().filter(is_used) {
        for source in &native.sources {
            let file = quoted(native, &source.name);
            let name = format!("native{:x}", hash(&file) as u32);
            if units.iter().any(|it| it.name == name) {
                continue;
            }
            let text = format!("#include \"x10aux/config.h\"\n{}", include(program, native, source));
            let mut includes = included_files(program, native.file);
            includes.push(path(native, &source.name));
            units.push(Unit { name, kind: UnitKind::Native, text, includes });
        }
    }
    units
}

fn path(native: &NativeFile, name: &str) -> PathBuf {
    PathBuf::from(&native.folder).join(name)
}

/// A file of the program as `#include` names it: files in its folder by their path, others as the system
/// finds them.
fn quoted(native: &NativeFile, name: &str) -> String {
    let beside = path(native, name);
    let found = std::path::absolute(&beside).ok().filter(|it| it.is_file());
    found.map_or_else(|| format!("\"{name}\""), |it| format!("\"{}\"", it.display()))
}

/// A value as the program's C++ code sees it.
struct NativeValue {
    text: String,
    /// It is a pointer to another type than that of the variable, so that no reference can be bound to the
    /// variable.
    is_view: bool,
}

impl Code<'_> {
    /// A statement in C++.
    pub(crate) fn native(&mut self, native: &NativeCode) {
        self.out.open("{");
        for (name, value) in &native.variables {
            let value = self.native_value(value);
            let by = if value.is_view { "auto" } else { "auto &" };
            self.out.line(format!("[[maybe_unused]] {by} {name} = {};", value.text));
        }
        let mut code = String::new();
        for part in &native.fragments {
            match part {
                Fragment::Text(text) => code.push_str(text),
                Fragment::Value(value) => code.push_str(&self.native_value(value).text),
                Fragment::Type(ty) => code.push_str(&self.ty(*ty)),
                Fragment::Address(local) => code.push_str(&self.native_address(*local)),
                Fragment::Field(class, index) => code.push_str(&self.field_name(*class, *index)),
                Fragment::Line(span) => {
                    if !code.ends_with('\n') {
                        code.push('\n');
                    }
                    code.push_str(&directive(*span, &self.program.files));
                }
            }
        }
        match native.result {
            Some(ty @ (Ty::Ref(_) | Ty::Any)) => {
                let ty = self.ty(ty);
                let value = code.trim_end().trim_end_matches(';');
                self.out.line(format!("return ({ty})({value});"));
            }
            Some(_) => self.out.line(format!("return {};", code.trim_end().trim_end_matches(';'))),
            None => self.out.line(format!("{code};")),
        }
        self.out.close("}");
    }

    /// A value as the program's C++ code sees it.
    fn native_value(&mut self, value: &Expr) -> NativeValue {
        let text = self.expr(value);
        let view = match value.ty {
            Ty::Ref(class) => match self.program.classes[class.index()].kind {
                ClassKind::Rail { element } => format!("apg_native_rail<{}>", self.ty(element)),
                ClassKind::String => "apg_native_string".to_owned(),
                _ => return NativeValue { text, is_view: false },
            },
            _ => return NativeValue { text, is_view: false },
        };
        NativeValue { text: format!("(({view} *)({text}))"), is_view: true }
    }

    /// The address of the object or struct in a local.
    fn native_address(&mut self, local: LocalId) -> String {
        let spelling = self.local(local);
        match spelling.ty {
            Ty::Ref(class) => {
                let layout = self.layout(class);
                format!("(({layout} *)({}))", spelling.text)
            }
            _ => format!("(&{})", spelling.text),
        }
    }
}
