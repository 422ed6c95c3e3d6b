//! Expressions.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, fields, join, levels, other};
use crate::model::place::Pos;
use crate::model::source::{Block, Expr, ExprKind, MadeField, Operator, Pattern, Stmt, StmtKind};

impl<'t> Lower<'t, '_> {
    pub(super) fn expr(&mut self, node: Node<'t>) -> Expr {
        if !self.read.enter(node) {
            return other(self.read.at(node), Vec::new());
        }
        let made = self.expr_inside(node);
        self.read.leave();
        made
    }

    fn expr_inside(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let kind = match node.kind() {
            "identifier" | "keyword_identifier" => ExprKind::Name(self.read.name(node)),
            "attribute" => return self.attribute_of(node),
            "call" => return self.call(node),
            "string" | "concatenated_string" => return self.string(node),
            "integer" | "float" => ExprKind::Number(self.read.text(node).into()),
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "none" => ExprKind::Nil,
            "lambda" => return self.lambda(node),
            "parenthesized_expression"
            | "await"
            | "type"
            | "if_clause"
            | "expression_statement" => match &children(node)[..] {
                [inner] => return self.expr(*inner),
                parts => ExprKind::Other(self.all(parts)),
            },
            "boolean_operator" | "binary_operator" => return self.binary(node),
            "not_operator" => ExprKind::Not(Box::new(self.field_expr(node, "argument"))),
            "comparison_operator" => return self.comparison(node),
            "conditional_expression" => return self.conditional(node),
            "named_expression" => return self.named_value(node),
            "subscript" => self.subscript(node),
            "list" | "tuple" | "set" | "expression_list" => {
                let values = children(node).into_iter();
                let fields = values.map(|value| MadeField {
                    name: None,
                    key: None,
                    value: self.expr(value),
                });
                ExprKind::Make {
                    of: None,
                    fields: fields.collect(),
                }
            }
            "dictionary" => self.dictionary(node),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => return self.comprehension(node),
            "as_pattern" => match children(node).first() {
                Some(value) => return self.expr(*value),
                None => ExprKind::Other(Vec::new()),
            },
            _ => ExprKind::Other(self.all(&children(node))),
        };
        Expr { at, kind }
    }

    fn all(&mut self, nodes: &[Node<'t>]) -> Vec<Expr> {
        nodes.iter().map(|node| self.expr(*node)).collect()
    }

    fn attribute_of(&mut self, node: Node<'t>) -> Expr {
        let of = self.field_expr(node, "object");
        let Some(name) = node.child_by_field_name("attribute") else {
            return of;
        };
        Expr {
            at: self.read.at(node),
            kind: ExprKind::Field {
                of: Box::new(of),
                at: self.read.at(name),
                name: self.read.name(name),
            },
        }
    }

    /// `a + b`, `a and b`: a run of them is read at once, as deep as it may be.
    fn binary(&mut self, node: Node<'t>) -> Expr {
        if let Some(made) = self.percent(node) {
            return made;
        }
        let mut rest: Vec<(Operator, Node<'t>)> = Vec::new();
        let mut first = node;
        while matches!(first.kind(), "binary_operator" | "boolean_operator") {
            let (Some(left), Some(right)) = (
                first.child_by_field_name("left"),
                first.child_by_field_name("right"),
            ) else {
                break;
            };
            let op = first.child_by_field_name("operator");
            rest.push((operator(op.map_or("", |op| self.read.text(op))), right));
            first = left;
            if self.is_percent(first) {
                break;
            }
        }
        rest.reverse();
        if matches!(first.kind(), "binary_operator" | "boolean_operator") && rest.is_empty() {
            return other(self.read.at(node), Vec::new());
        }
        let first = self.expr(first);
        let rest: Vec<(Operator, Expr)> = rest
            .into_iter()
            .map(|(op, right)| (op, self.expr(right)))
            .collect();
        if levels(&rest) > self.read.room() {
            self.read.not_read(node);
            let mut parts = vec![first];
            parts.extend(rest.into_iter().map(|(_, right)| right));
            return other(self.read.at(node), parts);
        }
        join(first, rest)
    }

    /// `a < b`; of `a < b < c` the parts alone.
    fn comparison(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let mut cursor = node.walk();
        let ops: Vec<Node<'t>> = node
            .children_by_field_name("operators", &mut cursor)
            .collect();
        let ops: Vec<&str> = ops.into_iter().map(|op| self.read.text(op)).collect();
        let sides: Vec<Node<'t>> = children(node)
            .into_iter()
            .filter(|child| !matches!(child.kind(), "not in" | "is not"))
            .collect();
        let mut parts = self.all(&sides);
        let op = match ops[..] {
            ["==" | "is"] => Operator::Equal,
            ["!=" | "<>" | "is not"] => Operator::NotEqual,
            ["<"] => Operator::Less,
            ["<="] => Operator::AtMost,
            [">"] => Operator::More,
            [">="] => Operator::AtLeast,
            _ => Operator::Other,
        };
        if parts.len() != 2 {
            return other(at, parts);
        }
        let right = parts.pop();
        let left = parts.pop();
        match (left, right) {
            (Some(left), Some(right)) => Expr {
                at,
                kind: ExprKind::Binary {
                    op,
                    left: Box::new(left),
                    right: Box::new(right),
                },
            },
            _ => other(at, Vec::new()),
        }
    }

    /// `a if c else b`.
    fn conditional(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let parts = children(node);
        let [then, condition, otherwise] = parts[..] else {
            let parts = self.all(&parts);
            return other(at, parts);
        };
        let then = value_block(self.expr(then));
        let condition = self.expr(condition);
        let otherwise = value_block(self.expr(otherwise));
        block(
            at,
            vec![Stmt {
                at,
                kind: StmtKind::If {
                    condition,
                    then,
                    otherwise,
                },
            }],
        )
    }

    /// `name := value`.
    fn named_value(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let value = self.field_expr(node, "value");
        let Some(name) = node.child_by_field_name("name") else {
            return value;
        };
        let bind = Stmt {
            at,
            kind: StmtKind::Let {
                patterns: vec![self.pattern(name)],
                of: None,
                values: vec![value],
                otherwise: Block::default(),
            },
        };
        let end = self.read.end(node);
        let named = Expr {
            at: end,
            kind: ExprKind::Name(self.read.name(name)),
        };
        block(
            at,
            vec![
                bind,
                Stmt {
                    at: end,
                    kind: StmtKind::Expr(named),
                },
            ],
        )
    }

    fn subscript(&mut self, node: Node<'t>) -> ExprKind {
        let of = self.field_expr(node, "value");
        let keys = fields(node, "subscript");
        let by = match keys[..] {
            [one] => self.expr(one),
            _ => {
                let parts = self.all(&keys);
                other(self.read.at(node), parts)
            }
        };
        ExprKind::Index {
            of: Box::new(of),
            by: Box::new(by),
        }
    }

    fn dictionary(&mut self, node: Node<'t>) -> ExprKind {
        let mut made = Vec::new();
        for pair in children(node) {
            let (key, value) = match pair.kind() {
                "pair" => (
                    Some(self.field_expr(pair, "key")),
                    self.field_expr(pair, "value"),
                ),
                _ => (None, self.expr(pair)),
            };
            let name: Option<Arc<str>> = match key.as_ref().map(|key| &key.kind) {
                Some(ExprKind::Text(text)) => Some(Arc::clone(text)),
                _ => None,
            };
            made.push(MadeField { name, key, value });
        }
        ExprKind::Make {
            of: None,
            fields: made,
        }
    }

    /// A loop as a value. It begins where the whole does, as what it gives stands before its head.
    fn comprehension(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let mut inner = match node.child_by_field_name("body") {
            Some(pair) if pair.kind() == "pair" => {
                let parts = vec![self.field_expr(pair, "key"), self.field_expr(pair, "value")];
                other(self.read.at(pair), parts)
            }
            Some(body) => self.expr(body),
            None => other(at, Vec::new()),
        };
        let clauses = children(node).into_iter().skip(1);
        for clause in clauses.collect::<Vec<_>>().into_iter().rev() {
            let body = value_block(inner);
            let kind = match clause.kind() {
                "for_in_clause" => {
                    let patterns: Vec<Pattern> = self.targets(clause);
                    StmtKind::Loop {
                        patterns,
                        over: Some(self.field_expr(clause, "right")),
                        each: true,
                        body,
                    }
                }
                _ => StmtKind::If {
                    condition: self.expr(clause),
                    then: body,
                    otherwise: Block::default(),
                },
            };
            inner = block(at, vec![Stmt { at, kind }]);
        }
        inner
    }
}

fn block(at: Pos, stmts: Vec<Stmt>) -> Expr {
    Expr {
        at,
        kind: ExprKind::Block(Box::new(Block { stmts })),
    }
}

fn value_block(value: Expr) -> Block {
    Block {
        stmts: vec![Stmt {
            at: value.at,
            kind: StmtKind::Expr(value),
        }],
    }
}

fn operator(op: &str) -> Operator {
    match op {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "and" => Operator::And,
        "or" => Operator::Or,
        _ => Operator::Other,
    }
}
