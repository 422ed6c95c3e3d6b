//! The names of expr's builtin functions, and which of them take a predicate: the grammar differs for those.

/// One builtin function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinName {
    /// Name it is called by.
    pub name: &'static str,
    /// Whether its second argument is a predicate, evaluated for each element of the first.
    pub takes_predicate: bool,
}

/// How one argument of a predicate builtin is read (source: expr-lang v1.17 parser/parser.go, `predicates`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parameter {
    /// Whether it is read as a predicate, in which pointers have a meaning.
    pub(super) is_predicate: bool,
    /// Whether the call may end before it.
    pub(super) is_optional: bool,
}

const VALUE: Parameter = Parameter {
    is_predicate: false,
    is_optional: false,
};
const OPTIONAL_VALUE: Parameter = Parameter {
    is_predicate: false,
    is_optional: true,
};
const PREDICATE: Parameter = Parameter {
    is_predicate: true,
    is_optional: false,
};
const OPTIONAL_PREDICATE: Parameter = Parameter {
    is_predicate: true,
    is_optional: true,
};

/// The parameters of the predicate builtin `name`; `None` for any other function.
pub(super) fn predicate_parameters(name: &str) -> Option<&'static [Parameter]> {
    match name {
        "all" | "none" | "any" | "one" | "filter" | "map" | "find" | "findIndex" | "findLast"
        | "findLastIndex" | "groupBy" => Some(&[VALUE, PREDICATE]),
        "count" | "sum" => Some(&[VALUE, OPTIONAL_PREDICATE]),
        "sortBy" | "reduce" => Some(&[VALUE, PREDICATE, OPTIONAL_VALUE]),
        _ => None,
    }
}

/// The builtin called `name`, if there is one.
pub fn builtin(name: &str) -> Option<&'static BuiltinName> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

const fn with_predicate(name: &'static str) -> BuiltinName {
    BuiltinName {
        name,
        takes_predicate: true,
    }
}

const fn plain(name: &'static str) -> BuiltinName {
    BuiltinName {
        name,
        takes_predicate: false,
    }
}

/// All builtins (source: expr-lang v1.17 builtin/builtin.go, `Builtins`, in its order).
pub const BUILTINS: &[BuiltinName] = &[
    with_predicate("all"),
    with_predicate("none"),
    with_predicate("any"),
    with_predicate("one"),
    with_predicate("filter"),
    with_predicate("map"),
    with_predicate("find"),
    with_predicate("findIndex"),
    with_predicate("findLast"),
    with_predicate("findLastIndex"),
    with_predicate("count"),
    with_predicate("sum"),
    with_predicate("groupBy"),
    with_predicate("sortBy"),
    with_predicate("reduce"),
    plain("len"),
    plain("type"),
    plain("abs"),
    plain("ceil"),
    plain("floor"),
    plain("round"),
    plain("int"),
    plain("float"),
    plain("string"),
    plain("trim"),
    plain("trimPrefix"),
    plain("trimSuffix"),
    plain("upper"),
    plain("lower"),
    plain("split"),
    plain("splitAfter"),
    plain("replace"),
    plain("repeat"),
    plain("join"),
    plain("indexOf"),
    plain("lastIndexOf"),
    plain("hasPrefix"),
    plain("hasSuffix"),
    plain("max"),
    plain("min"),
    plain("mean"),
    plain("median"),
    plain("toJSON"),
    plain("fromJSON"),
    plain("toBase64"),
    plain("fromBase64"),
    plain("now"),
    plain("duration"),
    plain("date"),
    plain("timezone"),
    plain("first"),
    plain("last"),
    plain("get"),
    plain("take"),
    plain("keys"),
    plain("values"),
    plain("toPairs"),
    plain("fromPairs"),
    plain("reverse"),
    plain("uniq"),
    plain("concat"),
    plain("flatten"),
    plain("sort"),
    plain("bitand"),
    plain("bitor"),
    plain("bitxor"),
    plain("bitnand"),
    plain("bitshl"),
    plain("bitshr"),
    plain("bitushr"),
    plain("bitnot"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_says_what_the_grammar_does() {
        for builtin in BUILTINS {
            assert_eq!(
                builtin.takes_predicate,
                predicate_parameters(builtin.name).is_some(),
                "{}",
                builtin.name
            );
        }
    }

    #[test]
    fn names_are_unique() {
        for (at, one) in BUILTINS.iter().enumerate() {
            assert!(
                BUILTINS
                    .iter()
                    .skip(at + 1)
                    .all(|other| other.name != one.name),
                "{}",
                one.name
            );
        }
    }
}
