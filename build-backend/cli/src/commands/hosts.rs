//! Hosts of a run: `--hosts`, `--hostfile` and X10's variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use apg_runtime::cluster::hostfile::{self, Host};
use apg_runtime::cluster::membership::Membership;
use apg_runtime::cluster::session::Agents;
use apg_runtime::cluster::slurm::Allocation;
use apg_runtime::cluster::ssh::VARIABLE as SSH_VARIABLE;
use apg_runtime::net::placement::Placement;
use clap::{Args, ValueEnum};

use crate::failure::Failure;

/// Where places run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Other machines")]
pub(crate) struct HostOptions {
    /// Hosts and how many places each takes, such as `node1:4,user@node2:4`; they are reached by ssh
    #[arg(long, value_name = "HOST[:N],...", conflicts_with = "hostfile")]
    pub hosts: Option<String>,

    /// A file with a host a line: `HOST`, `HOST:N` or `HOST slots=N`
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,

    /// The interface (`ib0`) or network (`10.0.0.0/8`) by which hosts reach each other [default: that of
    /// the ssh connection]
    #[arg(long, value_name = "NAME|CIDR")]
    pub interface: Option<String>,

    /// What starts the places
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub launcher: Launcher,

    /// Do not encrypt connections between hosts: the network between them is private
    #[arg(long)]
    pub private_network: bool,
}

/// What starts the places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Launcher {
    /// The launcher that has started this process, else ssh for hosts that are named, else Slurm inside an
    /// allocation, else this process
    #[default]
    Auto,
    /// This process, on this machine
    Local,
    /// ssh
    Ssh,
    /// Slurm's srun: this process is a task of it, or is inside an allocation
    Slurm,
    /// mpirun, which has started this process
    Mpirun,
}

/// Where the places of a run are.
pub(crate) enum Target {
    /// They are processes of this machine; how many, if that was said.
    Here(Option<u32>),
    /// They are started by agents.
    Cluster(Box<Cluster>),
    /// They are processes of this command, which this command starts on all hosts.
    Restart(Command),
    /// Another process of the same job runs the program, and this one is an agent of it.
    Agent(Membership),
}

/// Places on hosts other than this process.
pub(crate) struct Cluster {
    /// Where the places are.
    pub placement: Placement,
    /// The agent of each place, and the names of the agents' hosts.
    pub agents: Placement,
    /// How the agents come to run.
    pub start: Agents,
    /// The user's choice of an interface.
    pub interface: Option<String>,
    /// Whether connections between hosts need no encryption.
    pub private_network: bool,
}

/// An environment variable that is not empty.
pub(crate) fn environment_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The number of host places where no option says it.
pub(crate) const PLACES_VARIABLE: &str = "X10_NPLACES";
/// Maximum number of host places.
pub(crate) const MAX_PLACES: u32 = 1024;

/// A number of an option, else of a variable.
pub(crate) fn number(option: Option<u32>, name: &str, max: u32) -> Result<Option<u32>, Failure> {
    match (option, environment_variable(name)) {
        (Some(number), _) => Ok(Some(number)),
        (None, None) => Ok(None),
        (None, Some(text)) => match text.trim().parse() {
            Ok(number) if (1..=max).contains(&number) => Ok(Some(number)),
            _ => Err(Failure::misuse(format!("{name} is `{text}`; it must be a number from 1 to {max}"))),
        },
    }
}

/// The words of the user's ssh command; none for the default.
pub(crate) fn ssh_words() -> Vec<OsString> {
    let words = environment_variable(SSH_VARIABLE).unwrap_or_default();
    words.split_whitespace().map(OsString::from).collect()
}

impl HostOptions {
    /// The hosts that were named: by options, else by X10's variables.
    fn named(&self) -> Result<Option<Vec<Host>>, Failure> {
        let list = |from: &str, text: &str| {
            hostfile::parse_list(text).map_err(|error| Failure::misuse(format!("{from}: {error}")))
        };
        let file = |from: &str, path: &Path| {
            let at = format!("{from} {}", path.display());
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::misuse(format!("{at}: cannot be read: {error}")))?;
            hostfile::parse_file(&text).map_err(|error| Failure::misuse(format!("{at}: {error}")))
        };
        if let Some(text) = &self.hosts {
            return list("--hosts", text).map(Some);
        }
        if let Some(path) = &self.hostfile {
            return file("--hostfile", path).map(Some);
        }
        if let Some(path) = environment_variable("X10_HOSTFILE") {
            return file("X10_HOSTFILE", path.as_ref()).map(Some);
        }
        environment_variable("X10_HOSTLIST").map(|text| list("X10_HOSTLIST", &text)).transpose()
    }

    /// Where `places` places are on the hosts that were named, or as many as these take.
    pub(crate) fn named_placement(&self, places: Option<u32>) -> Result<Option<Placement>, Failure> {
        let allocate = |hosts: Vec<Host>| hostfile::allocate(&hosts, places).map_err(Failure::misuse);
        self.named()?.map(allocate).transpose()
    }

    /// The same options for another machine, whose files are others: a host file of this machine becomes a
    /// list.
    pub(crate) fn for_remote(&self) -> Result<HostOptions, Failure> {
        let names_file = self.hostfile.is_some()
            || (self.hosts.is_none() && environment_variable("X10_HOSTFILE").is_some());
        if !names_file {
            return Ok(self.clone());
        }
        let hosts = self.named()?.map(|hosts| hostfile::list(&hosts));
        Ok(HostOptions { hosts, hostfile: None, ..self.clone() })
    }

    /// Where `places` places run, or as many as the hosts take; `uses_mpi` if MPI carries their messages.
    pub(crate) fn resolve(&self, places: Option<u32>, uses_mpi: bool) -> Result<Target, Failure> {
        match self.launcher {
            Launcher::Local => return self.resolve_local(places),
            Launcher::Auto | Launcher::Slurm | Launcher::Mpirun => {
                if let Some(membership) = Membership::find(uses_mpi).map_err(Failure::new)? {
                    return self.join(membership, places);
                }
            }
            Launcher::Ssh => {}
        }
        if matches!(self.launcher, Launcher::Slurm | Launcher::Mpirun) && Membership::is_alone() {
            return Ok(Target::Here(Some(places.unwrap_or(1))));
        }
        if self.launcher == Launcher::Mpirun {
            return Err(Failure::misuse("no mpirun has started this process")
                .hint("write `mpirun -n 4 apg run FILE`; without mpirun, leave `--launcher mpirun` out"));
        }
        let named = if self.launcher == Launcher::Slurm { None } else { self.named_placement(places)? };
        let Some(placement) = named else { return self.resolve_without_names(places) };
        if placement.names() == ["localhost"] {
            return Ok(Target::Here(Some(placement.places())));
        }
        Ok(self.reach_by_ssh(placement))
    }

    /// Places of this process, since no host is named.
    fn resolve_local(&self, places: Option<u32>) -> Result<Target, Failure> {
        let option = match self {
            HostOptions { hosts: Some(_), .. } => "--hosts",
            HostOptions { hostfile: Some(_), .. } => "--hostfile",
            _ => return self.resolve_without_names(places),
        };
        Err(Failure::misuse(format!("{option} names hosts, which `--launcher local` does not reach")))
    }

    fn resolve_without_names(&self, places: Option<u32>) -> Result<Target, Failure> {
        let allocation = Allocation::find(&environment_variable);
        match (self.launcher, allocation) {
            (Launcher::Auto | Launcher::Slurm, Some(allocation)) => {
                return restart_in(&allocation, places.unwrap_or(allocation.tasks));
            }
            (Launcher::Slurm, None) => {
                return Err(Failure::misuse("this process is not inside an allocation of Slurm")
                    .hint("write `salloc -N 2 -n 8 apg run FILE`, or `srun -n 8 apg run FILE`"));
            }
            _ => {}
        }
        let option = match (&self.interface, self.private_network) {
            (None, false) if self.launcher == Launcher::Ssh => "--launcher ssh",
            (None, false) => return Ok(Target::Here(places)),
            (Some(_), _) => "--interface",
            (None, true) => "--private-network",
        };
        Err(Failure::misuse(format!("{option} needs --hosts or --hostfile")))
    }

    fn reach_by_ssh(&self, placement: Placement) -> Target {
        self.cluster(placement.clone(), placement, Agents::Ssh(ssh_words()))
    }

    fn cluster(&self, placement: Placement, agents: Placement, start: Agents) -> Target {
        let (interface, private_network) = (self.interface.clone(), self.private_network);
        Target::Cluster(Box::new(Cluster { placement, agents, start, interface, private_network }))
    }

    /// A place for each process of a job.
    fn join(&self, membership: Membership, places: Option<u32>) -> Result<Target, Failure> {
        if membership.rank() != 0 {
            return Ok(Target::Agent(membership));
        }
        if let Err(mut failure) = self.check_job(&membership, places) {
            // Before the other processes end, which some launchers take for the end of the job.
            failure.print()?;
            membership.refuse();
            return Err(failure);
        }
        let members = membership.gather(self.interface.as_deref()).map_err(Failure::new)?;
        Ok(self.cluster(members.placement, members.agents, Agents::Called(members.callers)))
    }

    /// Whether the options agree with the job that a launcher has started.
    fn check_job(&self, membership: &Membership, places: Option<u32>) -> Result<(), Failure> {
        let (launcher, size) = (membership.launcher(), membership.size());
        if self.hosts.is_some() || self.hostfile.is_some() {
            return Err(Failure::misuse(format!(
                "{launcher} has started this process, and says where the others are: leave --hosts and --hostfile out"
            )));
        }
        if let Some(places) = places.filter(|places| *places != size) {
            return Err(Failure::misuse(format!(
                "{launcher} has started {size} processes, each of which is a place, but --places or X10_NPLACES says \
                 {places}: leave it out, or write `{launcher} -n {places}`"
            )));
        }
        Ok(())
    }
}

/// This command on the hosts that Slurm has granted.
fn restart_in(allocation: &Allocation, places: u32) -> Result<Target, Failure> {
    let cannot = |error| Failure::new(format!("cannot find apg itself: {error}"));
    let executable = std::env::current_exe().map_err(cannot)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = allocation.command(places, executable.as_os_str(), &arguments);
    command.map(Target::Restart).map_err(|error| {
        Failure::new(error).hint("`--launcher local` runs the program on this machine alone")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(hosts: &str) -> HostOptions {
        HostOptions { hosts: Some(hosts.to_owned()), ..HostOptions::default() }
    }

    #[test]
    fn this_machine_alone_needs_no_agent() {
        assert!(matches!(options("localhost:3").resolve(None, false), Ok(Target::Here(Some(3)))));
        let several = options("localhost:3,b:1").resolve(None, false);
        assert!(matches!(several, Ok(Target::Cluster(cluster)) if cluster.placement.places() == 4));
    }

    #[test]
    fn errors_name_the_option() {
        let error = options("a:0").resolve(None, false).err().expect("no place");
        assert!(error.message.starts_with("--hosts: `0` is no number of places"), "{}", error.message);
        let alone = HostOptions { interface: Some("eth0".to_owned()), ..HostOptions::default() };
        assert!(alone.resolve(None, false).is_err());
        let local = HostOptions { launcher: Launcher::Local, ..options("b") };
        let error = local.resolve(None, false).err().expect("a contradiction");
        assert!(error.message.contains("--hosts names hosts"), "{}", error.message);
        let missing = HostOptions { hostfile: Some("/no/such/file".into()), ..HostOptions::default() };
        let error = missing.resolve(None, false).err().expect("no file");
        assert!(error.message.contains("--hostfile /no/such/file: cannot be read"), "{}", error.message);
    }
}
