//! Regions that have no device form, on the host: they see the values that the device has (OpenMP 5.2,
//! section 5.8), so that a program gives the same results wherever its regions run.

use super::layout::{Captured, Map, capture_kind, text};
use super::memory::{DeviceKind, TargetDevice};
use super::present_table::Lent;
use super::regions::{Devices, Outcome, TargetError, enter_all, exit_all, held, is_offload_mandatory};

/// What a region on the host has of a device.
pub(super) struct LentData {
    device: i64,
    maps: Vec<Map>,
    ranges: Vec<Lent>,
}

impl Devices {
    /// Begins a region on the host that is one of a device; `None` if the program wants it on the host. Such
    /// regions of other threads wait until [`Devices::take_back`] ends it in this thread.
    ///
    /// # Safety
    /// The maps and captured objects are memory of the program, which nothing but regions uses until then.
    pub(super) unsafe fn lend(
        &self,
        number: i64,
        maps: &[Map],
        captured: &[Captured],
    ) -> Outcome<Option<LentData>> {
        let Some(device) = self.of_directive(number)? else { return Ok(None) };
        check_policy()?;
        let mut device_pointers = captured.iter().filter(|it| it.kind == capture_kind::USED_POINTER);
        device_pointers.try_for_each(|it| check_pointer(device, it))?;
        let mapped = maps.iter().filter(|it| it.bytes > 0).map(|it| it.address as usize);
        let roots: Vec<usize> = captured.iter().map(|it| it.address as usize).chain(mapped).collect();
        let exclusion = self.host_regions.lock();
        let mut table = device.table.lock();
        // SAFETY: the caller's memory.
        let (maps, ranges) = unsafe {
            let copies = enter_all(device, &mut table, maps)?;
            (held(maps, &copies).copied().collect(), table.lend(device, &roots)?)
        };
        // `take_back` unlocks it.
        std::mem::forget(exclusion);
        Ok(Some(LentData { device: number, maps, ranges }))
    }

    /// Ends what `lend` began.
    ///
    /// # Safety
    /// As for `lend`, which this thread has called for the value.
    pub(super) unsafe fn take_back(&self, lent: LentData) -> Outcome<()> {
        let Some(device) = self.find(lent.device)? else { return Ok(()) };
        let mut table = device.table.lock();
        // SAFETY: the caller's memory.
        unsafe {
            table.take_back(device, lent.ranges)?;
            exit_all(device, &mut table, lent.maps.iter())?;
        }
        drop(table);
        // SAFETY: this thread has locked it in `lend`. An error above ends the program.
        unsafe { self.host_regions.force_unlock() };
        Ok(())
    }
}

/// With `OMP_TARGET_OFFLOAD=mandatory` no region of a device runs on the host (OpenMP 5.2, section 21.2.7).
fn check_policy() -> Outcome<()> {
    if !is_offload_mandatory() {
        return Ok(());
    }
    Err(TargetError {
        message: "the region has no device form, and OMP_TARGET_OFFLOAD is `mandatory`".to_owned(),
        hint: Some("`apg build` says what it does that devices do not".to_owned()),
    })
}

/// Memory of a GPU is out of the host's reach.
fn check_pointer(device: &TargetDevice, pointer: &Captured) -> Outcome<()> {
    let is_out_of_reach =
        matches!(device.kind, DeviceKind::Gpu { .. }) && device.has_memory(pointer.address as u64);
    if !is_out_of_reach {
        return Ok(());
    }
    let name = text(pointer.name);
    Err(TargetError {
        message: format!(
            "the region runs on the host, for it has no device form, and `{name}` points to memory of the device"
        ),
        hint: Some(format!("map what `{name}` points to in place of `omp_target_alloc`")),
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::sync::Arc;

    use super::super::layout::map_kind;
    use super::*;

    #[test]
    fn regions_of_threads_exclude_each_other_on_the_host() {
        let devices = Arc::new(Devices::new(vec![TargetDevice::cpus()], Vec::new()));
        let count = Box::into_raw(Box::new(0_u64));
        let map = |kind| Map {
            name: c"count".as_ptr(),
            address: count.cast::<c_void>(),
            bytes: 8,
            pointer: std::ptr::null_mut(),
            kind,
        };
        let mut maps = [map(map_kind::TO | map_kind::FROM)];
        // SAFETY: a live object.
        assert!(unsafe { devices.enter(0, &mut maps) }.expect("mapped"));
        let address = count as usize;
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let devices = Arc::clone(&devices);
                std::thread::spawn(move || {
                    let captured = Captured {
                        name: c"count".as_ptr(),
                        address: address as *const c_void,
                        kind: capture_kind::OBJECT,
                        map: -1,
                    };
                    for _ in 0..100 {
                        // SAFETY: an object of the test, which regions use alone.
                        unsafe {
                            let lent = devices.lend(0, &[], &[captured]).expect("lent").expect("a device");
                            let count = address as *mut u64;
                            let before = count.read();
                            std::thread::yield_now();
                            count.write(before + 1);
                            devices.take_back(lent).expect("taken back");
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|it| it.join().expect("no panic"));
        // SAFETY: as above; the box is the test's own.
        unsafe {
            assert!(devices.exit(0, &maps).expect("released"));
            assert_eq!(*Box::from_raw(count), 400);
        }
    }
}
