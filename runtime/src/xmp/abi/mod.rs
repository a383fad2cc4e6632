//! The functions that an edited C program calls, and the state of this process behind them.

mod accelerators;
mod coarrays;
mod constructs;
mod declare;
mod intrinsics;
mod library;
mod variables;

use std::ffi::{c_char, c_int, c_long};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::error::{Result, XmpError};
use super::grid::{Grid, Subscript};
use super::layout::{self, Functions, On, Site, Triplet, list};
use super::mailbox::Mailbox;
use super::node::Node;
use super::node_set::NodeSet;
use crate::apgas::bootstrap::Supervision;
use crate::base::ending::{End, Ending, ExitStatus};
use crate::net::bootstrap::launcher::REPORTED_STATUS;
use crate::net::endpoint::Endpoint;

/// Ends the process with a status, after an error in words for the user and what to write instead.
pub type EndProgram = fn(Option<(&str, Option<&str>)>, i32) -> !;

/// `main` of the program, which takes the environment as well.
pub type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// How long a node waits for node 0 to end the program after an error.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// How long what watches the processes may take to say how one of them has ended.
const SUPERVISOR_TIMEOUT: Duration = Duration::from_secs(1);

/// The program of this process.
pub(super) struct Program {
    node: Mutex<Node>,
    mailbox: Arc<Mailbox>,
    supervision: Supervision,
    end: EndProgram,
    /// An error ends it.
    is_failing: AtomicBool,
    /// When the program began, for `xmp_wtime`.
    start: Instant,
    main: Main,
    /// Grids that inquiries have answered with.
    related: Mutex<Vec<RelatedGrid>>,
}

/// A grid with the address of its descriptor, which stays as long as the process.
struct RelatedGrid {
    grid: super::declarations::SharedGrid,
    descriptor: usize,
}

/// The program calls by address and passes no context.
static PROGRAM: OnceLock<Program> = OnceLock::new();

/// Makes this process a node of the program that it has loaded; `None` if that has no directives of
/// XcalableMP. Otherwise its main function, which makes the declarations of file scope and calls the
/// program's `main`.
///
/// # Errors
/// This process runs a program already, or there are no threads: in words for the user.
pub fn attach(
    endpoint: Arc<dyn Endpoint>,
    supervision: Supervision,
    ending: &'static Ending,
    end: EndProgram,
) -> std::result::Result<Option<Main>, String> {
    use libloading::os::unix::Library;
    let library = Library::this();
    // SAFETY: these symbols are of apg_xmp.c, with these types.
    let symbols = unsafe {
        let runtime = library.get::<*mut *const Functions>(b"apg_xmp_runtime\0");
        let main = library.get::<Main>(b"apg_xmp_main\0");
        runtime.ok().zip(main.ok()).map(|(runtime, main)| (*runtime, *main))
    };
    let Some((runtime, main)) = symbols else { return Ok(None) };
    let cannot = |error: std::io::Error| format!("cannot start a thread for messages: {error}");
    let mailbox = Mailbox::open(endpoint).map_err(cannot)?;
    let program = Program {
        node: Mutex::new(Node::new(Arc::clone(&mailbox))),
        mailbox: Arc::clone(&mailbox),
        supervision,
        end,
        is_failing: AtomicBool::new(false),
        start: Instant::now(),
        main,
        related: Mutex::default(),
    };
    if PROGRAM.set(program).is_err() {
        return Err("this process runs a program already".to_owned());
    }
    watch(&mailbox, ending).map_err(cannot)?;
    // SAFETY: a variable of the program, which no other thread uses yet.
    unsafe { runtime.write(&FUNCTIONS) };
    Ok(PROGRAM.get().map(|it| it.main))
}

/// Ends the process where it computes and something else ends the program.
fn watch(mailbox: &Mailbox, ending: &'static Ending) -> std::io::Result<()> {
    mailbox.set_on_failure(Box::new(|error| {
        // Without a thread the next operation ends the process.
        drop(std::thread::Builder::new().name("apg-end".to_owned()).spawn(move || fail(&error)));
    }));
    let wait = move || {
        if let End::Failed(status) = ending.wait() {
            let ExitStatus::Code(code) = status else { return end_silently(1) };
            end_silently(code);
        }
    };
    std::thread::Builder::new().name("apg-ending".to_owned()).spawn(wait).map(drop)
}

fn end_silently(status: i32) {
    if let Some(program) = PROGRAM.get()
        && !program.is_failing.swap(true, Ordering::AcqRel)
    {
        (program.end)(None, status);
    }
}

/// Ends the program by an error: on all nodes, with one message, which node 0 prints.
fn fail(error: &XmpError) -> ! {
    let Some(program) = PROGRAM.get() else { unreachable!("the functions are given away with the program") };
    if !error.is_reported && program.mailbox.has_lost_node() {
        // What has started the other process knows better how it ended, and ends this one.
        std::thread::sleep(SUPERVISOR_TIMEOUT);
    }
    if program.is_failing.swap(true, Ordering::AcqRel) {
        park();
    }
    let (here, words) = (program.mailbox.here(), Some((error.message.as_str(), error.hint.as_deref())));
    if error.is_reported {
        (program.end)(None, REPORTED_STATUS);
    }
    if here == 0 {
        program.mailbox.announce_failure();
        (program.end)(words, 1);
    }
    if program.mailbox.report_failure(error, END_TIMEOUT) {
        (program.end)(None, REPORTED_STATUS);
    }
    (program.end)(words, REPORTED_STATUS)
}

/// Another thread ends the process.
fn park() -> ! {
    loop {
        std::thread::park();
    }
}

/// The result of an operation of this node; an error ends the program.
fn run<T>(site: *const Site, operation: impl FnOnce(&mut Node) -> Result<T>) -> T {
    let Some(program) = PROGRAM.get() else { unreachable!("the functions are given away with the program") };
    let result = operation(&mut program.node.lock());
    result.unwrap_or_else(|error| match error.is_reported {
        // The thread that has heard of it ends the process.
        true => park(),
        false => fail(&located(site, error)),
    })
}

/// An error with the directive in front.
fn located(site: *const Site, error: XmpError) -> XmpError {
    // SAFETY: a constant of the program, or null.
    match unsafe { site.as_ref() } {
        Some(site) => XmpError { message: format!("{}: {}", site.describe(), error.message), ..error },
        None => error,
    }
}

/// The program ends on this node with a status; waits for the other nodes. The status of the process, which
/// is that of the whole program at node 0.
pub fn leave(status: i32) -> i32 {
    let Some(program) = PROGRAM.get() else { return status };
    if program.is_failing.load(Ordering::Acquire) {
        // The thread with the error ends the process with another status.
        park();
    }
    let expect_end = || program.supervision.expect_end();
    let statuses = program.mailbox.leave(status, &expect_end);
    let statuses = statuses.unwrap_or_else(|error| if error.is_reported { park() } else { fail(&error) });
    program.supervision.announce_end();
    program.supervision.finish();
    match program.mailbox.here() {
        0 => statuses.into_iter().find(|it| *it != 0).unwrap_or(0),
        _ => status,
    }
}

/// A grid of the program.
fn grid(pointer: *const layout::Grid) -> Result<Arc<Grid>> {
    // SAFETY: null, or a grid that this runtime has made and the program has not dropped.
    match unsafe { pointer.as_ref() } {
        Some(grid) => Ok(grid.state.get()),
        None => Err(XmpError::new("a template or a node array is used before it is declared")),
    }
}

/// Subscripts of the program.
///
/// # Safety
/// The list has `count` elements, or is null.
unsafe fn subscripts(start: *const Triplet, count: usize) -> Option<Vec<Subscript>> {
    if start.is_null() {
        return None;
    }
    let one = |it: &Triplet| match it.kind {
        0 => Subscript::Index(it.start),
        1 => Subscript::Section { start: it.start, count: it.count, step: it.step },
        3 => Subscript::Own,
        _ => Subscript::All,
    };
    // SAFETY: the caller's.
    Some(unsafe { list(start, count) }.iter().map(one).collect())
}

/// The nodes that a clause names; the executing ones without.
///
/// # Safety
/// What the edit of the program has written, or null.
unsafe fn nodes_on(node: &Node, on: *const On) -> Result<Arc<NodeSet>> {
    // SAFETY: the caller's.
    let Some(on) = (unsafe { on.as_ref() }).filter(|it| !it.grid.is_null()) else {
        return Ok(Arc::clone(node.executing()));
    };
    let grid = grid(on.grid)?;
    // SAFETY: a subscript for each axis of the grid.
    let mut subscripts = unsafe { subscripts(on.subscripts, grid.rank()) };
    let placement = grid.placed()?;
    for (subscript, axis) in subscripts.iter_mut().flatten().zip(&placement.axes) {
        if let Subscript::Section { start, count, step } = subscript
            && *count == -1
        {
            let step = (*step).max(1);
            *count = (axis.map.last - *start).div_euclid(step) + 1;
        }
    }
    Ok(Arc::new(placement.nodes_at(&grid.name, subscripts.as_deref(), node.here())?))
}

/// The number of `async`, if there is one.
fn async_number(pointer: *const c_long) -> Option<i64> {
    // SAFETY: null, or a number of the program.
    unsafe { pointer.as_ref() }.copied()
}

static FUNCTIONS: Functions = Functions {
    nodes: declare::nodes,
    new_template: declare::template,
    distribute: declare::distribute,
    template_fix: declare::template_fix,
    drop_grid: declare::drop_grid,
    align: declare::align,
    shadow: declare::shadow,
    drop_array: declare::drop_array,
    for_loop: constructs::for_loop,
    owns: constructs::owns,
    reduction: variables::reduction,
    begin_reduction: variables::begin_reduction,
    end_reduction: variables::end_reduction,
    bcast: variables::bcast,
    barrier: constructs::barrier,
    begin_task: constructs::begin_task,
    end_task: constructs::end_task,
    wait_async: constructs::wait_async,
    reflect: constructs::reflect,
    reflect_init: constructs::reflect_init,
    reflect_do: constructs::reflect_do,
    reduce_shadow: constructs::reduce_shadow,
    gmove: constructs::gmove,
    coarray: coarrays::declare,
    put: coarrays::put,
    get: coarrays::get,
    post: coarrays::post,
    wait: coarrays::wait,
    lock: coarrays::lock,
    atomic: coarrays::atomic,
    sync_memory: coarrays::sync_memory,
    sync_all: coarrays::sync_all,
    sync_images: coarrays::sync_images,
    count_nodes: library::count_nodes,
    node_number: library::node_number,
    time: library::time,
    inquire: library::inquire,
    related: library::related,
    allocate: library::allocate,
    intrinsic: intrinsics::intrinsic,
    leave: library::leave,
    elements: accelerators::elements,
    present: accelerators::present,
    device_reflect: accelerators::reflect,
    device_reflect_do: accelerators::reflect_do,
    device_reduce_shadow: accelerators::reduce_shadow,
    device_reduction: variables::device_reduction,
    device_bcast: variables::device_bcast,
};
