//! Diagnostics of open documents: computed when the event queue is empty, published if they are of the
//! current text.
//!
//! Every text gets an answer. A failed diagnosis is retried alone, because a thread also fails when it waits
//! for another thread, which panics; a document that fails repeatedly gets a diagnostic that says so. A
//! diagnosis that takes too long is cancelled, and if even that does not end it, its database is abandoned.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use apg_analysis::{Cancelled, Canceller};
use tower_lsp_server::ls_types::Diagnostic;

use super::event::{Diagnosis, DiagnosisTask, Event, Publication};
use super::event_loop::MainLoop;
use crate::document::Document;
use crate::lsp::to_proto;
use crate::task_pool::thread_count;

/// Time that a cancelled diagnosis has to end before its database counts as blocked.
const CANCELLATION_GRACE: Duration = Duration::from_secs(5);

/// Attempts to diagnose a document before its analysis counts as failed.
const MAX_ATTEMPTS: u32 = 3;

/// Cancels the queries of a snapshot after `timeout`, and calls `on_blocked` if even that does not end them.
async fn cancel_after(canceller: Canceller, timeout: Duration, on_blocked: impl FnOnce()) {
    tokio::time::sleep(timeout).await;
    canceller.cancel();
    tokio::time::sleep(CANCELLATION_GRACE).await;
    on_blocked();
}

impl MainLoop {
    /// Starts to diagnose all open documents, if their diagnostics are outdated.
    pub(super) fn diagnose(&mut self) {
        if std::mem::take(&mut self.diagnostics_outdated) && !self.state.config().pulls_diagnostics {
            let documents = self.state.open_documents().into_iter();
            self.undiagnosed = documents.map(|document| DiagnosisTask { document, attempts: 0 }).collect();
            self.start_diagnoses();
        }
    }

    fn start_diagnoses(&mut self) {
        while self.free_diagnosis_slots > 0
            && !self.diagnostics_outdated
            && let Some(DiagnosisTask { document, attempts }) = self.undiagnosed.pop_front()
        {
            let (database, edits, handle) = (self.database, self.edits, self.handle.clone());
            let snapshot = self.state.snapshot(format!("diagnostics of {}", document.path.display()));
            self.free_diagnosis_slots -= 1;
            // A diagnosis that failed on many threads is retried on one.
            let is_parallel = self.types_in_parallel && attempts == 0;
            let timeout = snapshot.config.analysis_timeout;
            let timer = self.tasks.spawn(cancel_after(snapshot.analysis.canceller(), timeout, {
                let handle = handle.clone();
                move || handle.send(Event::DatabaseBlocked(database))
            }));
            self.pool.requests.spawn_fifo(move || {
                let _span = tracing::debug_span!("diagnose", document = %document.path.display()).entered();
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    if is_parallel {
                        snapshot.type_members(&document)?;
                    }
                    snapshot.diagnostics(&document)
                }));
                drop(snapshot);
                timer.abort();
                if let Ok(Err(Cancelled::Local)) = outcome {
                    handle.analysis_timed_out(document.path.clone());
                }
                let diagnostics = outcome.ok().and_then(Result::ok);
                tracing::debug!(count = ?diagnostics.as_ref().map(Vec::len), "diagnosed");
                let task = DiagnosisTask { document, attempts: attempts + 1 };
                handle.send(Event::Diagnosed(Diagnosis { database, edits, task, diagnostics }));
            });
        }
    }

    /// Trims the database when all diagnostics that the last edit made necessary are there: nobody waits
    /// then.
    pub(super) fn trim(&mut self) {
        let is_done = self.undiagnosed.is_empty() && self.free_diagnosis_slots == thread_count() - 1;
        if is_done && self.needs_trim {
            // While a request is being answered, trimming is deferred.
            self.needs_trim = !self.state.trim();
        }
    }

    /// Takes the outcome of a diagnosis.
    pub(super) fn finish_diagnosis(&mut self, Diagnosis { edits, task, diagnostics, .. }: Diagnosis) {
        self.free_diagnosis_slots += 1;
        // Edits since then cause a diagnosis of their own.
        if edits == self.edits && !self.diagnostics_outdated {
            match diagnostics {
                Some(diagnostics) => {
                    self.publish(task.document, diagnostics);
                    self.types_in_parallel &= !self.undiagnosed.is_empty();
                }
                None if task.attempts < MAX_ATTEMPTS => self.undiagnosed.push_front(task),
                None => {
                    tracing::error!("no diagnostics of {}", task.document.path.display());
                    self.publish(task.document, vec![to_proto::analysis_failed()]);
                }
            }
        }
        self.start_diagnoses();
    }

    /// Publishes the diagnostics of a document, unless they are what the client has.
    fn publish(&mut self, document: Document, diagnostics: Vec<Diagnostic>) {
        let current = (document.version, diagnostics);
        if self.published.get(&document.path) == Some(&current) {
            return;
        }
        let (version, diagnostics) = current.clone();
        self.published.insert(document.path, current);
        let publication = Publication { uri: document.uri, version: Some(version), diagnostics };
        // The publishing task ends only with the session.
        let _ = self.publications.send(publication);
    }
}
