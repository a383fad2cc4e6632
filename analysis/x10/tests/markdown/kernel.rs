//! Expands a block ` ```x10 kernel(PARAMETERS) ` to a whole program, so that a test of a kernel shows the
//! kernel alone.

/// The program, and the line of the block that each of its lines comes from (the next one for lines of the
/// frame).
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub text: String,
    pub lines: Vec<usize>,
}

/// Where a line of the block goes; each part is introduced by a line `NAME:`, and what no name introduces is
/// the thread's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Members of the class beside the method that launches the kernel.
    Members,
    /// Statements of the host before the kernel.
    Host,
    /// Statements of the kernel before the loop over blocks.
    Kernel,
    /// Statements of a block before the loop over threads: shared memory.
    Block,
    /// Statements of a thread.
    Thread,
}

impl Part {
    fn introduced_by(line: &str) -> Option<Part> {
        match line {
            "members:" => Some(Part::Members),
            "host:" => Some(Part::Host),
            "kernel:" => Some(Part::Kernel),
            "block:" => Some(Part::Block),
            "thread:" => Some(Part::Thread),
            _ => None,
        }
    }

    /// Columns before a statement of this part.
    fn indent(self) -> usize {
        match self {
            Part::Members => 4,
            Part::Host => 8,
            Part::Kernel => 12,
            Part::Block => 16,
            Part::Thread => 20,
        }
    }
}

/// What the line that opens the block says of the kernel's frame.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// Parameters of the method beside `p:Place`.
    pub parameters: &'a str,
    /// Loop variables and range of the blocks.
    pub blocks: &'a str,
    /// Loop variables and range of the threads.
    pub threads: &'a str,
}

/// The parameters between the parentheses of `kernel(...)` in the line that opens a block; none if it is no
/// kernel.
pub(crate) fn parameters(info: &str) -> Option<&str> {
    let rest = info.split_once("x10 kernel(")?.1;
    let mut depth = 1;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&rest[..at]);
        }
    }
    None
}

/// Puts the lines of a block into the frame. Lines `import ...;` at its beginning stay in front of the class.
pub(crate) fn expand(frame: &Frame, block: &str) -> Expanded {
    let mut program = Expanded::default();
    let lines: Vec<&str> = block.lines().collect();
    let imports = lines.iter().take_while(|line| line.starts_with("import ")).count();
    program.push(0, "import x10.compiler.CUDA;", 0);
    for (line, import) in lines.iter().enumerate().take(imports) {
        program.push(0, import, line);
    }
    program.push(0, "", 0);
    program.push(0, "class Example {", 0);
    let mut part = Part::Thread;
    let mut contents: Vec<(Part, usize)> = Vec::new();
    for (line, text) in lines.iter().enumerate().skip(imports) {
        match Part::introduced_by(text) {
            Some(introduced) => part = introduced,
            None => contents.push((part, line)),
        }
    }
    let separator = if frame.parameters.is_empty() { "" } else { ", " };
    let heads = [
        (Part::Members, String::new()),
        (Part::Host, format!("static def run(p:Place{separator}{}) {{", frame.parameters)),
        (Part::Kernel, "finish async at (p) @CUDA {".to_owned()),
        (Part::Block, format!("finish for ({}) async {{", frame.blocks)),
        (Part::Thread, format!("clocked finish for ({}) clocked async {{", frame.threads)),
    ];
    for (part, head) in &heads {
        let own = || contents.iter().filter(|(it, _)| it == part).map(|(_, line)| *line);
        if !head.is_empty() {
            program.push(part.indent() - 4, head, own().next().unwrap_or(0));
        }
        for line in own() {
            let indent = if lines[line].is_empty() { 0 } else { part.indent() };
            program.push(indent, lines[line], line);
        }
        if *part == Part::Members && own().next().is_some() {
            program.push(0, "", 0);
        }
    }
    for (part, _) in heads.iter().rev() {
        program.push(part.indent() - 4, "}", lines.len().saturating_sub(1));
    }
    program
}

impl Expanded {
    fn push(&mut self, indent: usize, text: &str, line: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(text);
        self.text.push('\n');
        self.lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_into_the_frame_and_keep_their_lines() {
        let frame = Frame { parameters: "n:Int", blocks: "block in 0n..7n", threads: "thread in 0n..63n" };
        let block = "import x10.util.CUDAWarp;\nblock:\nval s = new Rail[Int](n);\nthread:\ns(thread) = n;\n";
        let expanded = expand(&frame, block);
        let program = "\
import x10.compiler.CUDA;
import x10.util.CUDAWarp;

class Example {
    static def run(p:Place, n:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val s = new Rail[Int](n);
                clocked finish for (thread in 0n..63n) clocked async {
                    s(thread) = n;
                }
            }
        }
    }
}
";
        assert_eq!(expanded.text, program);
        let line_of =
            |text: &str| expanded.lines[program.lines().position(|it| it.contains(text)).expect("a line")];
        assert_eq!([line_of("CUDAWarp"), line_of("new Rail"), line_of("s(thread)")], [0, 2, 4]);
    }

    #[test]
    fn parameters_may_contain_parentheses() {
        assert_eq!(
            parameters("x10 kernel(r:Rail[Int]{self.home() == p}) fixed=\"x\""),
            Some("r:Rail[Int]{self.home() == p}")
        );
        assert_eq!(parameters("x10 title=\"kernel(x)\""), None);
    }
}
