//! `apg completions`: completion in shells, after their manuals (bash(1) "Programmable Completion",
//! zshcompsys(1), fish-complete(1)).
//!
//! clap_complete generates what is known beforehand. Names of remote machines and of their jobs are asked of
//! apg itself while the user types, by functions that are added to the scripts.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::commands::remote;
use crate::failure::{Failure, Outcome};
use crate::{Cli, output};

/// The command by which scripts ask for names: `__complete remotes PREFIX`, or `__complete jobs PREFIX
/// WORD...` with the words of the command line.
const COMMAND: &str = "__complete";

/// What is added for bash, at the end.
const BASH: &str = include_str!("names.bash");
/// What is added for fish, at the end.
const FISH: &str = include_str!("names.fish");
/// What is added for zsh, behind its first line.
const ZSH: &str = include_str!("names.zsh");
/// Where the script for zsh completes names, and by which function of [`ZSH`].
const ZSH_ACTIONS: [(&str, &str); 2] = [
    (":REMOTE:_default'", ":REMOTE:_apg_remotes'"),
    (":job -- The job'\\''s name:_default'", ":job:_apg_jobs'"),
];

/// Print what completes this command's words in a shell
///
/// For bash: `apg completions bash > ~/.local/share/bash-completion/completions/apg`; for zsh: `apg
/// completions zsh > _apg`, in a folder of `$fpath`; for fish: `apg completions fish >
/// ~/.config/fish/completions/apg.fish`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Outcome {
        let mut generated = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "apg", &mut generated);
        let generated = String::from_utf8_lossy(&generated);
        let script = match self.shell {
            Shell::Bash => format!("{generated}\n{BASH}"),
            Shell::Fish => format!("{generated}\n{FISH}"),
            Shell::Zsh => add_to_zsh(&generated),
            _ => generated.into_owned(),
        };
        output::line(script.trim_end())?;
        Ok(0)
    }
}

/// The script for zsh with the functions for names.
fn add_to_zsh(generated: &str) -> String {
    let script = ZSH_ACTIONS
        .iter()
        .fold(generated.to_owned(), |script, (default, action)| script.replace(default, action));
    // The first line is the tag by which zsh finds the script.
    match script.split_once('\n') {
        Some((tag, rest)) => format!("{tag}\n\n{ZSH}{rest}"),
        None => script,
    }
}

/// Answers a script of a shell if this process was started by one.
pub(crate) fn run_as_completer() -> Option<Outcome> {
    let mut arguments = std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned());
    if arguments.next()? != COMMAND {
        return None;
    }
    Some(complete(&arguments.collect::<Vec<_>>()))
}

fn complete(arguments: &[String]) -> Outcome {
    let (prefix, names) = match arguments {
        [kind, prefix] if kind == "remotes" => (prefix, remote::remote_names()?),
        [kind, prefix, words @ ..] if kind == "jobs" => match named_remote(words) {
            Some(name) => (prefix, remote::job_names(name)?),
            None => return Ok(0),
        },
        _ => return Err(Failure::misuse(format!("`{COMMAND}` is for the scripts of `apg completions`"))),
    };
    let mut names = names.iter().filter(|name| is_plain(name) && name.starts_with(prefix));
    names.try_for_each(output::line)?;
    Ok(0)
}

/// Whether a shell takes a name for one word and nothing else. Names come from files and machines that are
/// not the user's own.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.'))
}

/// The remote machine of a command line: `--on NAME` or `--on=NAME`, of which bash makes three words.
fn named_remote(words: &[String]) -> Option<&str> {
    let name = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--on=") {
        Some(name) => Some(name),
        None if word == "--on" => words[at + 1..].iter().map(String::as_str).find(|it| *it != "="),
        None => None,
    });
    name.filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_machine_is_found_in_the_words_of_each_shell() {
        for line in ["apg attach --on gpu", "apg stop x --on=gpu", "apg attach --on = gpu"] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(named_remote(&words), Some("gpu"), "{line}");
        }
        for line in ["apg attach", "apg attach --on", "apg attach --on="] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(named_remote(&words), None, "{line}");
        }
    }

    #[test]
    fn names_that_a_shell_expands_are_not_offered() {
        assert!(is_plain("gpu-1.lab") && is_plain("Waits-3f9a12"));
        for name in ["", "$(touch x)", "`x`", "a b", "-oProxyCommand=x", "a;b", "a\nb"] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn script_for_zsh_completes_every_name_by_its_function() {
        let mut generated = Vec::new();
        clap_complete::generate(Shell::Zsh, &mut Cli::command(), "apg", &mut generated);
        let generated = String::from_utf8(generated).expect("text");
        let script = add_to_zsh(&generated);
        assert!(script.starts_with("#compdef apg\n"));
        let count = |text: &str, part: &str| text.matches(part).count();
        assert_eq!(count(&script, ":REMOTE:_apg_remotes'"), count(&generated, "--on=["));
        assert_eq!(count(&script, ":job:_apg_jobs'"), 2);
    }
}
