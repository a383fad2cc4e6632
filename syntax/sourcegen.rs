//! Source generator of token kinds and typed syntax trees from a grammar in ungrammar's notation. Each
//! language's `tests/sourcegen.rs` includes this module with its own tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ungrammar::{Grammar, Rule};

/// The tables of a language.
pub(crate) struct Language {
    /// The file of the grammar, in the root of the crate.
    pub(crate) grammar: &'static str,
    /// Punctuation: text, kind.
    pub(crate) punct: &'static [(&'static str, &'static str)],
    /// All words that are not identifiers.
    pub(crate) keywords: &'static [&'static str],
    /// Tokens with a text of their own: name in the grammar, kind, documentation.
    pub(crate) other: &'static [(&'static str, &'static str, &'static str)],
    /// Accessors that are written by hand, in `ast/ext`: node, accessor.
    pub(crate) by_hand: &'static [(&'static str, &'static str)],
}

impl Language {
    /// Brings the generated files of the crate at `root` up to date, and fails if one was stale.
    pub(crate) fn check(&self, root: &str) {
        let root = PathBuf::from(root);
        let text = std::fs::read_to_string(root.join(self.grammar)).unwrap().replace("\r\n", "\n");
        let grammar: Grammar = text.parse().unwrap();
        let rules = rule_sources(&text);
        let model = Model::new(&grammar);
        let mut stale = Vec::new();
        for (path, code) in [
            ("src/syntax_kind/generated.rs", self.kinds(&model)),
            ("src/ast/generated/nodes.rs", self.nodes(&model, &rules)),
            ("src/ast/generated/enums.rs", self.enums(&model, &rules)),
        ] {
            if !ensure(&root.join(path), &code) {
                stale.push(path);
            }
        }
        assert!(stale.is_empty(), "stale generated files, now brought up to date: {}", stale.join(", "));
    }
}

fn ensure(path: &Path, code: &str) -> bool {
    let old = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    if old == code {
        return true;
    }
    std::fs::write(path, code).unwrap();
    false
}

/// The source text of each rule, in one line, for the documentation.
fn rule_sources(text: &str) -> BTreeMap<String, String> {
    let mut rules = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        if line.starts_with("//") || line.trim().is_empty() {
            continue;
        }
        let head = line.split_once(" =").filter(|(head, _)| head.chars().all(char::is_alphanumeric));
        match head {
            Some((head, body)) => {
                name = head.to_string();
                rules.insert(name.clone(), body.trim().to_string());
            }
            None => {
                let rule: &mut String = rules.get_mut(&name).unwrap();
                if !rule.is_empty() {
                    rule.push(' ');
                }
                rule.push_str(line.trim());
            }
        }
    }
    rules
}

/// One mention of a node or token in a rule.
struct Part {
    label: Option<String>,
    name: String,
    is_token: bool,
    repeated: bool,
    /// The optional and repeated groups around it: a token is sure to be there when a node is if its
    /// groups are a prefix of the node's.
    groups: Vec<usize>,
}

enum Shape {
    Enum(Vec<String>),
    Struct(Vec<Part>),
}

struct Model {
    nodes: Vec<(String, Shape)>,
}

impl Model {
    fn new(grammar: &Grammar) -> Model {
        let mut nodes = Vec::new();
        for node in grammar.iter() {
            let data = &grammar[node];
            let shape = match &data.rule {
                Rule::Alt(rules) if rules.iter().all(|it| matches!(it, Rule::Node(_))) => Shape::Enum(
                    rules
                        .iter()
                        .map(|it| match it {
                            Rule::Node(node) => grammar[*node].name.clone(),
                            _ => unreachable!(),
                        })
                        .collect(),
                ),
                rule => {
                    let mut walk = Walk { grammar, parts: Vec::new(), groups: 0 };
                    walk.rule(rule, None, false, &[]);
                    Shape::Struct(walk.parts)
                }
            };
            nodes.push((data.name.clone(), shape));
        }
        Model { nodes }
    }

    fn structs(&self) -> impl Iterator<Item = (&str, &[Part])> {
        self.nodes.iter().filter_map(|(name, shape)| match shape {
            Shape::Struct(parts) => Some((name.as_str(), parts.as_slice())),
            Shape::Enum(_) => None,
        })
    }

    fn is_enum(&self, name: &str) -> bool {
        self.nodes.iter().any(|(it, shape)| it == name && matches!(shape, Shape::Enum(_)))
    }
}

struct Walk<'a> {
    grammar: &'a Grammar,
    parts: Vec<Part>,
    groups: usize,
}

impl Walk<'_> {
    fn rule(&mut self, rule: &Rule, label: Option<&str>, repeated: bool, groups: &[usize]) {
        match rule {
            Rule::Labeled { label, rule } => self.rule(rule, Some(label), repeated, groups),
            Rule::Node(node) => self.part(label, &self.grammar[*node].name, false, repeated, groups),
            Rule::Token(token) => self.part(label, &self.grammar[*token].name, true, repeated, groups),
            Rule::Seq(rules) => rules.iter().for_each(|it| self.rule(it, None, repeated, groups)),
            Rule::Alt(rules) => {
                for rule in rules {
                    let groups = self.nested(groups);
                    self.rule(rule, label, repeated, &groups);
                }
            }
            Rule::Opt(rule) => {
                let groups = self.nested(groups);
                self.rule(rule, label, repeated, &groups);
            }
            Rule::Rep(rule) => {
                let groups = self.nested(groups);
                self.rule(rule, label, true, &groups);
            }
        }
    }

    fn nested(&mut self, groups: &[usize]) -> Vec<usize> {
        self.groups += 1;
        groups.iter().copied().chain([self.groups]).collect()
    }

    fn part(&mut self, label: Option<&str>, name: &str, is_token: bool, repeated: bool, groups: &[usize]) {
        self.parts.push(Part {
            label: label.map(str::to_string),
            name: name.to_string(),
            is_token,
            repeated,
            groups: groups.to_vec(),
        });
    }
}

impl Language {
    fn header(&self) -> String {
        format!("//! Generated by `tests/sourcegen.rs` from `{}`. Do not edit.\n\n", self.grammar)
    }

    fn kinds(&self, model: &Model) -> String {
        let mut out = self.header();
        out.push_str("/// The kind of a token or node.\n");
        out.push_str("#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]\n#[repr(u16)]\n");
        out.push_str("#[allow(non_camel_case_types, reason = \"token kinds are named as in the grammar\")]\npub enum SyntaxKind {\n");
        out.push_str("    /// The end of the input, as the parser sees it; never in a tree.\n    EOF,\n");
        out.push_str("    /// The place of a node that was given up; never in a tree.\n    TOMBSTONE,\n");
        for (text, kind) in self.punct {
            writeln!(out, "    /// `{text}`\n    {kind},").unwrap();
        }
        for word in self.keywords {
            writeln!(out, "    /// `{word}`\n    {}_KW,", word.to_uppercase()).unwrap();
        }
        for (_, kind, doc) in self.other {
            writeln!(out, "    /// {doc}\n    {kind},").unwrap();
        }
        out.push_str("    /// Tokens that fit nowhere.\n    ERROR,\n");
        for (name, _) in model.structs() {
            writeln!(out, "    /// See [`ast::{name}`](crate::ast::{name}).\n    {},", screaming(name))
                .unwrap();
        }
        out.push_str(
            "    /// One more than the last kind; never in a tree.\n    LAST,\n}\n\nuse SyntaxKind::*;\n\n",
        );
        out.push_str("impl SyntaxKind {\n    /// Reserved words.\n    pub fn is_keyword(self) -> bool {\n");
        writeln!(
            out,
            "        ({}_KW as u16..={}_KW as u16).contains(&(self as u16))\n    }}\n",
            self.keywords[0].to_uppercase(),
            self.keywords[self.keywords.len() - 1].to_uppercase()
        )
        .unwrap();
        out.push_str("    /// Brackets, separators, operators.\n    pub fn is_punct(self) -> bool {\n");
        writeln!(
            out,
            "        ({} as u16..={} as u16).contains(&(self as u16))\n    }}\n",
            self.punct[0].1,
            self.punct[self.punct.len() - 1].1
        )
        .unwrap();
        out.push_str("    /// The keyword that `word` is.\n");
        out.push_str(
            "    pub fn from_keyword(word: &str) -> Option<SyntaxKind> {\n        Some(match word {\n",
        );
        for word in self.keywords {
            writeln!(out, "            \"{word}\" => {}_KW,", word.to_uppercase()).unwrap();
        }
        out.push_str("            _ => return None,\n        })\n    }\n\n");
        out.push_str("    /// The text of a token that has only one.\n");
        out.push_str("    pub fn text(self) -> Option<&'static str> {\n        Some(match self {\n");
        for (text, kind) in self.punct {
            writeln!(out, "            {kind} => \"{text}\",").unwrap();
        }
        for word in self.keywords {
            writeln!(out, "            {}_KW => \"{word}\",", word.to_uppercase()).unwrap();
        }
        out.push_str("            _ => return None,\n        })\n    }\n}\n\n");
        out.push_str("/// The kind of a token, by its text: `T![+]`, `T![class]`, `T!['{']`, `T![ident]`.\n");
        out.push_str("#[macro_export]\nmacro_rules! T {\n");
        for (text, kind) in self.punct {
            let pattern = match *text {
                "(" | ")" | "[" | "]" | "{" | "}" => format!("'{text}'"),
                "##" => "\"##\"".to_string(),
                _ => text.to_string(),
            };
            writeln!(out, "    [{pattern}] => {{ $crate::syntax_kind::SyntaxKind::{kind} }};").unwrap();
        }
        for word in self.keywords {
            writeln!(
                out,
                "    [{word}] => {{ $crate::syntax_kind::SyntaxKind::{}_KW }};",
                word.to_uppercase()
            )
            .unwrap();
        }
        for (name, kind, _) in self.other {
            writeln!(out, "    [{name}] => {{ $crate::syntax_kind::SyntaxKind::{kind} }};").unwrap();
        }
        out.push_str("}\n");
        out
    }

    fn nodes(&self, model: &Model, rules: &BTreeMap<String, String>) -> String {
        let mut out = self.header();
        out.push_str("use crate::ast::support::{AstChildren, child, child_between, children, token};\n");
        out.push_str("use crate::ast::generated::enums::*;\nuse crate::ast::support::ast_node;\n");
        out.push_str(
            "use crate::syntax_kind::SyntaxKind;\nuse crate::syntax_node::{SyntaxNode, SyntaxToken};\n",
        );
        for (name, parts) in model.structs() {
            writeln!(out, "\nast_node!(\n    /// `{}`\n    {name}, {}\n);", rules[name], screaming(name))
                .unwrap();
            let accessors = self.accessors(name, parts);
            if !accessors.is_empty() {
                writeln!(out, "impl {name} {{\n{}}}", accessors.join("")).unwrap();
            }
        }
        out
    }

    fn accessors(&self, owner: &str, parts: &[Part]) -> Vec<String> {
        let mut done: Vec<String> = Vec::new();
        let mut out = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let same =
                parts.iter().filter(|it| it.label.is_none() && !it.is_token && it.name == part.name).count();
            let many = part.label.is_none() && (part.repeated || same > 1);
            let method = match &part.label {
                Some(label) => label.clone(),
                None if part.is_token => format!("{}_token", self.token_name(&part.name)),
                None if many => plural(&snake(&part.name)),
                None if part.name == "Type" => "ty".to_string(),
                None => snake(&part.name),
            };
            if done.contains(&method) || self.by_hand.contains(&(owner, method.as_str())) {
                continue;
            }
            let ty = &part.name;
            let (result, body, doc) = if part.is_token {
                if parts.iter().filter(|it| it.is_token && it.name == part.name).count() > 1 || part.repeated
                {
                    continue;
                }
                let kind = self.token_macro(&part.name);
                (
                    "Option<SyntaxToken>".into(),
                    format!("token(&self.0, {kind})"),
                    format!("The token `{}`.", part.name),
                )
            } else if many {
                (format!("AstChildren<{ty}>"), "children(&self.0)".into(), format!("All [`{ty}`] children."))
            } else if part.label.is_some() {
                let (after, before) = self.anchors(parts, index);
                let body = match (&after, &before) {
                    (None, None) => "child(&self.0)".into(),
                    _ => format!("child_between(&self.0, {}, {})", option(after), option(before)),
                };
                (format!("Option<{ty}>"), body, format!("The [`{ty}`] in the part of that name."))
            } else {
                (format!("Option<{ty}>"), "child(&self.0)".into(), format!("The [`{ty}`] child."))
            };
            out.push(format!(
                "    /// {doc}\n    pub fn {method}(&self) -> {result} {{\n        {body}\n    }}\n"
            ));
            done.push(method);
        }
        out
    }

    /// The tokens that bound a labelled child: the last before it that is always there with it, and the first
    /// after it.
    fn anchors(&self, parts: &[Part], index: usize) -> (Option<String>, Option<String>) {
        let groups = &parts[index].groups;
        let after = parts[..index].iter().rev().find(|it| it.is_token && groups.starts_with(&it.groups));
        let before = parts[index + 1..].iter().find(|it| it.is_token);
        (after.map(|it| self.token_macro(&it.name)), before.map(|it| self.token_macro(&it.name)))
    }

    fn enums(&self, model: &Model, rules: &BTreeMap<String, String>) -> String {
        let mut out = self.header();
        out.push_str(
            "use crate::ast::generated::nodes::*;\nuse crate::ast::support::ast_enum;\nuse crate::syntax_kind::SyntaxKind;\nuse crate::syntax_node::SyntaxNode;\n",
        );
        for (name, shape) in &model.nodes {
            let Shape::Enum(variants) = shape else { continue };
            writeln!(out, "\nast_enum!(\n    /// `{}`\n    {name} {{", rules[name]).unwrap();
            for variant in variants.iter().filter(|it| !model.is_enum(it)) {
                writeln!(out, "        {variant} = {},", screaming(variant)).unwrap();
            }
            for variant in variants.iter().filter(|it| model.is_enum(it)) {
                writeln!(out, "        ; {variant}").unwrap();
            }
            out.push_str("    }\n);\n");
        }
        out
    }

    fn token_name(&self, token: &str) -> String {
        if let Some((_, kind)) = self.punct.iter().find(|it| it.0 == token) {
            kind.to_lowercase()
        } else {
            token.trim_matches('_').to_lowercase()
        }
    }

    fn token_macro(&self, token: &str) -> String {
        if "()[]{}".contains(token) { format!("T!['{token}']") } else { format!("T![{token}]") }
    }
}

fn option(it: Option<String>) -> String {
    it.map_or("None".into(), |it| format!("Some({it})"))
}

fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for c in name.chars() {
        if c.is_uppercase() {
            words.push(String::new());
        }
        words.last_mut().unwrap().push(c.to_ascii_lowercase());
    }
    words
}

fn snake(name: &str) -> String {
    words(name).join("_")
}

fn screaming(name: &str) -> String {
    snake(name).to_uppercase()
}

fn plural(name: &str) -> String {
    match name {
        "type" => "types".into(),
        "property" => "properties".into(),
        _ if name.ends_with("ch") || name.ends_with('s') => format!("{name}es"),
        _ => format!("{name}s"),
    }
}
