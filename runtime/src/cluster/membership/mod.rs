//! Membership in a parallel job: the rank of this process and the number of processes, as a launcher of
//! clusters gives them, and a store by which the processes exchange short strings before they are connected
//! (the key-value space of PMI: Balaji and others, "PMI: A Scalable Parallel Process-Management Interface for
//! Extreme-Scale Systems", EuroMPI 2010).
//!
//! MPICH's and Intel's `mpirun` and `srun --mpi=pmi2` speak PMI-1 over an inherited descriptor, Open MPI's
//! `mpirun` and `srun --mpi=pmix` PMIx, whose library is loaded; where neither is at hand, the environment
//! tells the rank, and a private folder is the store.

mod folder;
mod launch;
pub(super) mod pmi1;
mod pmix;

use std::io::ErrorKind;
use std::time::Instant;

use crate::base::place::{HostId, PlaceId};
use crate::cluster::rendezvous::{self, Appointment, Caller, Meeting};
use crate::net::placement::Placement;
use crate::net::timeouts::Timeouts;

use launch::By;
pub use launch::Launch;

/// The strings that processes exchange.
trait Store {
    /// Makes a text of this process known.
    fn put(&mut self, key: &str, value: &str) -> Result<(), String>;
    /// Waits until every process has come here.
    fn fence(&mut self) -> Result<(), String>;
    /// The text that a process has made known before the last fence.
    fn get(&mut self, rank: u32, key: &str) -> Result<String, String>;
    /// Ends the use of the store.
    fn finish(&mut self);
    /// The place of this process has ended, and with it the MPI library to which the store was left. If it
    /// has failed before it used that, the launcher would take the end of this process for a crash of the
    /// job.
    fn finish_after_place(&mut self) {}
}

/// A process of a parallel job.
pub struct Membership {
    launch: Launch,
    store: Box<dyn Store>,
}

/// The agents of a job's processes, by which its places are started.
pub struct Members {
    /// Where the places are: one for each process.
    pub placement: Placement,
    /// The agent of each place: its process's.
    pub agents: Placement,
    /// The connections with the agents; none with that of this process.
    pub callers: Vec<Option<Caller>>,
}

impl Membership {
    /// The job that this process belongs to; `None` if it was started alone. With `uses_mpi` the launcher's
    /// interface is left to the MPI libraries of the places.
    ///
    /// # Errors
    /// It belongs to one whose other processes cannot be found, and what to do about it.
    pub fn find(uses_mpi: bool) -> Result<Option<Membership>, String> {
        let Some(launch) = Launch::find(&|name| std::env::var(name).ok()) else { return Ok(None) };
        let timeouts = Timeouts::from_environment()?;
        match launch.open(uses_mpi, Instant::now() + timeouts.start) {
            Ok((launch, _)) if launch.size == 1 => Ok(None),
            Ok((launch, store)) => Ok(Some(Membership { launch, store })),
            Err(error) => Err(launch.explain(&error)),
        }
    }

    /// Whether a launcher has started this process as the only one of its job.
    pub fn is_alone() -> bool {
        Launch::detect(&|name| std::env::var(name).ok()).is_some_and(|launch| launch.size == 1)
    }

    /// The number of this process.
    pub fn rank(&self) -> u32 {
        self.launch.rank
    }

    /// The number of processes.
    pub fn size(&self) -> u32 {
        self.launch.size
    }

    /// The launcher's name, as its command.
    pub fn launcher(&self) -> &'static str {
        self.launch.by.name()
    }

    /// Of the process with rank 0: gathers the agents of all others.
    ///
    /// # Errors
    /// Some do not come.
    pub fn gather(mut self, interface: Option<&str>) -> Result<Members, String> {
        let placement = self.exchange_hosts()?;
        let meeting = match Meeting::open(placement.names().is_empty(), interface) {
            Ok(meeting) => meeting,
            Err(error) => {
                let _ = self.withdraw();
                self.store.finish();
                return Err(error);
            }
        };
        self.store.put(APPOINTMENT, &meeting.appointment.to_text())?;
        self.store.fence()?;
        let deadline = Instant::now() + Timeouts::from_environment()?.start;
        let callers = meeting.wait(1..self.size(), &placement, deadline, &|| None);
        self.store.finish();
        let callers = callers.map_err(|error| self.launch.explain(&error.to_string()))?;
        let names = (0..self.size()).map(PlaceId).map(|place| match placement.names().first() {
            Some(_) => placement.names()[placement.host(place).0 as usize].clone(),
            None => "this machine".to_owned(),
        });
        let agents = Placement::new(names.collect(), (0..self.size()).map(HostId).collect());
        let callers = std::iter::once(None).chain(callers.into_iter().map(Some)).collect();
        Ok(Members { placement, agents, callers })
    }

    /// Of the process with rank 0: has all others end, since the program does not run.
    pub fn refuse(mut self) {
        // The user knows already why the program does not run; processes that do not come change nothing.
        let _ = self.exchange_hosts().and_then(|_| self.withdraw());
        self.store.finish();
    }

    /// Tells the others that there is no appointment, and waits until they have read it.
    fn withdraw(&mut self) -> Result<(), String> {
        self.store.put(APPOINTMENT, REFUSAL)?;
        self.store.fence()?;
        self.store.fence()?;
        (1..self.size()).try_for_each(|rank| self.store.get(rank, ACKNOWLEDGEMENT).map(drop))
    }

    /// Of any other process: serves the process with rank 0 as an agent, until that ends; not if that says
    /// that the program does not run.
    ///
    /// # Errors
    /// It cannot be reached.
    pub fn serve(mut self) -> Result<(), String> {
        self.exchange_hosts()?;
        self.store.fence()?;
        let text = self.store.get(0, APPOINTMENT)?;
        if text == REFUSAL {
            self.store.put(ACKNOWLEDGEMENT, REFUSAL)?;
            let fenced = self.store.fence();
            self.store.finish();
            return fenced;
        }
        self.store.finish();
        let appointment = Appointment::from_text(&text)
            .ok_or_else(|| self.launch.explain("the process with rank 0 is no apg, or another version"))?;
        ignore_end_requests();
        if self.launch.by == By::Slurm {
            discard_input();
        }
        let deadline = Instant::now() + Timeouts::from_environment()?.start;
        let served = rendezvous::call_and_serve(self.rank(), &appointment, deadline);
        self.store.finish_after_place();
        served
            .map_err(|error| match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => "it does not answer in time".to_owned(),
                _ => error.to_string(),
            })
            .map_err(|error| format!("process {} has lost process 0: {error}", self.rank()))
    }

    /// Tells the others where this process runs; where all run.
    fn exchange_hosts(&mut self) -> Result<Placement, String> {
        self.store.put(HOST, &own_host())?;
        self.store.fence()?;
        if self.rank() != 0 {
            // The process with rank 0 tells the places.
            return Ok(Placement::on_this_machine(self.size()));
        }
        let keys = (0..self.size()).map(|rank| self.store.get(rank, HOST)).collect::<Result<Vec<_>, _>>()?;
        Ok(place_by_hosts(&keys))
    }
}

/// Keys of the store.
const HOST: &str = "apg-host";
const APPOINTMENT: &str = "apg-launcher";
const ACKNOWLEDGEMENT: &str = "apg-read";
/// The text of an appointment that is withdrawn: the program does not run, and the process with rank 0 says
/// why.
const REFUSAL: &str = "refused";

/// This machine's name, and what distinguishes it from others of that name.
fn own_host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name: String =
        name.chars().filter(|it| it.is_ascii_alphanumeric() || "-._".contains(*it)).take(200).collect();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    format!("{name}@{}", boot.trim())
}

/// Places on the hosts of their processes; without names if there is one host.
fn place_by_hosts(keys: &[String]) -> Placement {
    let mut distinct: Vec<&String> = Vec::new();
    let hosts: Vec<HostId> = keys
        .iter()
        .map(|key| {
            let found = distinct.iter().position(|other| *other == key).unwrap_or_else(|| {
                distinct.push(key);
                distinct.len() - 1
            });
            HostId(found as u32)
        })
        .collect();
    if distinct.len() <= 1 {
        return Placement::on_this_machine(keys.len() as u32);
    }
    let name = |key: &&String| key.split('@').next().unwrap_or_default().to_owned();
    Placement::new(distinct.iter().map(name).collect(), hosts)
}

/// From now on the end of the job is that of the process with rank 0: launchers signal all processes at
/// once, and what places have printed is still to be passed on.
pub(super) fn ignore_end_requests() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: no handler is installed; the threads of this process need none.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Reads this process's input, which `srun` sends to all processes alike: a process that does not read stops
/// the input of all.
fn discard_input() {
    // Without a thread, long input stops, and short input does not.
    let _ = std::thread::Builder::new()
        .name("apg-input".to_owned())
        .spawn(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_on_the_hosts_of_their_processes() {
        let keys = |hosts: &[&str]| hosts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(place_by_hosts(&keys(&["a@1", "a@1"])), Placement::on_this_machine(2));
        let placement = place_by_hosts(&keys(&["b@1", "a@2", "b@1", "b@3"]));
        assert_eq!(placement.names(), ["b", "a", "b"]);
        let hosts: Vec<u32> = (0..4).map(|place| placement.host(PlaceId(place)).0).collect();
        assert_eq!(hosts, [0, 1, 0, 2]);
        assert!(own_host().contains('@') && own_host().len() < 256);
    }
}
