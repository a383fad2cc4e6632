use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use super::*;

fn cache() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::at(folder.path().join("cache"));
    cache.prepare().expect("a private folder");
    (folder, cache)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
}

#[test]
fn keys_tell_lists_apart() {
    assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    assert_eq!(key(&["a"]).len(), 64);
}

#[test]
fn a_failed_production_leaves_nothing() {
    let (_folder, cache) = cache();
    let target = cache.path("objects", "abcdef", "o");
    let refused = |path: &Path| Err(CacheError::new(path, io::ErrorKind::Other.into()));
    assert!(cache.produce(&target, refused).is_err());
    assert_eq!(fs::read_dir(target.parent().expect("a folder")).expect("there").count(), 0);
}

#[test]
fn damaged_entries_count_as_missing_and_are_replaced() {
    let (_folder, cache) = cache();
    let target = cache.path("objects", "abcdef", "o");
    assert_eq!(cache.load(&target), None);
    cache.store(&target, b"content").expect("stored");
    let whole = fs::read(&target).expect("there");
    let mut flipped = whole.clone();
    flipped[3] ^= 1;
    let mut longer = whole.clone();
    longer.push(0);
    for damaged in
        [&[][..], &whole[..4], &whole[..whole.len() - 1], &whole[1..], &flipped, &longer, b"content"]
    {
        fs::write(&target, damaged).expect("written");
        assert!(!cache.contains(&target), "{damaged:?}");
        assert_eq!(cache.load(&target), None);
        cache.store(&target, b"content").expect("stored");
        assert_eq!(cache.load(&target).as_deref(), Some(&b"content"[..]));
    }
}

#[test]
fn the_first_of_two_intact_entries_stays() {
    let (_folder, cache) = cache();
    let target = cache.path("objects", "abcdef", "o");
    cache.store(&target, b"first").expect("stored");
    cache.store(&target, b"second").expect("stored");
    assert_eq!(cache.load(&target).as_deref(), Some(&b"first"[..]));
}

#[test]
fn damaged_source_entries_are_repaired() {
    let (_folder, cache) = cache();
    let path = cache.root().join("include/a/apg.h");
    cache.keep_text(&path, "text").expect("written");
    fs::write(&path, "tex").expect("written");
    cache.keep_text(&path, "text").expect("written");
    assert_eq!(fs::read(&path).expect("there"), b"text");
}

#[test]
fn new_folders_are_private_and_others_are_refused() {
    let (_folder, cache) = cache();
    let mode = || fs::metadata(cache.root()).expect("there").permissions().mode() & 0o7777;
    assert_eq!(mode(), 0o700);
    for open in [0o777, 0o770, 0o702] {
        set_mode(cache.root(), open);
        let error = cache.acquire().expect_err("refused").to_string();
        assert!(error.contains(&format!("(mode {open:o})")), "{error}");
    }
    // Emptying it makes it private.
    cache.clear(|| ()).expect("cleared");
    assert_eq!(mode(), 0o700);
    cache.acquire().expect("usable");
}

#[test]
fn a_folder_that_others_can_replace_is_refused() {
    let (folder, cache) = cache();
    set_mode(folder.path(), 0o777);
    assert!(cache.acquire().expect_err("refused").to_string().contains("replace it"));
    set_mode(folder.path(), 0o1777);
    cache.acquire().expect("the sticky bit protects it");
}

#[test]
fn a_folder_of_another_user_is_refused() {
    // SAFETY: geteuid has no conditions.
    if unsafe { libc::geteuid() } != 0 {
        return eprintln!("skipped: only the superuser can give a folder to another user");
    }
    let (_folder, cache) = cache();
    std::os::unix::fs::chown(cache.root(), Some(12345), None).expect("given away");
    for error in [cache.acquire().map(drop), cache.clear(|| ()).map(drop)] {
        assert!(error.expect_err("refused").to_string().contains("belongs to user 12345"));
    }
}

#[test]
fn a_folder_of_other_files_is_refused_and_keeps_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("objects/thesis.tex");
    fs::create_dir(folder.path().join("objects")).expect("made");
    fs::write(folder.path().join("notes.txt"), "mine").expect("written");
    fs::write(&file, "mine").expect("written");
    let long_ago = SystemTime::now() - Duration::from_secs(400 * 24 * 60 * 60);
    File::options().append(true).open(&file).expect("there").set_modified(long_ago).expect("set");
    let cache = Cache::at(folder.path().to_owned());
    for error in [cache.acquire().map(drop), cache.clear(|| ()).map(drop)] {
        assert!(
            error.expect_err("refused").to_string().contains("it holds other files, such as `notes.txt`")
        );
    }
    assert_eq!(fs::read(&file).expect("there"), b"mine");
    // The tag of another program's cache does not make it this one's.
    fs::write(folder.path().join(tag::TAG), "Signature: 8a477f597d28d172789f06886806bc55\n")
        .expect("written");
    assert!(cache.acquire().is_err());
}

#[test]
fn a_cache_without_a_tag_is_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["objects", "programs", "lock", "quarantine-0.1.0"] {
        fs::create_dir(folder.path().join(name)).expect("made");
    }
    fs::remove_dir(folder.path().join("lock")).expect("removed");
    let cache = Cache::at(folder.path().to_owned());
    cache.acquire().expect("usable");
    cache.clear(|| ()).expect("cleared");
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).expect("there").map(|it| it.expect("read").file_name()).collect();
    left.sort();
    assert_eq!(left, [tag::TAG, LOCK]);
}

#[test]
fn processes_that_start_together_share_a_new_cache() {
    for _ in 0..50 {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("cache");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| Cache::at(root.clone()).prepare().expect("empty or tagged"));
            }
        });
    }
}

#[test]
fn first_entry_of_a_cache_comes_after_its_tag() {
    for write in [
        (|cache: &Cache| cache.store(&cache.path("any-kind", "abcdef", "o"), b"content")) as fn(&Cache) -> _,
        |cache| cache.keep_text(&cache.root().join("any-kind/text"), "content"),
        |cache| cache.temporary("any", b"content").map(drop),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::at(folder.path().join("cache"));
        write(&cache).expect("written");
        fs::create_dir_all(cache.root().join("any-kind")).expect("made");
        cache.acquire().expect("it is a cache");
    }
}

#[test]
fn removal_waits_for_users() {
    let (_folder, cache) = cache();
    let target = cache.path("objects", "abcdef", "o");
    let in_use = cache.acquire().expect("acquired");
    cache.store(&target, b"content").expect("stored");
    let (sender, waits) = channel();
    let cleaner = cache.clone();
    let thread = std::thread::spawn(move || cleaner.clear(|| sender.send(()).expect("heard")));
    waits.recv().expect("it waits");
    assert!(cache.contains(&target));
    drop(in_use);
    assert!(thread.join().expect("no panic").expect("cleared") > 7);
    assert!(!cache.contains(&target));
}

#[test]
fn old_and_surplus_entries_go() {
    let (_folder, cache) = cache();
    let now = SystemTime::now();
    let entry = |name: &str, days: u64| {
        let path = cache.root().join("objects").join(name);
        private::create_folder(&cache.root().join("objects")).expect("made");
        fs::write(&path, [0; 100]).expect("written");
        let file = File::options().append(true).open(&path).expect("there");
        file.set_modified(now - Duration::from_secs(days * 24 * 60 * 60)).expect("set");
        path
    };
    let paths = [entry("a", 40), entry("b", 20), entry("c", 10), entry("d", 0), entry("new-x", 2)];
    let left = || paths.iter().map(|path| path.exists()).collect::<Vec<_>>();
    evict::trim(cache.root(), 1000, now);
    assert_eq!(left(), [false, true, true, true, false]);
    evict::trim(cache.root(), 260, now);
    assert_eq!(left(), [false, false, true, true, false]);
}
