//! Preprocessor of C17 (6.10) and GNU C: from a file and its headers to expanded tokens, each with the range
//! where it is spelled and its macro expansions. Expansion is that of GCC's cpplib: a macro is disabled while
//! its context is on the stack, and a name that meets it then is never expanded.

mod builtins;
mod condition;
mod conditionals;
mod directives;
mod expansion;
mod files;
mod include;
mod invocation;
mod limits;
mod macros;
mod pragmas;
pub(crate) mod splice;
mod substitution;
mod token;
mod unit;

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::files::{Frame, State};
use self::limits::MAX_ERRORS;
pub use self::token::{Expansion, ExpansionId, Token};
pub use self::unit::{OtherPragma, Preamble, PreprocessError, Severity, Unit};
use crate::files::{FileId, FileSystem, SourceFile, Span};
use crate::symbol::Symbol;
use crate::syntax_kind::SyntaxKind;
use crate::toolchain::Toolchain;

/// The preprocessor of one translation unit.
pub(crate) struct Preprocessor<'a> {
    state: State,
    toolchain: &'a Toolchain,
    file_system: &'a dyn FileSystem,
    frames: Vec<Frame>,
    contexts: Vec<Context>,
    errors: Vec<PreprocessError>,
    /// The arguments of an invocation are being read: a file does not end before they do.
    collects_arguments: bool,
    /// A condition of `#if` is being expanded: `defined` has a meaning.
    in_condition: bool,
    argument_depth: usize,
    expanded_tokens: usize,
    /// A limit was reached: the rest is not read.
    gave_up: bool,
    /// Where the last token of a file stands.
    last_span: Span,
    /// The main file is read up to here only, for its preamble.
    main_end: Option<u32>,
    /// Names whose macros change behind the text that is read.
    later_macros: FxHashSet<Symbol>,
    /// What was read depends on where it is in the file: it has one of these names, or a condition about
    /// headers.
    depends_on_place: bool,
    /// The markers of [`Unit::operator_pragmas`].
    operator_pragmas: Vec<(usize, Token)>,
}

/// Tokens to be read before those of the file.
struct Context {
    tokens: Arc<[Token]>,
    position: usize,
    /// The macro that is disabled while this is on the stack.
    disables: Option<Symbol>,
    /// Reading ends here: the tokens are an argument or a line of their own.
    is_barrier: bool,
}

/// Preprocesses a file. `preamble` is one of an earlier text of the same file: it is reused if it still
/// holds.
pub fn preprocess(
    main: &Path,
    text: Arc<str>,
    toolchain: &Toolchain,
    file_system: &dyn FileSystem,
    preamble: Option<&Arc<Preamble>>,
) -> Unit {
    let preamble = match preamble.filter(|it| it.is_valid(main, &text, file_system)) {
        Some(preamble) => preamble.clone(),
        None => Arc::new(Preamble::build(main, &text, toolchain, file_system)),
    };
    let mut preprocessor =
        Preprocessor::new(preamble.resumed_state(), toolchain, file_system, preamble.errors.clone());
    let main_file = preprocessor.state.replace_main(main, text);
    preprocessor.enter_main(main_file, preamble.prefix_len());
    let tokens = preprocessor.run();
    let expanded = (!preprocessor.gave_up).then_some(preprocessor.expanded_tokens);
    let Preprocessor { state, errors, operator_pragmas, .. } = preprocessor;
    let mut unit = Unit::new(preamble, tokens, state, errors, expanded);
    unit.operator_pragmas = operator_pragmas;
    unit
}

impl<'a> Preprocessor<'a> {
    fn new(
        state: State,
        toolchain: &'a Toolchain,
        file_system: &'a dyn FileSystem,
        errors: Vec<PreprocessError>,
    ) -> Preprocessor<'a> {
        Preprocessor {
            state,
            toolchain,
            file_system,
            frames: Vec::new(),
            contexts: Vec::new(),
            errors,
            collects_arguments: false,
            in_condition: false,
            argument_depth: 0,
            expanded_tokens: 0,
            later_macros: FxHashSet::default(),
            depends_on_place: false,
            operator_pragmas: Vec::new(),
            gave_up: false,
            last_span: Span { file: FileId::MAIN, start: 0, end: 0 },
            main_end: None,
        }
    }

    /// All tokens from here to the end of the frames.
    fn run(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        self.operator_pragmas.clear();
        while let Some(token) = self.next_expanded() {
            match token.kind {
                SyntaxKind::OTHER_PRAGMA => self.operator_pragmas.push((tokens.len(), token)),
                _ => tokens.push(token),
            }
        }
        tokens
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.state.interner.text(symbol)
    }

    fn file(&self, id: FileId) -> &SourceFile {
        &self.state.files[id.0 as usize]
    }

    fn error(&mut self, span: Span, expansion: ExpansionId, message: impl Into<String>) {
        self.report(PreprocessError::new(Severity::Error, span, expansion, message.into()));
    }

    fn error_at(&mut self, token: Token, message: impl Into<String>) {
        self.error(token.span, token.expansion, message);
    }

    fn report(&mut self, error: PreprocessError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Ends reading: a limit was reached.
    fn give_up(&mut self, span: Span, message: impl Into<String>) {
        if !self.gave_up {
            self.gave_up = true;
            // Kept even where errors are many: it says why the rest is missing.
            self.errors.truncate(MAX_ERRORS - 1);
            self.report(PreprocessError::of_limit(span, message.into()));
        }
    }

    /// The next token of the contexts or the file, not expanded. `None` at a barrier and at the end.
    fn next_raw(&mut self) -> Option<Token> {
        loop {
            if self.gave_up {
                return None;
            }
            let Some(context) = self.contexts.last_mut() else { break };
            if let Some(token) = context.tokens.get(context.position) {
                context.position += 1;
                return Some(*token);
            }
            if context.is_barrier {
                return None;
            }
            self.pop_context();
        }
        self.next_of_file()
    }

    fn push_context(&mut self, tokens: Arc<[Token]>, disables: Option<Symbol>, is_barrier: bool) {
        if let Some(name) = disables {
            *self.state.disabled.entry(name).or_insert(0) += 1;
        }
        self.contexts.push(Context { tokens, position: 0, disables, is_barrier });
    }

    fn pop_context(&mut self) {
        if let Some(name) = self.contexts.pop().and_then(|it| it.disables)
            && let Some(count) = self.state.disabled.get_mut(&name)
        {
            *count -= 1;
        }
    }

    /// Expands tokens on their own.
    fn expand_list(&mut self, tokens: Arc<[Token]>) -> Vec<Token> {
        self.push_context(tokens, None, true);
        let collects = std::mem::replace(&mut self.collects_arguments, false);
        let mut expanded = Vec::new();
        while let Some(token) = self.next_expanded() {
            expanded.push(token);
        }
        self.collects_arguments = collects;
        // Contexts above the barrier remain only where reading ended early.
        while self.contexts.last().is_some_and(|it| !it.is_barrier) {
            self.pop_context();
        }
        self.pop_context();
        expanded
    }

    /// Expands the tokens of a directive, in which other pragmas have no place.
    fn expand_line(&mut self, tokens: Arc<[Token]>) -> Vec<Token> {
        let mut expanded = self.expand_list(tokens);
        expanded.retain(|it| it.kind != SyntaxKind::OTHER_PRAGMA);
        expanded
    }

    fn next_of_file(&mut self) -> Option<Token> {
        loop {
            if self.gave_up {
                return None;
            }
            let frame = self.frames.last_mut()?;
            let Some(&token) = frame.file.tokens.get(frame.position) else {
                if self.collects_arguments {
                    return None;
                }
                self.leave_file();
                continue;
            };
            if self.main_end.is_some_and(|end| token.span.file == FileId::MAIN && token.span.start >= end) {
                frame.position = frame.file.tokens.len();
                continue;
            }
            if token.kind == SyntaxKind::HASH && token.is_line_start() {
                self.directive();
                if !self.contexts.is_empty() {
                    // A directive of OpenMP: its tokens are next.
                    return self.next_raw();
                }
                continue;
            }
            frame.position += 1;
            self.last_span = token.span;
            return Some(token);
        }
    }
}
