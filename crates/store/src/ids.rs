//! Lists of ids as one bound value of a statement.

use std::rc::Rc;

use rusqlite::{types::Value, vtab::array::Array};

/// Ids for `rarray(?)`.
pub(super) fn id_list(ids: &[i64]) -> Array {
    Rc::new(ids.iter().map(|id| Value::Integer(*id)).collect())
}
