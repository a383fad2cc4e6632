//! C programs with XcalableMP on several hosts (network namespaces with a real ssh server each), under the
//! `mpirun` of Open MPI and of MPICH, under Slurm and on a remote machine: they do the same as on one.

use std::fs;
use std::process::Command;

use apg_tests::hosts_lab::run;
use apg_tests::jobs::{Job, mpirun};
use apg_tests::lab::Lab;
use apg_tests::remote_lab;
use apg_tests::slurm::Slurm;
use apg_tests::tools;

/// Each node reads its arguments, and node 0 its input; data go around by `gmove`, `reflect` and a reduction.
/// The status of the program is that of its last node.
const PROGRAM: &str = r#"#include <stdio.h>
#include <xmp.h>
#pragma xmp nodes p[*]
#pragma xmp template t[12]
#pragma xmp distribute t[block] onto p
int a[12], b[12];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp shadow a[1]
int main(int count, char **words) {
  int sum = 0, near = 0, line = 0;
  if (xmpc_node_num() == 0) while (scanf("%*[^\n]\n") != EOF) ++line;
#pragma xmp bcast(line)
#pragma xmp loop on t[i]
  for (int i = 0; i < 12; i++) a[i] = i;
#pragma xmp gmove
  b[0:12] = a[0:12];
#pragma xmp reflect(a)
#pragma xmp loop on t[i] reduction(+:sum, near)
  for (int i = 1; i < 12; i++) { sum += b[i]; near += a[i - 1]; }
  printf("node %d: %d lines, argument %s, %d %d\n", xmpc_node_num(), line, words[count - 1], sum, near);
  return xmpc_node_num() == xmp_num_nodes() - 1 ? 7 : 0;
}
"#;

#[track_caller]
fn assert_printed(lines: &[String], nodes: u32, input: u32, errors: &str) {
    let mut found: Vec<&str> = lines.iter().map(String::as_str).collect();
    found.sort_unstable();
    let expected: Vec<String> =
        (0..nodes).map(|it| format!("node {it}: {input} lines, argument b c, 66 55")).collect();
    assert_eq!(found, expected, "{errors}");
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[test]
fn hosts_take_places_of_programs_in_c() {
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("a.c"), PROGRAM).expect("written");
    fs::write(lab.path("hosts"), "h1 slots=1\nh2:2\n").expect("written");
    for arguments in [["--hosts", "h1:1,h2:2"], ["--hostfile", "hosts"]] {
        let words = [&["run", "a.c"], &arguments[..], &["--", "b c"]].concat();
        let output = run(lab.apg(tools::apg(), &words));
        assert_eq!(output.status, 7, "{}", output.stderr);
        assert_printed(&lines_of(&output.stdout), 3, 0, &output.stderr);
    }
    // A built program is its own launcher and agent.
    let built = run(lab.apg(tools::apg(), &["build", "a.c", "-o", "a"]));
    assert_eq!(built.status, 0, "{}", built.stderr);
    let mut command = lab.apg(&lab.path("a"), &["b c"]);
    command.env("X10_HOSTLIST", "h1,h2").env("X10_NPLACES", "4");
    let output = run(command);
    assert_eq!(output.status, 7, "{}", output.stderr);
    assert_printed(&lines_of(&output.stdout), 4, 0, &output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn errors_on_another_host_are_one_message() {
    let Some(lab) = Lab::new(2) else { return };
    let text = "#include <stdlib.h>\n#include <xmp.h>\n#pragma xmp nodes p[*]\n\
        int main(void) {\n  if (xmpc_node_num() == 1) abort();\n#pragma xmp barrier\n  return 0;\n}\n";
    fs::write(lab.path("a.c"), text).expect("written");
    let output = run(lab.apg(tools::apg(), &["run", "a.c", "--hosts", "h1,h2"]));
    assert!(output.status != 0 && output.stderr.matches("signal").count() == 1, "{}", output.stderr);
    fs::write(lab.path("b.c"), "#pragma xmp nodes p[5]\nint main(void) { return 0; }\n").expect("written");
    let output = run(lab.apg(tools::apg(), &["run", "b.c", "--hosts", "h1,h2"]));
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert_eq!(output.stderr.matches("error:").count(), 1, "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn processes_of_mpirun_are_places_of_programs_in_c() {
    for mpi in ["openmpi", "mpich"] {
        for transport in ["tcp", "mpi"] {
            let (Some(launcher), folder) = (mpirun(mpi, 3), tempfile::tempdir().expect("a folder")) else {
                continue;
            };
            let arguments = ["--transport", transport, "--", "b c"];
            let end = Job::start(launcher, folder.path(), ("a.c", PROGRAM), &arguments, "one\ntwo\n").end();
            assert_ne!(end.status, 0, "{mpi} over {transport}: {end:?}");
            assert_printed(&end.lines, 3, 2, &format!("{mpi} over {transport}: {}", end.errors));
        }
    }
}

#[test]
fn directives_that_cannot_be_are_reported_once_under_mpirun() {
    let (Some(launcher), folder) = (mpirun("mpich", 3), tempfile::tempdir().expect("a folder")) else {
        return;
    };
    let text = "#pragma xmp nodes p[*]\n#pragma xmp reduction\nint main(void) { return 0; }\n";
    let end = Job::start(launcher, folder.path(), ("a.c", text), &[], "").end();
    assert_ne!(end.status, 0);
    assert_eq!(end.errors.matches("a.c:2").count(), 1, "{}", end.errors);
}

#[test]
fn tasks_of_slurm_are_places_of_programs_in_c() {
    let Some(slurm) = Slurm::new(2) else { return };
    let mut launcher = slurm.command("srun");
    launcher.args(["-N", "2", "-n", "3", "--mpi=pmi2"]);
    let folder = slurm.lab.path("c");
    fs::create_dir(&folder).expect("a folder");
    let end = Job::start(launcher, &folder, ("a.c", PROGRAM), &["--", "b c"], "one\n").end();
    assert_ne!(end.status, 0, "{end:?}");
    assert_printed(&end.lines, 3, 1, &end.errors);
}

#[test]
fn remote_machine_runs_places_of_programs_in_c() {
    let Some(lab) = remote_lab::lab("") else { return };
    fs::write(lab.path("a.c"), PROGRAM).expect("written");
    let words = ["run", "a.c", "--on", "h1", "--places", "3", "--", "b c"];
    let output = run(remote_lab::apg(&lab, &words));
    assert_eq!(output.status, 7, "{}", output.stderr);
    assert_printed(&lines_of(&output.stdout), 3, 0, &output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn options_of_places_are_refused_for_programs_without_them() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.c"), "int main(void) { return 0; }\n").expect("written");
    for option in ["--hosts=h1", "--places=2", "--transport=tcp"] {
        let mut command = Command::new(tools::apg());
        command.current_dir(folder.path()).args(["run", "a.c", option]);
        let output = run(command);
        assert_eq!(output.status, 2, "{option}: {}", output.stderr);
        assert!(output.stderr.contains("XcalableMP"), "{option}: {}", output.stderr);
    }
}
