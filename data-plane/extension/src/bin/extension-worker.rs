//! An extension worker alone, without the executable that it is a subcommand of: what tests and benches start.

use std::process::ExitCode;

/// That of the executable that it stands for: limits of memory are a matter of the allocator, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let memory = match arguments.as_slice() {
        [_, subcommand, option, bytes] if subcommand == "extension-worker" && option == "--memory" => {
            bytes.parse().ok()
        }
        _ => None,
    };
    match memory.map(nervix_extension::serve) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(_)) | None => ExitCode::FAILURE,
    }
}
