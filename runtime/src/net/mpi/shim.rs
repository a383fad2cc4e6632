//! The binding of MPI: a C file (`shim.c`) that the machine's own `mpicc` compiles at first use, since the
//! binary interfaces of MPIs differ; the private build cache keeps the result.

use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use libloading::Library;
use sha2::{Digest, Sha256};

use crate::base::dynamic_library::{dynamic_library, explain};
use crate::cache::Cache;
use crate::net::mpi::binding::{Binding, Code, Handle, Length, Opened, check, text};

const SOURCE: &str = include_str!("shim.c");

/// The name of the `mpicc` of the MPI whose launcher has started this process, where several are installed.
pub(super) fn own_compiler() -> &'static str {
    let is_set = |name| std::env::var_os(name).is_some();
    match () {
        () if is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMIX_NAMESPACE") => "mpicc.openmpi",
        () if is_set("PMI_SIZE") => "mpicc.mpich",
        () => "mpicc",
    }
}

/// The path of the `mpicc` to use, if one is installed.
pub(super) fn find_compiler() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::var_os("PATH")
        .iter()
        .flat_map(|path| std::env::split_paths(path).collect::<Vec<_>>())
        .collect();
    [own_compiler(), "mpicc"]
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
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

dynamic_library! {
    /// The functions of `shim.c`.
    struct Shim {
        open = c"apg_mpi_open": unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int) -> c_int;
        version = c"apg_mpi_version": unsafe extern "C" fn(*mut c_char, c_int);
        knows_cuda = c"apg_mpi_knows_cuda": unsafe extern "C" fn() -> c_int;
        close = c"apg_mpi_close": unsafe extern "C" fn() -> c_int;
        error = c"apg_mpi_error": unsafe extern "C" fn(c_int, *mut c_char, c_int);
        send = c"apg_mpi_send": unsafe extern "C" fn(*const c_void, c_int, c_int, c_int, *mut Handle) -> c_int;
        barrier = c"apg_mpi_barrier": unsafe extern "C" fn(*mut Handle) -> c_int;
        test = c"apg_mpi_test": unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
        post = c"apg_mpi_post": unsafe extern "C" fn(*mut c_void, c_int, *mut Handle) -> c_int;
        arrival = c"apg_mpi_arrival": unsafe extern "C" fn(Handle, *mut c_int, *mut c_int) -> c_int;
        restart = c"apg_mpi_restart": unsafe extern "C" fn(Handle) -> c_int;
        withdraw = c"apg_mpi_withdraw": unsafe extern "C" fn(Handle) -> c_int;
        receive = c"apg_mpi_receive": unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut Handle) -> c_int;
    }
}

/// Bytes of a version or of an error.
const TEXT_ROOM: usize = 512;

/// Compiles the shim if need be, loads it, and initialises MPI. An error says what cannot be done.
pub(super) fn open(compiler: &Path) -> Result<Opened, String> {
    let path = build(compiler)?;
    let failed =
        |error: libloading::Error| format!("cannot load MPI ({}): {}", compiler.display(), explain(&error));
    // SAFETY: our own object, of the functions above; its libraries are those of the machine's MPI.
    let library = unsafe { Library::new(&path) }.map_err(failed)?;
    let shim = Shim::load(library).map_err(failed)?;
    let (mut rank, mut size, mut is_serialized) = (0, 0, 0);
    // SAFETY: room for three numbers.
    check(unsafe { (shim.open)(&raw mut rank, &raw mut size, &raw mut is_serialized) })
        .map_err(|code| format!("MPI_Init_thread: {}", shim.describe(code)))?;
    // SAFETY: room for the text, whose size is passed.
    let name = text::<TEXT_ROOM>(|bytes, room| unsafe { (shim.version)(bytes, room) });
    // SAFETY: MPI is initialised.
    let knows_cuda = unsafe { (shim.knows_cuda)() } != 0;
    Ok(Opened { binding: Box::new(shim), name, rank, size, is_serialized: is_serialized != 0, knows_cuda })
}

impl Binding for Shim {
    fn close(&self) -> Result<(), Code> {
        // SAFETY: MPI is initialised.
        check(unsafe { (self.close)() })
    }

    fn describe(&self, code: Code) -> String {
        // SAFETY: room for the text, whose size is passed.
        text::<TEXT_ROOM>(|bytes, room| unsafe { (self.error)(code, bytes, room) })
    }

    unsafe fn send(
        &self,
        start: *const u8,
        count: c_int,
        to: c_int,
        length: Length,
    ) -> Result<Option<Handle>, Code> {
        let mut handle = ptr::null_mut();
        // SAFETY: the caller keeps the bytes; room for the handle.
        check(unsafe {
            (self.send)(start.cast(), count, to, c_int::from(length == Length::Long), &raw mut handle)
        })?;
        Ok((!handle.is_null()).then_some(handle))
    }

    fn barrier(&self) -> Result<Handle, Code> {
        let mut handle = ptr::null_mut();
        // SAFETY: room for the handle.
        check(unsafe { (self.barrier)(&raw mut handle) }).map(|()| handle)
    }

    unsafe fn test(&self, handle: Handle) -> Result<bool, Code> {
        let mut is_done = 0;
        // SAFETY: the caller passes an operation that is not done; room for the answer.
        check(unsafe { (self.test)(handle, &raw mut is_done) }).map(|()| is_done != 0)
    }

    unsafe fn post(&self, memory: *mut u8, room: c_int) -> Result<Handle, Code> {
        let mut handle = ptr::null_mut();
        // SAFETY: the caller keeps the memory; room for the handle.
        check(unsafe { (self.post)(memory.cast(), room, &raw mut handle) }).map(|()| handle)
    }

    unsafe fn arrival(&self, posted: Handle) -> Result<Option<(c_int, c_int)>, Code> {
        let (mut from, mut length) = (-1, 0);
        // SAFETY: the caller passes a posted receive; room for the answers.
        check(unsafe { (self.arrival)(posted, &raw mut from, &raw mut length) })?;
        Ok((from >= 0).then_some((from, length)))
    }

    unsafe fn restart(&self, posted: Handle) -> Result<(), Code> {
        // SAFETY: the caller passes a posted receive whose message has come.
        check(unsafe { (self.restart)(posted) })
    }

    unsafe fn withdraw(&self, posted: Handle) -> Result<(), Code> {
        // SAFETY: the caller passes a posted receive, and does not use it any more.
        check(unsafe { (self.withdraw)(posted) })
    }

    unsafe fn receive(&self, memory: *mut u8, length: c_int, from: c_int) -> Result<Handle, Code> {
        let mut handle = ptr::null_mut();
        // SAFETY: the caller keeps the memory; room for the handle.
        check(unsafe { (self.receive)(memory.cast(), length, from, &raw mut handle) }).map(|()| handle)
    }
}
