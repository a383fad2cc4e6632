//! Heartbeat thread: sends signs of life to the other places, receives theirs, and reports silent places. It
//! depends on nothing that a program does, so that a place that computes, collects or waits is not silent.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::base::place::PlaceId;
use crate::net::endpoint::Receiver;
use crate::net::frame::encoding::{FRAME_HEAD_SIZE, HEARTBEAT_FRAME};
use crate::net::liveness::detector::{Event, HEARTBEAT_INTERVAL, Liveness, Signs};
use crate::net::mesh::peer::{Peer, PeerIdentity};
use crate::net::poll::{receive_available, send_available, wait_readable};
use crate::net::timeouts::{SILENCE_VARIABLE, Timeouts};

/// A connection beside rings: only heartbeats go over it, and its end is that of the other place.
struct Beside {
    peer: Arc<Peer>,
    /// Bytes of a heartbeat that have been written, and read.
    written: usize,
    read: usize,
}

impl Beside {
    /// Receives what has arrived; false at the end.
    fn hear(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 16 * FRAME_HEAD_SIZE];
        let Some(count) = receive_available(&self.peer.stream, &mut bytes)? else { return Ok(true) };
        for byte in &bytes[..count] {
            if *byte != HEARTBEAT_FRAME[self.read] {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a connection beside a ring has other frames than heartbeats",
                ));
            }
            self.read = (self.read + 1) % FRAME_HEAD_SIZE;
        }
        self.peer.signs.fetch_add(u64::from(count > 0), Ordering::Relaxed);
        Ok(count > 0)
    }

    /// A place that does not read for a day gets no more.
    fn beat(&mut self) {
        self.written = (self.written + send_available(&self.peer.stream, &HEARTBEAT_FRAME[self.written..]))
            % FRAME_HEAD_SIZE;
    }
}

/// Signs of life of this place to the others.
pub(crate) struct Beats {
    beside: Vec<Beside>,
    /// Connections without rings.
    streams: Vec<Arc<Peer>>,
}

impl Beats {
    /// To these places.
    pub(crate) fn new(peers: &[Arc<Peer>]) -> Beats {
        let (beside, streams): (Vec<_>, Vec<_>) =
            peers.iter().cloned().partition(|peer| peer.rings.is_some());
        let beside = beside.into_iter().map(|peer| Beside { peer, written: 0, read: 0 }).collect();
        Beats { beside, streams }
    }

    /// Sends one to each place.
    pub(crate) fn send(&mut self) {
        self.beside.iter_mut().for_each(Beside::beat);
        self.streams.iter().for_each(|peer| peer.beat());
    }
}

/// What the heartbeat thread needs to receive signs and to report silent places.
pub(crate) struct Watch {
    pub(crate) here: PlaceId,
    pub(crate) peers: Vec<Arc<Peer>>,
    pub(crate) timeouts: Timeouts,
    /// Counts what the thread that reads from connections without rings does, if there is one.
    pub(crate) rounds: Arc<AtomicU64>,
    pub(crate) receiver: Arc<dyn Receiver>,
}

/// The heartbeat of a place. While the place starts, which may take long, it only sends; once `started` has a
/// watch it receives, too. It ends if the place gives up before.
pub(crate) fn run(mut beats: Beats, started: &mpsc::Receiver<Watch>) {
    let watch = loop {
        match started.recv_timeout(HEARTBEAT_INTERVAL) {
            Ok(watch) => break watch,
            Err(mpsc::RecvTimeoutError::Timeout) => beats.send(),
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
    };
    watch.run(&mut beats);
}

impl Watch {
    fn run(&self, beats: &mut Beats) {
        let mut next = Instant::now();
        let mut liveness = self
            .timeouts
            .silence
            .map(|silence| Liveness::new(self.here, &self.remote(), silence, self.timeouts.start, next));
        let mut seen = self.rounds.load(Ordering::Relaxed);
        loop {
            let now = Instant::now();
            if now >= next {
                next = now + HEARTBEAT_INTERVAL;
                beats.send();
                let round = self.rounds.load(Ordering::Relaxed);
                let excused = !beats.streams.is_empty() && std::mem::replace(&mut seen, round) == round;
                if let Some(liveness) = &mut liveness {
                    for event in liveness.look(now, excused, |place| self.signs(place)) {
                        act_on(event, &self.peers, &*self.receiver);
                    }
                }
            }
            hear(&mut beats.beside, next.saturating_duration_since(Instant::now()), &*self.receiver);
        }
    }

    /// Whether each place is on another host.
    fn remote(&self) -> Vec<bool> {
        let last = self.peers.iter().map(|peer| peer.identity.place).max();
        let last = last.map_or(self.here, |last| last.max(self.here));
        let mut remote = vec![false; last.index() + 1];
        for peer in &self.peers {
            remote[peer.identity.place.index()] = peer.identity.is_remote;
        }
        remote
    }

    fn signs(&self, place: PlaceId) -> Signs {
        self.peers.iter().find(|peer| peer.identity.place == place).map_or(Signs::Gone, |it| it.signs())
    }
}

/// Receives for `time`. The rings of a place whose connection ends are closed: what it wrote before is read
/// all the same.
fn hear(beside: &mut Vec<Beside>, timeout: Duration, receiver: &dyn Receiver) {
    let descriptors: Vec<_> = beside.iter().map(|it| it.peer.stream.as_fd()).collect();
    let Ok(ready) = wait_readable(&descriptors, timeout) else {
        // Out of kernel memory: the next round may have some.
        return std::thread::sleep(timeout.min(HEARTBEAT_INTERVAL));
    };
    let mut ready = ready.into_iter();
    beside.retain_mut(|connection| {
        if ready.next() != Some(true) {
            return true;
        }
        match connection.hear() {
            Ok(true) => return true,
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                connection.peer.end(Err(error), receiver);
            }
            // A reset is an end.
            Err(_) => {}
        }
        connection.peer.close_rings();
        false
    });
}

/// Reports a silent place. If it is on another host, its host or the link to it may have failed: the
/// connection with it ends.
fn act_on(event: Event, peers: &[Arc<Peer>], receiver: &dyn Receiver) {
    let (Event::Silent(place, _) | Event::Back(place)) = event;
    let Some(peer) = peers.iter().find(|peer| peer.identity.place == place) else { return };
    let PeerIdentity { process, name, is_remote, .. } = &peer.identity;
    let local_name = || format!("{name} (process {process} on {})", host_name());
    match event {
        Event::Silent(_, duration) if *is_remote => {
            let seconds = duration.as_secs();
            let text = format!(
                "no sign of life for {seconds} seconds: its host or the network has failed, or its process {process} \
                 is stopped; {SILENCE_VARIABLE}=0 waits forever"
            );
            peer.end(Err(io::Error::new(io::ErrorKind::TimedOut, text)), receiver);
        }
        Event::Silent(_, duration) => {
            let seconds = duration.as_secs();
            report!(
                "apg: {} has given no sign of life for {seconds} seconds: {}",
                local_name(),
                describe_state(*process)
            );
        }
        Event::Back(_) => report!("apg: {} gives signs of life again", local_name()),
    }
}

fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// What the system knows of a process.
fn describe_state(process: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    match state_in(&stat) {
        Some('T') => format!("it is stopped by a signal; `kill -CONT {process}` lets it go on"),
        Some('t') => "it is stopped in a debugger, or by another tracer".to_owned(),
        Some('D') => "it waits for a disk or another device".to_owned(),
        Some('Z' | 'X') | None => "its process has ended".to_owned(),
        Some(_) => "its process has not ended, but does not answer".to_owned(),
    }
}

/// The state in the text of `/proc/PID/stat`: behind the name, which may hold anything, in parentheses.
fn state_in(stat: &str) -> Option<char> {
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_state_follows_its_name() {
        assert_eq!(state_in("12 (a) R b) T 1 2"), Some('T'));
        assert_eq!(state_in(""), None);
        assert_eq!(describe_state(std::process::id()), "its process has not ended, but does not answer");
        assert!(!host_name().is_empty());
    }
}
