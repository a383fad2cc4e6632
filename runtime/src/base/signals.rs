//! Faults (SIGSEGV, SIGBUS) of threads that run activities: writes to watched pages are tried again, a stack
//! that is used up is reported with the function it happened in, and everything ends.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::process::STOP_SIGNAL;
use crate::base::{backtrace, output, program_image};

/// Bytes of the stack that signal handlers run on.
const HANDLER_STACK_BYTES: usize = 64 * 1024;
/// A fault that far below a stack is its overflow: one big frame may jump over the guard page.
const MAX_FRAME_BYTES: usize = 1 << 20;
/// The guard page, and what is reserved for the runtime.
const GUARD_BYTES: usize = 1 << 14;
/// Seconds that a report may take; a lock that the interrupted thread holds must not keep the process from
/// ending.
const REPORT_TIMEOUT_SECONDS: u32 = 10;

/// What upper layers know of a fault.
#[derive(Clone, Copy)]
pub(crate) struct FaultHooks {
    /// Lowest and highest address of the stack that the caller's activity runs on.
    pub activity_stack: fn() -> Option<(usize, usize)>,
    /// The caller ends the process: nobody waits for it any more.
    pub abandon_thread: fn(),
}

static HOOKS: OnceLock<FaultHooks> = OnceLock::new();
/// Whether the instruction that accessed an address can be tried again.
static RETRY_HOOK: OnceLock<fn(usize) -> bool> = OnceLock::new();

/// Sets the hooks for faults that end the process. Ignored after the first call.
pub(crate) fn set_fault_hooks(hooks: FaultHooks) {
    HOOKS.get_or_init(|| hooks);
}

/// Sets the hook that makes pages accessible. Ignored after the first call.
pub(crate) fn set_retry_hook(retry: fn(usize) -> bool) {
    RETRY_HOOK.get_or_init(|| retry);
}

/// Prepares a thread that runs activities: its handlers get a stack of their own.
pub(crate) fn prepare_thread() {
    // SAFETY: new memory, checked below.
    let memory = unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(std::ptr::null_mut(), HANDLER_STACK_BYTES, protection, flags, -1, 0)
    };
    if memory == libc::MAP_FAILED {
        return;
    }
    // SAFETY: memory of that size, which `release_thread` frees; a handler that ends the process or hands on.
    unsafe {
        let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: HANDLER_STACK_BYTES };
        libc::sigaltstack(&stack, std::ptr::null_mut());
    }
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        install(libc::SIGSEGV);
        install(libc::SIGBUS);
    });
}

/// The calling thread, which was prepared, runs no activities any more.
pub(crate) fn release_thread() {
    // SAFETY: the stack that `prepare_thread` gave this thread, which is in no handler.
    unsafe {
        let mut stack: libc::stack_t = std::mem::zeroed();
        let none = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        if libc::sigaltstack(&none, &mut stack) == 0 && stack.ss_size == HANDLER_STACK_BYTES {
            libc::munmap(stack.ss_sp, HANDLER_STACK_BYTES);
        }
    }
}

/// What handled the signals before.
static BEFORE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

fn install(signal: i32) {
    // SAFETY: a handler with the signature that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&mut action.sa_mask);
        // The collector would look for references on the handler's stack, not on the thread's own.
        libc::sigaddset(&mut action.sa_mask, STOP_SIGNAL);
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, &action, &mut before);
        BEFORE[usize::from(signal == libc::SIGBUS)].store(before.sa_sigaction, Ordering::Relaxed);
    }
}

/// Writes to standard error without buffers or locks.
fn write_raw(text: &[u8]) {
    // SAFETY: plain system call.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

/// The interrupted instruction.
fn instruction(context: *mut c_void) -> usize {
    // SAFETY: the kernel passes a ucontext_t.
    unsafe {
        let context = &*context.cast::<libc::ucontext_t>();
        #[cfg(target_arch = "x86_64")]
        return context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize;
        #[cfg(target_arch = "aarch64")]
        return context.uc_mcontext.pc as usize;
    }
}

/// Prints which X10 function an instruction is in. Not async-signal-safe, but the process ends anyway, and an
/// alarm is set.
fn print_function(address: usize) {
    let position = program_image::offset_of(address + 1);
    if let Some(name) = position.and_then(|at| backtrace::describe(at as i64)) {
        write_raw(b" in ");
        write_raw(name.as_bytes());
    }
}

/// Prints up to that many callers. Not async-signal-safe either.
fn print_callers(max_callers: usize) {
    let lines = backtrace::brief_lines(backtrace::trace(&backtrace::own_frames()));
    for name in lines.into_iter().take(max_callers) {
        let start: &[u8] = if name.starts_with("...") { b"\t" } else { b"\tat " };
        write_raw(start);
        write_raw(name.as_bytes());
        write_raw(b"\n");
    }
}

/// The report takes too long.
#[expect(clippy::disallowed_methods, reason = "a handler of a signal: the report of a fault hangs")]
extern "C" fn on_alarm(_: i32) {
    // SAFETY: ends the process.
    unsafe { libc::_exit(1) };
}

#[expect(clippy::disallowed_methods, reason = "a handler of a fault: the interrupted code cannot continue")]
extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a siginfo_t.
    let address = unsafe { (*info).si_addr() } as usize;
    if RETRY_HOOK.get().is_some_and(|retry| retry(address)) {
        return;
    }
    let stack = HOOKS.get().and_then(|hooks| (hooks.activity_stack)());
    let is_overflow = stack
        .is_some_and(|(low, _)| (low.saturating_sub(MAX_FRAME_BYTES)..low + GUARD_BYTES).contains(&address));
    // SAFETY: plain system calls, and a handler that does only what a handler may.
    unsafe {
        libc::signal(libc::SIGALRM, on_alarm as extern "C" fn(i32) as usize);
        libc::alarm(REPORT_TIMEOUT_SECONDS);
    }
    let is_in_program = program_image::offset_of(instruction(context)).is_some();
    if let Some(hooks) = HOOKS.get().filter(|_| is_overflow || is_in_program) {
        // What follows may wait for a thread that a collector has stopped, and it must not wait for this one.
        (hooks.abandon_thread)();
    }
    if is_overflow {
        output::flush_all();
        write_raw(b"x10.lang.StackOverflowError: an activity has used up its stack of 8 MiB");
        print_function(instruction(context));
        write_raw(b"\n  the recursion is too deep, or never ends\n");
        print_callers(8);
        // SAFETY: ends the process.
        unsafe { libc::_exit(1) };
    }
    if is_in_program {
        write_raw(b"apg: the program accessed memory that is not its own");
        print_function(instruction(context));
        write_raw(b"\n");
        print_callers(32);
        // SAFETY: ends the process.
        unsafe { libc::_exit(1) };
    }
    // Other code's fault: as it would have been without this handler, when the instruction is tried again.
    // SAFETY: a handler that was installed before, or the default.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = BEFORE[usize::from(signal == libc::SIGBUS)].load(Ordering::Relaxed);
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}
