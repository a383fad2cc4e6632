//! What device code cannot do: reported at the range of the source, with what to write.

use apg_c_syntax::TextRange;

/// Code of a region, or of a function that it calls, that has no device form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The range in the tree of the main file ([`apg_c_analysis::Parsed::spelled`]).
    pub range: TextRange,
    /// What it is.
    pub message: String,
    /// What to write.
    pub advice: String,
}

impl Unsupported {
    /// What follows from something that is reported already.
    pub(crate) fn consequence(range: TextRange) -> Unsupported {
        Unsupported { range, message: String::new(), advice: String::new() }
    }

    pub(crate) fn is_consequence(&self) -> bool {
        self.message.is_empty()
    }
}

/// A result of lowering.
pub(crate) type Lowered<T> = Result<T, Unsupported>;

/// An error of lowering.
pub(crate) fn unsupported<T>(
    range: TextRange,
    message: impl Into<String>,
    advice: impl Into<String>,
) -> Lowered<T> {
    Err(Unsupported { range, message: message.into(), advice: advice.into() })
}
