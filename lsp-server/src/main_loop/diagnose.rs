//! Diagnostics: found when nothing else is to be done, published only if they are of the text of now.
//!
//! Every text gets an answer. What fails is tried again, alone, since a thread also fails that waited for another one that did; what
//! fails again is said to have failed. What takes too long is given up, and what cannot be given up is left behind.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use apg_analysis::{Cancelled, Canceller};
use tower_lsp_server::ls_types::{Diagnostic, Uri};

use super::{Event, MainLoop};
use crate::convert;
use crate::document::Document;
use crate::workers::threads;

/// So long a diagnosis that was given up may take to notice it.
const GRACE: Duration = Duration::from_secs(5);

/// So often a document's diagnostics are computed that do not come about, before that is said.
const MOST_TRIES: u32 = 3;

/// Diagnostics of a document, computed of this database after this many edits; none if an edit came first or they failed.
pub(super) struct Diagnosed {
    pub(super) database: u32,
    pub(super) edits: u64,
    pub(super) undiagnosed: Undiagnosed,
    pub(super) diagnostics: Option<Vec<Diagnostic>>,
}

/// A document whose diagnostics are to be computed.
pub(super) struct Undiagnosed {
    pub(super) document: Document,
    /// How often that was begun.
    pub(super) tries: u32,
}

/// Diagnostics on their way to the client.
pub(super) struct Publication {
    pub(super) uri: Uri,
    pub(super) version: Option<i32>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Ends what a snapshot is asked when it takes too long, and says so if even that does not end it.
async fn give_up(canceller: Canceller, patience: Duration, stuck: impl FnOnce()) {
    tokio::time::sleep(patience).await;
    canceller.cancel();
    tokio::time::sleep(GRACE).await;
    stuck();
}

impl MainLoop {
    /// Starts computing the diagnostics of all open documents, if the last ones are of an older text.
    pub(super) fn diagnose(&mut self) {
        if std::mem::take(&mut self.stale) && !self.world.settings().pulls {
            let documents = self.world.open_documents().into_iter();
            self.undiagnosed = documents.map(|document| Undiagnosed { document, tries: 0 }).collect();
            self.diagnose_next();
        }
    }

    pub(super) fn diagnose_next(&mut self) {
        while self.diagnosers > 0
            && !self.stale
            && let Some(Undiagnosed { document, tries }) = self.undiagnosed.pop_front()
        {
            let (database, edits, sender) = (self.database, self.edits, self.sender.clone());
            let snapshot = self.world.snapshot(format!("diagnostics of {}", document.path.display()));
            self.diagnosers -= 1;
            // What failed on many threads is tried on one.
            let is_wide = self.is_wide && tries == 0;
            let timer =
                self.tasks.spawn(give_up(snapshot.analysis.canceller(), snapshot.settings.patience, {
                    let sender = sender.clone();
                    move || sender.send(Event::Stuck(database))
                }));
            self.workers.pool.spawn_fifo(move || {
                let found = catch_unwind(AssertUnwindSafe(|| {
                    if is_wide {
                        snapshot.prepare(&document)?;
                    }
                    snapshot.diagnostics(&document)
                }));
                drop(snapshot);
                timer.abort();
                if let Ok(Err(Cancelled::Local)) = found {
                    sender.slow(document.path.clone());
                }
                let diagnostics = found.ok().and_then(Result::ok);
                let undiagnosed = Undiagnosed { document, tries: tries + 1 };
                sender.send(Event::Diagnosed(Diagnosed { database, edits, undiagnosed, diagnostics }));
            });
        }
    }

    /// Has the database tidied once the diagnostics are there that an edit asked for: nobody waits for anything then.
    pub(super) fn tidy(&mut self) {
        let is_done = self.undiagnosed.is_empty() && self.diagnosers == threads() - 1;
        if is_done && self.is_untidy {
            // While a request is being answered it is left as it is, for the next time that nothing is to be done.
            self.is_untidy = !self.world.tidy();
        }
    }

    /// Takes a document's diagnostics.
    pub(super) fn diagnosed(&mut self, Diagnosed { edits, undiagnosed, diagnostics, .. }: Diagnosed) {
        self.diagnosers += 1;
        // An edit since asks for new ones itself.
        if edits == self.edits && !self.stale {
            match diagnostics {
                Some(diagnostics) => {
                    self.publish(undiagnosed.document, diagnostics);
                    self.is_wide &= !self.undiagnosed.is_empty();
                }
                // Another thread failed at what this one waited for: alone it finds the rest, and says what fails.
                None if undiagnosed.tries < MOST_TRIES => self.undiagnosed.push_front(undiagnosed),
                None => {
                    eprintln!("apg-lsp: no diagnostics of {}", undiagnosed.document.path.display());
                    self.publish(undiagnosed.document, vec![convert::failed()]);
                }
            }
        }
        self.diagnose_next();
    }

    /// Publishes a document's diagnostics, if they are not what the client has.
    fn publish(&mut self, document: Document, diagnostics: Vec<Diagnostic>) {
        let now = (document.version, diagnostics);
        if self.published.get(&document.path) == Some(&now) {
            return;
        }
        let (version, diagnostics) = now.clone();
        self.published.insert(document.path, now);
        let publication = Publication { uri: document.uri, version: Some(version), diagnostics };
        // The task ends only with the process.
        let _ = self.publications.send(publication);
    }
}
