//! The .proto files of a codec compile (rulings section 3).

use nspl_protobuf::Fault;
use nspl_syntax::codec::Protobuf;

use crate::Diagnostic;
use crate::rule::Rule;

/// The rule; who sends folders looks for its code before anything is sent.
pub const RULE: Rule = Rule {
    code: "E1511",
    title: "The .proto files of a protobuf codec compile",
    fails: "",
    passes: "",
};

/// The fault names its file and line by itself.
pub(crate) fn fault(tree: &Protobuf, fault: &Fault) -> Diagnostic {
    RULE.fault(
        tree.config.span,
        format!(
            "the files of RESOURCE {} do not compile: {fault}",
            tree.resource.text
        ),
    )
    .help(format!(
        "correct that file and upload the folder again: UPLOAD RESOURCE {} VERSION 'folder'",
        tree.resource.text
    ))
}
