-- Every trap of uniqueness that a catalog of MariaDB shows. Both the reader of text and the reader
-- of catalogs read this file, and have to say the same.
CREATE TABLE nullable_key (t varchar(20) NOT NULL, e varchar(20), UNIQUE KEY nullable_key_te (t, e)) ENGINE=InnoDB;
CREATE TABLE prefixed (u varchar(200) NOT NULL, UNIQUE KEY prefixed_u (u(10)));
CREATE TABLE general_ci (k varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL, UNIQUE KEY general_ci_k (k));
CREATE TABLE padded (k varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, n varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL, b varbinary(40) NOT NULL, UNIQUE KEY padded_k (k), UNIQUE KEY padded_n (n), UNIQUE KEY padded_b (b));
CREATE TABLE soft_delete (
  id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  k varchar(36) NOT NULL,
  deleted_at datetime(6) DEFAULT NULL,
  act tinyint GENERATED ALWAYS AS (if(deleted_at IS NULL, 1, NULL)) VIRTUAL,
  UNIQUE KEY soft_delete_k (k, act)
);
CREATE TABLE ignored (id int NOT NULL PRIMARY KEY, k varchar(36) NOT NULL, UNIQUE KEY ignored_k (k) IGNORED);
CREATE TABLE long_unique (k text NOT NULL, UNIQUE KEY long_unique_k (k));
CREATE TABLE overlaps (k varchar(36) NOT NULL, s date NOT NULL, e date NOT NULL, PERIOD FOR p (s, e), UNIQUE KEY overlaps_k (k, p WITHOUT OVERLAPS));
CREATE TABLE between_days (k varchar(36) NOT NULL, s date NOT NULL, e date NOT NULL, UNIQUE KEY between_days_k (k, s, e));
CREATE TABLE seconds (k varchar(36) NOT NULL, at datetime NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), precise datetime(6) NOT NULL, UNIQUE KEY seconds_at (k, at), UNIQUE KEY seconds_precise (k, precise));
CREATE TABLE defaults (
  a varchar(10) NOT NULL DEFAULT '',
  b int NOT NULL DEFAULT 0,
  c varchar(36) NOT NULL DEFAULT uuid(),
  d varchar(10) DEFAULT 'it''s',
  UNIQUE KEY defaults_a (a),
  UNIQUE KEY defaults_c (c)
);
CREATE TABLE checked (k varchar(36) CHECK (k IS NOT NULL), UNIQUE KEY checked_k (k));
CREATE TABLE my_isam (k varchar(36) NOT NULL PRIMARY KEY) ENGINE=MyISAM;
CREATE TABLE in_memory (k varchar(36) NOT NULL PRIMARY KEY) ENGINE=MEMORY;
CREATE TABLE partitioned (k varchar(36) NOT NULL, d int NOT NULL, UNIQUE KEY partitioned_kd (k, d)) PARTITION BY HASH (d) PARTITIONS 4;
CREATE TABLE referred (id varchar(36) NOT NULL PRIMARY KEY);
CREATE TABLE referring (id varchar(36) NOT NULL PRIMARY KEY, parent varchar(36) NOT NULL, CONSTRAINT referring_parent FOREIGN KEY (parent) REFERENCES referred (id) ON DELETE CASCADE);
CREATE TABLE plain_index (k varchar(36), KEY plain_index_k (k));
CREATE VIEW seen AS SELECT k FROM plain_index;
