//! Completion. The documentation of an item is computed when the client resolves it.

use apg_analysis::Cancelled;
use apg_analysis::SourceFile;
use apg_analysis::ide::{self, Completion, CompletionKind, Symbol};
use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionTextEdit, Documentation,
    InsertTextFormat, Position, Uri,
};

use super::hints::markdown;
use crate::document::Document;
use crate::snapshot::Snapshot;

/// The origin of an item, which the client sends back to resolve it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CompletionOrigin {
    uri: Uri,
    position: Position,
    index: usize,
}

impl Snapshot {
    /// The completions at a position.
    pub(crate) fn completion(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Vec<CompletionItem>>, Cancelled> {
        if let Some((document, language)) = self.in_other_language(uri) {
            return language.completion(self, document, position).map(Some);
        }
        let Some((document, file, offset)) = self.resolve(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| ide::completions(db, file, offset))?;
        let item = |(index, completion): (usize, &Completion)| {
            let origin = CompletionOrigin { uri: uri.clone(), position, index };
            self.completion_item(&document, file, completion, &origin)
        };
        Ok(Some(found.iter().enumerate().map(item).collect()))
    }

    fn completion_item(
        &self,
        document: &Document,
        file: SourceFile,
        completion: &Completion,
        origin: &CompletionOrigin,
    ) -> CompletionItem {
        let snippets = self.config.snippets;
        let text = match completion.is_snippet && !snippets {
            true => plain_text(&completion.insert),
            false => completion.insert.clone(),
        };
        let text_edit = |range, text: &str| document.text.edit(range, text, self.config.encoding);
        let edit = text_edit(completion.replace, &text);
        let also = completion.also.iter().map(|edit| text_edit(edit.range, &edit.text));
        debug_assert!(completion.also.iter().all(|edit| edit.file.is_none_or(|other| other == file)));
        let is_callable = completion.kind == CompletionKind::Method;
        CompletionItem {
            label: completion.label.clone(),
            label_details: is_callable
                .then(|| CompletionItemLabelDetails { detail: completion.detail.clone(), description: None }),
            kind: Some(kind(completion.kind)),
            detail: completion.detail.clone(),
            sort_text: Some(format!("{:03}{}", completion.rank, completion.label)),
            filter_text: Some(match &completion.filter {
                Some(filter) => filter.clone(),
                None => completion.label.trim_start_matches("def ").to_owned(),
            }),
            insert_text_format: Some(match completion.is_snippet && snippets {
                true => InsertTextFormat::SNIPPET,
                false => InsertTextFormat::PLAIN_TEXT,
            }),
            text_edit: Some(CompletionTextEdit::Edit(edit)),
            additional_text_edits: Some(also.collect::<Vec<_>>()).filter(|edits| !edits.is_empty()),
            data: completion.symbol.and_then(|_| serde_json::to_value(origin).ok()),
            ..CompletionItem::default()
        }
    }

    /// Adds the documentation to an item.
    pub(crate) fn resolve_completion(&self, mut item: CompletionItem) -> Result<CompletionItem, Cancelled> {
        let origin = item.data.clone().and_then(|data| serde_json::from_value::<CompletionOrigin>(data).ok());
        let Some(origin) = origin else { return Ok(item) };
        let Some((_, file, offset)) = self.resolve(&origin.uri, origin.position) else { return Ok(item) };
        let documentation = self.analysis.with(|db| {
            // The text may have changed since: the item must still have the same label and detail.
            let all = ide::completions(db, file, offset);
            let same = |c: &&Completion| c.label == item.label && c.detail == item.detail;
            let completion = all.get(origin.index).filter(same).or_else(|| all.iter().find(same))?;
            match completion.symbol? {
                Symbol::Item(found) => ide::documentation(db, found),
                _ => None,
            }
        })?;
        item.documentation = documentation.map(|text| Documentation::MarkupContent(markdown(text)));
        Ok(item)
    }
}

/// The text of a snippet without its tab stops.
fn plain_text(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet;
    while let Some(at) = rest.find(['$', '\\']) {
        text.push_str(&rest[..at]);
        let is_escape = rest[at..].starts_with('\\');
        rest = &rest[at + 1..];
        if is_escape {
            let end = rest.chars().next().map_or(0, char::len_utf8);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        if let Some(tab_stop) = rest.strip_prefix('{') {
            let end = tab_stop.find('}').unwrap_or(tab_stop.len());
            text.push_str(tab_stop[..end].split_once(':').map_or("", |(_, name)| name));
            rest = tab_stop.get(end + 1..).unwrap_or_default();
        } else {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    text + rest
}

fn kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Local => CompletionItemKind::VARIABLE,
        CompletionKind::Field => CompletionItemKind::FIELD,
        CompletionKind::Method => CompletionItemKind::METHOD,
        CompletionKind::Class | CompletionKind::TypeDef => CompletionItemKind::CLASS,
        CompletionKind::Struct => CompletionItemKind::STRUCT,
        CompletionKind::Interface => CompletionItemKind::INTERFACE,
        CompletionKind::TypeParam => CompletionItemKind::TYPE_PARAMETER,
        CompletionKind::Package => CompletionItemKind::MODULE,
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        CompletionKind::Snippet => CompletionItemKind::SNIPPET,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn snippets_become_plain_text() {
        assert_eq!(super::plain_text("for (${1:i} in 0..${2:n}) {\n    $0\n}"), "for (i in 0..n) {\n    \n}");
        assert_eq!(super::plain_text("f($1)$0"), "f()");
        assert_eq!(super::plain_text("val ${1:name} = \\$a(\\}\\\\);$0"), "val name = $a(}\\);");
    }
}
