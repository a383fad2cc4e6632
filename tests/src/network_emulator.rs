//! Links with delay and loss: two TAP devices, one in each network namespace, and a thread that carries
//! frames between them. (Linux has `netem` for that, which many kernels of virtual machines lack.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How a link treats frames.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The time that a frame is on its way, in each direction.
    pub delay: Duration,
    /// Up to how much more it may be, drawn for each frame; frames may overtake each other.
    pub jitter: Duration,
    /// Of a thousand frames, how many get lost.
    pub lost_per_mille: u32,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// A link that exists as long as this value.
pub struct EmulatedLink {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl EmulatedLink {
    /// Makes the device `here` in this network namespace and the device `there` in the one of that file (of
    /// `/var/run/netns`), and joins them.
    ///
    /// # Errors
    /// A device cannot be made: no superuser, no `/dev/net/tun`.
    pub fn new(here: &str, namespace: &Path, there: &str, link: Link) -> io::Result<EmulatedLink> {
        let near = tap(here)?;
        let far = std::thread::scope(|scope| {
            let made = scope.spawn(|| {
                let namespace = File::open(namespace)?;
                // SAFETY: an open descriptor; only this thread, which ends, changes its namespace.
                if unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) } != 0 {
                    return Err(io::Error::last_os_error());
                }
                tap(there)
            });
            made.join().unwrap_or_else(|_| Err(io::Error::other("the thread that makes the device ended")))
        })?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || carry(&[near, far], link, &stopped));
        Ok(EmulatedLink { stop, thread: Some(thread) })
    }
}

impl Drop for EmulatedLink {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A new TAP device of this thread's network namespace; its frames are read and written without waiting.
fn tap(name: &str) -> io::Result<File> {
    /// `TUNSETIFF` of linux/if_tun.h.
    const SET_INTERFACE: libc::Ioctl = 0x4004_54ca;
    let device =
        OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    // SAFETY: a request is plain data.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.len() >= request.ifr_name.len() {
        return Err(io::Error::other(format!("{name} is too long for a device's name")));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the request lives as long as the call.
    match unsafe { libc::ioctl(device.as_raw_fd(), SET_INTERFACE, &raw mut request) } {
        0 => Ok(device),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A frame on its way: when it arrives, its number, the device that it leaves by, and its bytes.
type Frame = Reverse<(Instant, u64, usize, Vec<u8>)>;

fn carry(devices: &[File; 2], link: Link, stop: &AtomicBool) {
    const MAX_WAIT: Duration = Duration::from_millis(50);
    /// As the queue of an interface; frames beyond it are lost.
    const MAX_FRAMES: usize = 20_000;
    let (mut on_the_way, mut number) = (BinaryHeap::<Frame>::new(), 0_u64);
    let mut random = SplitMix64(link.seed);
    let mut buffer = vec![0; 1 << 16];
    while !stop.load(Ordering::Relaxed) {
        let next = on_the_way.peek().map(|Reverse((due, ..))| *due);
        let wait = next.map_or(MAX_WAIT, |due| due.saturating_duration_since(Instant::now()).min(MAX_WAIT));
        wait_readable(devices, wait);
        for (from, device) in devices.iter().enumerate() {
            while let Ok(length) = { device }.read(&mut buffer) {
                let is_lost = random.below(1000) < u64::from(link.lost_per_mille);
                if length == 0 || is_lost || on_the_way.len() >= MAX_FRAMES {
                    continue;
                }
                let jitter = Duration::from_nanos(random.below(link.jitter.as_nanos() as u64 + 1));
                number += 1;
                let due = Instant::now() + link.delay + jitter;
                on_the_way.push(Reverse((due, number, 1 - from, buffer[..length].to_vec())));
            }
        }
        let now = Instant::now();
        while on_the_way.peek().is_some_and(|Reverse((due, ..))| *due <= now) {
            let Some(Reverse((_, _, to, frame))) = on_the_way.pop() else { break };
            // A device that is down or full loses the frame, as a link does.
            let _ = { &devices[to] }.write(&frame);
        }
    }
}

/// Waits until a device has a frame, at most that long.
fn wait_readable(devices: &[File; 2], limit: Duration) {
    let mut polled =
        devices.each_ref().map(|it| libc::pollfd { fd: it.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    let limit = libc::timespec { tv_sec: limit.as_secs() as _, tv_nsec: limit.subsec_nanos().into() };
    // SAFETY: descriptors that live as long as the call.
    unsafe { libc::ppoll(polled.as_mut_ptr(), 2, &raw const limit, std::ptr::null()) };
}

/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % limit
    }
}
