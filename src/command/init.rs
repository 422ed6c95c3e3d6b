//! `init`: writes a commented configuration from what is found.

use std::path::PathBuf;

use crate::cli::InitArgs;
use crate::input::init;

use super::output::{Failure, to_stdout};

/// Writes the file and says where.
pub(super) fn run(arguments: &InitArgs) -> Result<u8, Failure> {
    let root = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let found = init::look(&root);
    let file = init::write(&root, &found, arguments.force).map_err(Failure::error)?;
    to_stdout(|out| {
        writeln!(
            out,
            "{} is written; read it through, then run `outbox-audit check {}`",
            file.display(),
            root.display()
        )
    })?;
    Ok(0)
}
