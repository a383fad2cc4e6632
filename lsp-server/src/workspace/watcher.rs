//! File watcher for clients that do not watch files themselves.
//!
//! Each folder of the workspace is watched for itself, not recursively, so that excluded folders cost
//! nothing.

use std::path::PathBuf;
use std::sync::mpsc;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::workspace;

/// Watches folders and new ones below them until the process ends. `on_change` takes the path of each file or
/// folder that appears, changes or disappears.
pub(crate) fn start(folders: Vec<PathBuf>, on_change: impl Fn(PathBuf) + Send + 'static) {
    let watch = move || {
        let (events, changes) = mpsc::channel();
        let watcher = notify::recommended_watcher(move |event| {
            let _ = events.send(event);
        });
        match watcher {
            Ok(watcher) => watch(watcher, folders, &changes, on_change),
            Err(error) => tracing::warn!("changes of files on the disk are not seen: {error}"),
        }
    };
    if let Err(error) = std::thread::Builder::new().name("apg-lsp-watcher".into()).spawn(watch) {
        tracing::warn!("changes of files on the disk are not seen: {error}");
    }
}

fn watch(
    mut watcher: RecommendedWatcher,
    folders: Vec<PathBuf>,
    changes: &mpsc::Receiver<notify::Result<notify::Event>>,
    on_change: impl Fn(PathBuf),
) {
    let mut add = |folders: Vec<PathBuf>| {
        for folder in folders {
            if let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive) {
                tracing::warn!("changes in {} are not seen: {error}", folder.display());
                return;
            }
        }
    };
    add(folders);
    for event in changes {
        let Ok(event) = event else { continue };
        if matches!(event.kind, EventKind::Access(_)) {
            continue;
        }
        for path in event.paths {
            if path.is_dir() {
                if !workspace::is_excluded(&path) {
                    // Watched before it is read, so that no file that is written in between is missed.
                    add(workspace::read_folders(std::slice::from_ref(&path)).folders);
                    for (file, _) in workspace::read_folders(&[path]).files {
                        on_change(file);
                    }
                }
            } else {
                on_change(path);
            }
        }
    }
}
