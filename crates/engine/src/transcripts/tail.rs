//! The part of a transcript that still grows. A transcript is cut into parts of some pages; a finished part never
//! changes, so only the last one is cut into chunks again when something new was said.

/// Size from which the next message begins a new part, in bytes. Depends on nothing but what was said, so that reading
/// bit by bit gives the same parts as reading all at once.
const PART_BYTES: usize = 32 * 1024;

/// Lines with their numbers in the transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Number of each line in the transcript; lines of one message share it.
    pub numbers: Vec<u32>,
    /// The lines, joined.
    pub text: String,
}

impl Part {
    /// Number of its first line; none when it is empty.
    #[must_use]
    pub fn first_line(&self) -> Option<u32> {
        self.numbers.first().copied()
    }

    /// As stored: each line after its number.
    #[must_use]
    pub fn encode(&self) -> String {
        let lines = self.numbers.iter().zip(self.text.split('\n'));
        lines.map(|(number, line)| format!("{number}\t{line}")).collect::<Vec<_>>().join("\n")
    }

    /// What [`Self::encode`] gave; lines that are no such thing are left out.
    #[must_use]
    pub fn decode(text: &str) -> Self {
        let mut part = Self::default();
        for (number, line) in text.split('\n').filter_map(|line| line.split_once('\t')) {
            if let Ok(number) = number.parse() {
                part.push(number, line);
            }
        }
        part
    }

    fn push(&mut self, number: u32, line: &str) {
        if !self.numbers.is_empty() {
            self.text.push('\n');
        }
        self.numbers.push(number);
        self.text.push_str(line);
    }

    /// Whether these are its last lines.
    pub(crate) fn ends_with(&self, lines: &[String]) -> bool {
        let before = lines.iter().rev().try_fold(Some(self.text.as_str()), |left, line| {
            let rest = left?.strip_suffix(line.as_str())?;
            // The line before it, where there is one.
            Some(if rest.is_empty() { None } else { Some(rest.strip_suffix('\n')?) })
        });
        !lines.is_empty() && before.is_some()
    }

    /// Adds the lines of a message. Gives what was there before when that is a finished part now.
    #[must_use]
    pub fn add(&mut self, number: u32, lines: &[String]) -> Option<Self> {
        let finished = (self.text.len() >= PART_BYTES && !lines.is_empty()).then(|| std::mem::take(self));
        for line in lines {
            self.push(number, line);
        }
        finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_is_decoded() {
        let mut part = Part::default();
        assert_eq!(part.add(4, &["User: a".to_owned(), "User: b".to_owned()]), None);
        assert_eq!(part.add(9, &["Assistant: c".to_owned()]), None);
        assert_eq!((part.first_line(), part.text.as_str()), (Some(4), "User: a\nUser: b\nAssistant: c"));
        assert_eq!(Part::decode(&part.encode()), part);
        assert_eq!(Part::decode(""), Part::default());
    }

    #[test]
    fn a_full_part_ends_before_the_next_message() {
        let mut part = Part::default();
        let long = vec![format!("User: {}", "x".repeat(PART_BYTES))];
        assert_eq!(part.add(1, &long), None);
        assert_eq!(part.add(2, &[]), None, "silence begins no part");
        let finished = part.add(3, &["Assistant: y".to_owned()]).unwrap();
        assert_eq!((finished.first_line(), part.first_line()), (Some(1), Some(3)));
    }
}
