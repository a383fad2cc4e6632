//! Hardware limits of launches that are exceeded for statically known sizes (CUDA C++ Programming Guide,
//! "Compute Capabilities").

use crate::kernel::context::KernelContext;
use crate::kernel::{Axis, SharedInit, SharedRail};
use crate::rules::cuda;

/// Maximum number of threads of a block.
pub(super) const MAX_THREADS_PER_BLOCK: i64 = 1024;
/// Bytes of shared memory of a block that every device has.
pub(super) const COMMON_SHARED_MEMORY_BYTES: u64 = 48 * 1024;
/// Maximum bytes of shared memory of a block on any device.
const MAX_SHARED_MEMORY_BYTES: u64 = 227 * 1024;

impl KernelContext<'_> {
    /// The number of threads or blocks, if statically known.
    pub(crate) fn extent(&self, axes: &[Axis]) -> Option<i64> {
        axes.iter().try_fold(1i64, |product, axis| {
            product.checked_mul(self.constant(axis.last)?.checked_add(1)?.max(0))
        })
    }

    /// Bytes of one shared rail, if statically known.
    pub(crate) fn shared_bytes(&self, rail: &SharedRail) -> Option<u64> {
        let length = match &rail.init {
            SharedInit::Zero { length }
            | SharedInit::Value { length, .. }
            | SharedInit::Closure { length, .. } => self.constant(*length)?,
            SharedInit::Copy { rail } => {
                let local = self.named_local(*rail)?;
                let (args, _) = self.new_rail(self.strip_coercions(self.initialiser(local)?))?;
                self.constant(*args.first()?)?
            }
        };
        u64::try_from(length).ok()?.checked_mul(self.semantics.size(rail.element)?)
    }

    /// Reports statically empty ranges of blocks or threads.
    pub(crate) fn check_empty(&self, axes: &[Axis]) {
        for axis in axes.iter().filter(|axis| self.constant(axis.last).is_some_and(|last| last < 0)) {
            self.report_at(self.expr(axis.last).range, cuda::empty_range::EmptyRange);
        }
    }

    /// Reports blocks with too many threads.
    pub(crate) fn check_threads(&self, threads: &[Axis]) {
        let Some(count) = self.extent(threads).filter(|count| *count > MAX_THREADS_PER_BLOCK) else { return };
        let Some(first) = threads.first() else { return };
        let range = threads
            .iter()
            .fold(self.expr(first.last).range, |all, axis| all.cover(self.expr(axis.last).range));
        self.report_at(range, cuda::too_many_threads::TooManyThreads { count, max: MAX_THREADS_PER_BLOCK });
    }

    /// Reports blocks with too much shared memory.
    pub(crate) fn check_shared(&self, shared: &[SharedRail]) {
        let Some(last) = shared.last() else { return };
        let total: u64 = shared.iter().filter_map(|rail| self.shared_bytes(rail)).sum();
        let range = self.local(last.local).range;
        if total > MAX_SHARED_MEMORY_BYTES {
            self.report_at(
                range,
                cuda::shared_too_large::SharedTooLarge { bytes: total, max: MAX_SHARED_MEMORY_BYTES },
            );
        } else if total > COMMON_SHARED_MEMORY_BYTES {
            self.report_at(
                range,
                cuda::shared_large::SharedLarge { bytes: total, common: COMMON_SHARED_MEMORY_BYTES },
            );
        }
    }
}
