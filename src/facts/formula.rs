//! A value of the metadata, as the platform reads it: a formula or a literal.

use std::sync::Arc;

use crate::expr::{self, Expr, ExprKind};
use crate::model::metadata::{Node, NodeKind};
use crate::model::place::Place;
use crate::model::value::{Draw, Literal, Nullness, Shape, Value, ValueSource};
use crate::rules::FormulaSyntax;

use super::draws::draws_of;
use super::environment::Environment;
use super::locate::Locator;
use super::shape::{null_of, shape_of};

/// Expressions nested deeper are not walked: the platform's own parser refuses most of them.
const MAX_HEIGHT: u32 = 300;

/// Reads a configuration value.
pub(super) fn value_of(node: &Node, syntax: FormulaSyntax, environment: Environment<'_>) -> Value {
    let text = match &node.kind {
        NodeKind::String(text) => text,
        other => return literal(literal_of(other), text_of(node), node.place()),
    };
    match formula_in(text, syntax) {
        Some((expression, base)) => {
            expression_value(expression, base, &Locator::node(node), environment)
        }
        None => literal(
            Literal::String(Arc::clone(text)),
            Arc::clone(text),
            node.place(),
        ),
    }
}

/// The expression within a string that the platform evaluates, with its offset; none for a literal.
pub(super) fn formula_in(text: &str, syntax: FormulaSyntax) -> Option<(&str, u32)> {
    let (inner, offset) = match syntax {
        FormulaSyntax::None => return None,
        FormulaSyntax::Equals => (text.strip_prefix('=')?, 1),
        FormulaSyntax::Braces => (text.strip_prefix("{!")?.strip_suffix('}')?, 2),
    };
    let trimmed = inner.trim_start();
    let base = offset + (inner.len() - trimmed.len());
    Some((trimmed.trim_end(), base as u32))
}

/// Reads an expression that begins at `base` within its string value.
pub(super) fn expression_value(
    expression: &str,
    base: u32,
    locator: &Locator,
    environment: Environment<'_>,
) -> Value {
    match expr::parse(expression) {
        Ok(tree) if tree.height() <= MAX_HEIGHT => {
            parsed(&tree, expression, base, locator, environment)
        }
        Ok(_) => unreadable(
            expression,
            locator.whole().clone(),
            "the formula is nested too deep to be read".into(),
        ),
        Err(error) => {
            let at = base + error.offset;
            let sentence = format!("the formula does not parse: {}", error.message);
            unreadable(expression, locator.place(at, at + 1), sentence)
        }
    }
}

fn parsed(
    tree: &Expr,
    expression: &str,
    base: u32,
    locator: &Locator,
    environment: Environment<'_>,
) -> Value {
    let drawn = draws_of(tree, expression, base, locator, environment);
    Value {
        text: environment.language.share(expression),
        place: locator.place(base, base + expression.len() as u32),
        null: null_of(tree, environment),
        constant: constant_of(tree),
        shape: shape_of(tree, environment),
        draws: drawn.draws,
        fails: drawn.fails,
    }
}

fn constant_of(tree: &Expr) -> Option<Literal> {
    match &tree.kind {
        ExprKind::Nil => Some(Literal::Null),
        ExprKind::Bool(value) => Some(Literal::Bool(*value)),
        ExprKind::Int(value) => Some(Literal::Number(value.to_string().into())),
        ExprKind::Float(value) => Some(Literal::Number(value.to_string().into())),
        ExprKind::Str(value) => Some(Literal::String(value.as_str().into())),
        _ => None,
    }
}

fn unreadable(expression: &str, place: Place, sentence: String) -> Value {
    let draw = Draw {
        source: ValueSource::Unknown,
        what: expression.into(),
        place: place.clone(),
        field: None,
        note: Some(sentence.into()),
    };
    Value {
        text: expression.into(),
        place,
        draws: vec![draw],
        null: Nullness::Unknown,
        constant: None,
        fails: None,
        shape: Shape::Computed,
    }
}

/// A literal.
pub(super) fn literal(constant: Literal, text: Arc<str>, place: Place) -> Value {
    let null = match constant {
        Literal::Null => Nullness::Always,
        _ => Nullness::Never,
    };
    Value {
        text,
        place,
        draws: Vec::new(),
        null,
        constant: Some(constant),
        fails: None,
        shape: Shape::Constant,
    }
}

/// A value of which only the source is known.
pub(super) fn drawn_from(source: ValueSource, what: &str, place: Place, null: Nullness) -> Value {
    let draws = match source {
        ValueSource::Constant => Vec::new(),
        _ => vec![Draw {
            source,
            what: what.into(),
            place: place.clone(),
            field: None,
            note: None,
        }],
    };
    Value {
        text: what.into(),
        place,
        draws,
        null,
        constant: None,
        fails: None,
        shape: Shape::Computed,
    }
}

fn literal_of(kind: &NodeKind) -> Literal {
    match kind {
        NodeKind::Null => Literal::Null,
        NodeKind::Bool(value) => Literal::Bool(*value),
        NodeKind::Number(text) => Literal::Number(Arc::clone(text)),
        NodeKind::String(text) => Literal::String(Arc::clone(text)),
        NodeKind::Array(_) | NodeKind::Object(_) => Literal::Json,
    }
}

fn text_of(node: &Node) -> Arc<str> {
    match &node.kind {
        NodeKind::Null => "null".into(),
        NodeKind::Bool(value) => value.to_string().into(),
        NodeKind::Number(text) | NodeKind::String(text) => Arc::clone(text),
        NodeKind::Array(_) => "[…]".into(),
        NodeKind::Object(_) => "{…}".into(),
    }
}
