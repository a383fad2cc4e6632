//! The profile of a program on many hosts: the parts of all places, with the times of one clock, become one
//! file of the launcher.
//!
//! The clocks of hosts are compared by round trips (Cristian, "Probabilistic Clock Synchronization",
//! Distributed Computing 3, 1989): of several, the shortest one tells how far a clock is ahead, with an
//! error of at most half of its duration.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::PathBuf;

use parking_lot::Mutex;

use super::reach::for_all_hosts;
use super::{Reached, Session};
use crate::base::output_errors;
use crate::base::place::{HostId, PlaceId};
use crate::cluster::control::{FromAgent, ToAgent};
use crate::net::placement::Placement;
use crate::profile;

/// Round trips with each host.
const ROUND_TRIPS: usize = 5;

/// A profile that arrives.
pub(super) struct Profile {
    /// Where it goes.
    file: PathBuf,
    /// What has arrived.
    arrived: Mutex<Arrived>,
}

#[derive(Default)]
struct Arrived {
    /// How far the clock of each host is ahead of this one's, in nanoseconds.
    ahead: Vec<i64>,
    /// Files without names, by place.
    parts: BTreeMap<PlaceId, File>,
    /// The first part that could not be kept.
    failure: Option<io::Error>,
}

impl Profile {
    /// A profile of a program that starts.
    pub(super) fn new(file: PathBuf) -> Profile {
        Profile { file, arrived: Mutex::default() }
    }

    /// Keeps a piece of a place's part.
    pub(super) fn add(&self, place: PlaceId, piece: &[u8]) {
        let mut arrived = self.arrived.lock();
        if let Err(error) = arrived.add(place, piece) {
            arrived.failure.get_or_insert(error);
        }
    }

    /// Writes what has arrived, once, and prints a summary; `agents` has the agent of each place.
    pub(super) fn complete(&self, agents: &Placement) {
        let arrived = std::mem::take(&mut *self.arrived.lock());
        if arrived.ahead.is_empty() {
            // The program has not started.
            return;
        }
        let name = profile::shown_name(&self.file);
        match arrived.join(&self.file, &name, agents) {
            Ok(summary) => profile::print_summary(&summary),
            Err(error) => output_errors::report(&format!("the profile {name}"), &error),
        }
    }
}

impl Arrived {
    fn add(&mut self, place: PlaceId, piece: &[u8]) -> io::Result<()> {
        let part = match self.parts.entry(place) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => entry.insert(tempfile::tempfile()?),
        };
        part.write_all(piece)
    }

    fn join(self, file: &std::path::Path, name: &str, agents: &Placement) -> io::Result<String> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut joining = profile::Joining::begin(file)?;
        for (place, mut part) in self.parts {
            part.rewind()?;
            let host = if place.0 < agents.places() { agents.host(place).0 as usize } else { 0 };
            joining.add(part, self.ahead.get(host).copied().unwrap_or(0))?;
        }
        joining.end(name)
    }
}

/// Compares the clocks of all hosts with this machine's.
///
/// # Errors
/// A host is lost, with its name.
pub(super) fn compare_clocks(
    session: &Session,
    profile: &Profile,
    reached: &mut [Reached],
) -> Result<(), String> {
    let inputs = (0..).map(HostId).zip(reached.iter_mut());
    let ahead = for_all_hosts(session, inputs, usize::MAX, |number, reached| {
        compare_clock(session, number, reached)
    })?;
    profile.arrived.lock().ahead = ahead;
    Ok(())
}

/// How far the clock of a host is ahead, in nanoseconds.
fn compare_clock(session: &Session, number: HostId, reached: &mut Reached) -> Result<i64, String> {
    let host = session.host(number);
    let mut best: Option<(u64, i64)> = None;
    for _ in 0..ROUND_TRIPS {
        let sent = profile::now();
        host.send(&ToAgent::Time, &[]).map_err(|error| host.describe_loss(Some(&error)))?;
        let there = loop {
            match reached.next(host)? {
                (FromAgent::Time(there), _) => break there,
                (FromAgent::Heartbeat, _) => {}
                _ => return Err(host.out_of_order()),
            }
        };
        let duration = profile::now().saturating_sub(sent);
        let ahead = there.wrapping_sub(sent + duration / 2) as i64;
        if best.is_none_or(|(shortest, _)| duration < shortest) {
            best = Some((duration, ahead));
        }
    }
    Ok(best.map_or(0, |(_, ahead)| ahead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_hosts_become_one_file_in_the_time_of_this_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let profile = Profile::new(folder.path().join("p.json"));
        let agents = Placement::new(["a", "b"].map(str::to_owned).to_vec(), [0, 1].map(HostId).to_vec());
        profile.complete(&agents);
        assert!(!profile.file.exists(), "nothing was recorded");
        profile.arrived.lock().ahead = vec![0, 1000];
        profile.add(PlaceId(1), b"{\"ph\":\"X\",\"ts\":7.000,");
        profile.add(PlaceId(0), b"{\"ph\":\"X\",\"ts\":5.000}\n");
        profile.add(PlaceId(1), b"\"pid\":1}\n");
        profile.complete(&agents);
        let whole = std::fs::read_to_string(&profile.file).expect("a file");
        let expected = "{\"ph\":\"X\",\"ts\":5.000},\n{\"ph\":\"X\",\"ts\":6.000,\"pid\":1}\n]}\n";
        assert!(whole.ends_with(expected), "{whole}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "parts are left");
    }
}
