use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use apg_analysis::Cancelled;
use tower_lsp_server::ls_types::{DidOpenTextDocumentParams, TextDocumentItem};

use super::{Edit, Sender, Settings, start};
use crate::aside::Aside;
use crate::jobs::Terms;

/// A loop that waits this long for what does not end, and the runtime that it sends with.
fn start_with(patience: Duration) -> (tokio::runtime::Runtime, Sender) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let sender = start(Arc::new(OnceLock::new()), runtime.handle(), Aside::default()).expect("threads");
    sender.settings(Settings { patience, ..Settings::default() });
    (runtime, sender)
}

fn open(sender: &Sender, name: &str) {
    let uri = format!("untitled:{name}").parse().expect("a URI");
    let text = format!("class {name} {{}}");
    let text_document = TextDocumentItem { uri, language_id: "x10".into(), version: 1, text };
    sender.edit(Edit::Open(DidOpenTextDocumentParams { text_document }));
}

/// The names of the open documents' classes.
fn known(runtime: &tokio::runtime::Runtime, sender: &Sender) -> Vec<String> {
    let names = sender.ask(Terms::anytime(), |snapshot| {
        let files = snapshot.analysis.user_files().into_iter();
        Ok(files.map(|file| snapshot.analysis.source(file).1.to_string()).collect::<Vec<_>>())
    });
    runtime.block_on(names).expect("an answer")
}

/// A question that hears of no cancellation: `asked` tells that it is asked, and it is for as long as `goes_on` is there.
fn ask_for_ever(runtime: &tokio::runtime::Runtime, sender: &Sender, terms: Terms) -> Endless {
    let (going, asked) = mpsc::channel();
    let (goes_on, end) = mpsc::channel::<()>();
    let end = std::sync::Mutex::new(end);
    let sender = sender.clone();
    let answer = runtime.spawn(async move {
        let ask = sender.ask(terms, move |_| {
            let _ = going.send(());
            let _ = end.lock().expect("one at a time").recv();
            Ok(())
        });
        ask.await.map_err(|error| error.message.to_string())
    });
    asked.recv().expect("it is asked");
    Endless { answer, _goes_on: goes_on }
}

struct Endless {
    answer: tokio::task::JoinHandle<Result<(), String>>,
    _goes_on: mpsc::Sender<()>,
}

#[test]
fn a_question_that_does_not_end_holds_up_no_edit() {
    let (runtime, sender) = start_with(Duration::from_millis(300));
    open(&sender, "First");
    // As many as there are threads.
    let endless: Vec<Endless> = (0..8)
        .map_while(|n| (n < super::threads()).then(|| ask_for_ever(&runtime, &sender, Terms::anytime())))
        .collect();
    open(&sender, "Second");
    assert_eq!(known(&runtime, &sender), ["class First {}", "class Second {}"]);
    // And once more, on the new database.
    let other = ask_for_ever(&runtime, &sender, Terms::anytime());
    open(&sender, "Third");
    assert_eq!(known(&runtime, &sender).len(), 3);
    drop((endless, other));
}

#[test]
fn a_question_that_does_not_end_is_answered() {
    let (runtime, sender) = start_with(Duration::from_secs(10));
    open(&sender, "First");
    let endless = ask_for_ever(&runtime, &sender, Terms::anytime().within(Duration::from_millis(100)));
    let answer = runtime.block_on(endless.answer).expect("no panic");
    assert!(answer.is_err_and(|message| message.contains("took too long")));
    assert_eq!(known(&runtime, &sender), ["class First {}"]);
}

#[test]
fn a_question_that_fails_with_others_is_answered() {
    let (runtime, sender) = start_with(Duration::from_secs(10));
    open(&sender, "First");
    let asked = Arc::new(AtomicU32::new(0));
    let count = asked.clone();
    let answer = runtime.block_on(sender.ask(Terms::anytime(), move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Err::<(), _>(Cancelled::PropagatedPanic)
    }));
    assert!(answer.is_err_and(|error| error.message.contains("failed at this request")));
    // What fails because another thread did may do better alone, but not for ever.
    assert_eq!(asked.load(Ordering::SeqCst), 3);
    // What an edit ended is asked until it is answered.
    let tries = AtomicU32::new(0);
    let answer = sender.ask(Terms::anytime(), move |_| match tries.fetch_add(1, Ordering::SeqCst) {
        0..10 => Err(Cancelled::PendingWrite),
        tries => Ok(tries),
    });
    assert_eq!(runtime.block_on(answer), Ok(10));
}
