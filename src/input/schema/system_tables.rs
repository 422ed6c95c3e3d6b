//! `system_tables.json`: the schema that NexusCRM declares for its own tables.
//!
//! An array of `{tableName, columns: [{name, type, nullable, unique, primaryKey, default}],
//! indices: [{name, columns, unique}], foreignKeys: [{column, references, onDelete}]}`. Keys that
//! are not named here are passed over: the file is audited, not obeyed. A file that is wrong in one
//! place is not used at all, so that what is shown is never a part that looks whole.
//!
//! Source of the meaning: `schema_ddl.go` of NexusCRM, which writes `NOT NULL` unless `nullable`
//! is true, and names an index without a name `idx_<table>_<columns>`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::{
    Column, DefaultValue, Deferral, Enforcer, EnforcerKind, ForeignKey, Index, KeyPart, Schema,
    SchemaOrigin, Table, TableKind,
};
use crate::model::text::TextFile;
use crate::sql::volatility;

use super::json::{Json, Object};

/// Reads the file whole, or says where it is wrong.
pub fn read(file: &TextFile) -> Result<Schema, Reason> {
    let root = Json::of_file(file)?;
    let mut tables = Vec::new();
    let mut seen: BTreeMap<String, Place> = BTreeMap::new();
    for element in root.elements(&format!("{}, a list of tables,", file.path))? {
        let table = table(&element.object("a table")?)?;
        let earlier = seen.insert(table.name.to_ascii_lowercase(), table.place.clone());
        if earlier.is_some() {
            return Err(element.reason(format!("the table {} is declared twice", table.name)));
        }
        tables.push(table);
    }
    if tables.is_empty() {
        return Err(root.reason(format!("{} declares no table", file.path)));
    }
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Schema {
        origin: SchemaOrigin::Declared,
        dialect: None,
        tables,
        unknown: Vec::new(),
        search_path: Vec::new(),
        routines: Vec::new(),
    })
}

fn table(object: &Object<'_>) -> Result<Table, Reason> {
    let name_at = object.need("tableName", "a table")?;
    let name: Arc<str> = name_at.string("\"tableName\"")?.into();
    let mut table = Table {
        schema: None,
        name: name.clone(),
        kind: TableKind::Table,
        unlogged: false,
        columns: Vec::new(),
        enforcers: Vec::new(),
        indexes: Vec::new(),
        triggers: Vec::new(),
        foreign_keys: Vec::new(),
        place: name_at.place(),
    };
    let mut primary: Option<Json<'_>> = None;
    let mut uniques = Vec::new();
    let columns = object.need("columns", &format!("the table {name}"))?;
    for element in columns.elements(&format!("\"columns\" of {name}"))? {
        let object = element.object(&format!("a column of {name}"))?;
        let column = column(&object, &name)?;
        if table.column(&column.name).is_some() {
            return Err(element.reason(format!("{name} declares the column {} twice", column.name)));
        }
        let what = format!("the column {} of {name}", column.name);
        if object.flag("primaryKey", &what)? {
            let at = object.need("primaryKey", &what)?;
            if primary.replace(at).is_some() {
                // Each becomes `PRIMARY KEY` beside its column, which no engine takes twice.
                return Err(at.reason(format!("{name} declares two primary keys")));
            }
            let parts = vec![KeyPart::column(column.name.clone(), false)];
            let place = at.place();
            table.enforcers.push(enforcer(
                "PRIMARY".into(),
                EnforcerKind::PrimaryKey,
                parts,
                &name,
                place,
            ));
        }
        if object.flag("unique", &what)? {
            let at = object.need("unique", &what)?;
            uniques.push((column.name.clone(), at.place()));
        }
        table.columns.push(column);
    }
    for (column, place) in uniques {
        let parts = key_parts(&table, std::slice::from_ref(&column));
        table.enforcers.push(enforcer(
            column,
            EnforcerKind::UniqueIndex,
            parts,
            &name,
            place,
        ));
    }
    if let Some(indices) = object.get("indices") {
        for element in indices.elements(&format!("\"indices\" of {name}"))? {
            index(&element, &mut table)?;
        }
    }
    if let Some(keys) = object.get("foreignKeys") {
        for element in keys.elements(&format!("\"foreignKeys\" of {name}"))? {
            let key = foreign_key(&element, &name)?;
            table.foreign_keys.push(key);
        }
    }
    table
        .enforcers
        .sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    Ok(table)
}

fn column(object: &Object<'_>, table: &str) -> Result<Column, Reason> {
    let name_at = object.need("name", &format!("a column of {table}"))?;
    let name: Arc<str> = name_at.string("\"name\"")?.into();
    let what = format!("the column {name} of {table}");
    let data_type = object
        .need("type", &what)?
        .string(&format!("\"type\" of {what}"))?;
    let default = match object.get("default") {
        Some(value) => {
            let text = value.scalar(&format!("\"default\" of {what}"))?;
            let volatility = volatility::of_default(&text, None);
            (!text.is_empty()).then(|| DefaultValue {
                text: text.into(),
                volatility,
            })
        }
        None => None,
    };
    let primary = object.flag("primaryKey", &what)?;
    Ok(Column {
        nullable: object.flag("nullable", &what)? && !primary,
        auto_number: object.flag("autoIncrement", &what)?,
        data_type: data_type.into(),
        default,
        generated: None,
        on_update: None,
        collation: None,
        place: name_at.place(),
        name,
    })
}

fn index(element: &Json<'_>, table: &mut Table) -> Result<(), Reason> {
    let what = format!("an index of {}", table.name);
    let object = element.object(&what)?;
    let columns_at = object.need("columns", &what)?;
    let mut columns: Vec<Arc<str>> = Vec::new();
    for column in columns_at.elements(&format!("\"columns\" of {what}"))? {
        let name = column.string(&format!("a column of {what}"))?;
        if table.column(&name).is_none() {
            return Err(column.reason(format!(
                "{what} names the column {name}, which the table does not declare"
            )));
        }
        columns.push(name.into());
    }
    if columns.is_empty() {
        return Err(columns_at.reason(format!("{what} has no columns")));
    }
    let name: Arc<str> = match object.get("name") {
        Some(name) => name.string(&format!("\"name\" of {what}"))?.into(),
        None => format!("idx_{}_{}", table.name, columns.join("_")).into(),
    };
    let parts = key_parts(table, &columns);
    if object.flag("unique", &what)? {
        let place = object.need("unique", &what)?.place();
        let table_name = table.name.clone();
        table.enforcers.push(enforcer(
            name,
            EnforcerKind::UniqueIndex,
            parts,
            &table_name,
            place,
        ));
    } else {
        table.indexes.push(Index {
            name,
            parts,
            predicate: None,
            place: columns_at.head(),
        });
    }
    Ok(())
}

fn key_parts(table: &Table, columns: &[Arc<str>]) -> Vec<KeyPart> {
    columns
        .iter()
        .map(|name| {
            let nullable = table.column(name).is_none_or(|column| column.nullable);
            KeyPart::column(name.clone(), nullable)
        })
        .collect()
}

fn foreign_key(element: &Json<'_>, table: &str) -> Result<ForeignKey, Reason> {
    let what = format!("a foreign key of {table}");
    let object = element.object(&what)?;
    let column = object
        .need("column", &what)?
        .string(&format!("\"column\" of {what}"))?;
    let references = object.need("references", &what)?;
    let target = references.string(&format!("\"references\" of {what}"))?;
    let target = target.split('(').next().unwrap_or("").trim().to_owned();
    let on_delete = match object.get("onDelete") {
        Some(action) => action.string(&format!("\"onDelete\" of {what}"))?,
        None => String::new(),
    };
    Ok(ForeignKey {
        name: None,
        columns: vec![column.into()],
        to: Vec::new(),
        references: target.into(),
        on_delete_cascade: on_delete.eq_ignore_ascii_case("CASCADE"),
        place: references.place(),
    })
}

fn enforcer(
    name: Arc<str>,
    kind: EnforcerKind,
    parts: Vec<KeyPart>,
    table: &str,
    place: Place,
) -> Enforcer {
    let word = match kind {
        EnforcerKind::PrimaryKey => "PRIMARY KEY",
        _ => "UNIQUE",
    };
    let columns: Vec<String> = parts.iter().map(KeyPart::to_text).collect();
    let evidence = Evidence {
        input: InputKind::Schema,
        by: ObservedBy::Text,
        place,
        says: format!("{word} ({}) on {table}", columns.join(", ")).into(),
    };
    let undecided = Arc::new(Reason {
        why: Why::NotGiven,
        needs: Some(InputKind::Database),
        sentence: "the schema is declared in text, which cannot show what a database enforces"
            .to_owned(),
        place: None,
        next_step: "Give the live database with --database, or its answers with --answers."
            .to_owned(),
    });
    Enforcer {
        name,
        kind,
        parts,
        include: Vec::new(),
        predicate: None,
        nulls_not_distinct: false,
        deferral: Deferral::Immediate,
        on_conflict: None,
        enforced: Fact::Unknown(Arc::clone(&undecided)),
        trusted: Fact::Unknown(undecided),
        evidence: Arc::new(evidence),
    }
}
