//! Versions of resources: which blobs hold which files.

/// One version of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResourceVersion {
    /// Lower-case hexadecimal SHA-256 over the files in the order of their paths.
    pub(crate) checksum: String,
    /// The blob that holds the files' bytes, one after the other.
    pub(crate) blob: String,
    /// In the order of their bytes in the blob, that in which they were sent.
    pub(crate) files: Vec<ResourceFile>,
}

/// One file of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResourceFile {
    /// Relative, `/` between parts, no `.` or `..`, no control characters.
    pub(crate) path: String,
    pub(crate) size_bytes: u64,
}

impl ResourceVersion {
    pub(crate) fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).sum()
    }

    /// First line: checksum and blob; then for each file its size and its path.
    pub(crate) fn write(&self) -> String {
        let files: String = self
            .files
            .iter()
            .map(|file| format!("{} {}\n", file.size_bytes, file.path))
            .collect();
        format!("{} {}\n{files}", self.checksum, self.blob)
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(bytes).ok()?.split_terminator('\n');
        let (checksum, blob) = lines.next()?.split_once(' ')?;
        let files = lines.map(|line| {
            let (size, path) = line.split_once(' ')?;
            Some(ResourceFile {
                path: path.into(),
                size_bytes: size.parse().ok()?,
            })
        });
        Some(Self {
            checksum: checksum.into(),
            blob: blob.into(),
            files: files.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ResourceFile, ResourceVersion};

    #[test]
    fn a_version_reads_back() {
        let file = |path: &str, size_bytes| ResourceFile {
            path: path.into(),
            size_bytes,
        };
        let version = ResourceVersion {
            checksum: "ab".repeat(32),
            blob: "resource-1".into(),
            files: vec![file("a b/ä.proto", 3), file("z", 0)],
        };
        assert_eq!(ResourceVersion::read(version.write().as_bytes()), Some(version));
    }
}
