//! PMIx (PMIx Standard 4.1), the process-management interface of Open MPI, by its library, which is loaded:
//! six functions, and structures whose layout the standard's headers fix.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use libloading::Library;

use crate::base::dynamic_library::{dynamic_library, explain};
use crate::cluster::membership::Store;

const MAX_NAMESPACE: usize = 255;
const MAX_KEY: usize = 511;
/// All processes of a namespace.
const WILDCARD: u32 = u32::MAX - 1;
const SUCCESS: c_int = 0;
/// `PMIX_GLOBAL`: for the processes of all hosts.
const GLOBAL: u8 = 3;
const BOOL: u16 = 1;
const STRING: u16 = 3;
const UINT32: u16 = 14;
/// `PMIX_COLLECT_DATA`: a fence brings the values of all processes to all hosts.
const COLLECT_DATA: &[u8] = b"pmix.collect";
/// `PMIX_JOB_SIZE`.
const JOB_SIZE: &str = "pmix.job.size";

/// `pmix_proc_t`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Process {
    namespace: [c_char; MAX_NAMESPACE + 1],
    rank: u32,
}

/// `pmix_value_t`: the longest member of its union has three words.
#[repr(C)]
struct Value {
    kind: u16,
    data: [usize; 3],
}

/// `pmix_info_t`.
#[repr(C)]
struct Info {
    key: [u8; MAX_KEY + 1],
    flags: u32,
    value: Value,
}

dynamic_library! {
    /// The functions that are called; their types are those of pmix.h.
    struct Functions {
        init = c"PMIx_Init": unsafe extern "C" fn(*mut Process, *const c_void, usize) -> c_int;
        put = c"PMIx_Put": unsafe extern "C" fn(u8, *const c_char, *const Value) -> c_int;
        commit = c"PMIx_Commit": unsafe extern "C" fn() -> c_int;
        fence = c"PMIx_Fence": unsafe extern "C" fn(*const Process, usize, *const Info, usize) -> c_int;
        get = c"PMIx_Get": Get;
        finalize = c"PMIx_Finalize": unsafe extern "C" fn(*const c_void, usize) -> c_int;
    }
}

type Get =
    unsafe extern "C" fn(*const Process, *const c_char, *const c_void, usize, *mut *mut Value) -> c_int;

/// A process of a job whose launcher is a PMIx server.
pub(super) struct Client {
    functions: Functions,
    own: Process,
    size: u32,
    is_open: bool,
}

/// The names of the library: that of its ABI, and of the development package.
const NAMES: [&str; 2] = ["libpmix.so.2", "libpmix.so"];

impl Client {
    /// Loads the library, and connects with the server.
    pub(super) fn open() -> Result<Client, String> {
        // SAFETY: the library's initialisers are those of a well-known package.
        let library = NAMES.iter().map(|name| unsafe { Library::new(*name) }).find_map(Result::ok);
        let library = library.ok_or("the launcher speaks PMIx, and there is no libpmix.so.2 to answer it")?;
        let functions = Functions::load(library)
            .map_err(|error| format!("libpmix.so.2 is not what apg knows: {}", explain(&error)))?;
        let mut own = Process { namespace: [0; MAX_NAMESPACE + 1], rank: 0 };
        // SAFETY: room for this process's name; no further information.
        check("PMIx_Init", unsafe { (functions.init)(&raw mut own, std::ptr::null(), 0) })?;
        let mut client = Client { functions, own, size: 0, is_open: true };
        client.size = client
            .get_value(WILDCARD, JOB_SIZE, |value| (value.kind == UINT32).then_some(value.data[0] as u32))?;
        Ok(client)
    }

    pub(super) fn rank(&self) -> u32 {
        self.own.rank
    }

    pub(super) fn size(&self) -> u32 {
        self.size
    }

    fn get_value<T>(
        &self,
        rank: u32,
        key: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, String> {
        let process = Process { rank, ..self.own };
        let name = key_text(key)?;
        let mut value: *mut Value = std::ptr::null_mut();
        // SAFETY: a process, a key that ends with 0, and room for the answer.
        let status = unsafe {
            (self.functions.get)(&raw const process, name.as_ptr(), std::ptr::null(), 0, &raw mut value)
        };
        check(&format!("PMIx_Get of {key}"), status)?;
        // SAFETY: on success the library has allocated a value. It is a few bytes, and not given back: which
        // allocator made it is the library's secret.
        let value = unsafe { value.as_ref() };
        value.and_then(read).ok_or_else(|| format!("PMIx: {key} of process {rank} has another type"))
    }
}

fn check(what: &str, status: c_int) -> Result<(), String> {
    if status == SUCCESS { Ok(()) } else { Err(format!("{what} fails with status {status}")) }
}

fn key_text(key: &str) -> Result<CString, String> {
    CString::new(key).ok().filter(|_| key.len() <= MAX_KEY).ok_or_else(|| format!("PMIx: `{key}` is no key"))
}

impl Store for Client {
    fn put(&mut self, key: &str, value: &str) -> Result<(), String> {
        let text = CString::new(value).map_err(|_| format!("PMIx: `{value}` is no text"))?;
        let (name, value) = (key_text(key)?, Value { kind: STRING, data: [text.as_ptr() as usize, 0, 0] });
        // SAFETY: a key that ends with 0, and a string, which the library copies.
        check("PMIx_Put", unsafe { (self.functions.put)(GLOBAL, name.as_ptr(), &raw const value) })?;
        // SAFETY: the library is initialised.
        check("PMIx_Commit", unsafe { (self.functions.commit)() })
    }

    fn fence(&mut self) -> Result<(), String> {
        let all = Process { rank: WILDCARD, ..self.own };
        let mut collect =
            Info { key: [0; MAX_KEY + 1], flags: 0, value: Value { kind: BOOL, data: [1, 0, 0] } };
        collect.key[..COLLECT_DATA.len()].copy_from_slice(COLLECT_DATA);
        // SAFETY: one process name, and one piece of information.
        check("PMIx_Fence", unsafe { (self.functions.fence)(&raw const all, 1, &raw const collect, 1) })
    }

    fn get(&mut self, rank: u32, key: &str) -> Result<String, String> {
        self.get_value(rank, key, |value| {
            let text = value.data[0] as *const c_char;
            if value.kind != STRING || text.is_null() {
                return None;
            }
            // SAFETY: a value of this kind holds a string that ends with 0.
            Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        })
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.is_open) {
            // SAFETY: the library is initialised. What it says at the end does not matter.
            let _ = unsafe { (self.functions.finalize)(std::ptr::null(), 0) };
        }
    }
}

impl Drop for Client {
    /// A launcher takes the end of a process that has not said so for a failure.
    fn drop(&mut self) {
        self.finish();
    }
}
