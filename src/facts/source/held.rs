//! What a value of a type holds, and the types whose methods it has.

use crate::model::source::{Language, SourceFile, TypeKind, TypeRef};

use super::frame::{Analysis, Frame};
use super::types::Ty;
use super::wrappers::TRANSPARENT;

impl<'a> Analysis<'a> {
    /// The type of what a list, map or channel holds; `at` 0 is the key of a map.
    pub(super) fn element(&self, of: &Ty<'a>, at: usize) -> Option<Ty<'a>> {
        if let Ty::Holding(..) = of {
            return self.held_by(of, &Frame::outside(self.program.files.first()?, 0));
        }
        let Ty::Written(file, of) = of else {
            let rows = self.held_by(of, &Frame::outside(self.program.files.first()?, 0));
            return rows.filter(|_| self.program.has_python());
        };
        if file.language == Language::Python && !matches!(&*of.name, "[]" | "map" | "chan") {
            return self.held_by(&Ty::Written(file, of), &Frame::outside(file, 0));
        }
        let mut of = *of;
        for _ in 0..4 {
            let last = of.name.rsplit("::").next().unwrap_or_default();
            match &*of.name {
                "[]" | "chan" if at != 0 => return Some(Ty::Written(file, of.args.first()?)),
                "map" => return Some(Ty::Written(file, of.args.get(at.min(1))?)),
                _ if matches!(
                    last,
                    "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "Receiver"
                ) =>
                {
                    return Some(Ty::Written(file, of.args.first()?));
                }
                _ if TRANSPARENT.contains(&last) => of = of.args.first()?,
                name => {
                    // A type made of a list.
                    let name = self.program.named(file, name);
                    let (file, decl) = self.program.type_named(&name)?;
                    let inner = Ty::Written(file, decl.of.first()?);
                    return (decl.kind == TypeKind::Alias && &*decl.of[0].name != "?")
                        .then(|| self.element_of_made(&inner, at))
                        .flatten();
                }
            }
        }
        None
    }

    /// The type of what a table of Rust keeps by a key, or a list by a number.
    pub(super) fn kept_by_key(&self, of: &Ty<'a>) -> Option<Ty<'a>> {
        let Ty::Written(file, whole) = of else {
            return None;
        };
        let mut of = *whole;
        for _ in 0..4 {
            let last = of.name.rsplit("::").next().unwrap_or_default();
            if last.ends_with("Map") {
                return Some(Ty::Written(file, of.args.get(1)?));
            }
            if !TRANSPARENT.contains(&last) {
                break;
            }
            of = of.args.first()?;
        }
        self.element(&Ty::Written(file, whole), 1)
    }

    fn element_of_made(&self, of: &Ty<'a>, at: usize) -> Option<Ty<'a>> {
        let Ty::Written(file, of) = of else {
            return None;
        };
        match &*of.name {
            "[]" | "chan" if at != 0 => Some(Ty::Written(file, of.args.first()?)),
            "map" => Some(Ty::Written(file, of.args.get(at.min(1))?)),
            _ => None,
        }
    }

    /// The qualified names whose methods a value of a type has, the nearest first: its own, those
    /// of what it holds (`Arc<T>`), those that it embeds.
    pub(super) fn names_of(&self, ty: &Ty<'a>) -> Vec<String> {
        let mut names = Vec::new();
        match ty {
            Ty::Named(name) | Ty::Holding(name, _) => names.push(name.clone()),
            Ty::Written(file, of) => self.names_of_ref(file, of, &mut names),
            Ty::AnyOf(file, all) => {
                for of in *all {
                    self.names_of_ref(file, of, &mut names);
                }
            }
        }
        let mut at = 0;
        while at < names.len() && names.len() < 64 {
            if let Some((file, decl)) = self.program.type_named(&names[at]) {
                let held = decl.fields.iter().filter(|field| field.embedded);
                let made_of = decl.of.iter().filter(|_| decl.kind == TypeKind::Alias);
                for of in held.map(|field| &field.of).chain(made_of) {
                    self.names_of_ref(file, of, &mut names);
                }
            } else if self.program.has_python() {
                for base in self.bases_outside(&names[at]) {
                    if !names.contains(&base) {
                        names.push(base);
                    }
                }
            }
            at += 1;
        }
        names
    }

    fn names_of_ref(&self, file: &'a SourceFile, of: &'a TypeRef, names: &mut Vec<String>) {
        let mut open = vec![of];
        while let Some(of) = open.pop() {
            let name = self.program.type_name(file, of);
            let last = name.rsplit([':', '.']).next().unwrap_or_default();
            if &*name == "result" {
                let of = self.settled(Ty::Written(file, of), &Frame::outside(file, 0));
                match of {
                    Some(Ty::Named(name) | Ty::Holding(name, _)) if !names.contains(&name) => {
                        names.push(name);
                    }
                    Some(Ty::Written(_, of)) if &*of.name != "result" => open.push(of),
                    _ => {}
                }
                continue;
            }
            if &*name == "dyn" || TRANSPARENT.contains(&last) {
                open.extend(of.args.iter().rev());
            }
            if &*name != "dyn" && !names.contains(&name) && names.len() < 64 {
                names.push(name);
            }
        }
    }
}
