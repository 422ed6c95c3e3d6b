//! The command line door: arguments in, exit status out.

use std::process::ExitCode;

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match outbox_audit::cli::parse_from(std::env::args_os()) {
        Ok(cli) => outbox_audit::command::run(cli).into(),
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Clap writes help to stdout and errors to stderr; a closed pipe is no problem of ours.
            let _ = error.print();
            code.into()
        }
    }
}
