//! Replacement of one external declaration of a unit: its text alone is split into tokens and expanded, all
//! other tokens are kept (incremental lexing: Wagner, *Practical Algorithms for Incremental Software
//! Development Environments*, 1998, chapter 5).

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Preprocessor;
use super::files::{Frame, PreparedFile, State, prepare};
use super::limits::{MAX_ERRORS, MAX_SPLICES};
use super::pragmas::FAMILIES;
use super::token::Token;
use super::unit::Unit;
use crate::files::{FileId, FileSystem, Span};
use crate::lexer;
use crate::syntax_kind::SyntaxKind;
use crate::toolchain::Toolchain;

/// A replaced range of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    pub(crate) start: u32,
    pub(crate) old_end: u32,
    pub(crate) new_end: u32,
}

impl Edit {
    /// What is between the common beginning and the common end of two strings; `None` if they are too long.
    pub(crate) fn between(old: &str, new: &str) -> Option<Edit> {
        let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
        let rest = old.len().min(new.len()) - start;
        let end = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let offset = |it: usize| u32::try_from(it).ok();
        Some(Edit {
            start: offset(start)?,
            old_end: offset(old.len() - end)?,
            new_end: offset(new.len() - end)?,
        })
    }

    /// An offset behind the range, in the new text.
    fn moved(&self, offset: u32) -> u32 {
        offset - self.old_end + self.new_end
    }
}

/// What becomes of spans of the main file behind a replaced declaration.
struct Shift {
    edit: Edit,
    /// The end of the declaration in the old text.
    end: u32,
}

impl Shift {
    fn apply(&self, span: &mut Span) {
        if span.file == FileId::MAIN && span.start >= self.end {
            span.start = self.edit.moved(span.start);
            span.end = self.edit.moved(span.end);
        }
    }
}

impl Unit {
    /// Whether all files that it was made from are as they were, except for the main file.
    pub(crate) fn has_same_files(&self, file_system: &dyn FileSystem) -> bool {
        self.state.has_same_files(file_system)
    }

    /// Whether a replaced range is inside of a declaration with these tokens, whose first one and last
    /// one stay as they are.
    pub(crate) fn is_edit_inside(&self, declaration: &Range<usize>, edit: &Edit) -> bool {
        let Some([first, .., last]) = self.tokens().get(declaration.clone()) else { return false };
        let is_own = |it: &Token| it.is_spelled() && it.span.file == FileId::MAIN;
        // No character makes one token with these two.
        let ends_alone = matches!(last.kind, SyntaxKind::R_CURLY | SyntaxKind::SEMICOLON);
        is_own(first)
            && is_own(last)
            && ends_alone
            && first.span.end < edit.start
            && edit.old_end <= last.span.start
    }

    /// The unit of a new text that differs in one declaration, as [`Unit::is_edit_inside`] says, and the end
    /// of this declaration's tokens. `None` if tokens elsewhere may differ as well.
    pub(crate) fn with_declaration(
        &self,
        text: &Arc<str>,
        edit: Edit,
        old: Range<usize>,
        toolchain: &Toolchain,
        file_system: &dyn FileSystem,
    ) -> Option<(Unit, usize)> {
        let (first, last) = (self.tokens()[old.start], self.tokens()[old.end - 1]);
        let (start, old_end) = (first.span.start as usize, last.span.end as usize);
        let before = &self.file(FileId::MAIN).text;
        let new_end = edit.moved(last.span.end);
        let new_text = text.get(start..new_end as usize)?;
        if !self.is_independent(before, text, &edit)
            || self.errors.len() >= MAX_ERRORS
            || has_other_directives(&before[start..old_end])
            || has_other_directives(new_text)
            || self.errors[self.preamble().errors.len()..].iter().any(|it| {
                let is_inside = it.span.start >= first.span.start && it.span.end <= last.span.end;
                it.span.file != FileId::MAIN || !is_inside
            })
        {
            return None;
        }
        let mut state = (*self.state).clone();
        let path = self.file(FileId::MAIN).path.clone();
        let prepared = prepared_region(&mut state, &path, text, new_text, &first)?;
        if prepared.tokens.last().map(|it| (it.kind, it.span.end)) != Some((last.kind, new_end)) {
            return None;
        }
        let mut preprocessor = Preprocessor::new(state, toolchain, file_system, Vec::new());
        preprocessor.expanded_tokens = self.expanded_tokens?;
        let changes = self.state.macro_changes.iter().filter(|it| it.0 >= first.span.start);
        preprocessor.later_macros = changes.map(|it| it.1).collect();
        preprocessor.frames.push(Frame {
            id: FileId::MAIN,
            file: Arc::new(prepared),
            position: 0,
            conditionals: Vec::new(),
            folder: None,
            line_shift: 0,
            name: None,
        });
        let new = preprocessor.run();
        let Preprocessor { mut state, mut errors, gave_up, expanded_tokens, depends_on_place, .. } =
            preprocessor;
        let is_same_end = |token: Option<&Token>, other: &Token, end: u32| {
            token.is_some_and(|it| it.is_spelled() && it.text == other.text && it.span.end == end)
        };
        if gave_up
            || depends_on_place
            || !is_same_end(new.first(), &first, first.span.end)
            || !is_same_end(new.last(), &last, new_end)
            || state.has_effects_beyond(&self.state)
            || self.preamble().errors.len() + errors.len() >= MAX_ERRORS
        {
            return None;
        }
        let shift = Shift { edit, end: last.span.end };
        state.shift(&shift, self.state.expansions.len());
        state.dependences.splices += 1;
        errors.splice(0..0, self.preamble().errors.iter().cloned());
        let end = old.start + new.len();
        let mut tokens = Vec::with_capacity(self.tokens().len() + new.len());
        tokens.extend_from_slice(&self.tokens()[..old.start]);
        tokens.extend(new);
        tokens.extend_from_slice(&self.tokens()[old.end..]);
        tokens[end..].iter_mut().for_each(|it| shift.apply(&mut it.span));
        Some((Unit::new(self.preamble().clone(), tokens, state, errors, Some(expanded_tokens)), end))
    }

    /// Whether tokens outside of a declaration that starts at an offset stay the same.
    fn is_independent(&self, before: &str, text: &str, edit: &Edit) -> bool {
        let dependences = self.state.dependences;
        let lines = |text: &str, end: u32| {
            text.as_bytes()[edit.start as usize..end as usize].iter().filter(|it| **it == b'\n').count()
        };
        let has_same_lines = || lines(before, edit.old_end) == lines(text, edit.new_end);
        !dependences.sets_line
            && !dependences.has_pragma_operator
            && dependences.splices < MAX_SPLICES
            && self.state.counter == self.preamble().counter()
            && (!dependences.uses_line || has_same_lines())
    }
}

/// The tokens of a declaration's new text, which begins with the token `first`, in a state with the new text
/// of the main file.
fn prepared_region(
    state: &mut State,
    path: &Path,
    text: &Arc<str>,
    region: &str,
    first: &Token,
) -> Option<PreparedFile> {
    state.replace_main(path, text.clone());
    let mut prepared = prepare(FileId::MAIN, region, &mut state.interner);
    for token in &mut prepared.tokens {
        token.span.start += first.span.start;
        token.span.end += first.span.start;
    }
    let token = prepared.tokens.first_mut()?;
    *token = token.spaced_as(*first);
    Some(prepared)
}

impl State {
    /// Whether more has changed than the tokens of a declaration.
    fn has_effects_beyond(&self, before: &State) -> bool {
        self.counter != before.counter
            || self.other_pragmas.len() != before.other_pragmas.len()
            || self.dependences.has_pragma_operator
            || self.macro_changes.len() != before.macro_changes.len()
    }

    /// Moves what is behind the declaration. `count` is the number of expansions that were there before.
    fn shift(&mut self, shift: &Shift, count: usize) {
        for expansion in &mut self.expansions[..count] {
            shift.apply(&mut expansion.invocation);
            shift.apply(&mut expansion.definition);
        }
        let mut names = FxHashSet::default();
        for (offset, name) in self.macro_changes.iter_mut().filter(|it| it.0 >= shift.end) {
            *offset = shift.edit.moved(*offset);
            names.insert(*name);
        }
        for name in names {
            let pushed = self.pushed_macros.get_mut(&name).into_iter().flatten().flatten();
            for definition in self.macros.get_mut(&name).into_iter().chain(pushed) {
                let span = definition.definition;
                if span.file == FileId::MAIN && span.start >= shift.end {
                    *definition = Arc::new(definition.with_spans(|span| shift.apply(span)));
                }
            }
        }
        for pragma in &mut self.other_pragmas {
            shift.apply(&mut pragma.span);
            pragma.tokens.iter_mut().for_each(|it| shift.apply(&mut it.span));
        }
        self.files.iter_mut().filter_map(|it| it.included_at.as_mut()).for_each(|it| shift.apply(it));
    }
}

/// Whether a text has other directives than pragmas that become tokens and conditionals that are complete.
fn has_other_directives(text: &str) -> bool {
    let mut is_line_start = true;
    let mut depth = 0_usize;
    let mut tokens = lexer::tokens(text).filter(|it| !it.0.is_trivia() || it.0 == SyntaxKind::NEWLINE);
    while let Some((kind, _)) = tokens.next() {
        is_line_start = if kind == SyntaxKind::HASH && is_line_start {
            let mut word = || tokens.next().map_or("", |it| &text[it.1]);
            match word() {
                "pragma" if FAMILIES.contains(&word()) => {}
                "if" | "ifdef" | "ifndef" => depth += 1,
                "elif" | "else" if depth > 0 => {}
                "endif" if depth > 0 => depth -= 1,
                _ => return true,
            }
            false
        } else {
            kind == SyntaxKind::NEWLINE
        };
    }
    depth > 0
}
