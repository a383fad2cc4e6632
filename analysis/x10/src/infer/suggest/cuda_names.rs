//! CUDA's names in kernels: `threadIdx.x` is the variable of a loop of the kernel, `blockDim.x` the bound
//! of one.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxNode, TextRange};

use crate::infer::context::{Infer, range_of};
use crate::item_tree::source::{Item, item_source};

/// A loop over blocks or threads with one axis: its variable, and its number of iterations if the range
/// says it.
struct Axis {
    variable: String,
    count: Option<String>,
}

impl Infer<'_> {
    /// The variable or number that `threadIdx.x` and its like mean in this kernel: the range to replace,
    /// and the replacement.
    pub(crate) fn kernel_index(&self, name: &str, at: TextRange) -> Option<(TextRange, String)> {
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let token = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let field = token.parent_ancestors().find_map(ast::FieldExpr::cast)?;
        let receiver = field.receiver().filter(|it| range_of(it) == at);
        if receiver.is_none() || field.name_ref()?.text() != "x" {
            return None;
        }
        // The threads are counted by the innermost loop over activities, the blocks by the one around it.
        let mut loops = field.syntax().ancestors().filter_map(ast::ForInStmt::cast);
        let mut loops = loops.by_ref().filter(|it| matches!(it.body(), Some(ast::Stmt::AsyncStmt(_))));
        let (threads, blocks) = (axis(&loops.next()?)?, axis(&loops.next()?)?);
        let text = match name {
            "threadIdx" => threads.variable,
            "blockIdx" => blocks.variable,
            "blockDim" => threads.count?,
            "gridDim" => blocks.count?,
            _ => return None,
        };
        Some((range_of(&field), text))
    }
}

fn axis(it: &ast::ForInStmt) -> Option<Axis> {
    let variable = it.formal().filter(|it| it.point_pattern().is_none())?.name()?.text().to_string();
    Some(Axis { variable, count: count(it.iterable()?.syntax()) })
}

/// How many numbers `0n..e` has: `n` of `0n..(n - 1n)`, 256n of `0n..255n`.
fn count(range: &SyntaxNode) -> Option<String> {
    let text: String = range.text().to_string().chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(&text);
    let last = text.strip_prefix("0n..")?;
    let last = last.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(last);
    if let Some(last) = last.strip_suffix('n').and_then(|it| it.parse::<i32>().ok()) {
        return Some(format!("{}n", last.checked_add(1)?));
    }
    let count = last.strip_suffix("-1n")?;
    let is_name = count.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| count.to_owned())
}
