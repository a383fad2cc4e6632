//! A launch of a kernel that makes calls of slots: its mailbox and its proxy, from before the kernel starts
//! until after it has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::board::Board;
use super::calls::{Calls, KnownGroup};
use super::memory::MailboxMemory;
use super::peers::{DeviceSlots, GroupChannels, Watch};
use super::proxy::{Proxy, Server};
use super::table::Table;
use crate::device::Device;
use crate::device::copy::request::Upload;
use crate::device::cuda::buffer_pool::Buffer;
use crate::device::error::{DeviceError, KernelLocation, Kind};
use crate::layout::{Fault, fault_kind};
use crate::profile;
use crate::slots::block_call::{BlockSlots, RequestSource};
use crate::slots::group::Part;
use crate::slots::request::{Failure, FailureKind};

/// Bytes of a block's staging memory of one direction: longer messages take the copy engine. All of a block's
/// shared memory fits, which the copy engine does not reach. From the larger size on the copy engine is
/// faster.
const STAGING_BYTES: (usize, usize) = (16 << 10, 128 << 10);
/// Bytes of the staging memory of all blocks in both directions, unless each has the least.
const ALL_STAGING_BYTES: usize = 32 << 20;
const STAGING_ALIGNMENT: usize = 64;

/// A launch in progress.
pub(crate) struct Session {
    calls: Arc<Calls>,
    server: Arc<Server>,
    is_over: Arc<AtomicBool>,
    proxy: Option<JoinHandle<()>>,
    /// What [`Session::upload`] brings to the device.
    content: Vec<u8>,
    device_memory: Buffer,
    /// Of the channels, which are memory that blocks of other devices access as well.
    _watches: Vec<Watch>,
    /// Released last.
    memory: MailboxMemory,
}

/// The record of failed checks, which the device writes.
struct FaultRecord(*const Fault);

// SAFETY: pinned memory that is never released; the field that is read is one atomic number.
unsafe impl Send for FaultRecord {}

impl FaultRecord {
    fn has_failure(&self) -> bool {
        // SAFETY: as above.
        unsafe { (&raw const (*self.0).kind).read_volatile() != fault_kind::NONE }
    }
}

impl Session {
    /// Makes the mailbox of a launch of `blocks` blocks with `shared_bytes` of shared memory each at a place,
    /// and starts its proxy.
    ///
    /// # Errors
    /// Another such kernel runs on the device; no memory; no thread.
    pub(crate) fn open(
        device: &Arc<Device>,
        (blocks, shared_bytes): (u32, usize),
        (place, location): (i64, KernelLocation),
        fault: u64,
        slots: Arc<dyn DeviceSlots>,
    ) -> Result<Session, DeviceError> {
        let part = ALL_STAGING_BYTES / (2 * blocks.max(1) as usize);
        let staging = part.clamp(STAGING_BYTES.0, STAGING_BYTES.1).max(shared_bytes);
        let staging = staging.next_multiple_of(STAGING_ALIGNMENT);
        let (all, control) = (Board::bytes(blocks, staging), Board::control_bytes(blocks));
        // A profile has all messages: it needs them to pass the host.
        let groups = Table::choose(if profile::on() { Vec::new() } else { slots.parts(place) });
        let (memory, (peers, channels)) = {
            let mut opening = slots.channels().open(&*slots)?;
            let numbers: Vec<i64> = groups.iter().map(|(group, _)| *group).collect();
            let peers = opening.peers(&numbers, place);
            (MailboxMemory::take(device, (all, control), location)?, peers)
        };
        // SAFETY: pinned memory begins at a page; the parts that must be 0 are.
        let board = unsafe { Board::new(memory.address(), blocks, staging) };
        let known = known_groups(&groups, channels);
        // SAFETY: the session gives the pinned memory back after the watches.
        let watches = unsafe { watch_peers(&board, &known) };
        let table = Table::new(groups, peers);
        let device_memory = Buffer::new(device, table.bytes(u64::from(blocks) * staging as u64))?;
        let content =
            table.content(device_memory.address(), board.header(), |group| board.group_words(group));
        let slots: Arc<dyn BlockSlots> = slots;
        let calls = Arc::new(Calls::new(board, Arc::clone(&slots), memory.copies(), known));
        let is_over = Arc::new(AtomicBool::new(false));
        let fault = FaultRecord(fault as *const Fault);
        let server = Arc::new(Server::new(Arc::clone(&calls), slots.received()));
        let own = (Arc::clone(&server), Arc::clone(&is_over));
        let run = move || {
            let (server, is_over) = own;
            let fault = fault;
            Proxy { server: &server, is_over: &is_over, has_failed_check: &|| fault.has_failure() }.run();
        };
        let name = format!("apg-slots{}", device.ordinal);
        let proxy = std::thread::Builder::new().name(name).spawn(run).map_err(|error| {
            DeviceError::new(Kind::Internal, format!("no thread for the slots of {device}: {error}"))
        })?;
        calls.set_proxy(proxy.thread().clone());
        let source: Arc<dyn RequestSource> = Arc::<Server>::clone(&server);
        slots.add_source(Arc::downgrade(&source));
        Ok(Session {
            calls,
            server,
            is_over,
            proxy: Some(proxy),
            content,
            device_memory,
            memory,
            _watches: watches,
        })
    }

    /// The address of the mailbox for the device.
    pub(crate) fn address(&self) -> u64 {
        self.device_memory.address()
    }

    /// What must be on the device before the kernel starts. It stays as long as the session.
    pub(crate) fn upload(&self) -> Upload {
        Upload { source: self.content.as_ptr(), target: self.address(), bytes: self.content.len() as u64 }
    }

    /// The kernel has ended, or was not started; `why` if by a failure. No call is open when this returns.
    ///
    /// # Errors
    /// A call of a slot has failed, or blocks have left what they have begun.
    pub(crate) fn close(mut self, why: Option<&str>) -> Result<(), DeviceError> {
        self.stop();
        if let Some(why) = why {
            self.calls.fail_slots(why);
        }
        let ended = self.calls.end();
        // Those that another thread completes just now.
        while self.calls.open() > 0 {
            std::thread::yield_now();
        }
        let failed = self.calls.take_failure().map(|(failure, site)| site.locate(failure));
        let outcome = failed.map_or(ended, Err);
        outcome.map_err(|failure| DeviceError::new(kind_of(&failure), failure.message))
    }

    fn stop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        self.calls.wake();
        if let Some(proxy) = self.proxy.take() {
            // A proxy that has panicked has answered nothing more, and the kernel has ended nevertheless.
            let _ = proxy.join();
        }
        self.server.close();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
        let _ = &self.memory;
    }
}

fn known_groups(groups: &[(i64, Part)], channels: Vec<Option<Arc<GroupChannels>>>) -> Vec<KnownGroup> {
    let known = groups.iter().zip(channels);
    known.map(|((number, part), channels)| KnownGroup { number: *number, part: *part, channels }).collect()
}

/// Lets blocks see that a launch at another device, with which they exchange messages, has failed.
///
/// # Safety
/// The memory of the board is there as long as the result.
unsafe fn watch_peers(board: &Board, groups: &[KnownGroup]) -> Vec<Watch> {
    let watch = |(at, group): (usize, &KnownGroup)| {
        // SAFETY: by the caller.
        group.channels.as_ref().map(|it| unsafe { it.watch(board.failed(at)) })
    };
    groups.iter().enumerate().filter_map(watch).collect()
}

fn kind_of(failure: &Failure) -> Kind {
    match failure.kind {
        FailureKind::Argument => Kind::IllegalArgument,
        FailureKind::Index => Kind::Bounds,
        FailureKind::Operation | FailureKind::Group => Kind::IllegalOperation,
    }
}
