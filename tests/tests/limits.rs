//! Little memory and few threads: a result or a message, never a panic, a back trace or a hang.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use apg_tests::tools;

const SOURCE: &str = "public class Greets {
    public static def main(Rail[String]) { finish for (i in 1..4) async { } Console.OUT.println(\"hello\"); }
}";

/// Runs apg under limits that `prlimit` sets. A command that hangs ends with status 124.
fn limited(folder: &Path, prefix: &[&str], limit: &str, arguments: &str) -> Output {
    let words = prefix.iter().copied().chain(["prlimit", limit, "timeout", "60"]);
    let words: Vec<&str> = words.chain(["./apg"]).chain(arguments.split(' ')).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder).env("APG_CACHE_DIR", folder.join("cache"));
    command.output().expect("util-linux and coreutils are installed")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("Greets.x10"), SOURCE).expect("written");
    fs::copy(tools::apg(), folder.path().join("apg")).expect("copied");
    let built = limited(folder.path(), &[], "--core=0", "run Greets.x10");
    assert!(built.status.success(), "{built:?}");
    folder
}

/// Success, or status 1 with one of the messages for it.
#[track_caller]
fn ends_well(output: &Output, what: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    let says =
        ["out of memory", "no address space for the heap", "no memory for", "cannot start", "cannot load"];
    match output.status.code() {
        Some(0) => {}
        Some(1) if says.iter().any(|text| errors.contains(text)) => {}
        _ => panic!("{what}: {}\n{errors}", output.status),
    }
    assert!(!errors.contains("panicked") && !errors.contains("stack backtrace"), "{what}:\n{errors}");
}

/// Kilobytes with which the system's loader starts the command, whose code and data depend on the build.
fn least_address_space(folder: &Path) -> u64 {
    let starts = |kilobytes: u64| {
        limited(folder, &[], &format!("--as={}", kilobytes * 1024), "--version").status.success()
    };
    (20_000..).step_by(1_000).find(|it| starts(*it)).expect("the command starts")
}

#[test]
fn address_space() {
    let folder = folder();
    let least = least_address_space(folder.path());
    for kilobytes in [least, least + 5_000, 100_000, 180_000, 300_000, 600_000, 1_200_000] {
        let limit = format!("--as={}", kilobytes * 1024);
        for arguments in ["check Greets.x10", "run Greets.x10", "run Greets.x10 --threads 4 --places 2"] {
            ends_well(&limited(folder.path(), &[], &limit, arguments), &format!("{limit}; {arguments}"));
        }
    }
    // Whatever the limit, the heap leaves room for stacks.
    for kilobytes in (200_000..600_000).step_by(40_000) {
        let limit = format!("--as={}", kilobytes * 1024);
        let enough = limited(folder.path(), &[], &limit, "run Greets.x10");
        assert_eq!(enough.stdout, b"hello\n", "{limit}: {enough:?}");
    }
}

#[test]
fn address_space_of_the_compiler() {
    let folder = folder();
    let cache = folder.path().join("cache");
    let least = least_address_space(folder.path());
    for kilobytes in (least..).step_by(10_000).take(4) {
        // A command that has ended before it compiles has made none.
        if cache.exists() {
            fs::remove_dir_all(&cache).expect("removed");
        }
        let output = limited(folder.path(), &[], &format!("--as={}", kilobytes * 1024), "build Greets.x10");
        ends_well(&output, &format!("{kilobytes} kB"));
    }
}

#[test]
fn processes() {
    // SAFETY: geteuid has no conditions.
    if unsafe { libc::geteuid() } != 0 {
        return eprintln!(
            "skipped: the limit counts all processes of a user; only the superuser can take one without any"
        );
    }
    let folder = folder();
    let user = "54321";
    let own = Command::new("chown").args(["-R", user]).arg(folder.path()).status();
    assert!(own.expect("coreutils").success());
    let prefix = ["setpriv", "--reuid", user, "--clear-groups"];
    for count in [3, 4, 5, 6, 8, 12, 20, 40] {
        let limit = format!("--nproc={count}");
        for arguments in ["check Greets.x10", "run Greets.x10"] {
            let output = limited(folder.path(), &prefix, &limit, arguments);
            // `timeout` itself could not start a process.
            if output.status.code() == Some(125) {
                continue;
            }
            ends_well(&output, &format!("{limit}; {arguments}"));
        }
    }
}
