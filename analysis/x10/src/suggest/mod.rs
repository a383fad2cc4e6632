//! Suggestions that several rules share: edits that change code to what was probably meant, found from the code and its
//! types when a problem is put in words.

pub mod wrap_in_at;
