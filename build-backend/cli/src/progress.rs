//! Progress of a build, on a terminal only.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use apg_toolchain::BuildObserver;

/// A progress line on standard error, removed when the build ends. Prints nothing where standard error is no
/// terminal.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Shows the current stage.
    pub(crate) fn stage(&self, message: impl Into<Cow<'static, str>>) {
        if let Some(bar) = self.bar() {
            bar.set_message(message.into());
        }
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    fn bar(&self) -> Option<&ProgressBar> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        Some(self.bar.get_or_init(|| {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        }))
    }
}

impl BuildObserver for Progress {
    fn compiling(&self, total: usize) {
        if let Some(bar) = self.bar().filter(|_| total > 0) {
            bar.set_length(total as u64);
            bar.set_message("compiling");
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{bar:30}] {pos}/{len}") {
                bar.set_style(style);
            }
        }
    }

    fn compiled(&self, _: &str) {
        if let Some(bar) = self.bar() {
            bar.inc(1);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
