//! `apg clean`.

use clap::Args;

use crate::failure::{Failure, Outcome};
use crate::output;
use apg_runtime::cache::{Cache, CacheError};

/// Empty the build cache
#[derive(Debug, Args)]
pub(crate) struct Clean {}

impl Clean {
    pub(crate) fn run(self) -> Outcome {
        let cache = Cache::default();
        let root = cache.root().display();
        let waiting = || {
            // Nothing is lost if this cannot be printed.
            let _ = output::remark("waiting for builds that use the cache");
        };
        let failed = |error: CacheError| {
            Failure::new(format!("the build cache {root} cannot be emptied: {}", error.error))
        };
        let bytes = cache.clear(waiting).map_err(failed)?;
        output::line(format_args!("removed {:.1} MB from {root}", bytes as f64 / 1e6))?;
        Ok(0)
    }
}
