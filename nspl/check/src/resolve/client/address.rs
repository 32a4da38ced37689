//! Addresses in CONFIG: of one, the scheme, the host and the TLS options are judged (rulings section 8).

/// The parts of `scheme://[user@]host[:port][/path][?parameters]`.
pub(super) struct Address<'a> {
    pub(super) scheme: &'a str,
    authority: &'a str,
    path: &'a str,
    parameters: &'a str,
}

impl<'a> Address<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Address<'a>> {
        let (scheme, rest) = text.split_once("://")?;
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        // User information may hold a slash that is not escaped.
        let from = rest.rfind('@').map_or(0, |at| at + 1);
        let end = rest
            .get(from..)?
            .find('/')
            .map_or(rest.len(), |slash| from + slash);
        Some(Address {
            scheme,
            authority: rest.get(..end)?,
            path: rest.get(end..)?,
            parameters,
        })
    }

    /// Judges the scheme and the host.
    pub(super) fn judge(text: &'a str, schemes: &[&str]) -> Result<Address<'a>, String> {
        let expected = || format!("{}://host is expected", schemes.join(":// or "));
        let address = Address::parse(text).ok_or_else(expected)?;
        if !schemes.contains(&address.scheme) {
            return Err(expected());
        }
        let local = matches!(address.scheme, "ipc");
        if !local && address.hosts().any(str::is_empty) {
            return Err("it has no host".into());
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("it holds a blank or a control character".into());
        }
        if let Some(name) = address.doubled() {
            return Err(format!("its parameter {name} is given twice: give it once"));
        }
        Ok(address)
    }

    /// The name of a parameter that is given more than once: readers differ in which of them counts.
    fn doubled(&self) -> Option<&'a str> {
        let names = || {
            self.parameters
                .split('&')
                .filter_map(|pair| pair.split('=').next())
        };
        names()
            .enumerate()
            .find(|(at, name)| !name.is_empty() && names().take(*at).any(|before| before == *name))
            .map(|(_, name)| name)
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, v)| v)
    }

    /// Whether it is the address of a Sentry project: a public key before the host, a project behind it.
    pub(super) fn is_project(&self) -> bool {
        let user = self.authority.rsplit_once('@').map_or("", |(user, _)| user);
        let key = user.split(':').next().unwrap_or_default();
        let project = self.path.trim_end_matches('/').rsplit('/').next();
        !key.is_empty() && project.is_some_and(|project| !project.is_empty())
    }

    fn hosts(&self) -> impl Iterator<Item = &'a str> {
        let servers = self
            .authority
            .rsplit_once('@')
            .map_or(self.authority, |(_, servers)| servers);
        servers.split(',').map(|server| match server.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => server.split(':').next().unwrap_or_default(),
        })
    }
}

/// `host:port`.
pub(super) fn host_port(text: &str) -> Result<(), String> {
    let fits = text.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !host.contains("://") && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if fits {
        Ok(())
    } else {
        Err("host:port is expected".into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, host_port};

    #[test]
    fn the_scheme_the_host_and_the_parameters_are_found() {
        let address = Address::parse("mongodb://u:p/q@a:1,b:2/db?tls=true&x=1").unwrap();
        assert_eq!(
            (address.scheme, address.parameter("tls")),
            ("mongodb", Some("true"))
        );
        assert_eq!(address.hosts().collect::<Vec<_>>(), ["a", "b"]);
        assert!(Address::judge("redis://[::1]:6379", &["redis"]).is_ok());
        for wrong in ["redis:6379", "http://h", "redis://", "redis://:1", "redis://h h"] {
            assert!(Address::judge(wrong, &["redis"]).is_err(), "{wrong}");
        }
        let project = |text: &str| Address::parse(text).unwrap().is_project();
        assert!(project("https://key@sentry/42") && project("https://key:old@sentry/on/premise/42/"));
        for wrong in [
            "https://sentry/42",
            "https://@sentry/42",
            "https://:old@sentry/42",
            "https://key@sentry",
        ] {
            assert!(!project(wrong) && !project(&format!("{wrong}?a=b")), "{wrong}");
        }
        assert!(host_port("h:514").is_ok() && host_port("h").is_err() && host_port(":1").is_err());
    }
}
