//! Parser of MIR text: recursive descent over tokens, in three steps.
//!
//! Names of all declarations come first, then types of fields and signatures of functions, then kernels and
//! bodies of functions. References are resolved where they are written, so that every id of
//! the result is one of its table. Nesting has a limit.

mod bodies;
mod cursor;
mod exprs;
mod globals;
mod items;
mod kernels;
mod operands;
mod places;
mod stmts;
mod symbols;

use super::error::TextError;
use super::lexer::{Token, tokenize};
use crate::Program;
use cursor::Cursor;
use items::ItemParser;
use symbols::Symbols;

/// The stack that the deepest nesting needs, several times over.
const STACK_BYTES: usize = 64 << 20;

/// Reads a program.
///
/// # Errors
/// The first place where the text is no program: it is malformed, or a name or a number of operands is wrong
/// there. Types of operands are left to the verifier.
pub fn parse(text: &str) -> Result<Program, TextError> {
    let tokens = tokenize(text)?;
    // Recursive descent goes as deep as the nesting, with more than a caller's stack may have left.
    std::thread::scope(|scope| {
        let parser = std::thread::Builder::new().stack_size(STACK_BYTES);
        match parser.spawn_scoped(scope, || parse_tokens(text, &tokens)) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(TextError::at(text, 0, format!("no thread can be started: {error}"))),
        }
    })
}

fn parse_tokens(text: &str, tokens: &[Token]) -> Result<Program, TextError> {
    let mut cursor = Cursor::new(text, tokens);
    let (symbols, items) = Symbols::collect(&mut cursor)?;
    let mut parser = ItemParser::new(cursor, &symbols);
    parser.declarations(&items)?;
    parser.bodies(&items)
}
