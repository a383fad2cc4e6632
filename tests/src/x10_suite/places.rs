//! Where the places of X10's programs run: on this machine, on hosts of a lab, or where a launcher of a
//! cluster puts them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::jobs::mpirun;
use crate::lab::Lab;
use crate::network_emulator::Link;
use crate::slurm::Slurm;

/// Hosts in place of this machine: network namespaces with an ssh server each.
#[derive(Clone, Debug, Args)]
pub struct HostOptions {
    /// Run places on N hosts of this machine, which are joined by links
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=32))]
    hosts: Option<u8>,

    /// Milliseconds that a link of a host takes in each direction, and half as many more at random
    #[arg(long, value_name = "MS", requires = "hosts", default_value_t = 0)]
    delay: u64,

    /// Frames of a thousand that a link loses
    #[arg(long, value_name = "N", requires = "hosts", default_value_t = 0)]
    loss: u32,
}

/// What starts the places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Launcher {
    /// `apg` itself: on this machine, or by ssh with `--hosts`
    #[default]
    Apg,
    /// `mpirun` of Open MPI
    Openmpi,
    /// `mpirun` of MPICH
    Mpich,
    /// `srun` of a Slurm with two hosts
    Srun,
}

/// Starts programs at places.
pub enum Places {
    /// Processes of this machine.
    Here,
    /// Processes of these hosts, in rounds.
    Hosts(Lab),
    /// Processes of an `mpirun`, by the name of its MPI.
    Mpirun(&'static str),
    /// Tasks of Slurm.
    Srun(Slurm),
}

impl HostOptions {
    /// Where these options put places.
    ///
    /// # Errors
    /// There can be no such hosts here.
    pub fn places(&self) -> Result<Places, String> {
        let Some(hosts) = self.hosts.map(usize::from) else { return Ok(Places::Here) };
        let (delay, jitter) = (Duration::from_millis(self.delay), Duration::from_millis(self.delay / 2));
        let lab = match (self.delay, self.loss) {
            (0, 0) => Lab::new(hosts),
            (_, lost_per_mille) => Lab::with_links(hosts, Link { delay, jitter, lost_per_mille, seed: 1 }),
        };
        lab.map(Places::Hosts).ok_or_else(|| "there can be no hosts here".to_owned())
    }
}

impl Launcher {
    /// Where this launcher puts places, with hosts for `apg` itself.
    ///
    /// # Errors
    /// It is not installed, or there can be no such hosts here.
    pub fn places(self, hosts: &HostOptions) -> Result<Places, String> {
        match self {
            Launcher::Apg => hosts.places(),
            Launcher::Openmpi => Ok(Places::Mpirun("openmpi")),
            Launcher::Mpich => Ok(Places::Mpirun("mpich")),
            Launcher::Srun => Slurm::new(2).map(Places::Srun).ok_or_else(|| "there is no Slurm".to_owned()),
        }
    }
}

impl Places {
    /// Begins a command: `apg run` at that many places.
    ///
    /// # Errors
    /// The launcher is not installed.
    pub fn command(&self, apg: &Path, places: usize) -> Result<Command, String> {
        let count = places.to_string();
        let mut command = match self {
            Places::Here | Places::Hosts(_) => Command::new(apg),
            Places::Mpirun(mpi) => {
                mpirun(mpi, places as u32).ok_or_else(|| format!("there is no mpirun.{mpi}"))?
            }
            Places::Srun(slurm) => {
                let mut command = slurm.command("srun");
                let hosts = places.min(2).to_string();
                // Without what it says of its queue, which would stand in the program's output.
                command.args(["--quiet", "--mpi=pmi2", "-N", &hosts, "-n", &count]);
                command
            }
        };
        command.env_remove("X10_NPLACES").env_remove("X10_NTHREADS");
        match self {
            Places::Here => _ = command.env("X10_HOSTLIST", "localhost").args(["run", "--places", &count]),
            Places::Hosts(lab) => {
                command.env("X10_HOSTLIST", lab.host_list()).env("X10_LAUNCHER_SSH", lab.ssh());
                command.args(["run", "--places", &count]);
            }
            Places::Mpirun(_) | Places::Srun(_) => {
                command.env_remove("X10_HOSTLIST").arg(apg).arg("run");
            }
        }
        Ok(command)
    }
}
