//! Native members of `Place`, `PlaceTopology` and `Rail.asyncCopy`.

use super::{raise, text_of};
use crate::abi::{ExceptionKind, Outcome, Raised};
use crate::apgas;
use crate::apgas::system::system;
use crate::heap::Ref;
use crate::layout::GlobalRail;
use crate::program;

/// Host places.
pub(crate) fn place_count() -> i64 {
    i64::from(system().hosts())
}

/// All places.
pub(crate) fn place_total() -> i64 {
    system().topology().places()
}

/// Hosts have the first numbers, so that they need no look at the accelerators.
fn is_host(place: i64) -> bool {
    (0..place_count()).contains(&place)
}

/// Whether it is an accelerator.
pub(crate) fn place_is_accelerator(place: i64) -> bool {
    !is_host(place) && system().topology().contains(place)
}

/// The host of an accelerator; any other place is its own.
pub(crate) fn place_parent(place: i64) -> i64 {
    if is_host(place) { place } else { system().topology().parent(place).unwrap_or(place) }
}

/// The host place in whose process the place lives.
pub(crate) fn place_host(place: i64) -> i64 {
    place_parent(place)
}

/// What the place is, for people.
pub(crate) fn place_name(place: i64) -> Outcome<Ref> {
    let name = match system().topology().accelerator(place) {
        Some(accelerator) => accelerator.name.clone(),
        None if is_host(place) => host_name(),
        None => return Err(no_place(place)),
    };
    program::string(&name)
}

/// The caller uses something that lives at another place.
pub(crate) fn raise_elsewhere(what: Ref, home: i64) -> Outcome<()> {
    let what = text_of(what)?;
    let message = format!("{what} lives at Place({home}), not Place({})", apgas::here().0);
    raise(ExceptionKind::BadPlace, &message)
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "host".to_owned() } else { name.to_owned() }
}

fn no_place(place: i64) -> Raised {
    bad_place(&format!("there is no Place({place})"))
}

fn bad_place(message: &str) -> Raised {
    Raised(system().engine().exception(ExceptionKind::BadPlace, message))
}

/// Raises unless closures can run at the place: there is none, or it is an accelerator.
pub(crate) fn check_host(place: i64) -> Outcome<()> {
    apgas::host_place(place).map(|_| ())
}

/// Starts a copy of a closure at another host place; the innermost finish waits for it if it is `counted`.
pub(crate) fn send_async(place: i64, closure: Ref, counted: bool) -> Outcome<()> {
    if counted { apgas::async_at(place, closure) } else { apgas::async_at_uncounted(place, closure) }
}

/// Number of accelerators of a host.
pub(crate) fn place_child_count(place: i64) -> i64 {
    if is_host(place) { system().topology().children(place).count() as i64 } else { 0 }
}

/// An accelerator of a host.
pub(crate) fn place_child(place: i64, index: i64) -> Outcome<i64> {
    let child = usize::try_from(index).ok().and_then(|index| system().topology().children(place).nth(index));
    child.ok_or_else(|| {
        bad_place(&format!(
            "Place({place}) has {} children, so none with number {index}",
            place_child_count(place)
        ))
    })
}

/// Which of its host's accelerators it is.
pub(crate) fn place_child_index(place: i64) -> Outcome<i64> {
    let index = if is_host(place) { None } else { system().topology().child_index(place) };
    index.ok_or_else(|| bad_place(&format!("Place({place}) is not the child of a place")))
}

/// A new number for an object of each place, the same at all places.
pub(crate) fn place_local_make() -> i64 {
    apgas::place_local::new_local()
}

/// This place's object with that number, or null.
pub(crate) fn place_local_get(number: i64) -> Ref {
    apgas::place_local::local(number)
}

/// Sets it; null ends it.
pub(crate) fn place_local_set(number: i64, object: Ref) {
    apgas::place_local::set_local(number, object);
}

/// Starts a copy from a rail here to a global rail; the innermost finish waits for it.
pub(crate) fn async_put(
    source: Ref,
    source_index: i64,
    target_size: i64,
    target_home: i64,
    target_handle: i64,
    target_index: i64,
    count: i64,
) -> Outcome<()> {
    let target = GlobalRail { size: target_size, home: target_home, handle: target_handle };
    apgas::put(source, source_index, target, target_index, count)
}

/// Starts a copy from a global rail to a rail here; the innermost finish waits for it.
pub(crate) fn async_get(
    source_size: i64,
    source_home: i64,
    source_handle: i64,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
) -> Outcome<()> {
    let source = GlobalRail { size: source_size, home: source_home, handle: source_handle };
    apgas::get(source, source_index, target, target_index, count)
}

/// Starts a copy from a global rail of an accelerator of this host to one of another host or of any
/// accelerator; the innermost finish waits for it.
#[expect(clippy::too_many_arguments, reason = "the signature of the entry")]
pub(crate) fn async_copy_devices(
    sample: Ref,
    source_size: i64,
    source_home: i64,
    source_handle: i64,
    source_index: i64,
    target_size: i64,
    target_home: i64,
    target_handle: i64,
    target_index: i64,
    count: i64,
) -> Outcome<()> {
    let source = GlobalRail { size: source_size, home: source_home, handle: source_handle };
    let target = GlobalRail { size: target_size, home: target_home, handle: target_handle };
    apgas::between(sample, source, source_index, target, target_index, count)
}
