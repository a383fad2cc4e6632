//! Regions that have no device form, on the host: they see the values that the device has (OpenMP 5.2,
//! section 5.8), so that a program gives the same results wherever its regions run.

use super::layout::{Captured, Map, text};
use super::memory::{DeviceKind, TargetDevice};
use super::present_table::Lent;
use super::regions::{Devices, Outcome, TargetError, enter_all, exit_all};

/// What a region on the host has of a device.
pub(super) struct LentData {
    device: i64,
    maps: Vec<Map>,
    ranges: Vec<Lent>,
}

impl Devices {
    /// Begins a region on the host that is one of a device; `None` if the program wants it on the host.
    ///
    /// # Safety
    /// The maps name memory of the program, which nothing else uses until [`Devices::take_back`].
    pub(super) unsafe fn lend(
        &self,
        number: i64,
        maps: &[Map],
        pointers: &[Captured],
    ) -> Outcome<Option<LentData>> {
        let Some(device) = self.find(number)? else { return Ok(None) };
        check_policy()?;
        pointers.iter().try_for_each(|it| check_pointer(device, it))?;
        let mut table = device.table.lock();
        // SAFETY: the caller's memory.
        let ranges = unsafe {
            enter_all(device, &mut table, maps)?;
            table.lend(device)?
        };
        Ok(Some(LentData { device: number, maps: maps.to_vec(), ranges }))
    }

    /// Ends what `lend` began.
    ///
    /// # Safety
    /// As for `lend`.
    pub(super) unsafe fn take_back(&self, lent: LentData) -> Outcome<()> {
        let Some(device) = self.find(lent.device)? else { return Ok(()) };
        let mut table = device.table.lock();
        // SAFETY: the caller's memory.
        unsafe {
            table.take_back(device, lent.ranges)?;
            exit_all(device, &mut table, &lent.maps)
        }
    }
}

/// With `OMP_TARGET_OFFLOAD=mandatory` no region of a device runs on the host (OpenMP 5.2, section 21.2.7).
fn check_policy() -> Outcome<()> {
    let policy = std::env::var("OMP_TARGET_OFFLOAD").unwrap_or_default();
    if !policy.trim().eq_ignore_ascii_case("mandatory") {
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
