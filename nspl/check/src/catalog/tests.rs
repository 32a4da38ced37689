use super::Catalog;

#[test]
fn an_empty_catalog_has_no_differences_to_itself() {
    let catalog = Catalog::default();
    assert!(catalog.is_empty());
    assert_eq!(catalog.differences(&catalog.clone()), []);
}
