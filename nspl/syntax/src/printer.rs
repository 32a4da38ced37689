//! Tree to canonical text (SHOW CREATE).

use crate::statement::Statement;

/// The canonical text of a statement, `;` included, secrets as they are: `parse(print(x)) == x`.
#[must_use]
pub fn print(statement: &Statement) -> String {
    let _ = statement;
    String::new()
}

/// The canonical text of a statement with every secret of CONFIG shown as `'***'` (rulings section 8).
#[must_use]
pub fn print_masked(statement: &Statement) -> String {
    let _ = statement;
    String::new()
}
