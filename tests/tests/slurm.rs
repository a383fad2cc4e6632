//! Programs under Slurm: a cluster of two hosts with real daemons, on which `srun` starts the places.

use apg_tests::jobs::{ECHOES, Job, WAITS, check_echoes};
use apg_tests::programs;
use apg_tests::slurm::Slurm;
use apg_tests::tools;

#[test]
fn places_find_each_other_by_every_interface_of_srun() {
    let Some(slurm) = Slurm::new(2) else { return };
    let input: String = (0..50_000).map(|line| format!("input {line}\n")).collect();
    for interface in ["none", "pmi2", "pmix"] {
        let mut launcher = slurm.command("srun");
        launcher.args(["-N", "2", "-n", "3"]).arg(format!("--mpi={interface}"));
        let folder = slurm.lab.path(interface);
        std::fs::create_dir(&folder).expect("a folder");
        let job = Job::start(launcher, &folder, ("Echoes.x10", ECHOES), &["--", "-a", "b c"], &input);
        check_echoes(&job.end(), 3, 50_000);
    }
    for (interface, mpi) in [("pmi2", "mpich"), ("pmix", "openmpi")] {
        let Some(compiler) = tools::optional_tool(&format!("mpicc.{mpi}")) else { return };
        let mut launcher = slurm.command("srun");
        launcher.args(["-N", "2", "-n", "3"]).arg(format!("--mpi={interface}"));
        // Both hosts are one machine, whose memory UCX would share.
        launcher.env("UCX_TLS", "tcp,self").env("OMPI_MCA_btl", "tcp,self").env("OMPI_MCA_pml", "ob1");
        let transport = format!("--transport=mpi:{}", compiler.display());
        let arguments = [&*transport, "--", "-a", "b c"];
        let folder = slurm.lab.path(interface);
        let job = Job::start(launcher, &folder, ("Echoes.x10", ECHOES), &arguments, "one\n");
        check_echoes(&job.end(), 3, 1);
    }
}

#[test]
fn allocation_is_used_from_its_shell() {
    let Some(slurm) = Slurm::new(2) else { return };
    let mut launcher = slurm.command("salloc");
    launcher.args(["-Q", "-N", "2", "-n", "4"]);
    let folder = slurm.lab.path("shell");
    std::fs::create_dir(&folder).expect("a folder");
    let job = Job::start(launcher, &folder, ("Echoes.x10", ECHOES), &["--", "-a", "b c"], "one\ntwo\n");
    check_echoes(&job.end(), 4, 2);
    let mut launcher = slurm.command("salloc");
    launcher.args(["-Q", "-N", "2", "-n", "4"]);
    let arguments = ["--launcher", "slurm", "--places", "2", "--", "-a", "b c"];
    let job = Job::start(launcher, &folder, ("Echoes.x10", ECHOES), &arguments, "one\n");
    check_echoes(&job.end(), 2, 1);
    let alone =
        Job::start(slurm.command("env"), &folder, ("Echoes.x10", ECHOES), &["--launcher", "slurm"], "").end();
    assert!(alone.errors.contains("not inside an allocation of Slurm"), "{}", alone.errors);
}

#[test]
fn programs_do_the_same_under_srun_as_alone() {
    const CHOSEN: &[&str] = &["heat_spmd", "teams", "dist_arrays", "remote"];
    let Some(slurm) = Slurm::new(2) else { return };
    let mut launcher = slurm.command("srun");
    launcher.args(["-N", "2", "-n", "4", "--mpi=pmi2"]);
    let programs = programs::all(&tools::repository().join("tests/programs"));
    for program in programs.into_iter().filter(|it| CHOSEN.contains(&it.name().as_str())) {
        let program = program.in_any_order();
        program
            .check_under(&launcher, 4, &["--accels", "none"])
            .unwrap_or_else(|error| panic!("{}: {error}", program.name()));
    }
}

/// All processes hear of the refusal, so that Slurm has none to end.
#[test]
fn refused_steps_end_by_themselves_with_one_message() {
    let Some(slurm) = Slurm::new(2) else { return };
    for interface in ["none", "pmi2", "pmix"] {
        let mut launcher = slurm.command("srun");
        launcher.args(["-N", "2", "-n", "3"]).arg(format!("--mpi={interface}"));
        let folder = slurm.lab.path(interface);
        std::fs::create_dir(&folder).expect("a folder");
        let end = Job::start(launcher, &folder, ("Waits.x10", WAITS), &["--places", "5"], "").end();
        assert_eq!(end.status, 2, "{interface}: {}", end.errors);
        assert_eq!(end.errors.matches("srun has started 3 processes").count(), 1, "{}", end.errors);
        assert_eq!(end.errors.matches("error:").count(), 2, "apg's and srun's own: {}", end.errors);
    }
}

#[test]
fn interrupted_and_killed_steps_leave_nothing() {
    let Some(slurm) = Slurm::new(2) else { return };
    let start = || {
        let mut launcher = slurm.command("srun");
        launcher.args(["-N", "2", "-n", "3", "--mpi=pmi2", "--quit-on-interrupt"]);
        let mut job = Job::start(launcher, &slurm.lab.path(""), ("Waits.x10", WAITS), &[], "");
        job.wait_for_places(3);
        job
    };
    let job = start();
    job.interrupt();
    assert_ne!(job.end().status, 0);
    // Slurm itself leaves the other processes alone.
    let job = start();
    job.kill_rank("SLURM_PROCID", 2);
    let end = job.end();
    assert_ne!(end.status, 0);
    assert!(end.errors.contains("host h2 (place 2) is lost"), "{}", end.errors);
}
