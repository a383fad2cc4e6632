//! Thread that cancels the queries of a database, so that an edit can stop waiting for queries that do not
//! end.
//!
//! The thread is started in advance: when an edit comes, the system may have no thread left.

use std::sync::mpsc;
use std::time::Duration;

use apg_analysis::AnalysisHost;

/// The cancelling thread. It ends when this is dropped.
pub(crate) struct QueryCanceller {
    databases: mpsc::Sender<AnalysisHost>,
    idle_databases: mpsc::Receiver<AnalysisHost>,
}

impl QueryCanceller {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread.
    pub(crate) fn start() -> std::io::Result<QueryCanceller> {
        let (databases, received) = mpsc::channel::<AnalysisHost>();
        let (sender, idle_databases) = mpsc::channel();
        std::thread::Builder::new().name("apg-lsp-cancel".into()).spawn(move || {
            for mut host in received {
                host.end_questions();
                // The receiver is gone if this took longer than the timeout.
                if sender.send(host).is_err() {
                    return;
                }
            }
        })?;
        Ok(QueryCanceller { databases, idle_databases })
    }

    /// Cancels all queries of a database, waits until they have ended, and returns the database.
    ///
    /// # Errors
    /// The queries do not end within `timeout`. The database stays with the thread, which cannot be used
    /// again.
    pub(crate) fn cancel_queries(
        &self,
        host: AnalysisHost,
        timeout: Duration,
    ) -> Result<AnalysisHost, TimedOut> {
        if let Err(mpsc::SendError(mut host)) = self.databases.send(host) {
            // The thread has panicked.
            host.end_questions();
            return Ok(host);
        }
        self.idle_databases.recv_timeout(timeout).map_err(|_| TimedOut)
    }
}

/// Queries did not end in time.
#[derive(Debug)]
pub(crate) struct TimedOut;
