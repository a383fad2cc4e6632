//! The MPI of this process: by the standard binary interface ([`super::standard_abi`]), or by a file that the
//! machine's own `mpicc` compiles ([`super::shim`]), since the older interfaces of MPIs differ.

use std::cell::Cell;
use std::ffi::c_int;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use crate::base::place::PlaceId;
use crate::net::device_memory::DeviceContext;
use crate::net::mpi::binding::{Binding, Code, Handle, Opened};
use crate::net::mpi::{shim, standard_abi};

pub(super) use crate::net::mpi::binding::Length;

/// An initialised MPI. One thread at a time calls it (`MPI_THREAD_SERIALIZED`).
pub(super) struct Mpi {
    /// None once MPI has ended: nothing may be called then.
    binding: Mutex<Option<Box<dyn Binding>>>,
    /// The number of this process.
    pub rank: u32,
    /// The number of processes.
    pub size: u32,
    /// It says that it reads and writes memory of CUDA devices.
    pub knows_cuda: bool,
    /// An accelerator whose memory it was given.
    accelerator: OnceLock<Arc<dyn DeviceContext>>,
}

thread_local! {
    /// An accelerator is the calling thread's.
    static HAS_ACCELERATOR: Cell<bool> = const { Cell::new(false) };
}

/// An operation that MPI carries out.
pub(super) struct Request(Handle);

// SAFETY: a handle, which MPI accepts from any thread.
unsafe impl Send for Request {}

/// A receive that is posted again for each message (`MPI_Recv_init`).
pub(super) struct PostedReceive(Handle);

// SAFETY: a handle, which MPI accepts from any thread.
unsafe impl Send for PostedReceive {}

/// A message that has come into a posted buffer.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    /// The sender.
    pub from: PlaceId,
    /// Bytes.
    pub length: usize,
}

/// Initialises the MPI of that file (an `mpicc`, or the library of the standard interface), else the one of
/// the `mpicc` that is installed, else the one of the standard interface.
fn open(chosen: Option<&Path>) -> Result<(Opened, String), String> {
    let compiler = chosen.map(Path::to_owned).or_else(shim::find_compiler);
    if let Some(path) = compiler {
        let opened = if standard_abi::is_library(&path) { standard_abi::open } else { shim::open };
        return opened(&path).map(|opened| (opened, path.display().to_string()));
    }
    let library = standard_abi::LIBRARY;
    standard_abi::open(Path::new(library)).map(|opened| (opened, library.to_owned())).map_err(|error| {
        format!(
            "there is no mpicc, which binds apg to the MPI of this machine, and no MPI with the standard's binary \
             interface ({error}): install the MPI's development package, or name an mpicc or a {library} \
             (`--transport mpi:/opt/mpi/bin/mpicc`)"
        )
    })
}

impl Mpi {
    /// Initialises MPI, which all processes of a job have to do.
    ///
    /// # Errors
    /// There is no MPI, or it cannot be used.
    pub(super) fn open(chosen: Option<&Path>, processes: u32) -> Result<Mpi, String> {
        // MPI may set the launcher's variables in a process that it takes for a job of its own.
        let own = shim::own_compiler();
        let (opened, path) = open(chosen)?;
        let Opened { binding, name, rank, size, is_serialized, knows_cuda } = opened;
        tracing::debug!(name, rank, size, knows_cuda, "MPI is initialised");
        if size != processes as c_int {
            return Err(format!(
                "{processes} processes were started, but the MPI of {path} ({name}) sees {size}: it is not the \
                 launcher's. Name the mpicc of the launcher's MPI (`--transport mpi:{own}`), or start the processes \
                 by the mpirun of this MPI"
            ));
        }
        if !is_serialized {
            return Err(format!(
                "the MPI of {path} ({name}) has no MPI_THREAD_SERIALIZED: build it with threads, or leave \
                 `--transport mpi` out"
            ));
        }
        Ok(Mpi {
            binding: Mutex::new(Some(binding)),
            rank: rank as u32,
            size: size as u32,
            knows_cuda,
            accelerator: OnceLock::new(),
        })
    }

    /// The calling thread is about to pass memory of an accelerator, which becomes the thread's.
    pub(super) fn enter(&self, accelerator: &Arc<dyn DeviceContext>) -> io::Result<()> {
        self.accelerator.get_or_init(|| Arc::clone(accelerator));
        accelerator.enter()?;
        HAS_ACCELERATOR.set(true);
        Ok(())
    }

    /// Any call may continue the transfers of other threads, for which MPI needs an accelerator of its own
    /// thread.
    fn enter_any(&self) -> io::Result<()> {
        match self.accelerator.get() {
            Some(accelerator) if !HAS_ACCELERATOR.get() => self.enter(accelerator),
            _ => Ok(()),
        }
    }

    /// For one call of MPI.
    fn binding(&self) -> io::Result<MappedMutexGuard<'_, Box<dyn Binding>>> {
        MutexGuard::try_map(self.binding.lock(), Option::as_mut)
            .map_err(|_| io::Error::new(io::ErrorKind::NotConnected, "MPI has ended"))
    }

    /// Calls MPI.
    fn call<T>(&self, what: &str, call: impl FnOnce(&dyn Binding) -> Result<T, Code>) -> io::Result<T> {
        self.enter_any()?;
        let binding = self.binding()?;
        call(&**binding).map_err(|code| io::Error::other(format!("{what}: {}", binding.describe(code))))
    }

    /// Begins to send bytes. `None` if that is done already.
    ///
    /// # Safety
    /// There are `count` bytes, which stay as they are until the request is done or MPI has ended. Their
    /// number fits into an `i32`. Those of an accelerator are sent after [`Mpi::enter`].
    pub(super) unsafe fn send(
        &self,
        start: *const u8,
        count: usize,
        to: PlaceId,
        length: Length,
    ) -> io::Result<Option<Request>> {
        let (count, to) = (count as c_int, to.0 as c_int);
        // SAFETY: as the caller guarantees.
        let sent = self.call("MPI_Isend", |mpi| unsafe { mpi.send(start, count, to, length) })?;
        Ok(sent.map(Request))
    }

    /// Begins to wait until all processes have come here.
    pub(super) fn barrier(&self) -> io::Result<Request> {
        self.call("MPI_Ibarrier", |mpi| mpi.barrier()).map(Request)
    }

    /// Whether an operation is done; if not, its request is given back.
    pub(super) fn test(&self, request: Request) -> io::Result<Option<Request>> {
        // SAFETY: the owner of a request, which is not done yet.
        let is_done = self.call("MPI_Test", |mpi| unsafe { mpi.test(request.0) })?;
        Ok((!is_done).then_some(request))
    }

    /// Posts memory for short messages of any process.
    ///
    /// # Safety
    /// It stays where it is, and is read only between [`Mpi::arrival`] and [`Mpi::restart`], until the
    /// receive is withdrawn.
    pub(super) unsafe fn post(&self, memory: *mut u8, room: usize) -> io::Result<PostedReceive> {
        // SAFETY: as the caller guarantees.
        self.call("MPI_Recv_init", |mpi| unsafe { mpi.post(memory, room as c_int) }).map(PostedReceive)
    }

    /// The message that has come for a posted receive.
    pub(super) fn arrival(&self, posted: &PostedReceive) -> io::Result<Option<Arrival>> {
        // SAFETY: a posted receive.
        let arrival = self.call("MPI_Test", |mpi| unsafe { mpi.arrival(posted.0) })?;
        Ok(arrival.map(|(from, length)| Arrival { from: PlaceId(from as u32), length: length as usize }))
    }

    /// Posts the memory of a receive again, whose message was read.
    pub(super) fn restart(&self, posted: &PostedReceive) -> io::Result<()> {
        // SAFETY: a posted receive whose message has come.
        self.call("MPI_Start", |mpi| unsafe { mpi.restart(posted.0) })
    }

    /// Ends a posted receive.
    pub(super) fn withdraw(&self, posted: PostedReceive) -> io::Result<()> {
        // SAFETY: a posted receive, which is not used any more.
        self.call("MPI_Cancel", |mpi| unsafe { mpi.withdraw(posted.0) })
    }

    /// Begins to receive a long message.
    ///
    /// # Safety
    /// The memory has room for it, and is not touched until the request is done; MPI does not end before.
    /// Into that of an accelerator it is received after [`Mpi::enter`].
    pub(super) unsafe fn receive(
        &self,
        from: PlaceId,
        memory: *mut u8,
        length: usize,
    ) -> io::Result<Request> {
        // SAFETY: as the caller guarantees.
        self.call("MPI_Irecv", |mpi| unsafe { mpi.receive(memory, length as c_int, from.0 as c_int) })
            .map(Request)
    }

    /// Ends MPI, which all processes of a job have to do. Later calls are errors.
    pub(super) fn close(&self) {
        let Some(binding) = self.binding.lock().take() else { return };
        // All operations are done, and no thread can begin one. Nothing can be done about an error any more.
        let _ = binding.close();
    }
}
