//! `apg/memory`: memory of the server.

use serde::Serialize;

use crate::process_memory;
use crate::snapshot::Snapshot;

/// The answer to `apg/memory`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryReport {
    /// Resident set size; `null` where the system does not tell.
    resident_bytes: Option<u64>,
    /// Above this, computed results are dropped; 0 is no limit.
    limit_bytes: u64,
    /// Files of the workspace in the database.
    files: usize,
    /// Bytes of their sources.
    text_bytes: usize,
    /// Open documents.
    documents: usize,
    /// Syntax trees that are cached of files that are not edited.
    kept_trees: usize,
}

impl Snapshot {
    /// Reports the memory of the server.
    pub(crate) fn memory_report(&self) -> MemoryReport {
        let files = self.analysis.user_files();
        MemoryReport {
            resident_bytes: process_memory::resident_bytes(),
            limit_bytes: self.config.memory_limit_bytes,
            text_bytes: files.iter().map(|file| self.analysis.source(*file).1.len()).sum(),
            files: files.len(),
            documents: self.documents.len(),
            kept_trees: apg_analysis::MAX_KEPT_TREES,
        }
    }
}
