//! Parsing again after an edit gives what parsing the new text gives. The first bytes say what is edited, and
//! how.
#![no_main]

use apg_syntax::{Edit, TextRange, TextSize, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[a, b, removed, inserted], rest)) = bytes.split_first_chunk() else { return };
    let text = String::from_utf8_lossy(rest);
    // What is inserted is text that stands elsewhere: real words in the wrong place.
    let place = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let start = place(usize::from(u16::from_le_bytes([a, b])) % (text.len() + 1));
    let end = place(start + usize::from(removed % 16)).max(start);
    let from = place(usize::from(inserted) * text.len() / 256);
    let insert = &text[from..place(from + usize::from(inserted % 16)).max(from)];
    let edit = Edit::new(TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32)), insert);
    let old = parse(&text);
    let mut text = text.into_owned();
    edit.apply(&mut text);
    let (new, full) = (old.reparse(&edit), parse(&text));
    assert!(new == full, "{edit:?}\n{text}");
});
