//! PostgreSQL as the tests need it that are written for any store.

use std::{path::Path, sync::Arc};

use tempfile::TempDir;
use tokio_postgres::types::Type;

use super::{
    super::blocks::{Block, TermHash},
    Place, options, server,
};
use crate::{
    Location, OpenOptions, Reader, Store, Tx,
    database::InDatabase,
    generations::GenerationId,
    postgres::agent::{int8, natural},
    tests,
};
use model::{
    config::settings::FtsTokenizer,
    error::{Code, Result},
};

/// A schema of its own, and a folder for what is kept beside.
pub(crate) struct Backend {
    folder: TempDir,
    pub(super) place: Place,
}

/// What a write changes behind the seam.
fn inside<'c>(tx: &Tx<'c>) -> &'c crate::postgres::Tx<'c> {
    tx.postgres().unwrap()
}

impl tests::Backend for Backend {
    // Two files and three chunks in; one file and three chunks out.
    const CHANGES: usize = 9;

    fn fresh() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), place: Place::new().unwrap() }
    }

    fn open(&self, of: OpenOptions) -> Arc<Store> {
        store_in(&self.place.url, &self.place.schema, self.folder.path(), of)
    }

    fn check(store: &Store, generation: GenerationId) {
        store
            .read(|reader| {
                let chunks = reader.chunk_count(generation)?;
                assert_eq!(Self::indexed(reader, generation), Some(chunks));
                Ok(())
            })
            .unwrap();
    }

    fn indexed(reader: &Reader<'_>, generation: GenerationId) -> Option<u64> {
        let reader = reader.postgres().unwrap();
        let key = [int8(&reader.agent), int8(&generation)];
        let sql = "SELECT first, data FROM lex WHERE agent = $1 AND generation = $2 \
                   AND segment IN (SELECT id FROM segment WHERE agent = $1 AND generation = $2)";
        let rows = reader.tx.rows(sql, &key).unwrap();
        let mut chunks = Vec::new();
        for row in &rows {
            chunks.extend(Block::open(TermHash::new(row.get(0)), row.get::<_, Vec<u8>>(1)).unwrap().chunks().unwrap());
        }
        chunks.sort_unstable();
        chunks.dedup();
        reader.dead(generation, (i64::MIN, i64::MAX)).unwrap().subtract_from(&mut chunks);
        (!rows.is_empty()).then_some(chunks.len() as u64)
    }

    fn line_rows(reader: &Reader<'_>) -> Result<u64> {
        let reader = reader.postgres().unwrap();
        let row = reader.tx.row("SELECT count(*) FROM chunk WHERE agent = $1", &[int8(&reader.agent)])?;
        natural(&row.unwrap(), 0)
    }

    fn drop_pieces(tx: &Tx<'_>) -> Result<()> {
        let tx = inside(tx);
        tx.tx.execute("UPDATE line_vectors SET signs = '' WHERE agent = $1", &[int8(&tx.agent)]).map(drop)
    }

    fn spoil_a_vector(tx: &Tx<'_>) -> Result<()> {
        let tx = inside(tx);
        let sql = "UPDATE embedding SET v = '[0]' WHERE hash = (SELECT hash FROM chunk WHERE agent = $1 AND hash IS NOT NULL \
                   ORDER BY hash DESC LIMIT 1)";
        tx.tx.execute(sql, &[int8(&tx.agent)]).map(drop)
    }

    fn fail_at(tx: &Tx<'_>, n: usize) -> Result<()> {
        let tx = inside(tx);
        let n = n.to_string();
        tx.tx.rows("SELECT set_config('openclaw.step', $1, true)", &[(&n as _, Type::TEXT)])?;
        let mut sql = "CREATE FUNCTION fail_on_purpose() RETURNS trigger LANGUAGE plpgsql AS $$ \
             DECLARE n int := current_setting('openclaw.step')::int; BEGIN \
             IF n = 0 THEN RAISE EXCEPTION 'failed on purpose'; END IF; \
             PERFORM set_config('openclaw.step', (n - 1)::text, true); \
             IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$;"
            .to_owned();
        for table in ["file", "chunk"] {
            sql.push_str(&format!(
                "CREATE TRIGGER fail_on_purpose BEFORE INSERT OR DELETE ON {table} \
                 FOR EACH ROW EXECUTE FUNCTION fail_on_purpose();"
            ));
        }
        tx.tx.batch(&sql)
    }

    fn read_fresh<T>(store: &Store, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        store.read(|reader| {
            *reader.postgres().unwrap().known_order.unwrap().lock() = None;
            f(reader)
        })
    }
}

/// The store of an agent in a schema, which keeps beside it what it keeps in a folder.
pub(super) fn store_in(url: &str, schema: &str, folder: &Path, of: OpenOptions) -> Arc<Store> {
    let place = InDatabase {
        options: crate::database::Options { schema: schema.to_owned(), ..options(url) },
        agent: "main".to_owned(),
        migrate: true,
        beside: folder.join("index.sqlite"),
    };
    Store::open_at(&Location::Database(Box::new(place)), of).unwrap()
}

/// A store in a place of its own; none where there is no server.
pub(super) fn served() -> Option<(Backend, Arc<Store>)> {
    server()?;
    let backend = <Backend as tests::Backend>::fresh();
    let store = tests::Backend::open(&backend, OpenOptions::default());
    Some((backend, store))
}

// An engine that had nothing to write for twenty seconds lost its lease.
#[test]
fn a_lease_that_nobody_writes_under_is_renewed_and_that_is_no_change() {
    let Some((backend, store)) = served() else { return };
    store.acquire_lease().unwrap();
    backend.place.change("UPDATE agent SET expires_ms = 1");
    let version = store.data_version().unwrap();
    let began = std::time::Instant::now();
    while store.read(|reader| reader.lease()).unwrap().unwrap().expires_ms == 1 {
        assert!(began.elapsed().as_secs() < 60, "it is renewed every five seconds");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(store.data_version().unwrap(), version);
    store.write(|tx| tx.set_meta("k", "v")).unwrap();
    assert_ne!(store.data_version().unwrap(), version);
}

#[test]
fn a_write_inside_a_write_is_refused_and_a_panic_undoes_its_own() {
    let Some((_backend, store)) = served() else { return };
    let same = Arc::clone(&store);
    let inside = store.write(move |_| same.write(|tx| tx.set_meta("k", "inside"))).unwrap_err();
    assert_eq!(inside.code(), Code::Internal);
    let panicked = store.write(|tx| -> Result<()> {
        tx.set_meta("k", "panicked")?;
        panic!("on purpose")
    });
    assert_eq!(panicked.unwrap_err().code(), Code::Internal);
    assert_eq!(store.read(|reader| reader.meta("k")).unwrap(), None);
    store.write(|tx| tx.set_meta("k", "v")).unwrap();
    assert_eq!(store.read(|reader| reader.meta("k")).unwrap().as_deref(), Some("v"));
}

#[test]
fn what_only_a_file_has_is_refused_with_a_code_and_nothing_goes_on_after_closing() {
    let Some((_backend, store)) = served() else { return };
    assert!(store.admin().is_none());
    let refused = store.file().err().unwrap();
    assert_eq!((refused.code(), refused.remedy.is_some()), (Code::Argument, true));
    let built = store.write(|tx| tx.compat_build_step(GenerationId::default(), FtsTokenizer::Unicode61, 1));
    assert_eq!(built.unwrap_err().code(), Code::Argument);
    store.close();
    assert_eq!(store.read(|reader| reader.live()).unwrap_err().code(), Code::Closed);
    assert_eq!(store.write(|_| Ok(())).unwrap_err().code(), Code::Closed);
    assert_eq!(store.data_version().unwrap_err().code(), Code::Closed);
}
