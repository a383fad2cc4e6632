//! Fatal signals: a stack that is used up is reported with the function it happened in, and everything ends.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the stack that signal handlers run on.
const ALTERNATE: usize = 64 * 1024;

/// Prepares a thread that runs activities.
pub fn prepare_thread() {
    let Some(memory) = crate::heap::reserve_memory(ALTERNATE) else { return };
    // SAFETY: memory of that size which is never freed; a handler that ends the process or hands on.
    unsafe {
        let stack = libc::stack_t { ss_sp: memory.cast(), ss_flags: 0, ss_size: ALTERNATE };
        libc::sigaltstack(&stack, std::ptr::null_mut());
    }
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        install(libc::SIGSEGV);
        install(libc::SIGBUS);
    });
}

/// The calling thread, which was prepared, runs no activities any more.
pub fn release_thread() {
    // SAFETY: the stack that `prepare_thread` gave this thread, which is in no handler.
    unsafe {
        let mut stack: libc::stack_t = std::mem::zeroed();
        let none = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        if libc::sigaltstack(&none, &mut stack) == 0 && stack.ss_size == ALTERNATE {
            libc::munmap(stack.ss_sp, ALTERNATE);
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
        libc::sigaddset(&mut action.sa_mask, crate::heap::STOP_SIGNAL);
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, &action, &mut before);
        BEFORE[usize::from(signal == libc::SIGBUS)].store(before.sa_sigaction, Ordering::Relaxed);
    }
}

/// Writes to standard error without buffers or locks.
fn say(text: &[u8]) {
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

/// Says which X10 function an instruction is in. Not async-signal-safe, but the process ends anyway, and an alarm is set.
fn name_function(address: usize) {
    if let Some(name) =
        crate::program::offset_of(address + 1).and_then(|at| crate::natives::backtrace::describe(at as i64))
    {
        say(b" in ");
        say(name.as_bytes());
    }
}

/// Says who called it, up to that many. As above.
fn tell_stack(most: usize) {
    let frames = crate::natives::backtrace::own_frames();
    let lines = crate::natives::backtrace::brief_lines(crate::natives::backtrace::trace(&frames));
    for name in lines.into_iter().take(most) {
        let start: &[u8] = if name.starts_with("...") { b"\t" } else { b"\tat " };
        say(start);
        say(name.as_bytes());
        say(b"\n");
    }
}

/// The report takes too long.
extern "C" fn on_alarm(_: i32) {
    // SAFETY: ends the process.
    unsafe { libc::_exit(1) };
}

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a siginfo_t.
    let address = unsafe { (*info).si_addr() } as usize;
    if crate::heap::page_watch::fault(address) {
        return;
    }
    let overflow = crate::scheduler::current_stack().is_some_and(|(low, _)| {
        // The guard page, and what one big frame may jump over.
        (low.saturating_sub(1 << 20)..low + (1 << 14)).contains(&address)
    });
    // Whatever is locked: never a hang.
    // SAFETY: plain system calls, and a handler that does only what a handler may.
    unsafe {
        libc::signal(libc::SIGALRM, on_alarm as extern "C" fn(i32) as usize);
        libc::alarm(10);
    }
    let own = crate::program::offset_of(instruction(context)).is_some();
    if overflow || own {
        // What follows may wait for a thread that a collector has stopped, and it must not wait for this one.
        crate::heap::abandon_thread();
    }
    if overflow {
        crate::natives::console::flush_all();
        say(b"x10.lang.StackOverflowError: an activity has used up its stack of 8 MiB");
        name_function(instruction(context));
        say(b"\n  the recursion is too deep, or never ends\n");
        tell_stack(8);
        // SAFETY: ends the process.
        unsafe { libc::_exit(1) };
    }
    if own {
        say(b"apg: the program accessed memory that is not its own");
        name_function(instruction(context));
        say(b"\n");
        tell_stack(32);
        // SAFETY: ends the process.
        unsafe { libc::_exit(1) };
    }
    // Somebody else's: as it would have been without us, when the instruction is tried again.
    // SAFETY: a handler that was installed before, or the default.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = BEFORE[usize::from(signal == libc::SIGBUS)].load(Ordering::Relaxed);
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}
