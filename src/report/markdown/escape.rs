//! Text from outside made safe inside markdown, HTML and Mermaid as GitHub reads them: no table,
//! tag, link, mention, issue number, formula or emoji comes out of a name.

use std::fmt::Write as _;

use crate::report::visible;

/// Shows as nothing; keeps GitHub from seeing a mention, a reference or an address.
const BREAK: &str = "&#8203;";

/// Prose: a sentence or a title.
pub(super) fn text(raw: &str) -> String {
    escape(&visible::sentence(raw), true)
}

/// Prose cut to so many characters.
pub(super) fn short(raw: &str, most: usize) -> String {
    escape(&visible::cut(&visible::visible(raw), most), true)
}

/// Prose inside an HTML block, where markdown does not reach.
pub(super) fn html(raw: &str) -> String {
    escape(
        &visible::cut(&visible::visible(raw), visible::NAME_CHARS * 2),
        false,
    )
}

/// A name, id or place in a code span; also inside a table.
pub(super) fn code(raw: &str) -> String {
    let shown = visible::name(raw);
    let plain = !shown.is_empty()
        && !shown.starts_with(' ')
        && !shown.ends_with(' ')
        && !shown.contains(['`', '|', '\\']);
    if plain {
        return format!("`{shown}`");
    }
    // Code spans have no escapes; the tag has, and no parser splits a table at an entity.
    let mut out = String::from("<code>");
    for character in shown.chars() {
        entity_unless_plain(&mut out, character);
    }
    out.push_str("</code>");
    out
}

/// A block of code; `lines` are as the reader shall see them.
pub(super) fn block(language: &str, lines: &[String]) -> String {
    let longest = lines.iter().map(|line| run_of_backticks(line)).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// A label in a Mermaid drawing, without its quotes.
pub(super) fn mermaid(raw: &str, most: usize) -> String {
    let shown = visible::cut(&visible::visible(raw), most);
    let mut out = String::with_capacity(shown.len());
    for character in shown.chars() {
        match character {
            ' ' | '.' | ',' | '_' | '/' | '→' | '…' => out.push(character),
            other if other.is_alphanumeric() => out.push(other),
            other => {
                // Writing to a string cannot fail.
                let _ = write!(out, "#{};", other as u32);
            }
        }
    }
    out
}

fn run_of_backticks(line: &str) -> usize {
    line.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

fn entity_unless_plain(out: &mut String, character: char) {
    if character.is_ascii_punctuation() && !matches!(character, ',' | '/' | '-') {
        // Writing to a string cannot fail.
        let _ = write!(out, "&#{};", character as u32);
    } else {
        out.push(character);
    }
    // Addresses are found after entities are read.
    if character == '@' {
        out.push_str(BREAK);
    }
}

fn escape(shown: &str, markdown: bool) -> String {
    let shown = shown.trim();
    let mut out = String::with_capacity(shown.len() + 16);
    let mut before = None;
    // True until something other than a digit was written: `12.` would start a list.
    let mut number = true;
    let mut skip_to = 0;
    for (at, character) in shown.char_indices() {
        if at < skip_to {
            continue;
        }
        let after = shown.get(at + character.len_utf8()..).unwrap_or_default();
        let next = after.chars().next();
        match character {
            '`' if markdown => match quoted(after) {
                Some(inner) => {
                    out.push_str(&format!("`{inner}`"));
                    skip_to = at + inner.len() + 2;
                }
                None => entity_unless_plain(&mut out, character),
            },
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '|' | '`' | '$' => entity_unless_plain(&mut out, character),
            '@' => {
                out.push('@');
                out.push_str(BREAK);
            }
            '\\' | '*' | '[' | ']' | '~' if markdown => {
                out.push('\\');
                out.push(character);
            }
            '_' if markdown && !(is_word(before) && is_word(next)) => out.push_str("\\_"),
            '#' => {
                out.push_str(if markdown { "\\#" } else { "#" });
                out.push_str(if next.is_some_and(|one| one.is_ascii_digit()) {
                    BREAK
                } else {
                    ""
                });
            }
            ':' => {
                out.push(':');
                out.push_str(if opens_reference(after) { BREAK } else { "" });
            }
            '.' if ends_with_www(&out) => {
                out.push_str(BREAK);
                out.push('.');
            }
            '-' if out.ends_with("GH") || out.ends_with("gh") => {
                out.push('-');
                out.push_str(BREAK);
            }
            // Nothing at the start makes a list, a heading or a rule.
            '-' | '+' | '=' if markdown && at == 0 => {
                out.push('\\');
                out.push(character);
            }
            '.' | ')' if markdown && number => {
                out.push('\\');
                out.push(character);
            }
            other => out.push(other),
        }
        number &= character.is_ascii_digit();
        before = Some(character);
    }
    out
}

/// What stands between a backtick and its partner, when both may stay: a command or a name made
/// of signs that mean nothing to any parser, and no third backtick beside them.
fn quoted(after: &str) -> Option<&str> {
    let (inner, rest) = after.split_once('`')?;
    let plain = |one: char| one.is_ascii_alphanumeric() || " _./=-(),+".contains(one);
    let trimmed = !inner.is_empty() && inner.trim() == inner;
    (trimmed && inner.chars().all(plain) && !rest.starts_with('`')).then_some(inner)
}

fn is_word(character: Option<char>) -> bool {
    character.is_some_and(char::is_alphanumeric)
}

fn ends_with_www(out: &str) -> bool {
    let tail = out.len().checked_sub(3).and_then(|at| out.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case("www"))
}

/// True behind the colon of an address or of an emoji's short name.
fn opens_reference(after: &str) -> bool {
    if after.starts_with("//") {
        return true;
    }
    let name = after.split(|one: char| !(one.is_ascii_alphanumeric() || "_+-".contains(one)));
    let name = name.into_iter().next().unwrap_or_default();
    !name.is_empty()
        && after
            .get(name.len()..)
            .is_some_and(|rest| rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_and_html_signs_are_plain_text() {
        assert_eq!(
            text("a|b <d> [e](f) *g*"),
            "a&#124;b &lt;d&gt; \\[e\\](f) \\*g\\*"
        );
        assert_eq!(text("_System_OutboxEvent"), "\\_System_OutboxEvent");
        assert_eq!(text("line\nbreak"), "line break");
        assert_eq!(html("<b>*x*"), "&lt;b&gt;*x*");
    }

    #[test]
    fn nothing_becomes_a_reference() {
        assert_eq!(text("@octocat"), "@&#8203;octocat");
        assert_eq!(text("#12"), "\\#&#8203;12");
        assert_eq!(text("https://x.example"), "https:&#8203;//x.example");
        assert_eq!(text("www.x.example"), "www&#8203;.x.example");
        assert_eq!(text("a:tada:"), "a:&#8203;tada:");
        assert_eq!(text("GH-3"), "GH-&#8203;3");
        assert_eq!(text("f.json:4:20"), "f.json:&#8203;4:20");
    }

    #[test]
    fn nothing_becomes_a_list_or_a_heading() {
        assert_eq!(text("- x"), "\\- x");
        assert_eq!(text("12. x"), "12\\. x");
        assert_eq!(text("# x"), "\\# x");
        assert_eq!(text("1.204 rows"), "1\\.204 rows");
        assert_eq!(text("2026-12-31"), "2026-12-31");
        assert_eq!(text("    code"), "code");
    }

    #[test]
    fn a_command_in_a_sentence_stays_code_and_a_stray_backtick_does_not() {
        assert_eq!(
            text("run `outbox-audit map` now"),
            "run `outbox-audit map` now"
        );
        assert_eq!(text("set by `NOW()`"), "set by `NOW()`");
        assert_eq!(text("`coalesce(a, b + 1)`"), "`coalesce(a, b + 1)`");
        assert_eq!(text("`a|b`"), "&#96;a&#124;b&#96;");
        assert_eq!(text("`a``b`"), "&#96;a&#96;`b`");
        assert_eq!(text("a ` b"), "a &#96; b");
    }

    #[test]
    fn code_spans_hold_whatever_stands_in_a_name() {
        assert_eq!(code("flow:a/b"), "`flow:a/b`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(code("a`b"), "<code>a&#96;b</code>");
        assert_eq!(
            block("sql", &["a ``` b".into()]),
            "````sql\na ``` b\n````\n"
        );
    }

    #[test]
    fn drawings_take_letters_and_spell_out_the_rest() {
        assert_eq!(mermaid("a\"]; end", 40), "a#34;#93;#59; end");
        assert_eq!(mermaid("名前", 40), "名前");
    }
}
