//! The answer to `apg/generatedCode`.

use serde::Serialize;

/// The answer to `apg/generatedCode`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeneratedCode {
    /// The code, or a comment that explains why there is none.
    pub text: String,
    /// Line map of `[line of the text, line of the document]`, both from 0. An entry holds up to that of the
    /// next one; `-1` means no line of the document.
    pub lines: Vec<(u32, i64)>,
    /// Whether the text is code: otherwise a client may keep showing the code before.
    pub is_code: bool,
}
