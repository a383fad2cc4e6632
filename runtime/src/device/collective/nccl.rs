//! Binding of NCCL, NVIDIA's library of collective operations, loaded if present. Its types are cudarc's; its
//! file is found here, since cudarc does not look for the name that installations have (`libnccl.so.2`).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use cudarc::nccl::sys::{ncclComm_t, ncclDataType_t, ncclRedOp_t, ncclUniqueId};

pub(crate) use cudarc::nccl::sys::{ncclDataType_t as Element, ncclRedOp_t as Reduction};

use crate::base::dynamic_library::{dynamic_library, explain};
use crate::device::cuda::driver::sys::CUstream;

/// Names of the library, as the system's loader looks for them.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// Bytes of the number that all members of a communicator have in common.
pub const MARK: usize = size_of::<ncclUniqueId>();

type Status = c_int;
type Send = unsafe extern "C" fn(*const c_void, usize, ncclDataType_t, c_int, ncclComm_t, CUstream) -> Status;
type Receive =
    unsafe extern "C" fn(*mut c_void, usize, ncclDataType_t, c_int, ncclComm_t, CUstream) -> Status;

dynamic_library! {
    /// The functions that are called, the same in all versions from 2.7 on.
    struct Library {
        unique_id = c"ncclGetUniqueId": unsafe extern "C" fn(*mut ncclUniqueId) -> Status;
        init_rank = c"ncclCommInitRank": unsafe extern "C" fn(*mut ncclComm_t, c_int, ncclUniqueId, c_int) -> Status;
        destroy = c"ncclCommDestroy": unsafe extern "C" fn(ncclComm_t) -> Status;
        group_start = c"ncclGroupStart": unsafe extern "C" fn() -> Status;
        group_end = c"ncclGroupEnd": unsafe extern "C" fn() -> Status;
        all_reduce = c"ncclAllReduce": unsafe extern "C" fn(*const c_void, *mut c_void, usize, ncclDataType_t, ncclRedOp_t, ncclComm_t, CUstream) -> Status;
        reduce = c"ncclReduce": unsafe extern "C" fn(*const c_void, *mut c_void, usize, ncclDataType_t, ncclRedOp_t, c_int, ncclComm_t, CUstream) -> Status;
        broadcast = c"ncclBroadcast": unsafe extern "C" fn(*const c_void, *mut c_void, usize, ncclDataType_t, c_int, ncclComm_t, CUstream) -> Status;
        send = c"ncclSend": Send;
        receive = c"ncclRecv": Receive;
        describe = c"ncclGetErrorString": unsafe extern "C" fn(Status) -> *const c_char;
    }
}

fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let load = || {
        // SAFETY: a library of a well-known name; its initialisers are its own.
        let file = NAMES.iter().find_map(|name| unsafe { libloading::Library::new(*name) }.ok());
        let file = file.ok_or(
            "NCCL is not installed (no libnccl.so.2); it comes with NVIDIA's packages and with the Python package nvidia-nccl, \
             whose folder then belongs on LD_LIBRARY_PATH",
        )?;
        Library::load(file).map_err(|error| format!("this NCCL cannot be used: {}", explain(&error)))
    };
    LIBRARY.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// Whether the library can be used, or why not.
pub fn ready() -> Result<(), String> {
    library().map(|_| ())
}

fn check(library: &Library, status: Status, what: &str) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the library gives out static text.
    let words = unsafe { CStr::from_ptr((library.describe)(status)) };
    Err(format!("NCCL cannot {what}: {}", words.to_string_lossy()))
}

/// A number for the members of a new communicator: one of them makes it and sends it to the others.
pub fn mark() -> Result<[u8; MARK], String> {
    let library = library()?;
    let mut mark = ncclUniqueId { internal: [0; MARK] };
    // SAFETY: written to a local.
    check(library, unsafe { (library.unique_id)(&mut mark) }, "begin a communicator")?;
    Ok(mark.internal.map(|it| it as u8))
}

/// All calls of `calls` as one, called `what` in errors: those for several members by one thread would wait
/// for each other otherwise.
pub(crate) fn together(what: &str, calls: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let library = library()?;
    // SAFETY: every start has its end.
    check(library, unsafe { (library.group_start)() }, "begin")?;
    let begun = calls();
    // SAFETY: every start has its end.
    let ended = check(library, unsafe { (library.group_end)() }, what);
    begun.and(ended)
}

/// One member, a device, of a communicator.
pub(crate) struct Member {
    raw: ncclComm_t,
    library: &'static Library,
}

// SAFETY: a member may be used from any thread, by one at a time.
unsafe impl std::marker::Send for Member {}

impl Member {
    /// Joins as numbers `first` and following of `size` members: one for each of `devices`, which makes its
    /// device's context current.
    pub(crate) fn join<D>(
        devices: &[D],
        enter: impl Fn(&D) -> Result<(), String>,
        mark: &[u8; MARK],
        first: usize,
        size: usize,
    ) -> Result<Vec<Member>, String> {
        let library = library()?;
        let mark = ncclUniqueId { internal: mark.map(|it| it as c_char) };
        // They stay where they are until all have joined: the library writes to them.
        let mut raw = vec![std::ptr::null_mut(); devices.len()];
        let joined = together("join these GPUs (two members cannot share one)", || {
            devices.iter().zip(&mut raw).zip(first..).try_for_each(|((device, raw), rank)| {
                enter(device)?;
                // SAFETY: written to until `together` has returned.
                let status = unsafe { (library.init_rank)(raw, size as c_int, mark, rank as c_int) };
                check(library, status, "join a communicator")
            })
        });
        let members = raw.into_iter().map(|raw| Member { raw, library }).collect();
        joined.map(|()| members)
    }

    /// Combines `count` elements of all members, for all.
    ///
    /// # Safety
    /// Here and below: the addresses are memory of the device that holds these elements, until the stream's
    /// work has ended.
    pub(crate) unsafe fn all_reduce(
        &self,
        (source, target): (u64, u64),
        count: usize,
        (element, reduction): (Element, Reduction),
        stream: CUstream,
    ) -> Result<(), String> {
        let (from, to) = (source as *const c_void, target as *mut c_void);
        // SAFETY: the caller vouches for the addresses.
        let status =
            unsafe { (self.library.all_reduce)(from, to, count, element, reduction, self.raw, stream) };
        self.begun(status)
    }

    /// Combines `count` elements of all members, for `root`.
    ///
    /// # Safety
    /// See [`Member::all_reduce`].
    pub(crate) unsafe fn reduce(
        &self,
        (source, target): (u64, u64),
        count: usize,
        (element, reduction): (Element, Reduction),
        root: usize,
        stream: CUstream,
    ) -> Result<(), String> {
        let (from, to, root) = (source as *const c_void, target as *mut c_void, root as c_int);
        // SAFETY: the caller vouches for the addresses.
        let status =
            unsafe { (self.library.reduce)(from, to, count, element, reduction, root, self.raw, stream) };
        self.begun(status)
    }

    /// Copies `bytes` of `root` to all.
    ///
    /// # Safety
    /// See [`Member::all_reduce`].
    pub(crate) unsafe fn broadcast(
        &self,
        (source, target): (u64, u64),
        bytes: usize,
        root: usize,
        stream: CUstream,
    ) -> Result<(), String> {
        let (from, to, root) = (source as *const c_void, target as *mut c_void, root as c_int);
        // SAFETY: the caller vouches for the addresses.
        let status =
            unsafe { (self.library.broadcast)(from, to, bytes, Element::ncclUint8, root, self.raw, stream) };
        self.begun(status)
    }

    /// Sends `bytes` to member `peer`, which receives them.
    ///
    /// # Safety
    /// See [`Member::all_reduce`].
    pub(crate) unsafe fn send(
        &self,
        source: u64,
        bytes: usize,
        peer: usize,
        stream: CUstream,
    ) -> Result<(), String> {
        let from = source as *const c_void;
        // SAFETY: the caller vouches for the addresses.
        self.begun(unsafe {
            (self.library.send)(from, bytes, Element::ncclUint8, peer as c_int, self.raw, stream)
        })
    }

    /// Receives `bytes` of member `peer`, which sends them.
    ///
    /// # Safety
    /// See [`Member::all_reduce`].
    pub(crate) unsafe fn receive(
        &self,
        target: u64,
        bytes: usize,
        peer: usize,
        stream: CUstream,
    ) -> Result<(), String> {
        let to = target as *mut c_void;
        // SAFETY: the caller vouches for the addresses.
        self.begun(unsafe {
            (self.library.receive)(to, bytes, Element::ncclUint8, peer as c_int, self.raw, stream)
        })
    }

    fn begun(&self, status: Status) -> Result<(), String> {
        check(self.library, status, "begin a collective operation")
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: ours, and given back once.
            unsafe { (self.library.destroy)(self.raw) };
        }
    }
}
