//! `apg completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::failure::Outcome;
use crate::{Cli, output};

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
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "apg", &mut script);
        output::line(String::from_utf8_lossy(&script).trim_end())?;
        Ok(0)
    }
}
