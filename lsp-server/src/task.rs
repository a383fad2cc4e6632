//! What is known of a request on its way, and how it is ended from outside: by the client, or because it takes too long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use apg_analysis::{Analysis, Canceller};
use tower_lsp_server::jsonrpc;

/// Why a request was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client wants no answer any more.
    ByClient,
    /// It took longer than anyone waits for it.
    ByTime,
}

impl Ended {
    /// What the client hears.
    pub fn error(self) -> jsonrpc::Error {
        match self {
            Self::ByClient => jsonrpc::Error::request_cancelled(),
            Self::ByTime => jsonrpc::Error {
                code: jsonrpc::ErrorCode::ServerError(-32803),
                message: "this took too long and was given up; the server goes on".into(),
                data: None,
            },
        }
    }
}

/// A request on its way. All clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Task(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    ended: Option<Ended>,
    /// Since when it runs, and what ends it; none while it waits.
    running: Option<(Instant, Canceller)>,
    /// How many pieces of its work are done, and how many there are.
    done: Option<(usize, usize)>,
}

impl Task {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It asks this snapshot now.
    pub fn runs(&self, analysis: &Analysis) {
        let mut state = self.state();
        let canceller = analysis.canceller();
        if state.ended.is_some() {
            canceller.cancel();
        }
        state.running = Some((Instant::now(), canceller));
    }

    /// Ends it. What it asks meanwhile is answered by `Cancelled::Local`.
    pub fn end(&self, why: Ended) {
        let mut state = self.state();
        state.ended.get_or_insert(why);
        if let Some((_, canceller)) = &state.running {
            canceller.cancel();
        }
    }

    /// Why it was ended, if it was.
    pub fn ended(&self) -> Option<Ended> {
        self.state().ended
    }

    /// How long it has run since it last started.
    pub fn time(&self) -> Duration {
        self.state().running.as_ref().map_or(Duration::ZERO, |(since, _)| since.elapsed())
    }

    /// So many pieces of its work are done, of so many.
    pub fn done(&self, done: usize, of: usize) {
        self.state().done = Some((done, of));
    }

    /// How much of its work is done, in percent, if it is known.
    pub fn percentage(&self) -> Option<u32> {
        let (done, of) = self.state().done?;
        u32::try_from(done * 100 / of.max(1)).ok().map(|percentage| percentage.min(100))
    }
}
