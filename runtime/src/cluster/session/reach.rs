//! The agents of a program's hosts: started by ssh, directly or by way of other hosts' agents, or met.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::place::HostId;
use crate::cluster::channel::Starter;
use crate::cluster::frames::WatchedReader;
use crate::cluster::rendezvous::Caller;
use crate::cluster::session::host::Greeted;
use crate::cluster::session::tree::{self, Branch};
use crate::cluster::session::{Agents, Reached, Session};
use crate::cluster::{agent, identity};

/// Maximum number of hosts to which connections are made at once: ssh servers and jump hosts refuse more.
const MAX_CONNECTIONS_IN_PROGRESS: usize = 10;

/// Does something for hosts, of which `limit` are in progress at once; all failures in one message.
pub(super) fn for_all_hosts<Input: Send, Output: Send>(
    session: &Session,
    inputs: impl IntoIterator<Item = (HostId, Input)>,
    limit: usize,
    work: impl Fn(HostId, Input) -> Result<Output, String> + Sync,
) -> Result<Vec<Output>, String> {
    let mut results = Vec::new();
    let mut inputs = inputs.into_iter();
    loop {
        let batch: Vec<_> = inputs.by_ref().take(limit).collect();
        if batch.is_empty() {
            break;
        }
        let work = &work;
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                batch.into_iter().map(|(host, input)| scope.spawn(move || work(host, input))).collect();
            let ended = threads.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => Err("internal error: a thread has panicked".to_owned()),
            });
            results.extend(ended);
        });
        if results.iter().any(Result::is_err) {
            break;
        }
    }
    let failures: Vec<&str> =
        results.iter().filter_map(|result| result.as_ref().err().map(String::as_str)).collect();
    if failures.is_empty() {
        return results.into_iter().collect();
    }
    let count = session.hosts.iter().map(|host| host.name()).collect::<std::collections::BTreeSet<_>>().len();
    let hosts = if count == 1 { "host" } else { "hosts" };
    Err(format!("cannot start the program on {count} {hosts}:\n  {}", failures.join("\n  ")))
}

/// Has the agents of all hosts run.
///
/// # Errors
/// What failed at which hosts.
pub(super) fn reach(
    session: &Session,
    agents: Agents,
    deadline: Instant,
    silence: Option<Duration>,
) -> Result<Vec<Reached>, String> {
    let cannot = |error: io::Error| format!("cannot find apg itself: {error}");
    let executable = std::env::current_exe().map_err(cannot)?;
    let identity = identity::of_this_executable().map_err(cannot)?;
    let (ssh, callers) = match agents {
        Agents::Ssh(ssh) => (ssh, None),
        Agents::Called(callers) => (Vec::new(), Some(callers)),
    };
    let starter = Starter {
        command: agent::COMMAND,
        ssh: &ssh,
        options: &[],
        folder: None,
        executable: &executable,
        identity: &identity,
        deadline,
        similar: None,
        installing: &|| {},
    };
    let greeted = match callers {
        None => start(session, &starter)?,
        Some(callers) => meet(session, callers, &starter)?,
    };
    let reached = greeted
        .into_iter()
        .map(|(source, address)| Reached { messages: WatchedReader::new(source, silence), address });
    Ok(reached.collect())
}

/// Uses the agents that have called, and starts those that are this process's to start.
fn meet(
    session: &Session,
    callers: Vec<Option<Caller>>,
    starter: &Starter<'_>,
) -> Result<Vec<Greeted>, String> {
    for_all_hosts(session, (0..).map(HostId).zip(callers), usize::MAX, |number, caller| {
        let host = session.host(number);
        match caller {
            // Its connection ends with this process.
            Some(caller) => host.attach(caller, Box::new(|| {}), starter),
            None => host.start_here(starter),
        }
    })
}

/// Starts the agents of all hosts by ssh, of many hosts by a tree.
fn start(session: &Session, starter: &Starter<'_>) -> Result<Vec<Greeted>, String> {
    let names: Vec<String> = session.hosts.iter().map(|host| host.name().to_owned()).collect();
    let routes = tree::routes(&names, tree::fan_out()?);
    let direct = |number: HostId, ()| Ok((number, session.host(number).start(starter)?));
    let hosts = || (0..).map(HostId).zip(&routes);
    let first = hosts().filter(|(_, route)| route.is_none()).map(|(host, _)| (host, ()));
    let mut greeted: BTreeMap<HostId, Greeted> =
        for_all_hosts(session, first, MAX_CONNECTIONS_IN_PROGRESS, direct)?.into_iter().collect();
    let branches = branch(session, &routes, &mut greeted)?;
    let below = hosts().filter_map(|(host, route)| Some((host, Arc::clone(branches.get(&(*route)?)?))));
    // Neighbours in the list are reached by way of different hosts.
    let limit = MAX_CONNECTIONS_IN_PROGRESS * branches.len().max(1);
    let reached = for_all_hosts(session, below, limit, |number, branch| {
        Ok((number, start_by_way(session, number, branch, starter)?))
    })?;
    let (by_way, left): (Vec<_>, Vec<_>) = reached.into_iter().partition(|(_, it)| it.is_some());
    greeted.extend(by_way.into_iter().filter_map(|(host, it)| Some((host, it?))));
    let left = left.into_iter().map(|(host, _)| (host, ()));
    greeted.extend(for_all_hosts(session, left, MAX_CONNECTIONS_IN_PROGRESS, direct)?);
    Ok(greeted.into_values().collect())
}

/// Takes over the messages of the hosts by way of which others are reached.
fn branch(
    session: &Session,
    routes: &[Option<HostId>],
    greeted: &mut BTreeMap<HostId, Greeted>,
) -> Result<BTreeMap<HostId, Arc<Branch>>, String> {
    let mut branches = BTreeMap::new();
    for parent in routes.iter().flatten() {
        if branches.contains_key(parent) {
            continue;
        }
        let Some((source, address)) = greeted.remove(parent) else { continue };
        let (branch, source) = Branch::begin(&session.host(*parent).channel, source)
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        greeted.insert(*parent, (Box::new(source), address));
        branches.insert(*parent, branch);
    }
    Ok(branches)
}

/// Starts an agent by way of another one; `None` if the other host does not reach it, which may lack keys or
/// a route that this machine has.
fn start_by_way(
    session: &Session,
    number: HostId,
    branch: Arc<Branch>,
    starter: &Starter<'_>,
) -> Result<Option<Greeted>, String> {
    let host = session.host(number);
    let ssh: &[OsString] = starter.ssh;
    match branch.connect(number, &host.channel, ssh, starter.deadline) {
        Ok(caller) => host.attach(caller, Box::new(move || branch.abandon(number)), starter).map(Some),
        Err(why) => {
            tracing::debug!(host = host.name(), why, "not reached by way of another host");
            Ok(None)
        }
    }
}
