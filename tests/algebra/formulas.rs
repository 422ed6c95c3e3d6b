//! Formulas, evaluated by an implementation of expr-lang that shares no code with the audit.
//!
//! The clock, the random source and the deployment are given with each evaluation, so that two
//! deliveries can differ in them and one delivery can be repeated exactly.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use expr::{Context, Environment, Error, Program, Value};
use serde_json::{Map, Value as Json, json};

use super::tables::Row;

/// What a formula can see beside the record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// Hours since the first of January 2026; below 28 days.
    pub(crate) hour: i64,
    /// Tells the random values of one delivery from those of another.
    pub(crate) salt: u64,
}

/// The names a formula can use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    pub(crate) record: Row,
    pub(crate) prior: Option<Row>,
    pub(crate) results: BTreeMap<String, Row>,
}

/// The evaluator with the functions that the platform registers.
pub(crate) struct Formulas {
    environment: Environment<'static>,
    programs: RefCell<BTreeMap<String, Result<Program, String>>>,
    hour: Arc<AtomicI64>,
    salt: Arc<AtomicU64>,
}

impl Formulas {
    pub(crate) fn new() -> Self {
        let hour = Arc::new(AtomicI64::new(0));
        let salt = Arc::new(AtomicU64::new(0));
        let mut environment = Environment::new();
        let clock = Arc::clone(&hour);
        environment.add_function("NOW", move |_| date(clock.load(Ordering::Relaxed)));
        let clock = Arc::clone(&hour);
        environment.add_function("TODAY", move |_| {
            date(clock.load(Ordering::Relaxed) / 24 * 24)
        });
        environment.add_function("DATE_ADD", |call| match call.args.as_slice() {
            [date, Value::Integer(days)] => later(date.clone(), *days),
            _ => fail("DATE_ADD wants a date and days"),
        });
        let random = Arc::clone(&salt);
        environment.add_function("BCRYPT", move |call| match call.args.as_slice() {
            [Value::String(text)] => {
                let salt = random.fetch_add(1, Ordering::Relaxed);
                Ok(format!("$2a${salt}${text}").into())
            }
            _ => fail("BCRYPT wants a string"),
        });
        environment.add_function("UPPER", |call| of_text(call.args, str::to_uppercase));
        environment.add_function("LOWER", |call| of_text(call.args, str::to_lowercase));
        environment.add_function("LEN", |call| match call.args.as_slice() {
            [Value::String(text)] => Ok((text.chars().count() as i64).into()),
            _ => fail("LEN wants a string"),
        });
        environment.add_function("ROUND", |call| match call.args.as_slice() {
            [Value::Integer(number), Value::Integer(_)] => Ok((*number).into()),
            [Value::Float(number), Value::Integer(_)] => Ok(number.round().into()),
            _ => fail("ROUND wants a number and digits"),
        });
        environment.add_function("IF", |call| match call.args.as_slice() {
            [Value::Bool(true), then, _] => Ok(then.clone()),
            [Value::Bool(false), _, otherwise] => Ok(otherwise.clone()),
            _ => fail("IF wants a condition and two values"),
        });
        Self {
            environment,
            programs: RefCell::default(),
            hour,
            salt,
        }
    }

    /// Evaluates an expression; an error says why it fails.
    pub(crate) fn evaluate(
        &self,
        expression: &str,
        scope: &Scope,
        moment: Moment,
    ) -> Result<Json, String> {
        self.hour.store(moment.hour, Ordering::Relaxed);
        self.salt.store(moment.salt * 1000, Ordering::Relaxed);
        let mut programs = self.programs.borrow_mut();
        let program = programs
            .entry(expression.to_owned())
            .or_insert_with(|| expr::compile(expression).map_err(|error| error.to_string()));
        let program = program.as_ref().map_err(Clone::clone)?;
        let value = self
            .environment
            .run(program, &names(expression, scope, moment))
            .map_err(|error| error.to_string())?;
        to_json(&value)
    }
}

fn names(expression: &str, scope: &Scope, moment: Moment) -> Context {
    let mut context = Context::default();
    // Fields of the record are names of their own; the words of the platform come first.
    for (field, value) in &scope.record {
        if expression.contains(field.as_str()) {
            context.insert(field.as_str(), from_json(value));
        }
    }
    context.insert("record", map(&scope.record));
    context.insert("prior", scope.prior.as_ref().map_or(Value::Nil, map));
    context.insert("user", Value::Nil);
    let region = json!(format!("region-{}", moment.salt));
    context.insert("env", map(&Row::from([("REGION".to_owned(), region)])));
    let results: Value = scope
        .results
        .iter()
        .map(|(step, row)| (step.as_str(), map(row)))
        .collect();
    context.insert("results", results);
    context
}

fn map(row: &Row) -> Value {
    row.iter()
        .map(|(field, value)| (field.as_str(), from_json(value)))
        .collect()
}

fn from_json(value: &Json) -> Value {
    match value {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => number.as_i64().map_or_else(
            || Value::Float(number.as_f64().unwrap_or_default()),
            Value::Integer,
        ),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::Array(items.iter().map(from_json).collect()),
        Json::Object(members) => members
            .iter()
            .map(|(key, value)| (key.as_str(), from_json(value)))
            .collect(),
    }
}

fn to_json(value: &Value) -> Result<Json, String> {
    Ok(match value {
        Value::Nil => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Integer(value) => json!(value),
        Value::Float(value) if value.fract() == 0.0 => json!(*value as i64),
        Value::Float(value) => json!(value),
        Value::String(text) => json!(text),
        Value::DateTime(_) => json!(value.to_string()),
        Value::Map(members) => {
            let mut object = Map::new();
            for (key, value) in members {
                object.insert(key.clone(), to_json(value)?);
            }
            Json::Object(object)
        }
        other => return Err(format!("a value that no column holds: {other}")),
    })
}

/// The date of an hour, as the evaluator prints it.
pub(crate) fn printed_date(hour: i64) -> String {
    let (day, hour) = (hour / 24 + 1, hour % 24);
    format!("2026-01-{day:02}T{hour:02}:00:00+00:00")
}

/// A date of the evaluator's own kind, so that formulas compare it with `date("…")`.
fn date(hour: i64) -> expr::Result<Value> {
    let mut context = Context::default();
    context.insert("text", printed_date(hour));
    static DATE: LazyLock<Option<Program>> = LazyLock::new(|| expr::compile("date(text)").ok());
    run(&DATE, &context)
}

fn later(date: Value, days: i64) -> expr::Result<Value> {
    let mut context = Context::default();
    context.insert("date_value", date);
    context.insert("span", format!("{}h", days * 24));
    static LATER: LazyLock<Option<Program>> =
        LazyLock::new(|| expr::compile("date_value + duration(span)").ok());
    run(&LATER, &context)
}

fn run(program: &Option<Program>, context: &Context) -> expr::Result<Value> {
    match program {
        Some(program) => expr::run(program, context),
        None => fail("the evaluator reads no dates"),
    }
}

fn of_text(args: Vec<Value>, change: fn(&str) -> String) -> expr::Result<Value> {
    match args.as_slice() {
        [Value::String(text)] => Ok(change(text).into()),
        _ => fail("a string is wanted"),
    }
}

fn fail<T>(why: &str) -> expr::Result<T> {
    Err(Error::ExprError(why.to_owned()))
}
