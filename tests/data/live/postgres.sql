-- Every trap of uniqueness that a catalog of PostgreSQL shows, one table each. Both the reader of
-- text and the reader of catalogs read this file, and have to say the same.
CREATE TABLE nullable_key (tenant text NOT NULL, ext text, UNIQUE (tenant, ext));
CREATE TABLE nulls_not_distinct (tenant text NOT NULL, ext text, UNIQUE NULLS NOT DISTINCT (tenant, ext));
CREATE DOMAIN strict_text AS text NOT NULL;
CREATE TABLE domain_key (k strict_text UNIQUE);
CREATE TABLE check_key (k text UNIQUE CHECK (k IS NOT NULL));
CREATE TABLE soft_delete (k text NOT NULL, deleted_at timestamptz);
CREATE UNIQUE INDEX soft_delete_live ON soft_delete (k) WHERE deleted_at IS NULL;
CREATE TYPE order_status AS ENUM ('draft', 'active');
CREATE TABLE partial_status (
  k varchar(36) NOT NULL,
  status order_status NOT NULL DEFAULT 'draft',
  kind varchar(20),
  amount numeric(10, 2) NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX partial_status_active ON partial_status (k) WHERE status = 'active';
CREATE UNIQUE INDEX partial_status_kind ON partial_status (k) WHERE kind IN ('a', 'b') AND amount > 0;
CREATE TABLE expressions (a varchar(50) NOT NULL, b text, at date NOT NULL);
CREATE UNIQUE INDEX expressions_lower ON expressions (lower(a));
CREATE UNIQUE INDEX expressions_coalesce ON expressions (a, coalesce(b, ''));
CREATE UNIQUE INDEX expressions_concat ON expressions ((a || '-' || b));
CREATE UNIQUE INDEX expressions_left ON expressions (left(a, 5));
CREATE TABLE deferrable_key (k text NOT NULL CONSTRAINT deferrable_key_k UNIQUE DEFERRABLE INITIALLY DEFERRED, l text NOT NULL CONSTRAINT deferrable_key_l UNIQUE DEFERRABLE);
CREATE TABLE included (a text NOT NULL, b text, UNIQUE (a) INCLUDE (b));
CREATE TABLE excluded (k text NOT NULL, EXCLUDE USING btree (k WITH =));
CREATE TABLE booked (room int4range NOT NULL, at daterange NOT NULL, EXCLUDE USING gist (room WITH =, at WITH &&));
CREATE TABLE predicates (k text NOT NULL, flag boolean NOT NULL DEFAULT false, n int, at date, code varchar(3), e order_status);
CREATE UNIQUE INDEX predicates_flag ON predicates (k) WHERE flag;
CREATE UNIQUE INDEX predicates_not ON predicates (k, n) WHERE NOT flag AND (n IS NOT NULL OR at IS NULL);
CREATE UNIQUE INDEX predicates_one ON predicates (k) WHERE code IN ('a');
CREATE UNIQUE INDEX predicates_between ON predicates (n) WHERE n BETWEEN 1 AND 10 AND code <> 'x';
CREATE UNIQUE INDEX predicates_date ON predicates (n) WHERE at > '2020-01-01';
CREATE UNIQUE INDEX predicates_enum ON predicates (n) WHERE e <> 'draft' AND flag IS TRUE;
CREATE TABLE identities (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n bigserial, k text NOT NULL UNIQUE);
CREATE TABLE generated (a text NOT NULL, lower_a text GENERATED ALWAYS AS (lower(a)) STORED UNIQUE);
CREATE TABLE volatile_key (k text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(), id uuid PRIMARY KEY DEFAULT gen_random_uuid(), UNIQUE (k, at));
CREATE UNLOGGED TABLE unlogged_inbox (event_id text PRIMARY KEY);
CREATE TABLE parent (k text NOT NULL, at date NOT NULL, UNIQUE (k, at)) PARTITION BY RANGE (at);
CREATE TABLE parent_2024 PARTITION OF parent FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE leaves (k text NOT NULL, at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE leaves_2024 PARTITION OF leaves FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE UNIQUE INDEX leaves_2024_k ON leaves_2024 (k);
CREATE TABLE only_parent (k text NOT NULL, at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE only_parent_2024 PARTITION OF only_parent FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE UNIQUE INDEX only_parent_k ON ONLY only_parent (k, at);
CREATE TABLE base (k text PRIMARY KEY);
CREATE TABLE child (extra text) INHERITS (base);
CREATE TABLE collated (k text COLLATE "C" NOT NULL UNIQUE, l text NOT NULL);
CREATE UNIQUE INDEX collated_l ON collated (l COLLATE "POSIX");
CREATE TABLE referred (id text PRIMARY KEY);
CREATE TABLE referring (id text PRIMARY KEY, parent text NOT NULL REFERENCES referred (id) ON DELETE CASCADE);
CREATE TABLE fixed_width (k char(8) NOT NULL UNIQUE, r real NOT NULL UNIQUE, s timestamptz(0) NOT NULL UNIQUE);
CREATE VIEW seen AS SELECT k FROM soft_delete;
CREATE TABLE plain_index (k text);
CREATE INDEX plain_index_k ON plain_index (k);
CREATE TABLE by_default (k varchar(36) NOT NULL, status varchar(20) NOT NULL DEFAULT 'active', kind order_status NOT NULL DEFAULT 'draft', n numeric(10, 2) DEFAULT 0, flag boolean DEFAULT true, gone timestamptz DEFAULT NULL);
CREATE UNIQUE INDEX by_default_active ON by_default (k) WHERE status = 'active';
CREATE TABLE by_other_default (k varchar(36) NOT NULL, kind order_status NOT NULL DEFAULT 'draft');
CREATE UNIQUE INDEX by_other_default_active ON by_other_default (k) WHERE kind = 'active';
CREATE TABLE by_number (k varchar(36) NOT NULL, n numeric(10, 2) DEFAULT 0, flag boolean DEFAULT true);
CREATE UNIQUE INDEX by_number_n ON by_number (k) WHERE n = 0 AND flag;
