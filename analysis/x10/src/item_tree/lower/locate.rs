//! The positions of a file's items, in lists parallel to those of its item tree: an item has the same index
//! in both. It is recomputed after every edit, so it reads no more than it needs to recognise items.

use apg_syntax::ast::{self, AstNode, Member};
use apg_syntax::{CodeChange, GreenNode, SyntaxNode, SyntaxNodePtr, TextRange, TextSize};

use super::classes::{ClassNode, local_class_nodes, local_typedef_nodes};
use super::members::restoring_annotation;

/// A located declaration: its position in the tree of the file, and its own tree.
#[derive(Clone, Debug)]
pub struct Located {
    /// The position.
    pub ptr: SyntaxNodePtr,
    /// The tree.
    pub green: GreenNode,
}

impl Located {
    fn new(node: &SyntaxNode) -> Located {
        Located { ptr: SyntaxNodePtr::new(node), green: node.green().into_owned() }
    }
}

/// The sources of the items of a file, or another value of type `T` for each item.
#[derive(Clone, Debug)]
pub struct FileSources<T = Located> {
    /// Top-level classes.
    pub classes: Vec<ClassSources<T>>,
    /// Top-level type definitions.
    pub typedefs: Vec<T>,
}

/// The sources of a class and its members.
#[derive(Clone, Debug)]
pub struct ClassSources<T = Located> {
    /// The declaration; for an anonymous class the `new` expression.
    pub node: T,
    /// `Property` and `Declarator` nodes.
    pub fields: Vec<T>,
    /// Method, constructor and operator declarations, and `@TransientInitExpr` annotations. The automatic
    /// constructor, the last method of its class, has no source and is not listed.
    pub methods: Vec<T>,
    /// Nested classes.
    pub classes: Vec<ClassSources<T>>,
    /// Member type definitions.
    pub typedefs: Vec<T>,
}

impl<T> Default for FileSources<T> {
    fn default() -> Self {
        FileSources { classes: Vec::new(), typedefs: Vec::new() }
    }
}

impl<T> FileSources<T> {
    /// Maps each value, in the order of [`Self::all`].
    pub fn map<U>(&self, each: &mut impl FnMut(&T) -> U) -> FileSources<U> {
        FileSources {
            classes: self.classes.iter().map(|class| class.map(each)).collect(),
            typedefs: self.typedefs.iter().map(&mut *each).collect(),
        }
    }

    /// The values of all items.
    pub fn all(&self) -> Vec<&T> {
        let mut all = Vec::new();
        self.classes.iter().for_each(|class| class.add_all(&mut all));
        all.extend(&self.typedefs);
        all
    }
}

impl FileSources {
    /// The sources after an edit inside one body that declares no items: most items only move. `root` is the
    /// new tree. `None` if an item is not found there.
    pub fn after(&self, change: CodeChange, root: &SyntaxNode) -> Option<FileSources> {
        let mut all_found = true;
        let sources = self.map(&mut |located| {
            located.after(change, root).unwrap_or_else(|| {
                all_found = false;
                located.clone()
            })
        });
        all_found.then_some(sources)
    }
}

impl Located {
    fn after(&self, change: CodeChange, root: &SyntaxNode) -> Option<Located> {
        let (range, old) = (self.ptr.range(), change.range);
        let moved = |at: TextSize| at - old.len() + change.new_len;
        if range.end() <= old.start() {
            return Some(self.clone());
        }
        if range.start() >= old.end() {
            let range = TextRange::new(moved(range.start()), moved(range.end()));
            return Some(Located { ptr: self.ptr.at(range), green: self.green.clone() });
        }
        let around = range.contains_range(old).then(|| TextRange::new(range.start(), moved(range.end())))?;
        Some(Located::new(&self.ptr.at(around).to_node(root)?))
    }
}

impl<T> ClassSources<T> {
    fn map<U>(&self, each: &mut impl FnMut(&T) -> U) -> ClassSources<U> {
        ClassSources {
            node: each(&self.node),
            fields: self.fields.iter().map(&mut *each).collect(),
            methods: self.methods.iter().map(&mut *each).collect(),
            classes: self.classes.iter().map(|class| class.map(each)).collect(),
            typedefs: self.typedefs.iter().map(&mut *each).collect(),
        }
    }

    fn add_all<'a>(&'a self, all: &mut Vec<&'a T>) {
        all.push(&self.node);
        all.extend(&self.fields);
        all.extend(&self.methods);
        self.classes.iter().for_each(|class| class.add_all(all));
        all.extend(&self.typedefs);
    }
}

/// Finds the items of a file.
pub(crate) fn locate_file(file: &ast::SourceFile) -> FileSources {
    let mut sources = FileSources::default();
    for item in super::items(file) {
        match &item {
            ast::Item::TypeDef(typedef) => sources.typedefs.push(Located::new(typedef.syntax())),
            _ => sources.classes.extend(ClassNode::cast(item.syntax()).map(|node| locate_class(&node))),
        }
    }
    sources
}

fn locate_class(node: &ClassNode) -> ClassSources {
    let mut source = ClassSources {
        node: Located::new(node.syntax()),
        fields: node.properties().iter().map(|property| Located::new(property.syntax())).collect(),
        methods: Vec::new(),
        classes: Vec::new(),
        typedefs: Vec::new(),
    };
    for member in node.members() {
        match &member {
            Member::FieldDecl(field) => {
                for declarator in field.declarators() {
                    source.fields.push(Located::new(declarator.syntax()));
                    locate_local(declarator.syntax(), &mut source);
                    if let Some(annotation) = restoring_annotation(field) {
                        source.methods.push(Located::new(annotation.syntax()));
                        locate_local(annotation.syntax(), &mut source);
                    }
                }
            }
            // An operator declaration without a valid operator has no item.
            Member::OperatorDecl(it) if it.kind().is_none() || it.method_name().is_none() => {}
            Member::MethodDecl(_) | Member::ConstructorDecl(_) | Member::OperatorDecl(_) => {
                source.methods.push(Located::new(member.syntax()));
                locate_local(member.syntax(), &mut source);
            }
            Member::TypeDef(typedef) => source.typedefs.push(Located::new(typedef.syntax())),
            Member::ClassDecl(_) | Member::StructDecl(_) | Member::InterfaceDecl(_) => {
                source.classes.extend(ClassNode::cast(member.syntax()).map(|node| locate_class(&node)));
            }
            Member::EmptyDecl(_) => {}
        }
    }
    source
}

/// Locates the classes and type definitions in the body of a member.
fn locate_local(member: &SyntaxNode, source: &mut ClassSources) {
    if !apg_syntax::declares(&member.green()) {
        return;
    }
    let classes = local_class_nodes(member);
    source.classes.extend(classes.iter().filter_map(ClassNode::cast).map(|node| locate_class(&node)));
    let typedefs = local_typedef_nodes(member);
    source.typedefs.extend(typedefs.iter().filter(|it| ast::TypeDef::can_cast(it.kind())).map(Located::new));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use apg_syntax::Skeleton;

    use super::*;
    use crate::fixture::library_files;
    use crate::item_tree::lower::lower_file;
    use crate::item_tree::{ClassItem, MethodKind};

    fn check(items: &[Arc<ClassItem>], sources: &[ClassSources], file: &str) {
        assert_eq!(items.len(), sources.len(), "{file}");
        for (item, source) in items.iter().zip(sources) {
            let written = item.methods.iter().filter(|it| it.kind != MethodKind::AutomaticConstructor);
            assert_eq!(written.count(), source.methods.len(), "{file}: {}", item.name);
            assert_eq!(item.fields.len(), source.fields.len(), "{file}: {}", item.name);
            assert_eq!(item.typedefs.len(), source.typedefs.len(), "{file}: {}", item.name);
            check(&item.classes, &source.classes, file);
        }
    }

    #[test]
    fn every_item_has_its_place() {
        let odd = "class A(x:Int) { operator foo(); operator this+(y:A) = y; val [a, b] = p, c = new B() { type T = Int; };
            def f() { class L { def g() {} } type U = Int; new C() { class M {} }; } type V = Int; ; interface I {} }
            type W = Int; struct S {
            @TransientInitExpr(new B() { def h() {} }) transient var d:B, e:B; @TransientInitExpr(1) val f:Int; }";
        let mut files: Vec<(String, String)> =
            library_files().into_iter().map(|(path, text)| (path.display().to_string(), text)).collect();
        files.push(("odd".into(), odd.into()));
        for (name, text) in files {
            let parse = apg_syntax::parse(&text);
            let outline = ast::SourceFile::cast(Skeleton::new(parse.green()).syntax()).expect("a file");
            let (tree, sources) = (lower_file(&outline), locate_file(&parse.tree()));
            assert_eq!(tree, lower_file(&parse.tree()), "{name}: the outline has the same items");
            assert_eq!(tree.typedefs.len(), sources.typedefs.len(), "{name}");
            check(&tree.classes, &sources.classes, &name);
        }
    }
}
