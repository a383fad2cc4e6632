//! Whether this machine can take all places of a program: their processes, threads and descriptors against
//! the limits of the user, the control group (`pids` controller) and the system. Checked before the first
//! process starts, so that a program that does not fit fails at once, with the reason, and does not starve
//! other programs meanwhile.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::net::shm::setup::MAX_PLACES_WITH_RINGS;

/// Threads that every place has beside those that run activities and those of connections: the first one, and
/// one for signals.
const OTHER_THREADS: u64 = 2;
/// Further threads of place 0: of `main`, and of the search for deadlocks.
const THREADS_OF_PLACE_0: u64 = 2;
/// Descriptors that every process has beside those of connections: input and output, the lock of these, the
/// listener, the program.
const OTHER_DESCRIPTORS: u64 = 6;
/// The tasks of a user are counted, which takes a while, only if a program would take this fraction of the
/// limit.
const COUNT_FRACTION: u64 = 16;

/// How much of something is left, and the name of what limits it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Room {
    left: u64,
    limit: String,
}

/// Minimum number of processes and threads of a program, with `workers` workers at each place.
fn tasks(hosts: u64, workers: u64) -> u64 {
    let connections = match hosts {
        // A reader for each ring, one for heartbeats, one for backlogs.
        ..=MAX_HOSTS_WITH_RINGS => hosts - 1 + 2,
        // One reader for all.
        _ => 3,
    };
    hosts * (workers + OTHER_THREADS + connections) + THREADS_OF_PLACE_0
}

const MAX_HOSTS_WITH_RINGS: u64 = MAX_PLACES_WITH_RINGS as u64;

/// Descriptors of place 0, which has most: for each other place a connection and a
/// process.
fn descriptors(hosts: u64) -> u64 {
    2 * (hosts - 1) + OTHER_DESCRIPTORS
}

/// Checks that `hosts` places fit. Raises the soft limit of descriptors where that
/// helps.
///
/// # Errors
/// What is too little, and how many places fit.
pub fn check(hosts: u32, workers: usize) -> Result<(), String> {
    let (hosts, workers) = (u64::from(hosts), workers as u64);
    check_against(hosts, workers, &task_rooms(tasks(hosts, workers)), "processes and threads", tasks)?;
    let room = raise_descriptors(descriptors(hosts));
    check_against(hosts, workers, &[room], "open files in a process", |hosts, _| descriptors(hosts))
}

fn check_against(
    hosts: u64,
    workers: u64,
    rooms: &[Room],
    what: &str,
    needed: impl Fn(u64, u64) -> u64,
) -> Result<(), String> {
    let Some(room) = rooms.iter().min_by_key(|room| room.left) else { return Ok(()) };
    let wanted = needed(hosts, workers);
    if wanted <= room.left {
        return Ok(());
    }
    let fits = (2..hosts).rev().find(|hosts| needed(*hosts, workers) <= room.left);
    let advice = match (fits, workers) {
        (Some(most), _) if workers <= 2 => format!("{most} places fit"),
        (Some(most), _) => format!("{most} places fit, more with fewer threads each (`--threads`)"),
        (None, _) => "not even two fit".to_owned(),
    };
    let Room { left, limit } = room;
    Err(format!("they need at least {wanted} {what}, and {left} are left of {limit}: {advice}"))
}

/// What limits processes and threads.
fn task_rooms(wanted: u64) -> Vec<Room> {
    let mut rooms = group_rooms(Path::new("/sys/fs/cgroup"), &read("/proc/self/cgroup"));
    // "load load load running/all last".
    let all =
        read("/proc/loadavg").split('/').nth(1).and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    for name in ["threads-max", "pid_max"] {
        let max = read(format!("/proc/sys/kernel/{name}")).trim().parse::<u64>().ok();
        if let (Some(max), Some(all)) = (max, all) {
            let limit = format!("the system's {max} (kernel.{name})");
            rooms.push(Room { left: max.saturating_sub(all), limit });
        }
    }
    rooms.extend(user_room(wanted));
    rooms
}

/// The limit of the user's tasks; the superuser has none.
fn user_room(wanted: u64) -> Option<Room> {
    let max = getrlimit(Resource::Nproc).current?;
    let user = rustix::process::getuid();
    if user.is_root() || wanted.saturating_mul(COUNT_FRACTION) < max {
        return None;
    }
    let limit = format!("the user's {max} (ulimit -u)");
    Some(Room { left: max.saturating_sub(tasks_of_user(user.as_raw())), limit })
}

fn tasks_of_user(user: u32) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let own = processes.flatten().filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit());
    let own = own.filter(|entry| entry.metadata().is_ok_and(|it| it.uid() == user));
    // The number of links of the folder of threads is theirs and two.
    own.map(|entry| fs::metadata(entry.path().join("task")).map_or(1, |it| it.nlink().saturating_sub(2)))
        .sum()
}

/// The control groups of this process that limit tasks, by the text of `/proc/self/cgroup`: lines of
/// hierarchy, controllers, path.
fn group_rooms(root: &Path, groups: &str) -> Vec<Room> {
    let mut rooms = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        // Version 2 has one hierarchy, without a name here.
        let mount = match controllers {
            "" => root.to_owned(),
            _ if controllers.split(',').any(|it| it == "pids") => root.join(controllers),
            _ => continue,
        };
        let group: PathBuf = mount.join(path.trim_start_matches('/'));
        for folder in group.ancestors().take_while(|folder| folder.starts_with(&mount)) {
            let number = |name: &str| read(folder.join(name)).trim().parse::<u64>().ok();
            if let (Some(max), Some(used)) = (number("pids.max"), number("pids.current")) {
                let limit = format!("the control group's {max} ({})", folder.join("pids.max").display());
                rooms.push(Room { left: max.saturating_sub(used), limit });
            }
        }
    }
    rooms
}

/// Room for descriptors in this process, and in those that it starts, which inherit the limit.
fn raise_descriptors(wanted: u64) -> Room {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
        let higher = rustix::process::Rlimit { current: Some(raised), maximum: limit.maximum };
        if setrlimit(Resource::Nofile, higher).is_ok() {
            limit.current = Some(raised);
        }
    }
    let current = limit.current.unwrap_or(u64::MAX);
    Room { left: current, limit: format!("the process's {current} (ulimit -n)") }
}

/// The text of a file, or none.
fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(left: u64) -> [Room; 1] {
        [Room { left, limit: "the user's 500 (ulimit -u)".to_owned() }]
    }

    #[test]
    fn error_names_the_number_of_places_that_fit() {
        assert_eq!(check_against(4, 2, &room(tasks(4, 2)), "tasks", tasks), Ok(()));
        assert_eq!(check_against(4, 2, &[], "tasks", tasks), Ok(()));
        let error = check_against(400, 8, &room(tasks(30, 8)), "tasks", tasks).expect_err("too many");
        assert!(error.contains("30 places fit, more with fewer threads each"), "{error}");
        assert!(error.contains("are left of the user's 500 (ulimit -u)"), "{error}");
        let error = check_against(400, 2, &room(3), "tasks", tasks).expect_err("too many");
        assert!(error.ends_with("not even two fit"), "{error}");
    }

    #[test]
    fn threads_grow_linearly_with_places() {
        assert!(tasks(180, 2) < 180 * 12);
        assert!(tasks(1024, 2) < 1024 * 12);
    }

    #[test]
    fn limits_of_all_enclosing_groups_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let group = |path: &str, max: &str, used: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(&path).expect("a group");
            fs::write(path.join("pids.max"), max).expect("a limit");
            fs::write(path.join("pids.current"), used).expect("a number");
        };
        group("pids/a/b", "max\n", "7\n");
        group("pids/a", "100\n", "60\n");
        group("pids", "4000\n", "1000\n");
        group("jobs/run", "50\n", "60\n");
        let left = |text: &str| -> Vec<u64> {
            group_rooms(folder.path(), text).into_iter().map(|room| room.left).collect()
        };
        assert_eq!(left("9:cpu:/a\n8:pids:/a/b\n"), [40, 3000]);
        assert_eq!(left("0::/jobs/run\n"), [0]);
        assert_eq!(left("0::/elsewhere\n5:pids\n\n"), []);
    }

    #[test]
    fn two_places_fit_here() {
        assert_eq!(check(2, 2), Ok(()));
    }
}
