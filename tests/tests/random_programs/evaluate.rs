//! What a program must print.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::tree::*;
use crate::values::{Binary, Type, Value};

/// An exception that a program throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thrown {
    Arithmetic,
    Bounds,
    Failure,
    Multiple,
}

/// Why a statement does not go on to the next.
#[derive(Debug)]
pub(crate) enum Stop {
    Break(Local),
    Continue(Local),
    Return(Value),
    Throw(Thrown),
    /// The program takes too long.
    Fuel,
    /// A variable is used that is there no more: the program was cut down.
    Missing,
}

type Result<T = ()> = std::result::Result<T, Stop>;

#[derive(Debug)]
pub(crate) struct Array {
    pub sizes: Vec<i64>,
    pub values: RefCell<Vec<Value>>,
}

#[derive(Debug)]
struct Object {
    class: usize,
    fields: RefCell<Vec<Value>>,
}

#[derive(Clone, Debug)]
enum Cell {
    Nothing,
    Plain(Value),
    Array(Rc<Array>),
    Object(Rc<Object>),
    Closure(Rc<(Vec<Local>, Expr, Frame)>),
}

#[derive(Clone, Debug)]
struct Frame {
    cells: Vec<Cell>,
    class: Option<usize>,
}

impl Frame {
    fn of(function: &Function) -> Self {
        Self { cells: vec![Cell::Nothing; function.locals], class: function.class }
    }

    fn plain(&self, local: Local) -> Result<Value> {
        match &self.cells[local] {
            Cell::Plain(value) => Ok(*value),
            _ => Err(Stop::Missing),
        }
    }

    fn set(&mut self, local: Local, value: Value) {
        self.cells[local] = Cell::Plain(value);
    }

    fn array(&self, local: Local) -> Result<Rc<Array>> {
        match &self.cells[local] {
            Cell::Array(array) => Ok(array.clone()),
            _ => Err(Stop::Missing),
        }
    }

    fn object(&self, local: Local) -> Result<Rc<Object>> {
        match &self.cells[local] {
            Cell::Object(object) => Ok(object.clone()),
            _ => Err(Stop::Missing),
        }
    }

    /// What another place sees: copies. Two variables of one object have one copy.
    fn copied(&self) -> Frame {
        let mut objects = HashMap::new();
        let cells = self.cells.iter().map(|cell| match cell {
            Cell::Object(object) => {
                let copy =
                    || Object { class: object.class, fields: RefCell::new(object.fields.borrow().clone()) };
                let copy = objects.entry(Rc::as_ptr(object)).or_insert_with(|| Rc::new(copy()));
                Cell::Object(copy.clone())
            }
            // Their values are plain, and what another place may write of arrays nobody sees again.
            other => other.clone(),
        });
        Frame { cells: cells.collect(), class: self.class }
    }
}

pub(crate) struct Machine<'a> {
    program: &'a Program,
    fuel: u64,
}

/// What a call prints, unless it takes too long or uses what is missing.
pub(crate) fn call(program: &Program, function: usize, arguments: &[Argument]) -> Option<String> {
    let mut machine = Machine { program, fuel: 60_000 };
    let function = &program.functions[function];
    let mut frame = Frame::of(function);
    let mut arrays = Vec::new();
    for ((local, _), argument) in function.parameters.iter().zip(arguments) {
        frame.cells[*local] = match argument {
            Argument::Plain(value) => Cell::Plain(*value),
            Argument::Array(_, ty, sizes) => {
                let size = sizes.iter().product();
                let values = (0..size).map(|i| Type::Long.wrap(i128::from(i * 7 - 3)).convert(*ty)).collect();
                let array = Rc::new(Array { sizes: sizes.clone(), values: RefCell::new(values) });
                arrays.push(array.clone());
                Cell::Array(array)
            }
        };
    }
    let result = match &function.kernel {
        Some(kernel) => machine.launch(function, kernel, frame),
        None => machine.body(function, frame).map(|value| value.convert(Type::Long).integer()),
    };
    let said = match result {
        Ok(value) => format!("{value}"),
        Err(Stop::Throw(thrown)) => format!("{thrown:?}"),
        Err(Stop::Fuel | Stop::Missing) => return None,
        Err(stop) => unreachable!("{stop:?} out of a function"),
    };
    let sums: String = arrays.iter().map(|array| format!(" {}", sum(&array.values.borrow()))).collect();
    Some(said + &sums)
}

/// A number that tells whether an array's values are right.
fn sum(values: &[Value]) -> i64 {
    values.iter().fold(0i64, |sum, value| {
        sum.wrapping_mul(31).wrapping_add(value.convert(Type::Long).integer() as i64)
    })
}

fn last(phases: &mut [Vec<Stmt>]) -> &mut Vec<Stmt> {
    phases.last_mut().expect("there is a first one")
}

impl Machine<'_> {
    fn tick(&mut self) -> Result {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
        Ok(())
    }

    fn body(&mut self, function: &Function, mut frame: Frame) -> Result<Value> {
        match self.block(&function.body, &mut frame) {
            Ok(()) => unreachable!("{} ends without a value", function.name),
            Err(Stop::Return(value)) => Ok(value),
            Err(stop) => Err(stop),
        }
    }

    /// The threads of a kernel, each from barrier to barrier; a number for all that they write.
    fn launch(&mut self, function: &Function, kernel: &Kernel, frame: Frame) -> Result<i128> {
        let mut results = Vec::new();
        let mut failed = false;
        let zeros = |ty: Type, size: i64| {
            let values = RefCell::new(vec![Type::Long.wrap(0).convert(ty); size as usize]);
            Cell::Array(Rc::new(Array { sizes: vec![size], values }))
        };
        // Blocks run beside each other, and so do threads: the others must end too when one fails.
        for block in 0..kernel.blocks {
            let shared = zeros(kernel.shared.1, kernel.threads);
            let mut threads: Vec<Frame> = (0..kernel.threads)
                .map(|thread| {
                    let mut frame = frame.clone();
                    frame.set(kernel.block, Type::Int.wrap(i128::from(block)));
                    frame.set(kernel.thread, Type::Int.wrap(i128::from(thread)));
                    frame.cells[kernel.own.0] = zeros(kernel.own.1, kernel.own.2);
                    frame.cells[kernel.shared.0] = shared.clone();
                    frame
                })
                .collect();
            let mut same = frame.clone();
            same.set(kernel.block, Type::Int.wrap(i128::from(block)));
            let mut phases = vec![Vec::new()];
            self.phases(&function.body, &mut same, &mut phases)?;
            for phase in &phases {
                let mut left = Vec::new();
                for mut thread in threads {
                    match self.block(phase, &mut thread) {
                        Ok(()) => left.push(thread),
                        Err(Stop::Return(value)) => {
                            let own = sum(&thread.array(kernel.own.0)?.values.borrow());
                            let value = value.convert(Type::Long).integer() as i64;
                            results
                                .push(Type::Long.wrap(i128::from(value.wrapping_mul(31).wrapping_add(own))));
                        }
                        Err(Stop::Throw(_)) => failed = true,
                        Err(stop) => return Err(stop),
                    }
                }
                threads = left;
            }
        }
        if failed {
            return Err(Stop::Throw(Thrown::Multiple));
        }
        Ok(i128::from(sum(&results)))
    }

    /// The statements of a block's threads from barrier to barrier: loops with barriers are expanded,
    /// iteration by iteration. The frame has what is the same for all threads.
    fn phases(&mut self, body: &[Stmt], frame: &mut Frame, phases: &mut Vec<Vec<Stmt>>) -> Result {
        for stmt in body {
            match stmt {
                Stmt::Advance => phases.push(Vec::new()),
                Stmt::Rounds(count) => self.count(count, frame, &mut |machine, frame| {
                    let iteration = Expr::Literal(frame.plain(count.local)?);
                    last(phases).push(Stmt::Assign(count.local, None, iteration));
                    machine.phases(&count.body, frame, phases)
                })?,
                other => last(phases).push(other.clone()),
            }
        }
        Ok(())
    }

    fn block(&mut self, block: &[Stmt], frame: &mut Frame) -> Result {
        block.iter().try_for_each(|stmt| self.stmt(stmt, frame))
    }

    fn stmt(&mut self, stmt: &Stmt, frame: &mut Frame) -> Result {
        self.tick()?;
        match stmt {
            Stmt::Declare(local, _, _, value) | Stmt::Assign(local, None, value) => {
                let value = self.expr(value, frame)?;
                frame.set(*local, value);
            }
            Stmt::Assign(local, Some(operator), value) => {
                let old = frame.plain(*local)?;
                let value = self.expr(value, frame)?;
                frame.set(*local, binary(*operator, old, value)?);
            }
            Stmt::Closure(local, parameters, _, value) => {
                let parameters = parameters.iter().map(|(local, _)| *local).collect();
                let mut captured = frame.clone();
                // What is declared later belongs to the last iteration of a loop: its closures would keep
                // those of all iterations.
                captured.cells[*local..].fill(Cell::Nothing);
                frame.cells[*local] = Cell::Closure(Rc::new((parameters, value.clone(), captured)));
            }
            Stmt::Object(local, _, class, values) => {
                let fields = RefCell::new(self.all(values, frame)?);
                frame.cells[*local] = Cell::Object(Rc::new(Object { class: *class, fields }));
            }
            Stmt::Store(element, operator, value) => return self.store(element, *operator, value, frame),
            Stmt::SetField(local, field, value) => {
                let value = self.expr(value, frame)?;
                frame.object(*local)?.fields.borrow_mut()[*field] = value;
            }
            Stmt::If(condition, then, other) => {
                let chosen = if self.expr(condition, frame)?.is_true() { then } else { other };
                return self.block(chosen, frame);
            }
            Stmt::Loop(count) => {
                return self.count(count, frame, &mut |machine, frame| machine.block(&count.body, frame));
            }
            Stmt::Break(local) => return Err(Stop::Break(*local)),
            Stmt::Continue(local) => return Err(Stop::Continue(*local)),
            Stmt::Switch(value, mask, cases) => return self.switch(value, *mask, cases, frame),
            Stmt::Try(body, arithmetic, any, last) => {
                return self.attempt(body, arithmetic.as_deref(), any, last, frame);
            }
            Stmt::Throw => return Err(Stop::Throw(Thrown::Failure)),
            Stmt::Return(value) => return Err(Stop::Return(self.expr(value, frame)?)),
            Stmt::Parallel { target, ty, local, count, value } => {
                let values = self.activities(*ty, *local, *count, value, frame)?;
                let present = values.iter().flatten().copied().collect();
                return add(*target, present, values.iter().any(Option::is_none), frame);
            }
            Stmt::Clocked { target, ty, local, count, value, other, .. } => {
                let values = self.activities(*ty, *local, *count, value, frame)?;
                let zero = ty.wrap(0);
                let read = |i: usize| values[(i + *other as usize) % values.len()].unwrap_or(zero);
                let present = (0..values.len()).filter(|i| values[*i].is_some()).map(read).collect();
                return add(*target, present, values.iter().any(Option::is_none), frame);
            }
            Stmt::Advance | Stmt::Rounds(_) => {
                unreachable!("a barrier that is not between the statements of a kernel")
            }
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        body: &[Stmt],
        arithmetic: Option<&[Stmt]>,
        any: &[Stmt],
        last: &[Stmt],
        frame: &mut Frame,
    ) -> Result {
        let mut result = self.block(body, frame);
        if let Err(Stop::Throw(thrown)) = result {
            let handler = arithmetic.filter(|_| thrown == Thrown::Arithmetic);
            result = self.block(handler.unwrap_or(any), frame);
        }
        self.block(last, frame)?;
        result
    }

    /// What each activity computes, nothing where it throws.
    fn activities(
        &mut self,
        ty: Type,
        local: Local,
        count: i64,
        value: &Expr,
        frame: &mut Frame,
    ) -> Result<Vec<Option<Value>>> {
        (0..count)
            .map(|iteration| {
                frame.set(local, Type::Long.wrap(i128::from(iteration)));
                match self.expr(value, frame) {
                    Ok(value) => Ok(Some(value.convert(ty))),
                    Err(Stop::Throw(_)) => Ok(None),
                    Err(stop) => Err(stop),
                }
            })
            .collect()
    }

    fn store(
        &mut self,
        element: &Element,
        operator: Option<Binary>,
        value: &Expr,
        frame: &mut Frame,
    ) -> Result {
        let (array, indices) = self.indices(element, frame)?;
        let new = if let Some(operator) = operator {
            let old = array.values.borrow()[array.offset(&indices)?];
            let value = self.expr(value, frame)?;
            binary(operator, old, value)?
        } else {
            self.expr(value, frame)?
        };
        let offset = array.offset(&indices)?;
        array.values.borrow_mut()[offset] = new;
        Ok(())
    }

    fn count(
        &mut self,
        count: &Loop,
        frame: &mut Frame,
        body: &mut dyn FnMut(&mut Self, &mut Frame) -> Result,
    ) -> Result {
        let Loop { form, local, ty, from, to, comparison, step, .. } = count;
        let from = self.expr(from, frame)?;
        if *form == Form::Range {
            let (from, to) = (from.integer(), self.expr(to, frame)?.integer());
            for i in from..=to {
                frame.set(*local, ty.wrap(i));
                if self.iterate(*local, body, frame)? {
                    break;
                }
            }
            return Ok(());
        }
        frame.set(*local, from);
        let mut first = *form == Form::DoWhile;
        loop {
            if !first {
                let to = self.expr(to, frame)?;
                if !binary(*comparison, frame.plain(*local)?, to)?.is_true() {
                    return Ok(());
                }
            }
            first = false;
            let next = |frame: &mut Frame| {
                let next = frame.plain(*local)?.integer() + i128::from(*step);
                frame.set(*local, ty.wrap(next));
                Ok(())
            };
            if *form != Form::For {
                next(frame)?;
            }
            if self.iterate(*local, body, frame)? {
                return Ok(());
            }
            if *form == Form::For {
                next(frame)?;
            }
        }
    }

    /// Runs one iteration of a loop; returns whether it was the last.
    fn iterate(
        &mut self,
        local: Local,
        body: &mut dyn FnMut(&mut Self, &mut Frame) -> Result,
        frame: &mut Frame,
    ) -> Result<bool> {
        self.tick()?;
        match body(self, frame) {
            Err(Stop::Break(out)) if out == local => Ok(true),
            Err(Stop::Continue(next)) if next == local => Ok(false),
            other => other.map(|()| false),
        }
    }

    fn switch(&mut self, value: &Expr, mask: i64, cases: &[Case], frame: &mut Frame) -> Result {
        let value = self.expr(value, frame)?.integer() & i128::from(mask);
        let chosen = cases.iter().position(|case| i128::from(case.value) == value);
        for case in &cases[chosen.unwrap_or(cases.len() - 1)..] {
            self.block(&case.body, frame)?;
            if !case.falls {
                break;
            }
        }
        Ok(())
    }

    fn all(&mut self, exprs: &[Expr], frame: &mut Frame) -> Result<Vec<Value>> {
        exprs.iter().map(|expr| self.expr(expr, frame)).collect()
    }

    fn expr(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Value> {
        self.tick()?;
        Ok(match expr {
            Expr::Literal(value) => *value,
            Expr::Local(local) => frame.plain(*local)?,
            Expr::Unary(operator, value) => self.expr(value, frame)?.unary(*operator),
            Expr::Binary(operator, a, b) => {
                let a = self.expr(a, frame)?;
                match operator {
                    Binary::AndThen if !a.is_true() => return Ok(a),
                    Binary::OrElse if a.is_true() => return Ok(a),
                    _ => {}
                }
                let b = self.expr(b, frame)?;
                binary(*operator, a, b)?
            }
            Expr::Convert(ty, value) => self.expr(value, frame)?.convert(*ty),
            Expr::Choose(condition, a, b) => {
                let chosen = if self.expr(condition, frame)?.is_true() { a } else { b };
                self.expr(chosen, frame)?
            }
            Expr::Element(element) => {
                let (array, indices) = self.indices(element, frame)?;
                let offset = array.offset(&indices)?;
                array.values.borrow()[offset]
            }
            Expr::Size(array) => Type::Long.wrap(i128::from(frame.array(*array)?.sizes[0])),
            Expr::Field(local, field) => frame.object(*local)?.fields.borrow()[*field],
            Expr::Call(..) | Expr::Invoke(..) | Expr::Super(..) | Expr::Apply(..) => {
                self.called(expr, frame)?
            }
            Expr::Detour(Detour::At, _, value) => self.expr(value, &mut frame.copied())?,
            Expr::Detour(detour, _, value) => match self.expr(value, frame) {
                // `finish` collects what activities raise, here or at each place.
                Err(Stop::Throw(_)) if matches!(detour, Detour::Activity | Detour::PlaceLocal) => {
                    return Err(Stop::Throw(Thrown::Multiple));
                }
                other => other?,
            },
        })
    }

    fn called(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Value> {
        match expr {
            Expr::Call(function, arguments) => {
                let arguments = self.all(arguments, frame)?;
                self.function(*function, None, arguments)
            }
            Expr::Invoke(local, method, arguments) => {
                let object = frame.object(*local)?;
                let arguments = self.all(arguments, frame)?;
                let function = self.program.classes[object.class].methods[*method];
                self.function(function, Some(object), arguments)
            }
            Expr::Super(method, arguments) => {
                let object = frame.object(0)?;
                let arguments = self.all(arguments, frame)?;
                let parent = frame.class.and_then(|class| self.program.classes[class].parent);
                let function = self.program.classes[parent.expect("a parent")].methods[*method];
                self.function(function, Some(object), arguments)
            }
            Expr::Apply(local, arguments) => {
                let Cell::Closure(closure) = frame.cells[*local].clone() else { return Err(Stop::Missing) };
                let arguments = self.all(arguments, frame)?;
                let (parameters, value, mut frame) = (*closure).clone();
                parameters.iter().zip(arguments).for_each(|(local, argument)| frame.set(*local, argument));
                self.expr(&value, &mut frame)
            }
            _ => unreachable!("{expr:?} calls nothing"),
        }
    }

    fn function(
        &mut self,
        function: usize,
        this: Option<Rc<Object>>,
        arguments: Vec<Value>,
    ) -> Result<Value> {
        let function = &self.program.functions[function];
        let mut frame = Frame::of(function);
        if let Some(object) = this {
            frame.cells[0] = Cell::Object(object);
        }
        for ((local, _), argument) in function.parameters.iter().zip(arguments) {
            frame.set(*local, argument);
        }
        self.body(function, frame)
    }

    /// The array and the indices of an element. A rail of rails finds the inner one before the second index
    /// is computed.
    fn indices(&mut self, element: &Element, frame: &mut Frame) -> Result<(Rc<Array>, Vec<i128>)> {
        let array = frame.array(element.array)?;
        let mut indices = Vec::new();
        for index in &element.indices {
            if element.kind == ArrayKind::RailOfRails && indices.len() == 1 {
                within(indices[0], array.sizes[0])?;
            }
            indices.push(self.expr(index, frame)?.integer());
        }
        Ok((array, indices))
    }
}

impl Array {
    fn offset(&self, indices: &[i128]) -> Result<usize> {
        let mut offset = 0;
        for (index, size) in indices.iter().zip(&self.sizes) {
            within(*index, *size)?;
            offset = offset * i128::from(*size) + index;
        }
        Ok(offset as usize)
    }
}

fn within(index: i128, size: i64) -> Result {
    if (0..i128::from(size)).contains(&index) { Ok(()) } else { Err(Stop::Throw(Thrown::Bounds)) }
}

fn binary(operator: Binary, a: Value, b: Value) -> Result<Value> {
    a.binary(operator, b).ok_or(Stop::Throw(Thrown::Arithmetic))
}

/// Adds what activities computed to a variable, of which some may have failed.
fn add(target: Local, values: Vec<Value>, failed: bool, frame: &mut Frame) -> Result {
    for value in values {
        let sum = binary(Binary::Add, frame.plain(target)?, value)?;
        frame.set(target, sum);
    }
    if failed { Err(Stop::Throw(Thrown::Multiple)) } else { Ok(()) }
}
