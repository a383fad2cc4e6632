//! Semantic tokens.

use apg_analysis::{Cancelled, ide};
use apg_syntax::services::HighlightKind;
use apg_syntax::{TextRange, TextSize};
use tower_lsp_server::ls_types::{
    Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend, Uri,
};

use crate::document::Document;
use crate::world::Snapshot;

/// The protocol's name of each kind; a token refers to it by its index.
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

const DECLARATION: u32 = 1;
const READONLY: u32 = 1 << 1;
const STATIC: u32 = 1 << 2;

/// What the indices in tokens mean.
pub fn legend() -> SemanticTokensLegend {
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
    pub fn semantic_tokens(
        &self,
        uri: &Uri,
        range: Option<Range>,
    ) -> Result<Option<Vec<SemanticToken>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let all = || TextRange::up_to(TextSize::of(&**document.text.text()));
        let range = range.map_or_else(all, |range| document.text.text_range(range, self.settings.encoding));
        let tokens = self.analysis.with(|db| ide::semantic_tokens(db, file, range))?;
        Ok(Some(self.encoded(document, &tokens)))
    }

    /// Each relative to the one before. A token of several lines becomes one for each: not all clients can do others.
    fn encoded(&self, document: &Document, tokens: &[ide::Token]) -> Vec<SemanticToken> {
        let mut encoded = Vec::with_capacity(tokens.len());
        let (mut line, mut character) = (0, 0);
        for token in tokens {
            let Some(token_type) = TYPES.iter().position(|(kind, _)| *kind == token.kind) else { continue };
            for piece in lines(document, token.range) {
                let range = self.range(document, piece);
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

fn modifiers(token: &ide::Token) -> u32 {
    let is_value =
        matches!(token.kind, HighlightKind::Variable | HighlightKind::Parameter | HighlightKind::Property);
    u32::from(token.is_declaration) * DECLARATION
        + u32::from(is_value && !token.is_mutable) * READONLY
        + u32::from(token.is_static) * STATIC
}

/// The parts of a range on each line, without line ends.
fn lines(document: &Document, range: TextRange) -> Vec<TextRange> {
    let text = &document.text.text()[range];
    let mut start = range.start();
    let mut pieces = Vec::new();
    for line in text.split_inclusive(['\n', '\r']) {
        let length = TextSize::of(line.trim_end_matches(['\n', '\r']));
        if length > TextSize::from(0) {
            pieces.push(TextRange::at(start, length));
        }
        start += TextSize::of(line);
    }
    pieces
}
