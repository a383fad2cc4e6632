//! Remote machines by name: `[remote.NAME]` of `apg.toml`, in the working folder or above it, and in the
//! user's configuration folder (XDG base directory specification).

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use apg_runtime::cluster::ssh::is_agent_folder;

/// The file's name.
pub const FILE_NAME: &str = "apg.toml";

/// Where programs are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BuildPlace {
    /// There where it has a C++ compiler, else here.
    #[default]
    Auto,
    /// On this machine.
    Here,
    /// On the remote machine.
    There,
}

/// A remote machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Remote {
    /// The name by which messages call it.
    #[serde(skip)]
    pub name: String,
    /// The name of a known machine that an unknown one resembles.
    #[serde(skip)]
    pub similar: Option<String>,
    /// `[user@]host[:port]` for ssh.
    pub host: String,
    /// Hosts behind it, as of `--hosts`.
    #[serde(default)]
    pub hosts: Option<String>,
    /// Words in front of the command there, such as `srun -n 4`.
    #[serde(default)]
    pub launcher: Option<String>,
    /// Accelerators of each host place, as of `--accels`.
    #[serde(default)]
    pub accels: Option<String>,
    /// Host places, as of `--places`.
    #[serde(default)]
    pub places: Option<u32>,
    /// Names of variables of this machine's environment that the program gets there.
    #[serde(default)]
    pub environment: Vec<String>,
    /// The folder there that has copies of apg, its cache and its jobs, where the home folder cannot.
    #[serde(default)]
    pub agent_dir: Option<String>,
    /// The folder there in which programs run; without it the same as here, else the home folder.
    #[serde(default)]
    pub run_dir: Option<String>,
    /// Where programs are built.
    #[serde(default)]
    pub build: BuildPlace,
}

/// Why remote machines are not known.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong, and where.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

fn error(message: String, hint: impl Into<Option<String>>) -> ConfigError {
    ConfigError { message, hint: hint.into() }
}

#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    remote: BTreeMap<String, Remote>,
}

/// The remote machines that are named for a folder, by their names: those of the nearest `apg.toml`, and
/// those of the user's, in this order of precedence.
///
/// # Errors
/// A file cannot be read, or is malformed.
pub fn named(folder: &Path) -> Result<BTreeMap<String, Remote>, ConfigError> {
    let mut remotes = BTreeMap::new();
    for path in [user_file(), nearest_file(folder)].into_iter().flatten() {
        let text = std::fs::read_to_string(&path)
            .map_err(|problem| error(format!("{} cannot be read: {problem}", path.display()), None))?;
        remotes.extend(parse(&path, &text)?);
    }
    Ok(remotes)
}

/// The user's own file, if it exists.
fn user_file() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
    Some(folder.join("apg").join(FILE_NAME)).filter(|path| path.is_file())
}

/// The file of a folder or of the nearest one above it.
fn nearest_file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|above| above.join(FILE_NAME)).find(|path| path.is_file())
}

/// Reads the text of a file.
pub(crate) fn parse(path: &Path, text: &str) -> Result<BTreeMap<String, Remote>, ConfigError> {
    let file: File = toml::from_str(text).map_err(|problem| {
        let line =
            problem.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        error(format!("{}:{line}: {}", path.display(), problem.message()), None)
    })?;
    let check = |(name, remote): (String, Remote)| {
        let remote = Remote { name: name.clone(), ..remote };
        let wrong = |problem: ConfigError| {
            error(format!("{}: [remote.{name}]: {}", path.display(), problem.message), problem.hint)
        };
        remote.check().map_err(wrong)?;
        Ok((name.clone(), remote))
    };
    file.remote.into_iter().map(check).collect()
}

/// Adds a remote machine to the nearest `apg.toml` of a folder, which is made there if there is none; the
/// file.
///
/// # Errors
/// The name or the host is malformed, the name is taken, or the file cannot be read or written.
pub fn add(folder: &Path, name: &str, host: &str) -> Result<PathBuf, ConfigError> {
    if name.is_empty() || !name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_')) {
        return Err(error(
            format!("`{}` cannot be the name of a remote machine", name.escape_debug()),
            "a name has letters, digits, `-` and `_`".to_owned(),
        ));
    }
    Remote { name: name.to_owned(), host: host.to_owned(), ..Remote::default() }.check()?;
    let path = nearest_file(folder).unwrap_or_else(|| folder.join(FILE_NAME));
    let cannot = |problem: std::io::Error| error(format!("{}: {problem}", path.display()), None);
    let mut text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(problem) => return Err(cannot(problem)),
    };
    if parse(&path, &text)?.contains_key(name) {
        return Err(error(format!("{} has a remote machine `{name}` already", path.display()), None));
    }
    let gap = match text.as_str() {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    text.push_str(&format!("{gap}[remote.{name}]\nhost = {host:?}\n"));
    // What cannot be read again is not written.
    parse(&path, &text)?;
    let folder = path.parent().unwrap_or(folder);
    let file = tempfile::NamedTempFile::with_prefix_in(".apg-", folder).map_err(cannot)?;
    std::fs::write(file.path(), &text).map_err(cannot)?;
    let mode = std::fs::metadata(&path).map_or(0o644, |data| data.permissions().mode());
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode)).map_err(cannot)?;
    file.persist(&path).map_err(|problem| cannot(problem.error))?;
    Ok(path)
}

/// The remote machine that `--on` names: one of [`named`], else `[user@]host[:port]` itself.
///
/// # Errors
/// It can be neither.
pub fn find(text: &str, folder: &Path) -> Result<Remote, ConfigError> {
    let mut named = named(folder)?;
    if let Some(remote) = named.remove(text) {
        return Ok(remote);
    }
    let hosts = hosts_of_ssh();
    let known = named.keys().chain(&hosts).map(String::as_str);
    let similar = apg_source::closest(text, known).map(str::to_owned);
    let remote = Remote { name: text.to_owned(), host: text.to_owned(), similar, ..Remote::default() };
    remote.check().map(|()| remote)
}

/// The names of hosts of the user's ssh configuration, without patterns and included files (ssh_config(5)).
fn hosts_of_ssh() -> Vec<String> {
    let file = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".ssh/config"));
    let text = file.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    hosts_of_configuration(&text)
}

/// The names on the lines `Host NAME...` of a configuration of ssh.
fn hosts_of_configuration(text: &str) -> Vec<String> {
    let names = |line: &str| -> Vec<String> {
        let mut words =
            line.split(|it: char| it.is_whitespace() || it == '=').filter(|word| !word.is_empty());
        match words.next() {
            Some(keyword) if keyword.eq_ignore_ascii_case("host") => {
                words.filter(|word| !word.contains(['*', '?', '!', '"'])).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    };
    text.lines().flat_map(names).collect()
}

impl Remote {
    fn check(&self) -> Result<(), ConfigError> {
        self.address()?;
        match &self.agent_dir {
            Some(folder) if !is_agent_folder(folder) => Err(error(
                format!("`{folder}` cannot be the folder of apg there"),
                "agent-dir is an absolute path or begins with `~/`, and has letters, digits and ._+-/ alone"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// The destination of ssh, and the port if one was given.
    ///
    /// # Errors
    /// The host is malformed.
    pub fn address(&self) -> Result<(String, Option<u16>), ConfigError> {
        let text = &self.host;
        let hint = || {
            "a remote machine is `[user@]host[:port]`, or a name of `[remote.NAME]` in apg.toml".to_owned()
        };
        let wrong = || error(format!("`{}` is no remote machine", text.escape_debug()), hint());
        let (user, rest) = match text.rsplit_once('@') {
            Some((user, rest)) => (Some(user), rest),
            None => (None, text.as_str()),
        };
        let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').ok_or_else(wrong)?)),
            None => match rest.split_once(':') {
                // A numeric address of version 6 has more than one colon.
                Some((host, port)) if !port.contains(':') => (host, Some(port)),
                _ => (rest, None),
            },
        };
        let port = port
            .map(|port| port.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(wrong))
            .transpose()?;
        let is_word = |word: &str| {
            // ssh would take a word with a hyphen in front for an option.
            !word.is_empty()
                && !word.starts_with('-')
                && !word.contains(|it: char| it.is_whitespace() || it.is_control() || it == '/')
        };
        if !is_word(host) || user.is_some_and(|user| !is_word(user)) {
            return Err(wrong());
        }
        Ok((user.map_or(host.to_owned(), |user| format!("{user}@{host}")), port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(host: &str) -> Option<(String, Option<u16>)> {
        Remote { host: host.to_owned(), ..Remote::default() }.address().ok()
    }

    #[test]
    fn remote_machines_are_hosts_with_users_and_ports() {
        assert_eq!(address("b"), Some(("b".to_owned(), None)));
        assert_eq!(address("me@b:2222"), Some(("me@b".to_owned(), Some(2222))));
        assert_eq!(address("[2001:db8::1]:22"), Some(("2001:db8::1".to_owned(), Some(22))));
        assert_eq!(address("2001:db8::1"), Some(("2001:db8::1".to_owned(), None)));
        for wrong in ["", "-oProxyCommand=x", "me@-x", "b:0", "b:x", "a b", "@b", "b:99999", "a/b"] {
            assert_eq!(address(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn file_names_remote_machines() {
        let text = "[remote.gpu]\nhost = \"me@gpu1:22\"\nhosts = \"a:4,b:4\"\naccels = \"all\"\nenvironment = [\"OMP_NUM_THREADS\"]\n\
                    agent-dir = \"/scratch/me\"\nbuild = \"here\"\n";
        let remotes = parse(Path::new("apg.toml"), text).expect("well-formed");
        let gpu = &remotes["gpu"];
        assert_eq!(
            (gpu.name.as_str(), gpu.host.as_str(), gpu.build),
            ("gpu", "me@gpu1:22", BuildPlace::Here)
        );
        assert_eq!(gpu.environment, ["OMP_NUM_THREADS"]);
    }

    #[test]
    fn errors_name_file_line_and_remedy() {
        let problem = |text: &str| parse(Path::new("apg.toml"), text).expect_err(text);
        let unknown = problem("[remote.gpu]\nhost = \"a\"\nhsots = \"b\"\n");
        assert!(
            unknown.message.starts_with("apg.toml:3: ") && unknown.message.contains("hsots"),
            "{unknown}"
        );
        let malformed = problem("[remote.gpu]\nhost = \"a b\"\n");
        assert_eq!(malformed.message, "apg.toml: [remote.gpu]: `a b` is no remote machine");
        assert!(malformed.hint.is_some_and(|hint| hint.contains("[user@]host[:port]")));
        assert!(problem("[remote.gpu]\nhost = \"a\"\nagent-dir = \"/x y\"\n").message.contains("/x y"));
        assert!(problem("[remote.gpu\n").message.starts_with("apg.toml:1: "));
    }

    #[test]
    fn machines_are_added_behind_what_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = add(folder.path(), "gpu", "me@gpu1").expect("added");
        assert_eq!(path, folder.path().join(FILE_NAME));
        std::fs::write(&path, "# mine\n[remote.gpu]\nhost = \"me@gpu1\"").expect("written");
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).expect("a folder");
        assert_eq!(add(&inner, "cluster-2", "b:22").expect("added"), path);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(
            text.starts_with("# mine\n[remote.gpu]\nhost = \"me@gpu1\"\n\n[remote.cluster-2]\n"),
            "{text}"
        );
        assert_eq!(parse(&path, &text).expect("well-formed")["cluster-2"].host, "b:22");
        for (name, host) in [("gpu", "c"), ("a.b", "c"), ("", "c"), ("c", "-x"), ("c", "a\"\nb")] {
            assert!(add(&inner, name, host).is_err(), "{name} {host}");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), text, "errors change nothing");
    }

    #[test]
    fn nearest_file_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).expect("folders");
        std::fs::write(folder.path().join(FILE_NAME), "[remote.gpu]\nhost = \"far\"\n").expect("written");
        assert_eq!(find("gpu", &inner).expect("known").host, "far");
        assert_eq!(find("me@other", &inner).expect("a host").host, "me@other");
        assert!(find("-x", &inner).is_err());
        let (unknown, other) = (find("gpo", &inner).expect("a host"), find("node7", &inner).expect("a host"));
        assert_eq!((unknown.similar.as_deref(), other.similar), (Some("gpu"), None));
    }

    #[test]
    fn hosts_of_ssh_are_those_without_patterns() {
        let text =
            "# Host none\nHost cluster login-? *.lab\n  HostName 10.0.0.1\nhost=gpu1 !gpu2\nMatch host x\n";
        assert_eq!(hosts_of_configuration(text), ["cluster", "gpu1"]);
    }
}
