//! The words of a text as they stand, without any sign. What a search compares is made by [`crate::analyze`].

/// The stretches of letters and digits of a text, in order.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_part_words_and_are_none() {
        assert_eq!(
            words("Ana’s loft: 1,250 EUR – 我在上海!").collect::<Vec<_>>(),
            ["Ana", "s", "loft", "1", "250", "EUR", "我在上海"]
        );
        assert_eq!(words(" …!").count(), 0);
    }
}
