//! Time and memory of a check: `--stats`.

use std::time::Duration;

use crate::failure::Failure;
use crate::output;

/// Prints time and memory of checking `lines` lines.
pub(super) fn print(lines: usize, elapsed: Duration) -> Result<(), Failure> {
    let memory = peak_memory();
    let each = memory as f64 / 1e3 / lines.max(1) as f64;
    output::remark(format_args!(
        "{lines} lines in {:.3} s; at most {:.1} MB of memory, {each:.2} kB a line, the class library included",
        elapsed.as_secs_f64(),
        memory as f64 / 1e6
    ))
}

/// Peak memory of this process, in bytes.
fn peak_memory() -> u64 {
    // SAFETY: all-zero bytes are a valid `rusage`, and the call only writes to it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024
}
