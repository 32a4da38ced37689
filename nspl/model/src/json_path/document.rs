//! A document of the JSON functions (rulings section 5), as a tree: for one value at a time, where a document is read
//! once and no column waits.

use super::{JsonPath, JsonStep, Reader};

/// A value of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is spelled: what it becomes depends on the type that is wanted.
    Number(String),
    /// A string, its escapes undone.
    Text(String),
    /// Elements in order.
    Array(Vec<Json>),
    /// Members in order; of doubled keys all are here.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole document; `None` when the text is no JSON, or has brackets more than [`JsonPath::STEPS_MAX`] deep.
    pub fn parse(text: &str) -> Option<Json> {
        let chars: Vec<char> = text.chars().collect();
        let mut reader = Reader { chars: &chars, at: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        reader.peek().is_none().then_some(value)
    }

    /// What the path leads to; the last of doubled keys counts.
    pub fn at(&self, path: &JsonPath) -> Option<&Json> {
        path.steps
            .iter()
            .try_fold(self, |value, step| match (value, step) {
                (Json::Object(members), JsonStep::Name(name)) => {
                    let member = members.iter().rev().find(|(key, _)| key == name);
                    member.map(|(_, value)| value)
                }
                (Json::Array(elements), JsonStep::Index(index)) => {
                    usize::try_from(*index).ok().and_then(|index| elements.get(index))
                }
                _ => None,
            })
    }
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Json> {
        self.blanks();
        Some(match self.peek()? {
            '{' => Json::Object(self.members(depth + 1)?),
            '[' => Json::Array(self.elements(depth + 1)?),
            '"' => Json::Text(self.string()?),
            '-' | '0'..='9' => Json::Number(self.number()?),
            't' => self.word("true", Json::Bool(true))?,
            'f' => self.word("false", Json::Bool(false))?,
            'n' => self.word("null", Json::Null)?,
            _ => return None,
        })
    }

    fn members(&mut self, depth: usize) -> Option<Vec<(String, Json)>> {
        self.listed(depth, '}', |reader| {
            reader.blanks();
            let key = reader.string()?;
            reader.blanks();
            reader.eat(':').then_some(())?;
            Some((key, reader.value(depth)?))
        })
    }

    fn elements(&mut self, depth: usize) -> Option<Vec<Json>> {
        self.listed(depth, ']', |reader| reader.value(depth))
    }

    /// What stands between two brackets, separated by commas.
    fn listed<T>(
        &mut self,
        depth: usize,
        end: char,
        item: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.at += 1;
        if depth > JsonPath::STEPS_MAX {
            return None;
        }
        let mut items = Vec::new();
        self.blanks();
        if self.eat(end) {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            self.blanks();
            if self.eat(end) {
                return Some(items);
            }
            self.eat(',').then_some(())?;
        }
    }

    fn string(&mut self) -> Option<String> {
        if self.peek() != Some('"') {
            return None;
        }
        match self.quoted().ok()? {
            JsonStep::Name(text) => Some(text),
            JsonStep::Index(_) => None,
        }
    }

    fn number(&mut self) -> Option<String> {
        let start = self.at;
        self.eat('-');
        if !self.eat('0') {
            self.digits()?;
        }
        if self.eat('.') {
            self.digits()?;
        }
        if self.eat('e') || self.eat('E') {
            let _signed = self.eat('-') || self.eat('+');
            self.digits()?;
        }
        self.chars
            .get(start..self.at)
            .map(|digits| digits.iter().collect())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        word.chars().all(|c| self.eat(c)).then_some(value)
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|c| matches!(c, ' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Json;
    use crate::JsonPath;

    fn find(text: &str, path: &str) -> Option<Json> {
        Json::parse(text)
            .unwrap()
            .at(&JsonPath::parse(path).unwrap())
            .cloned()
    }

    #[test]
    fn a_path_leads_to_the_last_of_doubled_keys_and_counts_elements_from_0() {
        let text = r#" {"a": [1, {"b": "x\u00e9\n"}], "a\"": true, "a": [-1.50e+3, null]} "#;
        assert_eq!(find(text, "$.a[0]"), Some(Json::Number("-1.50e+3".into())));
        assert_eq!(find(text, "$.a[1]"), Some(Json::Null));
        assert_eq!(find(text, "$.a[2]"), None);
        assert_eq!(find(text, r#"$["a\""]"#), Some(Json::Bool(true)));
        assert_eq!(find(r#"["x\u00e9\n"]"#, "$[0]"), Some(Json::Text("xé\n".into())));
        assert_eq!(find("[1]", "$.a"), None);
        assert_eq!(find("7", "$"), Some(Json::Number("7".into())));
    }

    #[test]
    fn what_is_no_json_is_none() {
        for text in [
            "",
            " ",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "-",
            "tru",
            "truee",
            "[1,]",
            "[,1]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "'a'",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\u{1}\"",
            "[1] 2",
            "nan",
            "\u{a0}1",
        ] {
            assert_eq!(Json::parse(text), None, "{text}");
        }
    }

    #[test]
    fn brackets_are_at_most_so_deep() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Json::parse(&nested(127)).is_some());
        assert!(Json::parse(&nested(128)).is_none());
    }
}
