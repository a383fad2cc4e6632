//! Cache priming: computes what requests over the whole workspace need before they come, on a low-priority
//! thread, after a time without edits. Without it the first request for a common name would type all code
//! that mentions it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use apg_analysis::SourceFile;
use apg_analysis::{Cancelled, Db, ide};

use crate::quarantine::mark_analyzing;
use crate::snapshot::Snapshot;
use crate::thread_priority;

/// Time without edits before priming starts.
pub(crate) const DELAY_AFTER_EDIT: Duration = Duration::from_millis(300);

/// Time before priming starts when a document was opened.
pub(crate) const DELAY_AFTER_OPEN: Duration = Duration::from_millis(50);

/// Bodies that are typed in advance: all code of a large workspace is not worth its memory before a request
/// needs it.
const MAX_PRIMED_BODIES: usize = 3072;

/// The priming thread.
pub(crate) struct CachePrimer {
    snapshots: mpsc::Sender<Snapshot>,
    is_running: Arc<AtomicBool>,
    is_complete: Arc<AtomicBool>,
}

impl CachePrimer {
    /// Starts the thread.
    pub(crate) fn start(stack_bytes: usize) -> std::io::Result<CachePrimer> {
        let (snapshots, received) = mpsc::channel::<Snapshot>();
        let is_running = Arc::<AtomicBool>::default();
        let is_complete = Arc::new(AtomicBool::new(true));
        let (running, complete) = (is_running.clone(), is_complete.clone());
        std::thread::Builder::new().name("apg-lsp-prime".into()).stack_size(stack_bytes).spawn(
            move || {
                thread_priority::lower();
                for snapshot in received {
                    // The edit that cancels this orders it again.
                    let outcome = prime_caches(&snapshot);
                    drop(snapshot);
                    complete.store(outcome.is_ok(), Ordering::SeqCst);
                    running.store(false, Ordering::SeqCst);
                }
            },
        )?;
        Ok(CachePrimer { snapshots, is_running, is_complete })
    }

    /// Starts to prime the caches of a snapshot's database. False while a cancelled run has not ended yet.
    pub(crate) fn prime(&self, snapshot: Snapshot) -> bool {
        if self.is_running.swap(true, Ordering::SeqCst) {
            return false;
        }
        self.is_complete.store(false, Ordering::SeqCst);
        self.snapshots.send(snapshot).is_ok()
    }

    /// Whether the last run was cancelled or has not ended yet.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.is_complete.load(Ordering::SeqCst)
    }
}

fn prime_caches(snapshot: &Snapshot) -> Result<(), Cancelled> {
    for file in snapshot.analysis.all_files() {
        prime_file(snapshot, file, ide::prime_supertypes)?;
    }
    let mut bodies = 0;
    for file in snapshot.analysis.user_files() {
        bodies += prime_file(snapshot, file, ide::prime_bodies)?.unwrap_or_default();
        if bodies > MAX_PRIMED_BODIES {
            break;
        }
    }
    Ok(())
}

/// Runs a query on a file. A panic is ignored here: the request that needs the result reports it.
fn prime_file<T>(
    snapshot: &Snapshot,
    file: SourceFile,
    query: impl FnOnce(&dyn Db, SourceFile) -> T,
) -> Result<Option<T>, Cancelled> {
    let (path, text) = snapshot.analysis.source(file);
    if snapshot.is_quarantined(path, text) {
        return Ok(None);
    }
    let _mark = mark_analyzing(path, text);
    let result = catch_unwind(AssertUnwindSafe(|| snapshot.analysis.with(|db| query(db, file))));
    result.ok().transpose()
}
