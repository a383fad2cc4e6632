//! Background compilation of the kernels of open documents for all GPU architectures, for clients that ask
//! for it.
//!
//! It starts after a pause in typing, and an edit cancels it. Compilations are cached by their
//! code, so that edits elsewhere compile nothing again.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use apg_analysis::{Analysis, Cancelled, ide};
use apg_mir as mir;
use apg_project::build::{self, Failure, Options};
use apg_runtime::device::Resources;
use apg_source::LineIndex;
use apg_toolchain::resources;
use rustc_hash::{FxHashMap, FxHasher};

use crate::kernels::compiler::{CompileError, KernelCompiler};
use crate::kernels::usage::{CompiledKernel, KernelUsages, statement_hash};
use crate::snapshot::Snapshot;
use crate::thread_priority;

/// Kernels are compiled when there was no edit for this time.
pub(crate) const COMPILE_DELAY: Duration = Duration::from_millis(600);

/// The cache of compilations is cleared when it has this many.
const MAX_CACHED_COMPILATIONS: usize = 4096;

/// The compiling thread.
pub(crate) struct KernelWorker {
    orders: mpsc::Sender<CompileOrder>,
    /// Number of edits before the sources that were last ordered.
    ordered_edits: Option<u64>,
    /// Number of edits so far.
    edits: Arc<AtomicU64>,
}

struct CompileOrder {
    snapshot: Snapshot,
    documents: Vec<PathBuf>,
    /// Number of edits before the sources of the snapshot.
    edits: u64,
}

impl KernelWorker {
    /// Starts the thread. `on_done` is called once for each order, with `None` if it was cancelled or failed.
    pub(crate) fn start(
        stack_bytes: usize,
        on_done: impl Fn(Option<KernelUsages>) + Send + 'static,
    ) -> std::io::Result<KernelWorker> {
        let (orders, received) = mpsc::channel::<CompileOrder>();
        let edits = Arc::<AtomicU64>::default();
        let latest = edits.clone();
        std::thread::Builder::new().name("apg-lsp-kernels".into()).stack_size(stack_bytes).spawn(
            move || {
                thread_priority::lower();
                let mut compiler = CachingCompiler::default();
                for order in received {
                    let edits = order.edits;
                    let is_cancelled = || latest.load(Ordering::SeqCst) != edits;
                    let usages = catch_unwind(AssertUnwindSafe(|| compiler.compile(order, &is_cancelled)));
                    on_done(usages.ok().and_then(Result::ok).flatten());
                }
            },
        )?;
        Ok(KernelWorker { orders, ordered_edits: None, edits })
    }

    /// Orders the kernels of documents compiled, as they are after this many edits. False if these were
    /// ordered before.
    pub(crate) fn order(&mut self, snapshot: Snapshot, documents: Vec<PathBuf>, edits: u64) -> bool {
        let is_new = self.ordered_edits.replace(edits) != Some(edits);
        self.cancel_before(edits);
        is_new && self.orders.send(CompileOrder { snapshot, documents, edits }).is_ok()
    }

    /// Cancels compilations of sources before this many edits.
    pub(crate) fn cancel_before(&self, edits: u64) {
        self.edits.store(edits, Ordering::SeqCst);
    }
}

/// A compiler that remembers its results.
#[derive(Default)]
struct CachingCompiler {
    /// The architectures that the compiler supports, once it was queried.
    architectures: Option<Vec<u32>>,
    /// Results by hash of the code, and architecture.
    cache: FxHashMap<(u64, u32), Result<Resources, String>>,
}

/// A program with kernels, and for each kernel the file and the hash of its statement.
struct Lowered {
    program: mir::Program,
    statements: Vec<Option<(PathBuf, u64)>>,
}

impl CachingCompiler {
    /// Compiles the kernels of all documents of an order. `None` if nothing can be compiled or it was
    /// cancelled.
    fn compile(
        &mut self,
        order: CompileOrder,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<KernelUsages>, Cancelled> {
        let CompileOrder { snapshot, documents, .. } = order;
        if !mentions_kernels(&snapshot.analysis) {
            return Ok(Some(KernelUsages::default()));
        }
        if self.architectures.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let lowered = documents.iter().map(|path| lower_document(&snapshot, path));
        let lowered: Vec<Lowered> =
            lowered.filter_map(Result::transpose).collect::<Result<_, Cancelled>>()?;
        if lowered.is_empty() {
            return Ok(Some(with_earlier(&snapshot.kernels, KernelUsages::default())));
        }
        let (earlier, timeout) = (snapshot.kernels.clone(), snapshot.config.analysis_timeout);
        // Edits wait for the snapshot, and the compiler takes long to start.
        drop(snapshot);
        let mut compiler = KernelCompiler::new(timeout, is_cancelled);
        let architectures = match self.architectures.clone().map_or_else(|| compiler.architectures(), Ok) {
            Ok(architectures) => architectures,
            Err(CompileError::Cancelled) => return Ok(None),
            Err(CompileError::Failed(reason)) => {
                tracing::warn!("kernels are not compiled: {reason}");
                Vec::new()
            }
        };
        self.architectures = Some(architectures.clone());
        if architectures.is_empty() {
            return Ok(None);
        }
        let mut usages = KernelUsages::default();
        for Lowered { program, statements } in lowered {
            let Ok(translated) = build::generate_code(program, Options::default()) else { continue };
            let compile = &mut |kernel: &mir::Kernel, source: &str, architecture| {
                self.resources(&mut compiler, kernel, source, architecture)
            };
            let kernels =
                resources::kernels_by(&translated.mir, &translated.emitted.cuda, &architectures, compile);
            if is_cancelled() {
                return Ok(None);
            }
            let Ok(kernels) = kernels else { continue };
            for (resources, statement) in kernels.into_iter().zip(statements) {
                let Some((path, statement)) = statement else { continue };
                let compiled = CompiledKernel { statement, resources };
                let of_file = usages.entry(path).or_default();
                if !of_file.contains(&compiled) {
                    of_file.push(compiled);
                }
            }
        }
        Ok(Some(with_earlier(&earlier, usages)))
    }

    /// The resources of a kernel, cached by its code without its name and line numbers.
    fn resources(
        &mut self,
        compiler: &mut KernelCompiler<'_>,
        kernel: &mir::Kernel,
        source: &str,
        architecture: u32,
    ) -> Result<Resources, String> {
        let mut hasher = FxHasher::default();
        for line in source.lines().filter(|line| !line.trim_start().starts_with("#line")) {
            line.replace(&kernel.name, "").hash(&mut hasher);
        }
        if self.cache.len() >= MAX_CACHED_COMPILATIONS {
            self.cache.clear();
        }
        let key = (hasher.finish(), architecture);
        if let Some(cached) = self.cache.get(&key) {
            return cached.clone();
        }
        let compiled = compiler.resources(source, architecture);
        let is_final = compiled != Err(CompileError::Cancelled);
        let compiled = compiled.map_err(String::from);
        if is_final {
            self.cache.insert(key, compiled.clone());
        }
        compiled
    }
}

/// Adds the earlier results of files without new ones: a program with errors has no new results, and earlier
/// ones stay valid for statements whose text is unchanged.
fn with_earlier(earlier: &KernelUsages, mut usages: KernelUsages) -> KernelUsages {
    for (path, compiled) in earlier {
        usages.entry(path.clone()).or_insert_with(|| compiled.clone());
    }
    usages
}

/// Whether a file of the user may have a kernel.
pub(crate) fn mentions_kernels(analysis: &Analysis) -> bool {
    analysis.user_files().into_iter().any(|file| analysis.source(file).1.contains("@CUDA"))
}

/// The program whose `main` is in a document, if it has no errors and has kernels.
fn lower_document(snapshot: &Snapshot, path: &Path) -> Result<Option<Lowered>, Cancelled> {
    let analysis = &snapshot.analysis;
    let Some(file) = analysis.file(path) else { return Ok(None) };
    if snapshot.is_quarantined(path, analysis.source(file).1) {
        return Ok(None);
    }
    let _mark = snapshot.mark_analyzing(path);
    let program = Cancelled::catch(AssertUnwindSafe(|| {
        build::lower_program(analysis, file, None, Options::default())
    }))?;
    let program = match program {
        Ok(program) if !program.kernels.is_empty() => program,
        Ok(_) | Err(Failure::Findings(_) | Failure::Toolchain(_)) => return Ok(None),
    };
    let mut launches: FxHashMap<PathBuf, Vec<(u32, u64)>> = FxHashMap::default();
    let mut statements = Vec::new();
    for kernel in &program.kernels {
        let name = program.files.get(kernel.span.file.index());
        let path = name.and_then(|name| std::path::absolute(name).ok());
        let Some((path, file)) = path.and_then(|path| Some((path.clone(), analysis.file(&path)?))) else {
            statements.push(None);
            continue;
        };
        if !launches.contains_key(&path) {
            let text = analysis.source(file).1;
            let found = analysis.with(|db| ide::launches(db, file))?.into_iter();
            let lines = LineIndex::new(text);
            let found = found
                .map(|launch| (lines.line(launch.range.start()) + 1, statement_hash(text, launch.range)));
            launches.insert(path.clone(), found.collect());
        }
        let of_line = launches[&path].iter().find(|(line, _)| *line == kernel.span.line());
        statements.push(of_line.map(|(_, statement)| (path, *statement)));
    }
    Ok(Some(Lowered { program, statements }))
}
