//! What is known of the fields of an object: from metadata and from the table of the same name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::metadata::Metadata;
use crate::model::schema::Schema;
use crate::model::value::Nullness;
use crate::rules::PlatformRule;

/// One field.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// `Lookup`, `AutoNumber`, …, when metadata declares it.
    pub(super) field_type: Option<Arc<str>>,
    /// Whether a stored record can have NULL in it.
    pub(super) null: Nullness,
}

/// The fields of one object.
#[derive(Debug, Default)]
pub(super) struct FieldMap {
    fields: BTreeMap<Arc<str>, Field>,
    /// True if its table was read, so that a name which is not here is no field. Metadata alone may
    /// list a part.
    pub(super) complete: bool,
}

impl FieldMap {
    /// The field of that name.
    pub(super) fn get(&self, name: &str) -> Option<&Field> {
        self.fields.get(name)
    }
}

/// Fields by object, looked up without regard to case.
#[derive(Debug, Default)]
pub(super) struct FieldCatalog {
    objects: BTreeMap<String, FieldMap>,
}

impl FieldCatalog {
    /// Joins metadata and schema. An object that neither knows has no entry: its fields are
    /// unknown, which is not the same as having none.
    pub(super) fn new(
        metadata: &Metadata,
        schema: Option<&Schema>,
        platform: Option<&PlatformRule>,
    ) -> Self {
        let mut objects: BTreeMap<String, FieldMap> = BTreeMap::new();
        for (name, object) in &metadata.objects {
            let fields = objects.entry(name.to_ascii_lowercase()).or_default();
            for field in &object.fields {
                let null = if field.required {
                    Nullness::Never
                } else {
                    Nullness::Maybe
                };
                fields.fields.insert(
                    Arc::clone(&field.name.value),
                    Field {
                        field_type: Some(Arc::clone(&field.field_type)),
                        null,
                    },
                );
            }
        }
        for table in schema.map_or(&[][..], |schema| &schema.tables) {
            let fields = objects.entry(table.name.to_ascii_lowercase()).or_default();
            fields.complete = true;
            for column in &table.columns {
                let entry = fields
                    .fields
                    .entry(Arc::clone(&column.name))
                    .or_insert(Field {
                        field_type: None,
                        null: Nullness::Maybe,
                    });
                // The engine decides what a row can hold; the flag of the metadata does not.
                entry.null = if column.nullable {
                    Nullness::Maybe
                } else {
                    Nullness::Never
                };
            }
        }
        objects.retain(|_, fields| !fields.fields.is_empty());
        if let Some(platform) = platform {
            for fields in objects.values_mut() {
                add_system_fields(fields, platform);
            }
        }
        Self { objects }
    }

    /// The fields of an object, when anything that was read declares them.
    pub(super) fn of(&self, object: &str) -> Option<&FieldMap> {
        self.objects.get(&object.to_ascii_lowercase())
    }
}

fn add_system_fields(fields: &mut FieldMap, platform: &PlatformRule) {
    for name in &platform.system_fields {
        let identity = platform.identity.contains(name);
        let field = fields.fields.entry(Arc::clone(name)).or_insert(Field {
            field_type: None,
            null: Nullness::Maybe,
        });
        if identity {
            field.null = Nullness::Never;
        }
    }
}
