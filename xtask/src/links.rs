//! Link checker for Markdown: relative links name files that exist, and anchors name headings of those files.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// What a page says that matters to links.
pub(crate) struct Page {
    /// Text of the first heading.
    pub(crate) title: Option<String>,
    anchors: BTreeSet<String>,
    links: Vec<Link>,
}

struct Link {
    target: String,
    line: usize,
}

impl Page {
    /// Parses a page of CommonMark with GitHub's tables.
    pub(crate) fn parse(text: &str) -> Page {
        let mut page = Page { title: None, anchors: BTreeSet::new(), links: Vec::new() };
        let mut heading: Option<String> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(Link { target: dest_url.to_string(), line: line_of(text, &range) });
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(level)) => {
                    page.add_heading(heading.take().unwrap_or_default(), level)
                }
                Event::Text(piece) | Event::Code(piece) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&piece);
                    }
                }
                Event::Html(piece) | Event::InlineHtml(piece) => page.add_html_anchors(&piece),
                _ => {}
            }
        }
        page
    }

    /// The same heading twice gets `-1`, `-2` and so on, as GitHub and mdBook number them.
    fn add_heading(&mut self, heading: String, level: HeadingLevel) {
        let name = anchor(&heading);
        let mut unique = name.clone();
        let mut number = 0;
        while !self.anchors.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}-{number}");
        }
        if self.title.is_none() && level == HeadingLevel::H1 {
            self.title = Some(heading);
        }
    }

    /// `<a id="name">` and `<a name="name">`.
    fn add_html_anchors(&mut self, html: &str) {
        for attribute in ["id=\"", "name=\""] {
            for rest in html.split(attribute).skip(1) {
                self.anchors.extend(rest.split('"').next().map(str::to_owned));
            }
        }
    }

    /// Relative targets of the page's links, without anchors, in order.
    pub(crate) fn relative_targets(&self) -> impl Iterator<Item = &str> {
        let targets = self.links.iter().map(|link| link.target.as_str()).filter(|it| !has_scheme(it));
        targets.map(|it| it.split('#').next().unwrap_or_default()).filter(|it| !it.is_empty())
    }
}

fn line_of(text: &str, range: &Range<usize>) -> usize {
    text[..range.start].matches('\n').count() + 1
}

/// The anchor of a heading: lower case, blanks as hyphens, letters, digits, `-` and `_` kept.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

fn has_scheme(target: &str) -> bool {
    let scheme = target.split(':').next().unwrap_or_default();
    target.contains(':')
        && !scheme.is_empty()
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// Checks the pages of `files` against the files below `root`; one message for each broken link.
pub(crate) fn check(root: &Path, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut pages = BTreeMap::new();
    for file in files {
        pages.insert(file.clone(), Page::parse(&crate::read(file)?));
    }
    let mut problems = Vec::new();
    for (file, page) in &pages {
        for link in page.links.iter().filter(|link| !has_scheme(&link.target)) {
            if let Some(problem) = check_link(root, file, &link.target, &pages)? {
                let name = file.strip_prefix(root).unwrap_or(file).display();
                problems.push(format!("{name}:{}: {problem}", link.line));
            }
        }
    }
    Ok(problems)
}

fn check_link(
    root: &Path,
    file: &Path,
    target: &str,
    pages: &BTreeMap<PathBuf, Page>,
) -> Result<Option<String>, String> {
    let (path, fragment) = target.split_once('#').map_or((target, None), |(path, name)| (path, Some(name)));
    let folder = file.parent().unwrap_or(root);
    let path = match path {
        "" => file.to_owned(),
        _ if path.starts_with('/') => {
            return Ok(Some(format!("`{target}` is an absolute path: write a relative one")));
        }
        _ => normalize(&folder.join(path)),
    };
    if !path.starts_with(root) {
        return Ok(Some(format!("`{target}` leads out of the repository")));
    }
    if !path.exists() {
        return Ok(Some(format!("`{target}` names no file")));
    }
    let Some(fragment) = fragment else { return Ok(None) };
    let known = match pages.get(&path) {
        Some(page) => page.anchors.contains(fragment),
        None if path.extension().is_some_and(|it| it == "md") => {
            Page::parse(&crate::read(&path)?).anchors.contains(fragment)
        }
        // Lines of source files and the like are not looked up.
        None => true,
    };
    Ok((!known).then(|| format!("`{target}`: the page has no heading with the anchor `#{fragment}`")))
}

/// Resolves `.` and `..` by name.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(pages: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for (name, text) in pages {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            files.push(path);
        }
        check(folder.path(), &files).unwrap()
    }

    #[test]
    fn existing_files_and_headings_are_accepted() {
        let index = "# Index\n[a](sub/a.md) [b](sub/a.md#more-than-one-word) [c](#index) <https://x.example/#no> \
                     [d](mailto:someone@x.example) ![p](sub/a.md)\n";
        let page = "# A `page`\n\n## More than one word\n\n[up](../index.md#index) [this](#a-page)\n";
        assert_eq!(problems(&[("index.md", index), ("sub/a.md", page)]), Vec::<String>::new());
    }

    #[test]
    fn missing_files_and_anchors_are_reported_with_their_lines() {
        let page = "# Page\n\n[a](none.md)\n[b](#nothing)\n[c](/etc/hosts)\n[d](../../out.md)\n";
        let found = problems(&[("page.md", page)]);
        assert_eq!(found.len(), 4, "{found:#?}");
        assert!(found[0].starts_with("page.md:3: `none.md` names no file"), "{found:#?}");
        assert!(found[1].starts_with("page.md:4: `#nothing`: the page has no heading"), "{found:#?}");
        assert!(found[2].contains("absolute path"), "{found:#?}");
        assert!(found[3].contains("out of the repository"), "{found:#?}");
    }

    #[test]
    fn equal_headings_are_numbered() {
        let page = "# A\n## Use\n## Use\n[first](#use) [second](#use-1) [third](#use-2)\n";
        let found = problems(&[("page.md", page)]);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("#use-2"), "{found:#?}");
    }

    #[test]
    fn punctuation_is_dropped_from_anchors() {
        assert_eq!(anchor("C++, `@Native` & more: 2.6"), "c-native--more-26");
        assert_eq!(anchor("Under_score - dash"), "under_score---dash");
    }

    #[test]
    fn links_in_code_are_no_links() {
        assert_eq!(
            problems(&[("page.md", "# P\n`[a](none.md)`\n\n    [b](none.md)\n")]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn reference_links_are_checked() {
        let found = problems(&[("page.md", "# P\n[a][r]\n\n[r]: gone.md\n")]);
        assert!(found.len() == 1 && found[0].contains("gone.md"), "{found:#?}");
    }
}
