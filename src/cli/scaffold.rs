//! Arguments of `scaffold`.

use clap::{Args, ValueEnum};

use super::CheckArgs;
use crate::model::source::Language;

/// Arguments of `scaffold`.
#[derive(Debug, Args)]
pub struct ScaffoldArgs {
    /// Id of an effect or a consumer, as the report shows it
    #[arg(value_name = "EFFECT")]
    pub effect: String,
    /// Language of the tests [default: that of the source]
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<TestLanguage>,
    /// What is audited, to find the effect.
    #[command(flatten)]
    pub check: Box<CheckArgs>,
}

/// Languages in which tests are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestLanguage {
    /// Go
    Go,
    /// Python
    Python,
    /// Rust
    Rust,
}

impl From<TestLanguage> for Language {
    fn from(language: TestLanguage) -> Self {
        match language {
            TestLanguage::Go => Language::Go,
            TestLanguage::Python => Language::Python,
            TestLanguage::Rust => Language::Rust,
        }
    }
}
