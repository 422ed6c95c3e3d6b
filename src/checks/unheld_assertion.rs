//! What people say of calls that cannot be followed is bound to the source it speaks of.

use crate::model::check::{
    Change, CheckInfo, Finding, Obligation, Outcome, Severity, Subject, Weight,
};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::{Facts, SourceFacts};
use crate::model::scope::Assertion;

use super::{not_met, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unheld-assertion",
    clause: "map",
    title: "an assertion about code that is not held against it",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("unheld_assertion.md"),
};

/// Decides it for every assertion.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    let asserted = facts.declarations.assertions.iter();
    out.extend(asserted.map(|assertion| Obligation {
        subject: Subject::Contract(format!("assertion:{}", assertion.callee.value).into()),
        check: &INFO,
        outcome: outcome(facts.source.as_ref(), assertion),
        waiver: None,
    }));
}

fn outcome(source: Option<&SourceFacts>, assertion: &Assertion) -> Outcome {
    let callee = &assertion.callee.value;
    let place = Some(assertion.callee.place.clone());
    let Some(source) = source else {
        return unknown(Reason {
            why: Why::NotGiven,
            needs: Some(InputKind::Source),
            sentence: format!("the assertion about `{callee}` speaks of source that was not read"),
            place,
            next_step: "give the source (--source)".into(),
        });
    };
    let said = assertion.digest.value.to_ascii_lowercase();
    let is_current = source.digests.iter().any(|digest| {
        // What is read is the beginning of a digest; what is declared may be all of it.
        said.starts_with(&**digest)
    });
    if is_current {
        return unknown(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence: format!(
                "`{callee}` is asserted to be `{}` by {}; an assertion closes no call yet",
                assertion.says, assertion.owner
            ),
            place,
            next_step: "what it speaks of stays open in the map".into(),
        });
    }
    not_met(
        Finding::new(
            format!("the assertion about `{callee}` speaks of source that was not read: no file of it has the digest"),
            assertion.digest.place.clone(),
        )
        .severity(Severity::Warning)
        .label("not the digest of any file that was read")
        .note(format!("asserted: {} (owner: {})", assertion.says, assertion.owner))
        .repair(vec![Change {
            key: format!("assertion:{callee}"),
            title: format!("read `{callee}` again, and write the digest of its source"),
            how: None,
        }]),
    )
}

/// So that the subject of an assertion is told apart from that of a contract.
#[cfg(test)]
mod tests {
    use super::*;

    fn assertion(digest: &str) -> Assertion {
        let declared = |value: &str| crate::model::scope::Declared {
            value: value.into(),
            place: crate::model::place::Place::CommandLine,
        };
        Assertion {
            callee: declared("mailer.Render"),
            says: "pure".into(),
            owner: "ann".into(),
            digest: declared(digest),
        }
    }

    #[test]
    fn a_digest_of_other_source_holds_nothing() {
        let source = SourceFacts {
            digests: vec!["0123456789abcdef".into()],
            ..SourceFacts::default()
        };
        let said = |digest| outcome(Some(&source), &assertion(digest)).word();
        assert_eq!(said("0123456789ABCDEF"), "unknown");
        assert_eq!(said("0123456789abcdef0123"), "unknown");
        assert_eq!(said("0123456789abcdee"), "not-met");
        assert_eq!(outcome(None, &assertion("00")).word(), "unknown");
    }
}
