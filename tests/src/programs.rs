//! Whole programs: `tests/programs/NAME.x10`, what it prints in `NAME.out`, and how it is run in comments:
//!
//! ```text
//! // args: 10 x        arguments of the program
//! // options: --heap 8M  options of `apg run`
//! // places: 1 4       numbers of places to run at (1 and 4 without this line)
//! // status: 1         exit status (0)
//! // stderr: text      standard error has this text; may stand several times
//! // sorted            the order of the lines is not fixed
//! // without: thread   ways in which it is not run (tests/programs.rs), with the reason on the line below
//! ```

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::tools;

/// A program and how it is run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The source file.
    pub path: PathBuf,
    args: Vec<String>,
    options: Vec<String>,
    /// Numbers of places to run at.
    pub places: Vec<u32>,
    status: i32,
    stderr: Vec<String>,
    sorted: bool,
    /// Ways in which it is not run.
    pub without: Vec<String>,
}

/// All programs of a folder, by name.
pub fn all(folder: &Path) -> Vec<Program> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "x10"));
    paths.sort();
    paths.into_iter().map(Program::read).collect()
}

impl Program {
    fn read(path: PathBuf) -> Self {
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let all = |name: &str| -> Vec<String> {
            let prefix = format!("// {name}:");
            text.lines().filter_map(|line| Some(line.strip_prefix(&prefix)?.trim().to_owned())).collect()
        };
        let words = |name: &str| -> Vec<String> {
            all(name).iter().flat_map(|line| line.split(' ')).map(str::to_owned).collect()
        };
        let numbers = |name: &str| -> Vec<u32> {
            words(name).iter().map(|word| word.parse().expect("a number")).collect()
        };
        let places = numbers("places");
        Self {
            args: words("args"),
            options: words("options"),
            places: if places.is_empty() { vec![1, 4] } else { places },
            status: all("status").first().map_or(0, |status| status.parse().expect("status")),
            stderr: all("stderr"),
            without: words("without"),
            sorted: text.lines().any(|line| line.trim() == "// sorted"),
            path,
        }
    }

    /// The name, for the test's.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The same program without a fixed order of its lines.
    pub fn in_any_order(mut self) -> Self {
        self.sorted = true;
        self
    }

    /// Where it is run when nothing is left out: at 2 places, too, if the number does not matter to it.
    pub fn all_places(&self) -> Vec<u32> {
        if self.places == [1, 4] { vec![1, 2, 4] } else { self.places.clone() }
    }

    /// Runs it with these options of `apg run` and variables besides; an error says what differs.
    pub fn check(&self, places: u32, options: &[&str], variables: &[(&str, &Path)]) -> Result<(), String> {
        let mut command = Command::new(tools::apg());
        command.envs(variables.iter().copied());
        command.arg("run").arg(&self.path).args(["--places", &places.to_string()]);
        self.check_command(command, places, options)
    }

    /// Runs it as the processes of a launcher's command, one for each place; an error says what differs.
    pub fn check_under(&self, launcher: &Command, places: u32, options: &[&str]) -> Result<(), String> {
        let mut command = Command::new(launcher.get_program());
        command.args(launcher.get_args()).arg(tools::apg()).arg("run").arg(&self.path);
        command.envs(launcher.get_envs().filter_map(|(name, value)| Some((name, value?))));
        self.check_command(command, places, options)
    }

    fn check_command(&self, mut command: Command, places: u32, options: &[&str]) -> Result<(), String> {
        command.args(options).args(&self.options);
        if !self.args.is_empty() {
            command.arg("--").args(&self.args);
        }
        let output =
            run(command, Duration::from_secs(if options.contains(&"--sanitize") { 600 } else { 300 }))?;
        let expected =
            std::fs::read_to_string(self.path.with_extension("out")).map_err(|error| error.to_string())?;
        let expected = expected.replace("@PLACES@", &places.to_string());
        let (found, expected) = (self.lines(&output.stdout), self.lines(&expected));
        if found != expected || output.status != self.status {
            return Err(format!(
                "expected status {} and:\n{expected}\n--- found status {} and:\n{found}\n--- standard error:\n{}",
                self.status, output.status, output.stderr
            ));
        }
        for text in &self.stderr {
            if !output.stderr.contains(text.as_str()) {
                return Err(format!("standard error lacks `{text}`:\n{}", output.stderr));
            }
        }
        Ok(())
    }

    fn lines(&self, text: &str) -> String {
        let mut lines: Vec<&str> = text.trim_end().lines().collect();
        if self.sorted {
            lines.sort_unstable();
        }
        lines.join("\n")
    }
}

/// What a command printed and ended with.
#[derive(Debug)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit status; 128 + number for a signal.
    pub status: i32,
}

/// Runs a command to its end. A command that takes longer than `limit` is killed, which is an error: a test
/// never hangs.
pub fn run(mut command: Command, limit: Duration) -> Result<Output, String> {
    use std::os::unix::process::ExitStatusExt;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let start = std::time::Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{command:?} did not end within {limit:?}"));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |thread: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&thread.join().unwrap_or_default()).into_owned()
    };
    let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(Output { stdout: text(stdout), stderr: text(stderr), status })
}

fn drain(stream: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // A broken pipe ends the output where it is.
            let _ = stream.read_to_end(&mut bytes);
        }
        bytes
    })
}
