//! Resource usage and occupancy of a kernel, found by compiling it, without a GPU.

use crate::device::nvrtc::compile;

/// What the compiler says a kernel needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory that the code declares, besides the launch's.
    pub shared: u32,
    /// Bytes of constant memory: parameters, and constants of the code.
    pub constant: u32,
    /// Bytes of a thread's stack.
    pub stack: u32,
    /// Bytes of spill stores.
    pub spill_stores: u32,
    /// Bytes of spill loads.
    pub spill_loads: u32,
    /// Barriers.
    pub barriers: u32,
}

/// What limits how many blocks a multiprocessor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Threads: full occupancy.
    Threads,
    /// The most blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// Not one block fits.
    Nothing,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limit::Threads => "threads",
            Limit::Blocks => "blocks",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
            Limit::Nothing => "not one block fits",
        })
    }
}

/// Occupancy of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks at once.
    pub blocks: u32,
    /// Threads at once, of `most_threads`.
    pub threads: u32,
    /// The most there can be.
    pub most_threads: u32,
    /// The limiting resource.
    pub limit: Limit,
}

impl Occupancy {
    /// Threads in percent of the most there can be.
    pub fn percent(&self) -> u32 {
        100 * self.threads / self.most_threads.max(1)
    }
}

/// A multiprocessor of an architecture: compute capability times 10, threads, blocks, bytes of shared memory,
/// and bytes of it that each block costs besides its own.
struct Multiprocessor(u32, u32, u32, u32, u32);

const MULTIPROCESSORS: [Multiprocessor; 9] = [
    Multiprocessor(75, 1024, 16, 64 << 10, 0),
    Multiprocessor(80, 2048, 32, 164 << 10, 1024),
    Multiprocessor(86, 1536, 16, 100 << 10, 1024),
    Multiprocessor(87, 1536, 16, 164 << 10, 1024),
    Multiprocessor(89, 1536, 24, 100 << 10, 1024),
    Multiprocessor(90, 2048, 32, 228 << 10, 1024),
    Multiprocessor(100, 2048, 32, 228 << 10, 1024),
    Multiprocessor(103, 2048, 32, 228 << 10, 1024),
    Multiprocessor(120, 1536, 24, 100 << 10, 1024),
];
/// Registers of a multiprocessor, on all of these.
const REGISTERS: u32 = 64 << 10;
/// Threads of a warp.
const WARP: u32 = 32;

/// The architectures that both the compiler and the table of multiprocessors know.
pub fn architectures() -> Vec<u32> {
    let supported = compile::supported();
    MULTIPROCESSORS.iter().map(|it| it.0).filter(|it| supported.contains(it)).collect()
}

/// Compiles a kernel for an architecture.
///
/// # Errors
/// Words for the user: there is no compiler, or it refuses the code.
pub fn resources(source: &str, architecture: u32) -> Result<Resources, String> {
    let log = compile::verbose(source, architecture).map_err(|error| error.message)?;
    parse(&log)
        .ok_or_else(|| format!("the CUDA run-time compiler does not say what the kernel needs:\n{log}"))
}

/// The number in front of a phrase.
fn before(text: &str, phrase: &str) -> Option<u32> {
    let end = text.find(phrase)?;
    text[..end].split(|c: char| !c.is_ascii_digit()).next_back()?.parse().ok()
}

/// What the log says of the kernel: the function whose registers are reported.
fn parse(log: &str) -> Option<Resources> {
    let mut found = Resources::default();
    let mut any = false;
    let mut function = false;
    for line in log.lines() {
        if line.contains("Function properties for") {
            // Functions that are not inlined add their frames, but are no kernels.
            function = !line.contains(" K_") && !line.contains("apg_self_test");
        }
        if line.contains("bytes stack frame") && !function {
            found.stack = before(line, " bytes stack frame").unwrap_or(0);
            found.spill_stores = before(line, " bytes spill stores").unwrap_or(0);
            found.spill_loads = before(line, " bytes spill loads").unwrap_or(0);
        }
        if let Some(registers) = before(line, " registers") {
            any = true;
            found.registers = registers;
            found.barriers = before(line, " barriers").unwrap_or(0);
            found.shared = before(line, " bytes smem").unwrap_or(0);
            found.constant = line.split(',').filter_map(|part| before(part, " bytes cmem")).sum();
        }
    }
    any.then_some(found)
}

/// How many blocks of that size, with that much shared memory each, a multiprocessor holds; none if the
/// architecture is unknown.
pub fn occupancy(architecture: u32, resources: &Resources, threads: u32, shared: u32) -> Option<Occupancy> {
    let Multiprocessor(_, most_threads, most_blocks, most_shared, overhead) =
        *MULTIPROCESSORS.iter().find(|it| it.0 == architecture)?;
    let warps = threads.div_ceil(WARP).max(1);
    // Registers are given out 256 at a time to a warp, and four parts of a multiprocessor have a quarter
    // each.
    let of_warp = (resources.registers.max(1) * WARP).next_multiple_of(256);
    let by_registers = REGISTERS / 4 / of_warp * 4 / warps;
    let of_block = (shared + resources.shared + overhead).next_multiple_of(128);
    let by_shared = most_shared.checked_div(of_block).unwrap_or(u32::MAX);
    let limits = [
        (most_threads / (warps * WARP), Limit::Threads),
        (most_blocks, Limit::Blocks),
        (by_registers, Limit::Registers),
        (by_shared, Limit::Shared),
    ];
    let (blocks, limit) = limits.into_iter().min_by_key(|it| it.0)?;
    let limit = if blocks == 0 { Limit::Nothing } else { limit };
    Some(Occupancy { blocks, threads: blocks * warps * WARP, most_threads, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "ptxas info    : 24 bytes gmem\n\
        ptxas info    : Function properties for apg_fail\n\
        \x20   8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Compiling entry function 'K_Main' for 'sm_90'\n\
        ptxas info    : Function properties for K_Main\n\
        \x20   16 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 600 bytes cmem[0], 8 bytes cmem[2]\n";

    #[test]
    fn compiler_log_is_parsed() {
        let found = parse(LOG).expect("registers are reported");
        let expected = Resources {
            registers: 40,
            shared: 1024,
            constant: 608,
            stack: 16,
            spill_stores: 4,
            spill_loads: 12,
            barriers: 1,
        };
        assert_eq!(found, expected);
        assert_eq!(parse("nothing"), None);
    }

    #[test]
    fn scarcest_resource_limits_the_blocks() {
        let with = |registers| Resources { registers, ..Resources::default() };
        let found = |registers, threads, shared| {
            occupancy(90, &with(registers), threads, shared).map(|it| (it.blocks, it.limit))
        };
        assert_eq!(found(32, 256, 0), Some((8, Limit::Threads)));
        assert_eq!(found(40, 256, 0), Some((6, Limit::Registers)));
        assert_eq!(found(32, 32, 0), Some((32, Limit::Blocks)));
        assert_eq!(found(32, 256, 100 << 10), Some((2, Limit::Shared)));
        assert_eq!(found(255, 1024, 0), Some((0, Limit::Nothing)));
        assert_eq!(occupancy(10, &with(32), 256, 0), None);
    }
}
