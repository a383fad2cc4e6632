//! Programs of several places, run as processes: this binary is the harness, place 0 and every other place.
//!
//! Without arguments it runs every scenario as a process of its own and looks at status and output;
//! `--scenario NAME PLACES` is place 0 of one.

mod engine;
mod scenarios;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use apg_runtime::apgas::bootstrap;
use apg_runtime::apgas::bootstrap::{Carrier, Options, Supervision};
use apg_runtime::base::ending::{End, Ending, ExitStatus};
use apg_runtime::net::bootstrap::connect::take_bootstrap_info;
use apg_runtime::net::bootstrap::launcher::Program;
use apg_runtime::topology::Selection;

use scenarios::{Expected, SCENARIOS, Scenario};

fn main() -> ExitCode {
    // SAFETY: nothing else runs yet.
    let info = unsafe { take_bootstrap_info() };
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--scenario") {
        let text = |index: usize| arguments[index].to_string_lossy().into_owned();
        let scenario = SCENARIOS.iter().find(|scenario| scenario.name == text(1)).expect("a scenario");
        let hosts = text(2).parse().expect("a number of places");
        return run_place(scenario, hosts, arguments, info);
    }
    let filter = arguments.iter().map(|text| text.to_string_lossy()).find(|text| !text.starts_with('-'));
    let mut failed = 0;
    for scenario in SCENARIOS {
        if filter.as_ref().is_some_and(|filter| !scenario.name.contains(&**filter)) {
            continue;
        }
        for hosts in scenario.places {
            match check(scenario, *hosts) {
                Ok(()) => println!("test {} at {hosts} place(s) ... ok", scenario.name),
                Err(why) => {
                    println!("test {} at {hosts} place(s) ... FAILED\n{why}", scenario.name);
                    failed += 1;
                }
            }
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run_place(
    scenario: &Scenario,
    hosts: u32,
    arguments: Vec<OsString>,
    info: Option<apg_runtime::net::bootstrap::connect::BootstrapInfo>,
) -> ExitCode {
    let first = info.is_none();
    let program = Program {
        executable: std::env::current_exe().expect("our own path").into(),
        arguments,
        identity: 42,
    };
    let options =
        Options { hosts, threads: 0, accelerators: Selection::None, carrier: Carrier::Mesh, program };
    let (supervision, ending) = (Supervision::default(), &*Box::leak(Box::new(Ending::new())));
    let system = match bootstrap::open(info, &options, &supervision, ending) {
        Ok(system) => system,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(99);
        }
    };
    system.attach(std::sync::Arc::new(engine::Threads));
    if first {
        let main = scenario.main;
        std::thread::spawn(move || ending.set(End::Completed(run_main(main))));
    }
    let code = match ending.wait() {
        End::Completed(code) if first => {
            bootstrap::close(system, &supervision, code);
            code
        }
        End::Completed(code) => {
            bootstrap::leave(system, &supervision);
            code
        }
        End::Failed(ExitStatus::Code(code) | ExitStatus::Signal(code)) => code,
    };
    ExitCode::from(code as u8)
}

/// Runs a scenario, at most a minute, and compares.
fn check(scenario: &Scenario, hosts: u32) -> Result<(), String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(executable);
    if let Expected::Stopped = scenario.expected {
        command.env("APG_SILENCE_TIMEOUT", "2");
    }
    let mut child = command
        .args(["--scenario", scenario.name, &hosts.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut streams = (child.stdout.take().ok_or("no output")?, child.stderr.take().ok_or("no output")?);
    let process = child.id();
    if let Expected::Killed = scenario.expected {
        return check_killed(child, &mut streams.0);
    }
    if let Expected::Stopped = scenario.expected {
        let result = check_stopped(&mut streams.0, streams.1, hosts - 1);
        child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
        return result;
    }
    let reader = std::thread::spawn(move || {
        let (mut out, mut err) = (String::new(), String::new());
        let _ = streams.0.read_to_string(&mut out);
        let _ = streams.1.read_to_string(&mut err);
        (out, err)
    });
    let deadline = Instant::now() + Duration::from_secs(60);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            let (out, err) = reader.join().unwrap_or_default();
            return Err(format!("process {process} did not end\n{out}\n{err}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (out, err) = reader.join().map_err(|_| "the reader failed")?;
    let all = format!("{status}\n{out}\n{err}");
    match scenario.expected {
        Expected::Success if status.success() && err.is_empty() => (scenario.check)(&out, hosts),
        Expected::OneError(message)
            if status.code() == Some(1) && err.lines().count() == 1 && err.contains(message) =>
        {
            Ok(())
        }
        Expected::Failure { code, message } if status.code() == Some(code) && err.contains(message) => Ok(()),
        _ => Err(all),
    }
}

/// The processes of all places, as place 0 tells them.
fn read_processes(out: &mut dyn Read) -> Result<Vec<u32>, String> {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with("ready\n") {
        match out.read(&mut byte) {
            Ok(1) => text.push(char::from(byte[0])),
            _ => return Err(format!("place 0 ended too early: {text}")),
        }
    }
    let processes: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    if processes.is_empty() { Err(format!("no process ids in {text}")) } else { Ok(processes) }
}

/// A place is stopped, and continues once that was reported.
fn check_stopped(out: &mut dyn Read, err: impl Read + Send + 'static, place: u32) -> Result<(), String> {
    let processes = read_processes(out)?;
    let process = processes[place as usize];
    let signal = |name: &str| -> Result<(), String> {
        let status = Command::new("kill").args([name, &process.to_string()]).status();
        if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err(format!("cannot send {name}")) }
    };
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        BufReader::new(err).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    let next_line = || lines.recv_timeout(Duration::from_secs(60)).unwrap_or_default();
    signal("-STOP")?;
    let said = next_line();
    signal("-CONT")?;
    let name = format!("place {place} (process {process} on ");
    if !said.contains(&name) || !said.contains("it is stopped by a signal") {
        return Err(format!("not {name}: {said}"));
    }
    let said = next_line();
    if said.contains(&name) && said.contains("gives signs of life again") { Ok(()) } else { Err(said) }
}

/// Place 0 is killed once it has printed the process ids of all: none of them may live on.
fn check_killed(mut child: std::process::Child, out: &mut dyn Read) -> Result<(), String> {
    let processes = read_processes(out)?;
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map_err(|error| error.to_string())?;
    let deadline = Instant::now() + Duration::from_secs(20);
    let alive = |process: &u32| {
        // A zombie that nobody has waited for yet is dead enough.
        std::fs::read_to_string(format!("/proc/{process}/stat"))
            .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z'))
    };
    while processes.iter().any(alive) {
        if Instant::now() > deadline {
            return Err(format!("these live on: {processes:?}"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Runs the program's body under the outermost finish; its exit status.
fn run_main(main: fn() -> i32) -> i32 {
    let mut code = 0;
    let raised = engine::finish(|| code = main());
    for exception in &raised {
        eprintln!("uncaught: {}", engine::message(exception.get()));
    }
    if raised.is_empty() { code } else { 1 }
}
