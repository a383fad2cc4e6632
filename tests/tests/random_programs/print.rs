//! A program as X10.

use std::fmt::Write;

use crate::tree::*;
use crate::values::{Binary, Type, Unary};

/// What every program has: detours, and what says how calls ended.
const PRELUDE: &str = include_str!("prelude.x10");

pub(crate) fn program(program: &Program) -> String {
    let mut out = format!(
        "import x10.array.*;\nimport x10.compiler.*;\nimport x10.util.*;\n\npublic class {} {{\n{PRELUDE}\n",
        program.name
    );
    for (index, class) in program.classes.iter().enumerate() {
        let mut text = Lines::new(program, 1);
        text.class(index, class);
        out += &text.out;
    }
    for function in program.functions.iter().filter(|function| function.class.is_none()) {
        let mut text = Lines::new(program, 1);
        match &function.kernel {
            Some(kernel) => text.kernel(function, kernel),
            None => text.function(function),
        }
        out += &text.out;
        out.push('\n');
    }
    out += "    public static def main(args:Rail[String]) {\n";
    out += "        val topology = PlaceTopology.getTopology();\n";
    out += "        val p = topology.numChildren(here) == 0 ? here : topology.getChild(here, 0);\n";
    for call in &program.calls {
        out += &self::call(program, call);
    }
    out + "    }\n}\n"
}

/// A call, with arrays of its own, whose values are printed after it.
fn call(program: &Program, call: &Call) -> String {
    let function = &program.functions[call.function];
    let mut out = String::from("        {\n            var said:String;\n");
    let mut arguments = Vec::new();
    let mut sums = String::new();
    for (index, argument) in call.arguments.iter().enumerate() {
        match argument {
            Argument::Plain(value) => arguments.push(value.to_string()),
            Argument::Array(kind, ty, sizes) => {
                let _ = writeln!(out, "            val a{index} = {};", array(*kind, *ty, sizes));
                let _ = write!(
                    sums,
                    " + \" \" + sum((i:Long) => {}, {})",
                    flat(index, *kind, sizes),
                    sizes.iter().product::<i64>()
                );
                arguments.push(format!("a{index}"));
            }
        }
    }
    if function.kernel.is_some() {
        arguments.push("p".into());
    }
    let value = as_long(function.ret, &format!("{}({})", function.name, arguments.join(", ")));
    let value = if function.kernel.is_some() {
        format!("{}({})", function.name, arguments.join(", "))
    } else {
        value
    };
    let _ = writeln!(
        out,
        "            try {{ said = {value}.toString(); }} catch (e:Exception) {{ said = kind(e); }}"
    );
    let _ = writeln!(out, "            Console.OUT.println(said{sums});\n        }}");
    out
}

/// An array whose elements count up by sevens from -3.
fn array(kind: ArrayKind, ty: Type, sizes: &[i64]) -> String {
    let value = |index: &str| format!("(({index}) * 7 - 3) as {ty}");
    match (kind, sizes) {
        (ArrayKind::Array2, [h, w]) => {
            format!("new Array_2[{ty}]({h}, {w}, (i:Long, j:Long) => {})", value(&format!("i * {w} + j")))
        }
        (ArrayKind::Array3, [d, h, w]) => {
            let value = value(&format!("(i * {h} + j) * {w} + k"));
            format!("new Array_3[{ty}]({d}, {h}, {w}, (i:Long, j:Long, k:Long) => {value})")
        }
        (ArrayKind::RailOfRails, [h, w]) => {
            let value = value(&format!("i * {w} + j"));
            format!("new Rail[Rail[{ty}]]({h}, (i:Long) => new Rail[{ty}]({w}, (j:Long) => {value}))")
        }
        _ => format!("new Rail[{ty}]({}, (i:Long) => {})", sizes[0], value("i")),
    }
}

/// The element of an argument at a position in the order of all.
fn flat(index: usize, kind: ArrayKind, sizes: &[i64]) -> String {
    match (kind, sizes) {
        (ArrayKind::Array2, [_, w]) => format!("a{index}(i / {w}, i % {w}) as Long"),
        (ArrayKind::RailOfRails, [_, w]) => format!("a{index}(i / {w})(i % {w}) as Long"),
        (ArrayKind::Array3, [_, h, w]) => {
            format!("a{index}(i / {}, i / {w} % {h}, i % {w}) as Long", h * w)
        }
        _ => format!("a{index}(i) as Long"),
    }
}

fn as_long(ty: Type, text: &str) -> String {
    match ty {
        Type::Long => format!("({text})"),
        Type::Boolean => format!("({text} ? 1 : 0)"),
        _ => format!("({text} as Long)"),
    }
}

struct Lines<'a> {
    program: &'a Program,
    out: String,
    depth: usize,
    /// What an unlabelled `break` ends, nothing for a `switch`; and what `continue` continues.
    breaks: Vec<Option<Local>>,
}

impl<'a> Lines<'a> {
    fn new(program: &'a Program, depth: usize) -> Self {
        Self { program, out: String::new(), depth, breaks: Vec::new() }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
    }

    fn class(&mut self, index: usize, class: &Class) {
        let parent = class.parent.map(|parent| &self.program.classes[parent]);
        let extends = parent.map_or(String::new(), |parent| format!(" extends {}", parent.name));
        self.line(&format!("static class {}{extends} {{", class.name));
        self.depth += 1;
        let list = |range: std::ops::Range<usize>, text: &dyn Fn(usize) -> String| {
            range.map(text).collect::<Vec<_>>().join(", ")
        };
        for field in class.inherited..class.fields.len() {
            self.line(&format!("var f{field}:{};", class.fields[field]));
        }
        let parameters = list(0..class.fields.len(), &|field| format!("f{field}:{}", class.fields[field]));
        self.line(&format!("def this({parameters}) {{"));
        if parent.is_some() {
            self.line(&format!("    super({});", list(0..class.inherited, &|field| format!("f{field}"))));
        }
        for field in class.inherited..class.fields.len() {
            self.line(&format!("    this.f{field} = f{field};"));
        }
        self.line("}");
        for function in class.methods.iter().map(|method| &self.program.functions[*method]) {
            if function.class == Some(index) {
                self.function(function);
            }
        }
        self.depth -= 1;
        self.line("}\n");
    }

    fn parameters(function: &Function) -> String {
        let text = |(local, parameter): &(Local, Parameter)| match parameter {
            Parameter::Plain(ty) => format!("v{local}:{ty}"),
            Parameter::Array(kind, ty) => match kind {
                ArrayKind::Rail => format!("v{local}:Rail[{ty}]"),
                ArrayKind::RailOfRails => format!("v{local}:Rail[Rail[{ty}]]"),
                ArrayKind::Array2 => format!("v{local}:Array_2[{ty}]"),
                ArrayKind::Array3 => format!("v{local}:Array_3[{ty}]"),
            },
        };
        function.parameters.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn function(&mut self, function: &Function) {
        let kind = match function.class {
            Some(_) => "public def",
            None if function.device => "@CUDA static def",
            None => "static def",
        };
        self.line(&format!("{kind} {}({}):{} {{", function.name, Self::parameters(function), function.ret));
        self.block(&function.body);
        self.line("}");
    }

    fn kernel(&mut self, function: &Function, kernel: &Kernel) {
        let Kernel { blocks, threads, block, thread, own, shared } = kernel;
        let count = blocks * threads;
        let parameters: Vec<String> = [Self::parameters(function), "p:Place".into()]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        self.line(&format!("static def {}({}):Long {{", function.name, parameters.join(", ")));
        self.line(&format!("    val out = CUDAUtilities.makeGlobalRail[Long](p, {count});"));
        self.line("    try {");
        self.line("        finish async at (p) @CUDA @CUDADirectParams {");
        self.line(&format!("            finish for (v{block} in 0n..{}n) async {{", blocks - 1));
        self.line(&format!("                val v{} = new Rail[{}]({threads});", shared.0, shared.1));
        self.line(&format!(
            "                clocked finish for (v{thread} in 0n..{}n) clocked async {{",
            threads - 1
        ));
        let rail = format!("@StackAllocate new Rail[{}]({})", own.1, own.2);
        self.line(&format!("                    @StackAllocate val v{} = {rail};", own.0));
        self.depth += 4;
        let (last, body) = function.body.split_last().expect("a kernel returns a value");
        self.block(body);
        self.depth += 1;
        let Stmt::Return(value) = last else { unreachable!("a kernel ends with its value") };
        let value = as_long(function.ret, &self.expr(value));
        self.line("var own:Long = 0;");
        self.line(&format!("for (z in 0..{}) own = own * 31 + (v{}(z) as Long);", own.2 - 1, own.0));
        self.line(&format!("out(v{block} * {threads}n + v{thread}) = {value} * 31 + own;"));
        self.depth -= 5;
        for end in ["                }", "            }", "        }"] {
            self.line(end);
        }
        self.line(&format!("        val all = new Rail[Long]({count});"));
        self.line(&format!("        finish Rail.asyncCopy(out, 0, all, 0, {count});"));
        self.line(&format!("        return sum((i:Long) => all(i), {count});"));
        self.line("    } finally {\n            CUDAUtilities.deleteGlobalRail(out);\n        }");
        self.line("}");
    }

    fn block(&mut self, block: &[Stmt]) {
        self.depth += 1;
        block.iter().for_each(|stmt| self.stmt(stmt));
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(local, ty, mutable, value) => {
                let kind = if *mutable { "var" } else { "val" };
                self.line(&format!("{kind} v{local}:{ty} = {};", self.expr(value)));
            }
            Stmt::Closure(local, parameters, ty, value) => {
                let parameters: Vec<_> =
                    parameters.iter().map(|(local, ty)| format!("v{local}:{ty}")).collect();
                self.line(&format!(
                    "val v{local} = ({}):{ty} => {};",
                    parameters.join(", "),
                    self.expr(value)
                ));
            }
            Stmt::Object(local, known, class, values) => {
                let (known, class) = (&self.program.classes[*known].name, &self.program.classes[*class].name);
                self.line(&format!("val v{local}:{known} = new {class}({});", self.list(values)));
            }
            Stmt::Assign(local, operator, value) => {
                let operator = operator.map_or("", Binary::text);
                self.line(&format!("v{local} {operator}= {};", self.expr(value)));
            }
            Stmt::Store(element, operator, value) => {
                let operator = operator.map_or("", Binary::text);
                self.line(&format!("{} {operator}= {};", self.element(element), self.expr(value)));
            }
            Stmt::SetField(local, field, value) => {
                self.line(&format!("{}.f{field} = {};", object(*local), self.expr(value)));
            }
            Stmt::If(condition, then, other) => {
                self.line(&format!("if ({}) {{", self.expr(condition)));
                self.block(then);
                if !other.is_empty() {
                    self.line("} else {");
                    self.block(other);
                }
                self.line("}");
            }
            Stmt::Loop(count) | Stmt::Rounds(count) => self.count(count),
            Stmt::Break(local) if self.breaks.last() == Some(&Some(*local)) => self.line("break;"),
            Stmt::Break(local) => self.line(&format!("break l{local};")),
            Stmt::Continue(local) if self.breaks.iter().flatten().next_back() == Some(local) => {
                self.line("continue;");
            }
            Stmt::Continue(local) => self.line(&format!("continue l{local};")),
            Stmt::Switch(value, mask, cases) => self.switch(value, *mask, cases),
            Stmt::Try(body, arithmetic, any, last) => self.attempt(body, arithmetic.as_deref(), any, last),
            Stmt::Throw => self.line("throw new Failure();"),
            Stmt::Return(value) => self.line(&format!("return {};", self.expr(value))),
            Stmt::Parallel { .. } | Stmt::Clocked { .. } => self.activities(stmt),
            Stmt::Advance => self.line("Clock.advanceAll();"),
        }
    }

    fn activities(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Parallel { target, ty, local, count, value } => {
                self.line(&format!("finish for (v{local} in 0..{}) async {{", count - 1));
                self.line(&format!("    val x{local}:{ty} = {};", self.expr(value)));
                self.line(&format!("    atomic v{target} += x{local};\n{}}}", "    ".repeat(self.depth)));
            }
            Stmt::Clocked { target, ty, local, rail, count, value, other } => {
                self.line(&format!("val v{rail} = new Rail[{ty}]({count});"));
                self.line(&format!("clocked finish for (v{local} in 0..{}) clocked async {{", count - 1));
                self.line(&format!("    v{rail}(v{local}) = {};", self.expr(value)));
                self.line("    Clock.advanceAll();");
                self.line(&format!("    val x{local} = v{rail}((v{local} + {other}) % {count});"));
                self.line(&format!("    atomic v{target} += x{local};\n{}}}", "    ".repeat(self.depth)));
            }
            _ => unreachable!("{stmt:?} starts no activities"),
        }
    }

    fn attempt(&mut self, body: &[Stmt], arithmetic: Option<&[Stmt]>, any: &[Stmt], last: &[Stmt]) {
        self.line("try {");
        self.block(body);
        if let Some(handler) = arithmetic {
            self.line("} catch (e:ArithmeticException) {");
            self.block(handler);
        }
        self.line("} catch (e:Exception) {");
        self.block(any);
        if !last.is_empty() {
            self.line("} finally {");
            self.block(last);
        }
        self.line("}");
    }

    fn count(&mut self, count: &Loop) {
        let Loop { form, local, ty, from, to, comparison, step, unroll, body } = count;
        let (from, to) = (self.expr(from), self.expr(to));
        let condition = format!("v{local} {} {to}", comparison.text());
        let next = match step {
            1 => format!("v{local}++"),
            -1 => format!("v{local}--"),
            _ => format!("v{local} += {}", ty.wrap(i128::from(*step))),
        };
        let mut inner = Lines { breaks: self.breaks.clone(), ..Lines::new(self.program, self.depth) };
        inner.breaks.push(Some(*local));
        inner.block(body);
        let named = |what| inner.out.contains(&format!("{what} l{local};"));
        let label = if named("break") || named("continue") { format!("l{local}: ") } else { String::new() };
        let unroll = unroll.map_or(String::new(), |times| format!("@Unroll({times}) "));
        if matches!(form, Form::While | Form::DoWhile) {
            self.line(&format!("var v{local}:{ty} = {from};"));
        }
        self.line(&match form {
            Form::Range => format!("{label}for (v{local} in {from}..{to}) {{"),
            Form::For => format!("{unroll}{label}for (var v{local}:{ty} = {from}; {condition}; {next}) {{"),
            Form::While => format!("{label}while ({condition}) {{"),
            Form::DoWhile => format!("{label}do {{"),
        });
        if matches!(form, Form::While | Form::DoWhile) {
            self.line(&format!("    {next};"));
        }
        self.out += &inner.out;
        self.line(&if *form == Form::DoWhile { format!("}} while ({condition});") } else { "}".into() });
    }

    fn switch(&mut self, value: &Expr, mask: i64, cases: &[Case]) {
        self.line(&format!("switch ({} & {mask}n) {{", self.expr(value)));
        self.breaks.push(None);
        for (index, case) in cases.iter().enumerate() {
            let label =
                if index + 1 == cases.len() { "default".into() } else { format!("case {}n", case.value) };
            self.line(&format!("    {label}: {{"));
            self.depth += 1;
            self.block(&case.body);
            self.depth -= 1;
            self.line(if case.falls { "    }" } else { "    } break;" });
        }
        self.breaks.pop();
        self.line("}");
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn element(&self, element: &Element) -> String {
        let array = element.array;
        match element.kind {
            ArrayKind::RailOfRails => {
                let (i, j) = (self.expr(&element.indices[0]), self.expr(&element.indices[1]));
                format!("v{array}({i})({j})")
            }
            _ => format!("v{array}({})", self.list(&element.indices)),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Literal(value) => value.to_string(),
            Expr::Local(local) => format!("v{local}"),
            Expr::Unary(operator, value) => {
                let operator = match operator {
                    Unary::Minus => "-",
                    Unary::Not => "!",
                    Unary::Complement => "~",
                    Unary::Abs => return format!("Math.abs({})", self.expr(value)),
                };
                format!("({operator}{})", self.expr(value))
            }
            Expr::Binary(operator @ (Binary::Min | Binary::Max), a, b) => {
                format!("{}({}, {})", operator.text(), self.expr(a), self.expr(b))
            }
            Expr::Binary(operator, a, b) => {
                format!("({} {} {})", self.expr(a), operator.text(), self.expr(b))
            }
            Expr::Convert(ty, value) => format!("({} as {ty})", self.expr(value)),
            Expr::Choose(condition, a, b) => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(a), self.expr(b))
            }
            Expr::Element(element) => self.element(element),
            Expr::Size(array) => format!("v{array}.size"),
            Expr::Call(function, arguments) => {
                format!("{}({})", self.program.functions[*function].name, self.list(arguments))
            }
            Expr::Invoke(local, method, arguments) => {
                format!("{}.m{method}({})", object(*local), self.list(arguments))
            }
            Expr::Super(method, arguments) => format!("super.m{method}({})", self.list(arguments)),
            Expr::Field(local, field) => format!("{}.f{field}", object(*local)),
            Expr::Apply(local, arguments) => format!("v{local}({})", self.list(arguments)),
            Expr::Detour(detour, ty, value) => self.detour(*detour, *ty, &self.expr(value)),
        }
    }

    fn detour(&self, detour: Detour, ty: Type, value: &str) -> String {
        match detour {
            Detour::Method => format!("same[{ty}]({value})"),
            Detour::Interface => format!("holder[{ty}]({value}).held()"),
            Detour::Operator => format!("(~Held[{ty}]({value}))"),
            Detour::List => format!("listed[{ty}]({value})"),
            Detour::Map => format!("mapped[{ty}]({value})"),
            Detour::GlobalRef => format!("global[{ty}]({value})"),
            Detour::When => format!("awaited[{ty}]({value})"),
            Detour::Region => format!("placed[{ty}]({value})"),
            Detour::PlaceLocal => format!("everywhere[{ty}](():{ty} => {value})"),
            Detour::Closure => format!("(() => {value})()"),
            Detour::Passed => format!("passed[{ty}](():{ty} => {value})"),
            Detour::Rails => format!("new Rail[Rail[{ty}]](1, (Long) => new Rail[{ty}](1, {value}))(0)(0)"),
            Detour::Activity => format!("spawned[{ty}](():{ty} => {value})"),
            Detour::At => format!("(at (Place.places().next(here)) ({value}))"),
        }
    }
}

/// An object's name; methods have theirs in the first variable, which kernels and functions have for
/// something else.
fn object(local: Local) -> String {
    if local == 0 { "this".into() } else { format!("v{local}") }
}
