//! Recency (F7): a score halves every half-life of its note's age.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use serde::Serialize;

use model::source::Source;

const DAY_MS: f64 = 86_400_000.0;

/// A daily note: its date is its age, whatever the file system says.
static DATED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:^|/)memory/([0-9]{4})-([0-9]{2})-([0-9]{2})\.md$").ok());

/// How much a score lost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decay {
    /// Days since the note's date or the file's last change.
    pub(super) age_days: f64,
    /// What the score is multiplied with, 0–1.
    pub(super) multiplier: f64,
}

/// The decay of a chunk; none for what never ages: `MEMORY.md`, `memory.md`, undated files under `memory/`, and
/// transcripts, whose paths are not files of the workspace.
pub(super) fn decay(path: &str, source: Source, mtime_ns: i64, now_ms: i64, half_life_days: f64) -> Option<Decay> {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    let (dated, date_ms) = note_date(path);
    let at_ms = match date_ms {
        Some(ms) => ms,
        None if source == Source::Sessions || is_evergreen(path, dated) => return None,
        None => mtime_ns.div_euclid(1_000_000),
    };
    let age_days = now_ms.saturating_sub(at_ms).max(0) as f64 / DAY_MS;
    Some(Decay { age_days, multiplier: multiplier(age_days, half_life_days) })
}

fn multiplier(age_days: f64, half_life_days: f64) -> f64 {
    if half_life_days.is_finite() && half_life_days > 0.0 {
        (-(std::f64::consts::LN_2 / half_life_days) * age_days).exp()
    } else {
        1.0
    }
}

/// Whether a path has the form of a daily note, and the start of its day in UTC where that day exists.
fn note_date(path: &str) -> (bool, Option<i64>) {
    let Some(captures) = DATED.as_ref().and_then(|dated| dated.captures(path)) else { return (false, None) };
    let number = |group: usize| captures.get(group).and_then(|digits| digits.as_str().parse::<i16>().ok());
    let date = (|| {
        let (month, day) = (i8::try_from(number(2)?).ok()?, i8::try_from(number(3)?).ok()?);
        // The reference takes the years 0 to 99 for 1900 to 1999, and then finds that they do not agree.
        let year = number(1).filter(|&year| year >= 100)?;
        Date::new(year, month, day).ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()
    })();
    (true, date.map(|day| day.timestamp().as_millisecond()))
}

fn is_evergreen(path: &str, dated: bool) -> bool {
    matches!(path, "MEMORY.md" | "memory.md") || (path.starts_with("memory/") && !dated)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2026-01-31T00:00:00Z.
    const NOW: i64 = 1_769_817_600_000;
    const DAY: i64 = 86_400_000;

    fn of(path: &str, source: Source) -> Option<Decay> {
        decay(path, source, (NOW - 60 * DAY) * 1_000_000, NOW, 30.0)
    }

    #[test]
    fn daily_notes_age_by_their_name() {
        let note = of("memory/2026-01-01.md", Source::Memory).unwrap();
        assert!((note.age_days - 30.0).abs() < 1e-12 && (note.multiplier - 0.5).abs() < 1e-12);
        assert_eq!(of("./memory\\2026-01-01.md", Source::Memory), Some(note));
        assert_eq!(of("../other/memory/2026-01-01.md", Source::Memory), Some(note));
    }

    #[test]
    fn tomorrow_is_as_fresh_as_today() {
        let multiplier = |path| of(path, Source::Memory).unwrap().multiplier;
        assert!((multiplier("memory/2026-02-10.md") - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_clock_that_is_far_off_keeps_every_weight_between_nothing_and_all() {
        for now_ms in [i64::MIN, -NOW, 0, NOW, i64::MAX] {
            for mtime_ns in [i64::MIN, 0, NOW * 1_000_000, i64::MAX] {
                for path in ["docs/a.md", "memory/2026-01-01.md", "memory/9999-12-31.md", "memory/0100-01-01.md"] {
                    let Decay { age_days, multiplier } = decay(path, Source::Memory, mtime_ns, now_ms, 30.0).unwrap();
                    assert!(age_days >= 0.0 && (0.0..=1.0).contains(&multiplier), "{path} {mtime_ns} {now_ms}");
                }
            }
        }
        // Set back below the note and the change of the file: both are new.
        for path in ["docs/a.md", "memory/2026-01-01.md"] {
            let fresh = decay(path, Source::Memory, NOW * 1_000_000, NOW - 400 * DAY, 30.0).unwrap();
            assert!(fresh.age_days.abs() < 1e-12 && (fresh.multiplier - 1.0).abs() < 1e-12, "{path}");
        }
    }

    #[test]
    fn curated_files_and_transcripts_never_age() {
        for path in
            ["MEMORY.md", "memory.md", "memory/people.md", "memory/2026/2026-01-01.md", "memory/2026-01-01-x.md"]
        {
            assert_eq!(of(path, Source::Memory), None, "{path}");
        }
        assert_eq!(of("sessions/abc.jsonl", Source::Sessions), None);
    }

    #[test]
    fn everything_else_ages_by_its_last_change() {
        for path in ["docs/a.md", "memory/2026-02-31.md", "memory/0001-01-01.md"] {
            let decay = of(path, Source::Memory).unwrap();
            assert!((decay.multiplier - 0.25).abs() < 1e-12, "{path}");
        }
    }

    #[test]
    fn a_half_life_of_nothing_changes_nothing() {
        assert!((multiplier(100.0, 0.0) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn older_never_weighs_more(a in 0.0f64..1e5, b in 0.0f64..1e5, half_life in 0.1f64..1e4) {
            let (newer, older) = if a < b { (a, b) } else { (b, a) };
            let (newer, older) = (multiplier(newer, half_life), multiplier(older, half_life));
            prop_assert!((0.0..=1.0).contains(&older) && older <= newer);
        }
    }
}
