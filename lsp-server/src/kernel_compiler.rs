//! The CUDA compiler as a child process of the server, bounded in time and memory, and ended when nobody wants its answer any more.
//!
//! The child is this program itself, started with [`CHILD_ARGUMENT`]. It reads orders and writes answers, a line of JSON each, and ends with
//! its input. What it loads and compiles cannot take the server down, whatever a program makes of it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use apg_runtime::device::{self, Resources};
use serde::{Deserialize, Serialize};

use crate::kernels::step_back;

/// Starts the child.
pub const CHILD_ARGUMENT: &str = "--kernel-compiler";

/// The longest that a kernel may take; that of the user's setting, if it is shorter.
const MAX_COMPILE_TIME: Duration = Duration::from_secs(60);
/// Bytes of address space of the child.
#[cfg(unix)]
const MAX_ADDRESS_SPACE: libc::rlim_t = 4 << 30;
/// Seconds of a processor, should the child outlive the server.
#[cfg(unix)]
const MAX_PROCESSOR_SECONDS: libc::rlim_t = 600;
/// How often it is looked whether the answer is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Debug, Serialize, Deserialize)]
enum Order {
    Architectures,
    Resources { source: String, architecture: u32 },
    Ptx { source: String },
}

/// What is answered to an order of the same name.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
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
    /// Nobody wants to know any more.
    Cancelled,
    /// Words for the user.
    Failed(String),
}

impl From<CompileError> for String {
    fn from(error: CompileError) -> String {
        match error {
            CompileError::Cancelled => "the compilation was ended: it is no longer needed".to_owned(),
            CompileError::Failed(why) => why,
        }
    }
}

/// The compiler. Its process is started when it is first needed, and ended with this value.
pub struct KernelCompiler<'a> {
    process: Option<Process>,
    timeout: Duration,
    is_cancelled: &'a dyn Fn() -> bool,
}

struct Process {
    child: Child,
    orders: ChildStdin,
    answers: mpsc::Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> KernelCompiler<'a> {
    /// A compiler that takes this long at most for a kernel, and less if it is cancelled.
    pub fn new(timeout: Duration, is_cancelled: &'a dyn Fn() -> bool) -> Self {
        let timeout = if timeout.is_zero() { MAX_COMPILE_TIME } else { timeout.min(MAX_COMPILE_TIME) };
        Self { process: None, timeout, is_cancelled }
    }

    /// The architectures that it knows: at least one.
    pub fn architectures(&mut self) -> Result<Vec<u32>, CompileError> {
        match self.ask(&Order::Architectures)? {
            Answer::Architectures(all) => Ok(all),
            answer => Err(unexpected(&answer)),
        }
    }

    /// What a kernel needs of a GPU.
    pub fn resources(&mut self, source: &str, architecture: u32) -> Result<Resources, CompileError> {
        match self.ask(&Order::Resources { source: source.to_owned(), architecture })? {
            Answer::Resources { registers, shared, constant, stack, spill_stores, spill_loads, barriers } => {
                Ok(Resources { registers, shared, constant, stack, spill_stores, spill_loads, barriers })
            }
            answer => Err(unexpected(&answer)),
        }
    }

    /// The PTX of a kernel.
    pub fn ptx(&mut self, source: &str) -> Result<String, CompileError> {
        match self.ask(&Order::Ptx { source: source.to_owned() })? {
            Answer::Ptx(text) => Ok(text),
            answer => Err(unexpected(&answer)),
        }
    }

    fn ask(&mut self, order: &Order) -> Result<Answer, CompileError> {
        if (self.is_cancelled)() {
            return Err(CompileError::Cancelled);
        }
        let mut process = match self.process.take() {
            Some(process) => process,
            None => start().map_err(|error| {
                CompileError::Failed(format!(
                    "the process of the CUDA run-time compiler cannot be started: {error}"
                ))
            })?,
        };
        let mut line = serde_json::to_string(order).unwrap_or_default();
        line.push('\n');
        // A process that has ended closes its output, too, which tells why.
        let _ = process.orders.write_all(line.as_bytes()).and_then(|()| process.orders.flush());
        let answer = self.wait(&mut process)?;
        self.process = Some(process);
        answer.map_err(CompileError::Failed)
    }

    /// The answer to an order. Without one the process is of no use any more.
    fn wait(&self, process: &mut Process) -> Result<Result<Answer, String>, CompileError> {
        let deadline = Instant::now() + self.timeout;
        loop {
            match process.answers.recv_timeout(POLL_INTERVAL) {
                Ok(line) => {
                    let answer = serde_json::from_str(&line).map_err(|error| error.to_string());
                    return Ok(answer.unwrap_or_else(Err));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(CompileError::Failed(ended(&mut process.child)));
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

fn unexpected(answer: &Answer) -> CompileError {
    CompileError::Failed(format!(
        "the process of the CUDA run-time compiler answers something else: {answer:?}"
    ))
}

fn ended(child: &mut Child) -> String {
    let how = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
    format!(
        "the CUDA run-time compiler ended at this kernel ({how}), for want of memory or by a fault of its own"
    )
}

fn start() -> std::io::Result<Process> {
    // The file of a program that was replaced while it runs has another name.
    let program = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
    let mut child = Command::new(program)
        .arg(CHILD_ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (Some(orders), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    };
    let (sender, answers) = mpsc::channel();
    let process = Process { child, orders, answers };
    std::thread::Builder::new().name("apg-lsp-compiled".into()).spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(process)
}

/// The child: answers orders until its input ends.
pub fn serve_orders() -> i32 {
    limit_process();
    step_back();
    let (sender, orders) = mpsc::channel();
    let read = move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
        // Whatever is being compiled: nobody is there to hear of it.
        crate::end_process(0);
    };
    if std::thread::Builder::new().name("apg-lsp-orders".into()).spawn(read).is_err() {
        return 1;
    }
    for line in orders {
        let Ok(order) = serde_json::from_str::<Order>(&line) else { return 1 };
        let answer = serde_json::to_string(&answer(order)).unwrap_or_default();
        let mut output = std::io::stdout().lock();
        if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
            return 1;
        }
    }
    0
}

fn answer(order: Order) -> Result<Answer, String> {
    match order {
        Order::Architectures => match device::architectures() {
            all if all.is_empty() => Err(device::compiler_version()
                .err()
                .unwrap_or_else(|| "the CUDA run-time compiler knows no architecture".into())),
            all => Ok(Answer::Architectures(all)),
        },
        Order::Resources { source, architecture } => device::resources(&source, architecture).map(
            |Resources { registers, shared, constant, stack, spill_stores, spill_loads, barriers }| {
                Answer::Resources { registers, shared, constant, stack, spill_stores, spill_loads, barriers }
            },
        ),
        Order::Ptx { source } => device::ptx(&source).map(Answer::Ptx),
    }
}

/// Bounds the memory and the time that this process takes.
#[cfg(unix)]
fn limit_process() {
    let limits = [
        (libc::RLIMIT_AS, MAX_ADDRESS_SPACE),
        (libc::RLIMIT_CPU, MAX_PROCESSOR_SECONDS),
        (libc::RLIMIT_CORE, 0),
    ];
    for (resource, most) in limits {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: both take a pointer to a limit that lives longer than the call.
        unsafe {
            if libc::getrlimit(resource, &raw mut limit) == 0 && limit.rlim_cur > most {
                limit.rlim_cur = most;
                libc::setrlimit(resource, &raw const limit);
            }
        }
    }
}

#[cfg(not(unix))]
fn limit_process() {}
