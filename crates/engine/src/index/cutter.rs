//! A transcript on its way into the index: messages come in, chunks come out, and what was final stays.

use super::rows::{Shape, rows_numbered};
use crate::transcripts::{render, tail::Part};
use store::files::NewChunk;
use text::analyze::Analyzer;
use text::speaker::Speaker;

/// Finished parts that are kept in memory before they are written.
const PARTS_IN_MEMORY: usize = 12;

/// What has to be written.
#[derive(Debug)]
pub(crate) struct Update {
    /// Chunks that start here or later are replaced.
    pub from_line: u32,
    /// The new chunks.
    pub chunks: Vec<NewChunk>,
    /// The part that still grows, as stored.
    pub part: String,
    /// Its first line.
    pub part_line: u32,
    /// Terms of the chunks below `part_line`.
    pub final_terms: u32,
    /// Terms of the whole transcript.
    pub terms: u32,
}

/// A transcript that is being read.
#[derive(Debug)]
pub(crate) struct TranscriptCutter {
    part: Part,
    finished: Vec<Part>,
    from_line: u32,
    final_terms: u32,
    changed: bool,
}

impl TranscriptCutter {
    /// A transcript that is read from its beginning: whatever the index has of it is replaced.
    #[must_use]
    pub(crate) fn begin() -> Self {
        Self { part: Part::default(), finished: Vec::new(), from_line: 0, final_terms: 0, changed: true }
    }

    /// A transcript that goes on after what the index has of it.
    #[must_use]
    pub(crate) fn resume(part: Part, final_terms: u32) -> Self {
        let from_line = first_line(&part);
        Self { part, finished: Vec::new(), from_line, final_terms, changed: false }
    }

    /// Adds a message; its lines are numbered like the message. Lines for which `keep` is false are left out.
    pub(crate) fn add(&mut self, number: u32, speaker: impl Into<Speaker>, text: &str, keep: impl Fn(&str) -> bool) {
        let speaker = speaker.into();
        let mut lines = render::lines(speaker, text);
        lines.retain(|line| keep(line));
        // Hosts write what they sent to a channel once more behind the reply.
        if matches!(speaker, Speaker::Assistant | Speaker::AssistantAfterOthers) && self.part.ends_with(&lines) {
            return;
        }
        self.changed |= !lines.is_empty();
        self.finished.extend(self.part.add(number, &lines));
    }

    /// Whether there is enough to be written before more is read.
    #[must_use]
    pub(crate) fn is_large(&self) -> bool {
        self.finished.len() >= PARTS_IN_MEMORY
    }

    /// What has to be written; none when nothing was said since.
    pub(crate) fn update(&mut self, analyzer: &mut Analyzer, shape: Shape) -> Option<Update> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let mut chunks = Vec::new();
        let mut cut = |part: &Part| {
            // Words of the path would be in every chunk and say nothing.
            let number_of = |line: u32| part.numbers.get(line as usize - 1).copied().unwrap_or(line);
            let rows = rows_numbered(analyzer, "", &part.text, shape, number_of);
            chunks.extend(rows.chunks);
            rows.terms
        };
        for part in self.finished.drain(..) {
            self.final_terms = self.final_terms.saturating_add(cut(&part));
        }
        let terms = self.final_terms.saturating_add(cut(&self.part));
        let part_line = first_line(&self.part);
        let from_line = std::mem::replace(&mut self.from_line, part_line);
        Some(Update { from_line, chunks, part: self.part.encode(), part_line, final_terms: self.final_terms, terms })
    }
}

/// Of an empty part, a line that no chunk reaches.
fn first_line(part: &Part) -> u32 {
    part.first_line().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transcripts::record::Role;
    use model::config::settings::Chunking;

    const SHAPE: Shape = Shape {
        chunking: Chunking { tokens: 60, overlap: 12 },
        input_bytes: 8000,
        redact_secrets: model::config::settings::RedactSecrets::Remote,
        takes: model::config::multimodal::Takes::Text,
    };

    type Row = (u32, u32, String);

    /// What the store does with updates.
    fn apply(rows: &mut Vec<Row>, update: &Update) {
        rows.retain(|(start, ..)| *start < update.from_line);
        rows.extend(update.chunks.iter().map(|c| (c.start_line, c.end_line, c.text.clone())));
    }

    fn at_once(messages: &[String]) -> Vec<Row> {
        let mut cutter = TranscriptCutter::begin();
        for (n, text) in (1..).zip(messages) {
            cutter.add(n * 3, Role::User, text, |_| true);
        }
        let mut rows = Vec::new();
        apply(&mut rows, &cutter.update(&mut Analyzer::new(), SHAPE).expect("new"));
        rows
    }

    #[test]
    fn nothing_new_is_no_update_and_lines_carry_their_own_numbers() {
        let mut cutter = TranscriptCutter::begin();
        cutter.add(7, Role::User, "Lena lives in Porto", |_| true);
        cutter.add(9, Role::Assistant, "NO_REPLY", |_| true);
        let update = cutter.update(&mut Analyzer::new(), SHAPE).expect("new");
        let chunk = update.chunks.first().expect("one chunk");
        assert_eq!((chunk.start_line, chunk.end_line, chunk.text.as_str()), (7, 7, "User: Lena lives in Porto"));
        let mut cutter = TranscriptCutter::resume(Part::decode(&update.part), update.final_terms);
        cutter.add(12, Role::Assistant, "HEARTBEAT_OK", |_| true);
        assert!(cutter.update(&mut Analyzer::new(), SHAPE).is_none());
    }

    // On 2026.6.11 each reply over Telegram stood twice in the transcript, and so in the index.
    #[test]
    fn a_reply_that_the_host_wrote_twice_is_one() {
        let said = [
            (Role::User, "Where is the boat?"),
            (Role::Assistant, "In Sines."),
            (Role::Assistant, "In Sines."),
            (Role::User, "In Sines."),
            (Role::User, "In Sines."),
            (Role::Assistant, "In Sines."),
            (Role::Assistant, "Yes, in Sines."),
        ];
        let wanted = "User: Where is the boat?\nAssistant: In Sines.\nUser: In Sines.\nUser: In Sines.\n\
                      Assistant: In Sines.\nAssistant: Yes, in Sines.";
        let mut cutter = TranscriptCutter::begin();
        for (n, (role, text)) in (1..).zip(said) {
            cutter.add(n, role, text, |_| true);
            // As where the index is brought up to date in between.
            let part = Part::decode(&cutter.part.encode());
            assert_eq!(part, cutter.part);
            cutter.part = part;
        }
        assert_eq!(cutter.part.text, wanted);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 20))]

        /// However a transcript is read, bit by bit or at once, the index holds the same chunks.
        #[test]
        fn reading_bit_by_bit_gives_what_reading_at_once_gives(
            sizes in prop::collection::vec((1_usize..6000, any::<bool>()), 1..24),
        ) {
            let messages: Vec<String> = sizes
                .iter()
                .enumerate()
                .map(|(n, (size, _))| format!("w{n} ").repeat(size / 4 + 1))
                .collect();
            let mut rows = Vec::new();
            let mut cutter = TranscriptCutter::begin();
            for (n, (text, (_, pause))) in (1..).zip(messages.iter().zip(&sizes)) {
                cutter.add(n * 3, Role::User, text, |_| true);
                if *pause {
                    let update = cutter.update(&mut Analyzer::new(), SHAPE).expect("new");
                    apply(&mut rows, &update);
                    cutter = TranscriptCutter::resume(Part::decode(&update.part), update.final_terms);
                }
            }
            if let Some(update) = cutter.update(&mut Analyzer::new(), SHAPE) {
                apply(&mut rows, &update);
            }
            prop_assert_eq!(rows, at_once(&messages));
        }
    }
}
