//! Functions of the user in a database.

use std::sync::Arc;

use super::place::Place;

/// A function of the user, as far as its body was read.
#[derive(Debug, Clone)]
pub struct Routine {
    /// Its name, without its schema.
    pub name: Arc<str>,
    /// Why two calls may give two values: the first thing in its body that can differ.
    pub moves: Option<Arc<str>>,
    /// The columns that its statements set in rows that are there, with their table.
    pub sets: Vec<(Arc<str>, Arc<str>)>,
    /// Where it is defined.
    pub place: Place,
}
