//! Imports in order, without those that nothing uses.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange};
use rustc_hash::FxHashSet;

use crate::db::{Db, parse};
use crate::diagnostics::TextEdit;
use crate::ids::SourceFile;

/// The edit that sorts the imports of a file, drops those that are written twice, and those of a single type that the file
/// does not name. `None` if there is nothing to do, or comments between the imports, which belong to one of them.
pub fn organized_imports(db: &dyn Db, file: SourceFile) -> Option<TextEdit> {
    let parse = parse(db, file);
    if !parse.errors().is_empty() {
        return None;
    }
    let tree: ast::SourceFile = parse.tree();
    let imports: Vec<ast::ImportDecl> = tree.import_decls().collect();
    let (first, last) = (imports.first()?, imports.last()?);
    let range = TextRange::new(first.syntax().text_range().start(), last.syntax().text_range().end());
    let old = &file.text(db)[range];
    if old.contains("//") || old.contains("/*") {
        return None;
    }
    let named = names_of_types(&tree);
    let mut lines: Vec<String> = imports
        .iter()
        .filter_map(|import| {
            let name = import.qualified_name()?.text();
            let simple = name.rsplit('.').next().unwrap_or(&name);
            let used = import.is_on_demand() || named.contains(simple);
            let ending = if import.is_on_demand() { ".*" } else { "" };
            used.then(|| format!("import {name}{ending};"))
        })
        .collect();
    lines.sort();
    lines.dedup();
    let new = lines.join("\n");
    (new != old).then_some(TextEdit { file: Some(file), range, text: new })
}

/// All names that may stand for a type in the code of a file: any name outside the imports.
fn names_of_types(tree: &ast::SourceFile) -> FxHashSet<String> {
    let outside = tree.syntax().children().filter(|n| n.kind() != SyntaxKind::IMPORT_DECL);
    let tokens = outside.flat_map(|n| n.descendants_with_tokens().filter_map(|e| e.into_token()));
    let names = tokens.filter(|t| t.kind() == SyntaxKind::IDENT);
    names.map(|t| t.text().trim_matches('`').to_owned()).collect()
}
