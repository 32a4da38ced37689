//! STRUCTURED-DATA of RFC 5424 (section 6.3), which a record has in its written form.

/// The longest SD-NAME.
const NAME_BYTES_MAX: usize = 32;

/// How many bytes of structured data stand at the front of a text; none when it is none. An SD-ID stands once.
pub(super) fn length(text: &str) -> Option<usize> {
    if text.starts_with('-') {
        return Some(1);
    }
    let mut reader = Reader { rest: text };
    let mut ids: Vec<&str> = Vec::new();
    while reader.mark('[') {
        let id = reader.name()?;
        if ids.contains(&id) {
            return None;
        }
        ids.push(id);
        while reader.mark(' ') {
            reader.name()?;
            reader.expect('=')?;
            reader.value()?;
        }
        reader.expect(']')?;
    }
    (!ids.is_empty()).then(|| text.len() - reader.rest.len())
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn mark(&mut self, mark: char) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, mark: char) -> Option<()> {
        self.mark(mark).then_some(())
    }

    fn name(&mut self) -> Option<&'a str> {
        let is_name = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'=' | b']' | b'"');
        let length = self.rest.bytes().take_while(|byte| is_name(byte)).count();
        let (name, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        (1..=NAME_BYTES_MAX).contains(&length).then_some(name)
    }

    /// In quotes; a quote, a backslash and a bracket within stand behind a backslash.
    fn value(&mut self) -> Option<()> {
        self.expect('"')?;
        let mut characters = self.rest.char_indices();
        loop {
            match characters.next()? {
                (at, '"') => {
                    self.rest = self.rest.get(at + 1..)?;
                    return Some(());
                }
                (_, ']') => return None,
                // A backslash before another character is one, by the RFC.
                (_, '\\') => {
                    let mut ahead = characters.clone();
                    if matches!(ahead.next(), Some((_, '"' | '\\' | ']'))) {
                        characters = ahead;
                    }
                }
                _ => {}
            }
        }
    }
}
