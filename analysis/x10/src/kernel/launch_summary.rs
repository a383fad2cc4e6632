//! Launch summaries of kernels for hovers, lenses and hints.

use apg_syntax::TextRange;

use crate::body::Owner;
use crate::body::parents::Parents;
use crate::body::{Body, ExprId, StmtKind};
use crate::db::Db;
use crate::item_tree::source::Item;
use crate::item_tree::source::item_offset;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::shape::recognise::kernels;
use crate::kernel::{Axis, CaptureKind, CaptureSource, Kernel, KernelCapture, PreludeKind};

/// Summary of the launch of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSummary {
    /// The `at` statement, in its file.
    pub range: TextRange,
    /// The keyword `at` with its place expression, in its file: the position of lenses.
    pub head: TextRange,
    /// The target place, as written.
    pub place: String,
    /// The axes of the grid, outermost first.
    pub blocks: Vec<AxisSummary>,
    /// The axes of a block, outermost first.
    pub threads: Vec<AxisSummary>,
    /// Number of blocks, if known.
    pub block_count: Option<i64>,
    /// Number of threads of a block, if known.
    pub thread_count: Option<i64>,
    /// Shared memory, in order.
    pub shared: Vec<SharedSummary>,
    /// Bytes of shared memory of a block, if known.
    pub shared_bytes: Option<u64>,
    /// Captured values, in order of first use.
    pub captures: Vec<CaptureSummary>,
    /// The `@CUDA` functions that it calls, directly or indirectly.
    pub functions: Vec<String>,
    /// Whether it has barriers.
    pub has_barrier: bool,
}

/// One axis of blocks or threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisSummary {
    /// The index, if it has a name.
    pub index: Option<String>,
    /// The highest index, as written.
    pub last: String,
    /// The extent, if known.
    pub extent: Option<i64>,
}

/// A rail in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSummary {
    /// Its name.
    pub name: String,
    /// The element type.
    pub element: String,
    /// Its size in bytes, if known.
    pub bytes: Option<u64>,
}

/// How a captured value is transferred to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferKind {
    /// With the launch parameters.
    Value,
    /// The elements are copied to the device before each launch.
    Copied,
    /// The elements are copied to constant memory before each launch.
    Constant,
    /// The elements are on the device already; only their address is passed.
    Address,
}

/// A captured value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSummary {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// How it is transferred.
    pub transfer: TransferKind,
    /// Bytes transferred at each launch, if known.
    pub bytes: Option<u64>,
}

/// The launch summaries of the valid kernels of an item, in source order.
pub(crate) fn launch_summaries(db: &dyn Db, owner: Owner) -> Vec<LaunchSummary> {
    let recognised = kernels(db, owner);
    let valid: Vec<&Kernel> = recognised.iter().filter_map(|recognised| recognised.kernel.as_ref()).collect();
    if valid.is_empty() {
        return Vec::new();
    }
    let semantics = DeviceSemantics::new(db);
    let body = &semantics.body_of(owner).body;
    let parents = Parents::of(body);
    valid.into_iter().map(|kernel| summary(&semantics, owner, body, &parents, kernel)).collect()
}

fn summary(
    semantics: &DeviceSemantics,
    owner: Owner,
    body: &Body,
    parents: &Parents,
    kernel: &Kernel,
) -> LaunchSummary {
    let context = KernelContext::new(semantics, body, parents, kernel.at);
    let offset = item_offset(semantics.db, Item::from(owner));
    let text = Item::from(owner).file(semantics.db).text(semantics.db);
    let written = |expr: ExprId| {
        let range = body.expr(expr).range + offset;
        text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default().to_owned()
    };
    let axis = |axis: &Axis| AxisSummary {
        index: axis.local.map(|local| body.local(local).name.to_string()),
        last: written(axis.last),
        extent: context.extent(std::slice::from_ref(axis)),
    };
    let shared: Vec<SharedSummary> = kernel
        .shared
        .iter()
        .map(|rail| SharedSummary {
            name: body.local(rail.local).name.to_string(),
            element: semantics.display(rail.element),
            bytes: context.shared_bytes(rail),
        })
        .collect();
    let range = body.stmt(kernel.at).range;
    let head = match body.stmt(kernel.at).kind {
        StmtKind::At { body: inner, .. } => TextRange::new(range.start(), body.stmt(inner).range.start()),
        _ => range,
    };
    LaunchSummary {
        range: range + offset,
        head: head + offset,
        place: written(kernel.place),
        blocks: kernel.blocks.iter().map(axis).collect(),
        threads: kernel.threads.iter().map(axis).collect(),
        block_count: context.extent(&kernel.blocks),
        thread_count: context.extent(&kernel.threads),
        shared_bytes: shared.iter().map(|rail| rail.bytes).sum(),
        shared,
        captures: context.capture_summaries(kernel),
        functions: kernel.functions.iter().map(|method| semantics.method_name(*method)).collect(),
        has_barrier: kernel.has_barrier,
    }
}

impl KernelContext<'_> {
    /// Constant memory first, then the captures of the code.
    fn capture_summaries(&self, kernel: &Kernel) -> Vec<CaptureSummary> {
        let constants = kernel.prelude.iter().filter_map(|prelude| match &prelude.kind {
            PreludeKind::ConstantRail { rail, element } => {
                let local = self.named_local(*rail)?;
                Some(CaptureSummary {
                    name: self.local(local).name.to_string(),
                    ty: self.semantics.display(self.local(local).ty),
                    transfer: TransferKind::Constant,
                    bytes: self.rail_bytes(local, *element),
                })
            }
            _ => None,
        });
        constants.chain(kernel.captures.iter().map(|capture| self.capture_summary(capture))).collect()
    }

    fn capture_summary(&self, capture: &KernelCapture) -> CaptureSummary {
        let db = self.semantics.db;
        let name = match capture.source {
            CaptureSource::Local(local) => self.local(local).name.to_string(),
            CaptureSource::Static(field) => format!("{}.{}", field.class(db).name(db), field.name(db)),
        };
        let (transfer, bytes) = match (&capture.kind, capture.source) {
            (CaptureKind::Scalar, _) => (TransferKind::Value, self.semantics.size(capture.ty)),
            // A size and an address.
            (CaptureKind::GlobalRail { .. }, _) => (TransferKind::Address, Some(16)),
            (CaptureKind::Rail { element }, CaptureSource::Local(local)) => {
                (TransferKind::Copied, self.rail_bytes(local, *element))
            }
            (CaptureKind::Rail { .. }, CaptureSource::Static(_)) => (TransferKind::Copied, None),
        };
        CaptureSummary { name, ty: self.semantics.display(capture.ty), transfer, bytes }
    }

    fn rail_bytes(&self, local: crate::body::LocalId, element: crate::ty::Ty) -> Option<u64> {
        let (args, _) = self.new_rail(self.strip_coercions(self.initialiser(local)?))?;
        let length = u64::try_from(self.constant(*args.first()?)?).ok()?;
        length.checked_mul(self.semantics.size(element)?)
    }
}
