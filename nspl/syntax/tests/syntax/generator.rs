//! Strategies that cover the whole grammar: every statement, clause and form of expression.

pub(crate) mod clause;
pub(crate) mod entity;
pub(crate) mod expression;
pub(crate) mod sink;
pub(crate) mod statement;

use nspl_syntax::quantity::{Duration, DurationUnit, Size, SizeUnit, Whole};
use nspl_syntax::{ExternalName, Name, Span, Spanned, Text};
use proptest::option;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

/// Identifiers, words of the language among them; `all` and what expressions reserve are left out.
pub(crate) fn name() -> BoxedStrategy<Name> {
    let words = [
        "batch", "mode", "flush", "FROM", "to", "where", "Set", "on", "with", "max", "schema", "values",
        "input",
    ];
    let free = "[a-z_][a-z0-9_]{0,6}".prop_filter("is free", |word| !RESERVED.contains(&word.as_str()));
    prop_oneof![3 => free, 1 => select(words.to_vec()).prop_map(str::to_owned)]
        .prop_map(Name::new)
        .boxed()
}

const RESERVED: [&str; 15] = [
    "if", "case", "when", "then", "else", "end", "and", "or", "not", "as", "true", "false", "null", "all",
    "is",
];

pub(crate) fn string() -> BoxedStrategy<String> {
    prop_oneof![
        "[a-z ./{}=-]{0,8}",
        "[a-z'\"\\\\;\n-]{0,6}",
        Just("/* no comment */ -- '".to_owned()),
        Just("größe".to_owned())
    ]
    .boxed()
}

pub(crate) fn text() -> BoxedStrategy<Text> {
    string().prop_map(Text::new).boxed()
}

pub(crate) fn external() -> BoxedStrategy<ExternalName> {
    prop_oneof![name().prop_map(|name| name.text), string()]
        .prop_map(ExternalName::new)
        .boxed()
}

pub(crate) fn whole() -> BoxedStrategy<Whole> {
    prop_oneof![(0_u64..100).boxed(), any::<u64>().boxed()]
        .prop_map(Whole::new)
        .boxed()
}

pub(crate) fn duration() -> BoxedStrategy<Duration> {
    (any::<u32>(), select(DurationUnit::ALL.to_vec()))
        .prop_map(|(amount, unit)| Duration::new(amount.into(), unit))
        .boxed()
}

pub(crate) fn size() -> BoxedStrategy<Size> {
    (any::<u32>(), select(SizeUnit::ALL.to_vec()))
        .prop_map(|(amount, unit)| Size::new(amount.into(), unit))
        .boxed()
}

pub(crate) fn here() -> Span {
    Span::default()
}

pub(crate) fn spanned<T>(node: T) -> Spanned<T> {
    Spanned::new(node, here())
}

/// None more often than not.
pub(crate) fn maybe<S: Strategy>(strategy: S) -> impl Strategy<Value = Option<S::Value>> {
    option::weighted(0.4, strategy)
}
