//! A thread that ends what a database is asked, so that whoever changes the database can give up waiting for it.
//!
//! The thread is there before it is needed: when a change comes, it may be that no thread can be started any more.

use std::sync::mpsc;
use std::time::Duration;

use apg_analysis::AnalysisHost;

/// The thread. It ends when this is dropped.
pub struct Ender {
    databases: mpsc::Sender<AnalysisHost>,
    ended: mpsc::Receiver<AnalysisHost>,
}

impl Ender {
    /// Starts it.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn start() -> std::io::Result<Ender> {
        let (databases, received) = mpsc::channel::<AnalysisHost>();
        let (sender, ended) = mpsc::channel();
        std::thread::Builder::new().name("apg-lsp-ender".into()).spawn(move || {
            for mut host in received {
                host.end_questions();
                // Nobody waits any more if it took too long.
                if sender.send(host).is_err() {
                    return;
                }
            }
        })?;
        Ok(Ender { databases, ended })
    }

    /// Ends what is asked of a database, which comes back.
    ///
    /// # Errors
    /// It does not end in this time, and stays with the thread. The thread is of no use then.
    pub fn end_questions(&self, host: AnalysisHost, timeout: Duration) -> Result<AnalysisHost, TimedOut> {
        if let Err(mpsc::SendError(mut host)) = self.databases.send(host) {
            // It is gone, which it is after a panic only.
            host.end_questions();
            return Ok(host);
        }
        self.ended.recv_timeout(timeout).map_err(|_| TimedOut)
    }
}

/// Questions went on for too long.
#[derive(Debug)]
pub struct TimedOut;
