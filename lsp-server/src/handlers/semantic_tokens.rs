//! Semantic tokens, whole or as a delta to what the client has.

use apg_analysis::{Cancelled, ide};
use apg_source::{TextRange, TextSize};
use apg_syntax::services::HighlightKind;
use rustc_hash::FxHashMap;
use tower_lsp_server::ls_types::{
    Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensDelta,
    SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensLegend, Uri,
};

use crate::document::Document;
use crate::snapshot::Snapshot;

/// Token types of the legend; a token refers to its type by the index in this list.
const TYPES: &[(HighlightKind, SemanticTokenType)] = &[
    (HighlightKind::Keyword, SemanticTokenType::KEYWORD),
    (HighlightKind::Modifier, SemanticTokenType::MODIFIER),
    (HighlightKind::Comment, SemanticTokenType::COMMENT),
    (HighlightKind::String, SemanticTokenType::STRING),
    (HighlightKind::Number, SemanticTokenType::NUMBER),
    (HighlightKind::Operator, SemanticTokenType::OPERATOR),
    (HighlightKind::Namespace, SemanticTokenType::NAMESPACE),
    (HighlightKind::Class, SemanticTokenType::CLASS),
    (HighlightKind::Struct, SemanticTokenType::STRUCT),
    (HighlightKind::Interface, SemanticTokenType::INTERFACE),
    (HighlightKind::Type, SemanticTokenType::TYPE),
    (HighlightKind::TypeParameter, SemanticTokenType::TYPE_PARAMETER),
    (HighlightKind::Parameter, SemanticTokenType::PARAMETER),
    (HighlightKind::Variable, SemanticTokenType::VARIABLE),
    (HighlightKind::Property, SemanticTokenType::PROPERTY),
    (HighlightKind::Method, SemanticTokenType::METHOD),
    (HighlightKind::Decorator, SemanticTokenType::DECORATOR),
    (HighlightKind::Label, SemanticTokenType::new("label")),
];

const DECLARATION_BIT: u32 = 1;
const READONLY_BIT: u32 = 1 << 1;
const STATIC_BIT: u32 = 1 << 2;

/// The legend of token types and modifiers.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.iter().map(|(_, name)| name.clone()).collect(),
        token_modifiers: vec![
            SemanticTokenModifier::DECLARATION,
            SemanticTokenModifier::READONLY,
            SemanticTokenModifier::STATIC,
        ],
    }
}

impl Snapshot {
    /// The tokens of a document, or of a range of it.
    pub(crate) fn semantic_tokens(
        &self,
        uri: &Uri,
        range: Option<Range>,
    ) -> Result<Option<Vec<SemanticToken>>, Cancelled> {
        let in_text = |document: &Document| match range {
            Some(range) => document.text.text_range(range, self.config.encoding),
            None => TextRange::up_to(TextSize::of(&**document.text.text())),
        };
        if let Some((document, language)) = self.in_other_language(uri) {
            let tokens = language.semantic_tokens(self, document, in_text(document))?;
            return Ok(Some(self.encode_tokens(document, &tokens)));
        }
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let range = in_text(&document);
        let mut tokens = self.analysis.with(|db| ide::semantic_tokens(db, file, range))?;
        if self.config.augments_syntax {
            tokens.retain(|token| !is_lexical(token.kind));
        }
        Ok(Some(self.encode_tokens(&document, &tokens)))
    }

    /// Encodes tokens relative to each other. A token of several lines is split, because not all clients
    /// support such tokens.
    fn encode_tokens(&self, document: &Document, tokens: &[ide::Token]) -> Vec<SemanticToken> {
        let mut encoded = Vec::with_capacity(tokens.len());
        let (mut line, mut character) = (0, 0);
        for token in tokens {
            let Some(token_type) = TYPES.iter().position(|(kind, _)| *kind == token.kind) else { continue };
            for part in split_lines(document, token.range) {
                let range = self.range(document, part);
                let delta_line = range.start.line - line;
                let delta_start =
                    if delta_line == 0 { range.start.character - character } else { range.start.character };
                (line, character) = (range.start.line, range.start.character);
                encoded.push(SemanticToken {
                    delta_line,
                    delta_start,
                    length: range.end.character - range.start.character,
                    token_type: u32::try_from(token_type).unwrap_or_default(),
                    token_modifiers_bitset: modifiers(token),
                });
            }
        }
        encoded
    }
}

/// Whether the editor's grammar colours a kind as well, and finer: it distinguishes `class` from `return`.
/// Leaving such tokens out keeps colours stable when the server's arrive.
fn is_lexical(kind: HighlightKind) -> bool {
    use HighlightKind::{Comment, Keyword, Modifier, Number, Operator, String};
    matches!(kind, Comment | Keyword | Modifier | Number | Operator | String)
}

fn modifiers(token: &ide::Token) -> u32 {
    let is_value =
        matches!(token.kind, HighlightKind::Variable | HighlightKind::Parameter | HighlightKind::Property);
    u32::from(token.is_declaration) * DECLARATION_BIT
        + u32::from(is_value && !token.is_mutable) * READONLY_BIT
        + u32::from(token.is_static) * STATIC_BIT
}

/// Splits a range into its lines, without line ends.
fn split_lines(document: &Document, range: TextRange) -> Vec<TextRange> {
    let text = &document.text.text()[range];
    let mut start = range.start();
    let mut parts = Vec::new();
    for line in text.split_inclusive(['\n', '\r']) {
        let length = TextSize::of(line.trim_end_matches(['\n', '\r']));
        if length > TextSize::from(0) {
            parts.push(TextRange::at(start, length));
        }
        start += TextSize::of(line);
    }
    parts
}

/// The tokens that the client has of each document, to send deltas.
#[derive(Debug, Default)]
pub(crate) struct TokenCache {
    by_document: FxHashMap<Uri, (u64, Vec<SemanticToken>)>,
    answers: u64,
}

/// Documents whose tokens are cached.
const MAX_CACHED_DOCUMENTS: usize = 64;

impl TokenCache {
    /// An answer with all tokens.
    pub(crate) fn full(&mut self, uri: Uri, data: Vec<SemanticToken>) -> SemanticTokens {
        self.answers += 1;
        if self.by_document.len() >= MAX_CACHED_DOCUMENTS && !self.by_document.contains_key(&uri) {
            // Evict the least recently requested document: it gets all tokens the next time.
            let oldest = self.by_document.iter().min_by_key(|(_, (id, _))| *id).map(|(uri, _)| uri.clone());
            oldest.map(|uri| self.by_document.remove(&uri));
        }
        self.by_document.insert(uri, (self.answers, data.clone()));
        SemanticTokens { result_id: Some(self.answers.to_string()), data }
    }

    /// An answer with the difference to a previous answer, or all tokens if that is not cached.
    pub(crate) fn delta(
        &mut self,
        uri: Uri,
        previous: &str,
        data: Vec<SemanticToken>,
    ) -> SemanticTokensFullDeltaResult {
        let cached = self.by_document.get(&uri).filter(|(id, _)| id.to_string() == previous);
        let Some(edits) = cached.map(|(_, old)| difference(old, &data)) else {
            return SemanticTokensFullDeltaResult::Tokens(self.full(uri, data));
        };
        let SemanticTokens { result_id, .. } = self.full(uri, data);
        SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta { result_id, edits })
    }
}

/// The single edit between the common prefix and suffix of two lists.
fn difference(old: &[SemanticToken], new: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, rest) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (deleted, inserted) = (old.len() - end, &rest[..rest.len() - end]);
    if deleted == 0 && inserted.is_empty() {
        return Vec::new();
    }
    // Tokens are five numbers each.
    let number = |n: usize| u32::try_from(n * 5).unwrap_or(u32::MAX);
    vec![SemanticTokensEdit {
        start: number(start),
        delete_count: number(deleted),
        data: Some(inserted.to_vec()).filter(|data| !data.is_empty()),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delta_has_only_what_changed() {
        let token = |n| SemanticToken {
            delta_line: n,
            delta_start: 0,
            length: 1,
            token_type: 0,
            token_modifiers_bitset: 0,
        };
        let list = |numbers: &[u32]| numbers.iter().map(|n| token(*n)).collect::<Vec<_>>();
        assert_eq!(difference(&list(&[1, 2, 3]), &list(&[1, 2, 3])), []);
        let edits = difference(&list(&[1, 2, 3]), &list(&[1, 4, 5, 3]));
        assert_eq!((edits[0].start, edits[0].delete_count), (5, 5));
        assert_eq!(edits[0].data.as_deref(), Some(&list(&[4, 5])[..]));
        // Prefix and suffix do not overlap.
        let edits = difference(&list(&[1, 1]), &list(&[1, 1, 1]));
        assert_eq!((edits[0].start, edits[0].delete_count), (10, 0));
    }
}
