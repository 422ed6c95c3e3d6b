//! Annotations: what a test says that it shows.

use std::sync::Arc;

use crate::model::tests::{Grade, TestClaim};

/// Name of the property that links a test to an effect or a consumer.
pub(super) const PROPERTY: &str = "redelivery";

/// Name of the property that says on which commit the tests ran.
pub(super) const COMMIT: &str = "redelivery.commit";

/// Name of the property that says which digests that has with which the tests ran.
pub(super) const DIGESTS: &str = "redelivery.digests";

/// Digests in a property, apart by spaces or commas.
pub(super) fn digests(text: &str) -> impl Iterator<Item = Arc<str>> {
    text.split([' ', ',', '\n', '\t'])
        .filter(|word| !word.is_empty())
        .map(Arc::from)
}

/// Opens an annotation in the name of a test.
const IN_NAME: &str = "redelivery(";

/// What `[GRADE] SUBJECT` says. Runners write spaces of a name as underscores.
pub(super) fn claim(text: &str) -> Option<TestClaim> {
    let text = text.trim_matches([' ', '_', '\t', '\n']);
    let graded = text
        .split_once([' ', '_'])
        .and_then(|(word, rest)| Some((Grade::of(word)?, rest)));
    let (grade, subject) = graded.unwrap_or((Grade::default(), text));
    let subject = subject.trim();
    (!subject.is_empty()).then(|| TestClaim {
        subject: Arc::from(subject),
        grade,
    })
}

/// The annotations that stand in a name.
pub(super) fn in_name(name: &str) -> Vec<TestClaim> {
    let mut found = Vec::new();
    let mut rest = name;
    while let Some(at) = rest.find(IN_NAME) {
        let inner = rest.get(at + IN_NAME.len()..).unwrap_or_default();
        let Some(end) = closing(inner) else { break };
        found.extend(claim(inner.get(..end).unwrap_or_default()));
        rest = inner.get(end..).unwrap_or_default();
    }
    found
}

/// Where the bracket that is open is closed; names may hold brackets of their own.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str) -> Vec<(String, Grade)> {
        in_name(name)
            .into_iter()
            .map(|claim| (claim.subject.to_string(), claim.grade))
            .collect()
    }

    #[test]
    fn names_carry_subjects_and_grades() {
        let subject = "flow:Convert lead (new)/action/CreateRecord:Opportunity";
        assert_eq!(
            said(&format!("TestConvert/redelivery({subject})")),
            [(subject.to_owned(), Grade::Sequential)]
        );
        assert_eq!(
            said("test_twice[redelivery(concurrent_declared:a/b)-redelivery(declared:c)]"),
            [
                ("declared:a/b".to_owned(), Grade::Concurrent),
                ("declared:c".to_owned(), Grade::Sequential)
            ]
        );
        assert_eq!(said("TestRedeliveryOfLead"), []);
        assert_eq!(said("redelivery(cut off"), []);
        assert_eq!(said("redelivery()"), []);
    }
}
