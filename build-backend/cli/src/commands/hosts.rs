//! Hosts of a run: `--hosts`, `--hostfile` and X10's variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use apg_runtime::cluster::hostfile::{self, Host};
use apg_runtime::cluster::session::SSH_VARIABLE;
use apg_runtime::net::placement::Placement;
use clap::Args;

use crate::failure::Failure;

/// Where places run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Other machines")]
pub(crate) struct HostOptions {
    /// Hosts and how many places each takes, such as `node1:4,user@node2:4`; they are reached by ssh
    #[arg(long, value_name = "HOST[:N],...", conflicts_with = "hostfile")]
    hosts: Option<String>,

    /// A file with a host a line: `HOST`, `HOST:N` or `HOST slots=N`
    #[arg(long, value_name = "FILE")]
    hostfile: Option<PathBuf>,

    /// The interface (`ib0`) or network (`10.0.0.0/8`) by which hosts reach each other [default: that of
    /// the ssh connection]
    #[arg(long, value_name = "NAME|CIDR")]
    interface: Option<String>,

    /// Do not encrypt connections between hosts: the network between them is private
    #[arg(long)]
    private_network: bool,
}

/// Places on hosts other than this process.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// Where the places are.
    pub placement: Placement,
    /// The words of the ssh command; none for the default.
    pub ssh: Vec<OsString>,
    /// The user's choice of an interface.
    pub interface: Option<String>,
    /// Whether connections between hosts need no encryption.
    pub private_network: bool,
}

/// An environment variable that is not empty.
pub(crate) fn environment_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

impl HostOptions {
    /// The hosts that were named: by options, else by X10's variables.
    fn named(&self) -> Result<Option<Vec<Host>>, Failure> {
        let list = |from: &str, text: &str| {
            hostfile::parse_list(text).map_err(|error| Failure::misuse(format!("{from}: {error}")))
        };
        let file = |from: &str, path: &Path| {
            let at = format!("{from} {}", path.display());
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::misuse(format!("{at}: cannot be read: {error}")))?;
            hostfile::parse_file(&text).map_err(|error| Failure::misuse(format!("{at}: {error}")))
        };
        if let Some(text) = &self.hosts {
            return list("--hosts", text).map(Some);
        }
        if let Some(path) = &self.hostfile {
            return file("--hostfile", path).map(Some);
        }
        if let Some(path) = environment_variable("X10_HOSTFILE") {
            return file("X10_HOSTFILE", path.as_ref()).map(Some);
        }
        environment_variable("X10_HOSTLIST").map(|text| list("X10_HOSTLIST", &text)).transpose()
    }

    /// The hosts of `places` places; none without hosts, or if the only one is this machine: then the number
    /// of places is that of the second result.
    pub(crate) fn resolve(&self, places: Option<u32>) -> Result<(Option<Cluster>, Option<u32>), Failure> {
        let Some(hosts) = self.named()? else {
            let option = match (&self.interface, self.private_network) {
                (None, false) => return Ok((None, places)),
                (Some(_), _) => "--interface",
                (None, true) => "--private-network",
            };
            return Err(Failure::misuse(format!("{option} needs --hosts or --hostfile")));
        };
        let placement = hostfile::allocate(&hosts, places).map_err(Failure::misuse)?;
        if placement.names() == ["localhost"] {
            return Ok((None, Some(placement.places())));
        }
        let ssh = environment_variable(SSH_VARIABLE).unwrap_or_default();
        let ssh = ssh.split_whitespace().map(OsString::from).collect();
        let (interface, private_network) = (self.interface.clone(), self.private_network);
        Ok((Some(Cluster { placement, ssh, interface, private_network }), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(hosts: &str) -> HostOptions {
        HostOptions { hosts: Some(hosts.to_owned()), ..HostOptions::default() }
    }

    #[test]
    fn this_machine_alone_needs_no_agent() {
        let (cluster, places) = options("localhost:3").resolve(None).expect("hosts");
        assert!(cluster.is_none() && places == Some(3));
        let (cluster, _) = options("localhost:3,b:1").resolve(None).expect("hosts");
        assert_eq!(cluster.expect("two hosts").placement.places(), 4);
    }

    #[test]
    fn errors_name_the_option() {
        let error = options("a:0").resolve(None).expect_err("no place");
        assert!(error.message.starts_with("--hosts: `0` is no number of places"), "{}", error.message);
        let alone = HostOptions { interface: Some("eth0".to_owned()), ..HostOptions::default() };
        assert!(alone.resolve(None).is_err());
        let missing = HostOptions { hostfile: Some("/no/such/file".into()), ..HostOptions::default() };
        let error = missing.resolve(None).expect_err("no file");
        assert!(error.message.contains("--hostfile /no/such/file: cannot be read"), "{}", error.message);
    }
}
