//! The rules of the checker, one a file: code, sentence, example of each side, and how a breach is said.

pub(crate) mod ack_timeout;
pub(crate) mod alter;
pub(crate) mod always_fails;
pub(crate) mod argument_count;
pub(crate) mod argument_type;
pub(crate) mod array;
pub(crate) mod array_size;
pub(crate) mod backoff;
pub(crate) mod barred_in_transaction;
pub(crate) mod batch_codec;
pub(crate) mod batch_presence;
pub(crate) mod batch_size;
pub(crate) mod body;
pub(crate) mod body_missing;
pub(crate) mod branch_compatibility;
pub(crate) mod branch_key_type;
pub(crate) mod branching;
pub(crate) mod breaks_user;
pub(crate) mod cast;
pub(crate) mod client_address;
pub(crate) mod client_file;
pub(crate) mod client_key;
pub(crate) mod client_kind;
pub(crate) mod client_masked;
pub(crate) mod client_missing_key;
pub(crate) mod client_mount;
pub(crate) mod client_of_kind;
pub(crate) mod client_pair;
pub(crate) mod client_pool;
pub(crate) mod client_tls;
pub(crate) mod client_value;
pub(crate) mod codec_emits;
pub(crate) mod conflict_form;
pub(crate) mod conflict_target;
pub(crate) mod constant_expected;
pub(crate) mod dependency_relay;
pub(crate) mod direct_construction;
pub(crate) mod domain_not_empty;
pub(crate) mod doubled_field;
pub(crate) mod doubled_source;
pub(crate) mod doubled_target;
pub(crate) mod duplicate_name;
pub(crate) mod error_ring;
pub(crate) mod existing_differs;
pub(crate) mod external_key;
pub(crate) mod external_name;
pub(crate) mod fifo_branch;
pub(crate) mod fifo_group;
pub(crate) mod fifo_group_text;
pub(crate) mod files_unjudged;
pub(crate) mod function_name;
pub(crate) mod header_bounds;
pub(crate) mod header_call;
pub(crate) mod header_text;
pub(crate) mod http_method;
pub(crate) mod http_path;
pub(crate) mod http_timeout;
pub(crate) mod iceberg_location;
pub(crate) mod in_use;
pub(crate) mod ingest_codec;
pub(crate) mod ingest_mode;
pub(crate) mod inherit;
pub(crate) mod invoke;
pub(crate) mod jaq_clauses;
pub(crate) mod jaq_program;
pub(crate) mod jaq_reach;
pub(crate) mod json;
pub(crate) mod kind_available;
pub(crate) mod literal_fits;
pub(crate) mod missing_reference;
pub(crate) mod mode_form;
pub(crate) mod nested_begin;
pub(crate) mod no_domain;
pub(crate) mod no_transaction;
pub(crate) mod null_comparison;
pub(crate) mod nullable_value;
pub(crate) mod open_transaction;
pub(crate) mod operand_types;
pub(crate) mod operator_type;
pub(crate) mod otel_constant;
pub(crate) mod otel_histogram;
pub(crate) mod otel_key;
pub(crate) mod otel_missing_key;
pub(crate) mod otel_resource;
pub(crate) mod otel_type;
pub(crate) mod output_not_set;
pub(crate) mod pattern;
pub(crate) mod protobuf_config;
pub(crate) mod protobuf_files;
pub(crate) mod protobuf_message;
pub(crate) mod range;
pub(crate) mod read_otherwise;
pub(crate) mod resource_version;
pub(crate) mod rfc3339;
pub(crate) mod scope;
pub(crate) mod sensitive_value;
pub(crate) mod several_statements;
pub(crate) mod sink_codec;
pub(crate) mod source_schemas;
pub(crate) mod start;
pub(crate) mod state_available;
pub(crate) mod syslog_schema;
pub(crate) mod unknown_domain;
pub(crate) mod unknown_entity;
pub(crate) mod unknown_field;
pub(crate) mod unset_field;
pub(crate) mod unsupported;
pub(crate) mod untyped_null;
pub(crate) mod upload_folder;
pub(crate) mod values_missing;
pub(crate) mod wire_field;
pub(crate) mod wire_optional;
pub(crate) mod wire_pair;
pub(crate) mod wire_type;
pub(crate) mod without_body;
pub(crate) mod wrong_type;

use crate::rule::Rule;

/// The script of the catalog in which the examples of the rules stand; it makes the domain `d`.
pub const EXAMPLE_CATALOG: &str = include_str!("rules/examples.nspl");

/// Every rule, by code. Rules without examples depend on more than a script; they have tests of their own.
pub const RULES: [&Rule; 115] = [
    &missing_reference::RULE,
    &duplicate_name::RULE,
    &unknown_entity::RULE,
    &in_use::RULE,
    &no_domain::RULE,
    &unknown_domain::RULE,
    &domain_not_empty::RULE,
    &breaks_user::RULE,
    &doubled_field::RULE,
    &array_size::RULE,
    &several_statements::RULE,
    &nested_begin::RULE,
    &barred_in_transaction::RULE,
    &open_transaction::RULE,
    &no_transaction::RULE,
    &start::RULE,
    &range::RULE,
    &backoff::RULE,
    &doubled_source::RULE,
    &source_schemas::RULE,
    &branch_compatibility::RULE,
    &error_ring::RULE,
    &mode_form::RULE,
    &ack_timeout::RULE,
    &batch_presence::RULE,
    &batch_size::RULE,
    &body::RULE,
    &invoke::RULE,
    &dependency_relay::RULE,
    &inherit::RULE,
    &unset_field::RULE,
    &doubled_target::RULE,
    &branching::RULE,
    &branch_key_type::RULE,
    &ingest_mode::RULE,
    &ingest_codec::RULE,
    &kind_available::RULE,
    &alter::RULE,
    &state_available::RULE,
    &client_of_kind::RULE,
    &body_missing::RULE,
    &codec_emits::RULE,
    &sink_codec::RULE,
    &batch_codec::RULE,
    &without_body::RULE,
    &external_name::RULE,
    &header_call::RULE,
    &header_text::RULE,
    &header_bounds::RULE,
    &fifo_group::RULE,
    &fifo_branch::RULE,
    &fifo_group_text::RULE,
    &http_method::RULE,
    &http_path::RULE,
    &http_timeout::RULE,
    &direct_construction::RULE,
    &values_missing::RULE,
    &external_key::RULE,
    &conflict_form::RULE,
    &conflict_target::RULE,
    &otel_key::RULE,
    &otel_missing_key::RULE,
    &otel_type::RULE,
    &otel_constant::RULE,
    &otel_histogram::RULE,
    &otel_resource::RULE,
    &iceberg_location::RULE,
    &unknown_field::RULE,
    &scope::RULE,
    &output_not_set::RULE,
    &wrong_type::RULE,
    &operand_types::RULE,
    &operator_type::RULE,
    &untyped_null::RULE,
    &literal_fits::RULE,
    &function_name::RULE,
    &argument_count::RULE,
    &argument_type::RULE,
    &cast::RULE,
    &always_fails::RULE,
    &nullable_value::RULE,
    &sensitive_value::RULE,
    &json::RULE,
    &pattern::RULE,
    &array::RULE,
    &constant_expected::RULE,
    &client_kind::RULE,
    &client_key::RULE,
    &client_missing_key::RULE,
    &client_value::RULE,
    &client_address::RULE,
    &client_pair::RULE,
    &client_tls::RULE,
    &client_pool::RULE,
    &client_mount::RULE,
    &client_masked::RULE,
    &client_file::RULE,
    &wire_type::RULE,
    &wire_field::RULE,
    &wire_pair::RULE,
    &wire_optional::RULE,
    &rfc3339::RULE,
    &jaq_clauses::RULE,
    &jaq_program::RULE,
    &jaq_reach::RULE,
    &protobuf_config::RULE,
    &resource_version::RULE,
    &protobuf_files::RULE,
    &protobuf_message::RULE,
    &syslog_schema::RULE,
    &upload_folder::RULE,
    &existing_differs::RULE,
    &files_unjudged::RULE,
    &read_otherwise::RULE,
    &null_comparison::RULE,
];

/// Rules that find something missing, or two places that do not go together: what is at fault may be another place than
/// the one that is told.
const RELATIONS: [&Rule; 16] = [
    &ack_timeout::RULE,
    &unset_field::RULE,
    &otel_missing_key::RULE,
    &iceberg_location::RULE,
    &output_not_set::RULE,
    &client_pair::RULE,
    &client_mount::RULE,
    &jaq_clauses::RULE,
    &batch_presence::RULE,
    &body_missing::RULE,
    &values_missing::RULE,
    &client_missing_key::RULE,
    &rfc3339::RULE,
    &conflict_target::RULE,
    &fifo_branch::RULE,
    &scope::RULE,
];

/// Whether a fault is one of such a rule, and nobody can tell where the other place is not known.
pub(crate) fn is_relation(code: &str) -> bool {
    RELATIONS.iter().any(|rule| rule.code == code)
}

#[cfg(test)]
mod tests;
