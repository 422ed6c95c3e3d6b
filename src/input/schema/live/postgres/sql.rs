//! The catalog queries of PostgreSQL. Every value is cast to text; what a version lacks is replaced
//! by a constant, by `server_version_num`.

/// Relations that belong to users, as a condition on `pg_class c` and `pg_namespace n`.
const OF_USERS: &str = "c.relkind IN ('r', 'p', 'v', 'm', 'f') \
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') \
    AND n.nspname !~ '^pg_(toast|temp_|toast_temp_)'";

/// What runs before any catalog query; `limit` is in milliseconds.
pub(super) fn opening(limit: u128) -> Vec<String> {
    vec![
        "SET default_transaction_read_only = on".to_owned(),
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_owned(),
        // Local to the transaction: behind a pooler each one may run on another connection.
        format!("SET LOCAL statement_timeout = {limit}"),
        format!("SET LOCAL lock_timeout = {limit}"),
        format!(
            "SET LOCAL idle_in_transaction_session_timeout = {}",
            limit * 4
        ),
    ]
}

/// Version, kind of server, where bare names are looked for, and what sessions begin with.
/// The driver asks for UTC: what others get is the setting of the role or database, and where there
/// is none most likely that of the log, as `initdb` writes both.
pub(super) const SETTINGS: &str = "SELECT pg_catalog.current_setting('server_version_num'), \
    pg_catalog.version(), pg_catalog.pg_is_in_recovery()::text, \
    pg_catalog.array_to_json(pg_catalog.current_schemas(false))::text, \
    pg_catalog.current_setting('server_version'), \
    pg_catalog.current_setting('default_transaction_isolation'), \
    (SELECT pg_catalog.substr(c, pg_catalog.strpos(c, '=') + 1) FROM pg_catalog.pg_db_role_setting s, \
    pg_catalog.unnest(s.setconfig) c WHERE pg_catalog.lower(c) LIKE 'timezone=%' \
    AND s.setrole IN (0, (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)) \
    AND s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database \
    WHERE datname = pg_catalog.current_database())) \
    ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1), \
    pg_catalog.current_setting('log_timezone')";

/// Gives the session the server's own time zone, as other clients have it.
pub(super) fn time_zone(zone: &str) -> String {
    format!(
        "SELECT pg_catalog.set_config('TimeZone', '{}', true)",
        zone.replace('\'', "''")
    )
}

/// From here on every name is printed with its schema, and none but the system's is found bare.
pub(super) const NO_PATH: &str = "SELECT pg_catalog.set_config('search_path', '', true)";

/// Tables, views, partitions, with their parents.
pub(super) fn relations() -> String {
    format!(
        "SELECT c.oid::text, n.nspname::text, c.relname::text, c.relkind::text, \
         (c.relpersistence = 'u')::text, c.relispartition::text, c.reltuples::bigint::text, \
         (c.relhasrules AND c.relkind IN ('r', 'p') AND EXISTS (SELECT FROM pg_rewrite r \
         WHERE r.ev_class = c.oid AND r.ev_type IN ('2', '3', '4') AND r.ev_enabled <> 'D'))::text, \
         (SELECT string_agg(h.inhparent::text, ' ' ORDER BY h.inhseqno) FROM pg_inherits h \
         WHERE h.inhrelid = c.oid) \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {OF_USERS} \
         ORDER BY n.nspname, c.relname"
    )
}

/// Columns with type, default and collation.
pub(super) fn columns(version: i64) -> String {
    let generated = if version >= 120_000 {
        "a.attgenerated::text"
    } else {
        "''"
    };
    format!(
        "SELECT a.attrelid::text, a.attnum::text, a.attname::text, \
         format_type(a.atttypid, a.atttypmod), a.attnotnull::text, a.atttypid::text, \
         a.attidentity::text, {generated}, pg_get_expr(d.adbin, d.adrelid), \
         CASE WHEN a.attcollation <> t.typcollation THEN a.attcollation::text END, \
         t.typcollation::text \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
         JOIN pg_type t ON t.oid = a.atttypid \
         LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
         WHERE {OF_USERS} ORDER BY a.attrelid, a.attnum"
    )
}

/// Domains, and the types whose equality folds.
pub(super) const TYPES: &str = "SELECT t.oid::text, t.typname::text, t.typtype::text, \
    t.typbasetype::text, t.typnotnull::text, format_type(t.typbasetype, t.typtypmod), \
    pg_get_expr(t.typdefaultbin, 0) \
    FROM pg_type t WHERE t.typtype = 'd' OR t.typname IN \
    ('citext', 'bpchar', 'float4', 'timestamp', 'timestamptz', 'time', 'timetz')";

/// Indexes with the constraint that stands on each.
pub(super) fn indexes(version: i64) -> String {
    let parts = if version >= 110_000 {
        "i.indnkeyatts"
    } else {
        "i.indnatts"
    };
    let nulls = if version >= 150_000 {
        "i.indnullsnotdistinct::text"
    } else {
        "'false'"
    };
    let period = if version >= 180_000 {
        "con.conperiod::text"
    } else {
        "'false'"
    };
    format!(
        "SELECT i.indrelid::text, i.indexrelid::text, x.relname::text, i.indisunique::text, \
         i.indisprimary::text, i.indisexclusion::text, i.indimmediate::text, i.indisvalid::text, \
         (i.indisready AND i.indislive)::text, {parts}::text, i.indkey::text, \
         i.indcollation::text, {nulls}, pg_get_expr(i.indpred, i.indrelid), con.contype::text, \
         con.condeferrable::text, con.condeferred::text, {period}, \
         CASE WHEN con.conexclop IS NOT NULL THEN (SELECT array_to_json(array_agg(o.oprname ORDER \
         BY e.n))::text FROM unnest(con.conexclop) WITH ORDINALITY e(op, n) \
         JOIN pg_operator o ON o.oid = e.op) END, \
         CASE WHEN i.indexprs IS NOT NULL THEN (SELECT array_to_json(array_agg(pg_get_indexdef(\
         i.indexrelid, k, true) ORDER BY k))::text FROM generate_series(1, {parts}) k) END \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_index i ON i.indrelid = c.oid JOIN pg_class x ON x.oid = i.indexrelid \
         LEFT JOIN pg_constraint con ON con.conindid = i.indexrelid \
         AND con.conrelid = i.indrelid AND con.contype IN ('p', 'u', 'x') \
         WHERE {OF_USERS} ORDER BY i.indrelid, x.relname"
    )
}

/// CHECK constraints of tables and domains, and foreign keys.
pub(super) fn constraints(version: i64) -> String {
    let enforced = if version >= 180_000 {
        "con.conenforced"
    } else {
        "true"
    };
    format!(
        "SELECT con.conrelid::text, con.contypid::text, con.contype::text, con.conname::text, \
         pg_get_expr(con.conbin, con.conrelid), array_to_string(con.conkey, ' '), \
         con.confrelid::text, con.confdeltype::text FROM pg_constraint con \
         JOIN pg_namespace n ON n.oid = con.connamespace \
         WHERE con.contype IN ('c', 'f') AND {enforced} \
         AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY con.conrelid, con.conname"
    )
}

/// Triggers that fire for ordinary sessions; those that stand for constraints apart.
pub(super) const TRIGGERS: &str = "SELECT t.tgrelid::text, t.tgname::text, t.tgtype::text \
    FROM pg_trigger t WHERE t.tgenabled IN ('O', 'A') \
    AND (NOT t.tgisinternal OR t.tgconstraint = 0) ORDER BY t.tgrelid, t.tgname";

/// Collations that columns and indexes use, with the versions they were made with and have now.
pub(super) fn collations(version: i64) -> String {
    let deterministic = if version >= 120_000 {
        "co.collisdeterministic::text"
    } else {
        "'true'"
    };
    format!(
        "SELECT co.oid::text, n.nspname::text, co.collname::text, {deterministic}, \
         co.collversion, pg_collation_actual_version(co.oid) \
         FROM pg_collation co JOIN pg_namespace n ON n.oid = co.collnamespace \
         WHERE co.oid IN (SELECT a.attcollation FROM pg_attribute a WHERE a.attcollation <> 0)"
    )
}

/// The collation of the database itself; kept since version 15.
pub(super) const DATABASE_COLLATION: &str = "SELECT d.datcollversion, \
    pg_database_collation_actual_version(d.oid) FROM pg_database d \
    WHERE d.datname = current_database()";

/// How volatile functions of these names are; the names are those that defaults call.
pub(super) fn functions(names: &[String]) -> String {
    let list: Vec<String> = names
        .iter()
        .map(|name| format!("'{}'", name.replace('\'', "''")))
        .collect();
    format!(
        "SELECT n.nspname::text, p.proname::text, string_agg(DISTINCT p.provolatile::text, '') \
         FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
         WHERE p.proname = ANY (ARRAY[{}]::name[]) GROUP BY 1, 2",
        list.join(", ")
    )
}
