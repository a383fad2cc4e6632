//! The language server protocol: translation between its types and those of the analysis.

pub(crate) mod capabilities;
pub(crate) mod client;
pub(crate) mod generated_code;
pub(crate) mod lens;
pub(crate) mod position;
pub(crate) mod progress;
pub(crate) mod refresh;
pub(crate) mod to_proto;
pub(crate) mod uri;
