//! Places of many hosts, whose agents are started by a tree: here with a small fan-out, so that few hosts do.

use std::fs;

use apg_tests::hosts_lab::{ECHOES, agent, end, place, run, signal, start_waiting_at};
use apg_tests::lab::Lab;
use apg_tests::{processes, tools};

/// The launcher reaches one host itself, and the others by way of that.
const BY_TREE: (&str, &str) = ("APG_AGENT_FAN_OUT", "1");

/// The parent of a process, by its name.
fn parent_of(process: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    let parent =
        stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)).expect("a parent").to_owned();
    fs::read_to_string(format!("/proc/{parent}/comm")).expect("it runs").trim().to_owned()
}

#[test]
fn programs_run_on_hosts_that_are_reached_by_way_of_another() {
    let Some(lab) = Lab::new(3) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    // Also a host that has neither apg nor the program.
    lab.hide(3, tools::apg().parent().expect("a folder"));
    let file = lab.path("trace.json").display().to_string();
    let arguments = [
        "run",
        "Echoes.x10",
        "--hosts",
        "h1,h2:2,h3",
        "--accels",
        "none",
        "--profile",
        &file,
        "--",
        "a",
        "b",
    ];
    let mut command = lab.apg(tools::apg(), &arguments);
    command.env(BY_TREE.0, BY_TREE.1);
    let output = run(command);
    assert_eq!(output.status, 7, "{}", output.stderr);
    let lines = output.stdout.lines().filter(|line| line.ends_with("is in one piece")).count();
    assert_eq!(lines, 4 * 200, "{}", output.stderr);
    let trace: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("a profile")).expect("JSON");
    for place in 0..4 {
        let spans = trace["traceEvents"].as_array().expect("events").iter();
        assert!(
            spans.filter(|span| span["ph"] == "X" && span["pid"] == place).count() > 0,
            "{place}: {trace}"
        );
    }
    lab.assert_nothing_left();
}

#[test]
fn second_level_is_interrupted_and_its_losses_are_named() {
    let Some(lab) = Lab::new(3) else { return };
    let start = || start_waiting_at(&lab, "h1,h2,h3", 3, &[BY_TREE]);
    let running = start();
    // ssh at the first host has made the connections to the others.
    let ssh = lab.processes(1).into_iter().filter(|(_, arguments)| arguments.starts_with("ssh ")).count();
    assert_eq!(ssh, 2, "{:?}", lab.processes(1));
    assert!(parent_of(agent(&lab, 3)).contains("sshd"));
    processes::interrupt(&running.child);
    let (status, rest, errors) = end(running);
    assert_eq!((status, errors.as_str()), (130, ""));
    for place in 0..3 {
        assert!(rest.contains(&format!("unfinished at {place};")), "{rest}");
    }
    lab.assert_nothing_left();

    let running = start();
    signal(place(&lab, 3, 2), "-9");
    let (status, _, errors) = end(running);
    assert_eq!(
        (status, errors.as_str()),
        (137, "apg: place 2 on h3 ended unexpectedly (killed by signal 9)\n")
    );
    lab.assert_nothing_left();

    let running = start();
    signal(agent(&lab, 2), "-9");
    let (status, _, errors) = end(running);
    assert_eq!(status, 1);
    assert!(errors.contains("host h2 (place 1) is lost") && errors.contains("by way of h1"), "{errors}");
    lab.assert_nothing_left();

    // With the first level the second one is lost.
    let running = start();
    signal(agent(&lab, 1), "-9");
    let (status, _, errors) = end(running);
    assert_eq!(status, 1);
    assert!(errors.contains("is lost"), "{errors}");
    lab.assert_nothing_left();

    let mut running = start();
    running.child.kill().expect("it runs");
    running.child.wait().expect("it has ended");
    lab.assert_nothing_left();
}

#[test]
fn silent_hosts_of_the_second_level_end_the_program() {
    let Some(lab) = Lab::new(2) else { return };
    let running = start_waiting_at(&lab, "h1,h2", 2, &[BY_TREE, ("APG_SILENCE_TIMEOUT", "3")]);
    let stopped = agent(&lab, 2);
    signal(stopped, "-STOP");
    let (status, _, errors) = end(running);
    assert_eq!(status, 1);
    assert!(errors.contains("host h2 (place 1) is lost: it gives no sign of life"), "{errors}");
    signal(stopped, "-CONT");
    lab.assert_nothing_left();
}

/// Hosts need not have the keys or the routes of the launcher.
#[test]
fn hosts_that_others_do_not_reach_are_reached_directly() {
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    // The first host finds no key there.
    fs::create_dir(lab.path("keys")).expect("a folder");
    fs::copy(lab.path("user_key"), lab.path("keys/user_key")).expect("a copy");
    fs::set_permissions(lab.path("keys/user_key"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("a file");
    let configuration = fs::read_to_string(lab.path("ssh_config")).expect("a file");
    let key = |text: &str| text.replace("user_key", "keys/user_key");
    fs::write(lab.path("keys_config"), key(&configuration)).expect("written");
    lab.hide(1, &lab.path("keys"));
    let mut command = lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "h1,h2", "--", "a", "b"]);
    command.env(BY_TREE.0, BY_TREE.1);
    command.env("X10_LAUNCHER_SSH", format!("ssh -F {}", lab.path("keys_config").display()));
    let output = run(command);
    assert_eq!((output.status, output.stderr.as_str()), (7, "an error\n"), "{}", output.stdout);
    // A host that nothing reaches is named once, with ssh's words.
    let mut command =
        lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "h1,no.such.host.invalid", "--", "a"]);
    command.env(BY_TREE.0, BY_TREE.1);
    let output = run(command);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert_eq!(
        output.stderr.matches("no.such.host.invalid: ssh cannot connect").count(),
        1,
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("there is no host of this name"), "{}", output.stderr);
    let mut command = lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "h1,h2", "--", "a", "b"]);
    command.env(BY_TREE.0, "none");
    let output = run(command);
    assert!(output.stderr.contains("APG_AGENT_FAN_OUT is `none`"), "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn hosts_are_named_by_addresses_of_version_6() {
    let Some(lab) = Lab::new(2) else { return };
    if !lab.add_addresses6() {
        return;
    }
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let names = [1, 2].map(|host| format!("[{}]", lab.address6(host)));
    fs::write(lab.path("hosts"), format!("{}\nroot@{}:2\n", names[0], names[1])).expect("written");
    let list = format!("{}:1,{}:2", names[0], names[1]);
    for named in [["--hosts", list.as_str()], ["--hostfile", "hosts"]] {
        let arguments = [&["run", "Echoes.x10"][..], &named, &["--", "a", "b"]].concat();
        let output = run(lab.apg(tools::apg(), &arguments));
        assert_eq!((output.status, output.stderr.as_str()), (7, "an error\n"), "{}", output.stdout);
        assert_eq!(output.stdout.lines().count(), 1 + 3 * 200, "{named:?}");
    }
    // This machine by its own address.
    let output = run(lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "[::1]:2", "--", "a", "b"]));
    assert_eq!(output.status, 7, "{}", output.stderr);
    let output = run(lab.apg(tools::apg(), &["run", "Echoes.x10", "--hosts", "::1", "--", "a", "b"]));
    assert!(output.stderr.contains("write an IPv6 address in brackets"), "{}", output.stderr);
    lab.assert_nothing_left();
}
