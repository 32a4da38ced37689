//! Calls of functions, judged by their signatures.

use nspl_model::{
    DataType, Expr, ExprKind, Function, Literal, Nullability, Parameter, ResultType, Signature,
};
use nspl_syntax::expression::Call;

use super::naturals::Natural;
use super::{Typed, Typer, Want};
use crate::constant::node;
use crate::rules;

impl Typer<'_> {
    pub(super) fn call(&mut self, call: &Call, want: Want<'_>) -> Option<Typed> {
        let Some(function) = Function::from_name(&call.function.text) else {
            self.faults.push(rules::function_name::fault(&call.function));
            return None;
        };
        let signature = function.signature();
        if !signature.accepts(call.arguments.len()) {
            self.faults.push(rules::argument_count::fault(call, function));
            return None;
        }
        let mut arguments = self.arguments(call, function, want)?;
        if function == Function::Nullif || function == Function::Coalesce {
            self.all_alike(&arguments, "the arguments")?;
        }
        let constant = match self.pattern(function, &arguments) {
            Some(()) => {
                let values = arguments.iter_mut().map(Typed::take).collect();
                self.fold(call.span, node::call(function, values))
            }
            None => None,
        };
        let site = if function.is_volatile() {
            *self.sites += 1;
            *self.sites - 1
        } else {
            0
        };
        let sensitive = function != Function::LeakSensitive && arguments.iter().any(|arg| arg.expr.sensitive);
        let expr = Expr {
            data_type: result_type(signature, &arguments),
            nullable: nullable(signature, &arguments),
            sensitive,
            kind: ExprKind::Call {
                function,
                args: arguments.into_iter().map(|arg| arg.expr).collect(),
                site,
            },
        };
        Some(Typed {
            expr,
            constant,
            span: call.span,
        })
    }

    fn arguments(&mut self, call: &Call, function: Function, want: Want<'_>) -> Option<Vec<Typed>> {
        let signature = function.signature();
        let joined = self.naturals.join(&call.arguments);
        let alike = self.alike(&joined, signature, want);
        let mut typed = Vec::new();
        for (index, node) in call.arguments.iter().enumerate() {
            let parameter = match signature.parameter(index).unwrap_or(Parameter::Any) {
                // The others have the type of the first, or are refused for that.
                Parameter::SameComparable if index > 0 => Parameter::Same,
                parameter => parameter,
            };
            let wish = match parameter {
                Parameter::String => Want::Type(&DataType::String),
                Parameter::Count => Want::Type(&DataType::I64),
                Parameter::Same | Parameter::SameComparable => alike,
                Parameter::Numeric | Parameter::Any if signature.result == ResultType::First => alike,
                Parameter::Integer | Parameter::Numeric | Parameter::Any => Want::Nothing,
            };
            let judge = |typer: &mut Self| {
                let argument = typer.typed(node, wish)?;
                typer.argument(argument, parameter, function)
            };
            let excused = function == Function::Coalesce && index > 0;
            typed.push(if excused {
                self.excusing(judge)
            } else {
                judge(self)
            });
        }
        typed.into_iter().collect()
    }

    fn alike<'t>(&self, joined: &'t Natural, signature: &Signature, want: Want<'t>) -> Want<'t> {
        let numeric = signature.parameter(0) == Some(Parameter::Numeric);
        match self.common(joined, want) {
            // abs(1) in the place of a STRING is a number in that place, whoever wants the STRING says so.
            Want::Type(data_type) if numeric && !data_type.is_numeric() => Want::Nothing,
            other => other,
        }
    }

    fn argument(&mut self, argument: Typed, parameter: Parameter, function: Function) -> Option<Typed> {
        let data_type = &argument.expr.data_type;
        let (fits, takes) = match parameter {
            Parameter::String => (*data_type == DataType::String, "STRING"),
            Parameter::Count => (*data_type == DataType::I64, "I64"),
            Parameter::Integer => (data_type.is_integer(), "an integer type"),
            Parameter::Numeric => (data_type.is_numeric(), "a number"),
            Parameter::SameComparable => (data_type.is_comparable(), "a type that = compares"),
            Parameter::Same | Parameter::Any => (true, ""),
        };
        if fits {
            return Some(argument);
        }
        self.faults.push(rules::argument_type::fault(
            argument.span,
            function,
            takes,
            data_type,
        ));
        None
    }

    /// A constant pattern is compiled at validation; `None` when it does not, which is reported.
    fn pattern(&mut self, function: Function, arguments: &[Typed]) -> Option<()> {
        let takes_pattern = matches!(
            function,
            Function::RegexpLike | Function::RegexpReplace | Function::RegexpSubstr
        );
        if let Some(argument) = arguments.get(1).filter(|_| takes_pattern)
            && let Some(Literal::String(pattern)) = &argument.constant
            && let Err(why) = self.patterns.judge(pattern)
        {
            self.faults.push(rules::pattern::fault(argument.span, &why));
            return None;
        }
        Some(())
    }
}

fn result_type(signature: &Signature, arguments: &[Typed]) -> DataType {
    match signature.result {
        ResultType::Bool => DataType::Bool,
        ResultType::String => DataType::String,
        ResultType::I64 => DataType::I64,
        ResultType::F64 => DataType::F64,
        ResultType::DateTime => DataType::DateTime,
        ResultType::First => arguments
            .first()
            .map_or(DataType::Bool, |first| first.expr.data_type.clone()),
    }
}

fn nullable(signature: &Signature, arguments: &[Typed]) -> bool {
    match signature.nullability {
        Nullability::Propagates => arguments.iter().any(|arg| arg.expr.nullable),
        Nullability::Never => false,
        Nullability::Always => true,
        Nullability::EveryArgument => arguments.iter().all(|arg| arg.expr.nullable),
    }
}
