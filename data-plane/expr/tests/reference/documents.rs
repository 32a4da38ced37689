//! JSON documents, and where paths lead in them: written out by hand, so that no reader of JSON is needed to know.

/// The documents.
pub(crate) const TEXTS: [&str; 8] = [
    r#"{"a": 1, "b": [true, "x\u00e9🦀", null], "t": "1969-12-31T23:59:59.5Z"}"#,
    r#"{"a": 18446744073709551615, "b": [1.5e0, -0.0, 1e400], "t": "2263-01-01T00:00:00Z"}"#,
    r#"{"a": 1e2, "a": 255.0, "b": [], "t": 5}"#,
    r#"{"a": "7", "b": {"0": 1}, "t": null}"#,
    "-129",
    "null",
    r#"{"a": 1"#,
    "",
];

/// The paths.
pub(crate) const PATHS: [&str; 6] = ["$", "$.a", "$.b[0]", "$.b[1]", "$.b[2]", "$[\"t\"]"];

/// What stands somewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Found {
    /// The document is none.
    NoJson,
    /// Nothing.
    Nothing,
    /// null.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number: the integer that it is, if it is one, and the float nearest to it.
    Number(Option<i128>, f64),
    /// A text.
    Text(&'static str),
    /// An object or an array.
    Nested,
}

/// What stands in the document at the path, by their places in [`TEXTS`] and [`PATHS`].
pub(crate) fn found(document: usize, path: usize) -> Found {
    use Found::{Bool, Nested, NoJson, Nothing, Null, Number, Text};
    let rows = [
        [
            Nested,
            Number(Some(1), 1.0),
            Bool(true),
            Text("xé🦀"),
            Null,
            Text("1969-12-31T23:59:59.5Z"),
        ],
        [
            Nested,
            Number(Some(u64::MAX as i128), u64::MAX as f64),
            Number(None, 1.5),
            Number(Some(0), -0.0),
            Number(None, f64::INFINITY),
            Text("2263-01-01T00:00:00Z"),
        ],
        [
            Nested,
            Number(Some(255), 255.0),
            Nothing,
            Nothing,
            Nothing,
            Number(Some(5), 5.0),
        ],
        [Nested, Text("7"), Nothing, Nothing, Nothing, Null],
        [
            Number(Some(-129), -129.0),
            Nothing,
            Nothing,
            Nothing,
            Nothing,
            Nothing,
        ],
        [Null, Nothing, Nothing, Nothing, Nothing, Nothing],
        [NoJson; 6],
        [NoJson; 6],
    ];
    rows[document][path]
}
