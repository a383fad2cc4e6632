use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use apg_analysis::Cancelled;
use tower_lsp_server::ls_types::{DidOpenTextDocumentParams, TextDocumentItem};

use super::handle::MainLoopHandle;
use super::start;
use crate::config::Config;
use crate::global_state::Edit;
use crate::quarantine::Quarantine;
use crate::request_policy::RequestPolicy;
use crate::task_pool::thread_count;

/// A loop with a limit for the analysis, and the runtime that it sends with.
fn start_with_timeout(analysis_timeout: Duration) -> (tokio::runtime::Runtime, MainLoopHandle) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let main_loop =
        start(Arc::new(OnceLock::new()), runtime.handle(), Quarantine::default()).expect("threads");
    main_loop.set_config(Config { analysis_timeout, ..Config::default() });
    (runtime, main_loop)
}

fn open(main_loop: &MainLoopHandle, name: &str) {
    let uri = format!("untitled:{name}").parse().expect("a URI");
    let text = format!("class {name} {{}}");
    let text_document = TextDocumentItem { uri, language_id: "x10".into(), version: 1, text };
    main_loop.edit(Edit::Open(DidOpenTextDocumentParams { text_document }));
}

/// The sources of the open documents.
fn open_sources(runtime: &tokio::runtime::Runtime, main_loop: &MainLoopHandle) -> Vec<String> {
    let sources = main_loop.request(RequestPolicy::any_revision(), |snapshot| {
        let files = snapshot.analysis.user_files().into_iter();
        Ok(files.map(|file| snapshot.analysis.source(file).1.to_string()).collect::<Vec<_>>())
    });
    runtime.block_on(sources).expect("an answer")
}

/// Starts a query that ignores cancellation and ends when the result is dropped.
fn start_endless_query(
    runtime: &tokio::runtime::Runtime,
    main_loop: &MainLoopHandle,
    policy: RequestPolicy,
) -> EndlessQuery {
    let (running, started) = mpsc::channel();
    let (running_until, end) = mpsc::channel::<()>();
    let end = std::sync::Mutex::new(end);
    let main_loop = main_loop.clone();
    let answer = runtime.spawn(async move {
        let request = main_loop.request(policy, move |_| {
            let _ = running.send(());
            let _ = end.lock().expect("one at a time").recv();
            Ok(())
        });
        request.await.map_err(|error| error.message.to_string())
    });
    started.recv().expect("it runs");
    EndlessQuery { answer, _running_until: running_until }
}

struct EndlessQuery {
    answer: tokio::task::JoinHandle<Result<(), String>>,
    _running_until: mpsc::Sender<()>,
}

#[test]
fn endless_query_holds_up_no_edit() {
    let (runtime, main_loop) = start_with_timeout(Duration::from_millis(300));
    open(&main_loop, "First");
    // One on each thread of the pool.
    let endless: Vec<EndlessQuery> = (0..thread_count())
        .map(|_| start_endless_query(&runtime, &main_loop, RequestPolicy::any_revision()))
        .collect();
    open(&main_loop, "Second");
    assert_eq!(open_sources(&runtime, &main_loop), ["class First {}", "class Second {}"]);
    // The new database can be abandoned, too.
    let other = start_endless_query(&runtime, &main_loop, RequestPolicy::any_revision());
    open(&main_loop, "Third");
    assert_eq!(open_sources(&runtime, &main_loop).len(), 3);
    drop((endless, other));
}

#[test]
fn endless_query_is_answered_after_its_timeout() {
    let (runtime, main_loop) = start_with_timeout(Duration::from_secs(10));
    open(&main_loop, "First");
    let policy = RequestPolicy::any_revision().with_timeout(Duration::from_millis(100));
    let endless = start_endless_query(&runtime, &main_loop, policy);
    let answer = runtime.block_on(endless.answer).expect("no panic");
    assert!(answer.is_err_and(|message| message.contains("took too long")));
    assert_eq!(open_sources(&runtime, &main_loop), ["class First {}"]);
}

#[test]
fn propagated_panics_are_retried_a_limited_number_of_times() {
    let (runtime, main_loop) = start_with_timeout(Duration::from_secs(10));
    open(&main_loop, "First");
    let runs = Arc::new(AtomicU32::new(0));
    let count = runs.clone();
    let answer = runtime.block_on(main_loop.request(RequestPolicy::any_revision(), move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Err::<(), _>(Cancelled::PropagatedPanic)
    }));
    assert!(answer.is_err_and(|error| error.message.contains("failed at this request")));
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    // Cancellations by edits are retried without limit.
    let runs = AtomicU32::new(0);
    let answer = main_loop.request(RequestPolicy::any_revision(), move |_| {
        match runs.fetch_add(1, Ordering::SeqCst) {
            0..10 => Err(Cancelled::PendingWrite),
            runs => Ok(runs),
        }
    });
    assert_eq!(runtime.block_on(answer), Ok(10));
}
