//! Versions of resources that a statement leaves open: the latest is the one of its commit, and what is stored says so
//! (companion section 2, rulings section 3).

use std::sync::Arc;

use nspl_model::{CodecForm, Definition};
use nspl_syntax::codec::CodecForm as TreeForm;
use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::quantity::Whole;
use nspl_syntax::resource::Version;

/// The tree with the versions of its definition; `None` when it says them already, or they are not known.
pub(super) fn pin(tree: &Tree, definition: &Definition) -> Option<Arc<Tree>> {
    let mut pinned = tree.clone();
    match (&mut pinned, definition) {
        (Tree::Codec(tree), Definition::Codec(codec)) => match (&mut tree.form, &codec.form) {
            (TreeForm::Protobuf(tree), CodecForm::Protobuf(protobuf)) if tree.version.is_none() => {
                tree.version = Some(number(protobuf.version?));
            }
            _ => return None,
        },
        (Tree::Client(tree), Definition::Client(client)) => match (&mut tree.mount, &client.mount) {
            (Some(tree), Some(mount)) if tree.version == Version::Latest => {
                tree.version = number(mount.version?);
            }
            _ => return None,
        },
        _ => return None,
    }
    Some(Arc::new(pinned))
}

fn number(version: u64) -> Version {
    Version::Number(Whole::new(version))
}
