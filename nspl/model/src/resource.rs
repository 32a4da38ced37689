//! Resources: versioned folders of files (companion section 2). Their versions are kept beside the catalog.

/// A RESOURCE definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceDef {
    /// Name in the domain.
    pub name: String,
}
