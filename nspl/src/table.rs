//! Rows as text for a person.

/// Lines with aligned columns, the last one ragged; each ends without blanks, and the last without a line break.
pub fn aligned(columns: &[String], rows: &[Vec<String>]) -> String {
    let all = || std::iter::once(columns).chain(rows.iter().map(Vec::as_slice));
    let width = |column: usize| {
        let cells = all().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns.len()).map(width).collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<_> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn columns_are_aligned_by_characters_and_lines_end_without_blanks() {
        let words = |row: [&str; 2]| row.map(str::to_owned).to_vec();
        let rows = [words(["ä", "x"]), words(["long", ""])];
        assert_eq!(aligned(&words(["a", "name"]), &rows), "a     name\nä     x\nlong");
    }
}
