//! `apg clean`.

use clap::Args;

use super::{Failure, Outcome, output};
use crate::driver::Cache;

/// Remove everything from the build cache
#[derive(Debug, Args)]
pub struct Clean {}

impl Clean {
    pub fn run(self) -> Outcome {
        let cache = Cache::default();
        let root = cache.root().display();
        let bytes = cache
            .clear()
            .map_err(|error| Failure::new(format!("the build cache {root} cannot be removed: {error}")))?;
        output::line(format_args!("removed {:.1} MB from {root}", bytes as f64 / 1e6))?;
        Ok(0)
    }
}
