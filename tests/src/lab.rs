//! Hosts for tests: network namespaces with a real ssh server each, joined by a bridge. Each host has its own
//! name, home folder and address; links can be cut and folders hidden. Everything is removed at the end.

use std::fs;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::network_emulator::{EmulatedLink, Link};
use crate::tools;

/// Where the user of a host, the superuser, has its home folder. Each host has its own in that place.
pub const HOME: &str = "/root";

/// Hosts `h1`, `h2`, ... and the files they need.
pub struct Lab {
    folder: tempfile::TempDir,
    /// Begins the names of what the lab makes in the system.
    prefix: String,
    /// The first three numbers of the hosts' addresses.
    network: String,
    servers: Vec<Child>,
    /// Links with delay and loss; none for those as fast as the machine is.
    emulated: Vec<EmulatedLink>,
}

/// What passes a link.
pub struct Recorder {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<Vec<u8>>,
}

impl Recorder {
    /// Ends the recording; all bytes of all packets.
    pub fn end(self) -> Vec<u8> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic")
    }
}

/// Why there can be no lab here, if so.
fn obstacle() -> Option<String> {
    // SAFETY: it has no conditions.
    if unsafe { libc::geteuid() } != 0 {
        return Some("network namespaces need the superuser".to_owned());
    }
    for tool in ["ip", "tc", "ssh", "ssh-keygen", "unshare", "nsenter"] {
        tools::optional_tool(tool)?;
    }
    (!Path::new(SSHD).is_file()).then(|| format!("{SSHD} is not installed"))
}

const SSHD: &str = "/usr/sbin/sshd";

fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

fn must(program: &str, arguments: &[&str]) -> String {
    run(program, arguments).unwrap_or_else(|error| panic!("{error}"))
}

impl Lab {
    /// A lab with this number of hosts; `None` after a visible line where there can be none.
    pub fn new(hosts: usize) -> Option<Lab> {
        Lab::make(hosts, None, "")
    }

    /// A lab of hosts; the link of each has this delay and loss.
    pub fn with_links(hosts: usize, link: Link) -> Option<Lab> {
        Lab::make(hosts, Some(link), "")
    }

    /// As [`Lab::new`], with further lines of the ssh servers' configuration.
    pub fn with_server_options(hosts: usize, options: &str) -> Option<Lab> {
        Lab::make(hosts, None, options)
    }

    fn make(hosts: usize, link: Option<Link>, options: &str) -> Option<Lab> {
        if tools::is_left_out("sshd") {
            return None;
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let prefix = format!("a{process}x{number}");
        if let Some(obstacle) = obstacle() {
            tools::skip(&obstacle);
            return None;
        }
        let bridge = format!("{prefix}b");
        if let Err(error) = run("ip", &["link", "add", &bridge, "type", "bridge"]) {
            tools::skip(&format!("bridges cannot be made here: {error}"));
            return None;
        }
        // Test programs that run at the same time have networks of their own.
        let network = format!("10.{}.{}", 64 + (number + process / 256) % 64, process % 256);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut lab = Lab { folder, prefix, network, servers: Vec::new(), emulated: Vec::new() };
        must("ip", &["addr", "add", &format!("{}.1/24", lab.network), "dev", &bridge]);
        must("ip", &["link", "set", &bridge, "up"]);
        lab.write_keys(options);
        for host in 1..=hosts {
            lab.add_host(host, link);
        }
        lab.write_client_configuration(hosts);
        (1..=hosts).for_each(|host| lab.wait_for_server(host));
        Some(lab)
    }

    /// A file or folder of the lab.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The home folder of a host's user.
    pub fn home(&self, host: usize) -> PathBuf {
        self.path(&format!("home{host}"))
    }

    /// The address of this machine in the hosts' network.
    pub fn hub_address(&self) -> String {
        format!("{}.1", self.network)
    }

    /// Begins a command that runs at a host, with the files and control groups of this machine.
    pub fn at_host(&self, host: usize) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/run/netns/{}", self.namespace(host)));
        command
    }

    /// The address of a host.
    pub fn address(&self, host: usize) -> String {
        format!("{}.1{host}", self.network)
    }

    /// The address of a host (version 6), once the lab has these.
    pub fn address6(&self, host: usize) -> String {
        format!("{}1{host}", self.network6())
    }

    /// The beginning of the hosts' addresses of version 6: the same numbers as of version 4, in a unique
    /// local network.
    fn network6(&self) -> String {
        format!("fd4a:{}::", self.network.replace('.', ":"))
    }

    /// Gives all hosts an address of version 6, too; `false` after a visible line where there is none.
    pub fn add_addresses6(&self) -> bool {
        let add = |at: &[&str], address: &str, device: &str| {
            // It is used at once: no other host can have it.
            run("ip", &[at, &["addr", "add", &format!("{address}/64"), "dev", device, "nodad"]].concat())
        };
        let bridge = format!("{}b", self.prefix);
        if let Err(error) = add(&[], &format!("{}1", self.network6()), &bridge) {
            tools::skip(&format!("there are no addresses of version 6 here: {error}"));
            return false;
        }
        let known = self.path("known_hosts");
        let mut text = fs::read_to_string(&known).expect("a file");
        for host in 1..=self.servers.len() {
            let address = self.address6(host);
            add(&["-n", &self.namespace(host)], &address, "eth0").unwrap_or_else(|error| panic!("{error}"));
            let key = text.lines().find_map(|line| line.split_once(' ')).expect("a key").1.to_owned();
            text += &format!("{address} {key}\n");
        }
        fs::write(known, text).expect("written");
        true
    }

    fn namespace(&self, host: usize) -> String {
        format!("{}h{host}", self.prefix)
    }

    fn link(&self, host: usize) -> String {
        format!("{}v{host}", self.prefix)
    }

    fn write_keys(&self, options: &str) {
        for key in ["host_key", "user_key"] {
            let path = self.path(key);
            must("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &path.to_string_lossy()]);
        }
        let file = |name: &str| self.path(name).display().to_string();
        let configuration = format!(
            "Port 22\nHostKey {}\nAuthorizedKeysFile {}\nPermitRootLogin prohibit-password\nUsePAM no\nStrictModes no\n\
             PidFile none\nUseDNS no\nMaxStartups 100\n{options}\n",
            file("host_key"),
            file("user_key.pub")
        );
        fs::write(self.path("sshd_config"), configuration).expect("written");
        // The server wants its folder, whose packages make it at start.
        fs::create_dir_all("/run/sshd").expect("a folder");
    }

    fn add_host(&mut self, host: usize, emulation: Option<Link>) {
        let (namespace, link, bridge) = (self.namespace(host), self.link(host), format!("{}b", self.prefix));
        must("ip", &["netns", "add", &namespace]);
        match emulation {
            Some(emulation) => {
                let file = Path::new("/var/run/netns").join(&namespace);
                let emulation = Link { seed: emulation.seed + host as u64, ..emulation };
                let made = EmulatedLink::new(&link, &file, "eth0", emulation);
                self.emulated.push(made.unwrap_or_else(|error| panic!("a link with delay: {error}")));
            }
            None => {
                must(
                    "ip",
                    &["link", "add", &link, "type", "veth", "peer", "name", "eth0", "netns", &namespace],
                );
            }
        }
        must("ip", &["link", "set", &link, "master", &bridge]);
        must("ip", &["link", "set", &link, "up"]);
        let address = format!("{}/24", self.address(host));
        must("ip", &["-n", &namespace, "addr", "add", &address, "dev", "eth0"]);
        must("ip", &["-n", &namespace, "link", "set", "eth0", "up"]);
        must("ip", &["-n", &namespace, "link", "set", "lo", "up"]);
        let home = self.home(host);
        fs::create_dir_all(&home).expect("a folder");
        let script = format!(
            "hostname h{host} && mount --bind {} {HOME} && exec {SSHD} -D -e -f {}",
            home.display(),
            self.path("sshd_config").display()
        );
        let server = Command::new("ip")
            .args(["netns", "exec", &namespace, "unshare", "-u", "-m", "sh", "-c", &script])
            .stdin(Stdio::null())
            .stderr(fs::File::create(self.path(&format!("sshd{host}.log"))).expect("a log"))
            .spawn()
            .expect("a server");
        self.servers.push(server);
    }

    fn write_client_configuration(&self, hosts: usize) {
        let key = fs::read_to_string(self.path("host_key.pub")).expect("a key");
        let key: Vec<&str> = key.split_whitespace().take(2).collect();
        let (mut known, mut configuration) = (String::new(), String::new());
        for host in 1..=hosts {
            let address = self.address(host);
            known += &format!("{address} {}\n", key.join(" "));
            configuration += &format!("Host h{host}\n HostName {address}\n");
        }
        configuration += &format!(
            "Host *\n User root\n IdentityFile {}\n IdentitiesOnly yes\n UserKnownHostsFile {}\n \
             StrictHostKeyChecking yes\n BatchMode yes\n",
            self.path("user_key").display(),
            self.path("known_hosts").display()
        );
        fs::write(self.path("known_hosts"), known).expect("written");
        fs::write(self.path("ssh_config"), configuration).expect("written");
    }

    fn wait_for_server(&self, host: usize) {
        let configuration = self.path("ssh_config").display().to_string();
        let start = Instant::now();
        loop {
            match run("ssh", &["-F", &configuration, &format!("h{host}"), "true"]) {
                Ok(_) => return,
                Err(error) => assert!(start.elapsed() < Duration::from_secs(60), "{error}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The names of all hosts, as `--hosts` takes them.
    pub fn host_list(&self) -> String {
        (1..=self.servers.len()).map(|host| format!("h{host}")).collect::<Vec<_>>().join(",")
    }

    /// The command by which apg reaches the hosts.
    pub fn ssh(&self) -> String {
        format!("ssh -F {}", self.path("ssh_config").display())
    }

    /// An `apg` command with these arguments, as a user of the lab's hosts starts it.
    pub fn apg(&self, executable: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,PIPE,TERM"]).arg(executable).args(arguments);
        command.current_dir(self.folder.path()).env("APG_CACHE_DIR", self.path("cache"));
        command.env("X10_LAUNCHER_SSH", self.ssh());
        command
    }

    /// Cuts a host's link, or mends it.
    pub fn set_link(&self, host: usize, up: bool) {
        must("ip", &["link", "set", &self.link(host), if up { "up" } else { "down" }]);
    }

    /// Begins to record what passes a host's link.
    pub fn record(&self, host: usize) -> Recorder {
        let index =
            fs::read_to_string(format!("/sys/class/net/{}/ifindex", self.link(host))).expect("a link");
        let protocol = (libc::ETH_P_ALL as u16).to_be();
        // SAFETY: plain values; the result is checked.
        let socket = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW, i32::from(protocol)) };
        assert!(socket >= 0, "{}", std::io::Error::last_os_error());
        // SAFETY: a new descriptor that nothing else owns.
        let socket = fs::File::from(unsafe { OwnedFd::from_raw_fd(socket) });
        // SAFETY: an address is plain data.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol;
        address.sll_ifindex = index.trim().parse().expect("a number");
        let length = size_of_val(&address) as u32;
        // SAFETY: the address is valid for its length.
        let bound = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
        assert_eq!(bound, 0, "{}", std::io::Error::last_os_error());
        // Reads end a while after the last packet.
        let timeout = libc::timeval { tv_sec: 0, tv_usec: 200_000 };
        let length = size_of_val(&timeout) as u32;
        let (level, option) = (libc::SOL_SOCKET, libc::SO_RCVTIMEO);
        // SAFETY: the value is valid for its length.
        let set = unsafe {
            libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const timeout).cast(), length)
        };
        assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let (mut all, mut packet) = (Vec::new(), vec![0; 1 << 16]);
            while !stopped.load(Ordering::Relaxed) {
                if let Ok(count) = (&socket).read(&mut packet) {
                    all.extend_from_slice(&packet[..count]);
                }
            }
            all
        });
        Recorder { stop, thread }
    }

    /// From now on a host sends no more than this rate, such as `20mbit`.
    pub fn limit_rate(&self, host: usize, rate: &str) {
        let namespace = self.namespace(host);
        let filter = ["tbf", "rate", rate, "burst", "32kb", "latency", "50ms"];
        must("tc", &[&["-n", &namespace, "qdisc", "add", "dev", "eth0", "root"], &filter[..]].concat());
    }

    /// From now on one host cannot reach another: there is no route.
    pub fn block(&self, host: usize, other: usize) {
        let address = self.address(other);
        must("ip", &["-n", &self.namespace(host), "route", "add", "unreachable", &address]);
    }

    /// From now on none of a host's answers to an address arrives, as behind a firewall that drops packets.
    pub fn drop_answers(&self, host: usize, to: &str) {
        must("ip", &["-n", &self.namespace(host), "route", "add", "blackhole", to]);
    }

    /// Ends what [`Lab::drop_answers`] has begun.
    pub fn deliver_answers(&self, host: usize, to: &str) {
        must("ip", &["-n", &self.namespace(host), "route", "del", "blackhole", to]);
    }

    /// Hides a folder from a host's users.
    pub fn hide(&self, host: usize, folder: &Path) {
        self.mount(host, folder, "mode=755");
    }

    /// Mounts an empty file system at a folder of a host, with these options of mount(8).
    pub fn mount(&self, host: usize, folder: &Path, options: &str) {
        let folder = folder.display().to_string();
        self.in_mounts_of(host, &["mount", "-t", "tmpfs", "-o", options, "none", &folder]);
    }

    /// Puts a file of the lab in the place of a file of a host.
    pub fn replace(&self, host: usize, file: &str, by: &Path) {
        self.in_mounts_of(host, &["mount", "--bind", &by.display().to_string(), file]);
    }

    /// Makes a shell the login shell of a host's user.
    pub fn set_login_shell(&self, host: usize, shell: &Path) {
        let users = fs::read_to_string("/etc/passwd").expect("users");
        let users = users.lines().map(|line| match (line.starts_with("root:"), line.rsplit_once(':')) {
            (true, Some((user, _))) => format!("{user}:{}\n", shell.display()),
            _ => format!("{line}\n"),
        });
        let path = self.path(&format!("passwd{host}"));
        fs::write(&path, users.collect::<String>()).expect("written");
        self.replace(host, "/etc/passwd", &path);
    }

    /// Runs a command in a host's view of the file systems; its output.
    pub fn in_mounts_of(&self, host: usize, command: &[&str]) -> String {
        let server = self.servers[host - 1].id().to_string();
        must("nsenter", &[&["-t", &server, "-m"], command].concat())
    }

    /// Runs a command at a host; its output.
    pub fn at(&self, host: usize, command: &[&str]) -> String {
        let namespace = self.namespace(host);
        must("ip", &[&["netns", "exec", &namespace], command].concat())
    }

    /// A command that runs at a host.
    pub fn command(&self, host: usize, words: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(host)]).args(words);
        command
    }

    /// The processes of a host's ssh server that serve connections.
    pub fn connections(&self, host: usize) -> Vec<u32> {
        let server = self.servers[host - 1].id();
        let pids = run("ip", &["netns", "pids", &self.namespace(host)]).unwrap_or_default();
        let pids = pids.lines().filter_map(|line| line.trim().parse().ok()).filter(|pid| *pid != server);
        pids.filter(|pid| {
            let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            arguments.starts_with(b"sshd: ")
        })
        .collect()
    }

    /// The processes of a host, with their arguments, but for those of its ssh server.
    pub fn processes(&self, host: usize) -> Vec<(u32, String)> {
        let pids = run("ip", &["netns", "pids", &self.namespace(host)]).unwrap_or_default();
        let pids = pids.lines().filter_map(|line| line.trim().parse().ok());
        pids.filter_map(|pid: u32| {
            let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
            (!arguments.is_empty() && !arguments.contains("sshd")).then_some((pid, arguments))
        })
        .collect()
    }

    /// Waits until nothing of a program runs at any host any more; what is left after a while is an error.
    pub fn assert_nothing_left(&self) {
        let start = Instant::now();
        let left = || (1..=self.servers.len()).flat_map(|host| self.processes(host)).collect::<Vec<_>>();
        while !left().is_empty() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left(), [], "processes are left");
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
        for host in 1..=self.servers.len() {
            let namespace = self.namespace(host);
            for pid in run("ip", &["netns", "pids", &namespace]).unwrap_or_default().lines() {
                let _ = run("kill", &["-9", pid.trim()]);
            }
            let _ = run("ip", &["netns", "del", &namespace]);
            let _ = run("ip", &["link", "del", &self.link(host)]);
        }
        let _ = run("ip", &["link", "del", &format!("{}b", self.prefix)]);
    }
}
