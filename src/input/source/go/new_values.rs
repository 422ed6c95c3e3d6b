//! `new(value)`, which Go has since 1.26 and the grammar has not: it takes only types. Where a file
//! does not parse, those calls are parsed under a name of the same length that is no special one.

/// The text with another name for each `new` that is given a value; none if there is none.
pub(super) fn masked(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    for at in memchr::memmem::find_iter(bytes, b"new(") {
        let is_part = |byte: u8| byte == b'_' || byte == b'.' || byte.is_ascii_alphanumeric();
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let argument = text.get(at + 4..).unwrap_or_default();
        if before.is_some_and(|byte| is_part(*byte)) || !is_value(argument) {
            continue;
        }
        let out = out.get_or_insert_with(|| bytes.to_vec());
        if let Some(name) = out.get_mut(at..at + 3) {
            name.copy_from_slice(b"neW");
        }
    }
    String::from_utf8(out?).ok()
}

/// True if what follows the bracket can be no type.
fn is_value(argument: &str) -> bool {
    let argument = argument.trim_start();
    if argument.starts_with(|c: char| c.is_ascii_digit() || "\"'`-+!&^".contains(c)) {
        return true;
    }
    let kinds = ["func", "struct", "interface", "chan", "map", "[", "*", "<-"];
    if kinds.iter().any(|kind| argument.starts_with(kind)) {
        return false;
    }
    // A name, qualified or with type arguments, is a type if the bracket closes behind it.
    let mut depth = 0usize;
    for byte in argument.bytes() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b')' | b',' if depth == 0 => return false,
            _ if depth > 0 => {}
            b'_' | b'.' | b' ' | b'\t' | b'\n' | b'\r' | 0x80.. => {}
            _ if byte.is_ascii_alphanumeric() => {}
            _ => return true,
        }
    }
    false
}
