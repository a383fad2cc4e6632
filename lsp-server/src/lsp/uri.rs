//! URIs and the files that they name (RFC 3986, RFC 8089).
//!
//! Clients write the same URI in several ways: with or without escapes, with digits of escapes in either
//! case, with characters that the standard does not allow. [`canonical`] gives each file one spelling; the
//! transport translates to it and back.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use apg_project::sources;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use tower_lsp_server::ls_types::Uri;

/// Characters that are escaped in the path of a file: all but the unreserved characters and the slash.
const FILE_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Characters that are escaped in the path of another URI: those that RFC 3986 does not allow.
const PATH: &AsciiSet = &SUB_DELIMITERS_KEPT.remove(b':').remove(b'@').remove(b'?');

/// Characters that are escaped in the name of a host.
const HOST: &AsciiSet = &SUB_DELIMITERS_KEPT.add(b'/');

const SUB_DELIMITERS_KEPT: AsciiSet = FILE_PATH
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// Why a string names no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// The string is empty.
    Empty,
    /// There is no scheme such as `file:` or `untitled:`, and the string is no absolute path.
    NoScheme,
    /// There is no absolute path after the scheme.
    NoPath,
    /// There is a character of value 0.
    Zero,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::NoScheme => "it has no scheme, such as `file:`, and is no absolute path",
            Self::NoPath => "no absolute path follows its scheme",
            Self::Zero => "it has a character of value 0",
        })
    }
}

/// The canonical spelling of a URI, which the server uses.
///
/// # Errors
/// The string names no document.
pub(crate) fn canonical(text: &str) -> Result<String, Malformed> {
    if text.is_empty() {
        return Err(Malformed::Empty);
    }
    let spelled = match local_file(text)? {
        Some(path) => from_path(&path).map(|uri| uri.as_str().to_owned()),
        None => other(text),
    };
    spelled.ok_or(Malformed::NoPath)
}

/// The file of this machine that a URI names; none if it is of another scheme or another machine.
pub(crate) fn to_path(uri: &Uri) -> Option<PathBuf> {
    local_file(uri.as_str()).ok().flatten()
}

/// The URI of an absolute path.
pub(crate) fn from_path(path: &Path) -> Option<Uri> {
    let bytes = path_bytes(path)?;
    Uri::from_str(&format!("file://{}", percent_encode(&bytes, FILE_PATH))).ok()
}

/// Splits off the scheme. A single letter is the drive of a Windows path.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && (scheme.len() > 1 || cfg!(unix));
    is_scheme.then_some((scheme, rest))
}

/// Splits off the authority, without its slashes.
fn authority(rest: &str) -> (Option<&str>, &str) {
    let Some(rest) = rest.strip_prefix("//") else { return (None, rest) };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    (Some(authority), path)
}

/// The file of this machine that a string names; `None` for other URIs. `?` and `#` count as characters of
/// its name: documents have neither queries nor fragments, and not all clients escape these characters.
fn local_file(text: &str) -> Result<Option<PathBuf>, Malformed> {
    let (host, path) = match scheme(text) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => authority(rest),
        Some(_) => return Ok(None),
        // Some clients send a path.
        None if Path::new(text).is_absolute() => return absolute(PathBuf::from(text)).map(Some),
        None => return Err(Malformed::NoScheme),
    };
    let is_local = host.is_none_or(|host| host.is_empty() || host.eq_ignore_ascii_case("localhost"));
    if !is_local && cfg!(unix) {
        return Ok(None);
    }
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    absolute(path_of(host.filter(|_| !is_local), bytes)?).map(Some)
}

/// Makes a path normal: without `..`.
fn absolute(path: PathBuf) -> Result<PathBuf, Malformed> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Malformed::Zero);
    }
    if !path.is_absolute() {
        return Err(Malformed::NoPath);
    }
    // `components` also removes repeated and trailing separators.
    sources::absolute(&path).map(|path| path.components().collect()).map_err(|_| Malformed::NoPath)
}

#[cfg(unix)]
fn path_of(_: Option<&str>, bytes: Vec<u8>) -> Result<PathBuf, Malformed> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    path.is_absolute().then(|| path.as_os_str().as_bytes().to_vec())
}

/// `/c:/a` is `C:\a`, and `/a` of a host is `\\host\a`.
#[cfg(not(unix))]
fn path_of(host: Option<&str>, bytes: Vec<u8>) -> Result<PathBuf, Malformed> {
    let text = String::from_utf8(bytes).map_err(|_| Malformed::NoPath)?;
    let text = text.replace('/', "\\");
    if let Some(host) = host {
        return Ok(format!("\\\\{host}{text}").into());
    }
    let mut text = text.trim_start_matches('\\').to_owned();
    if let Some(drive) = text.get_mut(..1) {
        drive.make_ascii_uppercase();
    }
    Ok(text.into())
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Option<Vec<u8>> {
    let text = path.is_absolute().then(|| path.to_str())??.replace('\\', "/");
    // The two slashes in front of a host are there already.
    Some(text.strip_prefix("//").map_or_else(|| format!("/{text}"), str::to_owned).into_bytes())
}

/// A URI of another scheme with what the standard does not allow escaped, and the digits of escapes in
/// capitals.
fn other(text: &str) -> Option<String> {
    let (scheme, rest) = scheme(text)?;
    let (authority, path) = authority(rest);
    let (path, fragment) =
        path.split_once('#').map_or((path, None), |(path, fragment)| (path, Some(fragment)));
    let mut spelled = scheme.to_ascii_lowercase() + ":";
    if let Some(authority) = authority {
        spelled.push_str("//");
        let is_standard = Uri::from_str(&format!("x://{authority}")).is_ok();
        spelled.push_str(&if is_standard { authority.to_owned() } else { escaped(authority, HOST) });
    }
    spelled.push_str(&escaped(path, PATH));
    if let Some(fragment) = fragment {
        spelled.push('#');
        spelled.push_str(&escaped(fragment, PATH));
    }
    Uri::from_str(&spelled).is_ok().then_some(spelled)
}

fn escaped(text: &str, set: &'static AsciiSet) -> String {
    let mut result = String::with_capacity(text.len());
    let mut parts = text.split('%');
    result.extend(parts.next().map(|part| percent_encode(part.as_bytes(), set).to_string()));
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let rest = match digits {
            Some(digits) => {
                // Unreserved characters are not escaped.
                let byte = u8::from_str_radix(digits, 16)
                    .ok()
                    .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~'));
                match byte {
                    Some(byte) => result.push(byte.into()),
                    None => result.extend(['%'.to_string(), digits.to_ascii_uppercase()]),
                }
                &part[2..]
            }
            // A percent sign that begins no escape stands for itself.
            None => {
                result.push_str("%25");
                part
            }
        };
        result.extend(percent_encode(rest.as_bytes(), set));
    }
    result
}

/// The virtual path of a document that is in no file of this machine: below a folder of its scheme, host and
/// query. The folders of its path stay, because they are those of its package.
pub(crate) fn virtual_path(uri: &Uri) -> PathBuf {
    let (scheme, rest) = uri.as_str().split_once(':').unwrap_or(("", uri.as_str()));
    let (authority, path) = authority(rest);
    let (path, query) = path.split_at(path.find(['?', '#']).unwrap_or(path.len()));
    let mut all = PathBuf::from(format!("{VIRTUAL_ROOT}{scheme}:"));
    let source = format!("{}{query}", authority.unwrap_or_default()).replace('/', "%2F");
    // `.` and `..` are no names of folders.
    all.extend(Some(source).filter(|it| !it.is_empty() && !it.starts_with('.')));
    for name in path.split('/').filter(|name| !matches!(*name, "" | "." | "..")) {
        let decoded = percent_decode_str(name).decode_utf8_lossy();
        all.push(if decoded.contains(['/', '\\', '\0']) { name } else { &*decoded });
    }
    if all.extension().is_none_or(|extension| extension != "x10") {
        let name = all.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".x10";
        all.set_file_name(name);
    }
    all
}

/// The root of virtual paths.
#[cfg(unix)]
const VIRTUAL_ROOT: &str = "/";
#[cfg(not(unix))]
const VIRTUAL_ROOT: &str = "U:\\";

/// Whether a document is of another machine or of a file system that only the client can read, so that the
/// files beside it cannot be read.
pub(crate) fn is_remote(uri: &Uri) -> bool {
    to_path(uri).is_none() && !uri.scheme().as_str().eq_ignore_ascii_case("untitled")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(text: &str) -> Option<PathBuf> {
        to_path(&Uri::from_str(&canonical(text).ok()?).expect("a URI of the standard"))
    }

    #[cfg(unix)]
    #[test]
    fn all_spellings_of_a_file_have_one_canonical_form() {
        let spellings = [
            "file:///w/a%20b/%5Bc%5D%7B%C3%A9%7D/100%25/A.x10",
            "file:///w/a b/[c]{é}/100%/A.x10",
            "file:///w/a%20b/%5bc%5d%7b%c3%a9%7d/100%25/%41.x10",
            "file://localhost/w/a b/[c]{%c3%a9}/100%/A.x10",
            "FILE:/w/a b/[c]{é}/100%25/A.x10",
            "/w/a b/[c]{é}/100%/A.x10",
            "file:///w/./x/..//a b/[c]{é}/100%/A.x10",
        ];
        for spelling in spellings {
            assert_eq!(canonical(spelling).as_deref(), Ok(spellings[0]), "{spelling}");
            let path = file(spelling).expect("a file");
            assert_eq!(path.as_os_str(), "/w/a b/[c]{é}/100%/A.x10", "{spelling}");
        }
        assert_eq!(file("file:///w/C#/what?.x10"), Some("/w/C#/what?.x10".into()));
        assert_eq!(file("file:///"), Some("/".into()));
    }

    #[cfg(unix)]
    #[test]
    fn file_names_need_not_be_utf_8() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/w/\xe9.x10"));
        let uri = from_path(path).expect("absolute");
        assert_eq!((uri.as_str(), to_path(&uri).as_deref()), ("file:///w/%E9.x10", Some(path)));
    }

    #[test]
    fn malformed_uris_are_refused_with_a_reason() {
        assert_eq!(canonical(""), Err(Malformed::Empty));
        assert_eq!(canonical("A.x10"), Err(Malformed::NoScheme));
        assert_eq!(canonical("1:/A.x10"), Err(Malformed::NoScheme));
        assert_eq!(canonical("file:"), Err(Malformed::NoPath));
        assert_eq!(canonical("file:A.x10"), Err(Malformed::NoPath));
        assert_eq!(canonical("file:///a%00b"), Err(Malformed::Zero));
    }

    #[cfg(unix)]
    #[test]
    fn documents_without_a_file_have_virtual_paths() {
        let path = |text: &str| {
            virtual_path(&Uri::from_str(&canonical(text).expect("a URI")).expect("of the standard"))
        };
        assert_eq!(path("untitled:Untitled-1"), Path::new("/untitled:/Untitled-1.x10"));
        assert_eq!(path("untitled:/home/u/New file.x10"), Path::new("/untitled:/home/u/New file.x10"));
        let remote = path("vscode-remote://ssh-remote+h/home/p/A.x10");
        assert_eq!(remote, Path::new("/vscode-remote:/ssh-remote+h/home/p/A.x10"));
        assert_eq!(path("file://other/share/A.x10"), Path::new("/file:/other/share/A.x10"));
        assert_eq!(path("git:/w/A.x10?{\"ref\":\"~\"}"), Path::new("/git:/?%7B%22ref%22:%22~%22%7D/w/A.x10"));
        assert_ne!(path("git:/w/A.x10?1"), path("git:/w/A.x10?2"));
        assert!(path("odd:../../../etc/passwd").starts_with("/odd:"));
    }

    proptest! {
        #[test]
        fn canonical_form_is_a_valid_uri_and_idempotent(text in r"(file:|file://|untitled:|x-y://|)[/a-zA-Z%0-9 é\[\]{}#?:@.\\]{0,20}") {
            if let Ok(spelled) = canonical(&text) {
                prop_assert!(Uri::from_str(&spelled).is_ok(), "{spelled}");
                prop_assert_eq!(canonical(&spelled), Ok(spelled.clone()));
            }
        }

        #[cfg(unix)]
        #[test]
        fn paths_survive_the_round_trip(names in proptest::collection::vec("[^/\0]{1,8}", 1..4)) {
            prop_assume!(names.iter().all(|name| name != "." && name != ".."));
            let path = PathBuf::from(format!("/{}", names.join("/")));
            let uri = from_path(&path).expect("absolute");
            prop_assert_eq!(to_path(&uri), Some(path));
            prop_assert_eq!(canonical(uri.as_str()), Ok(uri.as_str().to_owned()));
        }

        #[cfg(unix)]
        #[test]
        fn escapes_do_not_change_the_file(name in "[^/\0.%]{1,8}") {
            let escaped = |capital: bool| -> String {
                let escape = |byte: u8| if capital { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
                name.bytes().map(escape).collect()
            };
            let spelled = canonical(&format!("file:///{name}"));
            prop_assert_eq!(canonical(&format!("file:///{}", escaped(true))), spelled.clone());
            prop_assert_eq!(canonical(&format!("file:///{}", escaped(false))), spelled);
        }
    }
}
