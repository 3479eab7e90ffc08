//! What names a row. An id is never used again for another row, and says nothing outside of its store.

use std::{fmt, rc::Rc};

use rusqlite::{
    ToSql,
    types::{FromSql, FromSqlResult, ToSqlOutput, Value, ValueRef},
    vtab::array::Array,
};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(i64);

        impl $name {
            /// The id that a row with this number has.
            #[must_use]
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// Its number.
            #[must_use]
            pub const fn number(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map(Self)
            }
        }

        impl From<$name> for Value {
            fn from(id: $name) -> Self {
                Self::Integer(id.0)
            }
        }
    };
}

id!(
    /// Id of a chunk. The default is that of no chunk.
    ChunkId
);
id!(
    /// Id of a file. The default is that of no file.
    FileId
);
id!(
    /// Id of an embedding. The default is that of no embedding.
    EmbeddingId
);
id!(
    /// Id of a generation of the index. The default is that of no generation.
    GenerationId
);
id!(
    /// Id of an embedding space. The default is that of no space.
    SpaceId
);

/// Ids for `rarray(?)`.
pub(super) fn id_list<I: Copy + Into<Value>>(ids: &[I]) -> Array {
    Rc::new(ids.iter().map(|id| (*id).into()).collect())
}
