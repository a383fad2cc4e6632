//! Files that change on the disk, for clients that do not watch them themselves.
//!
//! Each folder of the workspace is watched for itself, without those below it: what is left out of the workspace costs
//! nothing then.

use std::path::PathBuf;
use std::sync::mpsc;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::main_loop::Sender;
use crate::workspace;

/// Watches folders, until the process ends; what changes is sent to the main loop. New folders below them are watched too.
pub fn start(folders: Vec<PathBuf>, main: Sender) {
    let watch = move || {
        let (events, changes) = mpsc::channel();
        let watcher = notify::recommended_watcher(move |event| {
            let _ = events.send(event);
        });
        match watcher {
            Ok(watcher) => watch(watcher, folders, &changes, &main),
            Err(error) => eprintln!("apg-lsp: changes of files on the disk are not seen: {error}"),
        }
    };
    if let Err(error) = std::thread::Builder::new().name("apg-lsp-watcher".into()).spawn(watch) {
        eprintln!("apg-lsp: changes of files on the disk are not seen: {error}");
    }
}

fn watch(
    mut watcher: RecommendedWatcher,
    folders: Vec<PathBuf>,
    changes: &mpsc::Receiver<notify::Result<notify::Event>>,
    main: &Sender,
) {
    let mut add = |folders: Vec<PathBuf>| {
        for folder in folders {
            if let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive) {
                eprintln!("apg-lsp: changes in {} are not seen: {error}", folder.display());
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
                if !workspace::is_left_out(&path) {
                    // Watched before it is read: what is written in between would not be seen.
                    add(workspace::read(std::slice::from_ref(&path)).folders);
                    main.found(workspace::read(&[path]));
                }
            } else {
                main.changed_on_disk(path);
            }
        }
    }
}
