//! Process placement: which host each place runs on.

use crate::base::place::{HostId, PlaceId};
use crate::serialize::Error;
use crate::serialize::read::Input;
use crate::serialize::write;

/// The host of each place, and the hosts' names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// By host. Empty when all places run on this machine, whose name says nothing then.
    names: Vec<String>,
    /// By place.
    hosts: Vec<HostId>,
}

impl Placement {
    /// All places on this machine.
    pub fn on_this_machine(places: u32) -> Placement {
        Placement { names: Vec::new(), hosts: vec![HostId(0); places as usize] }
    }

    /// Places on hosts with these names. Each entry of `hosts` is an index of `names`; without names all are
    /// on this machine.
    pub fn new(names: Vec<String>, hosts: Vec<HostId>) -> Placement {
        debug_assert!(hosts.iter().all(|host| (host.0 as usize) < names.len().max(1)));
        Placement { names, hosts }
    }

    /// How many places there are.
    pub fn places(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// The host of a place of the program.
    pub fn host(&self, place: PlaceId) -> HostId {
        self.hosts[place.0 as usize]
    }

    /// The places of a host, in order.
    pub fn places_on(&self, host: HostId) -> impl Iterator<Item = PlaceId> {
        (0..).zip(&self.hosts).filter(move |(_, it)| **it == host).map(|(place, _)| PlaceId(place))
    }

    /// The hosts' names, by number; empty when all places run on this machine.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// "place 3 on node7"; without the host when all places run on this machine.
    pub fn describe(&self, place: PlaceId) -> String {
        let host = self.hosts.get(place.0 as usize);
        match host.and_then(|host| self.names.get(host.0 as usize)) {
            Some(name) => format!("{place} on {name}"),
            None => place.to_string(),
        }
    }

    /// Appends it.
    pub fn encode(&self, out: &mut Vec<u8>) {
        write::number(out, self.names.len() as u64);
        for name in &self.names {
            write::number(out, name.len() as u64);
            out.extend_from_slice(name.as_bytes());
        }
        write::number(out, self.hosts.len() as u64);
        self.hosts.iter().for_each(|host| write::number(out, u64::from(host.0)));
    }

    /// Reads one.
    ///
    /// # Errors
    /// The bytes are not what [`Placement::encode`] makes.
    pub fn decode(input: &mut Input<'_>) -> Result<Placement, Error> {
        let mut names = Vec::new();
        for _ in 0..input.number()? {
            let length = usize::try_from(input.number()?).unwrap_or(usize::MAX);
            match std::str::from_utf8(input.bytes(length)?) {
                Ok(name) => names.push(name.to_owned()),
                Err(_) => return input.malformed("the name of a host in UTF-8"),
            }
        }
        let mut hosts = Vec::new();
        for _ in 0..input.number()? {
            match u32::try_from(input.number()?) {
                Ok(host) if (host as usize) < names.len().max(1) => hosts.push(HostId(host)),
                _ => return input.malformed("the number of a host"),
            }
        }
        Ok(Placement { names, hosts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_hosts() -> Placement {
        Placement::new(vec!["a".to_owned(), "b".to_owned()], [0, 1, 0].map(HostId).to_vec())
    }

    #[test]
    fn places_are_described_with_their_hosts() {
        assert_eq!(two_hosts().describe(PlaceId(1)), "place 1 on b");
        assert_eq!(Placement::on_this_machine(2).describe(PlaceId(1)), "place 1");
        assert_eq!(two_hosts().describe(PlaceId(7)), "place 7");
        assert_eq!(two_hosts().places_on(HostId(0)).collect::<Vec<_>>(), [PlaceId(0), PlaceId(2)]);
    }

    #[test]
    fn encoding_round_trips_and_damage_is_an_error() {
        for placement in [two_hosts(), Placement::on_this_machine(3)] {
            let mut bytes = Vec::new();
            placement.encode(&mut bytes);
            assert_eq!(Placement::decode(&mut Input::new(&bytes)), Ok(placement));
            for length in 0..bytes.len() {
                assert!(Placement::decode(&mut Input::new(&bytes[..length])).is_err());
            }
        }
        assert!(Placement::decode(&mut Input::new(&[0, 1, 1])).is_err(), "there is one host");
    }
}
