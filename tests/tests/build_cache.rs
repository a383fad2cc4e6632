//! The build cache through the command: what is damaged is repaired, what others could have changed is
//! refused, and a full disk is named.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use apg_tests::processes::apg;

const SOURCE: &str =
    "public class Greets { public static def main(Rail[String]) { Console.OUT.println(\"hello\"); } }";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("Greets.x10"), SOURCE).expect("written");
    folder
}

fn run(folder: &Path) -> Output {
    apg(folder, &["run", "Greets.x10", "--places", "2"]).output().expect("it starts")
}

#[track_caller]
fn greets(folder: &Path) {
    let output = run(folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"hello\n");
}

/// All entries of a kind.
fn entries(folder: &Path, kind: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.join("cache").join(kind)];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { pending.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn damaged_programs_objects_and_headers_are_made_again() {
    let folder = folder();
    greets(folder.path());
    let damages: [fn(Vec<u8>) -> Vec<u8>; 3] = [
        |_| Vec::new(),
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |mut bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
            bytes
        },
    ];
    for damage in damages {
        for kinds in [&["programs"][..], &["programs", "objects"], &["programs", "objects", "include"]] {
            for path in kinds.iter().flat_map(|kind| entries(folder.path(), kind)) {
                fs::write(&path, damage(fs::read(&path).expect("there"))).expect("written");
            }
            greets(folder.path());
        }
    }
}

#[test]
fn a_cache_that_others_can_write_to_is_refused() {
    let folder = folder();
    greets(folder.path());
    let cache = folder.path().join("cache");
    assert_eq!(fs::metadata(&cache).expect("there").permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).expect("set");
    let output = run(folder.path());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("other users can write to it (mode 777)"), "{errors}");
    assert!(errors.contains("hint: set APG_CACHE_DIR"), "{errors}");
    assert!(apg(folder.path(), &["clean"]).status().expect("it starts").success());
    greets(folder.path());
}

#[test]
fn a_folder_of_other_files_is_no_cache_and_keeps_them() {
    let folder = folder();
    let documents = folder.path().join("cache");
    fs::create_dir(&documents).expect("made");
    fs::write(documents.join("thesis.tex"), "mine").expect("written");
    for arguments in [&["clean"][..], &["run", "Greets.x10"]] {
        let output = apg(folder.path(), arguments).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("it holds other files, such as `thesis.tex`"), "{errors}");
        assert_eq!(fs::read(documents.join("thesis.tex")).expect("there"), b"mine");
    }
}

#[test]
fn without_a_home_the_cache_is_a_private_folder() {
    let folder = folder();
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).expect("made");
    let mut command = apg(folder.path(), &["doctor"]);
    command
        .env_remove("APG_CACHE_DIR")
        .env_remove("HOME")
        .env_remove("XDG_CACHE_HOME")
        .env("TMPDIR", &temporary);
    let output = String::from_utf8(command.output().expect("it starts").stdout).expect("text");
    let line = output.lines().find(|line| line.contains("build cache: ")).expect("a line for the cache");
    let path = Path::new(line.split("build cache: ").nth(1).expect("a path"));
    // In the home folder that the system knows, or, without one, among temporary files.
    assert!(path.ends_with(".cache/apg") || path.starts_with(&temporary), "{line}");
    assert!(!line.contains("LACKS"), "{line}");
}

#[test]
fn clean_and_builds_do_not_disturb_each_other() {
    let folder = folder();
    greets(folder.path());
    let cleaner = {
        let folder = folder.path().to_owned();
        std::thread::spawn(move || {
            for _ in 0..12 {
                let output = apg(&folder, &["clean"]).output().expect("it starts");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        })
    };
    while !cleaner.is_finished() {
        greets(folder.path());
    }
    cleaner.join().expect("every clean succeeded");
}

#[test]
fn a_full_disk_is_named() {
    let folder = folder();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).expect("made");
    // In a mount namespace of its own, which ends with the command.
    let script = "mount -t tmpfs -o size=64k none disk && exec \"$0\" run Greets.x10";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]).arg(apg_tests::tools::apg()).current_dir(folder.path());
    command.env("APG_CACHE_DIR", disk.join("cache"));
    let output = command.output().expect("util-linux is installed");
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("unshare:") || errors.contains("mount:") {
        return eprintln!("skipped: this machine lets no process mount a file system: {errors}");
    }
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error: the disk of the build cache is full"), "{errors}");
    assert!(errors.contains("hint: free some room"), "{errors}");
}
