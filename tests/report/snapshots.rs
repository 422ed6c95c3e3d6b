//! The samples as a person sees them, kept whole; what they must say is asserted elsewhere.

use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, render};

use crate::samples::{hold::hold, plain};

fn shown(report: &Report, format: Format, verbose: bool) -> String {
    let options = RenderOptions {
        verbose,
        ..RenderOptions::default()
    };
    render(report, format, &options)
}

#[test]
fn terminal() {
    insta::assert_snapshot!("hold.terminal", shown(&hold(), Format::Terminal, false));
    insta::assert_snapshot!(
        "hold.terminal.verbose",
        shown(&hold(), Format::Terminal, true)
    );
    insta::assert_snapshot!(
        "unproven.terminal",
        shown(&plain::unproven(), Format::Terminal, false)
    );
    insta::assert_snapshot!("go.terminal", shown(&plain::go(), Format::Terminal, false));
    insta::assert_snapshot!(
        "empty.terminal",
        shown(&plain::empty(), Format::Terminal, false)
    );
}

#[test]
fn markdown() {
    insta::assert_snapshot!("hold.markdown", shown(&hold(), Format::Markdown, false));
    insta::assert_snapshot!(
        "unproven.markdown",
        shown(&plain::unproven(), Format::Markdown, false)
    );
    insta::assert_snapshot!("go.markdown", shown(&plain::go(), Format::Markdown, false));
    insta::assert_snapshot!(
        "empty.markdown",
        shown(&plain::empty(), Format::Markdown, false)
    );
}
