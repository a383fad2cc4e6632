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
            for transport in ["tcp", "mpi"] {
                program
                    .check_under(&launcher, 4, &["--accels", "none", "--transport", transport])
                    .unwrap_or_else(|error| panic!("{} over {transport}: {error}", program.name()));
            }
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
        // Hydra ends its proxies at Ctrl-C, and does not always wait for the statuses that they report: it
        // ends with 0 now and then whatever program it has started.
        assert!(end.status != 0 || mpi == "mpich", "{end:?}");
        for place in 0..3 {
            let unfinished = format!("unfinished at {place};");
            assert!(mpi != "mpich" || end.lines.concat().contains(&unfinished), "{end:?}");
        }
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

/// Of MPICH 5, whose library is used without its compiler.
#[test]
fn standard_binary_interface_needs_no_compiler() {
    let Some(compiler) = tools::optional_tool("mpicc_abi") else { return };
    let bin = compiler.parent().expect("a folder");
    let library = bin.with_file_name("lib").join("libmpi_abi.so.1");
    let transport = format!("mpi:{}", library.display());
    let mut launcher = Command::new(bin.join("mpirun"));
    launcher.args(["-n", "4"]);
    let mut programs = programs::all(&tools::repository().join("tests/programs"));
    programs.retain(|it| ["heat_spmd", "teams"].contains(&it.name().as_str()));
    assert_eq!(programs.len(), 2);
    for program in programs {
        let program = program.in_any_order();
        program
            .check_under(&launcher, 4, &["--accels", "none", "--transport", &transport])
            .unwrap_or_else(|error| panic!("{}: {error}", program.name()));
    }
    // It refuses another launcher.
    let (Some(launcher), folder) = (mpirun("openmpi", 2), folder()) else { return };
    let arguments = ["--transport", &transport];
    let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &arguments, "").end();
    assert_ne!(end.status, 0);
    assert_eq!(end.lines, Vec::<String>::new(), "{}", end.errors);
    // MPICH says so itself.
    assert!(end.errors.contains("unsupported PMI version PMIx"), "{}", end.errors);
}

#[test]
fn mpi_that_cannot_be_loaded_ends_the_job_with_the_reason() {
    for mpi in MPIS {
        let (Some(launcher), folder) = (mpirun(mpi, 2), folder()) else { return };
        let arguments = ["--transport", "mpi:/none/libmpi_abi.so.1"];
        let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &arguments, "").end();
        assert_ne!(end.status, 0, "{end:?}");
        assert!(end.errors.contains("cannot load MPI (/none/libmpi_abi.so.1)"), "{}", end.errors);
        assert!(end.errors.contains("No such file"), "{}", end.errors);
    }
}

/// Frames longer than a piece, from messages and into memory of the program, in both directions at once.
#[test]
fn long_messages_pass_through_mpi_whole() {
    const COPIES: &str = "public class Copies {
        public static def main(args:Rail[String]) {
            val rail = new Rail[Long](1500000, (i:Long) => i * i);
            finish for (p in Place.places()) async {
                val back = at (p) { for (i in rail.range) rail(i) += here.id; rail };
                var wrong:Long = 0;
                for (i in back.range) if (back(i) != i * i + p.id) wrong++;
                Console.OUT.println(p.id + \": \" + back.size + \" elements, \" + wrong + \" wrong\");
            }
        }
    }";
    for mpi in MPIS {
        let (Some(launcher), folder) = (mpirun(mpi, 3), folder()) else { return };
        let arguments = ["--transport", "mpi"];
        let mut end = Job::start(launcher, folder.path(), ("Copies.x10", COPIES), &arguments, "").end();
        end.lines.sort();
        let expected = [0, 1, 2].map(|place| format!("{place}: 1500000 elements, 0 wrong"));
        assert_eq!(end.lines, expected, "{}", end.errors);
    }
}

/// Each place acknowledges copies while its own are being sent.
#[test]
fn large_copies_cross_each_other() {
    const CROSSING: &str = "public class Crossing {
        static val SIZE = 500000;
        static def copy(worker:Long):Boolean {
            val ours = new Rail[Long](SIZE, (i:Long) => worker + i);
            val theirs = at (Place.places().next(here)) new GlobalRail[Long](new Rail[Long](SIZE));
            for (round in 1..20) finish Rail.asyncCopy(ours, 0, theirs, 0, SIZE);
            return at (theirs.home()) {
                val found = theirs();
                var isRight:Boolean = true;
                for (i in found.range) if (found(i) != worker + i) isRight = false;
                isRight
            };
        }
        public static def main(args:Rail[String]) {
            finish for (p in Place.places()) at (p) async {
                finish for (worker in 0..3) async {
                    val isRight = copy(worker);
                    Console.OUT.println(here.id + \": copy \" + worker + \" is right: \" + isRight);
                }
            }
        }
    }";
    for mpi in MPIS {
        let (Some(launcher), folder) = (mpirun(mpi, 2), folder()) else { return };
        let arguments = ["--transport", "mpi", "--threads", "4"];
        let mut end = Job::start(launcher, folder.path(), ("Crossing.x10", CROSSING), &arguments, "").end();
        end.lines.sort();
        let copies = (0..2).flat_map(|place| (0..4).map(move |worker| (place, worker)));
        let expected: Vec<String> =
            copies.map(|(place, worker)| format!("{place}: copy {worker} is right: true")).collect();
        assert_eq!(end.lines, expected, "{}", end.errors);
        assert_eq!(end.status, 0, "{}", end.errors);
    }
}

#[test]
fn library_of_another_mpi_is_refused() {
    for (mpi, other) in MPIS.into_iter().zip(["mpich", "openmpi"]) {
        let (Some(launcher), folder) = (mpirun(mpi, 2), folder()) else { return };
        let Some(compiler) = tools::optional_tool(&format!("mpicc.{other}")) else { return };
        let transport = format!("--transport=mpi:{}", compiler.display());
        let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &[&transport], "").end();
        assert_ne!(end.status, 0);
        assert!(end.errors.contains("2 processes were started, but the MPI of"), "{}", end.errors);
        assert!(end.errors.contains(&format!("`--transport mpi:mpicc.{mpi}`")), "{}", end.errors);
        assert!(!end.lines.iter().any(|line| line.contains("started")), "{:?}", end.lines);
    }
}

#[test]
fn mpi_needs_a_launcher() {
    let folder = folder();
    let arguments = ["--transport", "mpi", "--places", "3"];
    let end = Job::start(Command::new("env"), folder.path(), ("Waits.x10", WAITS), &arguments, "").end();
    assert_eq!(end.status, 1, "{end:?}");
    assert!(end.errors.contains("`mpirun -n 3 apg run FILE --transport mpi`"), "{}", end.errors);
}

#[test]
fn launcher_mpirun_needs_an_mpirun() {
    let folder = folder();
    let launcher = Command::new("env");
    let end = Job::start(launcher, folder.path(), ("Waits.x10", WAITS), &["--launcher", "mpirun"], "").end();
    assert_eq!(end.status, 2, "{end:?}");
    assert!(end.errors.contains("`mpirun -n 4 apg run FILE`"), "{}", end.errors);
}
