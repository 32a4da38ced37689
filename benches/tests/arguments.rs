//! What `nervix-bench` takes for the name of a measurement.

use std::process::Command;

#[test]
fn a_name_that_is_no_measurement_is_refused_and_the_measurements_are_named() {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_nervix-bench"));
    let output = bench.args(["throughput", "target/release/nervix"]).output();
    let output = output.expect("the benchmark starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("'target/release/nervix'"), "{said}");
    assert!(
        said.contains("throughput, latency, memory, away, emitters, branches"),
        "{said}"
    );
    assert!(output.stdout.is_empty(), "nothing is measured then");
}
