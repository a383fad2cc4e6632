//! The functions of MPI that the transport calls, whatever the library's binary interface is.

use std::ffi::{c_char, c_int, c_void};

/// An error of MPI (`MPI_ERR_...`), which [`Binding::describe`] puts into words.
pub(super) type Code = c_int;
/// An operation that MPI carries out (`MPI_Request`), or a pointer to one.
pub(super) type Handle = *mut c_void;

/// How a message is received.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// Into a posted buffer.
    Short,
    /// By [`Binding::receive`], since a short message has announced it.
    Long,
}

/// An MPI that is initialised. One thread at a time calls it (`MPI_THREAD_SERIALIZED`).
pub(super) trait Binding: Send {
    /// `MPI_Finalize`.
    fn close(&self) -> Result<(), Code>;
    /// `MPI_Error_string`.
    fn describe(&self, code: Code) -> String;
    /// `MPI_Isend`; `None` if it is done already.
    ///
    /// # Safety
    /// There are `count` bytes, which stay as they are until the operation is done. They are memory of this
    /// process, or of an accelerator if the library knows CUDA.
    unsafe fn send(
        &self,
        start: *const u8,
        count: c_int,
        to: c_int,
        length: Length,
    ) -> Result<Option<Handle>, Code>;
    /// `MPI_Ibarrier`.
    fn barrier(&self) -> Result<Handle, Code>;
    /// `MPI_Test`: whether an operation is done, whose handle is of no use then.
    ///
    /// # Safety
    /// It is an operation that is not done yet.
    unsafe fn test(&self, handle: Handle) -> Result<bool, Code>;
    /// `MPI_Recv_init` and `MPI_Start`: posts memory for short messages of any process.
    ///
    /// # Safety
    /// It stays, and is read only between [`Binding::arrival`] and [`Binding::restart`].
    unsafe fn post(&self, memory: *mut u8, room: c_int) -> Result<Handle, Code>;
    /// `MPI_Test` of what was posted: the sender and the length of a message that has come.
    ///
    /// # Safety
    /// It is a posted receive.
    unsafe fn arrival(&self, posted: Handle) -> Result<Option<(c_int, c_int)>, Code>;
    /// `MPI_Start`: posts the memory again.
    ///
    /// # Safety
    /// It is a posted receive whose message has come.
    unsafe fn restart(&self, posted: Handle) -> Result<(), Code>;
    /// `MPI_Cancel` and `MPI_Request_free`.
    ///
    /// # Safety
    /// It is a posted receive that has no message, and is not used any more.
    unsafe fn withdraw(&self, posted: Handle) -> Result<(), Code>;
    /// `MPI_Irecv` of a long message.
    ///
    /// # Safety
    /// The memory has that room, and is not touched until the operation is done. It may be memory of an
    /// accelerator as in [`Binding::send`].
    unsafe fn receive(&self, memory: *mut u8, length: c_int, from: c_int) -> Result<Handle, Code>;
}

/// An MPI that was just initialised, and what it says of itself.
pub(super) struct Opened {
    pub binding: Box<dyn Binding>,
    /// Name and version.
    pub name: String,
    /// The number of this process.
    pub rank: c_int,
    /// The number of processes.
    pub size: c_int,
    /// It has `MPI_THREAD_SERIALIZED`.
    pub is_serialized: bool,
    /// It says that it reads and writes memory of GPUs.
    pub knows_cuda: bool,
}

/// The result of a function.
pub(super) fn check(code: Code) -> Result<(), Code> {
    if code == 0 { Ok(()) } else { Err(code) }
}

/// What a function writes into a buffer of `ROOM` bytes, as text.
pub(super) fn text<const ROOM: usize>(write: impl FnOnce(*mut c_char, c_int)) -> String {
    let mut bytes = [0_u8; ROOM];
    write(bytes.as_mut_ptr().cast(), ROOM as c_int);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(ROOM);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
