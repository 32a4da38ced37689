//! `Debug` of the messages that carry secrets or files: names and sizes, never the text itself.

use std::fmt::{Debug, Formatter, Result};

use crate::{v1, worker};

impl Debug for v1::ExecuteRequest {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("ExecuteRequest")
            .field("script_bytes", &self.script.len())
            .field("domain", &self.domain)
            .field("file", &self.file)
            .finish()
    }
}

impl Debug for v1::ValidateRequest {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("ValidateRequest")
            .field("script_bytes", &self.script.len())
            .field("domain", &self.domain)
            .field("file", &self.file)
            .finish()
    }
}

impl Debug for v1::CompleteRequest {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("CompleteRequest")
            .field("script_bytes", &self.script.len())
            .field("cursor", &self.cursor)
            .field("domain", &self.domain)
            .finish()
    }
}

impl Debug for v1::UploadResourceRequest {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("UploadResourceRequest")
            .field("body", &self.body)
            .finish()
    }
}

impl Debug for v1::upload_resource_request::Body {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Begin(begin) => f.debug_tuple("Begin").field(begin).finish(),
            Self::File(file) => f.debug_tuple("File").field(file).finish(),
            Self::Chunk(chunk) => f.debug_struct("Chunk").field("bytes", &chunk.len()).finish(),
            Self::End(end) => f.debug_tuple("End").field(end).finish(),
        }
    }
}

impl Debug for worker::v1::Assignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("Assignment")
            .field("entity", &self.entity)
            .field("generation", &self.generation)
            .field("statements", &self.statements.len())
            .finish()
    }
}

impl Debug for worker::v1::Domain {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("Domain")
            .field("name", &self.name)
            .field("statement", &self.statement)
            .field("running", &self.running)
            .field("run_generation", &self.run_generation)
            .field("started_at_ns", &self.started_at_ns)
            .field("start_domain_time_ns", &self.start_domain_time_ns)
            .field("time_rate", &self.time_rate)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        v1::{CompleteRequest, UploadResourceRequest, upload_resource_request::Body},
        worker::v1::{Assignment, Domain},
    };

    #[test]
    fn debug_shows_neither_statements_nor_keys() {
        let assignment = Assignment {
            statements: vec!["hunter2".into()],
            ..Assignment::default()
        };
        assert!(!format!("{assignment:?}").contains("hunter2"));
        let domain = Domain {
            fingerprint_key: b"\x01\x02hunter2".to_vec(),
            ..Domain::default()
        };
        assert!(!format!("{domain:?}").contains("fingerprint_key"));
        let unfinished = CompleteRequest {
            script: "CONFIG {'password' = 'hunter2".into(),
            ..CompleteRequest::default()
        };
        assert!(!format!("{unfinished:?}").contains("hunter2"));
        let chunk = Body::Chunk(b"hunter2".to_vec().into());
        let upload = format!("{:?}", UploadResourceRequest { body: Some(chunk) });
        assert!(upload.contains("bytes: 7"), "{upload}");
    }
}
