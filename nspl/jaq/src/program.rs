//! A program from its text to its outputs.

use std::fmt;

use jaq_core::load::{Arena, Error, File, Loader, import};
use jaq_core::{Compiler, Ctx, Filter, Vars, unwrap_valr};
use jaq_json::Val;

use crate::fault::Fault;
use crate::library::{Kind, Surroundings, definitions, functions};
use crate::{Reason, fault};

/// The most bytes of a program.
pub const PROGRAM_BYTES_MAX: usize = 16 * 1024;

/// The stack on which programs are compiled: the compiler recurses with their nesting, which their length bounds.
const STACK_BYTES: usize = 512 * 1024 * 1024;

/// A compiled program; it can be run any number of times, also at once.
pub struct Program {
    filter: Filter<Kind>,
}

/// A run failed. It does not say why: the reason would quote what the program was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunError;

impl Program {
    /// Compiles a program.
    ///
    /// # Errors
    /// Of a text that is no program the first fault, else every name that is not there, in the order of their places; never
    /// none.
    pub fn compile(text: &str) -> Result<Program, Vec<Fault>> {
        if text.len() > PROGRAM_BYTES_MAX {
            return Err(vec![Fault {
                span: text.len()..text.len(),
                reason: Reason::TooLong,
            }]);
        }
        stacker::grow(STACK_BYTES, || compile(text)).map_err(|mut faults| {
            faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
            faults.dedup();
            faults
        })
    }

    /// The outputs for an input; `now_ns` is what `now` reads, in nanoseconds since the epoch. A run is lazy: what is not
    /// asked for is not computed.
    pub fn run(&self, input: Val, now_ns: i64) -> impl Iterator<Item = Result<Val, RunError>> + '_ {
        let surroundings = Surroundings {
            lut: &self.filter.lut,
            now: seconds(now_ns),
        };
        let context = Ctx::<Kind>::new(surroundings, Vars::new([]));
        let outputs = self.filter.id.run((context, input)).map(unwrap_valr);
        outputs.map(|output| output.map_err(|_| RunError))
    }
}

/// Shows no program.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Program")
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program failed")
    }
}

impl std::error::Error for RunError {}

fn compile(text: &str) -> Result<Program, Vec<Fault>> {
    let arena = Arena::default();
    let program = File { code: text, path: () };
    let modules = Loader::new(definitions())
        .load(&arena, program)
        .map_err(|errors| unreadable(text, &errors))?;
    import(&modules, |_| Err(String::new())).map_err(|errors| unreadable(text, &errors))?;
    let compiled = Compiler::default().with_funs(functions()).compile(modules);
    let filter = compiled.map_err(|errors| {
        let undefined = errors.iter().flat_map(|(_, errors)| errors);
        let faults = undefined.map(|(name, undefined)| Fault::undefined(text, name, undefined));
        faults.collect::<Vec<_>>()
    })?;
    Ok(Program { filter })
}

/// The first fault of a text that is no program: what follows from it is no news.
fn unreadable(text: &str, errors: &[(File<&str, ()>, Error<&str>)]) -> Vec<Fault> {
    let faults = errors.iter().flat_map(|(_, error)| match error {
        Error::Lex(errors) => errors
            .iter()
            .map(|error| Fault::lexical(text, error))
            .collect::<Vec<_>>(),
        Error::Parse(errors) => errors
            .iter()
            .map(|(expected, found)| Fault::syntax(text, found, fault::described(expected)))
            .collect(),
        Error::Io(errors) => errors.iter().map(|(path, _)| Fault::import(text, path)).collect(),
    });
    faults.min_by_key(|fault| fault.span.start).into_iter().collect()
}

fn seconds(nanos: i64) -> f64 {
    let whole = nanos.div_euclid(1_000_000_000);
    let rest = nanos.rem_euclid(1_000_000_000);
    #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
    let (whole, rest) = (whole as f64, rest as f64);
    whole + rest / 1e9
}
