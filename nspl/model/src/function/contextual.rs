//! Functions of the execution snapshot, and the one that lets sensitive values out.

use super::Function::{LeakSensitive, Now, UuidV4, UuidV7};
use super::Parameter::Any;
use super::ResultType::{DateTime, First, String};
use super::{Row, Signature};

pub(super) const ROWS: [Row; 4] = [
    (Now, "now", Signature::fixed(&[], DateTime)),
    (UuidV4, "uuid_v4", Signature::fixed(&[], String)),
    (UuidV7, "uuid_v7", Signature::fixed(&[], String)),
    (LeakSensitive, "leak_sensitive", Signature::fixed(&[Any], First)),
];
