//! Document links and linked editing.

use apg_analysis::ide::{self, Symbol};
use apg_analysis::{Cancelled, parse};
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange, TextSize};
use tower_lsp_server::ls_types::{DocumentLink, LinkedEditingRanges, Position, Uri};

use crate::lsp::to_proto;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// Links of imports to the files that they name, and of web addresses in comments.
    pub(crate) fn document_links(&self, uri: &Uri) -> Result<Option<Vec<DocumentLink>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let (imports, addresses) = self.analysis.with(|db| {
            let parse = parse(db, file);
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
                comments.flat_map(|t| web_addresses(t.text(), t.text_range().start())).collect();
            (imports, addresses)
        })?;
        let link = |range, target: Uri| DocumentLink {
            range: self.range(&document, range),
            target: Some(target),
            tooltip: None,
            data: None,
        };
        let to_file = |(range, file, at): (TextRange, _, TextRange)| {
            let location = to_proto::location(self, file, at)?;
            let line = location.range.start.line + 1;
            Some(link(range, format!("{}#L{line}", location.uri.as_str()).parse().ok()?))
        };
        let mut all: Vec<DocumentLink> = imports.into_iter().filter_map(to_file).collect();
        all.extend(
            addresses.into_iter().filter_map(|(range, address)| Some(link(range, address.parse().ok()?))),
        );
        Ok(Some(all))
    }

    /// The uses of the local variable, formal parameter, label or type parameter under the cursor, which are
    /// edited together.
    pub(crate) fn linked_editing_ranges(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<LinkedEditingRanges>, Cancelled> {
        let Some((document, file, offset)) = self.resolve(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| {
            if let Some(uses) = ide::label_uses(db, file, offset) {
                return Some(uses);
            }
            let (symbol, _) = ide::symbol_at(db, file, offset)?;
            let is_local = matches!(symbol, Symbol::Local { .. } | Symbol::TypeParam(_));
            is_local.then(|| ide::references(db, &[file], &symbol).iter().map(|r| r.range).collect())
        })?;
        let ranges = found.map(|all| all.iter().map(|range| self.range(&document, *range)).collect());
        // Without a pattern, clients use the word pattern of the language.
        Ok(ranges.map(|ranges| LinkedEditingRanges { ranges, word_pattern: None }))
    }
}

/// The web addresses in a comment.
fn web_addresses(comment: &str, start: TextSize) -> Vec<(TextRange, String)> {
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
    fn web_addresses_end_before_punctuation() {
        let found =
            web_addresses("// see https://x10-lang.org/doc. (http://a.b/c) nohttp", TextSize::new(10));
        let addresses: Vec<&str> = found.iter().map(|(_, address)| address.as_str()).collect();
        assert_eq!(addresses, ["https://x10-lang.org/doc", "http://a.b/c"]);
        assert_eq!(found[0].0.start(), TextSize::new(17));
    }
}
