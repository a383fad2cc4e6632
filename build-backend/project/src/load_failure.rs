//! Why a program cannot be checked or translated: it is not there, or a tool refuses it.

/// Why sources were not loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadFailure {
    /// The error message.
    pub message: String,
    /// Advice for the user.
    pub hints: Vec<String>,
}

impl LoadFailure {
    pub(crate) fn new(message: String) -> Self {
        Self { message, hints: Vec::new() }
    }
}
