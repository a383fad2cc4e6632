//! Waiting for what happens outside of a test: in other processes, or on the disk.

use std::time::{Duration, Instant};

/// How long it may take on a machine that does much else. Only a test that fails waits that long.
const LIMIT: Duration = Duration::from_secs(120);
const INTERVAL: Duration = Duration::from_millis(10);

/// Asks until something holds; false if it does not for two minutes.
pub fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    find_eventually(|| holds().then_some(())).is_some()
}

/// Asks until there is a value; `None` if there is none for two minutes.
pub fn find_eventually<T>(mut find: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let found = find();
        if found.is_some() || start.elapsed() > LIMIT {
            return found;
        }
        std::thread::sleep(INTERVAL);
    }
}
