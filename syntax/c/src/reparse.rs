//! Incremental parse of an edit inside of one external declaration: this declaration alone is preprocessed
//! and parsed, the trees of all others are kept (Wagner, *Practical Algorithms for Incremental Software
//! Development Environments*, 1998; the block reparse of rust-analyzer).
//!
//! The parser runs over the tokens of the new text in the state that it had in front of the declaration, and
//! the result counts only if it ends where the declaration ended before: what follows is then parsed as it
//! was. Everything else is parsed from the beginning.

use std::ops::Range;
use std::sync::Arc;

use apg_source::{TextRange, TextSize};
use rowan::NodeOrToken;

use crate::files::{FileId, FileSystem};
use crate::parse::{Parse, ParsedUnit, kinds};
use crate::parser::limits::MAX_ERRORS;
use crate::parser::{ParseError, has_xcalablemp, parse_declaration};
use crate::preprocessor::Unit;
use crate::preprocessor::splice::Edit;
use crate::syntax_error::SyntaxError;
use crate::toolchain::Toolchain;
use crate::tree;

/// An external declaration of a tree.
struct Declaration {
    /// The number of its node among the children of the translation unit.
    child: usize,
    /// Its range in the text of the tree.
    range: TextRange,
    /// Its tokens.
    tokens: Range<usize>,
}

/// A unit and its trees for another text of its main file. `None` if more differs than the inside of one
/// declaration, or if others may depend on the difference.
pub fn reparse(
    unit: &Unit,
    parsed: &ParsedUnit,
    text: &Arc<str>,
    toolchain: &Toolchain,
    file_system: &dyn FileSystem,
) -> Option<(Unit, ParsedUnit)> {
    let old = &parsed.main;
    if !old.is_whole || !unit.has_same_files(file_system) {
        return None;
    }
    let edit = Edit::between(&unit.file(FileId::MAIN).text, text)?;
    let declaration = declaration_around(unit, old, &edit)?;
    let Range { start, end: old_end } = declaration.tokens.clone();
    let (unit, end) =
        unit.with_declaration(text, edit, declaration.tokens.clone(), toolchain, file_system)?;
    let tokens = unit.tokens();
    if has_xcalablemp(&unit, &tokens[start..end]) {
        return None;
    }
    let (new_kinds, mut wrong) = kinds(&unit, tokens, start..end);
    let all_kinds = spliced(&old.kinds, start..old_end, new_kinds, |it| it);
    let (before, names) = (old.scope.before(start), parsed.preamble.typedef_names.clone());
    let mut found = parse_declaration(&unit, tokens, &all_kinds, start, names, before);
    found.errors.append(&mut wrong);
    found.errors.sort_by_key(|it| it.position);
    let is_inside = |it: &ParseError| (start + 1..end).contains(&it.position);
    if found.gave_up || found.end != end || !found.errors.iter().all(is_inside) {
        return None;
    }
    let scope = old.scope.with_declaration(found.scope, declaration.tokens.clone(), end)?;
    let offset = u32::from(declaration.range.start());
    let (node, starts) = tree::build_declaration(&unit, tokens, &all_kinds, (start, offset), found.events)?;
    let (old_length, length) = (u32::from(declaration.range.len()), u32::from(node.text_len()));
    let parse = Parse {
        green: old.green.replace_child(declaration.child, NodeOrToken::Node(node)),
        errors: Arc::new([]),
        tokens: tokens.clone(),
        kinds: all_kinds.into(),
        starts: spliced(&old.starts, start..old_end, starts, |it| it - old_length + length).into(),
        scope: Arc::new(scope),
        is_whole: true,
    };
    let errors = found.errors.into_iter().map(|it| parse.error(&unit, it)).collect();
    let errors = spliced_errors(old, &parse, &declaration, errors)?;
    let main = Parse { errors: errors.into(), ..parse };
    Some((unit, ParsedUnit { preamble: parsed.preamble.clone(), main, replaced: Some(declaration.range) }))
}

/// The declaration that an edit is inside of.
fn declaration_around(unit: &Unit, parse: &Parse, edit: &Edit) -> Option<Declaration> {
    let mut offset = TextSize::from(0);
    parse.green.children().enumerate().find_map(|(child, it)| {
        let range = TextRange::at(offset, it.text_len());
        offset = range.end();
        let first = parse.starts.partition_point(|it| *it < range.start().into());
        let end = parse.starts.partition_point(|it| *it < range.end().into());
        let is_it = matches!(it, NodeOrToken::Node(_)) && unit.is_edit_inside(&(first..end), edit);
        is_it.then_some(Declaration { child, range, tokens: first..end })
    })
}

/// A list with a range of it replaced, and what follows changed.
fn spliced<T: Copy>(old: &[T], range: Range<usize>, new: Vec<T>, change: impl Fn(T) -> T) -> Vec<T> {
    let mut all = Vec::with_capacity(old.len() + new.len());
    all.extend_from_slice(&old[..range.start]);
    all.extend(new);
    all.extend(old[range.end..].iter().map(|it| change(*it)));
    all
}

/// All errors, given those of a new declaration. `None` if an error may belong to it or to its neighbour.
fn spliced_errors(
    old: &Parse,
    new: &Parse,
    declaration: &Declaration,
    found: Vec<SyntaxError>,
) -> Option<Vec<SyntaxError>> {
    let end = declaration.tokens.end;
    let next = old.starts.get(end).copied().map_or(old.green.text_len(), TextSize::from);
    let is_near = |it: &SyntaxError| {
        let at = it.range.start();
        at == declaration.range.start() || (declaration.range.end()..=next).contains(&at)
    };
    if old.errors.iter().any(is_near) || old.errors.len() + found.len() >= MAX_ERRORS {
        return None;
    }
    let count = old.errors.partition_point(|it| it.range.start() < declaration.range.start());
    let behind = old.errors.partition_point(|it| it.range.start() <= next);
    let mut errors = old.errors[..count].to_vec();
    errors.extend(found);
    let new_end = new.tokens.len() - (old.tokens.len() - end);
    for error in &old.errors[behind..] {
        // The token has moved, and with it its places in the tree and in the file.
        let token = old.starts.partition_point(|it| *it < error.range.start().into()) - end + new_end;
        let range = TextRange::at(
            new.starts.get(token).map_or(new.green.text_len(), |it| (*it).into()),
            error.range.len(),
        );
        let span = new.tokens.get(token).map(|it| it.span);
        let last = || new.tokens.last().map(|it| crate::files::Span { start: it.span.end, ..it.span });
        errors.push(SyntaxError { range, span: span.or_else(last)?, ..error.clone() });
    }
    Some(errors)
}
