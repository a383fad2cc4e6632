//! Links of a document, and names in it that are edited as one.

use apg_analysis::ide::{self, Symbol};
use apg_analysis::{Cancelled, db};
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange, TextSize};
use tower_lsp_server::ls_types::{DocumentLink, LinkedEditingRanges, Position, Uri};

use crate::convert;
use crate::world::Snapshot;

impl Snapshot {
    /// Imports lead to the files they name, addresses in comments to where they point.
    pub fn links(&self, uri: &Uri) -> Result<Option<Vec<DocumentLink>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let (imports, addresses) = self.analysis.with(|db| {
            let parse = db::parse(db, file);
            let tree: ast::SourceFile = parse.tree();
            let names = tree.import_decls().filter_map(|import| import.qualified_name());
            let imports: Vec<_> = names
                .filter_map(|name| {
                    let range = name.syntax().text_range();
                    let (symbol, _) = ide::symbol_at(db, file, range.end())?;
                    let (target, at) = ide::declaration(db, &symbol)?;
                    Some((range, target, at))
                })
                .collect();
            let tokens = parse.syntax().descendants_with_tokens().filter_map(|e| e.into_token());
            let comments = tokens.filter(|t| {
                matches!(
                    t.kind(),
                    SyntaxKind::LINE_COMMENT | SyntaxKind::BLOCK_COMMENT | SyntaxKind::DOC_COMMENT
                )
            });
            let addresses: Vec<_> =
                comments.flat_map(|t| addresses(t.text(), t.text_range().start())).collect();
            (imports, addresses)
        })?;
        let link = |range, target: Uri| DocumentLink {
            range: self.range(&document, range),
            target: Some(target),
            tooltip: None,
            data: None,
        };
        let to_file = |(range, file, at): (TextRange, _, TextRange)| {
            let location = convert::location(self, file, at)?;
            let line = location.range.start.line + 1;
            Some(link(range, format!("{}#L{line}", location.uri.as_str()).parse().ok()?))
        };
        let mut all: Vec<DocumentLink> = imports.into_iter().filter_map(to_file).collect();
        all.extend(
            addresses.into_iter().filter_map(|(range, address)| Some(link(range, address.parse().ok()?))),
        );
        Ok(Some(all))
    }

    /// The uses of the local, formal, label or type parameter under the cursor: all of them are in sight.
    pub fn linked_ranges(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<LinkedEditingRanges>, Cancelled> {
        let Some((document, file, offset)) = self.at(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| {
            if let Some(uses) = ide::label_uses(db, file, offset) {
                return Some(uses);
            }
            let (symbol, _) = ide::symbol_at(db, file, offset)?;
            let is_near = matches!(symbol, Symbol::Local { .. } | Symbol::TypeParam(_));
            is_near.then(|| ide::references(db, &[file], &symbol).iter().map(|r| r.range).collect())
        })?;
        let ranges = found.map(|all| all.iter().map(|range| self.range(&document, *range)).collect());
        // The same as in the language configurations of editors: letters, digits and `_`.
        Ok(ranges.map(|ranges| LinkedEditingRanges { ranges, word_pattern: None }))
    }
}

/// The addresses of the web in a comment.
fn addresses(comment: &str, start: TextSize) -> Vec<(TextRange, String)> {
    let mut found = Vec::new();
    for (at, _) in comment.match_indices("http") {
        let rest = &comment[at..];
        if !rest.starts_with("https://") && !rest.starts_with("http://") {
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '{' | '}'));
        let address =
            rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ',', ';', ':', ')', '\'', '*', '/']);
        let Ok(offset) = u32::try_from(at) else { break };
        found.push((TextRange::at(start + TextSize::new(offset), TextSize::of(address)), address.to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_prose_begins() {
        let found = addresses("// see https://x10-lang.org/doc. (http://a.b/c) nohttp", TextSize::new(10));
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["https://x10-lang.org/doc", "http://a.b/c"]);
        assert_eq!(found[0].0.start(), TextSize::new(17));
    }
}
