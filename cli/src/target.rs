//! `DOMAIN.NAME`: one ingestor or emitter, as the arguments name it.

use std::str::FromStr;

/// A domain and the name of something in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) domain: String,
    pub(crate) name: String,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(['.', '/']) {
            Some((domain, name)) if !domain.is_empty() && !name.is_empty() && !name.contains(['.', '/']) => {
                Ok(Target {
                    domain: domain.to_owned(),
                    name: name.to_owned(),
                })
            }
            _ => Err("write it as DOMAIN.NAME, such as shop.orders_in".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn a_target_names_its_domain() {
        let expected = Target {
            domain: "shop".to_owned(),
            name: "orders_in".to_owned(),
        };
        assert_eq!("shop.orders_in".parse(), Ok(expected.clone()));
        assert_eq!("shop/orders_in".parse(), Ok(expected));
        for text in ["shop", "shop.", ".orders", "a.b.c", ""] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }
}
