//! Logging: `tracing` events go to a log file of bounded size, warnings of the server also to standard error.
//! Standard output belongs to the protocol.
//!
//! `APG_LOG` filters the log file, as in `APG_LOG=apg_lsp=debug`. At level `debug` the duration of each
//! request and diagnosis is logged, as the end of its span.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{FmtSpan, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

/// The variable with the filter of the log file.
const FILTER_VARIABLE: &str = "APG_LOG";
/// The variable with the path of the log file.
const FILE_VARIABLE: &str = "APG_LOG_FILE";
/// Prefix of the targets of this project's crates.
const OWN_TARGETS: &str = "apg";
/// A log file of this size is renamed to `*.old`, in place of the one before.
const MAX_LOG_BYTES: u64 = 4 << 20;

/// The log file, unless an option names another one: that of `APG_LOG_FILE`, or `apg-lsp.log` in the
/// platform's folder for states. `None` if the variable is empty or there is no such folder.
pub fn default_log_file() -> Option<PathBuf> {
    match std::env::var_os(FILE_VARIABLE) {
        Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        None => Some(state_folder()?.join("apg").join("apg-lsp.log")),
    }
}

/// The platform's folder for logs and other states of programs.
fn state_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        Some(folder("HOME")?.join("Library/Logs"))
    } else {
        folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))
    }
}

/// Starts logging. Returns the log file, if it can be written.
pub fn start_logging(file: Option<PathBuf>) -> Option<PathBuf> {
    let filter = match std::env::var(FILTER_VARIABLE).ok().map(|filter| filter.parse::<Targets>()) {
        Some(Ok(filter)) => filter,
        Some(Err(error)) => {
            eprintln!("apg-lsp: {FILTER_VARIABLE}: {error}");
            default_filter()
        }
        None => default_filter(),
    };
    let opened = file.and_then(|path| match LogFile::open(&path) {
        Ok(log) => Some((path, log)),
        Err(error) => {
            eprintln!("apg-lsp: no log is written to {}: {error}", path.display());
            None
        }
    });
    let (path, log) = opened.unzip();
    let file_layer = log.map(|log| {
        fmt::layer()
            .with_ansi(false)
            .with_span_events(FmtSpan::CLOSE)
            .with_writer(move || log.clone())
            .with_filter(filter)
    });
    let warnings = Targets::new().with_target(OWN_TARGETS, LevelFilter::WARN);
    let stderr_layer =
        fmt::layer().event_format(PlainFormat).with_ansi(false).with_writer(io::stderr).with_filter(warnings);
    tracing_subscriber::registry().with(file_layer).with(stderr_layer).init();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
    path
}

fn default_filter() -> Targets {
    Targets::new().with_target(OWN_TARGETS, LevelFilter::INFO).with_default(LevelFilter::WARN)
}

/// Events for people: the program's name and the message.
struct PlainFormat;

impl<S, N> FormatEvent<S, N> for PlainFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        write!(writer, "apg-lsp: ")?;
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// A log file of bounded size. All clones write to the same file.
#[derive(Clone)]
struct LogFile(Arc<Mutex<OpenLog>>);

struct OpenLog {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl LogFile {
    fn open(path: &Path) -> io::Result<LogFile> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let file = open_to_append(path)?;
        let bytes = file.metadata()?.len();
        Ok(LogFile(Arc::new(Mutex::new(OpenLog { path: path.to_owned(), file, bytes }))))
    }
}

/// Opens a file that only its user can read: logs have names of files.
fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl OpenLog {
    /// Makes room for an entry. If the file cannot be renamed, logging continues in it.
    fn rotate(&mut self) {
        let mut old = self.path.clone().into_os_string();
        old.push(".old");
        if std::fs::rename(&self.path, old).is_ok()
            && let Ok(file) = open_to_append(&self.path)
        {
            self.file = file;
        }
        self.bytes = 0;
    }
}

impl Write for LogFile {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock();
        if log.bytes + entry.len() as u64 > MAX_LOG_BYTES {
            log.rotate();
        }
        let written = log.file.write(entry)?;
        log.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_log_file_is_renamed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state/apg-lsp.log");
        let mut log = LogFile::open(&path).expect("can be written");
        let entry = vec![b'a'; MAX_LOG_BYTES as usize - 1];
        log.write_all(&entry).expect("written");
        assert_eq!(std::fs::metadata(&path).expect("there").len(), MAX_LOG_BYTES - 1);
        log.write_all(b"bc").expect("written");
        assert_eq!(std::fs::read(&path).expect("there"), b"bc");
        let old = folder.path().join("state/apg-lsp.log.old");
        assert_eq!(std::fs::metadata(old).expect("there").len(), MAX_LOG_BYTES - 1);
    }

    #[test]
    fn log_file_is_appended_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("apg-lsp.log");
        for line in ["first\n", "second\n"] {
            LogFile::open(&path).expect("can be written").write_all(line.as_bytes()).expect("written");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "first\nsecond\n");
    }

    #[test]
    fn default_filter_has_information_of_own_crates_only() {
        let filter = default_filter();
        assert!(filter.would_enable("apg_lsp::main_loop", &tracing::Level::INFO));
        assert!(!filter.would_enable("apg_lsp::main_loop", &tracing::Level::DEBUG));
        assert!(!filter.would_enable("tower_lsp_server", &tracing::Level::INFO));
    }
}
