//! Translation units (C17 5.1.1.1): the regions of a file, and the functions that they reach.

use std::collections::BTreeSet;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::{self, RecordId};
use apg_c_syntax::TextRange;
use apg_mir as mir;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::presumed_lines::PresumedLines;
use crate::sources::{Definition, FileNumber, Sources};
use crate::tables::Tables;
use crate::unsupported::{Lowered, Unsupported};

/// Names of functions.
pub type FunctionNames = BTreeSet<SmolStr>;

/// A translation unit while it is lowered, with functions of others that its code calls.
pub(crate) struct Unit<'a> {
    /// All files of the program.
    pub sources: &'a Sources<'a>,
    /// The file whose regions are lowered.
    main: FileNumber,
    /// The file whose code is lowered.
    pub file: FileNumber,
    /// It, as it was parsed.
    pub parsed: &'a Parsed,
    /// The lines of files, as compilers count them.
    lines: FxHashMap<FileNumber, PresumedLines>,
    /// Its names and types.
    pub hir: &'a hir::Program,
    /// What it is lowered to.
    pub program: mir::Program,
    /// Structs and unions that have a number in `program`.
    records: FxHashMap<(FileNumber, RecordId), mir::StructId>,
    /// Those without fields yet, which pointers lead to.
    pub pending_records: Vec<RecordId>,
    functions: FxHashMap<Definition, mir::FunctionId>,
    pending_functions: Vec<CalledFunction>,
    /// The call in the file of the regions that leads to the code that is lowered.
    call: TextRange,
    /// In a program of parallel regions: what it shares with the program in C.
    pub tables: Option<Tables>,
    /// Functions that use OpenMP, which code of teams does not call in other files.
    pub with_openmp: Option<&'a FunctionNames>,
    /// Code writes to the standard output.
    pub prints: bool,
    /// Messages with which code ends the program, each once.
    pub messages: Vec<String>,
    /// The function that checks elements behind pointers.
    pub range_check: Option<mir::FunctionId>,
    /// What has no device form.
    pub errors: Vec<Unsupported>,
}

/// A function that is lowered because code calls it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CalledFunction {
    pub definition: Definition,
    pub id: mir::FunctionId,
    /// The first call of a function of another file, in the file of the regions.
    pub call: TextRange,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(sources: &'a Sources<'a>, main: FileNumber) -> Unit<'a> {
        let parsed = sources.file(main).parsed;
        Unit {
            sources,
            main,
            file: main,
            parsed,
            lines: FxHashMap::default(),
            hir: &parsed.program,
            program: mir::Program { files: sources.paths(), ..mir::Program::default() },
            records: FxHashMap::default(),
            pending_records: Vec::new(),
            functions: FxHashMap::default(),
            pending_functions: Vec::new(),
            call: TextRange::default(),
            tables: None,
            with_openmp: None,
            prints: false,
            messages: Vec::new(),
            range_check: None,
            errors: Vec::new(),
        }
    }

    /// A unit of parallel regions, and of functions that their threads call.
    pub(crate) fn for_teams(sources: &'a Sources<'a>, with_openmp: &'a FunctionNames) -> Unit<'a> {
        let (tables, with_openmp) = (Some(Tables::default()), Some(with_openmp));
        Unit { tables, with_openmp, ..Unit::new(sources, 0) }
    }

    /// Lowers what belongs to a file.
    pub(crate) fn in_file<T>(&mut self, file: FileNumber, lower: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.file;
        self.enter(file);
        let result = lower(self);
        self.enter(around);
        result
    }

    fn enter(&mut self, file: FileNumber) {
        self.file = file;
        self.parsed = self.sources.file(file).parsed;
        self.hir = &self.parsed.program;
    }

    /// Lowers the functions that code calls, each by `lower`.
    pub(crate) fn lower_functions(
        &mut self,
        lower: impl Fn(&mut Unit<'a>, CalledFunction) -> Lowered<mir::Function>,
    ) {
        while let Some(called) = self.pending_functions.pop() {
            let file = called.definition.0;
            let reported = self.errors.len();
            self.call = called.call;
            self.in_file(file, |unit| match lower(unit, called) {
                Ok(lowered) => unit.program.functions[called.id.index()] = lowered,
                Err(error) => unit.report(error),
            });
            if file != self.main {
                let errors: Vec<Unsupported> = self.errors.drain(reported..).collect();
                let elsewhere = errors.into_iter().map(|it| self.at_call(it, called));
                let elsewhere: Vec<Unsupported> = elsewhere.collect();
                self.errors.extend(elsewhere);
            }
        }
    }

    /// What code of another file does, as an error of the call that leads to it.
    fn at_call(&mut self, error: Unsupported, called: CalledFunction) -> Unsupported {
        let (file, function) = called.definition;
        let line = self.in_file(file, |it| it.span(error.range).line());
        let path = self.sources.file(file).path.file_name().unwrap_or_default().to_string_lossy();
        let name = &self.sources.hir(file).function(function).name;
        let message = format!("this calls `{name}` ({path}:{line}): {}", error.message);
        Unsupported { range: called.call, message, advice: error.advice }
    }

    /// The text of a range of the tree with macros expanded.
    pub(crate) fn expanded_text(&self, range: TextRange) -> String {
        let tokens = self.parsed.syntax.main.tokens_in(range);
        let words: Vec<&str> = tokens.iter().map(|it| self.parsed.unit.text(it.text)).collect();
        words.join(" ")
    }

    /// The text of a range as it is written on one line, or with macros expanded.
    pub(crate) fn written_text(&self, range: TextRange) -> String {
        let spelled = self.parsed.spelled(range).map(std::ops::Range::<usize>::from);
        let written = spelled.and_then(|it| self.parsed.text().get(it)).filter(|it| !it.contains('\n'));
        written.map_or_else(|| self.expanded_text(range), |it| it.trim().to_owned())
    }

    pub(crate) fn report(&mut self, error: Unsupported) {
        if !error.is_consequence() || self.errors.is_empty() {
            self.errors.push(error);
        }
    }

    /// The device function of a function that code calls.
    pub(crate) fn device_function(&mut self, definition: Definition, call: TextRange) -> mir::FunctionId {
        if let Some(known) = self.functions.get(&definition) {
            return *known;
        }
        let id = mir::FunctionId(self.program.functions.len() as u32);
        let (file, function) = definition;
        let item = self.sources.hir(file).function(function);
        let span = self.in_file(file, |it| it.span(item.range.unwrap_or_default()));
        self.program.functions.push(declared_function(item.name.to_string(), span));
        self.functions.insert(definition, id);
        let call = if self.file == self.main { call } else { self.call };
        self.pending_functions.push(CalledFunction { definition, id, call });
        id
    }

    /// The struct of a record of the file whose code is lowered.
    pub(crate) fn known_struct(&self, record: RecordId) -> Option<mir::StructId> {
        self.records.get(&(self.file, record)).copied()
    }

    /// Gives a record the number of a struct: that of the same record of another file, if code names it.
    pub(crate) fn number_record(&mut self, record: RecordId, next: mir::StructId) -> mir::StructId {
        let own = (self.file, record);
        let is_same = |it: &(&(FileNumber, RecordId), &mir::StructId)| {
            it.0.0 != self.file && self.sources.is_same_record(*it.0, own)
        };
        let found = self.records.iter().find(is_same).map_or(next, |it| *it.1);
        self.records.insert(own, found);
        found
    }

    /// The span of a range of the tree, with lines as the compiler counts them.
    pub(crate) fn span(&mut self, range: TextRange) -> mir::Span {
        let text = self.parsed.text();
        let lines = self.lines.entry(self.file).or_insert_with(|| PresumedLines::new(text));
        let range: std::ops::Range<usize> = self.parsed.spelled(range).unwrap_or_default().into();
        let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let position = |offset| mir::LineColumn {
            line: number(lines.line(offset)),
            column: number(lines.column(offset)),
        };
        let file = mir::FileId(self.file as u32);
        let (start, end) = (position(range.start), position(range.end));
        // In generated text a later token may be of an earlier line.
        mir::Span { file, start, end: end.max(start) }
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
