//! Real servers for tests, and databases on them that last as long as a test.
//!
//! `scripts/test` starts the servers and names them in the environment. Without it, a test starts
//! what it needs with `scripts/servers`, once for each process: slow, and right. A test is never
//! skipped: where a server is not installed it fails and says what to do.
#![allow(
    dead_code,
    unused_imports,
    reason = "each test crate asks for the engines that it needs"
)]

mod database;
mod server;

pub(crate) use database::{Database, block_on};
pub(crate) use server::{Server, mariadb, postgres, postgres_newer};
