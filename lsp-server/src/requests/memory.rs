//! `apg/memory`: what the server holds.

use serde::Serialize;

use crate::world::Snapshot;

/// The answer to `apg/memory`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    /// Bytes of the process in memory; none where the system does not say.
    resident_bytes: Option<u64>,
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
            resident_bytes: resident_bytes(),
            text_bytes: files.iter().map(|file| self.analysis.source(*file).1.len()).sum(),
            files: files.len(),
            documents: self.documents.len(),
            kept_trees: apg_analysis::db::KEPT_TREES,
        }
    }
}

fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
