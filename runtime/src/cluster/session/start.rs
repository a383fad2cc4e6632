//! Start of a program on many hosts: agents, then the program, then the places, on all hosts at once.

use std::net::IpAddr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use sha2::{Digest, Sha256};

use crate::base::place::HostId;
use crate::cluster::control::{FromAgent, Prepare, Start, ToAgent};
use crate::cluster::environment;
use crate::cluster::session::profile::compare_clocks;
use crate::cluster::session::reach::{for_all_hosts, reach};
use crate::cluster::session::{Agents, Event, Job, Reached, Session};
use crate::net::bootstrap::handshake::Secret;
use crate::net::timeouts::Timeouts;
use crate::run::Image;

/// Starts the program. From then on a thread for each host handles the messages of its agent.
///
/// # Errors
/// What failed at which hosts.
pub(super) fn start(
    session: &Arc<Session>,
    job: &Job,
    agents: Agents,
    timeouts: Timeouts,
    events: &Sender<Event>,
) -> Result<(), String> {
    let program = match &job.program {
        Image::Bytes(bytes) => bytes.clone(),
        Image::File(path) => std::fs::read(path)
            .map_err(|error| format!("cannot read the program {}: {error}", path.display()))?,
    };
    let deadline = Instant::now() + timeouts.start;
    let mut reached = reach(session, agents, deadline, timeouts.silence)?;
    let leader = prepare(session, job, &program, timeouts, &mut reached)?;
    if let Some(profile) = &session.profile {
        compare_clocks(session, profile, &mut reached)?;
    }
    let secret = Secret::random().map_err(|error| format!("there are no random bytes: {error}"))?;
    for (number, host) in (0..).map(HostId).zip(&session.hosts) {
        // A host that is lost by now is reported by its reader.
        let _ = host.send(&ToAgent::Start(start_message(session, job, number, leader, secret)), &[]);
    }
    for (number, host) in (0..).map(HostId).zip(reached) {
        let (session, events) = (Arc::clone(session), events.clone());
        std::thread::Builder::new()
            .name("apg-host".to_owned())
            .spawn(move || session.read(number, host.messages, &events))
            .map_err(|error| format!("cannot start a thread: {error}"))?;
    }
    Ok(())
}

/// Has all agents prepare, and sends them the program where they do not have it. The address of place 0.
fn prepare(
    session: &Session,
    job: &Job,
    program: &[u8],
    timeouts: Timeouts,
    reached: &mut [Reached],
) -> Result<(IpAddr, u16), String> {
    let digest: [u8; 32] = Sha256::digest(program).into();
    let addresses: Vec<Option<IpAddr>> = reached.iter().map(|host| host.address).collect();
    let inputs = (0..).map(HostId).zip(reached.iter_mut());
    let prepared = for_all_hosts(session, inputs, usize::MAX, |number, reached| {
        let host = session.host(number);
        let message = ToAgent::Prepare(Prepare {
            interface: job.interface.clone(),
            toward: address_of_another(&addresses, number),
            leads: number == session.leader,
            digest,
            silence: timeouts.silence.map_or(0, |silence| silence.as_secs()),
        });
        let lost = |error| host.describe_loss(Some(&error));
        host.send(&message, &[]).map_err(lost)?;
        loop {
            match reached.next(host)? {
                (FromAgent::Ready { address, port, needs_program }, _) => {
                    if needs_program {
                        host.send_program(program).map_err(lost)?;
                    }
                    return Ok((address, port));
                }
                (FromAgent::Heartbeat, _) => {}
                _ => return Err(host.out_of_order()),
            }
        }
    })?;
    Ok(prepared[session.leader.0 as usize])
}

/// An address at which another host than `own` can be reached; none if all places are on one machine.
fn address_of_another(addresses: &[Option<IpAddr>], own: HostId) -> Option<IpAddr> {
    let others = (0..).map(HostId).zip(addresses).filter(|(host, _)| *host != own);
    let mut others = others.filter_map(|(_, address)| *address);
    // Two names of one machine: its loopback interface does.
    let is_elsewhere = |address: &IpAddr| !address.is_loopback();
    let other = others.find(is_elsewhere);
    // The other hosts are this machine, which the hosts beyond reach at the address of its ssh server.
    other.or_else(|| addresses[own.0 as usize].filter(is_elsewhere))
}

fn start_message(
    session: &Session,
    job: &Job,
    agent: HostId,
    leader: (IpAddr, u16),
    secret: Secret,
) -> Start {
    let bytes = |words: &[std::ffi::OsString]| words.iter().map(|word| word.as_bytes().to_vec()).collect();
    let placement = &job.placement;
    let hosts = (0..placement.places()).map(|place| placement.host(crate::base::place::PlaceId(place)).0);
    Start {
        places: session.agents.places_on(agent).map(|place| place.0).collect(),
        names: placement.names().to_vec(),
        hosts: hosts.collect(),
        leader,
        secret: secret.0,
        encrypts: !job.private_network,
        command: job.place_command.as_bytes().to_vec(),
        options: bytes(&job.place_options),
        arguments: job.arguments.clone(),
        variables: environment::forwarded().into_iter().chain(further_variables(job)).collect(),
        folder: std::env::current_dir().unwrap_or_default().into_os_string().into_vec(),
        threads: job.threads,
        is_profiled: job.profile.is_some(),
    }
}

/// Those of the job that the user has not set.
fn further_variables(job: &Job) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let missing = job.variables.iter().filter(|(name, _)| std::env::var_os(name).is_none());
    missing.map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_get_an_address_beyond_themselves() {
        let address = |text: &str| Some(text.parse::<IpAddr>().expect("an address"));
        let (near, far, loopback) = (address("10.0.0.1"), address("10.0.0.2"), address("127.0.0.1"));
        assert_eq!(address_of_another(&[near, far], HostId(0)), far);
        assert_eq!(address_of_another(&[None, far], HostId(0)), far);
        assert_eq!(address_of_another(&[None, far], HostId(1)), far, "the launcher's machine has no address");
        assert_eq!(address_of_another(&[None, loopback], HostId(0)), None);
        assert_eq!(address_of_another(&[None], HostId(0)), None);
    }
}
