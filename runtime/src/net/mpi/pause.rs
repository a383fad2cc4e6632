//! Growing pauses of a thread that waits for MPI without burning a CPU (exponential backoff).

use std::io;
use std::time::Duration;

use crate::heap;
use crate::net::mpi::library::{Mpi, Request};

/// Yields before the first sleep where messages may not come for long.
const IDLE_YIELDS: u32 = 64;
/// The same for a transfer that is in progress, which is copied by the calls that ask for its end.
const TRANSFER_YIELDS: u32 = 4096;
/// Longest sleep.
const MAX_SLEEP: Duration = Duration::from_micros(500);

/// Pauses from one to the next.
pub(super) struct Pause {
    taken: u32,
    yields: u32,
}

impl Pause {
    /// Of a thread that has nothing to do.
    pub(super) fn when_idle() -> Pause {
        Pause { taken: 0, yields: IDLE_YIELDS }
    }

    /// Of a thread whose transfer is in progress.
    fn during_transfer() -> Pause {
        Pause { taken: 0, yields: TRANSFER_YIELDS }
    }

    /// The next pause: lets other threads run, later sleeps.
    pub(super) fn take(&mut self) {
        if self.taken < self.yields {
            std::thread::yield_now();
        } else {
            sleep(Duration::from_micros(10 << ((self.taken - self.yields) / 8).min(6)));
        }
        self.taken = self.taken.saturating_add(1);
    }

    /// The longest pause.
    pub(super) fn take_longest() {
        sleep(MAX_SLEEP);
    }
}

fn sleep(time: Duration) {
    heap::while_parked(|| std::thread::sleep(time.min(MAX_SLEEP)));
}

/// Waits until an operation is done.
pub(super) fn wait(mpi: &Mpi, mut request: Request) -> io::Result<()> {
    let mut pause = Pause::during_transfer();
    while let Some(unfinished) = mpi.test(request)? {
        request = unfinished;
        pause.take();
    }
    Ok(())
}
