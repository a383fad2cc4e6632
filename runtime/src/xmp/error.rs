//! Errors of XcalableMP's run time, in words for the user.

use crate::net::endpoint::PlaceEnded;

/// What is wrong, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmpError {
    /// What is wrong.
    pub message: String,
    /// What to write or do instead.
    pub hint: Option<String>,
    /// Another node has reported it: this one ends without a word.
    pub is_reported: bool,
}

impl XmpError {
    /// An error with these words.
    pub fn new(message: impl Into<String>) -> XmpError {
        XmpError { message: message.into(), hint: None, is_reported: false }
    }

    /// And what to write instead.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> XmpError {
        XmpError { hint: Some(hint.into()), ..self }
    }
}

impl From<PlaceEnded> for XmpError {
    fn from(ended: PlaceEnded) -> XmpError {
        XmpError::new(format!("node {} has ended", ended.0.0))
    }
}

impl From<String> for XmpError {
    fn from(message: String) -> XmpError {
        XmpError::new(message)
    }
}

/// The result of an operation.
pub type Result<T> = std::result::Result<T, XmpError>;
