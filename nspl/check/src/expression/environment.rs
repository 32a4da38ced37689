//! What an expression may read, by the place where it stands (companion section 5, rulings section 3).

use std::collections::BTreeMap;

use nspl_model::{DataType, Field, FieldRef, Scope};
use nspl_syntax::{Name, Span};

use super::Record;
use crate::Diagnostic;
use crate::rules;

/// Where expressions stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// WHERE of a source, or FILTER WHERE of an ingestor.
    SourceFilter,
    /// A SET item of a route.
    Set,
    /// WHERE of a route, and the keys of its branch.
    Finished,
    /// What reads the source row where no record is constructed: direct emitters, and WITHOUT BODY.
    SourceRow,
    /// FIFO GROUP of an emitter.
    OrderingGroup,
    /// A SET item of an error route.
    ErrorRoute,
    /// A constant.
    Constant,
}

/// The schema of a scope; `None` when a fault hides it, so that nothing is said about its fields.
pub(crate) type Row<'a> = Option<&'a Record<'a>>;

/// The record under construction.
#[derive(Clone, Copy)]
pub(crate) enum Output<'a> {
    /// The place has none.
    None,
    /// Some fields are set: one flag per field, in the schema's order.
    Building(Row<'a>, &'a [bool]),
    /// All that will be set is set.
    Finished(Row<'a>),
}

/// The states that the definition depends on, by their relays; `None` when a fault hides the schema.
pub(crate) type States<'a> = BTreeMap<&'a str, Option<Record<'a>>>;

/// A definition that could have dependencies and has none.
pub(crate) const NO_STATES: &States<'static> = &BTreeMap::new();

/// What the expressions of one place may read.
pub(crate) struct Environment<'a> {
    pub(crate) place: Place,
    pub(crate) input: Row<'a>,
    pub(crate) output: Output<'a>,
    /// `None`: such a definition has no dependencies.
    pub(crate) states: Option<&'a States<'a>>,
    /// Error routes: what was under construction, when something is.
    pub(crate) partial_output: Output<'a>,
    /// Error routes: the columns of the error.
    pub(crate) error: Row<'a>,
}

/// A column that was found.
pub(crate) struct Found {
    pub(crate) field_ref: FieldRef,
    pub(crate) data_type: DataType,
    pub(crate) nullable: bool,
    pub(crate) sensitive: bool,
}

/// `None`: something is wrong that has been reported elsewhere.
type Refusal = Option<Box<Diagnostic>>;

impl<'a> Environment<'a> {
    /// An environment in which nothing can be read.
    pub(crate) fn constant() -> Environment<'static> {
        Environment {
            place: Place::Constant,
            input: None,
            output: Output::None,
            states: Some(NO_STATES),
            partial_output: Output::None,
            error: None,
        }
    }

    /// What reads the source row alone, beside the states of relays.
    pub(crate) fn source_row(input: Row<'a>, states: Option<&'a States<'a>>) -> Environment<'a> {
        Environment {
            place: Place::SourceRow,
            input,
            output: Output::None,
            states,
            partial_output: Output::None,
            error: None,
        }
    }

    /// Resolves a bare or dotted name.
    pub(crate) fn find(&self, path: &[Name], span: Span) -> Result<Found, Refusal> {
        if self.place == Place::Constant {
            return refuse(rules::constant_expected::fault(span));
        }
        match path {
            [field] => self.working(field, span, None),
            [scope, field] => match scope.text.as_str() {
                "input" => self.field(Scope::Input, self.input, field),
                "output" => self.output(field, span),
                "message" if self.place != Place::OrderingGroup => self.working(field, span, Some("message")),
                "error" if self.place == Place::ErrorRoute => self.field(Scope::Error, self.error, field),
                "partial_output" if self.place == Place::ErrorRoute => self.attempted(field, span),
                "relay_state" if self.states.is_none() => refuse(rules::scope::state_in_ingestor(span)),
                "relay_state" => refuse(rules::scope::state_needs_relay(span)),
                other => refuse(rules::scope::fault(span, other, self.place)),
            },
            [scope, relay, field] if scope.text == "relay_state" => self.state(relay, field, span),
            [scope, ..] => refuse(rules::scope::fault(span, &scope.text, self.place)),
            [] => Err(None),
        }
    }

    fn field(&self, scope: Scope, row: Row<'_>, name: &Name) -> Result<Found, Refusal> {
        let record = row.ok_or(None)?;
        match record.find(&name.text) {
            Some((index, field)) => Ok(found(scope, index, field)),
            None => refuse(rules::unknown_field::fault(name, record)),
        }
    }

    fn output(&self, name: &Name, span: Span) -> Result<Found, Refusal> {
        match self.output {
            Output::None => refuse(rules::scope::fault(span, "output", self.place)),
            Output::Finished(row) => self.field(Scope::Output, row, name),
            Output::Building(row, set) => {
                let found = self.field(Scope::Output, row, name)?;
                if set.get(found.field_ref.index) == Some(&true) {
                    return Ok(found);
                }
                refuse(rules::output_not_set::fault(span, &name.text))
            }
        }
    }

    fn attempted(&self, name: &Name, span: Span) -> Result<Found, Refusal> {
        let (Output::Building(row, _) | Output::Finished(row)) = self.partial_output else {
            return refuse(rules::scope::nothing_attempted(span));
        };
        let mut found = self.field(Scope::PartialOutput, row, name)?;
        found.nullable = true;
        Ok(found)
    }

    /// `message.f` and bare names.
    fn working(&self, name: &Name, span: Span, qualifier: Option<&str>) -> Result<Found, Refusal> {
        match (self.place, self.output) {
            (Place::ErrorRoute, _) => refuse(rules::scope::unqualified(span, qualifier, &name.text)),
            (_, Output::None) => self.field(Scope::Input, self.input, name),
            (_, Output::Finished(row)) => {
                let output = row.ok_or(None)?;
                match output.find(&name.text) {
                    Some((index, field)) => Ok(found(Scope::Output, index, field)),
                    None => self.input_of_working(name, output),
                }
            }
            (_, Output::Building(row, set)) => {
                let output = row.ok_or(None)?;
                let Some((index, field)) = output.find(&name.text) else {
                    return self.input_of_working(name, output);
                };
                if set.get(index) == Some(&true) {
                    return Ok(found(Scope::Output, index, field));
                }
                let input = self.input.ok_or(None)?;
                match input.find(&name.text) {
                    Some((at, source)) if alike(source, field) => Ok(found(Scope::Input, at, source)),
                    Some((_, source)) => refuse(rules::output_not_set::ambiguous(span, source, field)),
                    None => refuse(rules::output_not_set::fault(span, &name.text)),
                }
            }
        }
    }

    fn input_of_working(&self, name: &Name, output: &Record<'_>) -> Result<Found, Refusal> {
        let input = self.input.ok_or(None)?;
        match input.find(&name.text) {
            Some((index, field)) => Ok(found(Scope::Input, index, field)),
            None => refuse(rules::unknown_field::neither(name, input, output)),
        }
    }

    fn state(&self, relay: &Name, field: &Name, span: Span) -> Result<Found, Refusal> {
        if matches!(self.place, Place::SourceFilter | Place::OrderingGroup) {
            return refuse(rules::scope::fault(span, "relay_state", self.place));
        }
        let Some(states) = self.states else {
            return refuse(rules::scope::state_in_ingestor(span));
        };
        match states.get(relay.text.as_str()) {
            Some(record) => {
                let scope = Scope::RelayState {
                    relay: relay.text.clone(),
                };
                self.field(scope, record.as_ref(), field)
            }
            None => refuse(rules::scope::no_dependency(relay)),
        }
    }
}

fn refuse<T>(fault: Diagnostic) -> Result<T, Refusal> {
    Err(Some(Box::new(fault)))
}

/// Exact-compatible: same type and nullability.
fn alike(a: &Field, b: &Field) -> bool {
    a.data_type == b.data_type && a.optional == b.optional
}

fn found(scope: Scope, index: usize, field: &Field) -> Found {
    Found {
        field_ref: FieldRef {
            scope,
            name: field.name.clone(),
            index,
        },
        data_type: field.data_type.clone(),
        nullable: field.optional,
        sensitive: field.sensitive,
    }
}
