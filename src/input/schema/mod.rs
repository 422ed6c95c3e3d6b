//! Readers of the schema: SQL text, `system_tables.json`, SQLite database files.
