//! The parts of a script that different sides carry out: statements go to the server, a folder goes from the client.

use std::ops::Range;

use nspl_syntax::Statement;

/// A part of a script, in written order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Statements between two UPLOAD RESOURCE.
    Statements {
        /// Bytes of the text, from the first statement to the last.
        span: Range<usize>,
        /// How many; BEGIN and COMMIT count, too.
        count: usize,
    },
    /// UPLOAD RESOURCE.
    Upload {
        /// The resource.
        resource: String,
        /// The folder as written: relative to the script's folder (rulings section 1).
        folder: String,
    },
}

/// Parts a script at its UPLOAD RESOURCE statements. Statements that cannot be read are in no part: judge the script first.
pub fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for statement in nspl_syntax::parse(text).statements {
        let range = statement.span.range();
        match (statement.node, parts.last_mut()) {
            (Statement::Upload(upload), _) => parts.push(Part::Upload {
                resource: upload.name.text,
                folder: upload.folder.value,
            }),
            (_, Some(Part::Statements { span, count })) => {
                span.end = range.end;
                *count += 1;
            }
            (_, _) => parts.push(Part::Statements {
                span: range,
                count: 1,
            }),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};

    #[test]
    fn a_script_is_parted_at_its_uploads() {
        let text = "USE d; CREATE RESOURCE r;\nUPLOAD RESOURCE r VERSION './ä'; upload resource r version 'b'; SHOW DOMAINS";
        let upload = |folder: &str| Part::Upload {
            resource: "r".into(),
            folder: folder.into(),
        };
        let found = parts(text);
        let [
            Part::Statements { span, count: 2 },
            first,
            second,
            Part::Statements { span: rest, count: 1 },
        ] = &found[..]
        else {
            panic!("{found:?}")
        };
        assert_eq!((first, second), (&upload("./ä"), &upload("b")));
        let begins = |span: &std::ops::Range<usize>, with: &str| {
            text.get(span.clone()).is_some_and(|part| part.starts_with(with))
        };
        assert!(begins(span, "USE d; CREATE RESOURCE r") && begins(rest, "SHOW DOMAINS"));
        assert!(parts("").is_empty());
    }
}
