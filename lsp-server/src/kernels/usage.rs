//! Resource usage of compiled kernels, as data and for display.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use apg_runtime::device::Resources;
use apg_source::TextRange;
use apg_toolchain::resources::{self, KernelResources};
use rustc_hash::{FxHashMap, FxHasher};

/// The compiled kernels of each file.
pub(crate) type KernelUsages = FxHashMap<PathBuf, Vec<CompiledKernel>>;

/// The resource usage of a compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompiledKernel {
    /// [`statement_hash`] of the statement that the kernel was compiled from.
    pub statement: u64,
    /// The resource usage.
    pub resources: KernelResources,
}

/// Hash of the text of a statement: a result is shown while the text is the compiled one.
pub(crate) fn statement_hash(text: &str, range: TextRange) -> u64 {
    let mut hasher = FxHasher::default();
    text.get(usize::from(range.start())..usize::from(range.end())).hash(&mut hasher);
    hasher.finish()
}

/// The resource usage of a statement: one entry for each kernel that was made of it.
pub(crate) struct StatementUsage<'a>(Vec<&'a KernelResources>);

impl<'a> StatementUsage<'a> {
    /// The usage of the statement with this hash; `None` if it is not known.
    pub(crate) fn of(compiled: &'a [CompiledKernel], statement: u64) -> Option<Self> {
        let same = compiled.iter().filter(|compiled| compiled.statement == statement);
        let kernels: Vec<_> = same.map(|compiled| &compiled.resources).collect();
        (!kernels.is_empty()).then_some(Self(kernels))
    }

    /// Short form for an inlay hint: the range over all architectures.
    pub(crate) fn label(&self) -> String {
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

    /// Tables of the usage for each architecture.
    pub(crate) fn markdown(&self) -> String {
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

fn row(kernel: &KernelResources, needs: &resources::ArchitectureUsage) -> String {
    let Resources { registers, shared, constant, stack, spill_stores, spill_loads, .. } = needs.resources;
    let shared = shared + kernel.shared.unwrap_or(0);
    // Recent compilers do not report it.
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
