//! Progress of a build: a line on a terminal, or lines for the client of a job on a remote machine.

use std::borrow::Cow;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use apg_remote::supervisor;
use apg_toolchain::BuildObserver;
use indicatif::{ProgressBar, ProgressStyle};

/// What a build does, for the user. Removed from a terminal when the build ends. Says nothing where there is
/// neither a terminal nor a client.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    sink: OnceLock<Sink>,
    /// Units that are compiled, and those of them that are done.
    units: AtomicUsize,
    done: AtomicUsize,
}

/// Where progress goes.
#[derive(Debug)]
enum Sink {
    /// Nobody looks.
    None,
    /// A line on standard error.
    Terminal(ProgressBar),
    /// The supervisor of the job that this process is.
    Client(File),
}

impl Progress {
    /// Shows the current stage.
    pub(crate) fn stage(&self, message: impl Into<Cow<'static, str>>) {
        match self.sink() {
            Sink::None => {}
            Sink::Terminal(bar) => bar.set_message(message.into()),
            Sink::Client(client) => send(client, &message.into()),
        }
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        match self.sink.get() {
            Some(Sink::Terminal(bar)) => bar.finish_and_clear(),
            Some(Sink::Client(client)) => send(client, ""),
            Some(Sink::None) | None => {}
        }
    }

    fn sink(&self) -> &Sink {
        self.sink.get_or_init(|| {
            if let Some(client) = supervisor::progress_pipe() {
                return Sink::Client(client);
            }
            if !std::io::stderr().is_terminal() {
                return Sink::None;
            }
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            Sink::Terminal(bar)
        })
    }
}

/// Sends a line. Without a reader the build continues.
fn send(mut client: &File, message: &str) {
    let _ = client.write_all(format!("{message}\n").as_bytes());
}

impl BuildObserver for Progress {
    fn compiling(&self, total: usize) {
        if total == 0 {
            return;
        }
        self.units.store(total, Ordering::Relaxed);
        match self.sink() {
            Sink::Terminal(bar) => {
                bar.set_length(total as u64);
                bar.set_message("compiling");
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{bar:30}] {pos}/{len}") {
                    bar.set_style(style);
                }
            }
            Sink::Client(client) => send(client, &format!("compiling 0/{total}")),
            Sink::None => {}
        }
    }

    fn compiled(&self, _: &str) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        match self.sink() {
            Sink::Terminal(bar) => bar.inc(1),
            Sink::Client(client) => {
                send(client, &format!("compiling {done}/{}", self.units.load(Ordering::Relaxed)));
            }
            Sink::None => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
