//! `apg/memory`: what the server holds.

use serde::Serialize;

use crate::memory;
use crate::world::Snapshot;

/// The answer to `apg/memory`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    /// Bytes of the process in memory; none where the system does not say.
    resident_bytes: Option<u64>,
    /// With more than this, what was computed is forgotten; 0 is no limit.
    limit_bytes: u64,
    /// Files of the workspace that are known.
    files: usize,
    /// Bytes of their texts.
    text_bytes: usize,
    /// Open documents.
    documents: usize,
    /// Syntax trees that are kept of files that nobody edits; others are parsed again when they are needed.
    kept_trees: usize,
}

impl Snapshot {
    /// What the server holds now.
    pub fn memory(&self) -> MemoryReport {
        let files = self.analysis.user_files();
        MemoryReport {
            resident_bytes: memory::resident(),
            limit_bytes: self.settings.memory,
            text_bytes: files.iter().map(|file| self.analysis.source(*file).1.len()).sum(),
            files: files.len(),
            documents: self.documents.len(),
            kept_trees: apg_analysis::db::KEPT_TREES,
        }
    }
}
