//! Adds a waiver to the text of a configuration; all else in it stays as it is.

use std::path::Path;

use super::load::parse;
use crate::model::text::TextFile;

/// A waiver to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewWaiver<'a> {
    /// Check id.
    pub check: &'a str,
    /// Subject id.
    pub subject: &'a str,
    /// Why.
    pub reason: &'a str,
    /// Who answers for it.
    pub owner: &'a str,
    /// Last day, `YYYY-MM-DD`.
    pub expires: &'a str,
}

/// The text with the waiver behind those it has, or in a section of its own at the end.
///
/// # Errors
/// If its waivers are not written as a list of `- ` lines, or the result would not be read back as
/// the same configuration with one waiver more.
pub fn add_waiver(text: &str, waiver: &NewWaiver<'_>) -> Result<String, &'static str> {
    let new_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().position(|line| is_key(line));
    let (at, indent, key) = match head {
        None => (lines.len(), "  ", true),
        Some(head) => {
            let rest = lines.get(head).and_then(|line| line.split_once(':'));
            let value = rest.map_or("", |(_, value)| value);
            match value.split('#').next().unwrap_or_default().trim() {
                "" => {}
                "[]" => {
                    if let Some(line) = lines.get_mut(head) {
                        *line = "waivers:";
                    }
                }
                _ => {
                    return Err(
                        "`waivers` is not a list of `- ` lines; write it so, or add the waiver by hand",
                    );
                }
            }
            let (end, indent) = block(&lines, head);
            (end, indent, false)
        }
    };
    let mut added = Vec::new();
    if key {
        added.push("waivers:".to_owned());
    }
    let pairs = [
        ("check", waiver.check.to_owned()),
        ("subject", quoted(waiver.subject)),
        ("reason", quoted(waiver.reason)),
        ("owner", quoted(waiver.owner)),
        ("expires", waiver.expires.to_owned()),
    ];
    for (at, (name, value)) in pairs.iter().enumerate() {
        let mark = if at == 0 { "- " } else { "  " };
        added.push(format!("{indent}{mark}{name}: {value}"));
    }
    let (before, after) = lines.split_at(at.min(lines.len()));
    let all = before
        .iter()
        .copied()
        .chain(added.iter().map(String::as_str))
        .chain(after.iter().copied());
    let mut written = String::with_capacity(text.len() + 256);
    for line in all {
        written.push_str(line);
        written.push_str(new_line);
    }
    match reads_back(text, &written, waiver) {
        true => Ok(written),
        false => {
            Err("the file is laid out in a way that a waiver cannot be added to; add it by hand")
        }
    }
}

fn is_key(line: &str) -> bool {
    let rest = line.strip_prefix("waivers").map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with(':'))
}

/// Where the block of a key ends, behind its last line that is not blank; and how far its items
/// are set in.
fn block<'t>(lines: &[&'t str], head: usize) -> (usize, &'t str) {
    let mut end = head + 1;
    let mut indent = None;
    for (at, line) in lines.iter().enumerate().skip(head + 1) {
        let bare = line.trim_start();
        if bare.is_empty() || (bare.starts_with('#') && bare.len() == line.len()) {
            continue;
        }
        let is_item = bare.starts_with("- ");
        if bare.len() == line.len() && !is_item {
            break;
        }
        if is_item && indent.is_none() {
            indent = line.get(..line.len() - bare.len());
        }
        end = at + 1;
    }
    (end, indent.unwrap_or("  "))
}

/// As JSON quotes it, which YAML reads alike.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// True if the new text says what the old one did, and the waiver.
fn reads_back(old: &str, new: &str, waiver: &NewWaiver<'_>) -> bool {
    let read = |text: &str| parse(TextFile::new("", text.to_owned()), Path::new("")).ok();
    let (Some(old), Some(new)) = (read(old), read(new)) else {
        return false;
    };
    let (before, after) = (&old.declarations.waivers, &new.declarations.waivers);
    let Some((last, rest)) = after.split_last() else {
        return false;
    };
    let kept = before.len() == rest.len()
        && before.iter().zip(rest).all(|(one, other)| {
            one.check.value == other.check.value && one.subject.value == other.subject.value
        });
    kept && *last.check.value == *waiver.check
        && *last.subject.value == *waiver.subject
        && *last.reason == *waiver.reason
        && *last.owner == *waiver.owner
        && *last.expires == *waiver.expires
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIVER: NewWaiver<'_> = NewWaiver {
        check: "unguarded-create",
        subject: "flow:A \"b\": c/action/Insert:T",
        reason: "yes: # really",
        owner: "ann",
        expires: "2030-12-31",
    };

    fn added(text: &str) -> String {
        add_waiver(text, &WAIVER).expect("it can be added")
    }

    #[test]
    fn comments_and_order_stay() {
        for before in [
            "version: 1 # one\n",
            "version: 1",
            "version: 1\r\npacks: nexuscrm\r\n",
            "version: 1\nwaivers:\n# none yet\nhorizon: 7d # week\n",
            "version: 1\nwaivers: []\nhorizon: 7d\n",
            "version: 1\nwaivers:\n- {check: c, subject: s, reason: r, owner: o, expires: 2026-01-01}\n\n# h\nhorizon: 7d\n",
            "version: 1\nwaivers:\n    - check: c\n      subject: s\n      reason: >\n        long\n\n        text\n      owner: o\n      expires: 2026-01-01\nhorizon: 7d\n",
        ] {
            let after = added(before);
            let kept: Vec<&str> = before
                .lines()
                .filter(|line| *line != "waivers: []")
                .collect();
            let mut lines = after.lines();
            for line in kept {
                assert!(
                    lines.any(|other| other == line),
                    "{line} is gone from\n{after}"
                );
            }
            assert_eq!(after.contains("\r\n"), before.contains("\r\n"));
        }
    }

    #[test]
    fn what_cannot_be_added_to_is_refused() {
        for text in [
            "version: 1\nwaivers: [{check: c, subject: s, reason: r, owner: o, expires: 2026-01-01}]\n",
            "{version: 1}\n",
            "version: 1\n...\n",
        ] {
            assert!(add_waiver(text, &WAIVER).is_err(), "{text}");
        }
    }
}
