use std::collections::BTreeSet;

use super::{Function, Parameter};

#[test]
fn every_function_has_one_row_and_is_found_by_its_name_in_any_case() {
    let all: Vec<Function> = Function::all().collect();
    let distinct: BTreeSet<Function> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
    assert_eq!(all.len(), Function::LeakSensitive as usize + 1);
    for function in all {
        assert_eq!(
            Function::from_name(&function.name().to_uppercase()),
            Some(function)
        );
        assert!(function.signature().accepts(function.signature().required));
    }
    assert_eq!(Function::from_name("write_header"), None);
}

#[test]
fn a_variadic_function_repeats_its_last_parameter() {
    let concat = Function::Concat.signature();
    assert_eq!(concat.parameter(9), Some(Parameter::String));
    assert!(concat.accepts(12) && !concat.accepts(0));
    assert_eq!(Function::Lower.signature().parameter(1), None);
}
