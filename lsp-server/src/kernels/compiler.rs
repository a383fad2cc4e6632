//! The CUDA run-time compiler (NVRTC) in a child process, limited in time and memory.
//!
//! The child is this program itself, started with [`CHILD_ARGUMENT`]. It reads requests and writes responses,
//! a line of JSON each, and ends with its input. A crash of the compiler does not end the server.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use apg_runtime::device::{self, Resources};
use serde::{Deserialize, Serialize};

use crate::exit;
use crate::thread_priority;

/// The argument that makes the program the child.
pub const CHILD_ARGUMENT: &str = "--kernel-compiler";

/// Limit for a kernel, unless the user's is shorter.
const MAX_COMPILE_TIME: Duration = Duration::from_secs(60);
/// Limit of the child's address space.
#[cfg(unix)]
const MAX_ADDRESS_SPACE_BYTES: libc::rlim_t = 4 << 30;
/// Limit of the child's CPU time, in case it outlives the server.
#[cfg(unix)]
const MAX_CPU_SECONDS: libc::rlim_t = 600;
/// Interval at which cancellation is polled while the child compiles.
const CANCELLATION_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A line from the server to the child.
#[derive(Debug, Serialize, Deserialize)]
enum Request {
    Architectures,
    Resources { source: String, architecture: u32 },
    Ptx { source: String },
}

/// A line from the child to the server: the response to the request of the same name.
#[derive(Debug, Serialize, Deserialize)]
enum Response {
    Architectures(Vec<u32>),
    Resources {
        registers: u32,
        shared: u32,
        constant: u32,
        stack: u32,
        spill_stores: u32,
        spill_loads: u32,
        barriers: u32,
    },
    Ptx(String),
}

/// Why a kernel was not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The compilation was cancelled.
    Cancelled,
    /// A message for the user.
    Failed(String),
}

impl From<CompileError> for String {
    fn from(error: CompileError) -> String {
        match error {
            CompileError::Cancelled => "the compilation was cancelled".to_owned(),
            CompileError::Failed(message) => message,
        }
    }
}

/// The compiler. Its process is started for the first request and killed when this is dropped.
pub(crate) struct KernelCompiler<'a> {
    process: Option<Process>,
    timeout: Duration,
    is_cancelled: &'a dyn Fn() -> bool,
}

struct Process {
    child: Child,
    requests: ChildStdin,
    responses: mpsc::Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> KernelCompiler<'a> {
    /// A compiler that is given up after `timeout` for a kernel, or when `is_cancelled`.
    pub(crate) fn new(timeout: Duration, is_cancelled: &'a dyn Fn() -> bool) -> Self {
        let timeout = if timeout.is_zero() { MAX_COMPILE_TIME } else { timeout.min(MAX_COMPILE_TIME) };
        Self { process: None, timeout, is_cancelled }
    }

    /// The supported architectures: at least one.
    pub(crate) fn architectures(&mut self) -> Result<Vec<u32>, CompileError> {
        match self.request(&Request::Architectures)? {
            Response::Architectures(all) => Ok(all),
            response => Err(unexpected(&response)),
        }
    }

    /// The resource usage of a kernel.
    pub(crate) fn resources(&mut self, source: &str, architecture: u32) -> Result<Resources, CompileError> {
        match self.request(&Request::Resources { source: source.to_owned(), architecture })? {
            Response::Resources {
                registers,
                shared,
                constant,
                stack,
                spill_stores,
                spill_loads,
                barriers,
            } => Ok(Resources { registers, shared, constant, stack, spill_stores, spill_loads, barriers }),
            response => Err(unexpected(&response)),
        }
    }

    /// The PTX of a kernel.
    pub(crate) fn ptx(&mut self, source: &str) -> Result<String, CompileError> {
        match self.request(&Request::Ptx { source: source.to_owned() })? {
            Response::Ptx(text) => Ok(text),
            response => Err(unexpected(&response)),
        }
    }

    fn request(&mut self, request: &Request) -> Result<Response, CompileError> {
        if (self.is_cancelled)() {
            return Err(CompileError::Cancelled);
        }
        let mut process = match self.process.take() {
            Some(process) => process,
            None => start_process().map_err(|error| {
                CompileError::Failed(format!(
                    "the process of the CUDA run-time compiler cannot be started: {error}"
                ))
            })?,
        };
        let mut line = serde_json::to_string(request).unwrap_or_default();
        line.push('\n');
        // If the process has ended, `wait` finds its output closed and reports how it ended.
        let _ = process.requests.write_all(line.as_bytes()).and_then(|()| process.requests.flush());
        let response = self.wait(&mut process)?;
        self.process = Some(process);
        response.map_err(CompileError::Failed)
    }

    /// Waits for the response. After an outer error the process cannot be used again.
    fn wait(&self, process: &mut Process) -> Result<Result<Response, String>, CompileError> {
        let deadline = Instant::now() + self.timeout;
        loop {
            match process.responses.recv_timeout(CANCELLATION_POLL_INTERVAL) {
                Ok(line) => {
                    let response = serde_json::from_str(&line).map_err(|error| error.to_string());
                    return Ok(response.unwrap_or_else(Err));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(CompileError::Failed(describe_exit(&mut process.child)));
                }
                Err(mpsc::RecvTimeoutError::Timeout) if (self.is_cancelled)() => {
                    return Err(CompileError::Cancelled);
                }
                Err(mpsc::RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(CompileError::Failed(format!(
                        "the CUDA run-time compiler took more than {:?} for this kernel and was ended",
                        self.timeout
                    )));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn unexpected(response: &Response) -> CompileError {
    CompileError::Failed(format!(
        "the process of the CUDA run-time compiler sent an unexpected response: {response:?}"
    ))
}

fn describe_exit(child: &mut Child) -> String {
    let status = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
    format!("the CUDA run-time compiler ended at this kernel ({status}): it ran out of memory or crashed")
}

fn start_process() -> std::io::Result<Process> {
    // `current_exe` is wrong when the program's file was replaced while it runs.
    let program = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
    let mut child = Command::new(program)
        .arg(CHILD_ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (Some(requests), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    };
    let (sender, responses) = mpsc::channel();
    let process = Process { child, requests, responses };
    std::thread::Builder::new().name("apg-lsp-compiled".into()).spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(process)
}

/// Main function of the child: responds to requests until its input ends. Returns the exit status.
pub fn serve_compiler() -> i32 {
    limit_process();
    thread_priority::lower();
    let (sender, requests) = mpsc::channel();
    let read = move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
        // The server has gone: a running compilation has no reader any more.
        exit::end_process(0);
    };
    if std::thread::Builder::new().name("apg-lsp-input".into()).spawn(read).is_err() {
        return 1;
    }
    for line in requests {
        let Ok(request) = serde_json::from_str::<Request>(&line) else { return 1 };
        let response = serde_json::to_string(&respond(request)).unwrap_or_default();
        let mut output = std::io::stdout().lock();
        if writeln!(output, "{response}").and_then(|()| output.flush()).is_err() {
            return 1;
        }
    }
    0
}

fn respond(request: Request) -> Result<Response, String> {
    match request {
        Request::Architectures => match device::architectures() {
            all if all.is_empty() => Err(device::compiler_version()
                .err()
                .unwrap_or_else(|| "the CUDA run-time compiler supports no architecture".into())),
            all => Ok(Response::Architectures(all)),
        },
        Request::Resources { source, architecture } => device::resources(&source, architecture).map(
            |Resources { registers, shared, constant, stack, spill_stores, spill_loads, barriers }| {
                Response::Resources {
                    registers,
                    shared,
                    constant,
                    stack,
                    spill_stores,
                    spill_loads,
                    barriers,
                }
            },
        ),
        Request::Ptx { source } => device::ptx(&source).map(Response::Ptx),
    }
}

/// Limits memory and CPU time of this process.
#[cfg(unix)]
fn limit_process() {
    let limits = [
        (libc::RLIMIT_AS, MAX_ADDRESS_SPACE_BYTES),
        (libc::RLIMIT_CPU, MAX_CPU_SECONDS),
        (libc::RLIMIT_CORE, 0),
    ];
    for (resource, max) in limits {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: both calls take a pointer to a limit that outlives the call.
        unsafe {
            if libc::getrlimit(resource, &raw mut limit) == 0 && limit.rlim_cur > max {
                limit.rlim_cur = max;
                libc::setrlimit(resource, &raw const limit);
            }
        }
    }
}

#[cfg(not(unix))]
fn limit_process() {}
