//! Calls: arguments are evaluated, their errors joined, and the function's kernel runs over what they gave.

use std::fmt;

use arrow::datatypes::{DataType as ArrowType, Float64Type, Int64Type};
use arrow::error::ArrowError;
use nspl_model::{DataType, Function};

use crate::row_errors::RowErrors;

use super::super::CompileError;
use super::super::context::Context;
use super::super::node::{Node, uniformly};
use super::super::operand::{Numbers, Texts};
use super::super::value::{Outcome, Value, wrong_type};
use super::entry;
use super::regexp::patterns::Patterns;

/// What a function does with the values of its arguments.
pub(in crate::program) type Kernel = fn(&Args<'_>) -> Result<Outcome, ArrowError>;

/// A compiled call.
pub(in crate::program) struct Call {
    function: Function,
    kernel: Kernel,
    args: Vec<Node>,
    site: u32,
    patterns: Patterns,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("function", &self.function)
            .field("args", &self.args)
            .finish_non_exhaustive()
    }
}

impl Call {
    /// A call whose number of arguments is already judged.
    pub(in crate::program) fn new(
        function: Function,
        args: Vec<Node>,
        site: u32,
        _result: &DataType,
    ) -> Result<Self, CompileError> {
        let entry = entry(function).ok_or(CompileError::Unsupported {
            operation: function.name(),
        })?;
        Ok(Self {
            function,
            kernel: entry.kernel,
            args,
            site,
            patterns: Patterns::default(),
        })
    }
}

/// What a kernel reads.
pub(in crate::program) struct Args<'a> {
    pub(super) values: &'a [Value],
    pub(super) context: &'a Context<'a>,
    pub(super) name: &'static str,
    pub(super) site: u32,
    pub(super) patterns: &'a Patterns,
}

impl<'a> Args<'a> {
    /// Any argument.
    pub(super) fn value(&self, index: usize) -> Result<&'a Value, ArrowError> {
        self.values.get(index).ok_or_else(wrong_type)
    }

    /// A STRING argument.
    pub(super) fn text(&self, index: usize) -> Result<Texts<'a>, ArrowError> {
        Texts::of(self.value(index)?)
    }

    /// A STRING argument that may be left out.
    pub(super) fn text_if_given(&self, index: usize) -> Result<Option<Texts<'a>>, ArrowError> {
        self.values.get(index).map(Texts::of).transpose()
    }

    /// An I64 argument.
    pub(super) fn count(&self, index: usize) -> Result<Numbers<'a, Int64Type>, ArrowError> {
        Numbers::of(self.value(index)?)
    }

    /// A numeric argument of any type, as F64, rounded.
    pub(super) fn real(&self, index: usize) -> Result<Value, ArrowError> {
        let value = self.value(index)?;
        let array = arrow::compute::cast(value.array(), &ArrowType::Float64)?;
        Ok(if value.is_constant() {
            Value::Constant(array)
        } else {
            Value::Rows(array)
        })
    }
}

/// The rows of a value made by [`Args::real`].
pub(super) fn reals(value: &Value) -> Result<Numbers<'_, Float64Type>, ArrowError> {
    Numbers::of(value)
}

/// Evaluates a call.
pub(in crate::program) fn evaluate_call(call: &Call, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    let mut errors = RowErrors::default();
    let mut values = Vec::with_capacity(call.args.len());
    for arg in &call.args {
        let arg = arg.evaluate(context)?;
        errors = errors.merge(arg.errors);
        values.push(arg.value);
    }
    let run = |context: &Context<'_>| {
        (call.kernel)(&Args {
            values: &values,
            context,
            name: call.function.name(),
            site: call.site,
            patterns: &call.patterns,
        })
    };
    let outcome = if matches!(call.function, Function::UuidV4 | Function::UuidV7) {
        // Without arguments, yet of a value of its own in each row.
        run(context)?
    } else {
        uniformly(&values.iter().collect::<Vec<_>>(), context, run)?
    };
    Ok(outcome.after(errors))
}
