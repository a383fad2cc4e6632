//! Commands as a shell starts them, and what they must not leave behind: processes and files.

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::tools;
use crate::waiting::eventually;

/// How long a command may take to its end: much may have to be built first, on a machine that does other
/// things.
const LIMIT: Duration = Duration::from_secs(300);

/// apg in a folder of its own, and in a process group of its own, as a shell starts it: with signals that do
/// what they do by default, even where the parent process ignores them.
pub fn apg(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT,PIPE,TERM")
        .arg(tools::apg())
        .args(arguments)
        .current_dir(folder)
        .env("APG_CACHE_DIR", folder.join("cache"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    command
}

/// What `kill -INT -GROUP` does: as the terminal does at Ctrl-C.
pub fn interrupt(child: &Child) {
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().expect("kill runs").success());
}

/// Waits for the end; whether anything of the group lives then is an error. Exit status and standard error.
pub fn end_of(mut child: Child) -> (std::process::ExitStatus, String) {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        assert!(start.elapsed() < LIMIT, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    };
    let group = child.id().to_string();
    let lives = || !members(&group).is_empty();
    eventually(|| !lives());
    assert_eq!(members(&group), Vec::<String>::new(), "processes are left");
    let mut errors = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
    (status, errors)
}

/// The living processes of a group.
pub fn members(group: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").expect("Linux").filter_map(|entry| Some(entry.ok()?.path()));
    let stat = |path: std::path::PathBuf| fs::read_to_string(path.join("stat")).ok();
    all.filter_map(stat)
        .filter(|stat| {
            // After the name, which may hold anything: state, parent, group.
            let words: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').take(3).collect();
            matches!(words[..], [state, _, of] if of == group && state != "Z" && state != "X")
        })
        .collect()
}

/// The threads of a process on one line each: name, state, what they wait for, and their time on the
/// processor in ticks.
pub fn threads(process: u32) -> String {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    let tasks = tasks.filter_map(|entry| Some(entry.ok()?.path()));
    let line = |task: std::path::PathBuf| {
        let read = |name: &str| fs::read_to_string(task.join(name)).unwrap_or_default();
        let stat = read("stat");
        let words: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let word = |nth: usize| words.get(nth).copied().unwrap_or("?");
        format!("{} {} {} {}+{}\n", read("comm").trim(), word(0), read("wchan"), word(11), word(12))
    };
    tasks.map(line).collect()
}

/// How long the threads of a process have had the processor, but for those of these names.
pub fn processor_time(process: u32, but: &[&str]) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    let time = |task: std::path::PathBuf| {
        let name = fs::read_to_string(task.join("comm")).ok()?;
        let times = fs::read_to_string(task.join("schedstat")).ok()?;
        let counts = !but.contains(&name.trim());
        times.split(' ').next()?.parse().ok().filter(|_| counts).map(Duration::from_nanos)
    };
    tasks.filter_map(|entry| time(entry.ok()?.path())).sum()
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path.display().to_string()] })
        .collect()
}
