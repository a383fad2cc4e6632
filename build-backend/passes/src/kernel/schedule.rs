//! The pipeline of the kernel IR: which passes form and transform it, and in which order.

use super::ir::KernelIr;
use super::*;
use apg_mir::Kernel;

/// A pass over the kernel IR.
#[derive(Clone, Copy)]
pub struct KernelPass {
    /// Its name.
    pub name: &'static str,
    run: fn(&mut KernelIr),
}

impl KernelPass {
    /// Transforms a kernel.
    pub fn run(&self, ir: &mut KernelIr) {
        (self.run)(ir);
    }
}

macro_rules! passes {
    ($($module:ident),* $(,)?) => {
        &[$(KernelPass { name: stringify!($module), run: $module::run }),*]
    };
}

/// The passes in order. None is required for correctness: regions that `region_formation` has formed can be
/// printed.
///
/// Fission precedes the splits and versions of what it leaves; full tiles, which `unswitch` makes, are
/// fissioned and split in a second round. What is decided for chunks follows.
pub const PASSES: &[KernelPass] = passes![
    unroll_collectives,
    prefetch,
    stream_prefetch,
    pointer_rotation,
    block_interchange,
    shared_init,
    loop_fission,
    jam_iterations,
    index_set_split,
    unswitch,
    loop_fission,
    index_set_split,
    unroll_and_jam,
    scalar_expansion,
    transpose_loads,
    uniform_loads,
    unroll_factors,
    software_pipeline,
    constant_loads,
    capture_aliases,
];

/// Analyses a kernel and forms its kernel IR. `unchecked`: the program is compiled without checks of indices.
pub fn form_kernel(kernel: &Kernel, unchecked: bool) -> KernelIr {
    region_formation::form_regions(kernel, unchecked)
}

/// Forms the kernel IR of a kernel, as [`form_kernel`], and runs all passes over it.
pub fn schedule_kernel(kernel: &Kernel, unchecked: bool) -> KernelIr {
    let mut ir = form_kernel(kernel, unchecked);
    for pass in PASSES {
        pass.run(&mut ir);
    }
    ir
}
