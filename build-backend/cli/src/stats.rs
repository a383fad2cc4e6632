//! What a command has cost: `--stats`.

use std::time::Duration;

use super::{Failure, output};

/// Prints how long it took to check `lines` lines, and how much memory.
pub fn print(lines: usize, elapsed: Duration) -> Result<(), Failure> {
    let memory = peak_memory();
    let each = memory as f64 / 1e3 / lines.max(1) as f64;
    output::remark(format_args!(
        "{lines} lines in {:.3} s; at most {:.1} MB of memory, {each:.2} kB a line, the class library included",
        elapsed.as_secs_f64(),
        memory as f64 / 1e6
    ))
}

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> u64 {
    // SAFETY: a structure of plain numbers, which the call fills in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024
}
