//! Translation units (C17 5.1.1.1): the regions of a file, and the functions that they reach.

use std::collections::BTreeSet;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::{self, FunctionId, RecordId};
use apg_c_syntax::TextRange;
use apg_mir as mir;
use apg_source::{ColumnUnit, LineIndex};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::tables::Tables;
use crate::unsupported::Unsupported;

/// Names of functions.
pub type FunctionNames = BTreeSet<SmolStr>;

/// A translation unit while it is lowered.
pub(crate) struct Unit<'a> {
    parsed: &'a Parsed,
    lines: LineIndex,
    /// Its names and types.
    pub hir: &'a hir::Program,
    /// What it is lowered to.
    pub program: mir::Program,
    /// Structs and unions that have a number in `program`.
    pub records: FxHashMap<RecordId, mir::StructId>,
    /// Those without fields yet, which pointers lead to.
    pub pending_records: Vec<RecordId>,
    functions: FxHashMap<FunctionId, mir::FunctionId>,
    pending_functions: Vec<FunctionId>,
    /// In a program of parallel regions: what it shares with the program in C.
    pub tables: Option<Tables>,
    /// Functions that use OpenMP, which code of teams does not call in other files.
    pub with_openmp: Option<&'a FunctionNames>,
    /// What has no device form.
    pub errors: Vec<Unsupported>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(parsed: &'a Parsed, path: &std::path::Path) -> Unit<'a> {
        Unit {
            parsed,
            lines: LineIndex::new(parsed.text()),
            hir: &parsed.program,
            program: mir::Program { files: vec![path.display().to_string()], ..mir::Program::default() },
            records: FxHashMap::default(),
            pending_records: Vec::new(),
            functions: FxHashMap::default(),
            pending_functions: Vec::new(),
            tables: None,
            with_openmp: None,
            errors: Vec::new(),
        }
    }

    /// A unit of parallel regions, and of functions that their threads call.
    pub(crate) fn for_teams(
        parsed: &'a Parsed,
        path: &std::path::Path,
        with_openmp: &'a FunctionNames,
    ) -> Unit<'a> {
        let (tables, with_openmp) = (Some(Tables::default()), Some(with_openmp));
        Unit { tables, with_openmp, ..Unit::new(parsed, path) }
    }

    /// The text of a range of the tree with macros expanded.
    pub(crate) fn expanded_text(&self, range: TextRange) -> String {
        let tokens = self.parsed.syntax.main.tokens_in(range);
        let words: Vec<&str> = tokens.iter().map(|it| self.parsed.unit.text(it.text)).collect();
        words.join(" ")
    }

    /// A function that was called and is not lowered yet.
    pub(crate) fn next_function(&mut self) -> Option<(FunctionId, mir::FunctionId)> {
        let next = self.pending_functions.pop()?;
        Some((next, self.functions[&next]))
    }

    pub(crate) fn report(&mut self, error: Unsupported) {
        if !error.is_consequence() || self.errors.is_empty() {
            self.errors.push(error);
        }
    }

    /// The device function of a function that is defined in this file.
    pub(crate) fn device_function(&mut self, function: FunctionId) -> mir::FunctionId {
        if let Some(known) = self.functions.get(&function) {
            return *known;
        }
        let id = mir::FunctionId(self.program.functions.len() as u32);
        let item = self.hir.function(function);
        let span = self.span(item.range.unwrap_or_default());
        self.program.functions.push(declared_function(item.name.to_string(), span));
        self.functions.insert(function, id);
        self.pending_functions.push(function);
        id
    }

    /// The span of a range of the tree.
    pub(crate) fn span(&self, range: TextRange) -> mir::Span {
        let text = self.parsed.text();
        let range = self.parsed.spelled(range).unwrap_or_default();
        let position = |offset| {
            let found = self.lines.line_column(text, offset, ColumnUnit::Utf8);
            mir::LineColumn { line: found.line + 1, column: found.column + 1 }
        };
        mir::Span { file: mir::FileId(0), start: position(range.start()), end: position(range.end()) }
    }
}

/// A device function without code.
pub(crate) fn declared_function(name: String, span: mir::Span) -> mir::Function {
    mir::Function {
        name,
        span,
        locals: Vec::new(),
        variables: Vec::new(),
        params: 0,
        result: mir::Ty::Void,
        body: Vec::new(),
        device: true,
        kernel_only: true,
        recursion: mir::Recursion::default(),
        stack_objects: Vec::new(),
        inlining: mir::Inlining::default(),
        role: mir::FunctionRole::default(),
    }
}
