//! Speed of parsing on one core: MB/s of lexer, parser, tree and validation, memory of the trees, and an edit
//! in a file of 10,000 lines. Sources are the class library, and X10's own files where `APG_X10_HOME` names
//! them. The peer (with `--features peer`) is rust-analyzer's parser on as much Rust of this repository.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use apg_syntax::{Edit, TextRange, TextSize, format_parsed, parse, parse_stages};

/// The system's allocator, with a count of the bytes that are in use.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    println!("machine: {}; processor time of one thread\n", machine());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut rust = Vec::new();
    for part in ["syntax", "analysis", "runtime", "build-backend", "lsp-server", "tests"] {
        collect(&root.join(part), "rs", &mut rust);
    }
    let mut library = Vec::new();
    collect(&root.join("runtime/x10"), "x10", &mut library);
    measure("class library", &library, &rust);
    if let Some(home) = std::env::var_os("APG_X10_HOME") {
        let mut sources = Vec::new();
        collect(Path::new(&home), "x10", &mut sources);
        measure("X10's files", &sources, &rust);
    }
    edit();
}

fn collect(path: &Path, ending: &str, sources: &mut Vec<String>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        let mut paths: Vec<_> = entries.flatten().map(|it| it.path()).collect();
        paths.sort();
        paths.iter().filter(|it| !it.ends_with("target")).for_each(|it| collect(it, ending, sources));
    } else if path.extension().is_some_and(|it| it == ending) {
        sources.extend(std::fs::read_to_string(path));
    }
}

/// As in the benchmarks of whole commands.
fn machine() -> String {
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!("{cpus} CPUs, {}", model.map_or("", |(_, name)| name))
}

fn bytes(sources: &[String]) -> usize {
    sources.iter().map(String::len).sum()
}

/// Seconds that this thread has run on a processor: other work on the machine counts as little as can be.
fn processor_time() -> f64 {
    // SAFETY: a structure of plain numbers, which the call fills in.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now);
        now
    };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Seconds of the fastest of some runs: what else happens only ever adds.
fn fastest(mut action: impl FnMut()) -> f64 {
    let run = |_| {
        let start = processor_time();
        action();
        processor_time() - start
    };
    (0..7).map(run).fold(f64::MAX, f64::min)
}

/// Bytes that what `make` makes takes for each byte of the sources.
fn memory<T>(sources: &[String], make: impl Fn(&str) -> T) -> f64 {
    // rust-analyzer's trees are dropped by a thread of their own.
    std::thread::sleep(Duration::from_millis(500));
    let before = USED.load(Ordering::Relaxed);
    let trees: Vec<T> = sources.iter().map(|it| make(it)).collect();
    let used = USED.load(Ordering::Relaxed).saturating_sub(before);
    drop(black_box(trees));
    used as f64 / bytes(sources) as f64
}

fn measure(name: &str, sources: &[String], rust: &[String]) {
    let megabytes = bytes(sources) as f64 / 1e6;
    println!("| {name}, {} files, {megabytes:.1} MB | MB/s | tree, bytes a byte of source |", sources.len());
    println!("|---|---|---|");
    for (stages, what) in ["lexer", "with parser (events)", "with tree", "with validation"].iter().enumerate()
    {
        let seconds = fastest(|| sources.iter().for_each(|it| parse_stages(it, stages as u32)));
        let memory = if stages == 3 { format!("{:.1}", memory(sources, parse)) } else { String::new() };
        println!("| {what} | {:.0} | {memory} |", megabytes / seconds);
    }
    peer(rust, bytes(sources));
    println!();
}

/// rust-analyzer's parser on `size` bytes of Rust: what there is, several times if need be.
#[cfg(feature = "peer")]
fn peer(rust: &[String], size: usize) {
    use ra_ap_syntax::{Edition, SourceFile};
    let mut left = size;
    let mut sources = Vec::new();
    for text in rust.iter().cycle() {
        if text.len() > left {
            break;
        }
        left -= text.len();
        sources.push(text.clone());
    }
    let megabytes = bytes(&sources) as f64 / 1e6;
    let parse = |text: &str| SourceFile::parse(text, Edition::CURRENT);
    let seconds = fastest(|| sources.iter().for_each(|it| drop(black_box(parse(it)))));
    println!(
        "| peer: `ra_ap_syntax`, {megabytes:.1} MB of Rust | {:.0} | {:.1} |",
        megabytes / seconds,
        memory(&sources, parse)
    );
}

#[cfg(not(feature = "peer"))]
fn peer(_: &[String], _: usize) {
    println!("(no peer: `--features peer`)");
}

/// One character typed in a body of a file of 10,000 lines, and the file formatted.
fn edit() {
    let body = "        val x = a.b(c) + 1;\n".repeat(8);
    let text = format!("class A {{\n{}}}\n", format!("    def f(x:Int) {{\n{body}    }}\n").repeat(1000));
    let old = parse(&text);
    let at = TextSize::new(text[..text.len() / 2].rfind("+ 1").expect("there") as u32);
    let edit = Edit::new(TextRange::empty(at), "y");
    println!("| file of 10,000 lines, {:.2} MB | ms |\n|---|---|", text.len() as f64 / 1e6);
    let row = |what: &str, seconds: f64| println!("| {what} | {:.3} |", seconds * 1e3);
    row("parsed", fastest(|| drop(black_box(parse(&text)))));
    row("parsed again after one character", fastest(|| drop(black_box(old.reparse(&edit)))));
    row("formatted", fastest(|| drop(black_box(format_parsed(&old, None)))));
}
