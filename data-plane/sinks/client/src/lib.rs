//! The session sink: application consumers with credit and acknowledgement.
