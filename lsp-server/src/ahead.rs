//! What requests over the whole workspace need is found before they come, on a thread of its own that has less to say on the
//! processor, once nobody has typed for a while: the first one for a common name would wait for all code that has it otherwise.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use apg_analysis::ids::SourceFile;
use apg_analysis::{Cancelled, db, ide};

use crate::aside;
use crate::kernels::step_back;
use crate::world::Snapshot;

/// So long nobody has typed before.
pub const QUIET: Duration = Duration::from_millis(300);

/// Who opens a file asks about it soon.
pub const OPENED: Duration = Duration::from_millis(50);

/// So many bodies are typed ahead: a large workspace is not worth the memory of all its code before anyone looks at it.
const MOST_BODIES: usize = 3072;

/// The thread.
pub struct Ahead {
    orders: mpsc::Sender<Snapshot>,
    is_busy: Arc<AtomicBool>,
    is_done: Arc<AtomicBool>,
}

impl Ahead {
    /// Starts it.
    pub fn start(stack: usize) -> std::io::Result<Ahead> {
        let (orders, received) = mpsc::channel::<Snapshot>();
        let is_busy = Arc::<AtomicBool>::default();
        let is_done = Arc::new(AtomicBool::new(true));
        let (busy, done) = (is_busy.clone(), is_done.clone());
        std::thread::Builder::new().name("apg-lsp-ahead".into()).stack_size(stack).spawn(move || {
            step_back();
            for snapshot in received {
                // An edit that comes first orders it again.
                let ended = look_ahead(&snapshot);
                drop(snapshot);
                done.store(ended.is_ok(), Ordering::SeqCst);
                busy.store(false, Ordering::SeqCst);
            }
        })?;
        Ok(Ahead { orders, is_busy, is_done })
    }

    /// Has it look at all files; not while it still ends what it did before an edit.
    pub fn ask(&self, snapshot: Snapshot) -> bool {
        if self.is_busy.swap(true, Ordering::SeqCst) {
            return false;
        }
        self.is_done.store(false, Ordering::SeqCst);
        self.orders.send(snapshot).is_ok()
    }

    /// Whether it has not come to its end.
    pub fn is_interrupted(&self) -> bool {
        !self.is_done.load(Ordering::SeqCst)
    }
}

fn look_ahead(snapshot: &Snapshot) -> Result<(), Cancelled> {
    for file in snapshot.analysis.all_files() {
        of_file(snapshot, file, ide::find_supertypes)?;
    }
    let mut bodies = 0;
    for file in snapshot.analysis.user_files() {
        bodies += of_file(snapshot, file, ide::type_code)?.unwrap_or_default();
        if bodies > MOST_BODIES {
            break;
        }
    }
    Ok(())
}

/// What fails here fails again where it is asked for.
fn of_file<T>(
    snapshot: &Snapshot,
    file: SourceFile,
    find: impl FnOnce(&dyn db::Db, SourceFile) -> T,
) -> Result<Option<T>, Cancelled> {
    let (path, text) = snapshot.analysis.source(file);
    if snapshot.is_aside(path, text) {
        return Ok(None);
    }
    let _working = aside::mark(path, text);
    let found = catch_unwind(AssertUnwindSafe(|| snapshot.analysis.with(|db| find(db, file))));
    found.ok().transpose()
}
