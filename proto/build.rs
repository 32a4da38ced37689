//! Compiles the protocol files with protox, so that no protoc is needed, and generates the Rust code of `nervix-proto`.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

const FILES: [&str; 3] = [
    "nervix/v1/control.proto",
    "nervix/client/v1/flight.proto",
    "nervix/worker/v1/worker.proto",
];

/// Messages that carry secrets or files: their `Debug` is written by hand and shows neither.
const REDACTED: [&str; 6] = [
    ".nervix.v1.ExecuteRequest",
    ".nervix.v1.ValidateRequest",
    ".nervix.v1.CompleteRequest",
    ".nervix.v1.UploadResourceRequest",
    ".nervix.worker.v1.Assignment",
    ".nervix.worker.v1.Domain",
];

fn main() -> Result<(), Box<dyn Error>> {
    for file in FILES {
        println!("cargo:rerun-if-changed={file}");
    }
    let descriptors = protox::compile(FILES, ["."])?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    fs::write(out.join("nervix.binpb"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure()
        .bytes(".nervix.v1.UploadResourceRequest")
        .skip_debug(REDACTED)
        .compile_fds(descriptors)?;
    Ok(())
}
