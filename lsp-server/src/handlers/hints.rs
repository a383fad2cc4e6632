//! Inlay hints and signature help.

use apg_analysis::Cancelled;
use apg_analysis::ide::{self, InlayKind};
use apg_source::TextSize;
use tower_lsp_server::ls_types::{
    Documentation, InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, MarkupContent, MarkupKind,
    ParameterInformation, ParameterLabel, Position, Range, SignatureHelp, SignatureInformation, TextEdit,
    Uri,
};

use crate::snapshot::Snapshot;

impl Snapshot {
    /// The inlay hints in a range of a document.
    pub(crate) fn inlay_hints(&self, uri: &Uri, range: Range) -> Result<Option<Vec<InlayHint>>, Cancelled> {
        if let Some((document, language)) = self.in_other_language(uri) {
            return language.inlay_hints(self, document, range).map(Some);
        }
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let range = document.text.text_range(range, self.config.encoding);
        let mut found = self.analysis.with(|db| ide::inlays(db, file, range))?;
        let kernels = self.kernel_usage(&document, file)?;
        for inlay in found.iter_mut().filter(|inlay| inlay.kind == InlayKind::Launch) {
            if let Some((_, usage)) = kernels.iter().find(|(head, _)| head.end() == inlay.at) {
                inlay.label.push_str(&usage.label());
                inlay.tooltip = Some(usage.markdown().trim_start().to_owned());
            }
        }
        let text = document.text.text();
        let touches = |at: TextSize, neighbour: fn(&str, &str) -> Option<char>| {
            let (before, behind) = text.split_at_checked(at.into()).unwrap_or_default();
            neighbour(before, behind).is_some_and(|c| !c.is_whitespace())
        };
        let hint = |inlay: ide::Inlay| {
            // These hints have spaces around them; the others belong to the token that they touch.
            let is_apart = matches!(inlay.kind, InlayKind::Captures | InlayKind::Launch | InlayKind::Check);
            let position = document.text.position(inlay.at, self.config.encoding);
            let insert =
                || vec![TextEdit { range: Range::new(position, position), new_text: inlay.label.clone() }];
            InlayHint {
                position,
                kind: match inlay.kind {
                    InlayKind::Type => Some(InlayHintKind::TYPE),
                    InlayKind::Parameter => Some(InlayHintKind::PARAMETER),
                    InlayKind::Captures | InlayKind::Launch | InlayKind::Check => None,
                },
                // A double click inserts the type.
                text_edits: (inlay.kind == InlayKind::Type).then(insert),
                tooltip: inlay.tooltip.map(|text| InlayHintTooltip::MarkupContent(markdown(text))),
                padding_left: Some(is_apart && touches(inlay.at, |before, _| before.chars().next_back())),
                padding_right: Some(
                    inlay.kind == InlayKind::Parameter
                        || is_apart && touches(inlay.at, |_, behind| behind.chars().next()),
                ),
                label: InlayHintLabel::String(inlay.label.trim_start().to_owned()),
                data: None,
            }
        };
        Ok(Some(found.into_iter().map(hint).collect()))
    }

    /// The signatures that the call around the cursor may resolve to.
    pub(crate) fn signature_help(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<SignatureHelp>, Cancelled> {
        let Some((_, file, offset)) = self.resolve(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| ide::signature_help(db, file, offset))?;
        let number = |n: usize| u32::try_from(n).ok();
        Ok(found.map(|help| SignatureHelp {
            active_signature: number(help.active),
            active_parameter: number(help.argument),
            signatures: help.signatures.into_iter().map(signature).collect(),
        }))
    }
}

fn signature(signature: ide::Signature) -> SignatureInformation {
    // Parameters are marked by UTF-16 offsets in the label, whatever the unit of positions.
    let utf16 = |at: usize| {
        let before = signature.label.get(..at).unwrap_or_default();
        u32::try_from(before.encode_utf16().count()).unwrap_or_default()
    };
    let formal = |range: &std::ops::Range<usize>| ParameterInformation {
        label: ParameterLabel::LabelOffsets([utf16(range.start), utf16(range.end)]),
        documentation: None,
    };
    SignatureInformation {
        parameters: Some(signature.params.iter().map(formal).collect()),
        documentation: signature
            .documentation
            .clone()
            .map(|text| Documentation::MarkupContent(markdown(text))),
        active_parameter: None,
        label: signature.label.clone(),
    }
}

pub(super) fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}
