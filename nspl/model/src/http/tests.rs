//! What is a method, a header, an origin, a target, and what is not.

use super::{Origin, TARGET_BYTES_MAX, TargetFault, header_name_fault, header_value_fault, method_fault};

fn origin() -> Origin {
    Origin::read("https://api.example.com:8443").expect("an origin")
}

#[test]
fn a_method_is_a_short_token_other_than_connect_and_trace() {
    let (longest, long) = ("A".repeat(64), "A".repeat(65));
    for good in ["GET", "get", "M-SEARCH", "!#$%&'*+-.^_`|~09", &longest] {
        assert_eq!(method_fault(good), None, "{good}");
    }
    for bad in ["", "GET ", "A/B", "Ä", "connect", "Trace", "A\n", &long] {
        assert!(method_fault(bad).is_some(), "{bad:?}");
    }
    assert!(super::is_bodiless("hEAD") && !super::is_bodiless("POST"));
}

#[test]
fn a_header_has_a_field_name_and_clean_text() {
    for good in ["Content-Type", "authorization", "x_1", "TE-2"] {
        assert_eq!(header_name_fault(good), None, "{good}");
    }
    for bad in ["", "a b", "a:", "Ä", "hOST", "te", "EXPECT", "proxy-connection"] {
        assert!(header_name_fault(bad).is_some(), "{bad}");
    }
    for good in ["", "a b", "ä€", "a\u{a0}b"] {
        assert_eq!(header_value_fault(good), None, "{good}");
    }
    for bad in [
        " ", " a", "a ", "\u{a0}a", "a\tb", "a\r\nb", "a\0", "\u{7f}", "\u{85}",
    ] {
        assert!(header_value_fault(bad).is_some(), "{bad:?}");
    }
}

#[test]
fn an_endpoint_is_a_pure_origin() {
    for good in [
        "http://h",
        "https://h:1/",
        "http://[::1]:80",
        "http://10.0.0.1",
        "https://ö.example",
    ] {
        assert!(Origin::read(good).is_ok(), "{good}");
    }
    let bad = [
        "h",
        "ftp://h",
        "http:h",
        "http://",
        "http:///",
        "http://h/a",
        "http://h//",
        "http://h?",
        "http://h#",
        "http://h?a",
        "http://h#a",
        "http://u@h",
        "http://u:p@h",
        "http://h\\",
        "http://h:99999",
        "http://a b",
        "http://[::1",
        " http://h",
    ];
    for text in bad {
        assert!(Origin::read(text).is_err(), "{text}");
    }
}

#[test]
fn a_target_keeps_what_it_says_and_loses_its_dot_segments() {
    let kept = [
        ("/", "/"),
        ("/a%2Fb/%2f", "/a%2Fb/%2f"),
        ("/a?b=1&b=2+3", "/a?b=1&b=2+3"),
        ("/a?", "/a?"),
        ("/a//b", "/a//b"),
        ("/:80/@h", "/:80/@h"),
        ("/a/./b/../c", "/a/c"),
        ("/a/%2e%2E/b", "/b"),
        ("/../..", "/"),
        ("/ä", "/%C3%A4"),
        ("/a?q=//../x", "/a?q=//../x"),
    ];
    for (path, target) in kept {
        assert_eq!(origin().target(path).as_deref(), Ok(target), "{path}");
    }
}

#[test]
fn a_path_that_is_no_target_says_why() {
    let refused = [
        ("", TargetFault::Start),
        ("a", TargetFault::Start),
        ("//evil", TargetFault::Start),
        ("https://evil/", TargetFault::Start),
        ("/a#b", TargetFault::Character),
        ("/\\evil", TargetFault::Character),
        ("/a b", TargetFault::Character),
        ("/a\tb", TargetFault::Character),
        ("/a\u{a0}", TargetFault::Character),
        ("/a\u{7f}", TargetFault::Character),
        ("/%", TargetFault::Escape),
        ("/%4", TargetFault::Escape),
        ("/%zz", TargetFault::Escape),
        ("/%4ä", TargetFault::Escape),
        ("/a?b=%g1", TargetFault::Escape),
        ("/.//evil", TargetFault::Leaves),
        ("/a/..//evil", TargetFault::Leaves),
        ("/%2e//evil", TargetFault::Leaves),
    ];
    for (path, fault) in refused {
        assert_eq!(origin().target(path), Err(fault), "{path:?}");
    }
}

#[test]
fn a_target_has_8_kib_once_it_is_normal() {
    let fits = format!("/{}", "a".repeat(TARGET_BYTES_MAX - 1));
    assert_eq!(origin().target(&fits).as_deref(), Ok(fits.as_str()));
    assert_eq!(origin().target(&format!("{fits}a")), Err(TargetFault::Long));
    // Three bytes each once escaped, and none for a dot segment.
    let grows = format!("/{}", "ä".repeat(TARGET_BYTES_MAX / 6 + 1));
    assert_eq!(origin().target(&grows), Err(TargetFault::Long));
    assert_eq!(
        origin()
            .target(&format!("/{}", "./".repeat(TARGET_BYTES_MAX)))
            .as_deref(),
        Ok("/")
    );
}
