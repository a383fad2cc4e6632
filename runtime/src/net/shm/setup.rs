//! Setup of shared memory between two places of one machine: one of them makes it and sends its address over
//! their connection, the other opens it.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use crate::base::place::PlaceId;
use crate::net::mesh::link::Link;
use crate::net::placement::Placement;
use crate::net::shm::ring::{Memory, Ring};

/// With more places on a host there are no rings, which need memory and a thread for every two places.
pub(crate) const MAX_PLACES_WITH_RINGS: u32 = 16;

/// A timeout of 0 would be none.
pub(crate) const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);

/// The rings to the places of this host that the links lead to: each of a pair has to call this, and answers
/// until the deadline. Between two places the one with the lower number makes the memory.
pub(crate) fn share(
    here: PlaceId,
    placement: &Placement,
    links: &mut [Option<Link>],
    deadline: Instant,
) -> io::Result<Vec<Option<(Ring, Ring)>>> {
    let mut rings: Vec<Option<(Ring, Ring)>> = links.iter().map(|_| None).collect();
    let host = placement.host(here);
    if placement.places_on(host).count() > MAX_PLACES_WITH_RINGS as usize {
        return Ok(rings);
    }
    let is_wanted = is_wanted()?;
    // A process number of another host would name a stranger here.
    let is_near = |place: usize| placement.host(PlaceId(place as u32)) == host;
    let here = here.0;
    let mut offers = Vec::new();
    for (place, link) in links.iter_mut().enumerate().skip(here as usize + 1) {
        let Some(Link { stream, .. }) = link else { continue };
        if !is_near(place) {
            continue;
        }
        // Without shared memory the connection does.
        let memory = Memory::new().ok().filter(|_| is_wanted);
        let address = memory.as_ref().map_or([0, 0], Memory::address);
        let rings = memory.and_then(|memory| Some((memory.rings(1).ok()?, memory)));
        if let Some(((_, out), _)) = &rings {
            out.offer_zero_copy();
        }
        stream.write_all(&address.map(u32::to_le_bytes).concat())?;
        offers.push((place, rings));
    }
    for (place, link) in links.iter_mut().enumerate().take(here as usize) {
        let Some(link) = link else { continue };
        if !is_near(place) {
            continue;
        }
        let mut bytes = [[0; 4]; 2];
        read_before(deadline, place, link, bytes.as_flattened_mut())?;
        let address = bytes.map(u32::from_le_bytes);
        let opened = match address[0] {
            0 => Err(io::ErrorKind::Unsupported.into()),
            _ => Memory::open(address),
        };
        rings[place] = opened.and_then(|memory| memory.rings(0)).ok();
        if let Some((input, out)) = &rings[place] {
            input.accept_zero_copy();
            out.offer_zero_copy();
        }
        link.stream.write_all(&[u8::from(rings[place].is_some())])?;
    }
    for (place, offered) in offers {
        let Some(link) = &mut links[place] else { continue };
        let mut taken = [0];
        read_before(deadline, place, link, &mut taken)?;
        if let (Some(((input, out), _)), [1]) = (offered, taken) {
            input.accept_zero_copy();
            rings[place] = Some((input, out));
        }
    }
    Ok(rings)
}

/// Whether places of one host may share memory: `APG_SHARED_MEMORY`.
fn is_wanted() -> io::Result<bool> {
    match std::env::var("APG_SHARED_MEMORY").as_deref() {
        Err(_) | Ok("" | "on") => Ok(true),
        Ok("off") => Ok(false),
        Ok(other) => {
            let message = format!("APG_SHARED_MEMORY is `{other}`; it must be `on` or `off`");
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
    }
}

fn read_before(deadline: Instant, place: usize, link: &mut Link, bytes: &mut [u8]) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now()).max(SHORTEST_TIMEOUT);
    link.stream.set_read_timeout(Some(left))?;
    link.stream.read_exact(bytes).map_err(|error| {
        io::Error::new(error.kind(), format!("place {place} does not answer about shared memory: {error}"))
    })
}
