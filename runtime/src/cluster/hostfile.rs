//! Host lists and host files: the syntax of X10 (`X10_HOSTFILE`: a host a line), Open MPI (`host slots=N`)
//! and MPICH (`host:N`), and the allocation of places to hosts by them.

use crate::base::place::HostId;
use crate::net::bootstrap::launcher::MAX_PLACES;
use crate::net::placement::Placement;

/// A host as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// What `ssh` is given: a name or an address, with a user in front if need be (`user@host`).
    pub name: String,
    /// The places that it takes, if that was said.
    pub slots: Option<u32>,
}

/// Reads a list such as `a:4,b:4` or X10's `a,b`.
///
/// # Errors
/// What is wrong with an entry.
pub fn parse_list(text: &str) -> Result<Vec<Host>, String> {
    let entries = text.split(',').map(str::trim);
    let hosts = entries.map(parse_host).collect::<Result<Vec<_>, _>>()?;
    Ok(hosts)
}

/// Hosts as [`parse_list`] reads them.
#[must_use]
pub fn list(hosts: &[Host]) -> String {
    let entry = |host: &Host| {
        // Colons are an IPv6 address's own.
        let name = match (host.name.contains(':'), host.name.split_once('@')) {
            (false, _) => host.name.clone(),
            (true, Some((user, address))) => format!("{user}@[{address}]"),
            (true, None) => format!("[{}]", host.name),
        };
        host.slots.map_or_else(|| name.clone(), |slots| format!("{name}:{slots}"))
    };
    hosts.iter().map(entry).collect::<Vec<_>>().join(",")
}

/// Reads a host file: a host a line, with `:N` or `slots=N`; `#` begins a comment.
///
/// # Errors
/// What is wrong with a line, with its number.
pub fn parse_file(text: &str) -> Result<Vec<Host>, String> {
    let mut hosts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        let mut parse = || {
            let mut host = parse_host(first)?;
            words.try_for_each(|word| apply_option(&mut host, word))?;
            Ok(host)
        };
        hosts.push(parse().map_err(|error: String| format!("line {number}: {error}"))?);
    }
    if hosts.is_empty() { Err("it names no host".to_owned()) } else { Ok(hosts) }
}

/// `slots=4` of a line.
fn apply_option(host: &mut Host, word: &str) -> Result<(), String> {
    match word.split_once('=') {
        Some(("slots", count)) if host.slots.is_none() => host.slots = Some(parse_slots(count)?),
        Some(("slots", _)) => return Err(format!("`{}` has two numbers of places", host.name)),
        // A limit of oversubscription, which does not happen here.
        Some(("max_slots" | "max-slots", count)) => drop(parse_slots(count)?),
        _ => return Err(format!("`{word}` is not understood: write `HOST`, `HOST:N` or `HOST slots=N`")),
    }
    Ok(())
}

/// `[user@]host[:N]`; an IPv6 address is in brackets.
fn parse_host(text: &str) -> Result<Host, String> {
    let (user, rest) = match text.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, text),
    };
    let (name, slots) = match rest.strip_prefix('[') {
        Some(rest) => {
            let Some((address, rest)) = rest.split_once(']') else {
                return Err(format!("`{text}` has no `]` behind its address"));
            };
            match rest.strip_prefix(':') {
                Some(count) => (address, Some(count)),
                None if rest.is_empty() => (address, None),
                None => return Err(format!("`{rest}` behind `]` is not understood in `{text}`")),
            }
        }
        None => match rest.split_once(':') {
            Some((_, count)) if count.contains(':') => {
                return Err(format!("`{text}`: write an IPv6 address in brackets, such as `[{rest}]:4`"));
            }
            Some((name, count)) => (name, Some(count)),
            None => (rest, None),
        },
    };
    let allowed = |part: &str, more: &str| {
        // What begins with a dash would be an option of ssh.
        !part.is_empty()
            && !part.starts_with('-')
            && part.chars().all(|it| it.is_ascii_alphanumeric() || more.contains(it))
    };
    if !allowed(name, "._-:%") || user.is_some_and(|user| !allowed(user, "._-+")) {
        return Err(format!(
            "`{text}` is no host: write a name or address, such as `node7`, `user@node7` or `node7:4`"
        ));
    }
    let name = user.map_or_else(|| name.to_owned(), |user| format!("{user}@{name}"));
    Ok(Host { name, slots: slots.map(parse_slots).transpose()? })
}

fn parse_slots(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count) if (1..=MAX_PLACES).contains(&count) => Ok(count),
        _ => Err(format!("`{text}` is no number of places: write 1 to {MAX_PLACES}")),
    }
}

/// Allocates places to hosts. Hosts with numbers of places are filled in order (one place where the number is
/// left out), up to `places`. Without any numbers place p is on host p modulo their count, as with X10; the
/// default is one place each. A host that is named again gets more.
///
/// # Errors
/// There are more places than the hosts take, or too many at all.
pub fn allocate(hosts: &[Host], places: Option<u32>) -> Result<Placement, String> {
    let mut names: Vec<String> = Vec::new();
    let numbers: Vec<HostId> = hosts
        .iter()
        .map(|host| {
            let known = names.iter().position(|name| *name == host.name).unwrap_or_else(|| {
                names.push(host.name.clone());
                names.len() - 1
            });
            HostId(known as u32)
        })
        .collect();
    let slots = |host: &Host| host.slots.unwrap_or(1);
    let room: u64 = hosts.iter().map(|host| u64::from(slots(host))).sum();
    let wanted = places.map_or(room, u64::from);
    if wanted > u64::from(MAX_PLACES) {
        return Err(format!("{wanted} places: there must be 1 to {MAX_PLACES}"));
    }
    let wraps = hosts.iter().all(|host| host.slots.is_none());
    if !wraps && wanted > room {
        return Err(format!(
            "{wanted} places, but the hosts take {room}: raise their numbers of places, or leave all of them \
             out, so that places go to the hosts in rounds"
        ));
    }
    let filled: Vec<HostId> = match wraps {
        true => numbers.iter().copied().cycle().take(wanted as usize).collect(),
        false => {
            let of_host = |(host, number): (&Host, &HostId)| vec![*number; slots(host) as usize];
            hosts.iter().zip(&numbers).flat_map(of_host).take(wanted as usize).collect()
        }
    };
    Ok(without_idle_hosts(names, filled))
}

/// Leaves out hosts without places; the others keep their order.
fn without_idle_hosts(names: Vec<String>, mut hosts: Vec<HostId>) -> Placement {
    let mut kept = Vec::new();
    for (number, name) in (0..).map(HostId).zip(names) {
        if hosts.contains(&number) {
            let new = HostId(kept.len() as u32);
            // New numbers are never above old ones, so that none is changed twice.
            hosts.iter_mut().filter(|host| **host == number).for_each(|host| *host = new);
            kept.push(name);
        }
    }
    Placement::new(kept, hosts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn host(name: &str, slots: Option<u32>) -> Host {
        Host { name: name.to_owned(), slots }
    }

    fn described(text: &str, places: Option<u32>) -> Result<Vec<String>, String> {
        let placement = allocate(&parse_list(text)?, places)?;
        let name = |place| placement.names()[placement.host(place).0 as usize].clone();
        Ok((0..placement.places()).map(|place| name(crate::base::place::PlaceId(place))).collect())
    }

    #[test]
    fn lists_have_names_users_addresses_and_counts() {
        assert_eq!(
            parse_list("a:4, me@b ,[fe80::1%eth0]:2,10.0.0.7"),
            Ok(vec![
                host("a", Some(4)),
                host("me@b", None),
                host("fe80::1%eth0", Some(2)),
                host("10.0.0.7", None)
            ])
        );
        let text = "a:4,me@b,me@[fe80::1%eth0]:2,[::1],10.0.0.7";
        assert_eq!(list(&parse_list(text).expect("hosts")), text);
    }

    #[test]
    fn files_of_x10_open_mpi_and_mpich_are_read() {
        let text = "# cluster\nnode1\n\nnode2 slots=4 max_slots=8  # big\nnode3:2\n";
        let expected = vec![host("node1", None), host("node2", Some(4)), host("node3", Some(2))];
        assert_eq!(parse_file(text), Ok(expected));
    }

    #[test]
    fn errors_name_the_line_and_the_word() {
        for (text, expected) in [
            ("a\nb slots=0", "line 2: `0` is no number of places"),
            ("a sockets=2", "line 1: `sockets=2` is not understood"),
            ("a:2 slots=3", "two numbers of places"),
            ("\n# nothing\n", "names no host"),
            ("-oProxyCommand=sh", "`-oProxyCommand=sh` is no host"),
            ("fe80::1", "write an IPv6 address in brackets"),
            ("a;reboot", "is no host"),
        ] {
            let error = parse_file(text).expect_err(text);
            assert!(error.contains(expected), "{error}");
        }
        for text in ["", "a,,b", "a:", "a:x", "a:99999", "[::1", "[::1]x", "@a", "-l@a"] {
            assert!(parse_list(text).is_err(), "{text}");
        }
    }

    #[test]
    fn places_fill_hosts_with_counts_and_go_round_without() {
        let names = |text: &str| Ok(text.split(' ').map(str::to_owned).collect());
        assert_eq!(described("a:2,b:3", None), names("a a b b b"));
        assert_eq!(described("a:2,b:3", Some(3)), names("a a b"));
        assert_eq!(described("a:2,b,a:1", None), names("a a b a"));
        assert_eq!(described("a,b", Some(5)), names("a b a b a"));
        assert_eq!(described("a,b,a", Some(5)), names("a b a a b"));
        assert_eq!(described("a:1,b:1", Some(1)), names("a"));
        let error = described("a:2,b:3", Some(6)).expect_err("no room");
        assert!(error.contains("6 places, but the hosts take 5"), "{error}");
        assert!(described("a:1000,b:1000", None).is_err());
    }

    #[test]
    fn hosts_without_places_are_left_out() {
        let hosts = parse_list("a:2,b:2,c:2").expect("hosts");
        assert_eq!(allocate(&hosts, Some(2)).expect("room").names(), ["a"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[ -~\n]{0,60}") {
            for host in parse_file(&text).into_iter().chain(parse_list(&text)).flatten() {
                prop_assert!(!host.name.starts_with('-') && !host.name.contains([' ', '\'', ';']));
            }
        }
    }
}
