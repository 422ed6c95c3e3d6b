//! The neutral format.
use crate::model::metadata::Metadata;
use crate::model::text::TextFile;
use std::sync::Arc;
/// x
pub fn read(_file: &Arc<TextFile>, _metadata: &mut Metadata) {}
