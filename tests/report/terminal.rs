//! The terminal: columns, counts, names, and the samples as a person sees them.

use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, render};

use crate::samples::{hold::hold, plain};

fn terminal(report: &Report, verbose: bool) -> String {
    let options = RenderOptions { verbose, ..RenderOptions::default() };
    render(report, Format::Terminal, &options)
}

#[test]
fn samples_as_a_person_sees_them() {
    print!("{}", terminal(&hold(), false));
    print!("{}", terminal(&plain::go(), false));
    print!("{}", terminal(&plain::unproven(), true));
    print!("{}", terminal(&plain::empty(), false));
}
