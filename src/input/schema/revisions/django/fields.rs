//! Fields of Django as columns.
//! Source: `django/db/backends/*/base.py`, `data_types`, and `django/contrib/postgres/fields`.

use std::sync::Arc;

use crate::model::schema::Dialect;
use crate::model::source::{Expr, ExprKind};

use super::super::module::{Args, Module, Names, is_none};
use super::super::statement::literal;
use super::state::{Field, Kind, ModelKey, UNKNOWN_TYPE};

/// What reads the fields of one migration.
#[derive(Clone, Copy)]
pub(super) struct FieldReader<'m, 'a> {
    pub(super) module: &'m Module<'a>,
    pub(super) names: &'m Names<'a>,
    pub(super) app: &'m Arc<str>,
    pub(super) dialect: Dialect,
}

impl<'a> FieldReader<'_, 'a> {
    /// `models.CharField(…)` under its name; none if it is no call.
    pub(super) fn field(&self, name: &str, of: &'a Expr) -> Option<Field> {
        let call = self.module.call(of, self.names)?;
        let class = self.module.qualified(&call.callee)?;
        let word = class.rsplit('.').next().unwrap_or_default();
        let of_django = class.starts_with("django.");
        let args = Args(call);
        let mut unread = args
            .are_open()
            .then(|| format!("what the field {name} is given is made at run time"));
        let mut flag = |word: &str, otherwise: bool| match args.named(word) {
            Some(value) => match self.module.flag(value, self.names) {
                Some(value) => value,
                None => {
                    unread = Some(format!("`{word}` of the field {name} is told at run time"));
                    otherwise
                }
            },
            None => otherwise,
        };
        let relation = of_django && matches!(word, "ForeignKey" | "OneToOneField");
        let primary = flag("primary_key", false);
        let unique = flag("unique", false) || (of_django && word == "OneToOneField");
        let nullable = flag("null", of_django && word == "NullBooleanField");
        let indexed = flag("db_index", (of_django && word == "SlugField") || relation);
        let constrained = flag("db_constraint", true);
        let text = |word: &str| args.named(word).map(|of| self.module.text(of, self.names));
        let column = match text("db_column") {
            Some(Some(column)) => column,
            Some(None) if !args.named("db_column").is_some_and(is_none) => {
                unread = Some(format!("`db_column` of the field {name} was not read"));
                name.to_owned()
            }
            _ if relation => format!("{name}_id"),
            _ => name.to_owned(),
        };
        let to = || self.model(args.named("to").or_else(|| args.get(0, "to"))?);
        let kind = match word {
            "ManyToManyField" if args.named("through").is_some_and(|of| !is_none(of)) => {
                Kind::Nothing
            }
            "ManyToManyField" => Kind::Pairs {
                table: text("db_table").flatten(),
                to: to(),
            },
            "GenericForeignKey" | "GenericRelation" => Kind::Nothing,
            _ => {
                let data_type = if of_django {
                    self.data_type(word, args)
                } else {
                    None
                };
                let default = match args.named("db_default") {
                    Some(value) => match self.default(value) {
                        Some(sql) => Some(sql),
                        None => {
                            unread = Some(format!("`db_default` of the field {name} was not read"));
                            None
                        }
                    },
                    None => None,
                };
                if word == "GeneratedField" {
                    unread = Some(format!("the expression of the field {name} was not read"));
                }
                Kind::Column {
                    column,
                    data_type: data_type.unwrap_or_else(|| UNKNOWN_TYPE.to_owned()),
                    numbered: of_django
                        && matches!(word, "AutoField" | "BigAutoField" | "SmallAutoField"),
                    to: to().filter(|_| relation),
                    constrained,
                    default,
                }
            }
        };
        Some(Field {
            name: name.to_owned(),
            kind,
            nullable,
            primary,
            unique: unique && !primary,
            unique_name: None,
            indexed: indexed && !unique && !primary,
            unread,
            place: self.module.place(of),
        })
    }

    /// The model that `to="app.Model"` names.
    fn model(&self, of: &'a Expr) -> Option<ModelKey> {
        let text = self.module.text(of, self.names)?;
        Some(match text.rsplit_once('.') {
            Some((app, model)) => (app.into(), model.to_ascii_lowercase()),
            None => (Arc::clone(self.app), text.to_ascii_lowercase()),
        })
    }

    fn default(&self, of: &'a Expr) -> Option<String> {
        let of = self.module.resolve(of, self.names);
        match &of.kind {
            ExprKind::Number(text) => Some(text.to_string()),
            ExprKind::Bool(value) => Some(match self.dialect {
                Dialect::Postgres => value.to_string(),
                _ => u8::from(*value).to_string(),
            }),
            ExprKind::Call(call) => {
                let name = self.module.qualified(&call.callee)?;
                match name.rsplit('.').next()? {
                    "Now" if call.args.is_empty() => Some("CURRENT_TIMESTAMP".to_owned()),
                    "Value" => self.default(call.args.first()?),
                    _ => None,
                }
            }
            // `{}` and `[]` of a column with JSON.
            ExprKind::Make { fields, .. } if fields.is_empty() => {
                match self.module.written_at(of.at).chars().next()? {
                    '{' => Some("'{}'".to_owned()),
                    '[' => Some("'[]'".to_owned()),
                    _ => None,
                }
            }
            _ => Some(literal(&self.module.text(of, self.names)?, self.dialect)),
        }
    }

    fn size(&self, args: Args<'a>, word: &str) -> Option<&'a str> {
        self.module.number(args.named(word)?, self.names)
    }

    fn varchar(&self, args: Args<'a>, otherwise: Option<&str>) -> Option<String> {
        let word = match self.dialect {
            Dialect::Postgres => "character varying",
            _ => "varchar",
        };
        match (args.named("max_length"), otherwise) {
            (Some(value), _) if !is_none(value) => {
                let size = self.module.number(value, self.names)?;
                Some(format!("{word}({size})"))
            }
            (_, Some(size)) => Some(format!("{word}({size})")),
            _ => Some(word.to_owned()),
        }
    }

    fn data_type(&self, word: &str, args: Args<'a>) -> Option<String> {
        let by = |postgres: &str, sqlite: &str, mysql: &str| {
            Some(
                match self.dialect {
                    Dialect::Postgres => postgres,
                    Dialect::Sqlite => sqlite,
                    _ => mysql,
                }
                .to_owned(),
            )
        };
        match word {
            "AutoField" => by("integer", "integer", "integer"),
            "BigAutoField" => by("bigint", "integer", "bigint"),
            "SmallAutoField" => by("smallint", "integer", "smallint"),
            "BinaryField" => by("bytea", "BLOB", "longblob"),
            "BooleanField" | "NullBooleanField" => by("boolean", "bool", "bool"),
            "CharField" | "CommaSeparatedIntegerField" => self.varchar(args, None),
            "FileField" | "ImageField" | "FilePathField" => self.varchar(args, Some("100")),
            "EmailField" => self.varchar(args, Some("254")),
            "URLField" => self.varchar(args, Some("200")),
            "SlugField" => self.varchar(args, Some("50")),
            "DateField" => by("date", "date", "date"),
            "DateTimeField" => by("timestamp with time zone", "datetime", "datetime(6)"),
            "TimeField" => by("time without time zone", "time", "time(6)"),
            "DurationField" => by("interval", "bigint", "bigint"),
            "DecimalField" => {
                let digits = self.size(args, "max_digits")?;
                let places = self.size(args, "decimal_places")?;
                let sized = format!("numeric({digits},{places})");
                by(&sized, "decimal", &sized)
            }
            "FloatField" => by("double precision", "real", "double precision"),
            "IntegerField" => by("integer", "integer", "integer"),
            "BigIntegerField" => by("bigint", "bigint", "bigint"),
            "SmallIntegerField" => by("smallint", "smallint", "smallint"),
            "PositiveIntegerField" => by("integer", "integer unsigned", "integer UNSIGNED"),
            "PositiveBigIntegerField" => by("bigint", "bigint unsigned", "bigint UNSIGNED"),
            "PositiveSmallIntegerField" => by("smallint", "smallint unsigned", "smallint UNSIGNED"),
            "GenericIPAddressField" => by("inet", "char(39)", "char(39)"),
            "IPAddressField" => by("inet", "char(15)", "char(15)"),
            "JSONField" => by("jsonb", "text", "json"),
            "TextField" => by("text", "text", "longtext"),
            "UUIDField" => match self.dialect {
                // From 10.7 on a type of its own; which server it is, is not known here.
                Dialect::Mariadb => None,
                _ => by("uuid", "char(32)", "char(32)"),
            },
            "HStoreField" => by("hstore", "hstore", "hstore"),
            "CITextField" | "CICharField" | "CIEmailField" => by("citext", "citext", "citext"),
            "SearchVectorField" => by("tsvector", "tsvector", "tsvector"),
            "IntegerRangeField" => by("int4range", "int4range", "int4range"),
            "BigIntegerRangeField" => by("int8range", "int8range", "int8range"),
            "DecimalRangeField" => by("numrange", "numrange", "numrange"),
            "DateTimeRangeField" => by("tstzrange", "tstzrange", "tstzrange"),
            "DateRangeField" => by("daterange", "daterange", "daterange"),
            "ArrayField" => {
                let base = args.get(0, "base_field")?;
                let base = self.field("base", base)?;
                match (base.kind, args.get(1, "size")) {
                    (Kind::Column { data_type, .. }, _) if data_type != UNKNOWN_TYPE => {
                        Some(format!("{data_type}[]"))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
