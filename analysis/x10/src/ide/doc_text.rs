//! Conversion of documentation comments to Markdown. X10 programs write them with HTML and Javadoc tags.

/// Converts the text of a documentation comment to Markdown.
pub(super) fn markdown(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len());
    let mut rest = comment;
    while let Some(at) = rest.find(['<', '{', '@']) {
        let (before, tail) = rest.split_at(at);
        text.push_str(before);
        let starts_line = text.trim_end_matches([' ', '\t']).is_empty()
            || text.trim_end_matches([' ', '\t']).ends_with('\n');
        let read = if tail.starts_with('@') {
            if starts_line { block_tag(tail) } else { None }
        } else {
            inline_tag(tail)
        };
        match read {
            Some((written, length)) => {
                text.push_str(&written);
                rest = &tail[length..];
            }
            None => {
                text.push_str(&tail[..1]);
                rest = &tail[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

/// A Javadoc block tag at the start of a line, as in `@param x text`: the Markdown of the tag with its
/// argument, and their length.
fn block_tag(tail: &str) -> Option<(String, usize)> {
    let end = tail[1..].find(|c: char| !c.is_ascii_alphabetic()).map_or(tail.len(), |at| at + 1);
    let (tag, rest) = tail.split_at(end);
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let argument = &rest[spaces..];
    let word = argument.find(char::is_whitespace).unwrap_or(argument.len());
    let with_word = |head: &str| Some((format!("\n- {head}`{}`:", &argument[..word]), end + spaces + word));
    match tag {
        "@param" => with_word(""),
        "@throws" | "@exception" => with_word("throws "),
        "@return" | "@returns" => Some(("\n- returns".to_owned(), end)),
        "@see" => Some(("\n- see".to_owned(), end)),
        "@author" | "@since" | "@version" => Some((format!("\n- {}", &tag[1..]), end)),
        _ => None,
    }
}

/// An HTML tag or a Javadoc inline tag, as in `{@code x}`: its Markdown and its length.
fn inline_tag(tail: &str) -> Option<(String, usize)> {
    if let Some(rest) = tail.strip_prefix("{@") {
        let close = rest.find('}')?;
        let (_, what) = rest[..close].split_once(char::is_whitespace)?;
        return Some((format!("`{}`", what.trim()), close + 3));
    }
    let close = tail.strip_prefix('<')?.find('>')? + 2;
    let tag = tail[1..close - 1].to_ascii_lowercase();
    let tag = tag.split_whitespace().next().unwrap_or_default().trim_end_matches('/').to_owned();
    let written = match tag.as_str() {
        "code" | "tt" | "/code" | "/tt" | "kbd" | "/kbd" => "`",
        "b" | "strong" | "/b" | "/strong" => "**",
        "i" | "em" | "/i" | "/em" => "*",
        "pre" => "\n```x10\n",
        "/pre" => "\n```\n",
        "p" | "br" => "\n\n",
        "li" => "\n- ",
        "ul" | "ol" | "/ul" | "/ol" => "\n",
        "/p" | "/li" => "",
        _ => return None,
    };
    Some((written.to_owned(), close))
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn tags_become_markdown() {
        assert_eq!(markdown("the <code>n</code>th, {@code x} <b>now</b>"), "the `n`th, `x` **now**");
        assert_eq!(markdown("@param n how many\n@return all"), "\n- `n`: how many\n\n- returns all");
        // Text that is no tag is kept.
        assert_eq!(markdown("a < b, x@y.z, {a}, Rail<T>"), "a < b, x@y.z, {a}, Rail<T>");
    }
}
