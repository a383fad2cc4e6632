//! Copies of host memory that the device of this process has, for constructs that communicate them.

use super::abi::devices;
use super::memory::{DeviceKind, TargetDevice};
pub(crate) use super::peers::Exported;
use super::pieces::pieces;
use super::present_table::{Memory as _, Presence};
use super::regions::Devices;
use crate::device::{BoxCopy, DeviceError, PeerHandle};

/// A range of host memory that has a copy on the device.
#[derive(Clone, Copy)]
pub(crate) struct Resident {
    device: &'static TargetDevice,
    address: u64,
    /// Where in memory that addresses are counted from the range begins.
    begins_at: i64,
}

/// Why a copy cannot be used.
#[derive(Debug)]
pub(crate) enum Problem {
    /// There is none.
    Absent,
    /// The device failed: the words for the user.
    Device(String),
}

/// Whether this process has a GPU: the CPUs with memory of their own are none.
pub(crate) fn has_gpu() -> bool {
    devices().is_some_and(Devices::has_gpus)
}

/// The copy of a range on the first device; `None` without a device, or for no bytes.
///
/// # Errors
/// There is no copy of all of it, or the device cannot be used.
pub(crate) fn find(address: usize, bytes: u64) -> Result<Option<Resident>, Problem> {
    let Some(devices) = devices() else { return Ok(None) };
    let device = devices.find(0).map_err(|it| Problem::Device(it.message))?;
    let Some(device) = device.filter(|_| bytes > 0) else { return Ok(None) };
    let presence = device.table.lock().presence(address, bytes);
    match presence {
        Presence::Present(address) => Ok(Some(Resident { device, address, begins_at: 0 })),
        Presence::Absent | Presence::Partial { .. } => Err(Problem::Absent),
    }
}

/// The words for the user.
fn words<T>(result: Result<T, DeviceError>) -> Result<T, String> {
    result.map_err(|it| it.message)
}

impl Resident {
    /// Its address in the memory of the device.
    pub(crate) fn address(&self) -> u64 {
        self.address.wrapping_add_signed(-self.begins_at)
    }

    /// The copy of a part that begins at `bytes` of some memory: addresses are counted from that memory on.
    pub(crate) fn of_part(self, bytes: i64) -> Resident {
        Resident { begins_at: bytes, ..self }
    }

    /// Its address if the device is the CPUs.
    pub(crate) fn host_memory(&self) -> Option<*mut u8> {
        matches!(self.device.kind, DeviceKind::Cpus).then_some(self.address() as *mut u8)
    }

    /// How other processes of this host reach it, if they do.
    pub(crate) fn export(&self) -> Option<Exported> {
        let part = self.device.export(self.address)?;
        Some(Exported {
            offset: part.offset.wrapping_add_signed(-self.begins_at),
            bytes: part.bytes.saturating_add_signed(self.begins_at),
            ..part
        })
    }

    /// Where the device reaches an allocation of another process of this host.
    pub(crate) fn open(&self, handle: &PeerHandle) -> Option<u64> {
        self.device.open(handle)
    }

    /// Begins copies between memory that the device reaches, which have no order.
    ///
    /// # Errors
    /// The device failed: the words for the user.
    ///
    /// # Safety
    /// The boxes stay valid until [`Resident::end_copies`] returns, and no target is a source.
    pub(crate) unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<(), String> {
        // SAFETY: the caller's.
        words(unsafe { self.device.begin_copies(copies) })
    }

    /// Waits for the end of all copies.
    ///
    /// # Errors
    /// The device failed: the words for the user.
    pub(crate) fn end_copies(&self) -> Result<(), String> {
        words(self.device.end_copies())
    }

    /// Copies elements to the host. Those with gaps are packed on the device, some at a time: the targets of
    /// the copies are offsets in `elements`, where each is contiguous and behind the one before it.
    ///
    /// # Errors
    /// The device failed: the words for the user.
    ///
    /// # Safety
    /// The sources are inside of memory of the device, and the targets inside of the elements.
    pub(crate) unsafe fn gather(&self, copies: &[BoxCopy], elements: &mut [u8]) -> Result<(), String> {
        for piece in pieces(copies, |it| it.target) {
            // SAFETY: the caller's elements.
            let host = unsafe { elements.as_mut_ptr().add(piece.offset as usize) };
            // SAFETY: the caller's boxes; the staging memory is this function's until the end.
            words(unsafe {
                match piece.direct() {
                    Some(direct) => self.device.download(direct.source, host, piece.bytes),
                    None => self.device.staged(piece.bytes, |staging| {
                        let at = |it: &BoxCopy| BoxCopy { target: it.target - piece.offset + staging, ..*it };
                        self.device.begin_copies(&piece.copies.iter().map(at).collect::<Vec<_>>())?;
                        self.device.end_copies()?;
                        self.device.download(staging, host, piece.bytes)
                    }),
                }
            })?;
        }
        Ok(())
    }

    /// Copies elements of the host to their places on the device: the sources of the copies are offsets in
    /// `elements`, as the targets of [`Resident::gather`].
    ///
    /// # Errors
    /// The device failed: the words for the user.
    ///
    /// # Safety
    /// The targets are inside of memory of the device, and the sources inside of the elements.
    pub(crate) unsafe fn scatter(&self, elements: &[u8], copies: &[BoxCopy]) -> Result<(), String> {
        for piece in pieces(copies, |it| it.source) {
            // SAFETY: the caller's elements.
            let host = unsafe { elements.as_ptr().add(piece.offset as usize) };
            // SAFETY: the caller's boxes; the staging memory is this function's until the end.
            words(unsafe {
                match piece.direct() {
                    Some(direct) => self.device.upload(host, direct.target, piece.bytes),
                    None => self.device.staged(piece.bytes, |staging| {
                        let at = |it: &BoxCopy| BoxCopy { source: it.source - piece.offset + staging, ..*it };
                        self.device.upload(host, staging, piece.bytes)?;
                        self.device.begin_copies(&piece.copies.iter().map(at).collect::<Vec<_>>())?;
                        self.device.end_copies()
                    }),
                }
            })?;
        }
        Ok(())
    }
}
