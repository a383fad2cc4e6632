//! Short commands on several hosts at once, whose output is used and not printed.

use std::io;
use std::sync::Mutex;

use apg_remote::client::{Client, Observer, State};
use apg_remote::config::Remote;

use super::plain_job;
use crate::commands::hosts::ssh_words;

/// Hosts that are asked at the same time: ssh servers refuse more connections that are being opened.
const MAX_CONNECTIONS: usize = 10;

/// Says nothing.
pub(super) struct Silent;

impl Observer for Silent {
    fn state(&self, _: &State) {}

    fn output(&self, _: u8, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn notice(&self, _: &str) {}
}

/// What `apg` prints with these arguments on each host, or why it does not, with the host's name.
pub(crate) fn ask_hosts(hosts: &[String], arguments: &[String]) -> Vec<Result<String, String>> {
    let answers: Mutex<Vec<Option<Result<String, String>>>> = Mutex::new(vec![None; hosts.len()]);
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..hosts.len().min(MAX_CONNECTIONS) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(host) = hosts.get(at) else { return };
                    let answer = ask(host, arguments);
                    answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[at] = Some(answer);
                }
            });
        }
    });
    let answers = answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let missing = || Err("no answer".to_owned());
    answers.into_iter().map(|answer| answer.unwrap_or_else(missing)).collect()
}

fn ask(host: &str, arguments: &[String]) -> Result<String, String> {
    let remote = Remote { name: host.to_owned(), host: host.to_owned(), ..Remote::default() };
    let mut job = plain_job(&remote, "apg", arguments.to_vec()).map_err(|failure| failure.message)?;
    // A host speaks for itself, and not for the hosts that it was found by.
    job.variables.retain(|(name, _)| !matches!(&name[..], b"X10_HOSTFILE" | b"X10_HOSTLIST"));
    let printed = Client::new(&remote, ssh_words(), &Silent)?.capture(&job)?;
    match printed.status {
        0 => Ok(String::from_utf8_lossy(&printed.output).into_owned()),
        _ => Err(format!("{host}: {}", String::from_utf8_lossy(&printed.errors).trim())),
    }
}
