//! Recognition of the launcher that has started this process, by the variables that it sets.

use std::time::Instant;

use crate::cluster::membership::{Store, folder, pmi1, pmix};
use crate::cluster::slurm::FIRST_SPECIAL_STEP;

/// A launcher of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// MPICH's `mpirun` (Hydra), or Intel's.
    Hydra,
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// `srun` of Slurm.
    Slurm,
}

impl By {
    pub(super) fn name(self) -> &'static str {
        match self {
            By::Hydra | By::OpenMpi => "mpirun",
            By::Slurm => "srun",
        }
    }
}

/// How processes of a job exchange values.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Channel {
    /// PMI-1 over this descriptor.
    Pmi1(i32),
    /// PMIx, of this namespace.
    Pmix,
    /// A folder of this name, which no other job has.
    Folder(String),
    /// None is known.
    None,
}

/// What the environment says of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub(super) by: By,
    /// The number of this process.
    pub(super) rank: u32,
    /// The number of processes; 0 if only the store knows.
    pub(super) size: u32,
    /// In the order in which they are tried.
    channels: Vec<Channel>,
}

/// The command that runs a program at `size` places, with a launcher that offers a store.
fn command_that_works(by_slurm: bool, size: u32) -> String {
    match by_slurm {
        true => format!("srun --mpi=pmi2 -n {size} apg run PROGRAM.x10"),
        false => format!("mpirun -n {size} apg run PROGRAM.x10"),
    }
}

impl Launch {
    /// The job of this process; `None` if no launcher has started it, or it is the only process.
    pub fn find(variable: &dyn Fn(&str) -> Option<String>) -> Option<Launch> {
        Self::detect(variable).filter(|it| it.size != 1 && (it.size == 0 || it.rank < it.size))
    }

    /// The job of this process, also if it is the only one; `None` if no launcher has started it.
    pub(super) fn detect(variable: &dyn Fn(&str) -> Option<String>) -> Option<Launch> {
        let number = |name: &str| variable(name)?.trim().parse::<u32>().ok();
        // A job step inside of which `mpirun` has been called is not the innermost launcher's.
        let pmi1 = Self::by_pmi1(variable, &number).filter(|_| number("OMPI_COMM_WORLD_SIZE").is_none());
        pmi1.or_else(|| Self::by_open_mpi(variable, &number)).or_else(|| Self::by_slurm(variable, &number))
    }

    /// Hydra, or a step of Slurm that offers PMI.
    fn by_pmi1(
        variable: &dyn Fn(&str) -> Option<String>,
        number: &dyn Fn(&str) -> Option<u32>,
    ) -> Option<Launch> {
        let (rank, size) = (number("PMI_RANK")?, number("PMI_SIZE")?);
        let channel = number("PMI_FD").map_or(Channel::None, |descriptor| Channel::Pmi1(descriptor as i32));
        match Self::by_slurm(variable, number).filter(|step| (step.rank, step.size) == (rank, size)) {
            Some(step) => Some(Launch { channels: [vec![channel], step.channels].concat(), ..step }),
            None => Some(Launch { by: By::Hydra, rank, size, channels: vec![channel] }),
        }
    }

    fn by_open_mpi(
        variable: &dyn Fn(&str) -> Option<String>,
        number: &dyn Fn(&str) -> Option<u32>,
    ) -> Option<Launch> {
        let (rank, size) = (number("OMPI_COMM_WORLD_RANK")?, number("OMPI_COMM_WORLD_SIZE")?);
        let channels = match variable("PMIX_NAMESPACE") {
            Some(namespace) => vec![Channel::Pmix, Channel::Folder(format!("open-mpi-{namespace}"))],
            None => vec![Channel::None],
        };
        Some(Launch { by: By::OpenMpi, rank, size, channels })
    }

    fn by_slurm(
        variable: &dyn Fn(&str) -> Option<String>,
        number: &dyn Fn(&str) -> Option<u32>,
    ) -> Option<Launch> {
        let step = variable("SLURM_STEP_ID")?.trim().parse::<u64>().ok()?;
        if step >= FIRST_SPECIAL_STEP {
            return None;
        }
        let (job, rank) = (variable("SLURM_JOB_ID")?, number("SLURM_PROCID")?);
        let size = number("SLURM_STEP_NUM_TASKS").or_else(|| number("SLURM_NTASKS"))?;
        // The port of this `srun` distinguishes steps of clusters that number their jobs alike.
        let port = variable("SLURM_SRUN_COMM_PORT").unwrap_or_default();
        let folder = Channel::Folder(format!("slurm-{job}-{step}-{port}"));
        let channels = match variable("PMIX_NAMESPACE") {
            Some(_) => vec![Channel::Pmix, folder],
            None => vec![folder],
        };
        Some(Launch { by: By::Slurm, rank, size, channels })
    }

    /// Opens the first store that can be: what it says of rank and number of processes counts.
    pub(super) fn open(&self, uses_mpi: bool, deadline: Instant) -> Result<(Launch, Box<dyn Store>), String> {
        let mut failures = Vec::new();
        let has_folder = self.channels.iter().any(|channel| matches!(channel, Channel::Folder(_)));
        for channel in &self.channels {
            let opened: Result<(u32, u32, Box<dyn Store>), String> = match channel {
                // Slurm and servers of PMIx take one client of a process: the MPI library.
                Channel::Pmi1(_) | Channel::Pmix if has_folder && uses_mpi => continue,
                Channel::Pmi1(descriptor) => pmi1::Client::open(*descriptor, uses_mpi)
                    .map(|client| (self.rank, self.size, Box::new(client) as Box<dyn Store>)),
                Channel::Pmix => pmix::Client::open()
                    .map(|client| (client.rank(), client.size(), Box::new(client) as Box<dyn Store>)),
                Channel::Folder(name) => folder::Folder::open(name, self.rank, deadline)
                    .map(|folder| (self.rank, self.size, Box::new(folder) as Box<dyn Store>)),
                Channel::None => Err("it offers no way to exchange addresses that apg knows".to_owned()),
            };
            match opened {
                Ok((rank, size, store)) => {
                    return Ok((Launch { rank, size, ..self.clone() }, store));
                }
                Err(error) => failures.push(error),
            }
        }
        Err(failures.join("; "))
    }

    /// An error with the launcher's name, and the command that works.
    pub(super) fn explain(&self, error: &str) -> String {
        let (name, size) = (self.by.name(), self.size);
        let instead = match self.by {
            By::Slurm => command_that_works(true, size),
            By::Hydra | By::OpenMpi => {
                format!("{}` or `apg run PROGRAM.x10 --hosts HOST:N,...", command_that_works(false, size))
            }
        };
        format!(
            "{name} has started {size} processes, of which this is number {}, but they do not find each \
             other: {error}; this works: `{instead}`; `--launcher local` runs each process on its own",
            self.rank
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(variables: &[(&str, &str)]) -> Option<Launch> {
        let value = |name: &str| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Launch::find(&value)
    }

    #[test]
    fn launchers_are_recognised_by_their_variables() {
        assert_eq!(find(&[]), None);
        let hydra = find(&[("PMI_FD", "6"), ("PMI_RANK", "1"), ("PMI_SIZE", "3")]).expect("a job");
        assert_eq!((hydra.by, hydra.rank, hydra.size), (By::Hydra, 1, 3));
        assert_eq!(hydra.channels, [Channel::Pmi1(6)]);
        let open = [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2"), ("PMIX_NAMESPACE", "n.1")];
        let open = find(&open).expect("a job");
        assert_eq!(open.channels, [Channel::Pmix, Channel::Folder("open-mpi-n.1".to_owned())]);
        let step = [("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "3")];
        let slurm = find(&[&step[..], &[("SLURM_STEP_NUM_TASKS", "4")]].concat()).expect("a job");
        assert_eq!((slurm.by, slurm.rank, slurm.size), (By::Slurm, 3, 4));
        let folder = Channel::Folder("slurm-7-0-".to_owned());
        assert_eq!(slurm.channels, std::slice::from_ref(&folder));
        let pmi = [("PMI_FD", "11"), ("PMI_RANK", "3"), ("PMI_SIZE", "4"), ("SLURM_STEP_NUM_TASKS", "4")];
        let slurm = find(&[&step[..], &pmi].concat()).expect("a job");
        assert_eq!((slurm.by, slurm.channels), (By::Slurm, vec![Channel::Pmi1(11), folder]));
        // Hydra, whose proxies are the tasks of a step.
        let pmi = [("PMI_FD", "11"), ("PMI_RANK", "1"), ("PMI_SIZE", "8"), ("SLURM_STEP_NUM_TASKS", "4")];
        let hydra = find(&[&step[..], &pmi].concat()).expect("a job");
        assert_eq!((hydra.by, hydra.rank, hydra.channels), (By::Hydra, 1, vec![Channel::Pmi1(11)]));
    }

    #[test]
    fn processes_that_are_alone_are_no_job() {
        assert_eq!(find(&[("PMI_FD", "6"), ("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        let batch = [("SLURM_JOB_ID", "7"), ("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        assert_eq!(find(&batch), None, "a batch script is no task of a step");
        let shell = [("SLURM_STEP_ID", "4294967290"), ("SLURM_STEP_NUM_TASKS", "4")];
        assert_eq!(find(&[&batch[..], &shell].concat()), None);
        assert_eq!(find(&[("PMI_RANK", "x"), ("PMI_SIZE", "4")]), None);
        assert_eq!(find(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")]), None, "there is no such rank");
    }

    #[test]
    fn processes_without_a_store_get_a_command_that_works() {
        let launch = find(&[("PMI_RANK", "1"), ("PMI_SIZE", "3")]).expect("a job");
        let error = launch.open(false, Instant::now()).err().expect("no store");
        let error = launch.explain(&error);
        assert!(error.contains("started 3 processes") && error.contains("`mpirun -n 3 apg run"), "{error}");
    }
}
