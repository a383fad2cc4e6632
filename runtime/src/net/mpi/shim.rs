//! The binding of MPI: a C file (`shim.c`) that the machine's own `mpicc` compiles at first use, since the
//! binary interfaces of MPIs differ; the private build cache keeps the result.

use std::ffi::{c_char, c_int, c_void};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use libloading::Library;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use sha2::{Digest, Sha256};

use crate::base::place::PlaceId;
use crate::cache::Cache;

const SOURCE: &str = include_str!("shim.c");

/// The name of the `mpicc` of the MPI whose launcher has started this process, where several are installed.
fn own_compiler() -> &'static str {
    let is_set = |name| std::env::var_os(name).is_some();
    match () {
        () if is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMIX_NAMESPACE") => "mpicc.openmpi",
        () if is_set("PMI_SIZE") => "mpicc.mpich",
        () => "mpicc",
    }
}

/// The path of the `mpicc` to use.
///
/// # Errors
/// None is installed, and what to do about it.
fn compiler(chosen: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = chosen {
        return Ok(path.to_owned());
    }
    let own = own_compiler();
    let folders: Vec<PathBuf> = std::env::var_os("PATH")
        .iter()
        .flat_map(|path| std::env::split_paths(path).collect::<Vec<_>>())
        .collect();
    [own, "mpicc"]
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
        .ok_or_else(|| {
            "there is no mpicc, which binds apg to the MPI of this machine: install the MPI's development package, or \
             name one (`--transport mpi:/opt/mpi/bin/mpicc`)"
                .to_owned()
        })
}

/// The shared object of the shim, compiled now if it is not in the cache.
fn build(compiler: &Path) -> Result<PathBuf, String> {
    let cannot = |error: String| format!("cannot bind MPI by {}: {error}", compiler.display());
    // The flags name the MPI's folder and libraries.
    let flags = Command::new(compiler).arg("-show").output().map_err(|error| cannot(error.to_string()))?;
    let mut key = Sha256::new();
    for part in [SOURCE.as_bytes(), compiler.as_os_str().as_encoded_bytes(), &flags.stdout] {
        key.update((part.len() as u64).to_le_bytes());
        key.update(part);
    }
    let key: String = key.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let cache = Cache::default();
    let _in_use = cache.acquire().map_err(|error| format!("{error}; {}", error.hint()))?;
    let path = cache.path("mpi", &key, "so");
    if cache.contains(&path) {
        return Ok(path);
    }
    let folder = tempfile::tempdir().map_err(|error| cannot(error.to_string()))?;
    let (source, object) = (folder.path().join("shim.c"), folder.path().join("shim.so"));
    std::fs::write(&source, SOURCE).map_err(|error| cannot(error.to_string()))?;
    let output = Command::new(compiler)
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .args([&object, &source])
        .output()
        .map_err(|error| cannot(error.to_string()))?;
    if !output.status.success() {
        return Err(cannot(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let bytes = std::fs::read(&object).map_err(|error| cannot(error.to_string()))?;
    cache.store(&path, &bytes).map_err(|error| format!("{error}; {}", error.hint()))?;
    Ok(path)
}

struct Functions {
    close: unsafe extern "C" fn() -> c_int,
    error: unsafe extern "C" fn(c_int, *mut c_char, c_int),
    send: unsafe extern "C" fn(*const c_void, c_int, c_int, c_int, *mut *mut c_void) -> c_int,
    barrier: unsafe extern "C" fn(*mut *mut c_void) -> c_int,
    test: unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int,
    post: unsafe extern "C" fn(*mut c_void, c_int, *mut *mut c_void) -> c_int,
    arrival: unsafe extern "C" fn(*mut c_void, *mut c_int, *mut c_int) -> c_int,
    restart: unsafe extern "C" fn(*mut c_void) -> c_int,
    withdraw: unsafe extern "C" fn(*mut c_void) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut *mut c_void) -> c_int,
}

/// An initialised MPI. One thread at a time calls it (`MPI_THREAD_SERIALIZED`).
pub(super) struct Mpi {
    /// None once MPI has ended: nothing may be called then.
    functions: Mutex<Option<Functions>>,
    /// The number of this process.
    pub rank: u32,
    /// The number of processes.
    pub size: u32,
}

/// An operation that MPI carries out.
pub(super) struct Request(*mut c_void);

// SAFETY: a handle, which MPI accepts from any thread.
unsafe impl Send for Request {}

/// A receive that is posted again for each message (`MPI_Recv_init`).
pub(super) struct PostedReceive(*mut c_void);

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

/// How a message is received.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// Into a posted buffer.
    Short,
    /// By [`Mpi::receive`], since a short message has announced it.
    Long,
}

impl Mpi {
    /// Compiles the shim if need be, loads it, and initialises MPI, which all processes of a job have to do.
    ///
    /// # Errors
    /// There is no MPI, or it cannot be used.
    pub(super) fn open(chosen: Option<&Path>, processes: u32) -> Result<Mpi, String> {
        // MPI may set the launcher's variables in a process that it takes for a job of its own.
        let own = own_compiler();
        let compiler = compiler(chosen)?;
        let path = build(&compiler)?;
        let failed = |error: libloading::Error| format!("cannot load MPI ({}): {error}", compiler.display());
        // SAFETY: our own object, of the functions above; its libraries are those of the machine's MPI.
        let library = unsafe { Library::new(&path) }.map_err(failed)?;
        // SAFETY: the types are those of shim.c, and the library is never unloaded.
        let (open, version, knows_cuda, functions) = unsafe {
            let open: unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int) -> c_int =
                *library.get(c"apg_mpi_open").map_err(failed)?;
            let version: unsafe extern "C" fn(*mut c_char, c_int) =
                *library.get(c"apg_mpi_version").map_err(failed)?;
            let knows_cuda: unsafe extern "C" fn() -> c_int =
                *library.get(c"apg_mpi_knows_cuda").map_err(failed)?;
            let functions = Functions {
                close: *library.get(c"apg_mpi_close").map_err(failed)?,
                error: *library.get(c"apg_mpi_error").map_err(failed)?,
                send: *library.get(c"apg_mpi_send").map_err(failed)?,
                barrier: *library.get(c"apg_mpi_barrier").map_err(failed)?,
                test: *library.get(c"apg_mpi_test").map_err(failed)?,
                post: *library.get(c"apg_mpi_post").map_err(failed)?,
                arrival: *library.get(c"apg_mpi_arrival").map_err(failed)?,
                restart: *library.get(c"apg_mpi_restart").map_err(failed)?,
                withdraw: *library.get(c"apg_mpi_withdraw").map_err(failed)?,
                receive: *library.get(c"apg_mpi_receive").map_err(failed)?,
            };
            (open, version, knows_cuda, functions)
        };
        // Never unloaded: threads of MPI may run until the process ends.
        std::mem::forget(library);
        let (mut rank, mut size, mut is_serialized) = (0, 0, 0);
        // SAFETY: room for three numbers.
        let code = unsafe { open(&raw mut rank, &raw mut size, &raw mut is_serialized) };
        check(&functions, "MPI_Init_thread", code).map_err(|error| error.to_string())?;
        // SAFETY: room for the text, whose size is passed.
        let name = text(|bytes, room| unsafe { version(bytes, room) });
        // SAFETY: MPI is initialised.
        let knows_cuda = unsafe { knows_cuda() } != 0;
        tracing::debug!(name, rank, size, knows_cuda, "MPI is initialised");
        let compiler = compiler.display();
        if size != processes as i32 {
            return Err(format!(
                "{processes} processes were started, but the MPI of {compiler} ({name}) sees {size}: it is not the \
                 launcher's. Name the mpicc of the launcher's MPI (`--transport mpi:{own}`), or start the processes \
                 by the mpirun of this MPI"
            ));
        }
        if is_serialized == 0 {
            return Err(format!(
                "the MPI of {compiler} ({name}) has no MPI_THREAD_SERIALIZED: build it with threads, or leave \
                 `--transport mpi` out"
            ));
        }
        Ok(Mpi { functions: Mutex::new(Some(functions)), rank: rank as u32, size: size as u32 })
    }

    /// For one call of MPI.
    fn functions(&self) -> io::Result<MappedMutexGuard<'_, Functions>> {
        MutexGuard::try_map(self.functions.lock(), Option::as_mut)
            .map_err(|_| io::Error::new(io::ErrorKind::NotConnected, "MPI has ended"))
    }

    /// Begins to send bytes. `None` if that is done already.
    ///
    /// # Safety
    /// They stay as they are until the request is done or MPI has ended. Their number fits into an `i32`.
    pub(super) unsafe fn send(
        &self,
        bytes: &[u8],
        to: PlaceId,
        length: Length,
    ) -> io::Result<Option<Request>> {
        let functions = self.functions()?;
        let mut handle = std::ptr::null_mut();
        let is_long = c_int::from(length == Length::Long);
        // SAFETY: as the caller guarantees; room for the handle.
        let code = unsafe {
            (functions.send)(
                bytes.as_ptr().cast(),
                bytes.len() as c_int,
                to.0 as c_int,
                is_long,
                &raw mut handle,
            )
        };
        check(&functions, "MPI_Isend", code)?;
        Ok((!handle.is_null()).then_some(Request(handle)))
    }

    /// Begins to wait until all processes have come here.
    pub(super) fn barrier(&self) -> io::Result<Request> {
        let functions = self.functions()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: room for the handle.
        let code = unsafe { (functions.barrier)(&raw mut handle) };
        check(&functions, "MPI_Ibarrier", code).map(|()| Request(handle))
    }

    /// Whether an operation is done; if not, its request is given back.
    pub(super) fn test(&self, request: Request) -> io::Result<Option<Request>> {
        let functions = self.functions()?;
        let mut is_done = 0;
        // SAFETY: a request that is not done yet, and room for the answer.
        let code = unsafe { (functions.test)(request.0, &raw mut is_done) };
        check(&functions, "MPI_Test", code)?;
        Ok((is_done == 0).then_some(request))
    }

    /// Posts memory for short messages of any process.
    ///
    /// # Safety
    /// It stays where it is, and is read only between [`Mpi::arrival`] and [`Mpi::restart`], until the
    /// receive is withdrawn.
    pub(super) unsafe fn post(&self, memory: *mut u8, room: usize) -> io::Result<PostedReceive> {
        let functions = self.functions()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: as the caller guarantees; room for the handle.
        let code = unsafe { (functions.post)(memory.cast(), room as c_int, &raw mut handle) };
        check(&functions, "MPI_Recv_init", code).map(|()| PostedReceive(handle))
    }

    /// The message that has come for a posted receive.
    pub(super) fn arrival(&self, posted: &PostedReceive) -> io::Result<Option<Arrival>> {
        let functions = self.functions()?;
        let (mut from, mut length) = (-1, 0);
        // SAFETY: a posted receive, and room for the answers.
        let code = unsafe { (functions.arrival)(posted.0, &raw mut from, &raw mut length) };
        check(&functions, "MPI_Test", code)?;
        let arrival = |from| Arrival { from: PlaceId(from), length: length as usize };
        Ok(u32::try_from(from).ok().map(arrival))
    }

    /// Posts the memory of a receive again, whose message was read.
    pub(super) fn restart(&self, posted: &PostedReceive) -> io::Result<()> {
        let functions = self.functions()?;
        // SAFETY: a posted receive whose message has come.
        let code = unsafe { (functions.restart)(posted.0) };
        check(&functions, "MPI_Start", code)
    }

    /// Ends a posted receive.
    pub(super) fn withdraw(&self, posted: PostedReceive) -> io::Result<()> {
        let functions = self.functions()?;
        // SAFETY: a posted receive, which is not used any more.
        let code = unsafe { (functions.withdraw)(posted.0) };
        check(&functions, "MPI_Cancel", code)
    }

    /// Begins to receive a long message.
    ///
    /// # Safety
    /// The memory has room for it, and is not touched until the request is done; MPI does not end before.
    pub(super) unsafe fn receive(
        &self,
        from: PlaceId,
        memory: *mut u8,
        length: usize,
    ) -> io::Result<Request> {
        let functions = self.functions()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: as the caller guarantees; room for the handle.
        let code =
            unsafe { (functions.receive)(memory.cast(), length as c_int, from.0 as c_int, &raw mut handle) };
        check(&functions, "MPI_Irecv", code).map(|()| Request(handle))
    }

    /// Ends MPI, which all processes of a job have to do. Later calls are errors.
    pub(super) fn close(&self) {
        let Some(functions) = self.functions.lock().take() else { return };
        // SAFETY: all operations are done, and no thread can begin one.
        // Nothing can be done about an error any more.
        let _ = unsafe { (functions.close)() };
    }
}

fn check(functions: &Functions, what: &str, code: c_int) -> io::Result<()> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: room for the text, whose size is passed.
    let error = text(|bytes, room| unsafe { (functions.error)(code, bytes, room) });
    Err(io::Error::other(format!("{what}: {error}")))
}

/// What a function writes into a buffer, as text.
fn text(write: impl FnOnce(*mut c_char, c_int)) -> String {
    let mut bytes = [0_u8; 512];
    write(bytes.as_mut_ptr().cast(), bytes.len() as c_int);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
