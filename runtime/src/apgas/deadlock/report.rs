//! Report of a deadlock: where in the program the activities wait.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::base::backtrace;
use crate::scheduler::fiber;

/// Distinct stack traces that are printed, at most.
const MAX_TRACES: usize = 20;

/// Where the activities of this place wait, in words. The last thing that a process does, when all its
/// threads sleep.
pub fn describe_waiting() -> String {
    let mut kinds: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for frames in fiber::frames_of_waiting() {
        let lines = backtrace::trace(&frames);
        *kinds.entry(lines).or_insert(0) += 1;
    }
    let mut sorted: Vec<_> = kinds.into_iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut out = String::new();
    for (lines, count) in sorted.iter().take(MAX_TRACES) {
        let who =
            if *count == 1 { "an activity waits".to_owned() } else { format!("{count} activities wait") };
        let _ = writeln!(out, "  {who}");
        for line in lines {
            let _ = writeln!(out, "\tat {line}");
        }
    }
    if sorted.len() > MAX_TRACES {
        let _ = writeln!(out, "  and others at {} more places of the program", sorted.len() - MAX_TRACES);
    }
    out
}
