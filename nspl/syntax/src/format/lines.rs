//! Comments put back into a printed statement.

use crate::comment::Comment;
use crate::format::align::align;
use crate::lexer::lex;
use crate::token::Token;

/// One line of the printed statement. A string literal may hold line breaks: they end no line.
struct Line {
    /// Where its first token begins.
    start: usize,
    /// Where its last token ends.
    end: usize,
    /// The comments before it.
    before: Vec<String>,
    /// The comments behind it.
    behind: Vec<String>,
}

/// The printed statement with its comments; `source` are the tokens of the statement as written, its `;` included.
pub(super) fn with_comments(text: &str, source: &[Token<'_>], printed: &str, comments: &[Comment]) -> String {
    if comments.is_empty() {
        return printed.to_owned();
    }
    let tokens = lex(printed).tokens;
    let map = align(source, &tokens);
    let (mut lines, line_of) = cut(printed, &tokens);
    let line_of_source = |index: usize| {
        let token = map.get(index).copied().unwrap_or(tokens.len().saturating_sub(1));
        line_of.get(token).copied().unwrap_or(0)
    };
    for comment in comments {
        let next = source.partition_point(|token| token.span.start < comment.span.start);
        let before = next.checked_sub(1);
        let trails = before.and_then(|before| source.get(before)).is_some_and(|token| {
            text.get(token.span.end..comment.span.start)
                .is_some_and(|gap| !gap.contains(['\n', '\r']))
        });
        let line = line_of_source(if trails { next.saturating_sub(1) } else { next });
        if let Some(line) = lines.get_mut(line) {
            if trails {
                &mut line.behind
            } else {
                &mut line.before
            }
            .push(comment.text.clone());
        }
    }
    assemble(printed, lines)
}

/// The lines of a printed statement, and the line of each token.
fn cut(printed: &str, tokens: &[Token<'_>]) -> (Vec<Line>, Vec<usize>) {
    let mut lines: Vec<Line> = Vec::new();
    let mut line_of = Vec::with_capacity(tokens.len());
    for token in tokens {
        let continues = lines.last().is_some_and(|line| {
            printed
                .get(line.end..token.span.start)
                .is_some_and(|gap| !gap.contains('\n'))
        });
        match lines.last_mut().filter(|_| continues) {
            Some(line) => line.end = token.span.end,
            None => lines.push(Line {
                start: token.span.start,
                end: token.span.end,
                before: Vec::new(),
                behind: Vec::new(),
            }),
        }
        line_of.push(lines.len() - 1);
    }
    (lines, line_of)
}

fn assemble(printed: &str, lines: Vec<Line>) -> String {
    let mut out = String::new();
    let mut written = 0;
    for mut line in lines {
        let gap = printed.get(written..line.start).unwrap_or_default();
        let indent = gap.rsplit('\n').next().unwrap_or_default();
        // Only one comment can stand behind a line: `--` would swallow the next.
        if line.behind.len() > 1 {
            line.before.append(&mut line.behind);
        }
        out.push_str(gap);
        for comment in &line.before {
            out.push_str(comment);
            out.push('\n');
            out.push_str(indent);
        }
        out.push_str(printed.get(line.start..line.end).unwrap_or_default());
        for comment in &line.behind {
            out.push(' ');
            out.push_str(comment);
        }
        written = line.end;
    }
    out
}
