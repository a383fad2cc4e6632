//! Random functions, classes and calls.

use crate::evaluate;
use crate::tree::*;
use crate::values::{Type, Value};

/// A generator of numbers: the same from the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Seeds that follow one another are to have nothing in common; zero would stay zero.
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from((self.next() >> 11) % n.max(1) as u64).unwrap_or(0)
    }

    /// A number of `low..=high`.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// Returns true with the given probability in percent.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Plain(Type),
    Array { kind: ArrayKind, ty: Type, writable: bool },
    Object(usize),
    Closure(Vec<Type>, Type),
}

/// A variable that an expression may use.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub local: Local,
    pub kind: Kind,
    /// A `var`: closures and activities may not use it.
    pub mutable: bool,
    /// Whether statements may assign it.
    pub assignable: bool,
}

/// The function that is being made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    pub scope: Vec<Variable>,
    /// How many variables it has. The first is the object of a method and nothing in others.
    pub locals: usize,
    pub class: Option<usize>,
    /// The method that is being made, if the parent has it too.
    pub overridden: Option<usize>,
    /// For kernels: neither objects nor exceptions.
    pub device: bool,
    /// Loops around, from the outermost.
    pub loops: Vec<Local>,
    /// What a `return` may return here.
    pub ret: Option<Type>,
    /// Whether expressions have no effects: several activities compute them at once.
    pub pure: bool,
}

pub(crate) struct Generator {
    pub random: Random,
    pub program: Program,
    /// Parameters and results of the methods, by number.
    pub methods: Vec<(Vec<Type>, Type)>,
    pub context: Context,
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Program {
    let program = Program { name: format!("Random{seed}"), ..Program::default() };
    let mut generator =
        Generator { random: Random::new(seed), program, methods: Vec::new(), context: Context::default() };
    for _ in 0..generator.random.below(3) {
        generator.plain(true);
    }
    for _ in 0..generator.random.below(3) {
        generator.plain(false);
    }
    if generator.random.percent(60) {
        generator.classes();
    }
    for _ in 0..generator.random.between(2, 4) {
        if generator.random.percent(25) {
            generator.kernel();
        } else {
            generator.entry();
        }
    }
    for function in 0..generator.program.functions.len() {
        if generator.program.functions[function].class.is_none() {
            generator.calls(function);
        }
    }
    generator.program
}

impl Generator {
    pub(crate) fn local(&mut self) -> Local {
        self.context.locals += 1;
        self.context.locals - 1
    }

    pub(crate) fn ty(&mut self) -> Type {
        self.random.of(&Type::ALL)
    }

    /// A type that arrays are of.
    pub(crate) fn element_type(&mut self) -> Type {
        self.random.of(&[
            Type::Long,
            Type::Long,
            Type::Int,
            Type::Int,
            Type::Byte,
            Type::UInt,
            Type::Short,
            Type::ULong,
            Type::Double,
            Type::Float,
        ])
    }

    pub(crate) fn declare(&mut self, kind: Kind, mutable: bool) -> Local {
        let local = self.local();
        self.context.scope.push(Variable { local, kind, mutable, assignable: mutable });
        local
    }

    pub(crate) fn begin(&mut self, context: Context) {
        self.context = Context { locals: 1, ..context };
    }

    pub(crate) fn parameter(&mut self, arrays: usize) -> (Local, Parameter) {
        if !self.random.percent(arrays) {
            let ty = self.ty();
            return (self.declare(Kind::Plain(ty), false), Parameter::Plain(ty));
        }
        let kinds =
            [ArrayKind::Rail, ArrayKind::Rail, ArrayKind::RailOfRails, ArrayKind::Array2, ArrayKind::Array3];
        let (kind, ty) = (self.random.of(&kinds), self.element_type());
        (self.declare(Kind::Array { kind, ty, writable: true }, false), Parameter::Array(kind, ty))
    }

    /// Ends the function that was begun, which returns this.
    pub(crate) fn finish(
        &mut self,
        name: String,
        parameters: Vec<(Local, Parameter)>,
        mut body: Vec<Stmt>,
        ret: Type,
    ) {
        let value = self.expr(ret, 3);
        body.push(Stmt::Return(value));
        let Context { class, device, locals, .. } = self.context;
        let function = Function { name, class, parameters, ret, body, locals, kernel: None, device };
        self.program.functions.push(function);
    }

    /// A function of plain values.
    fn plain(&mut self, device: bool) {
        let ret = self.ty();
        self.begin(Context { device, ret: Some(ret), ..Context::default() });
        let parameters = (0..self.random.between(1, 3)).map(|_| self.parameter(0)).collect();
        let count = self.random.between(1, 5);
        let body = self.statements(count, 2);
        self.finish(format!("f{}", self.program.functions.len()), parameters, body, ret);
    }

    /// A function of arrays and bounds of loops over them.
    fn entry(&mut self) {
        let ret = self.ty();
        self.begin(Context { ret: Some(ret), ..Context::default() });
        let bounds = [Type::Long, Type::Long, Type::Int];
        let mut parameters: Vec<_> = bounds
            .into_iter()
            .map(|ty| (self.declare(Kind::Plain(ty), false), Parameter::Plain(ty)))
            .collect();
        parameters.extend((0..self.random.between(1, 4)).map(|_| self.parameter(70)));
        let count = self.random.between(3, 9);
        let body = self.statements(count, 3);
        self.finish(format!("f{}", self.program.functions.len()), parameters, body, ret);
    }

    /// A class, some that extend it, and their methods.
    fn classes(&mut self) {
        let count = self.random.between(1, 3) as usize;
        for index in 0..count {
            let parent = (index > 0).then(|| self.random.below(index));
            let mut class = match parent {
                Some(parent) => self.program.classes[parent].clone(),
                None => Class { name: String::new(), parent, fields: vec![], inherited: 0, methods: vec![] },
            };
            class.inherited = class.fields.len();
            class.name = format!("C{index}");
            class.parent = parent;
            for _ in 0..self.random.between(1, 2) {
                class.fields.push(self.ty());
            }
            if parent.is_none() {
                for _ in 0..self.random.between(1, 3) {
                    let parameters = (0..self.random.below(3)).map(|_| self.ty()).collect();
                    let ret = self.ty();
                    self.methods.push((parameters, ret));
                }
            }
            self.program.classes.push(class);
            for method in 0..self.methods.len() {
                if parent.is_none() || self.random.percent(60) {
                    self.method(index, method);
                }
            }
        }
    }

    fn method(&mut self, class: usize, method: usize) {
        let (types, ret) = self.methods[method].clone();
        let overridden = self.program.classes[class].parent.map(|_| method);
        self.begin(Context { class: Some(class), overridden, ret: Some(ret), ..Context::default() });
        let this = Variable { local: 0, kind: Kind::Object(class), mutable: false, assignable: false };
        self.context.scope.push(this);
        let parameters =
            types.iter().map(|ty| (self.declare(Kind::Plain(*ty), false), Parameter::Plain(*ty))).collect();
        let count = self.random.between(0, 3);
        let body = self.statements(count, 1);
        self.finish(format!("m{method}"), parameters, body, ret);
        let function = self.program.functions.len() - 1;
        let methods = &mut self.program.classes[class].methods;
        if method < methods.len() {
            methods[method] = function;
        } else {
            methods.push(function);
        }
    }

    /// Calls of a function that do not take too long.
    fn calls(&mut self, function: usize) {
        let kernel = self.program.functions[function].kernel.is_some();
        for _ in 0..6 {
            let parameters = self.program.functions[function].parameters.clone();
            let arguments: Vec<_> =
                parameters.iter().map(|(_, parameter)| self.argument(parameter, kernel)).collect();
            if let Some(prints) = evaluate::call(&self.program, function, &arguments) {
                self.program.calls.push(Call { function, arguments, prints });
            }
        }
    }

    /// A value for a parameter; arrays of kernels may have a row for each thread.
    fn argument(&mut self, parameter: &Parameter, kernel: bool) -> Argument {
        match *parameter {
            Parameter::Plain(ty) if ty.integer().is_some() && self.random.percent(75) => {
                let small = self.random.of(&[0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, -1, -3]);
                Argument::Plain(ty.wrap(small))
            }
            Parameter::Plain(ty) => Argument::Plain(self.literal(ty)),
            Parameter::Array(kind, ty) => {
                let sizes = match kind.rank() {
                    1 if kernel && self.random.percent(50) => vec![self.random.of(&[600, 700, 1400])],
                    1 => vec![self.random.of(&[0, 1, 3, 4, 5, 8, 16, 17, 32])],
                    _ => (0..kind.rank()).map(|_| self.random.of(&[1, 3, 4, 5, 8])).collect(),
                };
                Argument::Array(kind, ty, sizes)
            }
        }
    }

    /// A literal, at the edges of its type more often than not.
    pub(crate) fn literal(&mut self, ty: Type) -> Value {
        let (low, high) = ty.range();
        match ty {
            Type::Boolean => Value::Boolean(self.random.percent(50)),
            Type::Float | Type::Double => {
                let eighths = self.random.between(-1000, 1000) as f64 / 8.0;
                let value = self.random.of(&[0.0, 1.0, 0.5, 2.25, -3.75, 1e10, eighths]);
                Value::Double(value).convert(ty)
            }
            _ => {
                let any = i128::from(self.random.next());
                let small = i128::from(self.random.between(0, 100));
                let edges = [0, 1, 2, 3, 5, 7, small, low, high, high - 1, -1, low + 1, any];
                ty.wrap(self.random.of(&edges))
            }
        }
    }
}
