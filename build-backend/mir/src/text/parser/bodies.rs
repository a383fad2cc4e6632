//! The state of the parser inside a function or kernel: locals, labels and positions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cursor::{Cursor, Parsed};
use super::items::{declared_local, resolve_span};
use super::symbols::Symbols;
use crate::text::DEFAULT_SPAN;
use crate::text::names::NameTable;
use crate::text::types::Scope;
use crate::*;

/// Parses the body of a function, or a kernel.
pub(super) struct BodyParser<'p, 't> {
    pub(super) cursor: Cursor<'t>,
    pub(super) symbols: &'p Symbols,
    pub(super) program: &'p Program,
    pub(super) locals: Vec<Local>,
    pub(super) names: NameTable,
    /// Element types of captured rails.
    pub(super) elements: FxHashMap<LocalId, Ty>,
    /// The type of constants in a table.
    pub(super) literal: Option<Ty>,
    /// The enclosing labelled statements.
    pub(super) labels: Vec<Label>,
    /// The labels of all statements.
    pub(super) all_labels: FxHashSet<LabelId>,
    pub(super) stack_objects: Vec<ClassId>,
    /// The span of the statement before, which one without a span has, too.
    pub(super) inherited: Span,
}

/// An enclosing labelled statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) id: LabelId,
    pub(super) is_loop: bool,
}

impl<'p, 't> BodyParser<'p, 't> {
    pub(super) fn new(cursor: Cursor<'t>, symbols: &'p Symbols, program: &'p Program) -> Self {
        Self {
            cursor,
            symbols,
            program,
            locals: Vec::new(),
            names: NameTable::default(),
            elements: FxHashMap::default(),
            literal: None,
            labels: Vec::new(),
            all_labels: FxHashSet::default(),
            stack_objects: Vec::new(),
            inherited: DEFAULT_SPAN,
        }
    }

    /// The locals, stack objects and statements of a function, from its `{` on.
    pub(super) fn function(mut self, header: &Function) -> Parsed<(Vec<Local>, Vec<ClassId>, Vec<Stmt>)> {
        self.inherited = header.span;
        for local in &header.locals {
            self.declare_again(local);
        }
        self.cursor.expect("{")?;
        if self.cursor.eat_word("stack") {
            self.cursor.expect("[")?;
            let (symbols, objects) = (self.symbols, &mut self.stack_objects);
            self.cursor.list("]", &mut |cursor| {
                objects.push(symbols.class(cursor)?);
                Ok(())
            })?;
            self.cursor.expect(";")?;
        }
        self.local_declarations()?;
        let body = self.stmts_to_brace()?;
        Ok((self.locals, self.stack_objects, body))
    }

    /// `var [%a: TYPE, %b: TYPE];`
    pub(super) fn local_declarations(&mut self) -> Parsed<()> {
        if !self.cursor.eat_word("var") {
            return Ok(());
        }
        self.cursor.expect("[")?;
        let (symbols, names, locals) = (self.symbols, &mut self.names, &mut self.locals);
        self.cursor.list("]", &mut |cursor| {
            locals.push(declared_local(cursor, symbols, names)?);
            Ok(())
        })?;
        self.cursor.expect(";")
    }

    /// Declares a parameter, whose name was checked in the header.
    fn declare_again(&mut self, local: &Local) {
        self.names.declare_next(&local.name);
        self.locals.push(local.clone());
    }

    /// A declared local.
    pub(super) fn local(&mut self) -> Parsed<LocalId> {
        let offset = self.cursor.offset();
        let name = self.cursor.local()?;
        if let Some(index) = self.names.find(name) {
            return Ok(LocalId(index));
        }
        let ordinal = if name.ordinal > 0 { format!("#{}", name.ordinal) } else { String::new() };
        let hint = self.names.similar(&name.text).map_or(String::new(), |it| format!("; there is `%{it}`"));
        self.cursor.error_at(
            offset,
            format!(
                "a local named `%{}{ordinal}` is not declared: add it to `var [...]` in front of the first statement{hint}",
                name.text
            ),
        )
    }

    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { program: self.program, locals: &self.locals, elements: &self.elements, literal: self.literal }
    }

    /// The span behind a statement's first line. Without one the statement has that of the one before.
    pub(super) fn statement_span(&mut self) -> Parsed<Span> {
        let offset = self.cursor.offset();
        if let Some(span) = self.cursor.span() {
            self.inherited = resolve_span(&self.cursor, self.symbols, offset, span, self.inherited.file)?;
        }
        Ok(self.inherited)
    }

    /// A label in front of a statement: `L3`.
    pub(super) fn label(&mut self, number: u32, offset: usize) -> Parsed<LabelId> {
        let label = LabelId(number);
        if self.all_labels.insert(label) {
            return Ok(label);
        }
        self.cursor
            .error_at(offset, format!("`L{number}` is the label of another statement of this function"))
    }
}
