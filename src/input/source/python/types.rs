//! Annotations as types. One in quotes means the same as one without.

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::plain;
use crate::model::source::TypeRef;

/// Deeper annotations are no types that anybody writes.
const MAX_DEPTH: usize = 24;

/// Types that say something about what they hold, and are that.
const THROUGH: &[&str] = &[
    "Optional",
    "Annotated",
    "ClassVar",
    "Final",
    "Required",
    "NotRequired",
    "ReadOnly",
    "Type",
    "type",
    "Awaitable",
    "ContextManager",
    "AsyncContextManager",
    "AbstractContextManager",
    "AbstractAsyncContextManager",
];

const LISTS: &[&str] = &[
    "list",
    "List",
    "set",
    "Set",
    "frozenset",
    "FrozenSet",
    "Sequence",
    "Iterable",
    "Iterator",
    "Collection",
    "Generator",
    "AsyncIterator",
    "AsyncIterable",
    "AsyncGenerator",
    "deque",
    "Deque",
    "MutableSequence",
    "AbstractSet",
];

const MAPS: &[&str] = &[
    "dict",
    "Dict",
    "Mapping",
    "MutableMapping",
    "defaultdict",
    "DefaultDict",
    "OrderedDict",
];

impl<'t> Lower<'t, '_> {
    /// The type that an annotation or a base class names.
    pub(super) fn type_of(&self, node: Node<'t>) -> TypeRef {
        parse(self.read.text(node))
    }
}

/// The type that a text names.
pub(super) fn parse(text: &str) -> TypeRef {
    let mut parser = Parser { rest: text };
    parser.union(0)
}

struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    /// The next character that is no blank and no quote.
    fn peek(&mut self) -> Option<char> {
        let blank = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | '(' | ')' | '*');
        self.rest = self.rest.trim_start_matches(blank);
        self.rest.chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest = self.rest.get(wanted.len_utf8()..).unwrap_or_default();
        }
        found
    }

    fn union(&mut self, depth: usize) -> TypeRef {
        let mut all = vec![self.one(depth)];
        while self.eat('|') {
            all.push(self.one(depth));
        }
        any_of(all)
    }

    fn one(&mut self, depth: usize) -> TypeRef {
        if depth > MAX_DEPTH {
            self.rest = "";
            return plain("?");
        }
        if self.eat('[') {
            // The parameters of a function.
            return TypeRef {
                args: self.list(depth),
                ..plain("tuple")
            };
        }
        self.peek();
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            self.rest = "";
            return plain("?");
        }
        self.rest = rest;
        let args = if self.eat('[') {
            self.list(depth)
        } else {
            Vec::new()
        };
        named(name, args)
    }

    fn list(&mut self, depth: usize) -> Vec<TypeRef> {
        let mut all = Vec::new();
        while !self.eat(']') && !self.rest.is_empty() {
            all.push(self.union(depth + 1));
            self.eat(',');
        }
        all
    }
}

fn named(name: &str, args: Vec<TypeRef>) -> TypeRef {
    let last = name.rsplit('.').next().unwrap_or(name);
    if THROUGH.contains(&last) && !args.is_empty() {
        return args.into_iter().next().unwrap_or_else(|| plain("?"));
    }
    let word = match last {
        "Union" => return any_of(args),
        "Callable" => "func",
        "Coroutine" if args.len() == 3 => {
            return args.into_iter().last().unwrap_or_else(|| plain("?"));
        }
        // Of any length.
        "tuple" | "Tuple" if args.get(1).is_some_and(|of| &*of.name == "...") => "[]",
        "tuple" | "Tuple" => "tuple",
        "Any" | "object" => "?",
        _ if LISTS.contains(&last) => "[]",
        _ if MAPS.contains(&last) => "map",
        _ => name,
    };
    TypeRef {
        name: word.into(),
        args,
        returns: Vec::new(),
    }
}

/// Any of some types; that there may be no value changes nothing.
fn any_of(mut all: Vec<TypeRef>) -> TypeRef {
    if all.len() > 1 {
        all.retain(|of| &*of.name != "None");
    }
    match all.len() {
        0 => plain("None"),
        1 => all.swap_remove(0),
        _ => TypeRef {
            args: all,
            ..plain("dyn")
        },
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn annotations_are_what_they_hold() {
        assert_eq!(&*parse("Optional[\"models.Order\"]").name, "models.Order");
        assert_eq!(&*parse("'Order | None'").name, "Order");
        assert_eq!(&*parse("list[Order]").args[0].name, "Order");
        assert_eq!(
            &*parse("Dict[str, List[Order]]").args[1].args[0].name,
            "Order"
        );
        assert_eq!(&*parse("QuerySet[Order]").name, "QuerySet");
        assert_eq!(parse("Union[A, B, None]").args.len(), 2);
        assert_eq!(&*parse("").name, "?");
    }
}
