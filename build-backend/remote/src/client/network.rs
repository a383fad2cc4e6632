//! Changes of this machine's network (rtnetlink(7)), and its sleep: then a lost connection is tried at once.

use std::fs::File;
use std::io::Read;
use std::mem::size_of;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::time::{ClockId, clock_gettime};

/// Sleep that counts as one.
const MIN_SLEEP: Duration = Duration::from_secs(2);

/// Watches links, addresses and routes, and the clock.
pub(super) struct Network {
    /// `None` where the system does not tell.
    events: Option<File>,
    asleep: Duration,
}

/// How long the machine has slept since its start.
fn time_asleep() -> Duration {
    let time = |clock| {
        let time = clock_gettime(clock);
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    };
    time(ClockId::Boottime).saturating_sub(time(ClockId::Monotonic))
}

impl Network {
    pub(super) fn new() -> Network {
        Network { events: open(), asleep: time_asleep() }
    }

    /// Waits for a change of the network or the end of a sleep; whether there was one.
    pub(super) fn wait(&mut self, timeout: Duration) -> bool {
        let has_changed = self.wait_for_event(timeout);
        let asleep = time_asleep();
        let has_slept = asleep.saturating_sub(self.asleep) >= MIN_SLEEP;
        self.asleep = asleep;
        has_changed || has_slept
    }

    fn wait_for_event(&mut self, timeout: Duration) -> bool {
        let Some(events) = &mut self.events else {
            std::thread::sleep(timeout);
            return false;
        };
        let mut entry = [PollFd::from_borrowed_fd(events.as_fd(), PollFlags::IN)];
        let timeout = Timespec::try_from(timeout).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        if !matches!(rustix::event::poll(&mut entry, Some(&timeout)), Ok(1..)) {
            return false;
        }
        // What has changed does not matter. A descriptor without room for all changes has an error.
        let mut buffer = [0; 8 << 10];
        while matches!(events.read(&mut buffer), Ok(1..)) {}
        true
    }
}

/// A socket that tells of changes.
fn open() -> Option<File> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: plain values; the result is checked.
    let socket = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_ROUTE) };
    if socket < 0 {
        return None;
    }
    // SAFETY: a new descriptor that nothing else owns.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(socket) });
    // SAFETY: an address is plain data.
    let mut address: libc::sockaddr_nl = unsafe { std::mem::zeroed() };
    address.nl_family = libc::AF_NETLINK as u16;
    address.nl_groups =
        (libc::RTMGRP_LINK | libc::RTMGRP_IPV4_IFADDR | libc::RTMGRP_IPV4_ROUTE | libc::RTMGRP_IPV6_IFADDR)
            as u32;
    // SAFETY: the address is valid for its length.
    let bound =
        unsafe { libc::bind(socket, (&raw const address).cast(), size_of::<libc::sockaddr_nl>() as u32) };
    (bound == 0).then_some(file)
}
