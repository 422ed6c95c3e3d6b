//! Settings of deployments, as far as they say which database is used and how. A secret in one is
//! never kept.

use std::sync::Arc;

use super::place::Place;

/// A setting in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting {
    /// Its name.
    pub name: Arc<str>,
    /// Where it stands.
    pub place: Place,
    /// The addresses it holds; none where it is put together somewhere else.
    pub addresses: Option<Vec<Address>>,
}

/// Where a database is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The host.
    pub host: Option<Arc<str>>,
    /// The port, where one is given.
    pub port: Option<Arc<str>>,
    /// Parameters that hold no secret.
    pub parameters: Vec<(Arc<str>, Arc<str>)>,
}
