//! CPU affinity of processes (`sched_getaffinity(2)`): a launcher may give each of its processes CPUs of its
//! own.

/// CPUs that a process may use, as bits. The system refuses to tell more than these.
const MAX_CPUS: usize = 4096;

type CpuSet = [u64; MAX_CPUS / 64];

/// Whether a process may use a CPU that this process may use; true if the system does not say.
pub(crate) fn shares_cpus_with(process: u32) -> bool {
    match (cpus_of(std::process::id()), cpus_of(process)) {
        (Some(own), Some(others)) => intersect(&own, &others),
        _ => true,
    }
}

fn intersect(one: &CpuSet, other: &CpuSet) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// The CPUs of a process, or of a thread by its number.
fn cpus_of(process: u32) -> Option<CpuSet> {
    let process = libc::pid_t::try_from(process).ok()?;
    let mut cpus: CpuSet = [0; MAX_CPUS / 64];
    // SAFETY: room for as many bytes as are passed; any bits are a set.
    let result = unsafe { libc::sched_getaffinity(process, size_of::<CpuSet>(), cpus.as_mut_ptr().cast()) };
    (result == 0).then_some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_shares_its_own_cpus() {
        assert!(shares_cpus_with(std::process::id()));
        assert!(shares_cpus_with(u32::MAX), "there is none such");
    }

    /// The CPUs of a thread that binds itself to one.
    fn cpus_of_thread_bound_to(cpu: usize) -> CpuSet {
        let bound = std::thread::spawn(move || {
            let mut set: CpuSet = [0; MAX_CPUS / 64];
            set[cpu / 64] = 1 << (cpu % 64);
            // SAFETY: as many bytes as are passed; 0 stands for the calling thread.
            let result = unsafe { libc::sched_setaffinity(0, size_of::<CpuSet>(), set.as_ptr().cast()) };
            assert_eq!(result, 0);
            cpus_of(0).expect("the system says it")
        });
        bound.join().expect("no panic")
    }

    #[test]
    fn threads_bound_to_different_cpus_share_none() {
        let all = cpus_of(std::process::id()).expect("the system says it");
        let own = (0..MAX_CPUS).filter(|cpu| all[cpu / 64] >> (cpu % 64) & 1 == 1);
        let bound: Vec<CpuSet> = own.take(2).map(cpus_of_thread_bound_to).collect();
        assert!(bound.iter().all(|one| intersect(one, &all) && intersect(one, one)));
        assert!(bound.len() < 2 || !intersect(&bound[0], &bound[1]));
    }
}
