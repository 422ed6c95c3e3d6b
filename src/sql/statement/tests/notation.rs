//! The short notation in which tests read statements.

use super::super::*;

fn value(value: &Expression) -> String {
    let draws: Vec<String> = value
        .draws
        .iter()
        .map(|draw| match &draw.source {
            DrawSource::Placeholder(Placeholder::Position(number)) => format!("?{number}"),
            DrawSource::Placeholder(Placeholder::Name(name)) => format!(":{name}"),
            DrawSource::Column { of: Some(of), name } => format!("{of}.{name}"),
            DrawSource::Column { of: None, name } => name.to_string(),
            DrawSource::Proposed(name) => format!("new.{name}"),
            other => format!("{other:?} {}", draw.text),
        })
        .collect();
    let form = match &value.form {
        Form::Literal(literal) => format!("{literal:?}"),
        form => format!("{form:?}"),
    };
    format!("{form}[{}]", draws.join(" "))
}

fn set(set: &[Assignment]) -> String {
    let each: Vec<String> = set
        .iter()
        .map(|it| format!("{}={}", it.column.name, value(&it.value)))
        .collect();
    each.join(", ")
}

fn pairs(equals: &[(Name, Expression)]) -> String {
    let each: Vec<String> = equals
        .iter()
        .map(|(name, it)| format!("{}={}", name.name, value(it)))
        .collect();
    each.join(" and ")
}

fn arm(arm: &ConflictArm) -> String {
    let target = match &arm.target {
        ConflictTarget::Any => "any".to_owned(),
        ConflictTarget::Constraint(name) => format!("constraint {name}"),
        ConflictTarget::Parts { parts, predicate } => {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| {
                    let what = part.column.as_ref().map(ToString::to_string);
                    let what = what.unwrap_or_else(|| {
                        format!("<{}>", part.expression.as_deref().unwrap_or(""))
                    });
                    match &part.collation {
                        Some(name) => format!("{what}~{name}"),
                        None => what,
                    }
                })
                .collect();
            let predicate = predicate
                .as_ref()
                .map_or_else(String::new, |it| format!(" where {}", it.0));
            format!("({}){predicate}", parts.join(","))
        }
    };
    match &arm.action {
        ArmAction::Nothing => format!("{target} nothing"),
        ArmAction::Update { set: list, only_if } => {
            let only_if = only_if
                .as_ref()
                .map_or_else(String::new, |it| format!(" if {}", it.whole.text));
            format!("{target} set {}{only_if}", set(list))
        }
    }
}

/// A statement in short.
pub(super) fn told(text: &str, dialect: Dialect) -> String {
    match parse(text, dialect) {
        Ok(statement) => short(statement),
        Err(error) => {
            let place = &text[error.start as usize..error.end as usize];
            format!("not understood at `{place}`: {}", error.why)
        }
    }
}

fn short(statement: Statement) -> String {
    match statement {
        Statement::With(queries, main) => {
            let queries: Vec<String> = queries.iter().map(value).collect();
            format!("with {} {}", queries.join(", "), short(*main))
        }
        Statement::Insert(it) => {
            let columns: Vec<&str> = it.columns.iter().map(|name| &*name.name).collect();
            let row = |row: &[Expression]| row.iter().map(value).collect::<Vec<_>>().join(", ");
            let rows = match &it.rows {
                Rows::Values(rows) => rows
                    .iter()
                    .map(|it| row(it))
                    .collect::<Vec<_>>()
                    .join(" | "),
                Rows::Defaults => "defaults".to_owned(),
                Rows::IfAbsent(values, lookup) => {
                    let by = lookup
                        .equals
                        .as_ref()
                        .map_or_else(|| "?".to_owned(), |it| pairs(it));
                    format!("{} unless {} has {by}", row(values), lookup.table.name)
                }
                Rows::Query(query) => format!("query {}", query.text),
            };
            let mut told = format!(
                "{:?} {}({}) {rows}",
                it.verb,
                it.table.name,
                columns.join(",")
            );
            for each in &it.arms {
                told.push_str(&format!(" / {}", arm(each)));
            }
            if it.returning {
                told.push_str(" / returning");
            }
            told
        }
        Statement::Update(it) => {
            let condition = it.only_if.as_ref().map_or_else(String::new, |it| {
                format!(
                    " where {}{}",
                    pairs(&it.equals),
                    if it.only_equals { "" } else { " and more" }
                )
            });
            let chooses = if it.chooses { " chooses" } else { "" };
            format!(
                "update {} set {}{condition}{chooses}",
                it.table.name,
                set(&it.set)
            )
        }
        Statement::Delete(it) => {
            let condition = it.only_if.as_ref().map_or_else(String::new, |it| {
                format!(
                    " where {}{}",
                    pairs(&it.equals),
                    if it.only_equals { "" } else { " and more" }
                )
            });
            let chooses = if it.chooses { " chooses" } else { "" };
            format!("delete {}{condition}{chooses}", it.table.name)
        }
        Statement::Merge(it) => {
            let by = it
                .equals
                .as_ref()
                .map_or_else(|| "?".to_owned(), |it| pairs(it));
            let absent = it.absent.as_ref().map_or_else(String::new, |it| {
                let columns: Vec<&str> = it.columns.iter().map(|name| &*name.name).collect();
                let values: Vec<String> = it.values.iter().map(value).collect();
                format!(" absent ({}) {}", columns.join(","), values.join(", "))
            });
            let matched = if it.matched.is_empty() {
                String::new()
            } else {
                format!(" matched {}", set(&it.matched))
            };
            let deletes = if it.deletes { " deletes" } else { "" };
            format!("merge {} by {by}{matched}{deletes}{absent}", it.table.name)
        }
    }
}
