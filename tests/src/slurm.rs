//! Slurm on one machine, without systemd: a controller, and a node daemon in each of a lab's hosts, with
//! keys, folders and ports of their own. Everything is ended at the end.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::lab::Lab;
use crate::tools;
use crate::waiting::eventually;

/// A cluster of the hosts `h1`, `h2`, ...
pub struct Slurm {
    daemons: Vec<Child>,
    /// The hosts.
    pub lab: Lab,
}

/// A port of this machine at which nothing listens.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("0.0.0.0", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

impl Slurm {
    /// A cluster with this number of hosts; `None` after a visible line where there can be none.
    pub fn new(hosts: usize) -> Option<Slurm> {
        for tool in ["srun", "salloc", "munged", "slurmctld", "slurmd"] {
            tools::optional_tool(tool)?;
        }
        if !Path::new("/sys/fs/cgroup").join("cgroup.controllers").exists()
            && !Path::new("/sys/fs/cgroup/systemd").exists()
        {
            tools::skip("Slurm needs control groups at /sys/fs/cgroup");
            return None;
        }
        let lab = Lab::new(hosts)?;
        let mut slurm = Slurm { daemons: Vec::new(), lab };
        slurm.write_configuration(hosts);
        slurm.start_munge();
        let controller = "hostname hub; exec slurmctld -D";
        let mut command = Command::new("unshare");
        command.args(["-u", "sh", "-c", controller]);
        slurm.start("slurmctld", command);
        for host in 1..=hosts {
            let mut command = slurm.lab.at_host(host);
            let script = format!("hostname h{host}; exec slurmd -D -N h{host}");
            command.args(["unshare", "-u", "sh", "-c", &script]);
            slurm.start(&format!("slurmd{host}"), command);
        }
        let ready = eventually(|| {
            let state = slurm.command("sinfo").args(["--noheader", "--format=%T %D"]).output();
            state.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).trim() == format!("idle {hosts}"))
        });
        assert!(ready, "{}", slurm.logs());
        Some(slurm)
    }

    /// A command of Slurm's, by a user of this cluster.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.lab.path("slurm.conf"));
        command
    }

    fn write_configuration(&self, hosts: usize) {
        let folder = self.lab.path("slurm");
        fs::create_dir_all(&folder).expect("a folder");
        let at = |name: &str| folder.join(name).display().to_string();
        let mut text = format!(
            "ClusterName=apg\nSlurmctldHost=hub({})\nSlurmctldPort={}\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\n\
             AuthInfo=socket={}\nCredType=cred/munge\nStateSaveLocation={}\nSlurmdSpoolDir={}\nTmpFS={}\n\
             SlurmctldPidFile={}\nSlurmdPidFile={}\nSlurmctldLogFile={}\nSlurmdLogFile={}\n",
            self.lab.hub_address(),
            // The controllers of clusters that exist at the same time share this machine's ports.
            free_port(),
            at("munge.sock"),
            at("state"),
            at("spool.%n"),
            at("tmp.%n"),
            at("slurmctld.pid"),
            at("slurmd.%n.pid"),
            at("slurmctld.log"),
            at("slurmd.%n.log"),
        );
        text += "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n\
                 SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSchedulerType=sched/builtin\n\
                 MpiDefault=none\nReturnToService=2\nSlurmdTimeout=10\nSlurmdParameters=config_overrides\n";
        for host in 1..=hosts {
            fs::create_dir_all(at(&format!("tmp.h{host}"))).expect("a folder");
            let address = self.lab.address(host);
            text += &format!("NodeName=h{host} NodeAddr={address} CPUs=4 State=UNKNOWN\n");
        }
        text += "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE\n";
        fs::write(self.lab.path("slurm.conf"), text).expect("written");
    }

    /// The daemon by which the others know each other, with a key of its own.
    fn start_munge(&mut self) {
        let folder = self.lab.path("slurm");
        let key = folder.join("munge.key");
        let random = fs::File::open("/dev/urandom").expect("a device");
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(random, 128), &mut bytes).expect("bytes");
        fs::write(&key, bytes).expect("written");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).expect("a file of ours");
        let mut command = Command::new("munged");
        command.args(["--foreground", "--force"]);
        for (option, file) in [
            ("socket", "munge.sock"),
            ("key-file", "munge.key"),
            ("pid-file", "munged.pid"),
            ("log-file", "munged.log"),
            ("seed-file", "munged.seed"),
        ] {
            command.arg(format!("--{option}={}", folder.join(file).display()));
        }
        self.start("munged", command);
        assert!(eventually(|| folder.join("munge.sock").exists()), "{}", self.logs());
    }

    /// Starts a daemon, which ends with this test.
    fn start(&mut self, name: &str, mut command: Command) {
        let log = fs::File::create(self.lab.path(&format!("{name}.out"))).expect("a log");
        command.env("SLURM_CONF", self.lab.path("slurm.conf")).stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a copy")).stderr(log);
        self.daemons.push(command.process_group(0).spawn().unwrap_or_else(|error| panic!("{name}: {error}")));
    }

    fn logs(&self) -> String {
        let names = ["munged", "slurmctld", "slurmd1", "slurmd2"];
        names
            .iter()
            .map(|name| {
                let text = fs::read_to_string(self.lab.path(&format!("{name}.out"))).unwrap_or_default();
                format!("{name}:\n{text}\n")
            })
            .collect()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        // The hosts' namespaces end what runs in them.
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}
