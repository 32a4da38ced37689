//! INVOKE: the header writes of each record (`emitters.txt`, "Header invocations" and "HTTP requests").
//!
//! The calls run from left to right over the finished records. What they write is staged: a record of which one call
//! fails has no headers at all, and runs no later call.
//!
//! Invariant: each row that is looked at either has all its headers or failed once; no message quotes a name or a value.
//! Deliberately absent: sending, and the judgement of destinations about the payload beside the headers.

use arrow::buffer::BooleanBuffer;
use nspl_model::{HeaderForm, HeaderOverflow, HeaderRule, HeaderTally, HeaderWrite};

use crate::external_text::{ExternalText, Texts};
use crate::failure::{Failure, FailureSite};
use crate::frame::Frame;
use crate::program::CompileError;
use crate::survivors::Survivors;

#[cfg(test)]
mod tests;

/// Compiled header writes.
#[derive(Debug, Clone)]
pub struct Headers {
    calls: Vec<Call>,
    rule: HeaderRule,
    form: HeaderForm,
}

#[derive(Debug, Clone)]
struct Call {
    name: ExternalText,
    value: ExternalText,
}

/// What was staged of the rows of one frame.
#[derive(Debug, Clone)]
pub struct Envelopes {
    /// One bit for each row of the frame: whether it has its headers. `None`: every row has.
    pub kept: Option<BooleanBuffer>,
    /// The rows that failed, ascending.
    pub failures: Vec<Failure>,
    written: Vec<(Texts, Texts)>,
    rule: HeaderRule,
    form: HeaderForm,
}

impl Headers {
    /// Compiles the calls of INVOKE; `rule` and `form` are the destination's.
    ///
    /// # Errors
    /// When a name or a value is no STRING or does not compile, or the destination takes no headers.
    pub fn compile(writes: &[HeaderWrite], rule: HeaderRule, form: HeaderForm) -> Result<Self, CompileError> {
        if rule == HeaderRule::Refused && !writes.is_empty() {
            return Err(CompileError::Unsupported {
                operation: "write_header",
            });
        }
        let mut calls = Vec::with_capacity(writes.len());
        for (index, write) in writes.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let site = FailureSite::of_header(index, &write.name, &write.value);
            calls.push(Call {
                name: ExternalText::compile(&write.name, site.clone())?,
                value: ExternalText::compile(&write.value, site)?,
            });
        }
        Ok(Self { calls, rule, form })
    }

    /// Runs the calls for the rows that `among` names, `None` for all. The frame has the finished records as its
    /// output, row for row with their source rows; without a body it has the source rows alone.
    pub fn stage(&self, frame: &Frame<'_>, among: Option<&BooleanBuffer>) -> Envelopes {
        let mut survivors = Survivors::new(frame.rows, among);
        let mut written = Vec::with_capacity(self.calls.len());
        let mut bytes = vec![
            0;
            if self.form.bounds().is_some() {
                frame.rows
            } else {
                0
            }
        ];
        for call in &self.calls {
            let name = call.name.evaluate(frame, &mut survivors);
            let value = call.value.evaluate(frame, &mut survivors);
            call.name
                .judge(&name, &mut survivors, |name| self.form.name_fault(name));
            call.value
                .judge(&value, &mut survivors, |value| self.form.value_fault(value));
            written.push((name, value));
            self.bound(call, &written, &mut bytes, &mut survivors);
        }
        let (kept, failures) = survivors.finish();
        Envelopes {
            kept,
            failures,
            written,
            rule: self.rule,
            form: self.form,
        }
    }

    /// Fails the rows in which the last write crosses a bound. `bytes` is what each row wrote, replaced values included:
    /// only where even that is too much is it worth the time to replace them.
    fn bound(&self, call: &Call, written: &[(Texts, Texts)], bytes: &mut [usize], survivors: &mut Survivors) {
        let (Some(bounds), Some((name, value))) = (self.form.bounds(), written.last()) else {
            return;
        };
        let mut failures = Vec::new();
        for (row, bytes) in bytes.iter_mut().enumerate() {
            if !survivors.lives(row) {
                continue;
            }
            *bytes = bytes.saturating_add(name.get(row).len() + value.get(row).len());
            if written.len() <= bounds.count && *bytes <= bounds.bytes {
                continue;
            }
            if let Err(overflow) = tally(self.form, written, row) {
                failures.push(call.name.refusal(row, overflow.to_string()));
            }
        }
        survivors.fail(failures);
    }
}

fn tally(form: HeaderForm, written: &[(Texts, Texts)], row: usize) -> Result<(), HeaderOverflow> {
    let mut tally = HeaderTally::new(form);
    let mut outcome = Ok(());
    for (name, value) in written {
        // Earlier writes were within the bounds when they were made.
        outcome = tally.write(name.get(row), value.get(row).len());
    }
    outcome
}

impl Envelopes {
    /// The headers of a row, names and values in written order; where the last write wins, each name stands once, at
    /// the place of its first write. `None` for a row that failed or was not looked at.
    pub fn row(&self, row: usize) -> Option<Vec<(&str, &str)>> {
        if self.kept.as_ref().is_some_and(|kept| !kept.value(row)) {
            return None;
        }
        let mut headers: Vec<(&str, &str)> = Vec::with_capacity(self.written.len());
        for (name, value) in &self.written {
            let (name, value) = (name.get(row), value.get(row));
            let earlier = headers
                .iter_mut()
                .find(|(known, _)| self.rule == HeaderRule::LastWins && self.form.same_name(known, name));
            match earlier {
                Some(header) => header.1 = value,
                None => headers.push((name, value)),
            }
        }
        Some(headers)
    }

    /// Whether two rows that have their headers wrote the same ones, in the same order.
    pub fn same(&self, row: usize, other: usize) -> bool {
        let alike = |texts: &Texts| texts.same_everywhere().is_some() || texts.get(row) == texts.get(other);
        self.written
            .iter()
            .all(|(name, value)| alike(name) && alike(value))
    }

    /// Whether every row that has its headers wrote the same ones.
    pub fn same_everywhere(&self) -> bool {
        let alike = |texts: &Texts| texts.same_everywhere().is_some();
        self.written
            .iter()
            .all(|(name, value)| alike(name) && alike(value))
    }
}
