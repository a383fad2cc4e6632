//! Many threads that ask a cold database at once: no question waits for ever, and each is answered as if it
//! were alone.
//!
//! `APG_THREADS_SECONDS` says how long to go on (3), `APG_THREADS_SEED` with which numbers, `APG_X10_HOME`
//! where more code is. With `APG_THREADS_HANG` a test that waits for ever does so, for a debugger.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use apg_analysis::SourceFile;
use apg_analysis::diagnostics::Diagnostic;
use apg_analysis::{Analysis, AnalysisHost, check, file_diagnostics, ide};

/// No answer of a small workspace takes longer, on however busy a machine.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// Threads that ask at once.
const THREADS: usize = 4;

/// A sequence of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit.max(1) as u64).expect("small")
    }
}

/// What a variable says, else this.
fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|given| given.parse().ok()).unwrap_or(otherwise)
}

/// Waits for ever if that is wanted, so that a debugger can look.
fn hang() {
    if std::env::var_os("APG_THREADS_HANG").is_some() {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

fn sources(folder: &Path, files: &mut Vec<(PathBuf, Arc<str>)>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "x10")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            files.push((path, text.into()));
        }
    }
}

fn library() -> Vec<(PathBuf, Arc<str>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/x10");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let inside = |(path, text): (PathBuf, Arc<str>)| {
        (path.strip_prefix(&root).expect("below the root").to_owned(), text)
    };
    files.into_iter().map(inside).collect()
}

/// A workspace of files, some of them open.
fn workspaces() -> Vec<Vec<(PathBuf, Arc<str>)>> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![repository.join("examples"), repository.join("runtime/x10")];
    if let Some(home) = std::env::var_os("APG_X10_HOME") {
        folders.push(Path::new(&home).join("x10.dist/samples"));
        folders.push(Path::new(&home).join("x10.tests"));
    }
    let read = |folder: PathBuf| {
        let mut files = Vec::new();
        sources(&folder, &mut files);
        files
    };
    folders.into_iter().map(read).filter(|files| !files.is_empty()).collect()
}

#[test]
fn many_threads_find_what_one_finds() {
    let end = Instant::now() + Duration::from_secs(number("APG_THREADS_SECONDS", 3));
    let (library, workspaces) = (library(), workspaces());
    let mut numbers = Numbers(number("APG_THREADS_SEED", 1));
    let mut rounds = 0;
    while rounds < 2 || Instant::now() < end {
        let files = &workspaces[numbers.below(workspaces.len())];
        let roots: Vec<PathBuf> =
            (0..1 + numbers.below(3)).map(|_| files[numbers.below(files.len())].0.clone()).collect();
        let of_many = round(&library, files, &roots, THREADS, &mut numbers);
        let of_one = round(&library, files, &roots, 1, &mut Numbers(1));
        assert_eq!(of_many, of_one, "round {rounds}: {roots:?}");
        rounds += 1;
    }
    println!("{rounds} rounds");
}

/// What is found of the open files by threads that look at them, and at others, in different orders.
fn round(
    library: &[(PathBuf, Arc<str>)],
    files: &[(PathBuf, Arc<str>)],
    roots: &[PathBuf],
    threads: usize,
    numbers: &mut Numbers,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut host = AnalysisHost::new(library.iter().cloned());
    host.set_files(files.iter().cloned());
    host.set_roots(roots);
    let barrier = Arc::new(Barrier::new(threads));
    let (answers, answered) = mpsc::channel();
    let asked = Arc::new(AtomicU64::new(0));
    for thread in 0..threads {
        let (analysis, barrier, answers) = (host.snapshot(), barrier.clone(), answers.clone());
        let (roots, asked, seed) = (roots.to_vec(), asked.clone(), numbers.below(1 << 30) as u64);
        let ask = move || {
            barrier.wait();
            let found = ask(&analysis, &roots, thread, threads == 1, &mut Numbers(seed), &asked);
            let _ = answers.send(found);
        };
        std::thread::Builder::new().stack_size(256 << 20).spawn(ask).expect("a thread");
    }
    let mut found = BTreeMap::new();
    for _ in 0..threads {
        let answer = answered.recv_timeout(ANSWER_TIMEOUT);
        if answer.is_err() {
            eprintln!("a thread waits for ever; {} questions were answered", asked.load(Ordering::SeqCst));
            hang();
        }
        found = answer.expect("no question waits for ever");
    }
    found
}

/// Questions that edits and clients end before they are answered leave nothing behind that keeps the next
/// ones waiting.
#[test]
fn questions_that_are_ended_hold_up_no_others() {
    let end = Instant::now() + Duration::from_secs(number("APG_THREADS_SECONDS", 3));
    let (library, workspaces) = (library(), workspaces());
    let mut numbers = Numbers(number("APG_THREADS_SEED", 1));
    while Instant::now() < end {
        let files = &workspaces[numbers.below(workspaces.len())];
        let mut host = AnalysisHost::new(library.iter().cloned());
        host.set_files(files.iter().cloned());
        for _ in 0..30 {
            let (path, text) = &files[numbers.below(files.len())];
            host.set_roots(std::slice::from_ref(path));
            ask_and_cancel(&host, path, &mut numbers);
            let text = format!("{text}\n// {}", numbers.below(100));
            within(ANSWER_TIMEOUT, || host.edit_file(path, text.into()));
        }
    }
}

/// Files of methods without result types that call each other, in no order: to type one is to type all, from
/// wherever it begins.
fn tangled(numbers: &mut Numbers) -> Vec<(PathBuf, Arc<str>)> {
    let (classes, methods) = (2 + numbers.below(4), 2 + numbers.below(6));
    let call =
        |numbers: &mut Numbers| format!("C{}.m{}(n - 1)", numbers.below(classes), numbers.below(methods));
    let mut files = Vec::new();
    for class in 0..classes {
        let mut text = format!("public class C{class} {{\n");
        for method in 0..methods {
            let (first, second) = (call(numbers), call(numbers));
            let body = format!("n < 1 ? n : {first} + {second}");
            text.push_str(&format!("    static def m{method}(n:Long) = {body};\n"));
        }
        text.push_str("}\n");
        files.push((PathBuf::from(format!("/w/C{class}.x10")), text.into()));
    }
    files
}

/// As above, where the threads meet in the middle of a cycle.
#[test]
fn cycles_that_are_ended_hold_up_no_others() {
    let end = Instant::now() + Duration::from_secs(number("APG_THREADS_SECONDS", 3));
    let library = library();
    let mut numbers = Numbers(number("APG_THREADS_SEED", 1));
    let mut rounds = 0;
    while Instant::now() < end {
        let mut host = AnalysisHost::new(library.iter().cloned());
        let files = tangled(&mut numbers);
        host.set_files(files.iter().cloned());
        host.set_roots(&files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>());
        for _ in 0..20 {
            let (path, text) = &files[numbers.below(files.len())];
            ask_and_cancel(&host, path, &mut numbers);
            let text = format!("{text}\n// {}", numbers.below(100));
            within(ANSWER_TIMEOUT, || host.edit_file(path, text.into()));
            rounds += 1;
        }
    }
    println!("{rounds} rounds");
}

/// Has threads ask, ends some of them, and lets the others go on for a while.
fn ask_and_cancel(host: &AnalysisHost, path: &Path, numbers: &mut Numbers) {
    let mut cancellers = Vec::new();
    let mut threads = Vec::new();
    for thread in 0..THREADS {
        let (analysis, path) = (host.snapshot(), path.to_owned());
        cancellers.push(analysis.canceller());
        let mut numbers = Numbers(numbers.below(1 << 30) as u64);
        let ask = move || drop(ask_until_ended(&analysis, &path, thread, &mut numbers));
        threads.push(std::thread::Builder::new().stack_size(256 << 20).spawn(ask).expect("a thread"));
    }
    let wait = |numbers: &mut Numbers| {
        let most = 1 << (8 + numbers.below(10));
        std::thread::sleep(Duration::from_micros(numbers.below(most) as u64));
    };
    for canceller in cancellers {
        if numbers.below(3) == 0 {
            wait(numbers);
            canceller.cancel();
        }
    }
    wait(numbers);
    // Else the edit ends them.
    if numbers.below(4) == 0 {
        within(ANSWER_TIMEOUT, || threads.into_iter().for_each(|thread| thread.join().expect("no panic")));
    }
}

/// Does what may take for ever, and ends the process if it does.
fn within<T>(limit: Duration, what: impl FnOnce() -> T) -> T {
    let (done, waits) = mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("this waits for ever");
            hang();
            std::process::abort();
        }
    });
    let done_in_time = what();
    drop(done);
    watchdog.join().expect("it ends");
    done_in_time
}

fn ask_until_ended(
    analysis: &Analysis,
    path: &Path,
    thread: usize,
    numbers: &mut Numbers,
) -> Result<(), apg_analysis::Cancelled> {
    let open = analysis.file(path).expect("known");
    let (all, own) = (analysis.all_files(), analysis.user_files());
    for _ in 0..20 {
        let among = if numbers.below(2) == 0 { &all } else { &own };
        let file = among[numbers.below(among.len())];
        match (thread + numbers.below(2)) % 4 {
            0 => analysis.with(|db| ide::prime_supertypes(db, file))?,
            1 => {
                analysis.with(|db| ide::prime_bodies(db, file))?;
            }
            2 => drop(analysis.with(|db| file_diagnostics(db, file))?),
            _ => {
                let mut code = analysis.with(|db| check::code_of(db, open))?;
                while !code.is_empty() {
                    let owner = code.swap_remove(numbers.below(code.len()));
                    analysis.with(|db| check::prepare(db, &[owner]))?;
                }
                drop(analysis.with(|db| file_diagnostics(db, open))?);
            }
        }
    }
    Ok(())
}

fn ask(
    analysis: &Analysis,
    roots: &[PathBuf],
    thread: usize,
    alone: bool,
    numbers: &mut Numbers,
    asked: &AtomicU64,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let with = |ask: &dyn Fn(&dyn apg_analysis::Db)| {
        analysis.with(|db| ask(db)).expect("nothing changes");
        asked.fetch_add(1, Ordering::SeqCst);
    };
    let open: Vec<SourceFile> = roots.iter().filter_map(|path| analysis.file(path)).collect();
    let all = analysis.all_files();
    match thread % 4 {
        _ if alone => {}
        // Looks ahead, as the server does, from anywhere.
        1 => {
            let first = numbers.below(all.len());
            for file in all[first..].iter().chain(&all[..first]).take(40) {
                with(&|db| ide::prime_supertypes(db, *file));
            }
        }
        2 => {
            for _ in 0..4 {
                let file = all[numbers.below(all.len())];
                with(&|db| {
                    ide::prime_bodies(db, file);
                });
            }
        }
        _ => {
            for file in &open {
                let mut code = Vec::new();
                analysis.with(|db| code = check::code_of(db, *file)).expect("nothing changes");
                while !code.is_empty() {
                    let owner = code.swap_remove(numbers.below(code.len()));
                    with(&|db| check::prepare(db, &[owner]));
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    for file in open {
        let diagnostics = analysis.with(|db| file_diagnostics(db, file).clone()).expect("nothing changes");
        found.insert(analysis.source(file).0.to_owned(), diagnostics);
    }
    found
}
