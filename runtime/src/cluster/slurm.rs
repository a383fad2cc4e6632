//! Slurm's allocations: `salloc` and `sbatch` grant hosts, and `srun` inside of one starts the processes
//! there, each of which finds the others as in any other job ([`crate::cluster::membership`]).

use std::ffi::{OsStr, OsString};
use std::process::Command;

/// Steps of Slurm that are no `srun` of the user's: the batch script, and the shell of `salloc`.
pub(super) const FIRST_SPECIAL_STEP: u64 = 0xffff_fff0;

/// Hosts that Slurm has granted to the shell in which this process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The number of the job.
    pub job: String,
    /// The processes that were requested.
    pub tasks: u32,
}

impl Allocation {
    /// The allocation of this process; `None` outside, and for a process that `srun` has started.
    pub fn find(variable: &dyn Fn(&str) -> Option<String>) -> Option<Allocation> {
        let job = variable("SLURM_JOB_ID")?;
        let step = variable("SLURM_STEP_ID").and_then(|step| step.trim().parse::<u64>().ok());
        if step.is_some_and(|step| step < FIRST_SPECIAL_STEP) {
            return None;
        }
        let tasks = variable("SLURM_NTASKS").and_then(|count| count.trim().parse().ok());
        let per_node = || count_tasks(&variable("SLURM_TASKS_PER_NODE")?);
        Some(Allocation { job, tasks: tasks.or_else(per_node).filter(|count| *count > 0).unwrap_or(1) })
    }

    /// The command that starts `processes` processes of a command on the allocation's hosts.
    ///
    /// # Errors
    /// There is no `srun`.
    pub fn command(
        &self,
        processes: u32,
        executable: &OsStr,
        arguments: &[OsString],
    ) -> Result<Command, String> {
        let kinds = Command::new("srun").arg("--mpi=list").output().map_err(|error| {
            let job = &self.job;
            format!("this is inside Slurm's allocation {job}, but srun does not start: {error}")
        })?;
        let kinds = [kinds.stdout, kinds.stderr].concat();
        let mut command = Command::new("srun");
        // More places than CPUs are no mistake, and one Ctrl-C is enough.
        command.args(["--overcommit", "--quit-on-interrupt", "--kill-on-bad-exit=1"]);
        command.arg(format!("--ntasks={processes}"));
        if String::from_utf8_lossy(&kinds).split_whitespace().any(|kind| kind == "pmi2") {
            command.arg("--mpi=pmi2");
        }
        command.arg(executable).args(arguments);
        Ok(command)
    }
}

/// The sum of `4(x2),3`.
fn count_tasks(text: &str) -> Option<u32> {
    text.trim()
        .split(',')
        .map(|part| match part.split_once("(x") {
            None => part.parse::<u32>().ok(),
            Some((tasks, nodes)) => {
                let nodes: u32 = nodes.strip_suffix(')')?.parse().ok()?;
                tasks.parse::<u32>().ok()?.checked_mul(nodes)
            }
        })
        .try_fold(0_u32, |sum, part| sum.checked_add(part?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(variables: &[(&str, &str)]) -> Option<Allocation> {
        let value = |name: &str| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Allocation::find(&value)
    }

    #[test]
    fn allocations_are_found_outside_of_steps_alone() {
        assert_eq!(find(&[]), None);
        let job = ("SLURM_JOB_ID", "7");
        let allocation = |tasks| Some(Allocation { job: "7".to_owned(), tasks });
        assert_eq!(find(&[job, ("SLURM_NTASKS", "4")]), allocation(4));
        assert_eq!(find(&[job, ("SLURM_TASKS_PER_NODE", "3(x2),1")]), allocation(7));
        assert_eq!(find(&[job]), allocation(1));
        assert_eq!(find(&[job, ("SLURM_STEP_ID", "0")]), None);
        assert_eq!(find(&[job, ("SLURM_STEP_ID", "4294967290")]), allocation(1));
    }

    #[test]
    fn counts_of_tasks_are_summed_and_damage_is_none() {
        assert_eq!(count_tasks("1"), Some(1));
        assert_eq!(count_tasks("4(x2),3"), Some(11));
        for damaged in ["", "x", "4(x2", "4(x),3", "4294967295(x2)", "4294967295,1"] {
            assert_eq!(count_tasks(damaged), None, "{damaged}");
        }
    }
}
