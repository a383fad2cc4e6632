//! The command line of `apg` on another machine, word by word.

use std::path::Path;

use clap::ValueEnum;

use crate::commands::hosts::{HostOptions, Launcher};
use crate::commands::launch::{LaunchOptions, carrier_text};
use crate::failure::Failure;
use crate::options::{NativeOptions, SourceOptions};
use apg_remote::config::Remote;
use apg_remote::manifest::Manifest;

/// Words of a command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandLine {
    words: Vec<String>,
}

impl CommandLine {
    /// The words.
    pub(crate) fn into_words(self) -> Vec<String> {
        self.words
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// These words, and then those of another line.
    pub(crate) fn followed_by(mut self, other: &CommandLine) -> CommandLine {
        self.words.extend_from_slice(&other.words);
        self
    }

    /// A word.
    pub(crate) fn word(&mut self, word: impl Into<String>) -> &mut Self {
        self.words.push(word.into());
        self
    }

    /// An option with a value, if there is one.
    pub(crate) fn option(&mut self, name: &str, value: Option<impl ToString>) -> &mut Self {
        self.words.extend(value.map(|value| format!("--{name}={}", value.to_string())));
        self
    }

    /// An option without a value, if it is set.
    pub(crate) fn flag(&mut self, name: &str, is_set: bool) -> &mut Self {
        self.words.extend(is_set.then(|| format!("--{name}")));
        self
    }

    /// An option with a value of a list, if there is one.
    pub(crate) fn choice(&mut self, name: &str, value: Option<impl ValueEnum>) -> &mut Self {
        let value = value.and_then(|value| Some(value.to_possible_value()?.get_name().to_owned()));
        self.option(name, value)
    }

    /// How a program is launched; what the options leave open is the remote machine's.
    pub(crate) fn launch(
        &mut self,
        launch: &LaunchOptions,
        hosts: &HostOptions,
        remote: &Remote,
    ) -> &mut Self {
        let named = hosts.hosts.clone().or_else(|| remote.hosts.clone());
        self.option("places", launch.places.or(remote.places.filter(|_| named.is_none())));
        self.option("accels", launch.accels.clone().or_else(|| remote.accels.clone()));
        self.option("threads", launch.threads).option("heap", launch.heap).flag("gc-stats", launch.gc_stats);
        self.option(
            "transport",
            launch.transport.as_ref().map(|it| carrier_text(it).to_string_lossy().into_owned()),
        );
        self.option("hosts", named).network(hosts)
    }

    /// What starts the places of a program, and what connects them.
    fn network(&mut self, hosts: &HostOptions) -> &mut Self {
        let launcher = Some(hosts.launcher).filter(|launcher| *launcher != Launcher::Auto);
        self.choice("launcher", launcher).option("interface", hosts.interface.clone());
        self.flag("private-network", hosts.private_network)
    }

    /// Where the places of a program in C are.
    pub(crate) fn places(&mut self, launch: &LaunchOptions, hosts: &HostOptions) -> &mut Self {
        self.option("places", launch.places).option("threads", launch.threads);
        self.option(
            "transport",
            launch.transport.as_ref().map(|it| carrier_text(it).to_string_lossy().into_owned()),
        );
        self.option("hosts", hosts.hosts.clone()).network(hosts)
    }

    /// Where sources are, as paths in the tree.
    pub(crate) fn sources(
        &mut self,
        sources: &SourceOptions,
        paths: &Paths<'_>,
    ) -> Result<&mut Self, Failure> {
        for folder in &sources.source_path {
            self.option("source-path", Some(paths.translate(folder)?));
        }
        self.flag("static-checks", sources.static_checks);
        Ok(self.flag("constraint-inference", sources.constraint_inference))
    }

    /// Options for the program's own C++ code, with folders as paths in the tree. Folders of libraries are
    /// those of the remote machine.
    pub(crate) fn native(&mut self, native: &NativeOptions, paths: &Paths<'_>) -> Result<&mut Self, Failure> {
        for folder in &native.include {
            self.word(format!("-I{}", paths.translate(folder)?));
        }
        let joined = |letter: &str, words: &[String]| -> Vec<String> {
            words.iter().map(|word| format!("-{letter}{word}")).collect()
        };
        self.words.extend(joined("D", &native.define));
        let folders: Vec<String> = native.library_path.iter().map(|it| it.display().to_string()).collect();
        self.words.extend(joined("L", &folders));
        self.words.extend(joined("l", &native.library));
        for option in &native.cxx_prearg {
            self.option("cxx-prearg", Some(option));
        }
        for option in &native.cxx_postarg {
            self.option("cxx-postarg", Some(option));
        }
        Ok(self)
    }
}

/// Paths of this machine in the tree of a program.
pub(crate) struct Paths<'a> {
    /// The program's files.
    pub manifest: &'a Manifest,
    /// The working folder.
    pub here: &'a Path,
}

impl Paths<'_> {
    /// A path, seen from the working folder.
    pub(crate) fn translate(&self, path: &Path) -> Result<String, Failure> {
        self.manifest.translate(path, self.here).map_err(Failure::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_win_over_the_remote_machines_own() {
        let remote = Remote {
            accels: Some("all".to_owned()),
            hosts: Some("a:4,b:4".to_owned()),
            places: Some(2),
            ..Remote::default()
        };
        let mut line = CommandLine::default();
        line.launch(&LaunchOptions::default(), &HostOptions::default(), &remote);
        assert_eq!(line.into_words(), ["--accels=all", "--hosts=a:4,b:4"]);
        let launch =
            LaunchOptions { accels: Some("none".to_owned()), places: Some(3), ..LaunchOptions::default() };
        let mut line = CommandLine::default();
        line.launch(&launch, &HostOptions::default(), &remote);
        assert_eq!(line.into_words(), ["--places=3", "--accels=none", "--hosts=a:4,b:4"]);
    }
}
