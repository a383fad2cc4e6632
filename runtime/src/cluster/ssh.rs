//! The command line that starts a host's agent, by the system's ssh, and what its failures mean.
//!
//! ssh's configuration, keys, agents and jump hosts are the user's; host keys are always checked. The remote
//! command names `/bin/sh`, since a login shell may be any other, and is one line without quotes, backslashes
//! and exclamation marks inside, which shells read differently.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::cluster::agent;
use crate::cluster::channel::Starter;
use crate::cluster::frames::marker;

/// Environment variable with the command to use in place of `ssh`, which X10's launcher knows too.
pub const VARIABLE: &str = "X10_LAUNCHER_SSH";

/// Whether a host of this name is this machine, where no ssh is needed.
#[must_use]
pub fn is_local(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "::1")
}

/// The command that starts the agent of a host.
pub(super) fn agent_command(starter: &Starter<'_>, host: &str) -> Command {
    if is_local(host) {
        return local_agent_command(starter);
    }
    let (program, arguments) = match starter.ssh.split_first() {
        Some((program, arguments)) => (program.as_os_str(), arguments),
        None => (OsStr::new("ssh"), &[][..]),
    };
    let mut command = Command::new(program);
    if Path::new(program).file_name() == Some(OsStr::new("ssh")) {
        let seconds = starter.deadline.saturating_duration_since(Instant::now()).as_secs().max(1);
        // No terminal, and nothing of this machine is lent to the other one.
        command.args(["-T", "-x", "-a", "-o", "ClearAllForwardings=yes", "-o"]);
        command.arg(format!("ConnectTimeout={seconds}")).args(starter.options);
    }
    command.args(arguments).arg(host).arg(remote_command(starter));
    command
}

/// The command that starts an agent on this machine.
pub(super) fn local_agent_command(starter: &Starter<'_>) -> Command {
    let mut command = Command::new(starter.executable);
    // Of the session in which the user works; the agent would take it for its own.
    command.arg(starter.command).env_remove("SSH_CONNECTION");
    command
}

/// Whether a path needs no quotes in any shell.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|it| it.is_ascii_alphanumeric() || b"/._+-".contains(&it))
}

/// Whether a path can name the folder of copies of apg: absolute or below the home folder (`~/`), and of
/// plain characters.
#[must_use]
pub fn is_agent_folder(path: &str) -> bool {
    path.strip_prefix('~').unwrap_or(path).starts_with('/')
        && is_plain(path.strip_prefix('~').unwrap_or(path))
}

/// What the host's shell runs: the agent that was copied there, else the same executable if it is there, else
/// it asks for a copy, verifies it and renames it into place.
fn remote_command(starter: &Starter<'_>) -> String {
    let (agent, identity, same) = (starter.command, starter.identity, agent::IDENTITY_COMMAND);
    let installed = starter.executable.to_str().filter(|path| path.starts_with('/') && is_plain(path));
    let at_same_path = installed.map_or_else(String::new, |path| {
        // Not what another user has put there: only the user's own or the superuser's.
        let is_trusted = format!(r#"{{ [ -O {path} ] || [ "$(stat -c %u {path} 2>/dev/null)" = 0 ]; }}"#);
        format!(
            r#"if [ -x {path} ] && {is_trusted} && {path} {same} {identity} 2>/dev/null; then exec {path} {agent}; fi; "#
        )
    });
    let folder = match starter.folder.map(|folder| (folder, folder.strip_prefix('~'))) {
        None => "${XDG_CACHE_HOME:-$HOME/.cache}/apg".to_owned(),
        Some((_, Some(below_home))) => format!("$HOME{below_home}"),
        Some((folder, None)) => folder.to_owned(),
    };
    let variables = match starter.folder {
        None => "",
        Some(_) => r#"export APG_CACHE_DIR="$d/cache" APG_STATE_DIR="$d/state"; "#,
    };
    let mark = marker(identity);
    let script = format!(r#"d="{folder}"; {variables}c="$d/agents"; a="$c/{identity}"; "#)
        + &format!(
            r#"if [ -x "$a" ] && [ -O "$a" ] && [ -O "$c" ]; then exec "$a" {agent}; fi; {at_same_path}"#
        )
        + &format!(
            r#"echo; echo "{mark}missing $(uname -s) $(uname -m) $(getconf GNU_LIBC_VERSION 2>/dev/null)"; "#
        )
        + r#"read -r n h || exit 0; umask 077; t="$c/new-$$"; "#
        + r#"if mkdir -p "$c" && [ -O "$c" ] && head -c "$n" > "$t" && [ "$(wc -c < "$t")" -eq "$n" ] && chmod 700 "$t"; then :; "#
        + &format!(
            r#"else rm -f "$t"; echo "{mark}failed cannot write to $c (is the disk full?)"; exit 73; fi; "#
        )
        + r#"if command -v sha256sum >/dev/null; then [ "$(sha256sum < "$t")" = "$h  -" ] || "#
        + &format!(
            r#"{{ rm -f "$t"; echo "{mark}failed the copy of apg was damaged on its way"; exit 74; }}; fi; "#
        )
        + &format!(r#"if "$t" {same} {identity} && mv "$t" "$a"; then exec "$a" {agent}; fi; "#)
        + &format!(r#"rm -f "$t"; echo "{mark}failed apg does not run there"; exit 126"#);
    debug_assert!(!script.contains(['\'', '\\', '!', '\n']));
    format!("exec /bin/sh -c '{script}'")
}

/// What to do about a connection that failed, by what ssh has printed and its exit status. `similar` is the
/// name of a machine that the user may mean.
pub(super) fn advice(
    host: &str,
    similar: Option<&str>,
    printed: &str,
    status: Option<i32>,
) -> Option<String> {
    let has = |text: &str| printed.contains(text);
    let by_hand = format!("`ssh {host} true` has to work without a question");
    // ssh's own failures.
    let text = if has("REMOTE HOST IDENTIFICATION HAS CHANGED") {
        format!(
            "its key is not the known one: if that is right, remove the old one (`ssh-keygen -R {host}`) \
             and connect once by hand"
        )
    } else if has("Host key verification failed") {
        format!("its key is not known here: connect once by hand (`ssh {host}`) and compare it")
    } else if has("Could not resolve hostname") {
        match similar {
            Some(known) => format!("there is no host of this name: did you mean `{known}`?"),
            None => "there is no host of this name: look at its spelling and at ~/.ssh/config".to_owned(),
        }
    } else if status == Some(126) {
        "if its folder of copies is mounted noexec, set XDG_CACHE_HOME there to another one, or agent-dir in apg.toml".to_owned()
    } else if has("Permission denied") {
        format!("it refuses the user or the keys: {by_hand}")
    } else if has("Connection refused") {
        "no ssh server answers there".to_owned()
    } else if has("timed out") || has("No route to host") || has("Network is unreachable") {
        "it is not reached: it is off, or a firewall is between".to_owned()
    } else if has("GLIBC_") {
        "its C library is too old for this apg".to_owned()
    } else if has("Exec format error") || has("cannot execute binary file") {
        "its processor or system is another one: install an apg for it at the same path there".to_owned()
    } else if status == Some(255) {
        by_hand
    } else {
        return None;
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn words(command: &Command) -> Vec<String> {
        std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    fn starter<'a>(ssh: &'a [OsString], executable: &'a str) -> Starter<'a> {
        Starter {
            command: agent::COMMAND,
            ssh,
            options: &[],
            folder: None,
            executable: Path::new(executable),
            identity: "abc",
            deadline: Instant::now() + std::time::Duration::from_secs(30),
            similar: None,
            installing: &|| {},
        }
    }

    #[test]
    fn agent_folders_are_paths_of_plain_characters() {
        assert!(is_agent_folder("/scratch/me") && is_agent_folder("~/x/y-1"));
        for wrong in ["scratch", "~me/x", "/a b", "/$(id)", "/a\nb", "/it's", ""] {
            assert!(!is_agent_folder(wrong), "{wrong}");
        }
        let command = remote_command(&Starter { folder: Some("~/x"), ..starter(&[], "/usr/bin/apg") });
        assert!(command.contains(r#"d="$HOME/x"; export APG_CACHE_DIR="$d/cache""#), "{command}");
    }

    #[test]
    fn ssh_checks_host_keys_and_forwards_nothing() {
        let command = agent_command(&starter(&[], "/usr/bin/apg"), "me@b");
        let words = words(&command);
        assert_eq!(words[0], "ssh");
        assert!(words.contains(&"ClearAllForwardings=yes".to_owned()) && words.contains(&"-a".to_owned()));
        assert!(!words.iter().any(|word| word.contains("StrictHostKeyChecking")));
        assert_eq!(words[words.len() - 2], "me@b");
        let remote = &words[words.len() - 1];
        assert!(remote.starts_with("exec /bin/sh -c '") && remote.ends_with('\''));
        assert_eq!(remote.matches('\'').count(), 2);
        assert!(remote.contains("/usr/bin/apg __agent-identity abc"));
    }

    #[test]
    fn other_launchers_get_their_own_arguments_alone() {
        let ssh = ["/opt/rsh", "-p", "7"].map(OsString::from);
        let words = words(&agent_command(&starter(&ssh, "/a b/apg"), "b"));
        assert_eq!(words[..4], ["/opt/rsh", "-p", "7", "b"]);
        assert!(!words[4].contains("/a b/apg"), "a path with spaces is not passed to a shell");
    }

    #[test]
    fn this_machine_needs_no_ssh() {
        let command = agent_command(&starter(&[], "/usr/bin/apg"), "localhost");
        assert_eq!(words(&command), ["/usr/bin/apg", "__agent"]);
        assert!(!is_local("localhost.example.org"));
    }

    #[test]
    fn failures_of_ssh_have_advice() {
        for (printed, expected) in [
            ("ssh: Could not resolve hostname b: Name or service not known", "no host of this name"),
            ("me@b: Permission denied (publickey).", "refuses the user or the keys"),
            ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @", "ssh-keygen -R b"),
            ("Host key verification failed.", "is not known here"),
            ("ssh: connect to host b port 22: Connection refused", "no ssh server"),
            ("ssh: connect to host b port 22: Connection timed out", "firewall"),
            ("apg: /lib/libc.so.6: version `GLIBC_2.34' not found", "C library is too old"),
            ("/bin/sh: 1: Exec format error", "another one"),
        ] {
            let advice = advice("b", None, printed, Some(255)).expect(printed);
            assert!(advice.contains(expected), "{printed}: {advice}");
        }
        let unknown = "ssh: Could not resolve hostname clustr: Name or service not known";
        let meant = advice("clustr", Some("cluster"), unknown, Some(255)).expect("advice");
        assert!(meant.contains("did you mean `cluster`?"), "{meant}");
        assert_eq!(advice("b", None, "", Some(1)), None);
    }
}
