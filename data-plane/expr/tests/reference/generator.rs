//! Random expressions that the checker would let through.

use nspl_model::{
    BinaryOp, CastError, DataType, Expr, ExprKind, FieldRef, Function, JsonPath, Literal, Nullability,
    Parameter, ResultType, Scope,
};

use crate::dice::Dice;
use crate::documents;
use crate::table::{Table, name};
use crate::values::{random, types};

/// How deep expressions nest.
const DEPTH: usize = 4;

/// An expression of any of the types over the columns of a table.
pub(crate) fn expression(dice: &mut Dice, table: &Table) -> Expr {
    let of = dice.pick(&types());
    Generator { dice, table }.node(&of, DEPTH)
}

/// An expression of a type; its nullability and sensitivity are those of rulings sections 5 and 6.
pub(crate) fn typed(of: &DataType, kind: ExprKind) -> Expr {
    let mut expr = Expr {
        data_type: of.clone(),
        nullable: is_nullable(&kind),
        sensitive: false,
        kind,
    };
    expr.sensitive = match &expr.kind {
        ExprKind::Call { function, .. } if *function == Function::LeakSensitive => false,
        _ => expr.children().into_iter().any(|child| child.sensitive),
    };
    expr
}

fn is_nullable(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Literal(literal) => literal.is_null(),
        ExprKind::Field(_) => panic!("a column says so itself"),
        ExprKind::Negate(operand) | ExprKind::Not(operand) => operand.nullable,
        ExprKind::Binary { left, right, .. } => left.nullable || right.nullable,
        ExprKind::Cast { operand, on_error } => operand.nullable || *on_error == CastError::Null,
        ExprKind::Case { arms, otherwise, .. } => {
            let otherwise = otherwise.as_ref().is_none_or(|otherwise| otherwise.nullable);
            otherwise || arms.iter().any(|(_, then)| then.nullable)
        }
        ExprKind::JsonValue { .. } => true,
        ExprKind::JsonExists { document, .. } => document.nullable,
        ExprKind::Call { function, args, .. } => match function {
            Function::Nullif | Function::RegexpSubstr => true,
            Function::Concat | Function::IsNull => false,
            Function::Coalesce => args.iter().all(|arg| arg.nullable),
            _ => args.iter().any(|arg| arg.nullable),
        },
    }
}

/// Whether rulings section 5 has the cast.
pub(crate) fn converts(from: &DataType, to: &DataType) -> bool {
    let number = DataType::is_numeric;
    let scalar = |of: &DataType| DataType::SCALARS.contains(of);
    let through_text = |text: &DataType, other: &DataType| *text == DataType::String && scalar(other);
    scalar(from)
        && (from == to || (number(from) && number(to)) || through_text(from, to) || through_text(to, from))
}

/// Whether the result of a call is null because an argument is.
pub(crate) fn propagates(function: Function) -> bool {
    function.signature().nullability == Nullability::Propagates
}

/// Whether a function can give the type.
pub(crate) fn gives(function: Function, of: &DataType) -> bool {
    let signature = function.signature();
    match (signature.result, signature.parameters.first()) {
        (ResultType::Bool, _) => *of == DataType::Bool,
        (ResultType::String, _) => *of == DataType::String,
        (ResultType::I64, _) => *of == DataType::I64,
        (ResultType::F64, _) => *of == DataType::F64,
        (ResultType::DateTime, _) => *of == DataType::DateTime,
        (ResultType::First, Some(Parameter::Numeric)) => of.is_numeric(),
        (ResultType::First, Some(Parameter::SameComparable)) => of.is_comparable(),
        (ResultType::First, _) => true,
    }
}

fn constant(text: &str) -> Expr {
    typed(&DataType::String, ExprKind::Literal(Literal::String(text.into())))
}

/// Draws expressions over the columns of a table.
pub(crate) struct Generator<'a> {
    /// What is drawn from.
    pub(crate) dice: &'a mut Dice,
    /// What is read.
    pub(crate) table: &'a Table,
}

impl Generator<'_> {
    fn node(&mut self, of: &DataType, depth: usize) -> Expr {
        if depth == 0 || self.dice.below(6) == 0 {
            return self.leaf(of);
        }
        let depth = depth - 1;
        let kind = match self.dice.below(8) {
            0 => Some(self.case(of, depth)),
            1 => self.cast(of, depth),
            2 => self.json(of),
            3 | 4 => self.operator(of, depth),
            _ => self.call(of, depth),
        };
        match kind {
            Some(kind) => typed(of, kind),
            None => self.leaf(of),
        }
    }

    fn leaf(&mut self, of: &DataType) -> Expr {
        let columns = self.table.positions(of, false);
        if !columns.is_empty() && self.dice.below(3) > 0 {
            let index = self.dice.pick(&columns);
            return self.field(index);
        }
        let literal = match self.dice.below(5) {
            0 => Literal::Null,
            _ => random(self.dice, of),
        };
        typed(of, ExprKind::Literal(literal))
    }

    fn field(&self, index: usize) -> Expr {
        let column = &self.table.columns[index];
        Expr {
            data_type: column.of.clone(),
            nullable: column.nullable,
            sensitive: column.sensitive,
            kind: ExprKind::Field(FieldRef {
                scope: Scope::Input,
                name: name(index),
                index,
            }),
        }
    }

    /// An operand of a type.
    pub(crate) fn operand(&mut self, of: &DataType, depth: usize) -> Box<Expr> {
        Box::new(self.node(of, depth))
    }

    fn operator(&mut self, of: &DataType, depth: usize) -> Option<ExprKind> {
        if *of != DataType::Bool {
            return self.arithmetic(of, depth);
        }
        let op = self.dice.pick(&[
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Equal,
            BinaryOp::NotEqual,
            BinaryOp::Less,
            BinaryOp::LessOrEqual,
            BinaryOp::Greater,
            BinaryOp::GreaterOrEqual,
        ]);
        if self.dice.below(6) == 0 {
            return Some(ExprKind::Not(self.operand(&DataType::Bool, depth)));
        }
        let sides = match op {
            BinaryOp::And | BinaryOp::Or => DataType::Bool,
            BinaryOp::Equal | BinaryOp::NotEqual => self.dice.pick(&DataType::SCALARS),
            _ => loop {
                let of = self.dice.pick(&DataType::SCALARS);
                if of.is_ordered() {
                    break of;
                }
            },
        };
        let (left, right) = (self.operand(&sides, depth), self.operand(&sides, depth));
        Some(ExprKind::Binary { op, left, right })
    }

    fn arithmetic(&mut self, of: &DataType, depth: usize) -> Option<ExprKind> {
        let signed = of.is_signed() || of.is_float();
        if signed && self.dice.below(5) == 0 {
            return Some(ExprKind::Negate(self.operand(of, depth)));
        }
        let op = self.dice.pick(&[
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
        ]);
        if !of.is_numeric() {
            return None;
        }
        let (left, right) = (self.operand(of, depth), self.operand(of, depth));
        Some(ExprKind::Binary { op, left, right })
    }

    fn cast(&mut self, to: &DataType, depth: usize) -> Option<ExprKind> {
        let from: Vec<DataType> = types().into_iter().filter(|from| converts(from, to)).collect();
        if from.is_empty() {
            return None;
        }
        let from = self.dice.pick(&from);
        Some(ExprKind::Cast {
            operand: self.operand(&from, depth),
            on_error: self.dice.pick(&[CastError::Fail, CastError::Null]),
        })
    }

    /// A CASE of a type.
    pub(crate) fn case(&mut self, of: &DataType, depth: usize) -> ExprKind {
        let operand_type = (self.dice.below(2) == 0).then(|| self.dice.pick(&DataType::SCALARS));
        let when_type = operand_type.clone().unwrap_or(DataType::Bool);
        let operand = operand_type.map(|operand| self.operand(&operand, depth));
        let arms = (0..self.dice.below(3) + 1)
            .map(|_| (self.node(&when_type, depth), self.node(of, depth)))
            .collect();
        let otherwise = (self.dice.below(2) == 0).then(|| self.operand(of, depth));
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        }
    }

    /// A function of documents; lists and BYTES have none.
    pub(crate) fn json(&mut self, of: &DataType) -> Option<ExprKind> {
        if of.is_list() || *of == DataType::Bytes {
            return None;
        }
        let columns = self.table.positions(&DataType::String, true);
        let document = Box::new(match self.dice.below(3) {
            1.. if !columns.is_empty() => {
                let index = self.dice.pick(&columns);
                self.field(index)
            }
            _ => constant(self.dice.pick(&documents::TEXTS)),
        });
        let path = JsonPath::parse(self.dice.pick(&documents::PATHS)).unwrap();
        if *of == DataType::Bool && self.dice.below(2) == 0 {
            return Some(ExprKind::JsonExists { document, path });
        }
        let on_error = self.dice.pick(&[CastError::Fail, CastError::Null]);
        Some(ExprKind::JsonValue {
            document,
            path,
            on_error,
        })
    }

    fn call(&mut self, of: &DataType, depth: usize) -> Option<ExprKind> {
        let able: Vec<Function> = Function::all().filter(|function| gives(*function, of)).collect();
        let function = self.dice.pick(&able);
        self.call_of(function, of, depth)
    }

    /// A call of a function that gives the type.
    pub(crate) fn call_of(&mut self, function: Function, of: &DataType, depth: usize) -> Option<ExprKind> {
        let signature = function.signature();
        let random = matches!(function, Function::UuidV4 | Function::UuidV7);
        if random {
            // What is drawn cannot be known here, but how long it is can.
            return None;
        }
        let count = match signature.variadic {
            true => self.dice.below(3) + signature.required,
            false => {
                let optional = signature.parameters.len() - signature.required;
                signature.required + self.dice.below(optional + 1)
            }
        };
        let mut args: Vec<Expr> = Vec::new();
        for index in 0..count {
            let of = match signature.parameter(index)? {
                _ if signature.result == ResultType::First => of.clone(),
                Parameter::String => DataType::String,
                Parameter::Count => DataType::I64,
                Parameter::Integer => self.dice.pick(&DataType::SCALARS[..8]),
                Parameter::Numeric => self.dice.pick(&DataType::SCALARS[..10]),
                Parameter::Any | Parameter::Same | Parameter::SameComparable => self.dice.pick(&types()),
            };
            args.push(self.argument(function, (&of, index), depth));
        }
        let site = 0;
        Some(ExprKind::Call { function, args, site })
    }

    fn argument(&mut self, function: Function, (of, index): (&DataType, usize), depth: usize) -> Expr {
        let measured = matches!(
            function,
            Function::Length | Function::CharLength | Function::IsNull
        );
        if measured && self.dice.below(8) == 0 {
            let function = self.dice.pick(&[Function::UuidV4, Function::UuidV7]);
            let (args, site) = (Vec::new(), 1);
            return typed(&DataType::String, ExprKind::Call { function, args, site });
        }
        let pattern = index == 1 && function.name().starts_with("regexp_");
        if pattern && self.dice.below(2) == 0 {
            return constant(
                self.dice
                    .pick(&["[a-z]+", "a*", "(\\w)(\\d)?", "^.$", "(", "é|🦀", ","]),
            );
        }
        let replacement = index == 2 && function == Function::RegexpReplace;
        if replacement && self.dice.below(2) == 0 {
            return constant(self.dice.pick(&["$0$1", "<${2}>", "$$", "-"]));
        }
        let real = *of != DataType::String && function.signature().result == ResultType::F64;
        if real && *of == DataType::F64 && self.dice.below(2) == 0 {
            let value = self.dice.pick(&[0.0, 0.25, -0.75, 1.0, 2.0, 10.0, 1000.0, -3.0]);
            return typed(of, ExprKind::Literal(Literal::F64(value)));
        }
        self.node(of, depth)
    }
}
