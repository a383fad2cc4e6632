//! The standard binary interface of MPI (MPI 5.0, chapter 20, "Application Binary Interface"):
//! `libmpi_abi.so.1`, which is loaded as it is, so that neither an `mpicc` nor a C compiler is needed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use crate::base::dynamic_library::{dynamic_library, explain};
use crate::net::mpi::binding::{Binding, Code, Handle, Length, Opened, check, text};

/// The name of the library, which the standard gives.
pub(super) const LIBRARY: &str = "libmpi_abi.so.1";
/// How files of the library are called, whatever their version is.
const LIBRARY_PREFIX: &str = "libmpi_abi.";

/// `MPI_Comm`, `MPI_Datatype`, `MPI_Errhandler` and `MPI_Request`: pointers, of which predefined ones have
/// fixed small values.
type Object = *mut c_void;

const COMM_WORLD: usize = 0x101;
const ERRORS_RETURN: usize = 0x143;
const BYTE: usize = 0x247;
const ANY_SOURCE: c_int = -1;
const THREAD_SERIALIZED: c_int = 2048;
const MAX_ERROR_STRING: usize = 512;
/// Bytes of a list of kinds of memory, of which a longer one is cut.
const MAX_MEMORY_KINDS: usize = 1024;
/// The key of that list in the info object of a communicator.
const MEMORY_KINDS: &CStr = c"mpi_memory_alloc_kinds";
const MAX_LIBRARY_VERSION_STRING: usize = 8192;

/// Tags: of messages that fit into posted buffers, and of those whose receive is posted once they are
/// announced.
const SHORT: c_int = 1;
const LONG: c_int = 2;

/// `MPI_Status`.
#[derive(Default)]
#[repr(C)]
struct Status {
    source: c_int,
    tag: c_int,
    error: c_int,
    internal: [c_int; 5],
}

type Transfer<Bytes> = unsafe extern "C" fn(Bytes, c_int, Object, c_int, c_int, Object, *mut Object) -> c_int;

type InfoGetString =
    unsafe extern "C" fn(Object, *const c_char, *mut c_int, *mut c_char, *mut c_int) -> c_int;

dynamic_library! {
    /// The functions that are called; their types are those of the standard.
    struct Functions {
        init = c"MPI_Init_thread": unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int;
        finalize = c"MPI_Finalize": unsafe extern "C" fn() -> c_int;
        version = c"MPI_Get_library_version": unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
        info = c"MPI_Comm_get_info": unsafe extern "C" fn(Object, *mut Object) -> c_int;
        info_string = c"MPI_Info_get_string": InfoGetString;
        free_info = c"MPI_Info_free": unsafe extern "C" fn(*mut Object) -> c_int;
        error = c"MPI_Error_string": unsafe extern "C" fn(c_int, *mut c_char, *mut c_int) -> c_int;
        duplicate = c"MPI_Comm_dup": unsafe extern "C" fn(Object, *mut Object) -> c_int;
        set_handler = c"MPI_Comm_set_errhandler": unsafe extern "C" fn(Object, Object) -> c_int;
        rank = c"MPI_Comm_rank": unsafe extern "C" fn(Object, *mut c_int) -> c_int;
        size = c"MPI_Comm_size": unsafe extern "C" fn(Object, *mut c_int) -> c_int;
        send = c"MPI_Isend": Transfer<*const c_void>;
        receive = c"MPI_Irecv": Transfer<*mut c_void>;
        post = c"MPI_Recv_init": Transfer<*mut c_void>;
        barrier = c"MPI_Ibarrier": unsafe extern "C" fn(Object, *mut Object) -> c_int;
        start = c"MPI_Start": unsafe extern "C" fn(*mut Object) -> c_int;
        test = c"MPI_Test": unsafe extern "C" fn(*mut Object, *mut c_int, *mut Status) -> c_int;
        wait = c"MPI_Wait": unsafe extern "C" fn(*mut Object, *mut Status) -> c_int;
        count = c"MPI_Get_count": unsafe extern "C" fn(*const Status, Object, *mut c_int) -> c_int;
        cancel = c"MPI_Cancel": unsafe extern "C" fn(*mut Object) -> c_int;
        free = c"MPI_Request_free": unsafe extern "C" fn(*mut Object) -> c_int;
    }
}

/// An MPI with the standard's binary interface.
struct StandardAbi {
    functions: Functions,
    communicator: Object,
}

// SAFETY: the communicator is a handle, which MPI accepts from any thread.
unsafe impl Send for StandardAbi {}

/// A predefined object.
fn predefined(value: usize) -> Object {
    ptr::without_provenance_mut(value)
}

/// Whether a file is the library, by its name.
pub(super) fn is_library(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LIBRARY_PREFIX))
}

fn load(path: &Path) -> Result<Functions, String> {
    let cannot =
        |error: libloading::Error| format!("cannot load MPI ({}): {}", path.display(), explain(&error));
    // SAFETY: an MPI that the user has installed; its initialisers are its own.
    let library = unsafe { Library::new(path) }.map_err(cannot)?;
    Functions::load(library).map_err(cannot)
}

/// What the installed library says of itself, without a job; `None` if there is none.
pub(super) fn library_name() -> Option<String> {
    load(Path::new(LIBRARY)).ok().map(|functions| functions.version_in_words())
}

/// Loads the library and initialises MPI. An error says what the library lacks, or what MPI says.
pub(super) fn open(path: &Path) -> Result<Opened, String> {
    let functions = load(path)?;
    let (mut level, mut rank, mut size) = (0, 0, 0);
    let mut communicator = ptr::null_mut();
    let mut begin = || {
        let world = predefined(COMM_WORLD);
        // SAFETY: no arguments, and room for the answers; the communicator is used once it is made.
        unsafe {
            check((functions.init)(ptr::null_mut(), ptr::null_mut(), THREAD_SERIALIZED, &raw mut level))?;
            check((functions.duplicate)(world, &raw mut communicator))?;
            check((functions.set_handler)(communicator, predefined(ERRORS_RETURN)))?;
            check((functions.rank)(communicator, &raw mut rank))?;
            check((functions.size)(communicator, &raw mut size))
        }
    };
    let begun = begin();
    let binding = StandardAbi { functions, communicator };
    begun.map_err(|code| format!("MPI_Init_thread: {}", binding.describe(code)))?;
    let (name, is_serialized) = (binding.functions.version_in_words(), level >= THREAD_SERIALIZED);
    let knows_cuda = includes_cuda_memory(&binding.functions.memory_kinds());
    Ok(Opened { binding: Box::new(binding), name, rank, size, is_serialized, knows_cuda })
}

impl Functions {
    /// The name and version of the library: the first line of what it says.
    fn version_in_words(&self) -> String {
        let mut length = 0;
        let all = text::<MAX_LIBRARY_VERSION_STRING>(|bytes, _| {
            // SAFETY: as much room as the standard asks for; it may be called before MPI is initialised.
            unsafe { (self.version)(bytes, &raw mut length) };
        });
        let first = all.split(['\n', ',']).next().unwrap_or_default();
        first.replace(" Version:", "").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The kinds of memory that all processes may pass to MPI; empty if it does not say.
    fn memory_kinds(&self) -> String {
        let mut info = ptr::null_mut();
        // SAFETY: MPI is initialised; room for the object.
        if unsafe { (self.info)(predefined(COMM_WORLD), &raw mut info) } != 0 {
            return String::new();
        }
        let kinds = text::<MAX_MEMORY_KINDS>(|bytes, room| {
            let (mut length, mut is_set) = (room, 0);
            // SAFETY: an info object; room for the text and the answers.
            unsafe {
                (self.info_string)(info, MEMORY_KINDS.as_ptr(), &raw mut length, bytes, &raw mut is_set)
            };
        });
        // SAFETY: the object was made above, and is not used any more.
        unsafe { (self.free_info)(&raw mut info) };
        kinds
    }
}

/// Whether a list of kinds of memory (MPI 4.1, "Memory Allocation Kinds": names with restrictions behind
/// colons, separated by commas) has memory of CUDA devices.
fn includes_cuda_memory(kinds: &str) -> bool {
    kinds.split(',').any(|kind| {
        let mut words = kind.trim().split(':');
        let is_cuda = words.next() == Some("cuda");
        let mut restrictions = words.peekable();
        is_cuda && (restrictions.peek().is_none() || restrictions.any(|it| it == "device"))
    })
}

/// Begins an operation that `start` gives a handle for.
fn begin(start: impl FnOnce(*mut Object) -> c_int) -> Result<Handle, Code> {
    let mut request = ptr::null_mut();
    check(start(&raw mut request)).map(|()| request)
}

impl Binding for StandardAbi {
    fn close(&self) -> Result<(), Code> {
        // SAFETY: MPI is initialised.
        check(unsafe { (self.functions.finalize)() })
    }

    fn describe(&self, code: Code) -> String {
        let mut length = 0;
        text::<MAX_ERROR_STRING>(|bytes, _| {
            // SAFETY: as much room as the standard asks for.
            unsafe { (self.functions.error)(code, bytes, &raw mut length) };
        })
    }

    unsafe fn send(
        &self,
        start: *const u8,
        count: c_int,
        to: c_int,
        length: Length,
    ) -> Result<Option<Handle>, Code> {
        let start = start.cast();
        let tag = if length == Length::Long { LONG } else { SHORT };
        let request = begin(|request| {
            // SAFETY: the caller keeps the bytes.
            unsafe {
                (self.functions.send)(start, count, predefined(BYTE), to, tag, self.communicator, request)
            }
        })?;
        // SAFETY: it was just begun.
        Ok((!unsafe { self.test(request) }?).then_some(request))
    }

    fn barrier(&self) -> Result<Handle, Code> {
        // SAFETY: MPI is initialised.
        begin(|request| unsafe { (self.functions.barrier)(self.communicator, request) })
    }

    unsafe fn test(&self, mut handle: Handle) -> Result<bool, Code> {
        let mut is_done = 0;
        // SAFETY: the caller passes an operation; its status is of no interest, which a null pointer says.
        check(unsafe { (self.functions.test)(&raw mut handle, &raw mut is_done, ptr::null_mut()) })?;
        Ok(is_done != 0)
    }

    unsafe fn post(&self, memory: *mut u8, room: c_int) -> Result<Handle, Code> {
        let (byte, communicator) = (predefined(BYTE), self.communicator);
        let mut posted = begin(|request| {
            // SAFETY: the caller keeps the memory.
            unsafe {
                (self.functions.post)(memory.cast(), room, byte, ANY_SOURCE, SHORT, communicator, request)
            }
        })?;
        // SAFETY: it was just made.
        check(unsafe { (self.functions.start)(&raw mut posted) }).map(|()| posted)
    }

    unsafe fn arrival(&self, mut posted: Handle) -> Result<Option<(c_int, c_int)>, Code> {
        let (mut has_come, mut count, mut status) = (0, 0, Status::default());
        // SAFETY: the caller passes a posted receive, whose handle remains; room for the answers.
        unsafe {
            check((self.functions.test)(&raw mut posted, &raw mut has_come, &raw mut status))?;
            if has_come == 0 {
                return Ok(None);
            }
            check((self.functions.count)(&raw const status, predefined(BYTE), &raw mut count))?;
        }
        Ok(Some((status.source, count)))
    }

    unsafe fn restart(&self, mut posted: Handle) -> Result<(), Code> {
        // SAFETY: the caller passes a posted receive, which has ended.
        check(unsafe { (self.functions.start)(&raw mut posted) })
    }

    unsafe fn withdraw(&self, mut posted: Handle) -> Result<(), Code> {
        // SAFETY: the caller passes a posted receive, and does not use it any more.
        unsafe {
            check((self.functions.cancel)(&raw mut posted))?;
            check((self.functions.wait)(&raw mut posted, ptr::null_mut()))?;
            check((self.functions.free)(&raw mut posted))
        }
    }

    unsafe fn receive(&self, memory: *mut u8, length: c_int, from: c_int) -> Result<Handle, Code> {
        let (byte, communicator) = (predefined(BYTE), self.communicator);
        begin(|request| {
            // SAFETY: the caller keeps the memory.
            unsafe {
                (self.functions.receive)(memory.cast(), length, byte, from, LONG, communicator, request)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_is_known_by_its_name() {
        for path in ["libmpi_abi.so.1", "/opt/mpich/lib/libmpi_abi.so", "lib/libmpi_abi.so.1.0.0"] {
            assert!(is_library(Path::new(path)), "{path}");
        }
        for path in ["/usr/bin/mpicc", "mpicc_abi", "/libmpi_abi.so.1/mpicc", "libmpi.so.12", ""] {
            assert!(!is_library(Path::new(path)), "{path}");
        }
        let error = open(Path::new("/none/libmpi_abi.so.1")).err().expect("there is none");
        assert!(error.contains("(/none/libmpi_abi.so.1)") && error.contains("No such file"), "{error}");
    }

    #[test]
    fn memory_of_cuda_devices_is_found_in_lists_of_kinds() {
        for kinds in ["cuda", "system,mpi,cuda:device", "mpi, cuda:host:device", "rocm,cuda:device,system"] {
            assert!(includes_cuda_memory(kinds), "{kinds}");
        }
        for kinds in ["", "system,mpi", "cuda:host", "cudart:device", "system,rocm:device", "mpi:cuda"] {
            assert!(!includes_cuda_memory(kinds), "{kinds}");
        }
    }

    #[test]
    fn status_has_the_size_of_the_standard() {
        assert_eq!(size_of::<Status>(), 32);
    }
}
