//! Korean: particles are glued to the word before them; this takes them off.

/// Particles and copulas, longest first, so that `에서` goes before `서`.
const PARTICLES: &[&str] = &[
    "으로부터",
    "이라는",
    "입니다",
    "에서는",
    "에게서",
    "으로는",
    "이에요",
    "으로",
    "에서",
    "에게",
    "한테",
    "까지",
    "부터",
    "처럼",
    "보다",
    "마다",
    "조차",
    "밖에",
    "이나",
    "이랑",
    "하고",
    "라는",
    "에는",
    "예요",
    "인데",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "의",
    "와",
    "과",
    "도",
    "로",
    "만",
    "랑",
    "나",
    "야",
];

/// The word without its particle; the word itself when there is none or nothing would be left.
#[must_use]
pub(crate) fn strip_particle(word: &str) -> &str {
    PARTICLES.iter().find_map(|particle| word.strip_suffix(particle).filter(|rest| !rest.is_empty())).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_come_off() {
        for (word, want) in [
            ("고양이가", "고양이"),
            ("회의에서", "회의"),
            ("서울까지", "서울"),
            ("친구한테", "친구"),
            ("집에", "집"),
            ("비밀번호", "비밀번호"),
            ("이", "이"),
        ] {
            assert_eq!(strip_particle(word), want);
        }
    }
}
