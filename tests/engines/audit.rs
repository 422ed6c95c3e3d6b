//! What the audit says about a case.

use std::process::Command;

use serde_json::Value;

use crate::case::Case;

/// The report about the effect of a case: `keep` of the consumer `handle`.
pub(crate) struct Audited {
    report: Value,
    effect: Value,
}

impl Audited {
    /// Audits it from the command line.
    pub(crate) fn of(case: &Case) -> Result<Audited, String> {
        let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
            .args(["check", "--format", "json", "--as-of", "2026-01-01"])
            .args(["--dialect", &case.engine])
            .args(["--flows", "flows.yaml", "--schema", "schema.sql", "."])
            .current_dir(&case.folder)
            .output()
            .map_err(|error| format!("the audit does not start: {error}"))?;
        let report: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("the audit prints no JSON: {error}: {errors}")
        })?;
        let effects = report["effects"].as_array();
        let effect = effects.into_iter().flatten().find(|effect| {
            let id = effect["id"].as_str().unwrap_or_default();
            id.starts_with("declared:handle/keep/")
        });
        let effect = effect.ok_or("the audit knows no effect `keep` of `handle`")?;
        let effect = effect.clone();
        Ok(Audited { report, effect })
    }

    /// How that differs from what is expected.
    pub(crate) fn faults(&self, case: &Case) -> Vec<String> {
        let expect = &case.expect;
        let mut faults = Vec::new();
        let mut must = |what: &str, said: &str, wanted: &str| {
            if said != wanted {
                faults.push(format!("the audit says {what} {said}, not {wanted}"));
            }
        };
        let unknown = !expect.unknown.is_empty();
        let wanted = match (unknown, expect.lost) {
            (true, _) => "unknown",
            (false, true) => "lost",
            (false, false) => &expect.outcome,
        };
        must("of a second delivery:", &self.further("sequential"), wanted);
        if let Some(lapsed) = &expect.lapsed {
            must("after the guard:", &self.further("guard_lapsed"), lapsed);
        }
        if expect.burns == Some(true) && !unknown {
            let outcome = self.outcome("burned-number");
            must("of burned-number:", &outcome, "not-met");
        }
        if let Some(other) = &expect.other {
            let alarms = ["coarse-key", "constant-key"]
                .into_iter()
                .filter(|check| self.outcome(check) == "not-met");
            let check = expect.other_check.as_deref();
            let wanted = match other.as_str() {
                "swallowed" => check.unwrap_or("coarse-key"),
                _ => check.unwrap_or(""),
            };
            let alarms: Vec<&str> = alarms.collect();
            must("of another event:", &alarms.join(", "), wanted);
        }
        let create = self.obligation("unguarded-create");
        let refused = expect.refused || expect.lost;
        if refused {
            must("of always-fails:", &self.outcome("always-fails"), "not-met");
        }
        match (&expect.guard, unknown) {
            (Some(guard), false) => {
                let proof = create["proof"].as_str().unwrap_or("no proof");
                if !proof.starts_with(&format!("UNIQUE {guard} (")) {
                    faults.push(format!("the audit does not cite {guard}: {proof}"));
                }
            }
            (None, false) if create.is_null() => {}
            (None, false) if refused => must(
                "of unguarded-create:",
                &self.outcome("unguarded-create"),
                "not-applicable",
            ),
            (None, false) => must(
                "of unguarded-create:",
                &self.outcome("unguarded-create"),
                "not-met",
            ),
            (_, true) => {
                let said = self.reasons();
                for word in expect.unknown.iter().filter(|word| !said.contains(*word)) {
                    faults.push(format!("its reasons do not say `{word}`: {said}"));
                }
            }
        }
        let notes = create["finding"]["notes"].to_string();
        for (enforcer, rule) in &expect.not_a_guard {
            let said = notes.split("not a guard: ").any(|note| {
                note.starts_with(&format!("{enforcer} (")) && note.contains(&format!("[{rule}]"))
            });
            if !said {
                faults.push(format!(
                    "no note says that {enforcer} fails {rule}: {notes}"
                ));
            }
        }
        faults
    }

    fn further(&self, scenario: &str) -> String {
        let further = &self.effect["further_delivery"][scenario];
        further.as_str().unwrap_or("unknown").to_owned()
    }

    fn obligation(&self, check: &str) -> &Value {
        let all = self.report["obligations"].as_array();
        all.into_iter()
            .flatten()
            .find(|each| each["check"] == check && each["subject"] == self.effect["id"])
            .unwrap_or(&Value::Null)
    }

    fn outcome(&self, check: &str) -> String {
        let outcome = &self.obligation(check)["outcome"];
        outcome.as_str().unwrap_or("nothing").to_owned()
    }

    /// Everything that is not known, in its own words.
    fn reasons(&self) -> String {
        let all = self.report["obligations"].as_array();
        let sentences: Vec<&str> = all
            .into_iter()
            .flatten()
            .filter_map(|each| each["reason"]["sentence"].as_str())
            .collect();
        sentences.join("; ")
    }
}
