//! Built-in macros (C17 6.10.8) and the operators `defined` and `__has_...` of conditions.

use std::sync::Arc;

use super::Preprocessor;
use super::files::State;
use super::macros::{Builtin, Macro};
use super::token::{ExpansionId, Token};
use crate::files::{FileId, Span};
use crate::syntax_kind::SyntaxKind;

/// Attributes of GNU C that both GCC and Clang have: `__has_attribute` of them is 1.
const ATTRIBUTES: &[&str] = &[
    "access",
    "alias",
    "aligned",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cleanup",
    "cold",
    "common",
    "const",
    "constructor",
    "copy",
    "deprecated",
    "designated_init",
    "destructor",
    "fallthrough",
    "flatten",
    "format",
    "format_arg",
    "gnu_inline",
    "hot",
    "ifunc",
    "leaf",
    "malloc",
    "may_alias",
    "mode",
    "naked",
    "no_instrument_function",
    "no_sanitize",
    "noclone",
    "nocommon",
    "noinline",
    "nonnull",
    "nonstring",
    "noreturn",
    "nothrow",
    "optimize",
    "packed",
    "pure",
    "returns_nonnull",
    "returns_twice",
    "section",
    "sentinel",
    "target",
    "tls_model",
    "transparent_union",
    "unavailable",
    "unused",
    "used",
    "vector_size",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused_result",
    "weak",
    "weakref",
];

/// Functions of the C library that headers ask `__has_builtin` for, and that are none.
const NO_BUILTINS: &[&str] = &["fclose", "fdopen", "fopen", "freopen", "open_memstream", "popen", "tmpfile"];

/// Defines the macros whose value changes.
pub(super) fn define(state: &mut State) {
    for (name, builtin) in Builtin::ALL {
        let name = state.interner.intern(name);
        let definition = Macro {
            definition: Span { file: FileId::PREDEFINED, start: 0, end: 0 },
            parameters: None,
            body: Arc::new([]),
            builtin: Some(builtin),
        };
        state.macros.insert(name, Arc::new(definition));
    }
}

impl Preprocessor<'_> {
    /// Whether a name is a macro, or an operator that `#ifdef` knows.
    pub(super) fn is_defined(&mut self, name: Token) -> bool {
        self.depends_on_place |= self.later_macros.contains(&name.text);
        self.state.macros.contains_key(&name.text)
            || matches!(
                self.text(name.text),
                "__has_include"
                    | "__has_include_next"
                    | "__has_attribute"
                    | "__has_builtin"
                    | "__has_c_attribute"
            )
    }

    /// The value of a built-in macro.
    pub(super) fn builtin_value(&mut self, builtin: Builtin, at: Token) -> Token {
        let place = self.place();
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let (kind, text) = match builtin {
            Builtin::Line => {
                // In what a macro expands to, as in GCC, the line of the macro's name.
                let is_expanded = at.expansion != ExpansionId::NONE;
                let place = if is_expanded { self.state.expansion_site(&at) } else { place };
                self.state.dependences.uses_line |= place.file == FileId::MAIN;
                let line = i64::from(self.state.line(place.file, place.start));
                let shift = self.frames.last().map_or(0, |it| it.line_shift);
                (SyntaxKind::PP_NUMBER, (line + shift).to_string())
            }
            Builtin::File => {
                let name = self.frames.last().and_then(|it| it.name.clone());
                let name = name.unwrap_or_else(|| self.file(place.file).path.to_string_lossy().into_owned());
                (SyntaxKind::STRING, quoted(&name))
            }
            Builtin::BaseFile => {
                (SyntaxKind::STRING, quoted(&self.file(FileId::MAIN).path.to_string_lossy()))
            }
            Builtin::Counter => {
                self.state.counter += 1;
                (SyntaxKind::PP_NUMBER, (self.state.counter - 1).to_string())
            }
            Builtin::IncludeLevel => (SyntaxKind::PP_NUMBER, self.frames.len().saturating_sub(1).to_string()),
            // Of the right form and always the same, so that equal programs give equal results.
            Builtin::Date => (SyntaxKind::STRING, "\"Jan  1 1970\"".to_string()),
            Builtin::Time => (SyntaxKind::STRING, "\"00:00:00\"".to_string()),
            Builtin::Timestamp => (SyntaxKind::STRING, "\"Thu Jan  1 00:00:00 1970\"".to_string()),
        };
        self.synthetic(kind, &text, at)
    }

    /// Where the reader is in the file.
    fn place(&self) -> Span {
        match self.frames.last() {
            Some(frame) if frame.id != self.last_span.file => Span { file: frame.id, start: 0, end: 0 },
            _ => self.last_span,
        }
    }

    fn synthetic(&mut self, kind: SyntaxKind, text: &str, at: Token) -> Token {
        let text = self.state.interner.intern(text);
        Token { kind, text, flags: at.flags | Token::SYNTHETIC, ..at }
    }

    /// `defined NAME` or `defined (NAME)`.
    pub(super) fn defined_operator(&mut self, operator: Token) -> Token {
        let mut name = self.next_raw();
        let has_parenthesis = name.is_some_and(|it| it.kind == SyntaxKind::L_PAREN);
        if has_parenthesis {
            name = self.next_raw();
        }
        let Some(name) = name.filter(|it| it.kind == SyntaxKind::IDENT) else {
            self.error_at(operator, "`defined` needs the name of a macro");
            return self.synthetic(SyntaxKind::PP_NUMBER, "0", operator);
        };
        if has_parenthesis && self.next_raw().is_none_or(|it| it.kind != SyntaxKind::R_PAREN) {
            self.error_at(name, "`defined (` lacks its `)`");
        }
        let value = if self.is_defined(name) { "1" } else { "0" };
        self.synthetic(SyntaxKind::PP_NUMBER, value, operator)
    }

    /// `__has_include(...)` and its kin.
    pub(super) fn feature_operator(&mut self, operator: Token, word: &str) -> Token {
        let Some(open) = self.next_raw() else {
            return operator;
        };
        if open.kind != SyntaxKind::L_PAREN {
            self.push_context(Arc::new([open]), None, false);
            return operator;
        }
        let mut inside = Vec::new();
        let mut depth = 0;
        while let Some(token) = self.next_raw() {
            match token.kind {
                SyntaxKind::L_PAREN => depth += 1,
                SyntaxKind::R_PAREN if depth == 0 => break,
                SyntaxKind::R_PAREN => depth -= 1,
                _ => {}
            }
            inside.push(token);
        }
        let holds = match word {
            "__has_include" | "__has_include_next" => {
                self.depends_on_place = true;
                let header = self.header_name(&inside);
                header.is_some_and(|it| self.has_header(&it, word == "__has_include_next", operator.span))
            }
            "__has_attribute" => inside.first().is_some_and(|it| {
                let name = self.text(it.text).trim_matches('_');
                ATTRIBUTES.contains(&name)
            }),
            "__has_builtin" => inside.first().is_some_and(|it| {
                let name = self.text(it.text).strip_prefix("__builtin_");
                name.is_some_and(|it| !NO_BUILTINS.contains(&it))
            }),
            _ => false,
        };
        self.synthetic(SyntaxKind::PP_NUMBER, if holds { "1" } else { "0" }, operator)
    }
}
