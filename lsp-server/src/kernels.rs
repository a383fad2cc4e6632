//! What the kernels of open documents need of a GPU, for clients that ask for it: they are compiled, for all architectures that the compiler
//! knows, by a process of its own, once nobody has typed for a while. An edit ends the process.
//!
//! What was found is shown as long as the text of the kernel's statement is what it was. What is compiled is remembered by its
//! code, so that edits elsewhere compile nothing again.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use apg_analysis::ids::SourceFile;
use apg_analysis::{Analysis, Cancelled, ide};
use apg_mir as mir;
use apg_project::build::{self, Failure, Options};
use apg_runtime::device::Resources;
use apg_syntax::TextRange;
use apg_toolchain::resources::{self, KernelResources};
use rustc_hash::{FxHashMap, FxHasher};

use crate::document::Document;
use crate::kernel_compiler::{CompileError, KernelCompiler};
use crate::world::Snapshot;

/// So long nobody has typed before kernels are compiled.
pub const QUIET: Duration = Duration::from_millis(600);

/// So many compilations are remembered.
const REMEMBERED: usize = 4096;

/// What is known of the kernels of files.
pub type Known = FxHashMap<PathBuf, Vec<Compiled>>;

/// A kernel that was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Stands for the text of its statement.
    statement: u64,
    resources: KernelResources,
}

/// What a statement needs: once for each kernel that it became.
pub struct Needs<'a>(Vec<&'a KernelResources>);

/// The thread that compiles.
pub struct Worker {
    orders: mpsc::Sender<Order>,
    /// What was compiled last is of the text after this many edits.
    of: Option<u64>,
    /// How many edits there were.
    latest: Arc<AtomicU64>,
}

struct Order {
    snapshot: Snapshot,
    documents: Vec<PathBuf>,
    /// The number of edits of which the documents are.
    edits: u64,
}

impl Worker {
    /// Starts the thread; `answer` takes what it finds, once for each order.
    pub fn start(stack: usize, answer: impl Fn(Option<Known>) + Send + 'static) -> std::io::Result<Worker> {
        let (orders, received) = mpsc::channel::<Order>();
        let latest = Arc::<AtomicU64>::default();
        let compiled_of = latest.clone();
        std::thread::Builder::new().name("apg-lsp-kernels".into()).stack_size(stack).spawn(move || {
            step_back();
            let mut compiler = Compiler::default();
            for order in received {
                let edits = order.edits;
                let is_cancelled = || compiled_of.load(Ordering::SeqCst) != edits;
                let found = catch_unwind(AssertUnwindSafe(|| compiler.answer(order, &is_cancelled)));
                answer(found.ok().and_then(Result::ok).flatten());
            }
        })?;
        Ok(Worker { orders, of: None, latest })
    }

    /// Has the kernels of documents compiled, as they are after this many edits, unless that was done; whether there will be
    /// an answer.
    pub fn ask(&mut self, snapshot: Snapshot, documents: Vec<PathBuf>, edits: u64) -> bool {
        let is_new = self.of.replace(edits) != Some(edits);
        self.supersede(edits);
        is_new && self.orders.send(Order { snapshot, documents, edits }).is_ok()
    }

    /// Ends what is compiled of the text before this many edits.
    pub fn supersede(&self, edits: u64) {
        self.latest.store(edits, Ordering::SeqCst);
    }
}

/// Gives this thread less to say than others on the processor.
pub fn step_back() {
    // SAFETY: on Linux it concerns the calling thread alone.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 10);
    }
}

#[derive(Default)]
struct Compiler {
    /// The architectures, once they were asked for.
    architectures: Option<Vec<u32>>,
    /// By code and architecture.
    known: FxHashMap<(u64, u32), Result<Resources, String>>,
}

/// A program with kernels, and for each the file and statement it is made from.
struct Lowered {
    program: mir::Program,
    statements: Vec<Option<(PathBuf, u64)>>,
}

impl Compiler {
    /// None where nothing can be compiled.
    fn answer(&mut self, order: Order, is_cancelled: &dyn Fn() -> bool) -> Result<Option<Known>, Cancelled> {
        let Order { snapshot, documents, .. } = order;
        if !mentions_kernels(&snapshot.analysis) {
            return Ok(Some(Known::default()));
        }
        if self.architectures.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let lowered = documents.iter().map(|path| lowered(&snapshot, path));
        let lowered: Vec<Lowered> =
            lowered.filter_map(Result::transpose).collect::<Result<_, Cancelled>>()?;
        if lowered.is_empty() {
            return Ok(Some(kept(&snapshot.kernels, Known::default())));
        }
        let (before, patience) = (snapshot.kernels.clone(), snapshot.settings.patience);
        // An edit waits for the snapshot to go, and the compiler's library takes its time when it is first asked.
        drop(snapshot);
        let mut compiler = KernelCompiler::new(patience, is_cancelled);
        let architectures = match self.architectures.clone().map_or_else(|| compiler.architectures(), Ok) {
            Ok(known) => known,
            Err(CompileError::Cancelled) => return Ok(None),
            Err(CompileError::Failed(why)) => {
                eprintln!("apg-lsp: kernels are not compiled: {why}");
                Vec::new()
            }
        };
        self.architectures = Some(architectures.clone());
        if architectures.is_empty() {
            return Ok(None);
        }
        let mut found = Known::default();
        for Lowered { program, statements } in lowered {
            let Ok(translated) = build::emitted(program, Options::default()) else { continue };
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
                let compiled = Compiled { statement, resources };
                let of_file = found.entry(path).or_default();
                if !of_file.contains(&compiled) {
                    of_file.push(compiled);
                }
            }
        }
        Ok(Some(kept(&before, found)))
    }

    /// What a kernel needs, remembered by its code, for which its name and the lines that it comes from do not matter.
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
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let key = (hasher.finish(), architecture);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let compiled = compiler.resources(source, architecture);
        let is_final = compiled != Err(CompileError::Cancelled);
        let compiled = compiled.map_err(String::from);
        if is_final {
            self.known.insert(key, compiled.clone());
        }
        compiled
    }
}

/// What was found, and of other files what was known before: of a program that is not right at the moment nothing is found, and what is known
/// of its files is shown where the statements still are what they were.
fn kept(before: &Known, mut found: Known) -> Known {
    for (path, compiled) in before {
        found.entry(path.clone()).or_insert_with(|| compiled.clone());
    }
    found
}

/// Whether there may be a kernel in any file of the user.
pub fn mentions_kernels(analysis: &Analysis) -> bool {
    analysis.user_files().into_iter().any(|file| analysis.source(file).1.contains("@CUDA"))
}

/// The program that begins in a document, if it is right and has kernels.
fn lowered(snapshot: &Snapshot, path: &Path) -> Result<Option<Lowered>, Cancelled> {
    let analysis = &snapshot.analysis;
    let Some(file) = analysis.file(path) else { return Ok(None) };
    // What takes too long or ended a server is not tried here either.
    if snapshot.is_aside(path, analysis.source(file).1) {
        return Ok(None);
    }
    let _working = snapshot.working(path);
    let program =
        Cancelled::catch(AssertUnwindSafe(|| build::lowered(analysis, file, None, Options::default())))?;
    let program = match program {
        Ok(program) if !program.kernels.is_empty() => program,
        Ok(_) | Err(Failure::Findings(_) | Failure::Driver(_)) => return Ok(None),
    };
    let mut launches: FxHashMap<PathBuf, Vec<(usize, u64)>> = FxHashMap::default();
    let mut statements = Vec::new();
    for kernel in &program.kernels {
        let name = program.files.get(kernel.position.file.index());
        let path = name.and_then(|name| std::path::absolute(name).ok());
        let Some((path, file)) = path.and_then(|path| Some((path.clone(), analysis.file(&path)?))) else {
            statements.push(None);
            continue;
        };
        if !launches.contains_key(&path) {
            let text = analysis.source(file).1;
            let found = analysis.with(|db| ide::launches(db, file))?.into_iter();
            let line = |range: TextRange| text[..usize::from(range.start())].matches('\n').count() + 1;
            let found = found.map(|launch| (line(launch.range), statement(text, launch.range)));
            launches.insert(path.clone(), found.collect());
        }
        let line = kernel.position.line as usize;
        let of_line = launches[&path].iter().find(|(at, _)| *at == line);
        statements.push(of_line.map(|(_, statement)| (path, *statement)));
    }
    Ok(Some(Lowered { program, statements }))
}

/// A number that stands for a statement's text.
fn statement(text: &str, range: TextRange) -> u64 {
    let mut hasher = FxHasher::default();
    text.get(usize::from(range.start())..usize::from(range.end())).hash(&mut hasher);
    hasher.finish()
}

impl Snapshot {
    /// What is known of the kernels of a document, by the range of their heads.
    pub fn known_kernels(
        &self,
        document: &Document,
        file: SourceFile,
    ) -> Result<Vec<(TextRange, Needs<'_>)>, Cancelled> {
        let Some(known) = self.kernels.get(&document.path) else { return Ok(Vec::new()) };
        let launches = self.analysis.with(|db| ide::launches(db, file))?;
        let needs = launches.into_iter().map(|launch| {
            let wanted = statement(document.text.text(), launch.range);
            let same = known.iter().filter(|compiled| compiled.statement == wanted);
            (launch.head, Needs(same.map(|compiled| &compiled.resources).collect()))
        });
        Ok(needs.filter(|(_, needs)| !needs.0.is_empty()).collect())
    }
}

impl Needs<'_> {
    /// What it takes at least and at most on any architecture, behind the code.
    pub fn label(&self) -> String {
        let all = || self.0.iter().flat_map(|kernel| &kernel.needs);
        let range = |numbers: Vec<u32>, unit: &str| match (numbers.iter().min(), numbers.iter().max()) {
            (Some(least), Some(most)) if least == most => format!(", {least}{unit}"),
            (Some(least), Some(most)) => format!(", {least}–{most}{unit}"),
            _ => String::new(),
        };
        let mut label = range(all().map(|needs| needs.resources.registers).collect(), " registers");
        if all().any(|needs| needs.resources.spill_stores + needs.resources.spill_loads > 0) {
            label.push_str(", spills");
        }
        let occupancies = all().filter_map(|needs| needs.occupancy).map(|it| it.percent());
        label + &range(occupancies.collect(), " % occupancy")
    }

    /// All of it.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for kernel in &self.0 {
            text.push_str(&format!("\n\nCompiled with {}:\n\n", kernel.launch()));
            text.push_str("| | registers | shared | constant | stack | spills | occupancy | limited by |\n");
            text.push_str("|---|---|---|---|---|---|---|---|\n");
            for needs in &kernel.needs {
                text.push_str(&row(kernel, needs));
            }
        }
        text
    }
}

fn row(kernel: &KernelResources, needs: &resources::Needs) -> String {
    let Resources { registers, shared, constant, stack, spill_stores, spill_loads, .. } = needs.resources;
    let shared = shared + kernel.shared.unwrap_or(0);
    // Recent compilers do not tell it.
    let constant = if constant > 0 { format!("{constant} B") } else { String::new() };
    let spills = match (spill_stores, spill_loads) {
        (0, 0) => "none".to_owned(),
        (stores, loads) => format!("{stores} B stored, {loads} B loaded"),
    };
    let (occupancy, limit) = needs.occupancy.map_or_else(Default::default, |it| {
        (format!("{} %, {} blocks", it.percent(), it.blocks), it.limit.to_string())
    });
    let architecture = needs.architecture;
    format!(
        "| sm_{architecture} | {registers} | {shared} B | {constant} | {stack} B | {spills} | {occupancy} | {limit} |\n"
    )
}
