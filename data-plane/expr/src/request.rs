//! METHOD and PATH of each record (`emitters.txt`, "HTTP request configuration" and "HTTP requests").
//!
//! Invariant: each row that is looked at either has both fields or failed once, the method before the path; no message
//! quotes a method or a path. A target that is kept is the normal form that is sent.
//! Deliberately absent: headers, which [`Headers`](crate::Headers) write afterwards, bodies, and sending.

use std::borrow::Cow;

use arrow::array::StringBuilder;
use arrow::buffer::BooleanBuffer;
use nspl_model::Expr;
use nspl_model::http::{Origin, is_bodiless, method_fault};

use crate::external_text::{ExternalText, Texts};
use crate::failure::{Failure, FailureSite};
use crate::frame::Frame;
use crate::program::CompileError;
use crate::survivors::Survivors;

#[cfg(test)]
mod tests;

/// Said of a method that has no body beside a codec.
const BODILESS: &str = "GET and HEAD carry no body";

/// The compiled fields.
#[derive(Debug, Clone)]
pub struct RequestFields {
    method: ExternalText,
    path: ExternalText,
    origin: Origin,
    has_body: bool,
}

/// The fields of the rows of one frame.
#[derive(Debug, Clone)]
pub struct Requests {
    /// One bit for each row of the frame: whether it has its fields. `None`: every row has.
    pub kept: Option<BooleanBuffer>,
    /// The rows that failed, ascending.
    pub failures: Vec<Failure>,
    methods: Texts,
    targets: Texts,
}

impl RequestFields {
    /// Compiles the fields of requests to `origin`; `has_body` says whether a codec makes one.
    ///
    /// # Errors
    /// When one of them is no STRING or does not compile.
    pub fn compile(method: &Expr, path: &Expr, origin: Origin, has_body: bool) -> Result<Self, CompileError> {
        Ok(Self {
            method: ExternalText::compile(method, FailureSite::of_request_field("method", method))?,
            path: ExternalText::compile(path, FailureSite::of_request_field("path", path))?,
            origin,
            has_body,
        })
    }

    /// Evaluates the fields of the rows that `among` names, `None` for all. The frame is that of
    /// [`Headers::stage`](crate::Headers::stage).
    pub fn evaluate(&self, frame: &Frame<'_>, among: Option<&BooleanBuffer>) -> Requests {
        let mut survivors = Survivors::new(frame.rows, among);
        let methods = self.method.evaluate(frame, &mut survivors);
        self.method.judge(&methods, &mut survivors, |method| {
            let bodiless = self.has_body && is_bodiless(method);
            method_fault(method).or(bodiless.then_some(BODILESS))
        });
        let paths = self.path.evaluate(frame, &mut survivors);
        let targets = self.targets(&paths, &mut survivors);
        let (kept, failures) = survivors.finish();
        Requests {
            kept,
            failures,
            methods,
            targets,
        }
    }

    fn targets(&self, paths: &Texts, survivors: &mut Survivors) -> Texts {
        if let Some(Ok(target)) = paths.same_everywhere().map(|path| self.origin.target(path)) {
            return Texts::same(&target);
        }
        let mut targets = StringBuilder::with_capacity(survivors.rows(), 0);
        let mut failures = Vec::new();
        for row in 0..survivors.rows() {
            let target = survivors.lives(row).then(|| self.origin.target(paths.get(row)));
            match target {
                Some(Ok(target)) => targets.append_value(target),
                Some(Err(fault)) => {
                    failures.push(self.path.refusal(row, Cow::Owned(fault.to_string())));
                    targets.append_null();
                }
                None => targets.append_null(),
            }
        }
        survivors.fail(failures);
        Texts::rows(targets.finish())
    }
}

impl Requests {
    /// The method and the normalized target of a row; `None` for one that failed or was not looked at.
    pub fn row(&self, row: usize) -> Option<(&str, &str)> {
        let kept = self.kept.as_ref().is_none_or(|kept| kept.value(row));
        kept.then(|| (self.methods.get(row), self.targets.get(row)))
    }
}
