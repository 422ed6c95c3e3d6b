//! Types of SQLAlchemy as SQL, as its compilers print them.
//! Source: `sqlalchemy/dialects/*/base.py`, the type compilers.

use crate::model::name::quoted;
use crate::model::schema::Dialect;
use crate::model::source::{Call, Expr, ExprKind};

use super::super::module::{Args, Module, Names, is_none, names_are};
use super::super::statement::literal;

/// A type, and whether a key of it alone is numbered by the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DataType {
    pub(super) sql: String,
    pub(super) integer: bool,
}

/// Packages whose types are the ones below.
const PACKAGES: [&str; 4] = ["sqlalchemy", "sqlmodel", "geoalchemy2", "citext"];

/// The type that an expression gives; none if it is none that is known.
pub(super) fn data_type<'a>(
    module: &Module<'a>,
    names: &Names<'a>,
    of: &'a Expr,
    dialect: Dialect,
) -> Option<DataType> {
    let of = module.resolve(of, names);
    let call = match &of.kind {
        ExprKind::Call(call) => Some(&**call),
        _ => None,
    };
    if let Some(call) = call.filter(|call| names_are(call, "with_variant"))
        && let ExprKind::Field { of: base, .. } = &call.callee.kind
    {
        let args = Args(call);
        let variant = args.get(0, "type_")?;
        let dialects = args.positional().skip(1);
        let mut meant = false;
        for name in dialects {
            meant |= is_dialect(&module.text(name, names)?, dialect);
        }
        let chosen = if meant { variant } else { &**base };
        return data_type(module, names, chosen, dialect);
    }
    let name = module.qualified(call.map_or(of, |call| &call.callee))?;
    let package = name.split('.').next().unwrap_or_default();
    if !PACKAGES.contains(&package) {
        return None;
    }
    let name = name.rsplit('.').next().unwrap_or_default();
    let made = Made {
        module,
        names,
        call,
        dialect,
    };
    let integer = matches!(
        name,
        "Integer" | "INTEGER" | "INT" | "BigInteger" | "BIGINT" | "SmallInteger" | "SMALLINT"
    );
    Some(DataType {
        sql: made.sql(name)?,
        integer,
    })
}

/// True if SQLAlchemy's name of a dialect is this one.
pub(super) fn is_dialect(name: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Postgres => name == "postgresql",
        Dialect::Sqlite => name == "sqlite",
        // MariaDB goes by either name.
        Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb => matches!(name, "mysql" | "mariadb"),
    }
}

struct Made<'m, 'a> {
    module: &'m Module<'a>,
    names: &'m Names<'a>,
    call: Option<&'a Call>,
    dialect: Dialect,
}

impl<'a> Made<'_, 'a> {
    fn sql(&self, name: &str) -> Option<String> {
        let postgres = self.dialect == Dialect::Postgres;
        let sqlite = self.dialect == Dialect::Sqlite;
        let by = |one: &str, two: &str, three: &str| {
            Some(
                match (postgres, sqlite) {
                    (true, _) => one,
                    (_, true) => two,
                    _ => three,
                }
                .to_owned(),
            )
        };
        match name {
            "Integer" | "INTEGER" | "INT" => Some("integer".to_owned()),
            "BigInteger" | "BIGINT" => Some("bigint".to_owned()),
            "SmallInteger" | "SMALLINT" => Some("smallint".to_owned()),
            "String" | "Unicode" | "VARCHAR" | "NVARCHAR" | "AutoString" => self.varchar(),
            "CHAR" | "NCHAR" => self.sized(if postgres { "character" } else { "char" }),
            "Text" | "UnicodeText" | "TEXT" => Some("text".to_owned()),
            "Boolean" | "BOOLEAN" | "BOOL" => by("boolean", "BOOLEAN", "BOOL"),
            "Date" | "DATE" => Some("date".to_owned()),
            "DateTime" | "TIMESTAMP" | "DATETIME" => self.moment(name),
            "Time" | "TIME" => match self.flag("timezone")? && postgres {
                true => Some("time with time zone".to_owned()),
                false => by("time without time zone", "TIME", "TIME"),
            },
            "Interval" | "INTERVAL" => by("interval", "DATETIME", "DATETIME"),
            "Numeric" | "NUMERIC" | "DECIMAL" => self.numeric(),
            "Float" | "FLOAT" => self.float(),
            "Double" | "DOUBLE" | "DOUBLE_PRECISION" => by("double precision", "DOUBLE", "DOUBLE"),
            "REAL" => Some("real".to_owned()),
            "LargeBinary" | "BLOB" | "BYTEA" => by("bytea", "BLOB", "BLOB"),
            "PickleType" => by("bytea", "BLOB", "BLOB"),
            "JSON" => Some("json".to_owned()),
            "UUID" | "Uuid" | "GUID" => by("uuid", "CHAR(32)", "CHAR(32)"),
            "Enum" | "ENUM" => self.words(),
            "ARRAY" if postgres => self.array(),
            "BIT" => self.sized("bit"),
            "TINYINT" | "MEDIUMINT" | "YEAR" | "TINYTEXT" | "MEDIUMTEXT" | "LONGTEXT"
            | "TINYBLOB" | "MEDIUMBLOB" | "LONGBLOB"
                if !postgres =>
            {
                self.sized(name)
            }
            "BINARY" | "VARBINARY" if !postgres => self.sized(name),
            "JSONB" | "HSTORE" | "INET" | "CIDR" | "MACADDR" | "MACADDR8" | "TSVECTOR"
            | "TSQUERY" | "CITEXT" | "MONEY" | "OID" | "REGCLASS" | "INT4RANGE" | "INT8RANGE"
            | "NUMRANGE" | "DATERANGE" | "TSRANGE" | "TSTZRANGE" | "JSONPATH"
                if postgres =>
            {
                Some(name.to_ascii_lowercase())
            }
            _ => None,
        }
    }

    fn arg(&self, at: usize, name: &str) -> Option<&'a Expr> {
        Args(self.call?).get(at, name)
    }

    /// A flag that is false where it is not given; none where it cannot be told.
    fn flag(&self, name: &str) -> Option<bool> {
        match self.arg(usize::MAX, name) {
            Some(value) => self.module.flag(value, self.names),
            None => Some(false),
        }
    }

    /// A number that is given, or nothing; none where it cannot be told.
    fn size(&self, at: usize, name: &str) -> Option<Option<&'a str>> {
        match self.arg(at, name) {
            None => Some(None),
            Some(value) => match &self.module.resolve(value, self.names).kind {
                ExprKind::Number(text) => Some(Some(text)),
                ExprKind::Nil => Some(None),
                _ => None,
            },
        }
    }

    fn sized(&self, word: &str) -> Option<String> {
        let size = match self.size(0, "length")? {
            Some(size) => Some(size),
            None => self.size(usize::MAX, "display_width")?,
        };
        let mut sql = match size {
            Some(size) => format!("{word}({size})"),
            None => word.to_owned(),
        };
        if self.flag("unsigned")? {
            sql.push_str(" UNSIGNED");
        }
        Some(sql)
    }

    fn varchar(&self) -> Option<String> {
        let mut sql = self.sized(match self.dialect {
            Dialect::Postgres => "character varying",
            _ => "VARCHAR",
        })?;
        if let Some(collation) = self.arg(1, "collation").filter(|of| !is_none(of)) {
            let name = self.module.text(collation, self.names)?;
            let name = super::super::statement::quoted(&name, self.dialect);
            sql = format!("{sql} COLLATE {name}");
        }
        Some(sql)
    }

    fn moment(&self, name: &str) -> Option<String> {
        let zoned = self.arg(usize::MAX, "timezone").or_else(|| {
            // `TIMESTAMP(True)`; of MySQL's it is the precision.
            (self.dialect == Dialect::Postgres).then(|| self.arg(0, "timezone"))?
        });
        let zoned = match zoned {
            Some(value) => self.module.flag(value, self.names)?,
            None => false,
        };
        let precision = match self.dialect {
            Dialect::Postgres => self.size(usize::MAX, "precision")?,
            _ => self.size(usize::MAX, "fsp")?,
        };
        let size = precision.map_or_else(String::new, |size| format!("({size})"));
        Some(match (self.dialect, zoned) {
            (Dialect::Postgres, true) => format!("timestamp{size} with time zone"),
            (Dialect::Postgres, false) => format!("timestamp{size} without time zone"),
            (Dialect::Sqlite, _) => name.to_ascii_uppercase(),
            _ if name == "TIMESTAMP" => format!("TIMESTAMP{size}"),
            _ => format!("DATETIME{size}"),
        })
    }

    fn numeric(&self) -> Option<String> {
        let precision = self.size(0, "precision")?;
        let scale = self.size(1, "scale")?;
        Some(match (precision, scale) {
            (Some(precision), Some(scale)) => format!("numeric({precision},{scale})"),
            (Some(precision), None) => format!("numeric({precision})"),
            (None, _) => "numeric".to_owned(),
        })
    }

    fn float(&self) -> Option<String> {
        let precision = self.size(0, "precision")?;
        Some(match (precision, self.dialect) {
            (Some(size), _) => format!("float({size})"),
            (None, Dialect::Postgres) => "double precision".to_owned(),
            (None, _) => "FLOAT".to_owned(),
        })
    }

    /// An enumeration: a type of its own in PostgreSQL, a list of words in MySQL, a text else.
    fn words(&self) -> Option<String> {
        let args = Args(self.call?);
        if args.are_open() {
            return None;
        }
        let native = match self.arg(usize::MAX, "native_enum") {
            Some(value) => self.module.flag(value, self.names)?,
            None => true,
        };
        if native && self.dialect == Dialect::Postgres {
            let name = self.module.text(args.named("name")?, self.names)?;
            let name = quoted(&name, Some(self.dialect));
            return Some(match args.named("schema") {
                Some(schema) => {
                    let schema = self.module.text(schema, self.names)?;
                    let schema = quoted(&schema, Some(self.dialect));
                    format!("{schema}.{name}")
                }
                None => name,
            });
        }
        let mut words = Vec::new();
        for word in args.positional() {
            words.push(self.module.text(word, self.names)?);
        }
        if native && self.dialect != Dialect::Sqlite {
            let words: Vec<String> = words
                .iter()
                .map(|word| literal(word, self.dialect))
                .collect();
            return Some(format!("ENUM({})", words.join(", ")));
        }
        let longest = words.iter().map(|word| word.chars().count()).max()?;
        let length = self.size(usize::MAX, "length")?;
        let length = length.map_or_else(|| longest.to_string(), str::to_owned);
        Some(match self.dialect {
            Dialect::Postgres => format!("character varying({length})"),
            _ => format!("VARCHAR({length})"),
        })
    }

    fn array(&self) -> Option<String> {
        let item = self.arg(0, "item_type")?;
        let item = data_type(self.module, self.names, item, self.dialect)?;
        let dimensions = match self.size(usize::MAX, "dimensions")? {
            Some(number) => number.parse::<usize>().ok().filter(|number| *number <= 6)?,
            None => 1,
        };
        Some(format!("{}{}", item.sql, "[]".repeat(dimensions)))
    }
}
