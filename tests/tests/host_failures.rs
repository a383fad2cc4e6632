//! What is said about hosts that cannot be used, are unusual, or are attacked, and that nothing is left of a
//! program there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use apg_tests::hostile_clients::{assert_only_challenges_received, attack, wait_for_listeners};
use apg_tests::hosts_lab::{ECHOES, WAITS, end, run, spawn, start_waiting};
use apg_tests::lab::{HOME, Lab};
use apg_tests::remote_lab::other_version;
use apg_tests::{processes, tools};

#[test]
fn failed_starts_say_host_cause_and_what_to_do() {
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let configuration = fs::read_to_string(lab.path("ssh_config")).expect("a file");
    let variants = [
        ("no_key", configuration.replace("user_key", "no_such_key")),
        ("unknown", configuration.replace("known_hosts", "no_such_hosts")),
        ("changed", configuration.replace("known_hosts", "changed_hosts")),
        ("refused", format!("Port 23\n{configuration}")),
    ];
    let other = fs::read_to_string(lab.path("user_key.pub")).expect("a key");
    let other: Vec<&str> = other.split_whitespace().take(2).collect();
    let changed = format!("{} {}\n", lab.address(1), other.join(" "));
    fs::write(lab.path("changed_hosts"), changed).expect("written");
    for (name, text) in variants {
        fs::write(lab.path(name), text).expect("written");
    }
    for (configuration, hosts, expected) in [
        (
            "no_key",
            "h1,h2",
            &["h1: ssh cannot connect", "h2: ssh cannot connect", "refuses the user or the keys"][..],
        ),
        ("unknown", "h1,h2", &["h1: ", "its key is not known here"]),
        ("changed", "h1,h2", &["h1: ", "ssh-keygen -R h1"]),
        ("refused", "h1,h2", &["h1: ", "no ssh server answers there"]),
        (
            "ssh_config",
            "h1,no.such.host.invalid",
            &["no.such.host.invalid: ", "there is no host of this name"],
        ),
        ("ssh_config", "h1:0", &["--hosts: `0` is no number of places"]),
    ] {
        let mut command = lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", hosts, "--", "a", "b"]);
        command.env("X10_LAUNCHER_SSH", format!("ssh -F {}", lab.path(configuration).display()));
        let output = run(command);
        assert!([1, 2].contains(&output.status), "{configuration}: {}", output.stderr);
        for text in expected {
            assert!(output.stderr.contains(text), "{configuration}: lacks {text}: {}", output.stderr);
        }
        lab.assert_nothing_left();
    }
    let options = ["run", "Echoes.x10", "--hosts", "h1,h2", "--interface", "nosuch0", "--", "a", "b"];
    let output = run(lab.apg(tools::apg(), &options));
    assert!(
        output.stderr.contains("h1: --interface nosuch0: there is no such interface"),
        "{}",
        output.stderr
    );
    lab.assert_nothing_left();
    lab.block(2, 1);
    let mut command = lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "h1,h2", "--", "a", "b"]);
    command.env("APG_START_TIMEOUT", "5");
    let output = run(command);
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("place 1 on h2"), "{}", output.stderr);
    lab.assert_nothing_left();
}

/// Files that were made or changed in the future, on the launcher's machine and on the host.
#[test]
fn clocks_of_hosts_do_not_matter() {
    let Some(lab) = Lab::new(1) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let arguments = ["run", "Echoes.x10", "--hosts", "h1:2", "--", "a", "b"];
    let check = || {
        let output = run(lab.apg(tools::apg(), &arguments));
        assert_eq!((output.status, output.stderr.as_str()), (7, "an error\n"), "{}", output.stdout);
    };
    check();
    for days in [-10_000_i64, 10_000] {
        let distance = Duration::from_secs(days.unsigned_abs() * 86_400);
        let time = if days < 0 { SystemTime::now() - distance } else { SystemTime::now() + distance };
        let folders = [lab.path("cache"), lab.home(1), lab.path("Echoes.x10")];
        for file in folders.iter().flat_map(|folder| match folder.is_dir() {
            true => processes::files(folder),
            false => vec![folder.display().to_string()],
        }) {
            let file = fs::File::options().read(true).open(&file);
            // Sockets and links are left alone.
            let _ = file.and_then(|file| file.set_modified(time));
        }
        check();
    }
    lab.assert_nothing_left();
}

/// The packets are dropped, not rejected: nothing says so.
#[test]
fn firewalls_that_drop_packets_are_named_in_time() {
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let start = |timeout: &str| {
        let mut command = lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "h1,h2", "--", "a", "b"]);
        command.env("APG_START_TIMEOUT", timeout);
        run(command)
    };
    // Between hosts.
    lab.drop_answers(1, &lab.address(2));
    let output = start("7");
    assert_eq!(output.status, 1, "{}", output.stderr);
    for expected in ["place 1 on h2", "place 0 on h1", "a firewall drops this", "`--interface`"] {
        assert!(output.stderr.contains(expected), "lacks {expected}: {}", output.stderr);
    }
    lab.assert_nothing_left();
    // Between the launcher and a host.
    lab.drop_answers(2, &lab.hub_address());
    let output = start("4");
    assert_eq!(output.status, 1, "{}", output.stderr);
    for expected in ["h2: ", "a firewall is between"] {
        assert!(output.stderr.contains(expected), "lacks {expected}: {}", output.stderr);
    }
    assert!(!output.stderr.contains("h1: "), "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn hosts_of_another_kind_are_refused_before_apg_is_copied() {
    let Some(lab) = Lab::new(1) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let other = other_version(&lab);
    lab.hide(1, &lab.path("other"));
    for (tool, script, expected) in [
        (
            "getconf",
            "#!/bin/sh\necho glibc 2.5\n",
            &["h1: its C library is too old", "glibc 2.5", "build apg there"],
        ),
        (
            "uname",
            "#!/bin/sh\n[ \"$1\" = -m ] && echo s390x || echo Linux\n",
            &["h1: it is another kind of machine", "Linux s390x", "install apg"],
        ),
    ] {
        let path = lab.path(tool);
        fs::write(&path, script).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file");
        lab.replace(1, &format!("/usr/bin/{tool}"), &path);
        let output = run(lab.apg(&other, &["run", "Echoes.x10", "--hosts", "h1", "--", "a", "b"]));
        assert_eq!(output.status, 1, "{}", output.stderr);
        for expected in expected {
            assert!(output.stderr.contains(expected), "lacks {expected}: {}", output.stderr);
        }
        assert_eq!(processes::files(&lab.home(1)), Vec::<String>::new(), "something was written there");
        lab.assert_nothing_left();
    }
}

#[test]
fn full_disks_and_folders_without_execution_are_named() {
    let Some(lab) = Lab::new(1) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let other = other_version(&lab);
    lab.hide(1, &lab.path("other"));
    for (options, expected) in [
        ("size=1M,mode=700", &["h1: cannot write to", ".cache/apg/agents", "is the disk full?"]),
        ("noexec,mode=700", &["h1: apg does not run there", "noexec", "XDG_CACHE_HOME"]),
    ] {
        lab.mount(1, Path::new(HOME), options);
        let output = run(lab.apg(&other, &["run", "Echoes.x10", "--hosts", "h1", "--", "a", "b"]));
        assert_eq!(output.status, 1, "{}", output.stderr);
        for expected in expected {
            assert!(output.stderr.contains(expected), "lacks {expected}: {}", output.stderr);
        }
        assert_eq!(lab.in_mounts_of(1, &["find", HOME, "-type", "f"]), "", "a copy is left");
        lab.assert_nothing_left();
    }
}

#[test]
fn one_session_a_connection_is_enough_for_places() {
    let Some(lab) = Lab::with_server_options(2, "MaxSessions 1") else { return };
    let running = start_waiting(&lab, &[]);
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let output = run(lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "h1,h2", "--", "a", "b"]));
    assert_eq!(output.status, 7, "{}", output.stderr);
    processes::interrupt(&running.child);
    assert_eq!(end(running).0, 130);
    lab.assert_nothing_left();
}

#[test]
fn two_versions_run_on_a_host_at_once() {
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let other = other_version(&lab);
    (1..=2).for_each(|host| lab.hide(host, &lab.path("other")));
    let running = start_waiting(&lab, &[]);
    let output = run(lab.apg(&other, &["run", "Echoes.x10", "--hosts", "h1,h2", "--", "a", "b"]));
    assert_eq!((output.status, output.stderr.as_str()), (7, "an error\n"), "{}", output.stdout);
    processes::interrupt(&running.child);
    let (status, rest, errors) = end(running);
    assert_eq!((status, errors.as_str()), (130, ""), "{rest}");
    lab.assert_nothing_left();
}

/// More places than CPUs: they start, work, and end in order.
#[test]
fn forty_places_share_a_few_cpus() {
    let Some(lab) = Lab::new(2) else { return };
    const ROUNDS: &str = "public class Rounds {
        public static def main(args:Rail[String]) {
            val sum = new Cell[Long](0);
            val root = GlobalRef(sum);
            for (round in 1..3) finish for (p in Place.places()) at (p) async {
                val own = here.id + 1;
                at (root.home) async atomic { root().value += own; }
            }
            Console.OUT.println(sum.value);
        }
    }";
    fs::write(lab.path("Rounds.x10"), ROUNDS).expect("written");
    let arguments = ["run", "Rounds.x10", "--hosts", "h1:20,h2:20", "--accels", "none", "--threads", "1"];
    let output = run(lab.apg(tools::apg(), &arguments));
    assert_eq!((output.status, output.stdout.as_str()), (0, "2460\n"), "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn hostile_clients_neither_stop_nor_delay_the_start() {
    let Some(lab) = Lab::new(2) else { return };
    // The places of one host cannot join until the attack has begun: the ports stay open so long.
    lab.drop_answers(1, &lab.address(2));
    let mut running =
        spawn(&lab, ("Waits.x10", WAITS), &["--hosts", "h1:2,h2:2"], &[("APG_START_TIMEOUT", "120")]);
    let attacked = wait_for_listeners(|| lab.processes(1).into_iter().map(|(process, _)| process).collect());
    let clients = attack(&attacked, || lab.deliver_answers(1, &lab.address(2)));
    let started = running.lines.by_ref().map_while(Result::ok).filter(|line| line.ends_with("started"));
    assert_eq!(started.take(4).count(), 4, "the program has not started");
    assert_only_challenges_received(clients);
    processes::interrupt(&running.child);
    assert_eq!(end(running).0, 130);
    lab.assert_nothing_left();
}
