//! The names a person may have meant.

/// Names longer than this are compared by their beginnings only.
const LONGEST: usize = 64;

/// The candidate most like the word, if one is like it at all.
pub fn nearest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    nearest_few(word, candidates, 1).into_iter().next()
}

/// At most `count` candidates like the word, the nearest first, then by name.
pub fn nearest_few<'c>(word: &str, candidates: &[&'c str], count: usize) -> Vec<&'c str> {
    let plain = folded(word);
    let allowed = (plain.len() / 3).max(1);
    let mut near: Vec<(usize, &'c str)> = candidates
        .iter()
        .filter_map(|candidate| {
            let other = folded(candidate);
            if plain.is_empty() || other.len().abs_diff(plain.len()) > allowed {
                return None;
            }
            let distance = distance(&plain, &other);
            (distance <= allowed).then_some((distance, *candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(count).map(|(_, name)| name).collect()
}

/// Names to suggest: those like the word, else those that hold it, else the first ones there are.
pub fn suggested<'c>(word: &str, candidates: &[&'c str], count: usize) -> Vec<&'c str> {
    let near = nearest_few(word, candidates, count);
    if !near.is_empty() {
        return near;
    }
    let typed = word.to_lowercase();
    let holds = |name: &&&'c str| !typed.is_empty() && name.to_lowercase().contains(&typed);
    let holding: Vec<&'c str> = candidates
        .iter()
        .filter(holds)
        .take(count)
        .copied()
        .collect();
    match holding.is_empty() {
        true => candidates.iter().take(count).copied().collect(),
        false => holding,
    }
}

/// Letters without case and separators: `naturalKeys` and `natural-keys` are `natural_keys`.
fn folded(word: &str) -> Vec<char> {
    word.chars()
        .filter(|each| !matches!(each, '_' | '-' | ' ' | '.'))
        .flat_map(char::to_lowercase)
        .take(LONGEST)
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn distance(left: &[char], right: &[char]) -> usize {
    let mut two_up: Vec<usize> = Vec::new();
    let mut up: Vec<usize> = (0..=right.len()).collect();
    let mut above = None;
    for (row, a) in left.iter().enumerate() {
        let mut line = vec![row + 1];
        let mut before = None;
        for (column, b) in right.iter().enumerate() {
            let cost =
                |cells: &[usize], at: usize| cells.get(at).copied().unwrap_or(usize::MAX / 2);
            let mut best = (cost(&up, column) + usize::from(a != b))
                .min(cost(&up, column + 1) + 1)
                .min(cost(&line, column) + 1);
            if above == Some(b) && before == Some(a) {
                best = best.min(cost(&two_up, column.saturating_sub(1)) + 1);
            }
            line.push(best);
            before = Some(b);
        }
        above = Some(a);
        two_up = std::mem::replace(&mut up, line);
    }
    up.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(left: &str, right: &str) -> usize {
        distance(
            &left.chars().collect::<Vec<_>>(),
            &right.chars().collect::<Vec<_>>(),
        )
    }

    #[test]
    fn distances_count_single_edits() {
        for (left, right, expected) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "", 3),
            ("uniqe", "unique", 1),
            ("wiavers", "waivers", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(between(left, right), expected, "{left} {right}");
            assert_eq!(between(right, left), expected, "{right} {left}");
        }
    }

    #[test]
    fn spelling_and_separators_are_forgiven_and_strangers_are_not_offered() {
        let keys = ["natural_keys", "waivers", "packs", "rules"];
        assert_eq!(nearest("naturalKeys", &keys), Some("natural_keys"));
        assert_eq!(nearest("natrual-keys", &keys), Some("natural_keys"));
        assert_eq!(nearest("pack", &keys), Some("packs"));
        assert_eq!(nearest("colour", &keys), None);
        assert_eq!(nearest("", &keys), None);
    }

    #[test]
    fn several_are_ordered_by_distance_and_name() {
        let flows = ["Convert leads", "Convert lead", "Convert load", "Other"];
        assert_eq!(
            nearest_few("Convert laed", &flows, 3),
            ["Convert lead", "Convert leads", "Convert load"]
        );
    }
}
