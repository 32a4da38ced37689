//! The vocabulary of the grammar: chumsky parsers over tokens, each boxed so that construct files compile alone.
//!
//! Invariant: a failure knows the furthest token that did not fit and everything that would have been taken there.
//! What the failure means to its reader is decided in `fault::hint`, never here. Parsers read tokens without their
//! text, which is their state, so a grammar is built once and reads every text.

use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::input::{Input as _, InputRef, MapExtra, MappedInput, Stream};
use chumsky::inspector::SimpleState;
use chumsky::prelude::{Boxed, IterParser, Parser, custom, end, extra};
use chumsky::span::SimpleSpan;
use chumsky::util::MaybeRef;

use crate::name::{ExternalName, Name, Text};
use crate::span::{Span, Spanned};
use crate::token::{HeldToken, Source, Token, TokenKind};

/// The tokens of a statement.
pub(crate) type Tokens<'t> = &'t [Token<'t>];
/// What parsers read.
pub(crate) type Input<'t> =
    MappedInput<'t, HeldToken, SimpleSpan, Stream<std::vec::IntoIter<HeldToken>>, fn(HeldToken) -> Located>;
/// A token and the bytes that it covers.
type Located = (HeldToken, SimpleSpan);
/// How parsers fail, and the text of the tokens that they read.
pub(crate) type Extra = extra::Full<Failure, SimpleState<Source>, ()>;
/// A parser of one construct.
pub(crate) type Rule<'t, T> = Boxed<'t, 't, Input<'t>, T, Extra>;

/// A label that is not listed to the reader.
pub(crate) const HIDDEN: &str = "";
/// The label of the end of a statement.
pub(crate) const END: &str = ";";
/// The label of any place an expression may begin.
pub(crate) const EXPRESSION: &str = "an expression";
/// The label of any infix operator.
pub(crate) const OPERATOR: &str = "an operator";

/// The furthest place that did not fit, and what would have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    /// Where the token stands; behind the last one at the end.
    pub(crate) place: Span,
    /// What would have.
    pub(crate) expected: Labels,
}

/// Labels: keywords and symbols as they are written, others with an article; doubled ones too, and [`HIDDEN`] where there
/// is no other.
///
/// Most of the time the grammar fails at one label and tries the next alternative, so one label takes no memory apart, and
/// hidden ones never do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    first: Option<&'static str>,
    others: Vec<&'static str>,
}

impl Labels {
    pub(crate) fn one(label: &'static str) -> Self {
        Self {
            first: Some(label),
            others: Vec::new(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.first.into_iter().chain(self.others.iter().copied())
    }

    /// All but one.
    pub(crate) fn without(&self, label: &str) -> Self {
        self.iter().filter(|other| *other != label).collect()
    }

    fn append(&mut self, other: Self) {
        match self.first {
            None | Some(HIDDEN) => *self = other,
            Some(_) => self.others.extend(other.iter().filter(|label| *label != HIDDEN)),
        }
    }
}

impl FromIterator<&'static str> for Labels {
    fn from_iter<I: IntoIterator<Item = &'static str>>(labels: I) -> Self {
        let mut all = Self::default();
        for label in labels {
            all.append(Self::one(label));
        }
        all
    }
}

impl Failure {
    /// The index of the token, the first of those that stand in an empty place; past the last of the statement at its
    /// end.
    pub(crate) fn index(&self, tokens: Tokens<'_>) -> usize {
        let is_it = |span: Span| span.start == self.place.start && span.is_empty() == self.place.is_empty();
        let found = tokens.iter().position(|token| is_it(token.span));
        found.unwrap_or(tokens.len())
    }
}

impl<'t> Error<'t, Input<'t>> for Failure {
    fn merge(mut self, other: Self) -> Self {
        self.expected.append(other.expected);
        self
    }
}

impl<'t> LabelError<'t, Input<'t>, DefaultExpected<'t, HeldToken>> for Failure {
    fn expected_found<I: IntoIterator<Item = DefaultExpected<'t, HeldToken>>>(
        expected: I,
        _found: Option<MaybeRef<'t, HeldToken>>,
        span: SimpleSpan<usize>,
    ) -> Self {
        let label = |item| match item {
            DefaultExpected::EndOfInput => END,
            _ => HIDDEN,
        };
        Self {
            place: Span::new(span.start, span.end),
            expected: expected.into_iter().map(label).collect(),
        }
    }
}

impl<'t> LabelError<'t, Input<'t>, &'static str> for Failure {
    fn expected_found<I: IntoIterator<Item = &'static str>>(
        expected: I,
        _found: Option<MaybeRef<'t, HeldToken>>,
        span: SimpleSpan<usize>,
    ) -> Self {
        Self {
            place: Span::new(span.start, span.end),
            expected: expected.into_iter().collect(),
        }
    }

    fn label_with(&mut self, label: &'static str) {
        self.expected = Labels::one(label);
    }
}

/// The tokens as parsers read them.
pub(crate) fn input<'t>(tokens: Tokens<'_>) -> Input<'t> {
    // Behind the last token, so that the end is told from what stands in an empty place there.
    let end = tokens.iter().map(|token| token.span.end + 1).max().unwrap_or(0);
    let tokens: Vec<HeldToken> = tokens.iter().map(Token::held).collect();
    let located: fn(HeldToken) -> Located = |token| {
        let span = SimpleSpan::from(token.span.range());
        (token, span)
    };
    Stream::from_iter(tokens).map((end..end).into(), located)
}

/// The bytes that a run of tokens covers.
pub(crate) fn place(tokens: Tokens<'_>) -> Span {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => Span::default(),
    }
}

/// What a parser made of the tokens looks at.
type Reading<'t, 'p> = InputRef<'t, 'p, Input<'t>, Extra>;

/// One token that `take` makes something of.
pub(crate) fn accept<'t, T: 't>(
    label: &'static str,
    take: impl Fn(Token<'_>) -> Option<T> + 't,
) -> Rule<'t, T> {
    accept_held(label, move |held, source| take(source.token(held)))
}

/// The same, of a token whose text need not be looked at.
fn accept_held<'t, T: 't>(
    label: &'static str,
    take: impl Fn(HeldToken, &Source) -> Option<T> + 't,
) -> Rule<'t, T> {
    custom::<_, Input<'t>, _, Extra>(move |input| {
        let next = input.peek();
        match next.and_then(|next| take(next, input.state())) {
            Some(found) => {
                input.skip();
                Ok(found)
            }
            None => Err(failure(label, next, input)),
        }
    })
    .boxed()
}

/// The failure of a parser at the next token, or at the end.
pub(crate) fn failure(label: &'static str, next: Option<HeldToken>, input: &mut Reading<'_, '_>) -> Failure {
    let place = next.map(|next| next.span);
    Failure {
        place: place.unwrap_or_else(|| {
            let here = input.cursor();
            let end = input.span_since(&here).start;
            Span::new(end, end)
        }),
        expected: Labels::one(label),
    }
}

/// A keyword, in any case.
pub(crate) fn keyword<'t>(word: &'static str) -> Rule<'t, Span> {
    keyword_as(word, word)
}

/// A keyword with a label of its own.
pub(crate) fn keyword_as<'t>(word: &'static str, label: &'static str) -> Rule<'t, Span> {
    accept_held(label, move |held, source| {
        source.is_word(held, word).then_some(held.span)
    })
}

/// Keywords in a row, parted by single blanks. The first carries the whole phrase as its label.
pub(crate) fn phrase<'t>(words: &'static str) -> Rule<'t, Span> {
    let mut parts = words.split(' ');
    let first = keyword_as(parts.next().unwrap_or(words), words);
    let all = parts.fold(first, |before, word| before.then_ignore(keyword(word)).boxed());
    located(all, |_, span| span)
}

/// A keyword or none.
pub(crate) fn flag<'t>(words: &'static str) -> Rule<'t, bool> {
    phrase(words).or_not().map(|found| found.is_some()).boxed()
}

/// A keyword or phrase that stands for a value.
pub(crate) fn choice_of<'t, T: Copy + 't>(words: &'static str, value: T) -> Rule<'t, T> {
    phrase(words).map(move |_| value).boxed()
}

/// A symbol.
pub(crate) fn symbol<'t>(text: &'static str) -> Rule<'t, Span> {
    symbol_as(text, text)
}

/// A symbol that is not listed among what would be accepted.
pub(crate) fn quiet_symbol<'t>(text: &'static str) -> Rule<'t, Span> {
    symbol_as(text, HIDDEN)
}

fn symbol_as<'t>(text: &'static str, label: &'static str) -> Rule<'t, Span> {
    accept_held(label, move |held, source| {
        source.is_symbol(held, text).then_some(held.span)
    })
}

/// An identifier, labelled by what it names ("a relay name").
pub(crate) fn name<'t>(what: &'static str) -> Rule<'t, Name> {
    accept_held(what, |held, source| {
        (held.kind == TokenKind::Word).then(|| Name {
            text: source.token(held).text.to_owned(),
            span: held.span,
        })
    })
}

/// An identifier or a string, labelled by what it names.
pub(crate) fn external_name<'t>(what: &'static str) -> Rule<'t, ExternalName> {
    accept(what, |token| match token.kind {
        TokenKind::Word => Some(ExternalName {
            text: token.text.to_owned(),
            span: token.span,
        }),
        TokenKind::Text => Some(ExternalName {
            text: token.unquoted(),
            span: token.span,
        }),
        _ => None,
    })
}

/// A string literal, labelled by what it is.
pub(crate) fn text<'t>(what: &'static str) -> Rule<'t, Text> {
    accept_held(what, |held, source| {
        (held.kind == TokenKind::Text).then(|| Text {
            value: source.token(held).unquoted(),
            span: held.span,
        })
    })
}

/// One or more items between commas; no comma at the end.
pub(crate) fn list<'t, T: 't>(item: Rule<'t, T>) -> Rule<'t, Vec<T>> {
    item.separated_by(symbol(",")).at_least(1).collect().boxed()
}

/// Items in parentheses, at least one.
pub(crate) fn parenthesised<'t, T: 't>(item: Rule<'t, T>) -> Rule<'t, Vec<T>> {
    list(item).delimited_by(symbol("("), symbol(")")).boxed()
}

/// A construct together with the bytes it covers.
pub(crate) fn located<'t, T: 't, U: 't>(
    rule: impl Parser<'t, Input<'t>, T, Extra> + 't,
    build: impl Fn(T, Span) -> U + 't,
) -> Rule<'t, U> {
    rule.map_with(move |parts, extra: &mut MapExtra<'t, '_, Input<'t>, Extra>| {
        let bytes: SimpleSpan = extra.span();
        // One that took no token ends where the token before does.
        let span = match bytes.start < bytes.end {
            true => Span::new(bytes.start, bytes.end),
            false => Span::default(),
        };
        build(parts, span)
    })
    .boxed()
}

/// A construct in a [`Spanned`].
pub(crate) fn spanned<'t, T: 't>(rule: impl Parser<'t, Input<'t>, T, Extra> + 't) -> Rule<'t, Spanned<T>> {
    located(rule, Spanned::new)
}

/// A whole statement: the rule and nothing behind it.
pub(crate) fn whole_statement<'t, T: 't>(rule: Rule<'t, T>) -> Rule<'t, T> {
    rule.then_ignore(end()).boxed()
}
