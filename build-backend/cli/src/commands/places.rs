//! `apg places`: the topology that a run has, of this machine or of several hosts. Places are numbered as by
//! a run: first the host places, then the accelerators of each.

use std::path::PathBuf;

use apg_runtime::device;
use apg_runtime::net::placement::Placement;
use apg_runtime::run::Image;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::hosts::HostOptions;
use super::launch::LaunchOptions;
use super::remote::{self, OnOption};
use crate::failure::{Failure, Outcome};
use crate::options::ReportOptions;
use crate::output;
use crate::report::MessageFormat;

/// Show the places that a run would have: hosts and their accelerators
#[derive(Debug, Args)]
pub(crate) struct Places {
    /// Host places, each a process of this machine unless there are other hosts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    places: Option<u32>,

    /// Accelerators of each host place: `all`, `none`, or numbers such as `0,1` [default: those there are]
    #[arg(long, value_name = "WHICH")]
    accels: Option<String>,

    /// Threads that run activities at each place [default: one a processor, at least two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,

    /// Hosts and how many places each takes, such as `node1:4,user@node2:4`; they are reached by ssh
    #[arg(long, value_name = "HOST[:N],...", conflicts_with = "hostfile")]
    hosts: Option<String>,

    /// A file with a host a line: `HOST`, `HOST:N` or `HOST slots=N`
    #[arg(long, value_name = "FILE")]
    hostfile: Option<PathBuf>,

    #[command(flatten)]
    on: OnOption,

    #[command(flatten)]
    report: ReportOptions,
}

/// A host place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HostPlace {
    /// The host's name; none for the machine that is asked.
    #[serde(default)]
    host: Option<String>,
    /// Threads that run activities.
    threads: usize,
    /// Its accelerators.
    accelerators: Vec<Accelerator>,
}

/// An accelerator of a host place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Accelerator {
    /// Its number among those of its host.
    device: u32,
    name: String,
    /// Bytes of its memory.
    memory: u64,
    /// Its compute capability, such as `9.0`.
    capability: String,
}

impl Places {
    pub(crate) fn run(self) -> Outcome {
        let format = self.report.message_format;
        if !matches!(format, MessageFormat::Human | MessageFormat::Json) {
            return Err(Failure::misuse("`apg places` prints for people or as `json`"));
        }
        let hosts = HostOptions {
            hosts: self.hosts.clone(),
            hostfile: self.hostfile.clone(),
            ..HostOptions::default()
        };
        let launch = LaunchOptions {
            places: self.places,
            accels: self.accels.clone(),
            threads: self.threads,
            ..LaunchOptions::default()
        };
        if let Some(on) = &self.on.on {
            return remote::run_plain(on, "places", &|remote, line| {
                line.launch(&launch, &hosts.for_remote()?, remote);
                line.choice("message-format", Some(format));
                Ok(())
            });
        }
        let places = match hosts.named_placement(launch.place_count()?)? {
            None => of_this_machine(&launch, launch.place_count()?.unwrap_or(1))?,
            Some(placement) if placement.names() == ["localhost"] => {
                of_this_machine(&launch, placement.places())?
            }
            Some(placement) => of_hosts(&launch, &placement)?,
        };
        match format {
            MessageFormat::Json => numbered(&places, print_json)?,
            _ => print_for_people(&places)?,
        }
        Ok(0)
    }
}

/// The places that this machine has.
fn of_this_machine(launch: &LaunchOptions, places: u32) -> Result<Vec<HostPlace>, Failure> {
    let options = launch.resolve(Image::Bytes(Vec::new()))?;
    let ordinals = options.accelerators.resolve(&device::count).map_err(Failure::new)?;
    let threads = match options.threads {
        0 => apg_runtime::scheduler::default_threads(),
        threads => threads,
    };
    let describe = |ordinal: &u32| {
        let found = device::describe(*ordinal).map_err(|error| Failure::new(error.message))?;
        let (major, minor) = found.capability;
        let (name, memory, capability) = (found.name, found.memory as u64, format!("{major}.{minor}"));
        Ok(Accelerator { device: *ordinal, name, memory, capability })
    };
    let accelerators = ordinals.iter().map(describe).collect::<Result<Vec<_>, Failure>>()?;
    Ok(vec![HostPlace { host: None, threads, accelerators }; places as usize])
}

/// The places that hosts have, each of which is asked. All that cannot be asked are named.
fn of_hosts(launch: &LaunchOptions, placement: &Placement) -> Result<Vec<HostPlace>, Failure> {
    let mut line = remote::CommandLine::default();
    line.word("places").option("accels", launch.accels.clone()).option("threads", launch.threads);
    line.option("places", Some(1)).choice("message-format", Some(MessageFormat::Json));
    let answers = remote::ask_hosts(placement.names(), &line.into_words());
    let mut errors = Vec::new();
    let mut hosts = Vec::new();
    for (name, answer) in placement.names().iter().zip(answers) {
        match answer.and_then(|text| parse_place(name, &text)) {
            Ok(place) => hosts.push(HostPlace { host: Some(name.clone()), ..place }),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::new(errors.join("\n")));
    }
    let places = (0..placement.places()).map(apg_runtime::base::place::PlaceId);
    Ok(places.filter_map(|place| hosts.get(placement.host(place).0 as usize).cloned()).collect())
}

/// The first place of a list as JSON.
fn parse_place(host: &str, text: &str) -> Result<HostPlace, String> {
    let line = text.lines().next().unwrap_or_default();
    serde_json::from_str(line).map_err(|error| format!("{host}: its places are not understood: {error}"))
}

/// Calls `print` for each host place with its number and that of its first accelerator.
fn numbered(
    places: &[HostPlace],
    mut print: impl FnMut(usize, usize, &HostPlace) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut accelerator = places.len();
    for (number, place) in places.iter().enumerate() {
        print(number, accelerator, place)?;
        accelerator += place.accelerators.len();
    }
    Ok(())
}

/// A line of JSON: a host place with its number, and the numbers of its accelerators.
fn print_json(number: usize, first: usize, place: &HostPlace) -> Result<(), Failure> {
    let mut line = json!(place);
    line["place"] = number.into();
    for at in 0..place.accelerators.len() {
        line["accelerators"][at]["place"] = (first + at).into();
    }
    output::line(line)
}

fn print_for_people(places: &[HostPlace]) -> Result<(), Failure> {
    numbered(places, |number, first, place| {
        let host = place.host.as_ref().map_or_else(|| "host".to_owned(), |name| format!("host {name}"));
        output::line(format_args!("Place({number})  {host}, {} threads", place.threads))?;
        for (at, found) in place.accelerators.iter().enumerate() {
            let gib = found.memory as f64 / f64::from(1 << 30);
            output::line(format_args!(
                "  Place({})  CUDA{}: {}, {gib:.0} GiB, compute capability {}",
                first + at,
                found.device,
                found.name,
                found.capability
            ))?;
        }
        Ok(())
    })?;
    if places.iter().all(|place| place.accelerators.is_empty()) {
        output::line("no accelerators (`apg doctor` says why)")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accelerators_are_numbered_behind_all_host_places() {
        let accelerator =
            Accelerator { device: 0, name: "GPU".to_owned(), memory: 1 << 30, capability: "9.0".to_owned() };
        let of = |count: usize| HostPlace {
            host: Some("a".to_owned()),
            threads: 2,
            accelerators: vec![accelerator.clone(); count],
        };
        let mut numbers = Vec::new();
        let places = [of(2), of(0), of(1)];
        numbered(&places, |number, first, place| {
            numbers.push((number, (first..first + place.accelerators.len()).collect::<Vec<_>>()));
            Ok(())
        })
        .expect("nothing is printed");
        assert_eq!(numbers, [(0, vec![3, 4]), (1, vec![]), (2, vec![5])]);
        let line = serde_json::to_string(&of(1)).expect("JSON");
        assert_eq!(parse_place("b", &line), Ok(of(1)));
        assert!(parse_place("b", "welcome").expect_err("noise").starts_with("b: "));
    }
}
