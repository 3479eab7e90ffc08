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

        #[cfg(feature = "postgres")]
        impl tokio_postgres::types::ToSql for $name {
            fn to_sql(
                &self,
                kind: &tokio_postgres::types::Type,
                out: &mut tokio_postgres::types::private::BytesMut,
            ) -> Result<tokio_postgres::types::IsNull, Box<dyn std::error::Error + Sync + Send>> {
                tokio_postgres::types::ToSql::to_sql(&self.0, kind, out)
            }

            tokio_postgres::types::accepts!(INT8);
            tokio_postgres::types::to_sql_checked!();
        }

        #[cfg(feature = "postgres")]
        impl<'a> tokio_postgres::types::FromSql<'a> for $name {
            fn from_sql(
                kind: &tokio_postgres::types::Type,
                raw: &'a [u8],
            ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
                <i64 as tokio_postgres::types::FromSql>::from_sql(kind, raw).map(Self)
            }

            tokio_postgres::types::accepts!(INT8);
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
