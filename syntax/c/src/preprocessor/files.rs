//! State that files share, and files split into tokens.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_source::LineIndex;
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditionals::Conditional;
use super::macros::Macro;
use super::token::{Expansion, ExpansionId, Token};
use super::unit::OtherPragma;
use crate::files::{FileId, FileSystem, SourceFile, Span};
use crate::lexer::{lex, without_splices};
use crate::symbol::{Interner, Symbol};
use crate::syntax_kind::SyntaxKind;

/// A file's tokens without trivia.
#[derive(Debug)]
pub(crate) struct PreparedFile {
    pub(crate) tokens: Vec<Token>,
    /// The macro of the include guard around the whole file.
    pub(crate) guard: Option<Symbol>,
}

/// A file that is being read.
pub(super) struct Frame {
    pub(super) id: FileId,
    pub(super) file: Arc<PreparedFile>,
    pub(super) position: usize,
    pub(super) conditionals: Vec<Conditional>,
    /// Which include folder it was found in.
    pub(super) folder: Option<usize>,
    /// `#line`: what is added to line numbers.
    pub(super) line_shift: i64,
    /// `#line`: the name of the file.
    pub(super) name: Option<String>,
}

/// What makes tokens of the main file depend on others that come before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependences {
    /// The main file uses `__LINE__`.
    pub(super) uses_line: bool,
    /// The main file has a `#line`.
    pub(super) sets_line: bool,
    /// `_Pragma` has changed more than the tokens that follow.
    pub(super) has_pragma_operator: bool,
    /// How many declarations were replaced since all of the file was read.
    pub(super) splices: u32,
}

/// What outlives a file: macros, files and spellings.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(super) interner: Interner,
    pub(super) macros: FxHashMap<Symbol, Arc<Macro>>,
    pub(super) pushed_macros: FxHashMap<Symbol, Vec<Option<Arc<Macro>>>>,
    pub(super) files: Vec<SourceFile>,
    pub(super) prepared: FxHashMap<FileId, Arc<PreparedFile>>,
    /// Paths that were looked for, and what was found.
    pub(super) paths: FxHashMap<PathBuf, Option<FileId>>,
    pub(super) once: FxHashSet<FileId>,
    pub(super) expansions: Vec<Expansion>,
    pub(super) other_pragmas: Vec<OtherPragma>,
    pub(super) counter: u64,
    /// How many contexts disable a macro.
    pub(super) disabled: FxHashMap<Symbol, u32>,
    pub(super) line_indexes: FxHashMap<FileId, Arc<LineIndex>>,
    pub(super) dependences: Dependences,
    /// Macros that were defined or removed after the preamble, and where in the main file.
    pub(super) macro_changes: Vec<(u32, Symbol)>,
}

impl State {
    /// A state that continues after a preamble.
    pub(super) fn resumed(&self, interner: Arc<Interner>) -> State {
        State {
            interner: Interner::based_on(interner),
            macros: self.macros.clone(),
            pushed_macros: self.pushed_macros.clone(),
            files: self.files.clone(),
            prepared: self.prepared.clone(),
            paths: self.paths.clone(),
            once: self.once.clone(),
            expansions: self.expansions.clone(),
            other_pragmas: self.other_pragmas.clone(),
            counter: self.counter,
            disabled: FxHashMap::default(),
            line_indexes: self.line_indexes.clone(),
            dependences: Dependences::default(),
            macro_changes: Vec::new(),
        }
    }

    pub(super) fn add_file(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// Sets the text of the main file.
    pub(super) fn replace_main(&mut self, path: &Path, text: Arc<str>) -> FileId {
        let id = FileId::MAIN;
        self.files[id.0 as usize] =
            SourceFile { path: path.to_path_buf(), text, is_system: false, included_at: None };
        self.prepared.remove(&id);
        self.line_indexes.remove(&id);
        id
    }

    /// Whether all files that were read, or looked for in vain, are as they were.
    pub(super) fn has_same_files(&self, file_system: &dyn FileSystem) -> bool {
        self.paths.iter().all(|(path, file)| {
            let now = file_system.read(path);
            match file {
                Some(id) => now.is_some_and(|it| it == self.files[id.0 as usize].text),
                None => now.is_none(),
            }
        })
    }

    /// The tokens of a file; it is split the first time.
    pub(super) fn prepared(&mut self, id: FileId) -> Arc<PreparedFile> {
        if let Some(file) = self.prepared.get(&id) {
            return file.clone();
        }
        let text = self.files[id.0 as usize].text.clone();
        let file = Arc::new(prepare(id, &text, &mut self.interner));
        self.prepared.insert(id, file.clone());
        file
    }

    /// The line of an offset, from 1.
    pub(super) fn line(&mut self, id: FileId, offset: u32) -> u32 {
        let text = &self.files[id.0 as usize].text;
        let index = self.line_indexes.entry(id).or_insert_with(|| Arc::new(LineIndex::new(text)));
        index.line(offset.into()) + 1
    }

    pub(super) fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// An expansion; `None` of [`ExpansionId::NONE`].
    pub(super) fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// Where a token comes from outside of all macros: its own span, or that of the outermost invocation.
    pub(super) fn expansion_site(&self, token: &Token) -> Span {
        let mut site = token.span;
        let mut id = token.expansion;
        while let Some(expansion) = self.expansion(id) {
            site = expansion.invocation;
            id = expansion.parent;
        }
        site
    }
}

/// Splits a text and leaves trivia out.
pub(super) fn prepare(file: FileId, text: &str, interner: &mut Interner) -> PreparedFile {
    let lexed = lex(text);
    let mut tokens = Vec::with_capacity(lexed.kinds.len() / 2);
    let mut flags = Token::LINE_START;
    for (index, &kind) in lexed.kinds.iter().enumerate() {
        match kind {
            SyntaxKind::NEWLINE => flags = Token::LINE_START,
            SyntaxKind::WHITESPACE | SyntaxKind::BLOCK_COMMENT | SyntaxKind::LINE_COMMENT => {
                flags |= Token::SPACE_BEFORE;
            }
            _ => {
                let range = lexed.range(index);
                let spelled = &text[range.clone()];
                let text = match spelled.contains('\\') {
                    true => interner.intern(&without_splices(spelled)),
                    false => interner.intern(spelled),
                };
                let span = Span { file, start: range.start as u32, end: range.end as u32 };
                tokens.push(Token { kind, flags, text, span, expansion: ExpansionId::NONE });
                flags = 0;
            }
        }
    }
    let guard = guard(&tokens, interner);
    PreparedFile { tokens, guard }
}

/// The macro of `#ifndef MACRO` or `#if !defined MACRO` around all tokens.
fn guard(tokens: &[Token], interner: &Interner) -> Option<Symbol> {
    let word = |index: usize| tokens.get(index).map(|it: &Token| interner.text(it.text));
    let end_of_line =
        |from: usize| (from..tokens.len()).find(|it| tokens[*it].is_line_start()).unwrap_or(tokens.len());
    if word(0)? != "#" {
        return None;
    }
    let line = tokens.get(2..end_of_line(1)).unwrap_or_default();
    let line_words: Vec<&str> = line.iter().map(|it| interner.text(it.text)).collect();
    let name = match (word(1)?, &line_words[..]) {
        ("ifndef", [_]) => line[0],
        ("if", ["!", "defined", _]) => line[2],
        ("if", ["!", "defined", "(", _, ")"]) => line[3],
        _ => return None,
    };
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != SyntaxKind::HASH || !token.is_line_start() {
            continue;
        }
        match word(index + 1) {
            Some("if" | "ifdef" | "ifndef") => depth += 1,
            Some("else" | "elif") if depth == 1 => return None,
            Some("endif") => {
                depth -= 1;
                if depth == 0 {
                    let is_last = end_of_line(index + 1) == tokens.len();
                    return (is_last && name.kind == SyntaxKind::IDENT).then_some(name.text);
                }
            }
            _ => {}
        }
    }
    None
}
