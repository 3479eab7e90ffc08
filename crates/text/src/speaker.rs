//! Who speaks in a line of a conversation, by what the index puts before it.

/// Who speaks in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person whose agent it is, as far as the host tells.
    User,
    /// Somebody else.
    Other,
    /// The model.
    Assistant,
    /// The model, after it has read what somebody else said.
    AssistantAfterOthers,
}

impl Speaker {
    /// Each.
    pub const ALL: [Self; 4] = [Self::User, Self::Other, Self::Assistant, Self::AssistantAfterOthers];

    /// What a line of theirs begins with.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::User => "User: ",
            Self::Other => "Other: ",
            Self::Assistant => "Assistant: ",
            Self::AssistantAfterOthers => "Assistant, after others: ",
        }
    }
}

/// Who speaks in a line of the index; none for a part of a line.
#[must_use]
pub fn of_line(line: &str) -> Option<Speaker> {
    Speaker::ALL.into_iter().find(|speaker| line.starts_with(speaker.label()))
}
