//! Regions with syntax errors, and the names whose meaning they make unknown (used to suppress follow-up
//! errors).

use apg_syntax::T;
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxError, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// Statements and declarations with syntax errors, and the names that they may declare.
#[derive(Default)]
pub(super) struct ErrorRegions {
    /// Ranges of the errors.
    pub errors: Vec<TextRange>,
    /// Statements, and headers of loops and declarations, with syntax errors.
    pub fragments: Vec<TextRange>,
    /// Members whose code has a syntax error.
    pub member_ranges: Vec<TextRange>,
    /// Classes with a syntax error.
    pub classes: Vec<TextRange>,
    /// From an erroneous statement to the end of its code: the scope of unknown declarations.
    scopes_after: Vec<TextRange>,
    /// Locals declared by erroneous statements, each with its code.
    locals: Vec<(TextRange, SmolStr)>,
    /// Members declared by erroneous declarations.
    members: FxHashSet<SmolStr>,
    /// Whether a declaration has no recognisable name.
    has_unnamed_declaration: bool,
    /// Prefixes of erroneous imports: they may import any type whose name starts so.
    pub imports: Vec<String>,
}

impl ErrorRegions {
    /// The regions of these errors.
    pub(super) fn new(root: &SyntaxNode, errors: &[SyntaxError]) -> ErrorRegions {
        let mut regions = ErrorRegions::default();
        for error in errors {
            regions.errors.push(error.range);
            if error.is_gap {
                // A statement that lacks only `;` declares what it says.
                let lacks_end = error.replacement.as_deref() == Some(";");
                regions.add_fragment(root, error.range, lacks_end);
            } else {
                regions.add_member_of(root, error.range);
            }
        }
        regions
    }

    /// Adds an error whose meaning is known: only the control flow of its member is unknown.
    fn add_member_of(&mut self, root: &SyntaxNode, place: TextRange) {
        let around = token_at(root, place).into_iter().flat_map(|token| token.parent_ancestors());
        self.member_ranges.extend(around.filter(|it| is_member(it.kind())).last().map(|it| it.text_range()));
    }

    fn add_fragment(&mut self, root: &SyntaxNode, place: TextRange, lacks_end: bool) {
        let Some(token) = token_at(root, place) else { return };
        let Some(fragment_at) = fragment_at(&token) else { return };
        let code = token.parent_ancestors().filter(|it| is_member(it.kind())).last();
        let class = token.parent_ancestors().filter(|it| it.kind() == SyntaxKind::CLASS_BODY).last();
        self.classes.extend(class.map(|it| it.text_range()));
        let header_range = header_range(&fragment_at, place.start());
        self.fragments.push(header_range);
        if fragment_at.kind() == SyntaxKind::IMPORT_DECL {
            let tokens = fragment_at.descendants_with_tokens().filter_map(|it| it.into_token());
            let written = tokens.filter(|it| matches!(it.kind(), SyntaxKind::IDENT | T![.]));
            return self.imports.push(written.map(|it| it.text().trim_matches('`').to_owned()).collect());
        }
        let names = declared_names(&fragment_at, header_range);
        match code.filter(|code| *code != fragment_at) {
            Some(code) => {
                let code = code.text_range();
                self.member_ranges.push(code);
                if !lacks_end {
                    self.scopes_after.push(TextRange::new(header_range.start(), code.end()));
                    self.locals.extend(names.map(|(name, _)| (code, name)));
                }
            }
            None => {
                self.member_ranges.push(fragment_at.text_range());
                self.scopes_after.push(fragment_at.text_range());
                let before = self.members.len();
                let (formals, own): (Vec<_>, Vec<_>) = names.partition(|(_, is_formal)| *is_formal);
                let code = fragment_at.text_range();
                self.locals.extend(formals.into_iter().map(|(name, _)| (code, name)));
                self.members.extend(own.into_iter().map(|(name, _)| name));
                self.has_unnamed_declaration |=
                    self.members.len() == before && may_be_declaration(&fragment_at);
            }
        }
    }

    /// Whether an erroneous fragment may declare the names unknown at `at`.
    pub(super) fn may_declare(&self, at: TextRange) -> bool {
        self.has_unnamed_declaration || self.scopes_after.iter().any(|it| it.contains_range(at))
    }

    /// Whether an otherwise valid fragment names a declaration with syntax errors.
    pub(super) fn is_named_in(&self, root: &SyntaxNode, at: TextRange) -> bool {
        if self.members.is_empty() && self.locals.is_empty() {
            return false;
        }
        let locals: Vec<&SmolStr> =
            self.locals.iter().filter(|(code, _)| code.contains_range(at)).map(|(_, name)| name).collect();
        let is_meant = |name: &str| self.members.contains(name) || locals.iter().any(|it| *it == name);
        names_around(root, at).iter().any(|name| is_meant(name))
    }
}

/// The names in the statement, or the declaration header, around `at`.
pub(super) fn names_around(root: &SyntaxNode, at: TextRange) -> Vec<SmolStr> {
    let token = apg_syntax::token_at_offset(root, at.start()).right_biased();
    let fragment_at = token.and_then(|token| fragment_at(&token));
    names_within(root, fragment_at.map_or(at, |it| header_range(&it, at.start()).cover(at)))
}

/// The names in a range.
pub(super) fn names_within(root: &SyntaxNode, range: TextRange) -> Vec<SmolStr> {
    let first = apg_syntax::token_at_offset(root, range.start()).right_biased();
    let tokens = std::iter::successors(first, SyntaxToken::next_token);
    let tokens = tokens.take_while(|it| it.text_range().start() < range.end());
    let names = tokens.filter(|it| it.kind() == SyntaxKind::IDENT);
    names.map(|it| SmolStr::new(it.text().trim_matches('`'))).collect()
}

/// The token of an error; a gap belongs to the token before it.
fn token_at(root: &SyntaxNode, place: TextRange) -> Option<SyntaxToken> {
    let at = apg_syntax::token_at_offset(root, place.start());
    if !place.is_empty() {
        return at.right_biased();
    }
    let token = at.left_biased()?;
    std::iter::successors(Some(token), SyntaxToken::prev_token).find(|token| !token.kind().is_trivia())
}

/// The innermost statement or declaration around a token, or a skipped region between them.
fn fragment_at(token: &SyntaxToken) -> Option<SyntaxNode> {
    use SyntaxKind::{BLOCK, CLASS_BODY, IMPORT_DECL, PACKAGE_DECL, SOURCE_FILE, SWITCH_BLOCK};
    let mut inner: Option<SyntaxNode> = None;
    for node in token.parent_ancestors() {
        let kind = node.kind();
        if matches!(kind, BLOCK | CLASS_BODY | SWITCH_BLOCK | SOURCE_FILE) {
            return inner.or(Some(node));
        }
        if ast::Stmt::can_cast(kind)
            || ast::Member::can_cast(kind)
            || matches!(kind, IMPORT_DECL | PACKAGE_DECL)
        {
            return Some(node);
        }
        inner = Some(node);
    }
    inner
}

/// Whether a fragment may be a declaration; stray characters are none.
fn may_be_declaration(fragment_at: &SyntaxNode) -> bool {
    let mut tokens = fragment_at.descendants_with_tokens().filter_map(|it| it.into_token());
    fragment_at.kind() != SyntaxKind::SOURCE_FILE
        && tokens.any(|it| it.kind() == SyntaxKind::IDENT || it.kind().is_keyword())
}

fn is_member(kind: SyntaxKind) -> bool {
    use SyntaxKind::{CONSTRUCTOR_DECL, FIELD_DECL, METHOD_DECL, OPERATOR_DECL};
    matches!(kind, METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL | FIELD_DECL)
}

/// The part of a statement or declaration before the nested statements or members that start after `place`.
fn header_range(fragment_at: &SyntaxNode, place: TextSize) -> TextRange {
    use SyntaxKind::{BLOCK, CLASS_BODY, SWITCH_BLOCK};
    let is_inner = |kind| ast::Stmt::can_cast(kind) || matches!(kind, BLOCK | CLASS_BODY | SWITCH_BLOCK);
    let mut scopes_after =
        fragment_at.children().filter(|it| is_inner(it.kind()) && it.text_range().start() >= place);
    let end = scopes_after.next().map_or(fragment_at.text_range().end(), |it| it.text_range().start());
    TextRange::new(fragment_at.text_range().start(), end)
}

/// The names declared in a header, and whether they are formals.
fn declared_names(
    fragment_at: &SyntaxNode,
    header_range: TextRange,
) -> impl Iterator<Item = (SmolStr, bool)> {
    use SyntaxKind::{FORMAL_LIST, TYPE_PARAM_LIST};
    let names = fragment_at.descendants().filter(|it| it.kind() == SyntaxKind::NAME).collect::<Vec<_>>();
    let names = names.into_iter().filter(move |it| header_range.contains_range(it.text_range()));
    names.map(|it| {
        let is_formal = it.ancestors().any(|around| matches!(around.kind(), FORMAL_LIST | TYPE_PARAM_LIST));
        (SmolStr::new(it.text().to_string().trim_matches('`')), is_formal)
    })
}
