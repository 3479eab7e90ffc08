//! How often an answer is waited for. A line holds all answers back until as many questions have come as should come at
//! once: whoever waits in between waits for ever.

use std::{collections::VecDeque, time::Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::{
    candidates::Wanted,
    embeddings::NewEmbedding,
    files::{NewChunk, NewFile},
    ids::FileId,
    lexical::Term,
    usage::Spent,
};

/// Takes whole messages from the front of bytes: their kinds, and the bytes.
fn messages(bytes: &mut Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let (mut kinds, mut at) = (Vec::new(), 0);
    while let Some(length) = bytes.get(at + 1..at + 5) {
        let end = at + 1 + u32::from_be_bytes(length.try_into().unwrap()) as usize;
        if end > bytes.len() {
            break;
        }
        kinds.push(bytes[at]);
        at = end;
    }
    (kinds, bytes.drain(..at).collect())
}

/// A line to the server for a client, which after logging in asks in groups of these sizes.
fn line(url: &str, groups: &[usize]) -> String {
    let groups = VecDeque::from(groups.to_vec());
    behind(url, move |mut client, mut server| {
        let mut groups = groups.clone();
        async move {
            let (mut up, mut down, mut held) = (Vec::new(), Vec::new(), Vec::new());
            // The first message of all has no kind.
            let mut starts = vec![0; client.read_u32().await? as usize - 4];
            client.read_exact(&mut starts).await?;
            server.write_u32(starts.len() as u32 + 4).await?;
            server.write_all(&starts).await?;
            // Questions of the group that have come, and answers that have gone; logging in is none.
            let (mut asked, mut answered, mut is_in) = (0, 0, false);
            loop {
                let size = groups.front().copied().unwrap_or(0);
                if is_in && asked >= size {
                    client.write_all(&std::mem::take(&mut held)).await?;
                }
                if is_in && size > 0 && answered >= size {
                    groups.pop_front();
                    (asked, answered) = (asked - size, answered - size);
                    continue;
                }
                tokio::select! {
                    // Nobody asks any more, and somebody waits: the test has failed.
                    () = tokio::time::sleep(Duration::from_secs(60)) => return Ok(()),
                    read = client.read_buf(&mut up) => {
                        if read? == 0 {
                            return Ok(());
                        }
                        let (kinds, whole) = messages(&mut up);
                        asked += if is_in { kinds.iter().filter(|kind| matches!(kind, b'Q' | b'S')).count() } else { 0 };
                        server.write_all(&whole).await?;
                    }
                    read = server.read_buf(&mut down) => {
                        if read? == 0 {
                            return Ok(());
                        }
                        let (kinds, whole) = messages(&mut down);
                        let ready = kinds.iter().filter(|kind| **kind == b'Z').count();
                        held.extend(whole);
                        if is_in {
                            answered += ready;
                        } else {
                            client.write_all(&std::mem::take(&mut held)).await?;
                            is_in = ready > 0;
                        }
                    }
                }
            }
        }
    })
}

/// One file of one chunk.
fn tea() -> (NewFile<'static>, NewChunk) {
    let file = NewFile { source: "memory", path: "a.md", hash: [1; 32], mtime_ns: 0, size: 1, lines: 1, terms: 1 };
    let (text, fts_terms) = ("tea".to_owned(), "tea".to_owned());
    (file, NewChunk { start_line: 1, end_line: 1, hash: [1; 32], text, line_terms: Vec::new(), fts_terms })
}

#[test]
fn candidates_come_with_their_cosines_and_what_is_known_of_the_index_is_asked_along() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let direct = open(&Arc::new(database(&options(&place.url))), &schema, "one");
    direct
        .write(|tx| {
            let (file, chunk) = tea();
            let space = tx.get_or_create_space("a")?.id;
            tx.set_active_space(space)?;
            tx.insert_embeddings(space, &[NewEmbedding { hash: [1; 32], vector: vec![1.0, 2.0] }])?;
            tx.replace_file(tx.begin_building("words")?.id, &file, &[chunk])
        })
        .unwrap();
    // The agent is found: begin, settings and the question, and an end. The vectors: begin, settings and what is known of the
    // index, all codes, an end. When nothing has changed: begin, settings and that, and an end. The search: begin, settings
    // and that again, with where files begin; chunks that are near with their cosines, and an end. Another one, whose chunks
    // are in memory: begin, settings, whether something has changed, and the cosines.
    let address = line(&place.url, &[3, 1, 3, 1, 1, 3, 1, 4, 2, 1, 4, 1]);
    let slow = Options { pool_size: 1, ..options(&address) };
    let agent = open(&Arc::new(database(&slow)), &schema, "one");
    agent.vectors(&Cancel::new()).unwrap();
    let vectors = agent.vectors(&Cancel::new()).unwrap().unwrap();
    for (query, cosine) in [([2.0, 1.0], 0.8), ([1.0, 2.0], 1.0)] {
        let search = |reader: &crate::postgres::agent::Reader<'_>| {
            let nearest = reader.nearest(&vectors, &query, &[], None)?;
            reader.candidates(&Wanted { nearest: nearest.as_ref(), most_nearest: 8, exact: 8, ..Wanted::default() })
        };
        let found = agent.look(&Cancel::new(), Some(Instant::now()), search).unwrap();
        assert_eq!((found.rows.len(), found.cosines.len()), (1, 1));
        assert!((found.cosines[0].1 - cosine).abs() < 1e-6);
    }
}

#[test]
fn a_write_waits_three_times_and_words_are_looked_up_in_two_and_kept() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let direct = Arc::new(database(&options(&place.url)));
    let live = open(&direct, &schema, "one").write(|tx| tx.begin_building("words")).unwrap().id;
    // The agent is found: a snapshot with a question, and an end that nobody waits for. The write: begin, settings and fence;
    // five statements for a file; its words in two, the next id and the end. The search: begin, settings and what is known of
    // the index; both parts. The same again: only whether something was written since.
    let address = line(&place.url, &[3, 1, 3, 5, 4, 3, 2, 1, 3, 1]);
    let slow = Options { pool_size: 1, ..options(&address) };
    let agent = open(&Arc::new(database(&slow)), &schema, "one");
    let (file, chunk) = tea();
    agent.write(|tx| tx.replace_file(live, &file, &[chunk])).unwrap();
    let concepts = [vec![Term { text: "tea", is_required: true }], vec![Term { text: "coffee", is_required: false }]];
    for _ in 0..2 {
        let found = agent.read(&Cancel::new(), |reader| reader.postings(live, &concepts, 10)).unwrap();
        assert_eq!(found.iter().map(|concept| concept.as_ref().unwrap()[0].len()).collect::<Vec<_>>(), [1, 0]);
    }
}

// A full index waited once for each file, and five times for each request of a provider, later three times: most of what it took a
// millisecond away.
#[test]
fn a_write_of_many_files_waits_three_times_and_one_of_an_answer_of_a_provider_once() {
    let Some(place) = Place::new() else { return };
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let direct = open(&Arc::new(database(&options(&place.url))), &schema, "one");
    let (live, space) =
        direct.write(|tx| Ok((tx.begin_building("words")?.id, tx.get_or_create_space("a")?.id))).unwrap();
    // The agent is found. Files: begin, settings and fence; what was there, all files, and all chunks in three; words in two,
    // the next id and the end. The lease: begin, settings and whose it is; that it is taken; the end. The first vectors: begin,
    // settings, fence, a file that was touched, and their length in two; they in two, the cost and the end. Others: begin, settings,
    // fence, they in two, the cost and the end.
    let address = line(&place.url, &[3, 1, 3, 5, 4, 3, 1, 1, 6, 4, 7, 7]);
    let agent = open(&Arc::new(database(&Options { pool_size: 1, ..options(&address) })), &schema, "one");
    let ((file, chunk), chunks) = (tea(), [tea().1, tea().1]);
    agent
        .write(|tx| tx.replace_files(live, &[(file, &[chunk][..]), (NewFile { path: "b.md", ..tea().0 }, &chunks)]))
        .unwrap();
    agent.acquire_lease().unwrap();
    for n in 1..=3 {
        agent
            .write_indexed_at_once(|tx| {
                if n == 1 {
                    tx.touch_file(FileId::new(1), 5)?;
                }
                tx.insert_embeddings(space, &[NewEmbedding { hash: [n; 32], vector: vec![1.0, 2.0] }])?;
                tx.add_usage("2026-11-26", "openai", "small", &Spent { embedded: 1, ..Spent::default() })
            })
            .unwrap();
    }
    let (chunks, usage) = direct
        .read(&Cancel::new(), |reader| Ok((reader.chunk_count(live)?, reader.usage_of("2026-11-26", "2026-11-26")?)))
        .unwrap();
    assert_eq!((chunks, usage.len(), usage[0].spent.embedded), (3, 1, 3));
    assert_eq!(direct.read(&Cancel::new(), |reader| reader.embedding_count()).unwrap(), 3);
}
