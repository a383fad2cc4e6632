//! Source file inclusion (C17 6.10.2) with `#include_next`, `#pragma once` and include guards.

use std::path::{Path, PathBuf};

use super::files::Frame;
use super::limits::MAX_INCLUDE_DEPTH;
use super::token::{ExpansionId, Token};
use super::{PreprocessError, Preprocessor, Severity};
use crate::files::{FileId, SourceFile, Span};
use crate::syntax_kind::SyntaxKind;

/// The name in an `#include`.
pub(super) struct HeaderName {
    name: String,
    is_quoted: bool,
}

/// A header that was found.
struct Found {
    id: FileId,
    folder: Option<usize>,
}

impl Preprocessor<'_> {
    /// Starts the predefined macros or the main file, at an offset.
    pub(super) fn enter_main(&mut self, id: FileId, from: u32) {
        let file = self.state.prepared(id);
        let position = file.tokens.partition_point(|it| it.span.start < from);
        self.enter(id, position, None);
    }

    fn enter(&mut self, id: FileId, position: usize, folder: Option<usize>) {
        let file = self.state.prepared(id);
        self.frames.push(Frame {
            id,
            file,
            position,
            conditionals: Vec::new(),
            folder,
            line_shift: 0,
            name: None,
        });
    }

    /// `#include`, `#include_next` and `#import`.
    pub(super) fn include(&mut self, directive: Token, rest: &[Token], word: &str) {
        let Some(header) = self.header_name(rest) else {
            return self.error_at(directive, format!("`#{word}` needs \"file\" or <file>"));
        };
        let span = directive.span.to(rest.last().map_or(directive.span, |it| it.span));
        let Some(found) = self.find_header(&header, word == "include_next", span) else {
            let message = format!("the file `{}` is not found", header.name);
            let error = PreprocessError::new(Severity::Error, span, ExpansionId::NONE, message);
            return self.report(error.with_hint("add its folder with `-I`"));
        };
        if word == "import" {
            self.state.once.insert(found.id);
        }
        let file = self.state.prepared(found.id);
        let is_guarded = file.guard.is_some_and(|it| self.state.macros.contains_key(&it));
        let read_before = self.state.once.contains(&found.id) && word != "import";
        if is_guarded || read_before {
            return;
        }
        if self.frames.len() > MAX_INCLUDE_DEPTH {
            let message = format!(
                "files include each other more than {MAX_INCLUDE_DEPTH} levels deep: `{}` may include itself",
                header.name
            );
            return self.give_up(span, message);
        }
        self.enter(found.id, 0, found.folder);
    }

    /// The header that the tokens name; macros in them are expanded.
    pub(super) fn header_name(&mut self, rest: &[Token]) -> Option<HeaderName> {
        let first = rest.first()?;
        let expanded;
        let tokens = match first.kind {
            SyntaxKind::STRING | SyntaxKind::LT | SyntaxKind::ERROR_TOKEN => rest,
            _ => {
                expanded = self.expand_line(rest.into());
                &expanded
            }
        };
        let first = tokens.first()?;
        if first.kind == SyntaxKind::STRING {
            let name = self.text(first.text).trim_matches('"').to_string();
            return Some(HeaderName { name, is_quoted: true });
        }
        if first.kind != SyntaxKind::LT {
            return None;
        }
        // A header name has no tokens: it is what stands between the brackets.
        if first.is_spelled() {
            let text = &self.file(first.span.file).text[first.span.end as usize..];
            let line = text.lines().next().unwrap_or_default();
            let name = line.split_once('>')?.0.to_string();
            return Some(HeaderName { name, is_quoted: false });
        }
        let end = tokens.iter().position(|it| it.kind == SyntaxKind::GT)?;
        let name = self.spelled_text(&tokens[1..end]);
        Some(HeaderName { name, is_quoted: false })
    }

    /// Whether a header is there.
    pub(super) fn has_header(&mut self, header: &HeaderName, next: bool, span: Span) -> bool {
        self.find_header(header, next, span).is_some()
    }

    fn find_header(&mut self, header: &HeaderName, next: bool, span: Span) -> Option<Found> {
        let frame = self.frames.last()?;
        let includer = frame.id;
        let from_folder = frame.folder.filter(|_| next).map_or(0, |it| it + 1);
        let toolchain = self.toolchain;
        let from_system = self.file(includer).is_system;
        let path = Path::new(&header.name);
        if path.is_absolute() {
            let id = self.read(path, from_system, span)?;
            return Some(Found { id, folder: None });
        }
        if header.is_quoted && !(next && frame.folder.is_some()) {
            let own = self.file(includer).path.parent().unwrap_or(Path::new("")).join(path);
            let folder = self.frames.last()?.folder;
            let quoted = toolchain.quote_dirs.iter().map(|it| it.join(path));
            let candidates: Vec<PathBuf> = std::iter::once(own).chain(quoted).collect();
            for (index, candidate) in candidates.iter().enumerate() {
                if let Some(id) = self.read(candidate, from_system, span) {
                    return Some(Found { id, folder: folder.filter(|_| index == 0) });
                }
            }
        }
        for (index, folder) in toolchain.include_dirs.iter().enumerate().skip(from_folder) {
            if let Some(id) = self.read(&folder.path.join(path), folder.is_system, span) {
                return Some(Found { id, folder: Some(index) });
            }
        }
        None
    }

    fn read(&mut self, path: &Path, is_system: bool, span: Span) -> Option<FileId> {
        if let Some(known) = self.state.paths.get(path) {
            return *known;
        }
        let id = self.file_system.read(path).map(|text| {
            self.state.add_file(SourceFile {
                path: path.to_path_buf(),
                text,
                is_system,
                included_at: Some(span),
            })
        });
        self.state.paths.insert(path.to_path_buf(), id);
        id
    }
}
