//! Writes the descriptor of the public packages that `tests/compatibility.rs` compares with:
//! `cargo run -p nervix-proto --example descriptors`. Run it after an addition to nervix.v1 or nervix.client.v1.

use std::{error::Error, fs, path::Path};

use prost::Message;
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn Error>> {
    let mut set = FileDescriptorSet::decode(nervix_proto::FILE_DESCRIPTOR_SET)?;
    set.file
        .retain(|file| matches!(file.package(), "nervix.v1" | "nervix.client.v1"));
    for file in &mut set.file {
        file.source_code_info = None;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("descriptors/public.binpb");
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, set.encode_to_vec())?;
    Ok(())
}
