//! Assist: organise imports. Sorts them and removes unused ones.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange, TextSize};
use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::diagnostics::TextEdit;
use crate::ids::SourceFile;
use crate::inputs::parse;

/// A group of adjacent imports. Comments between imports separate groups and stay where they are.
#[derive(Default)]
struct Group {
    /// The comments before the group, with the empty lines around them.
    before: String,
    /// The resulting imports, each with its trailing comment.
    lines: Vec<String>,
}

/// The edit that sorts the imports of a file, and removes duplicates and single-type imports of types that
/// the file does not name. `None` if nothing changes. Imports below a comment form a group that is sorted
/// separately.
pub fn organized_imports(db: &dyn Db, file: SourceFile) -> Option<TextEdit> {
    let parse = parse(db, file);
    if !parse.errors().is_empty() {
        return None;
    }
    let text = file.text(db);
    let tree: ast::SourceFile = parse.tree();
    let imports: Vec<ast::ImportDecl> = tree.import_decls().collect();
    let range_of = |import: &ast::ImportDecl| import.syntax().text_range();
    let last = range_of(imports.last()?).end();
    let end = last + TextSize::of(behind(&text[usize::from(last)..]));
    let range = TextRange::new(range_of(imports.first()?).start(), end);
    let named = names_of_types(&tree);
    let mut seen = FxHashSet::default();
    let mut groups = vec![Group::default()];
    for (nth, import) in imports.iter().enumerate() {
        let next = imports.get(nth + 1).map_or(end, |next| range_of(next).start());
        let gap = &text[usize::from(range_of(import).end())..usize::from(next)];
        let comment = behind(gap);
        if let Some(line) = line(import, &named)
            && seen.insert(line.clone())
        {
            groups.last_mut()?.lines.push(line + comment);
        }
        let between = &gap[comment.len()..];
        if !between.trim().is_empty() {
            groups.push(Group { before: between.to_owned(), lines: Vec::new() });
        }
    }
    let mut new = String::new();
    for mut group in groups {
        group.lines.sort();
        new += match (new.is_empty(), group.lines.is_empty()) {
            (true, _) => group.before.trim_start(),
            (false, true) => group.before.trim_end(),
            (false, false) => &group.before,
        };
        new += &group.lines.join("\n");
    }
    (new != text[range]).then_some(TextEdit { file: Some(file), range, text: new })
}

/// The resulting text of an import; `None` if it is unused.
fn line(import: &ast::ImportDecl, named: &FxHashSet<String>) -> Option<String> {
    let name = import.qualified_name()?.text();
    let simple = name.rsplit('.').next().unwrap_or(&name);
    let used = import.is_on_demand() || named.contains(simple);
    let ending = if import.is_on_demand() { ".*" } else { "" };
    used.then(|| format!("import {name}{ending};"))
}

/// The trailing comment of an import, on the same line.
fn behind(gap: &str) -> &str {
    let line = gap.split(['\n', '\r']).next().unwrap_or_default();
    let comment = line.trim();
    // A comment that continues on the next line stays before the next import.
    let ends = comment.starts_with("//") || comment.starts_with("/*") && comment.ends_with("*/");
    if ends { line.trim_end() } else { "" }
}

/// All names in the file outside of imports: each may name a type.
fn names_of_types(tree: &ast::SourceFile) -> FxHashSet<String> {
    let outside = tree.syntax().children().filter(|n| n.kind() != SyntaxKind::IMPORT_DECL);
    let tokens = outside.flat_map(|n| n.descendants_with_tokens().filter_map(|e| e.into_token()));
    let names = tokens.filter(|t| t.kind() == SyntaxKind::IDENT);
    names.map(|t| t.text().trim_matches('`').to_owned()).collect()
}
