//! Reads the imports of a file: every path, wherever it stands.

use std::fmt;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::{EVERYBODY, LAYERS};

/// Something that the shape of the crate does not allow.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Breach {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) says: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.says)
    }
}

/// Reads the paths of one file.
struct Reader<'a> {
    /// Below `src`, with `/`.
    file: &'a str,
    /// The module that is being read, inline modules included.
    module: Vec<String>,
    breaches: Vec<Breach>,
}

impl Reader<'_> {
    /// Judges a path that stands at `line`.
    fn path(&mut self, segments: &[String], line: usize) {
        let Some(absolute) = self.absolute(segments) else {
            return;
        };
        let Some(layer) = self.module.first() else {
            return;
        };
        let Some(target) = absolute.first() else {
            return;
        };
        if target == layer {
            return;
        }
        let named = absolute.join("::");
        let Some((_, may)) = LAYERS.iter().find(|(name, _)| name == layer) else {
            let says = format!("`{layer}` has no row in LAYERS: say there what it may import");
            return self.breach(line, says);
        };
        let allowed = may.iter().any(|allowed| {
            *allowed == EVERYBODY
                || named == **allowed
                || named.starts_with(&format!("{allowed}::"))
        });
        if !allowed {
            let list = if may.is_empty() {
                "nothing of ours".to_owned()
            } else {
                may.join(", ")
            };
            self.breach(line, format!("`{layer}` may import {list}, not `{named}`"));
        }
    }

    fn breach(&mut self, line: usize, says: String) {
        let file = format!("src/{}", self.file);
        // One line may name the same thing twice, and a missing row is said once.
        if !self.breaches.iter().any(|known| known.says == says) {
            self.breaches.push(Breach { file, line, says });
        }
    }

    /// The path below the crate root; none for a path that does not begin at a module.
    fn absolute(&self, segments: &[String]) -> Option<Vec<String>> {
        let mut at = match segments.first()?.as_str() {
            "crate" | "outbox_audit" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return None,
        };
        for segment in segments {
            match segment.as_str() {
                "crate" | "outbox_audit" | "self" => {}
                "super" => {
                    at.pop();
                }
                name => at.push(name.to_owned()),
            }
        }
        Some(at)
    }

    /// Paths in the text of tokens: arguments of macros and attributes are not parsed.
    fn tokens(&mut self, text: &str, line: usize) {
        let words = split(text);
        let mut at = 0;
        while at < words.len() {
            let mut path = vec![words[at].clone()];
            while words.get(at + 1).is_some_and(|word| word == "::") && at + 2 < words.len() {
                path.push(words[at + 2].clone());
                at += 2;
            }
            at += 1;
            if path.len() > 1 {
                self.path(&path, line);
            }
        }
    }

    fn use_tree(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let mut path = prefix.to_vec();
        match tree {
            syn::UseTree::Path(next) => {
                path.push(next.ident.to_string());
                self.use_tree(&path, &next.tree);
            }
            syn::UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.path(&path, name.span().start().line);
            }
            syn::UseTree::Rename(rename) => {
                path.push(rename.ident.to_string());
                self.path(&path, rename.span().start().line);
            }
            syn::UseTree::Glob(glob) => {
                path.push("*".into());
                self.path(&path, glob.span().start().line);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(prefix, tree);
                }
            }
        }
    }
}

/// Words and `::` of a text; everything else parts them.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word: String = rest
            .chars()
            .take_while(|each| each.is_alphanumeric() || *each == '_')
            .collect();
        if !word.is_empty() {
            rest = &rest[word.len()..];
            words.push(word);
        } else if let Some(behind) = rest.strip_prefix("::") {
            words.push("::".into());
            rest = behind;
        } else {
            if !first.is_whitespace() {
                words.push(first.to_string());
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    words
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&[], &item.tree);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path
            .segments
            .iter()
            .map(|it| it.ident.to_string())
            .collect();
        self.path(&segments, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(&call.tokens.to_string(), call.span().start().line);
        visit::visit_macro(self, call);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let line = attribute.span().start().line;
        match &attribute.meta {
            // Documentation may name what it likes.
            syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => {}
            syn::Meta::List(list) => self.tokens(&list.tokens.to_string(), line),
            _ => visit::visit_attribute(self, attribute),
        }
    }
}

/// The breaches of one file below `src`.
pub(crate) fn breaches_of(file: &str, text: &str) -> Vec<Breach> {
    let parsed = match syn::parse_file(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let line = error.span().start().line;
            let says = format!("this is not Rust: {error}");
            return vec![Breach {
                file: format!("src/{file}"),
                line,
                says,
            }];
        }
    };
    let mut reader = Reader {
        file,
        module: module_of(file),
        breaches: Vec::new(),
    };
    reader.visit_file(&parsed);
    reader.breaches
}

/// `facts/guard.rs` and `facts/mod.rs` lie in module `facts`; `lib.rs` and `main.rs` in none.
pub(crate) fn module_of(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    match stem {
        "lib" | "main" => Vec::new(),
        stem => stem.split('/').map(str::to_owned).collect(),
    }
}
