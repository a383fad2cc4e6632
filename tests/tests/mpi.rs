//! Programs under the `mpirun` of Open MPI (PMIx) and of MPICH (PMI-1): a place in each process.

use std::process::Command;

use apg_tests::jobs::{ECHOES, Job, WAITS, check_echoes, mpirun};
use apg_tests::programs;
use apg_tests::tools;

const MPIS: [&str; 2] = ["openmpi", "mpich"];

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn input_output_arguments_and_status_pass_through_mpirun() {
    for mpi in MPIS {
        let (Some(launcher), folder) = (mpirun(mpi, 3), folder()) else { return };
        // Hydra gives up at input that comes faster than it is read.
        let input: String = (0..3000).map(|line| format!("input {line}\n")).collect();
        let job = Job::start(launcher, folder.path(), ("Echoes.x10", ECHOES), &["--", "-a", "b c"], &input);
        check_echoes(&job.end(), 3, 3000);
    }
}

#[test]
fn programs_do_the_same_under_mpirun_as_alone() {
    const CHOSEN: &[&str] = &["heat_spmd", "teams", "dist_arrays", "remote"];
    for mpi in MPIS {
        let Some(launcher) = mpirun(mpi, 4) else { return };
        let programs = programs::all(&tools::repository().join("tests/programs"));
        for program in programs.into_iter().filter(|it| CHOSEN.contains(&it.name().as_str())) {
            let program = program.in_any_order();
            program
                .check_under(&launcher, 4, &["--accels", "none"])
                .unwrap_or_else(|error| panic!("{}: {error}", program.name()));
        }
    }
}

#[test]
fn interrupted_job_ends_with_what_it_has_printed() {
    for mpi in MPIS {
        let (Some(launcher), folder) = (mpirun(mpi, 3), folder()) else { return };
        let mut job = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &[], "");
        job.wait_for_places(3);
        job.interrupt();
        let end = job.end();
        assert_ne!(end.status, 0, "{end:?}");
    }
}

#[test]
fn killed_process_ends_the_job() {
    for (mpi, variable) in MPIS.into_iter().zip(["OMPI_COMM_WORLD_RANK", "PMI_RANK"]) {
        let (Some(launcher), folder) = (mpirun(mpi, 3), folder()) else { return };
        let mut job = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &[], "");
        job.wait_for_places(3);
        job.kill_rank(variable, 2);
        let end = job.end();
        assert_ne!(end.status, 0, "{end:?}");
    }
}

#[test]
fn programs_that_do_not_compile_are_reported_once() {
    for mpi in MPIS {
        let (Some(launcher), folder) = (mpirun(mpi, 3), folder()) else { return };
        let wrong = "public class Wrong { public static def main(args:Rail[String]) { val x:Long = true; } }";
        let end = Job::start(launcher, folder.path(), ("Wrong.x10", wrong), &[], "").end();
        assert_ne!(end.status, 0);
        assert_eq!(end.errors.matches("Wrong.x10:1").count(), 1, "{}", end.errors);
    }
}

#[test]
fn numbers_of_places_and_of_processes_have_to_agree() {
    for mpi in MPIS {
        let (Some(launcher), folder) = (mpirun(mpi, 2), folder()) else { return };
        let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &["--places", "3"], "").end();
        assert_ne!(end.status, 0);
        assert_eq!(end.errors.matches("mpirun has started 2 processes").count(), 1, "{}", end.errors);
    }
}

/// Otherwise each of them would run the whole program.
#[test]
fn processes_that_cannot_find_each_other_do_not_run_alone() {
    let folder = folder();
    let mut launcher = Command::new("env");
    launcher.args(["PMI_RANK=1", "PMI_SIZE=3"]);
    let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &[], "").end();
    assert_eq!(end.status, 1, "{end:?}");
    assert!(end.errors.contains("this works: `mpirun -n 3 apg run"), "{}", end.errors);
    let mut launcher = Command::new("env");
    launcher.args(["PMI_RANK=0", "PMI_SIZE=3", "PMI_FD=77"]);
    let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &[], "").end();
    assert!(end.errors.contains("PMI_FD is 77, which is no open descriptor"), "{}", end.errors);
}

#[test]
fn mpirun_is_asked_for_where_it_is_missing() {
    let folder = folder();
    let launcher = Command::new("env");
    let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &["--launcher", "mpirun"], "").end();
    assert_eq!(end.status, 2, "{end:?}");
    assert!(end.errors.contains("`mpirun -n 4 apg run FILE`"), "{}", end.errors);
}
