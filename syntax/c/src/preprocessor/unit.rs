//! Preprocessed translation units and their preambles: the state after the leading directives of a file,
//! which is kept while their text and their files are the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{State, prepare};
use super::{Preprocessor, builtins};
use crate::files::{FileId, FileSystem, SourceFile, Span};
use crate::preprocessor::token::{Expansion, ExpansionId, Token};
use crate::symbol::{Interner, Symbol};
use crate::syntax_kind::SyntaxKind;
use crate::toolchain::Toolchain;

/// How grave a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A C compiler refuses the program.
    Error,
    /// `#warning` and what compilers warn of.
    Warning,
}

/// A problem that the preprocessor found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessError {
    /// How grave it is.
    pub severity: Severity,
    /// Where it is spelled.
    pub span: Span,
    /// The innermost expansion that it comes from.
    pub expansion: ExpansionId,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// A limit was reached: what follows was not read.
    pub is_limit: bool,
}

impl PreprocessError {
    pub(super) fn new(
        severity: Severity,
        span: Span,
        expansion: ExpansionId,
        message: String,
    ) -> PreprocessError {
        PreprocessError { severity, span, expansion, message, hint: None, is_limit: false }
    }

    pub(super) fn of_limit(span: Span, message: String) -> PreprocessError {
        let error = PreprocessError::new(Severity::Error, span, ExpansionId::NONE, message);
        PreprocessError { is_limit: true, ..error }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> PreprocessError {
        PreprocessError { hint: Some(hint.into()), ..self }
    }
}

/// A pragma that is not a directive of the families that are parsed: `#pragma pack(1)`.
#[derive(Clone, Debug)]
pub struct OtherPragma {
    /// From `#` to the end of the line.
    pub span: Span,
    /// The tokens after `pragma`.
    pub tokens: Vec<Token>,
}

/// The state after the leading directives of a file: macros, headers and their tokens.
#[derive(Debug)]
pub struct Preamble {
    /// The main file.
    main: PathBuf,
    /// The text of the main file that this is about.
    prefix: Arc<str>,
    state: Arc<State>,
    interner: Arc<Interner>,
    tokens: Arc<[Token]>,
    /// Whether the first `#include "..."` ends it.
    ends_at_own_header: bool,
    /// The preamble of all leading directives, where this is an empty one because that ended inside of a
    /// declaration.
    rejected: Option<Box<Preamble>>,
    pub(super) errors: Vec<PreprocessError>,
}

impl Preamble {
    pub(super) fn build(
        main: &Path,
        text: &Arc<str>,
        toolchain: &Toolchain,
        file_system: &dyn FileSystem,
    ) -> Preamble {
        let prefix_len = preamble_len(text, toolchain.separates_own_headers);
        let preamble = Preamble::of_prefix(main, text, prefix_len, toolchain, file_system);
        let ends_declaration = preamble.tokens.last().is_none_or(|it| {
            matches!(it.kind, SyntaxKind::SEMICOLON | SyntaxKind::R_CURLY | SyntaxKind::PRAGMA_END)
        });
        match ends_declaration {
            true => preamble,
            false => Preamble {
                rejected: Some(Box::new(preamble)),
                ..Preamble::of_prefix(main, text, 0, toolchain, file_system)
            },
        }
    }

    fn of_prefix(
        main: &Path,
        text: &Arc<str>,
        prefix_len: usize,
        toolchain: &Toolchain,
        file_system: &dyn FileSystem,
    ) -> Preamble {
        let prefix: Arc<str> = text[..prefix_len].into();
        let mut state = State::default();
        let predefined = SourceFile {
            path: "<predefined>".into(),
            text: toolchain.predefined.as_str().into(),
            is_system: true,
            included_at: None,
        };
        state.add_file(predefined);
        let file = SourceFile {
            path: main.to_path_buf(),
            text: prefix.clone(),
            is_system: false,
            included_at: None,
        };
        state.add_file(file);
        builtins::define(&mut state);
        let mut preprocessor = Preprocessor::new(state, toolchain, file_system, Vec::new());
        preprocessor.enter_main(FileId::PREDEFINED, 0);
        preprocessor.run();
        preprocessor.enter_main(FileId::MAIN, 0);
        let tokens = preprocessor.run();
        let Preprocessor { mut state, errors, .. } = preprocessor;
        state.prepared.remove(&FileId::MAIN);
        let interner = Arc::new(std::mem::take(&mut state.interner));
        Preamble {
            main: main.to_path_buf(),
            prefix,
            state: Arc::new(state),
            interner,
            tokens: tokens.into(),
            ends_at_own_header: toolchain.separates_own_headers,
            rejected: None,
            errors,
        }
    }

    /// A state that continues after the preamble.
    pub(super) fn resumed_state(&self) -> State {
        self.state.resumed(self.interner.clone())
    }

    /// The part of the main file that this is about: its leading directives.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn prefix_len(&self) -> u32 {
        self.prefix.len() as u32
    }

    /// Whether a text starts with the same leading directives, and all files are as they were.
    pub(super) fn is_valid(&self, main: &Path, text: &str, file_system: &dyn FileSystem) -> bool {
        if let Some(rejected) = &self.rejected {
            return rejected.is_valid(main, text, file_system);
        }
        self.main == main
            && text.starts_with(&*self.prefix)
            && preamble_len(text, self.ends_at_own_header) == self.prefix.len()
            && self.state.has_same_files(file_system)
    }

    /// The next value of `__COUNTER__`.
    pub(super) fn counter(&self) -> u64 {
        self.state.counter
    }
}

/// Up to where a text has only directives, of which all conditionals are complete.
fn preamble_len(text: &str, ends_at_own_header: bool) -> usize {
    let mut interner = Interner::default();
    let end = leading_directives(text, ends_at_own_header);
    let file = prepare(FileId::MAIN, &text[..end], &mut interner);
    let mut depth = 0;
    let mut complete = 0;
    for (index, token) in file.tokens.iter().enumerate() {
        if !token.is_line_start() || token.kind != SyntaxKind::HASH {
            continue;
        }
        if depth == 0 {
            complete = token.span.start as usize;
        }
        match file.tokens.get(index + 1).map(|it| interner.text(it.text)) {
            Some("if" | "ifdef" | "ifndef") => depth += 1,
            Some("endif") => depth -= 1,
            _ => {}
        }
    }
    if depth == 0 { end } else { complete }
}

/// The start of the first line that has a token and is no directive, or that is `#pragma` or `#line`; or
/// `#include "..."`, if that ends it.
fn leading_directives(text: &str, ends_at_own_header: bool) -> usize {
    let mut tokens = crate::lexer::tokens(text).peekable();
    loop {
        // A line: trivia, then nothing or `#` and the rest.
        let mut line = tokens.peek().map_or(text.len(), |it| it.1.start);
        let first = loop {
            match tokens.next() {
                None => return text.len(),
                Some((SyntaxKind::NEWLINE, range)) => line = range.end,
                Some((kind, _)) if kind.is_trivia() => {}
                Some((kind, _)) => break kind,
            }
        };
        // A `#` alone is a directive too, and its line ends with it.
        while tokens.peek().is_some_and(|it| it.0.is_trivia() && it.0 != SyntaxKind::NEWLINE) {
            tokens.next();
        }
        let name = tokens.peek().map(|it| &text[it.1.clone()]);
        if first != SyntaxKind::HASH || matches!(name, Some("pragma" | "line")) {
            return line;
        }
        let is_include = ends_at_own_header && name == Some("include");
        let behind = tokens.peek().map_or(text.len(), |it| it.1.end);
        if is_include && text[behind..].trim_start_matches([' ', '\t']).starts_with('"') {
            return line;
        }
        tokens.by_ref().find(|it| it.0 == SyntaxKind::NEWLINE);
    }
}

/// A preprocessed translation unit.
#[derive(Debug)]
pub struct Unit {
    preamble: Arc<Preamble>,
    tokens: Arc<[Token]>,
    pub(super) state: Arc<State>,
    pub(super) errors: Vec<PreprocessError>,
    pub(super) operator_pragmas: Vec<(usize, Token)>,
    /// How many tokens its macros expand to; `None` if a limit was reached.
    pub(super) expanded_tokens: Option<usize>,
}

impl Unit {
    pub(super) fn new(
        preamble: Arc<Preamble>,
        tokens: Vec<Token>,
        state: State,
        errors: Vec<PreprocessError>,
        expanded_tokens: Option<usize>,
    ) -> Unit {
        let (tokens, state, operator_pragmas) = (tokens.into(), Arc::new(state), Vec::new());
        Unit { preamble, tokens, state, errors, operator_pragmas, expanded_tokens }
    }

    /// The preamble, to be given to the next [`preprocess`](super::preprocess) of the file.
    pub fn preamble(&self) -> &Arc<Preamble> {
        &self.preamble
    }

    /// The tokens of the preamble: those of the headers that it includes.
    pub fn preamble_tokens(&self) -> &Arc<[Token]> {
        &self.preamble.tokens
    }

    /// The tokens after the preamble.
    pub fn tokens(&self) -> &Arc<[Token]> {
        &self.tokens
    }

    /// The problems found.
    pub fn errors(&self) -> &[PreprocessError] {
        &self.errors
    }

    /// The spelling of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.state.interner.text(symbol)
    }

    /// The symbol of a spelling, if a token has it.
    pub fn symbol(&self, spelling: &str) -> Option<Symbol> {
        self.state.interner.find(spelling)
    }

    /// A file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.state.files[id.0 as usize]
    }

    /// All files, in the order in which they were first read.
    pub fn files(&self) -> &[SourceFile] {
        &self.state.files
    }

    /// All paths that decide what the unit is: those that were read, and those that were looked for in vain.
    pub fn dependencies(&self) -> impl Iterator<Item = (&Path, bool)> {
        self.state.paths.iter().map(|(path, file)| (path.as_path(), file.is_some()))
    }

    /// Pragmas of other families.
    pub fn other_pragmas(&self) -> &[OtherPragma] {
        &self.state.other_pragmas
    }

    /// What `_Pragma` makes behind the preamble and no directive is, each in front of the token with this
    /// number: `#pragma` and its words are the text of the token. Empty once a declaration was replaced.
    pub fn operator_pragmas(&self) -> &[(usize, Token)] {
        &self.operator_pragmas
    }

    /// Whether `__COUNTER__` is used.
    pub fn uses_counter(&self) -> bool {
        self.state.counter > 0
    }

    /// Whether a name would be expanded if it were read again where it came up in its own expansion (C17
    /// 6.10.3.4 paragraph 2). True if the name is a macro in some of the file behind the preamble only.
    pub fn may_expand_again(&self, name: Symbol, is_before_parenthesis: bool) -> bool {
        if self.state.macro_changes.iter().any(|it| it.1 == name) {
            return true;
        }
        self.state.macros.get(&name).is_some_and(|it| match &it.parameters {
            Some(_) => is_before_parenthesis,
            None => it.builtin.is_some() || !matches!(*it.body, [only] if only.token.text == name),
        })
    }

    /// An expansion; `None` of [`ExpansionId::NONE`].
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.state.expansion(id)
    }

    /// The macro expansions that a token comes from, the innermost first.
    pub fn macro_stack(&self, token: &Token) -> Vec<&Expansion> {
        let mut stack = Vec::new();
        self.collect_stack(token.expansion, &mut stack, 0);
        stack
    }

    fn collect_stack<'a>(&'a self, id: ExpansionId, stack: &mut Vec<&'a Expansion>, depth: u32) {
        let Some(expansion) = self.expansion(id).filter(|_| depth < 64) else { return };
        if let Some(inner) = expansion.argument_of {
            self.collect_stack(inner, stack, depth + 1);
        }
        stack.push(expansion);
        if expansion.argument_of.is_none() {
            self.collect_stack(expansion.parent, stack, depth + 1);
        }
    }

    /// Where a token comes from outside of all macros: its own span, or that of the outermost invocation.
    pub fn expansion_site(&self, token: &Token) -> Span {
        self.state.expansion_site(token)
    }
}
