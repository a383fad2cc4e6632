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
    pub(super) variables: Vec<Local>,
    pub(super) variable_names: NameTable,
    /// Element types of captured arrays.
    pub(super) elements: FxHashMap<LocalId, Ty>,
    /// The type of constants in a table.
    pub(super) literal: Option<Ty>,
    /// The enclosing labelled statements.
    pub(super) labels: Vec<Label>,
    /// The labels of all statements.
    pub(super) all_labels: FxHashSet<LabelId>,
    /// Those of targets of `goto`.
    pub(super) targets: FxHashSet<LabelId>,
    /// The labels that a `goto` names, and where.
    pub(super) gotos: Vec<(LabelId, usize)>,
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
            variables: Vec::new(),
            variable_names: NameTable::default(),
            elements: FxHashMap::default(),
            literal: None,
            labels: Vec::new(),
            all_labels: FxHashSet::default(),
            targets: FxHashSet::default(),
            gotos: Vec::new(),
            stack_objects: Vec::new(),
            inherited: DEFAULT_SPAN,
        }
    }

    /// The locals, stack objects and statements of a function, from its `{` on.
    pub(super) fn function(mut self, header: &Function) -> Parsed<Function> {
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
        self.variable_declarations()?;
        self.local_declarations()?;
        let body = self.stmts_to_brace()?;
        self.check_gotos()?;
        let (locals, variables, stack_objects) = (self.locals, self.variables, self.stack_objects);
        Ok(Function { locals, variables, stack_objects, body, ..header.clone() })
    }

    /// `memory [%a: TYPE, %b: TYPE];`
    pub(super) fn variable_declarations(&mut self) -> Parsed<()> {
        if !self.cursor.eat_word("memory") {
            return Ok(());
        }
        self.cursor.expect("[")?;
        let (symbols, names, variables) = (self.symbols, &mut self.variable_names, &mut self.variables);
        self.cursor.list("]", &mut |cursor| {
            variables.push(declared_local(cursor, symbols, names)?);
            Ok(())
        })?;
        self.cursor.expect(";")
    }

    /// Every `goto` has a target.
    pub(super) fn check_gotos(&self) -> Parsed<()> {
        match self.gotos.iter().find(|it| !self.targets.contains(&it.0)) {
            None => Ok(()),
            Some((label, offset)) => self.cursor.error_at(
                *offset,
                format!(
                    "no statement `label L{};` is in this function: add it, or remove the `goto`",
                    label.0
                ),
            ),
        }
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
        if self.variable_names.find(name).is_some() {
            let message =
                format!("`%{}` is a variable in memory: write `load %{0}` for its value", name.text);
            return self.cursor.error_at(offset, message);
        }
        self.cursor.error_at(
            offset,
            format!(
                "a local named `%{}{ordinal}` is not declared: add it to `var [...]` in front of the first statement{hint}",
                name.text
            ),
        )
    }

    /// The names that expressions refer to. `types` are those of [`Symbols`].
    pub(super) fn scope<'a>(&'a self, types: &'a TypeTable) -> Scope<'a> {
        let (program, locals, elements) = (self.program, &self.locals, &self.elements);
        Scope { program, types, locals, elements, literal: self.literal }
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
