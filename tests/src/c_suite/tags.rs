//! Tags of a template, `<name>content</name>`; each pair is the shortest text.

/// A pair of tags of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag<'a>(pub &'a str);

impl Tag<'_> {
    /// Replaces each pair and its content by what `new` makes of the content and the pair's index.
    pub(super) fn replace(self, text: &str, mut new: impl FnMut(&str, usize) -> String) -> String {
        let (open, close) = (format!("<{}>", self.0), format!("</{}>", self.0));
        let (mut out, mut rest, mut index) = (String::new(), text, 0);
        while let Some((before, behind)) = rest.split_once(&open) {
            let Some((content, after)) = behind.split_once(&close) else { break };
            out.push_str(before);
            out.push_str(&new(content, index));
            index += 1;
            rest = after;
        }
        out + rest
    }

    /// The contents of all pairs.
    pub(super) fn contents(self, text: &str) -> Vec<String> {
        let mut contents = Vec::new();
        self.replace(text, |content, _| {
            contents.push(content.to_owned());
            String::new()
        });
        contents
    }

    /// Removes the tags and keeps their contents.
    pub(super) fn keep(self, text: &str) -> String {
        self.replace(text, |content, _| content.to_owned())
    }

    /// Removes the tags with their contents.
    pub(super) fn remove(self, text: &str) -> String {
        self.replace(text, |_, _| String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_as_short_as_can_be() {
        let text = "a<t>b</t>c<t></t>d<t>e";
        let tag = Tag("t");
        assert_eq!(tag.keep(text), "abcd<t>e");
        assert_eq!(tag.remove(text), "acd<t>e");
        assert_eq!(tag.contents(text), ["b", ""]);
        assert_eq!(tag.replace(text, |content, index| format!("[{index}{content}]")), "a[0b]c[1]d<t>e");
    }
}
