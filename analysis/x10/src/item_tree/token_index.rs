//! A token index of a file: the names it may declare and inherit from, found by the lexer alone. It tells
//! which files need not be parsed, at about a tenth of the time of parsing.
//!
//! The index over-approximates: a set may hold names of another sort (such as type arguments), but misses
//! none. Callers exclude files by it and query the trees of the remaining ones.

use apg_syntax::{SyntaxKind, T};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use crate::db::Db;
use crate::ids::SourceFile;

/// The token index of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skim {
    /// The names after `class`, `struct`, `interface` and `type`, and after words that the parser recovers as
    /// one of them (`trait`).
    pub declared: FxHashSet<SmolStr>,
    /// The names after `extends` and `implements`, in the targets of type definitions, and after `new` of
    /// anonymous classes.
    pub inherited: FxHashSet<SmolStr>,
}

/// The token index of `file`. Too slow for a query after every edit: it reads the whole source.
#[salsa::tracked]
pub fn skim(db: &dyn Db, file: SourceFile) -> Skim {
    let tokens: Vec<_> = apg_syntax::tokens(file.text(db)).filter(|(kind, _)| !kind.is_trivia()).collect();
    let mut skim = Skim::default();
    let mut depth = 0_usize;
    for (at, (kind, _)) in tokens.iter().enumerate() {
        let behind = &tokens[at + 1..];
        match kind {
            T![class] | T![struct] | T![interface] => skim.declared.extend(names(behind).next()),
            T![type] => {
                skim.declared.extend(names(behind).next());
                skim.inherited.extend(names(until(behind, &[T![;]])));
            }
            T![extends] | T![implements] => skim.inherited.extend(names(header(behind))),
            T![new] => skim.inherited.extend(names(anonymous(behind))),
            T!['{'] => depth += 1,
            T!['}'] => depth = depth.saturating_sub(1),
            SyntaxKind::IDENT if depth == 0 => skim.declared.extend(names(misspelled(behind)).next()),
            _ => {}
        }
    }
    skim
}

/// The name of a declaration whose keyword is misspelt; `behind` are the tokens after that word.
fn misspelled<'a>(behind: &'a [Token<'a>]) -> &'a [Token<'a>] {
    match behind {
        [(SyntaxKind::IDENT, _), (T!['{'] | T!['('] | T!['['], _), ..] => &behind[..1],
        _ => &[],
    }
}

type Token<'a> = (SyntaxKind, &'a str);

fn names<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = SmolStr> + 'a {
    let named = tokens.iter().filter(|(kind, _)| *kind == SyntaxKind::IDENT);
    named.map(|(_, text)| SmolStr::new(text.trim_matches('`')))
}

/// The tokens before the first of these kinds.
fn until<'a>(tokens: &'a [Token<'a>], ends: &[SyntaxKind]) -> &'a [Token<'a>] {
    let end = tokens.iter().position(|(kind, _)| ends.contains(kind));
    &tokens[..end.unwrap_or(tokens.len())]
}

/// The length of a bracketed sequence at the start of `tokens`; 0 if there is none.
fn bracketed(tokens: &[Token<'_>], open: SyntaxKind, close: SyntaxKind) -> usize {
    let mut depth = 0;
    for (at, (kind, _)) in tokens.iter().enumerate() {
        if *kind == open {
            depth += 1;
        } else if *kind == close {
            depth -= 1;
        }
        if depth == 0 {
            return if *kind == close { at + 1 } else { 0 };
        }
    }
    tokens.len()
}

/// The index of the first token of these kinds outside square brackets: type arguments contain constraints
/// and function types.
fn outside(tokens: &[Token<'_>], ends: &[SyntaxKind]) -> usize {
    let mut at = 0;
    while let Some((kind, _)) = tokens.get(at).filter(|(kind, _)| !ends.contains(kind)) {
        at += if *kind == T!['['] { bracketed(&tokens[at..], T!['['], T![']']) } else { 1 };
    }
    at
}

/// The rest of a class header, up to the body. A brace of a constraint is followed by `,` or another brace,
/// that of a body is not.
fn header<'a>(tokens: &'a [Token<'a>]) -> &'a [Token<'a>] {
    let mut end = 0;
    loop {
        end += outside(&tokens[end..], &[T!['{'], T![;]]);
        let braces = bracketed(&tokens[end..], T!['{'], T!['}']);
        let continues = tokens.get(end + braces).is_some_and(|(kind, _)| matches!(kind, T![,] | T!['{']));
        if braces == 0 || !continues {
            return &tokens[..end];
        }
        end += braces;
    }
}

/// The tokens between `new` and the arguments of an anonymous class; empty if no class body follows.
fn anonymous<'a>(tokens: &'a [Token<'a>]) -> &'a [Token<'a>] {
    let end = outside(tokens, &[T!['('], T!['{'], T!['}'], T![;]]);
    let body = end + bracketed(&tokens[end..], T!['('], T![')']);
    match tokens.get(body) {
        Some((T!['{'], _)) => &tokens[..end],
        _ => &[],
    }
}

/// Those of `files` that may declare a direct or transitive subtype of a class `name`: a fixed point over the
/// indexes.
pub(crate) fn files_below(db: &dyn Db, files: &[SourceFile], name: &SmolStr) -> Vec<SourceFile> {
    let mut known = FxHashSet::from_iter([name]);
    let mut is_below = vec![false; files.len()];
    loop {
        let before = known.len();
        let mut is_more = false;
        for (file, is_below) in files.iter().zip(&mut is_below).filter(|(_, is_below)| !**is_below) {
            let skim = skim(db, *file);
            if skim.inherited.iter().any(|name| known.contains(name)) {
                *is_below = true;
                is_more = true;
                known.extend(&skim.declared);
            }
        }
        // Fixed point: no further file was found, or none that declares a new name.
        if !is_more || known.len() == before {
            return files.iter().zip(is_below).filter_map(|(file, is)| is.then_some(*file)).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn sorted(names: &FxHashSet<SmolStr>) -> Vec<&str> {
        let mut names: Vec<&str> = names.iter().map(SmolStr::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn names_are_found_by_tokens() {
        let host = fixture::host(
            "class A(x:Long) extends B{self.x==1},`C` implements p.D[E]{F} { def f() { new G(H()); } }
            interface I extends J{J.k(L)}, M {} // class No {}
            struct N { type O = P; val q = new Q[R](S()) { def t() {} }; val u = new U {}; }
            trait Tr { def f() { Not no (); } } object Obj[T] {} public clas Typo(n:Long) {}
            class V implements W[Long{self!=0}], X[(Long)=>Y]{self!=null}, Z { val t = new T[(Long)=>Long](1) {}; }",
        );
        let file = fixture::file(&host, "Example.x10");
        let skim = host.snapshot().with(|db| skim(db, file).clone()).expect("nothing changes");
        assert_eq!(sorted(&skim.declared), ["A", "I", "N", "O", "Obj", "Tr", "Typo", "V"]);
        // Names in constraints and arguments are included; `G`, `H` and `S` are only instantiated.
        let inherited = [
            "B", "C", "D", "E", "F", "J", "L", "Long", "M", "O", "P", "Q", "R", "T", "U", "W", "X", "Y", "Z",
            "k", "p", "x",
        ];
        assert_eq!(sorted(&skim.inherited), inherited);
    }

    #[test]
    fn files_are_left_out_that_cannot_concern_a_class() {
        let host = fixture::host(
            "class Base {}
// file: Below.x10
class Below extends Alias {}
// file: Alias.x10
class Alias { static type Same = Base; }
// file: Lowest.x10
class Other { val o = new Below() {}; }
// file: Use.x10
class Use { val b = new Base(); val l = new Below(); }",
        );
        let names = ["Example", "Below", "Alias", "Lowest", "Use"];
        let files: Vec<SourceFile> =
            names.iter().map(|name| fixture::file(&host, &format!("{name}.x10"))).collect();
        let below = |name: &str| {
            let found = host.snapshot().with(|db| files_below(db, &files, &SmolStr::new(name)));
            let found = found.expect("nothing changes");
            found.iter().filter_map(|file| files.iter().position(|it| it == file)).collect::<Vec<_>>()
        };
        assert_eq!(below("Base"), [1, 2, 3]);
        assert_eq!(below("Below"), [3]);
        assert_eq!(below("Use"), [0; 0]);
    }
}
