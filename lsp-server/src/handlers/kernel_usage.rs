//! Resource usage of the kernels of a document.

use apg_analysis::SourceFile;
use apg_analysis::{Cancelled, ide};
use apg_source::TextRange;

use crate::document::Document;
use crate::kernels::usage::{StatementUsage, statement_hash};
use crate::snapshot::Snapshot;

impl Snapshot {
    /// The known resource usage of the kernels of a document, with the ranges of their heads.
    pub(crate) fn kernel_usage(
        &self,
        document: &Document,
        file: SourceFile,
    ) -> Result<Vec<(TextRange, StatementUsage<'_>)>, Cancelled> {
        let Some(compiled) = self.kernels.get(&document.path) else { return Ok(Vec::new()) };
        let launches = self.analysis.with(|db| ide::launches(db, file))?;
        let text = document.text.text();
        let usages = launches.into_iter().filter_map(|launch| {
            let usage = StatementUsage::of(compiled, statement_hash(text, launch.range))?;
            Some((launch.head, usage))
        });
        Ok(usages.collect())
    }
}
