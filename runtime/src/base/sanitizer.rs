//! Sanitizers of the program's C++ (`apg run --sanitize`): notifications from this runtime, which is not
//! instrumented.
//!
//! AddressSanitizer learns which memory of the heap holds objects and which stack a thread is on;
//! ThreadSanitizer which activity a thread runs, when memory is new, and what happens before what:
//! [`release`] where X10 orders what an activity has done before what another one does after [`acquire`] of
//! the same address. Their libraries are in the process before it starts; where they are not, all of this is
//! one test of a variable.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// What orders the messages between places: whatever was done here before one leaves is done before one
/// arrives is acted on.
pub static MESSAGES: u64 = 0;

const ADDRESS: u8 = 1;
const THREAD: u8 = 2;

/// Which sanitizers are there.
static PRESENT: AtomicU8 = AtomicU8::new(0);
static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

type Pointer = *mut c_void;

/// The sanitizers' own functions; those of an absent sanitizer are null.
struct Functions {
    poison: Option<unsafe extern "C" fn(*const c_void, usize)>,
    unpoison: Option<unsafe extern "C" fn(*const c_void, usize)>,
    start_switch: Option<unsafe extern "C" fn(*mut Pointer, *const c_void, usize)>,
    finish_switch: Option<unsafe extern "C" fn(Pointer, *mut *const c_void, *mut usize)>,
    acquire: Option<unsafe extern "C" fn(Pointer)>,
    release: Option<unsafe extern "C" fn(Pointer)>,
    current: Option<unsafe extern "C" fn() -> Pointer>,
    create: Option<unsafe extern "C" fn(u32) -> Pointer>,
    switch: Option<unsafe extern "C" fn(Pointer, u32)>,
    heap: Option<unsafe extern "C" fn(u64, u64)>,
    new_memory: Option<unsafe extern "C" fn(u64, u64)>,
    sigaction: Option<
        unsafe extern "C" fn(libc::c_int, *const libc::sigaction, *mut libc::sigaction) -> libc::c_int,
    >,
}

/// A function of the process by its name.
///
/// # Safety
/// `F` is that function's type, or an option of it.
unsafe fn find<F: Copy>(library: Pointer, name: &CStr) -> Option<F> {
    // SAFETY: a name that ends; what is found has the type that the caller says.
    unsafe {
        let found = libc::dlsym(library, name.as_ptr());
        (!found.is_null()).then(|| std::mem::transmute_copy::<Pointer, F>(&found))
    }
}

/// Looks for sanitizers in this process. Before anything else of the runtime is used; there are none before
/// that.
pub fn look() {
    let functions = FUNCTIONS.get_or_init(|| {
        let all = libc::RTLD_DEFAULT;
        // SAFETY: types as in the headers `sanitizer/*_interface.h`; the C library is loaded already.
        unsafe {
            Functions {
                poison: find(all, c"__asan_poison_memory_region"),
                unpoison: find(all, c"__asan_unpoison_memory_region"),
                start_switch: find(all, c"__sanitizer_start_switch_fiber"),
                finish_switch: find(all, c"__sanitizer_finish_switch_fiber"),
                acquire: find(all, c"__tsan_acquire"),
                release: find(all, c"__tsan_release"),
                current: find(all, c"__tsan_get_current_fiber"),
                create: find(all, c"__tsan_create_fiber"),
                switch: find(all, c"__tsan_switch_to_fiber"),
                heap: find(all, c"__tsan_java_init"),
                new_memory: find(all, c"__tsan_java_alloc"),
                sigaction: find(libc::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_NOW), c"sigaction"),
            }
        }
    });
    let address = if functions.poison.is_some() { ADDRESS } else { 0 };
    let thread = if functions.switch.is_some() { THREAD } else { 0 };
    PRESENT.store(address | thread, Ordering::Relaxed);
}

fn present(which: u8) -> Option<&'static Functions> {
    if PRESENT.load(Ordering::Relaxed) & which == 0 { None } else { FUNCTIONS.get() }
}

/// One is there.
#[inline]
pub fn is_present() -> bool {
    PRESENT.load(Ordering::Relaxed) != 0
}

/// AddressSanitizer watches the heap.
pub fn watches_addresses() -> bool {
    present(ADDRESS).is_some()
}

/// ThreadSanitizer watches activities.
pub fn watches_threads() -> bool {
    present(THREAD).is_some()
}

/// The program must not touch this memory.
pub fn poison(address: usize, bytes: usize) {
    if let Some(poison) = present(ADDRESS).and_then(|it| it.poison) {
        // SAFETY: memory of the heap.
        unsafe { poison(address as *const c_void, bytes) };
    }
}

/// The memory may be touched.
pub fn unpoison(address: usize, bytes: usize) {
    if let Some(unpoison) = present(ADDRESS).and_then(|it| it.unpoison) {
        // SAFETY: as above.
        unsafe { unpoison(address as *const c_void, bytes) };
    }
}

/// A new object, in a cell with room for more than it.
pub fn allocated(address: usize, bytes: usize, room: usize) {
    if PRESENT.load(Ordering::Relaxed) == 0 {
        return;
    }
    // Sanitizers do not distinguish what is behind the last whole word from that word.
    let end = bytes.next_multiple_of(8).min(room);
    poison(address + end, room - end);
    if let Some(new_memory) = present(THREAD).and_then(|it| it.new_memory) {
        // SAFETY: memory of the heap that was announced.
        unsafe { new_memory(address as u64, bytes.next_multiple_of(8) as u64) };
    }
}

/// The range of the heap.
pub fn heap(address: usize, bytes: usize) {
    if let Some(heap) = present(THREAD).and_then(|it| it.heap) {
        // SAFETY: called once, when the heap is made.
        unsafe { heap(address as u64, bytes as u64) };
    }
}

/// What the caller has done so far happens before what follows an [`acquire`] of the same address.
pub fn release<T: ?Sized>(at: *const T) {
    if let Some(release) = present(THREAD).and_then(|it| it.release) {
        // SAFETY: any address will do.
        unsafe { release(at.cast_mut().cast()) };
    }
}

/// See [`release`].
pub fn acquire<T: ?Sized>(at: *const T) {
    if let Some(acquire) = present(THREAD).and_then(|it| it.acquire) {
        // SAFETY: any address will do.
        unsafe { acquire(at.cast_mut().cast()) };
    }
}

/// A fiber as sanitizers see it. All functions are called by the thread that runs the fiber, or is about to.
pub struct FiberView {
    /// ThreadSanitizer's own record.
    context: Pointer,
    stack: (usize, usize),
    /// AddressSanitizer's: the stack of the thread that runs the fiber.
    outer: std::cell::Cell<(*const c_void, usize)>,
}

/// AddressSanitizer's note of a stack that was left.
pub struct LeftStack(Pointer);

/// A thread that runs fibers, while one runs.
pub struct ThreadView {
    context: Pointer,
    fake_stack: Pointer,
}

impl FiberView {
    /// Of a fiber with this stack.
    pub fn new(low: usize, high: usize) -> FiberView {
        // SAFETY: makes a record.
        let context = present(THREAD).and_then(|it| it.create).map(|create| unsafe { create(0) });
        FiberView {
            context: context.unwrap_or(std::ptr::null_mut()),
            stack: (low, high),
            outer: std::cell::Cell::new((std::ptr::null(), 0)),
        }
    }

    /// Just before the thread goes over to the fiber's stack.
    pub fn resuming(&self) -> ThreadView {
        /// The switch itself orders nothing.
        const NO_ORDER: u32 = 1;
        let mut thread = ThreadView { context: std::ptr::null_mut(), fake_stack: std::ptr::null_mut() };
        if let Some(Functions { current: Some(current), switch: Some(switch), .. }) = present(THREAD) {
            // SAFETY: the fiber's own record; the thread goes over to it next.
            unsafe {
                thread.context = current();
                switch(self.context, NO_ORDER);
            }
        }
        if let Some(start) = present(ADDRESS).and_then(|it| it.start_switch) {
            let (low, high) = self.stack;
            // SAFETY: the fiber's stack.
            unsafe { start(&mut thread.fake_stack, low as *const c_void, high - low) };
        }
        thread
    }

    /// On the fiber's stack, after it was resumed; `left` is what [`FiberView::leaving`] gave, nothing at
    /// first.
    pub fn resumed(&self, left: Option<LeftStack>) {
        if let Some(finish) = present(ADDRESS).and_then(|it| it.finish_switch) {
            let (mut low, mut bytes) = (std::ptr::null(), 0);
            // SAFETY: follows the start of the switch.
            unsafe { finish(left.map_or(std::ptr::null_mut(), |left| left.0), &mut low, &mut bytes) };
            self.outer.set((low, bytes));
        }
    }

    /// On the fiber's stack, before it is left.
    pub fn leaving(&self) -> LeftStack {
        let mut fake_stack = std::ptr::null_mut();
        if let Some(start) = present(ADDRESS).and_then(|it| it.start_switch) {
            let (low, bytes) = self.outer.get();
            // SAFETY: the stack of this thread, as reported when the fiber was resumed.
            unsafe { start(&mut fake_stack, low, bytes) };
        }
        LeftStack(fake_stack)
    }
}

impl ThreadView {
    /// On the thread's own stack again.
    pub fn returned(self) {
        if let Some(finish) = present(ADDRESS).and_then(|it| it.finish_switch) {
            // SAFETY: follows the start of the switch.
            unsafe { finish(self.fake_stack, std::ptr::null_mut(), std::ptr::null_mut()) };
        }
        if let Some(switch) = present(THREAD).and_then(|it| it.switch) {
            // SAFETY: the thread's own record.
            unsafe { switch(self.context, 1) };
        }
    }
}

/// `sigaction` of the C library itself. ThreadSanitizer's delivers signals when it thinks fit, but threads
/// are stopped and programs ended at once.
///
/// # Safety
/// As of `libc::sigaction`.
pub unsafe fn sigaction(
    signal: libc::c_int,
    action: *const libc::sigaction,
    before: *mut libc::sigaction,
) -> libc::c_int {
    // SAFETY: by the caller.
    unsafe {
        match present(THREAD).and_then(|it| it.sigaction) {
            Some(real) => real(signal, action, before),
            None => libc::sigaction(signal, action, before),
        }
    }
}
