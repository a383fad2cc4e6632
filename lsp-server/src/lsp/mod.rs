//! The language server protocol: translation between its types and those of the analysis.

pub mod capabilities;
pub mod client;
pub mod position;
pub mod progress;
pub mod refresh;
pub mod to_proto;
pub mod uri;
