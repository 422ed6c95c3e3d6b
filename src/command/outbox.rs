//! `backlog`, `backfill`, `queries`: the rows that wait in the outbox, counted or as the SQL that
//! counts or repairs them. Nothing is changed by any of them.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::ProposedKey;
use crate::cli::{BackfillArgs, BacklogArgs, CheckArgs, OutboxArgs, SchemaFormat};
use crate::model::evidence::{Fact, Why};
use crate::model::outbox::{Outbox, OutboxShape};
use crate::model::schema::Dialect;
use crate::report;
use crate::sql::outbox::{self, JsonCheck};

use super::check;
use super::output::{Failure, options, to_stdout};
use super::progress;

/// Counts and prints; a count that could not be made is printed as such.
pub(super) fn backlog(arguments: BacklogArgs) -> Result<u8, Failure> {
    let arguments_of = |outbox| CheckArgs {
        sample: arguments.sample,
        stream_payloads: arguments.stream_payloads,
        ..typed(outbox)
    };
    let shown = progress::start(false);
    let outbox = known(arguments_of(arguments.outbox))?;
    drop(shown);
    if let Err(reason) = &outbox.backlog {
        return Err(could_not(&reason.sentence, &reason.next_step));
    }
    to_stdout(|out| match arguments.format {
        SchemaFormat::Json => report::write_backlog_json(&outbox, out),
        SchemaFormat::Terminal => report::write_backlog_text(&outbox, &options(false, false), out),
    })?;
    Ok(0)
}

/// Prints the statements of the backfill.
pub(super) fn backfill(arguments: BackfillArgs) -> Result<u8, Failure> {
    let outbox = printed_for(arguments.outbox)?;
    let shape = shape(&outbox)?;
    let statements = outbox::backfill(shape, arguments.batch).map_err(|why| {
        could_not(
            &format!("no backfill for {}: {why}", shape.name),
            "see `outbox` in the configuration: table, columns, states, record_key.template",
        )
    })?;
    let template = shape.template.as_deref().unwrap_or_default();
    let mut text = format!(
        "-- Fills the record key of rows of {} that wait and have none, as {template}.\n\
         -- Before: the column is there, and every writer fills it. After: this again, until the last\n\
         -- query says 0; only then NOT NULL, and the flag.\n\
         -- Each batch is a transaction of its own (autocommit on): stop at any time, run it again.\n",
        shape.name
    );
    if let Some(session) = &statements.session {
        let _ = write!(text, "\n-- Once in each session:\n{session}\n");
    }
    let _ = write!(
        text,
        "\n-- Until it changes no row:\n{}\n\n-- Done when it says 0:\n{}\n",
        statements.batch, statements.remaining
    );
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(0)
}

/// Prints the questions about the backlog.
pub(super) fn queries(arguments: OutboxArgs) -> Result<u8, Failure> {
    let keys = proposed(&arguments)?;
    let outbox = printed_for(arguments)?;
    let shape = match shape(&outbox) {
        Err(failure) if keys.is_empty() || is_of_another_engine(&outbox) => return Err(failure),
        shape => shape.ok(),
    };
    let mut text = String::from(
        "-- Each statement reads only, and gives one line of JSON: counts and ids, no payload.\n\
         -- Run them on the primary.\n",
    );
    if let Some(shape) = shape {
        of_backlog(shape, &mut text);
    }
    for key in keys {
        let (id, sql) = (key.question.id, key.question.sql);
        let place = match key.is_chosen {
            true => "",
            false => "\n-- (in place of the change that `check` lists first for it)",
        };
        let _ = write!(
            text,
            "\n-- {id}: UNIQUE on {}, refused while groups is not 0{place}\n{sql};\n",
            key.name
        );
    }
    if let Some(shape) = shape {
        of_plan(shape, &mut text);
    }
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(0)
}

fn of_backlog(shape: &OutboxShape, text: &mut String) {
    if shape.dialect == Dialect::Postgres {
        text.push_str(
            "-- PostgreSQL before 16 has no pg_input_is_valid: let the audit connect there.\n",
        );
    }
    for question in outbox::questions(shape, JsonCheck::Asks) {
        let _ = match question {
            Ok(question) => write!(text, "\n-- {}\n{};\n", question.id, question.sql),
            Err(unasked) => write!(text, "\n-- {}: not asked, {}\n", unasked.id, unasked.why),
        };
    }
}

fn of_plan(shape: &OutboxShape, text: &mut String) {
    let explain = match shape.dialect {
        Dialect::Sqlite => "EXPLAIN QUERY PLAN",
        _ => "EXPLAIN",
    };
    let _ = match outbox::eligible(shape) {
        Ok(eligible) => write!(
            text,
            "\n-- The plan of the query by which workers look for an event, to be read by a person:\n\
             -- both uses of the table go by an index, and a sort is of the rows that wait only.\n\
             {explain} {};\n",
            eligible.ordered
        ),
        Err(why) => write!(
            text,
            "\n-- The plan of the eligible query: not asked, {why}\n"
        ),
    };
}

/// The keys that an audit of the same project proposes.
fn proposed(arguments: &OutboxArgs) -> Result<Vec<ProposedKey>, Failure> {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let arguments = CheckArgs {
        path: arguments.path.clone(),
        config: arguments.config.clone(),
        packs: arguments.packs.clone(),
        schema: arguments.schema.clone(),
        dialect: arguments.dialect,
        database: arguments.database.clone(),
        ..CheckArgs::default()
    };
    let config = check::configuration(&arguments, &path)?;
    let by_text = is_by_text(&arguments);
    let mut request = check::request(arguments, &path, config.as_ref())?;
    if by_text {
        request.sources.database = None;
    }
    Ok(crate::proposed_keys(&request)?)
}

/// True if a schema was typed and no database: what is printed is then for the engine of that text,
/// and not for that of a configured database.
fn is_by_text(arguments: &CheckArgs) -> bool {
    !arguments.schema.is_empty() && arguments.database.is_none()
}

/// What is known of the outbox for which statements are printed.
fn printed_for(arguments: OutboxArgs) -> Result<Outbox, Failure> {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let arguments = typed(arguments);
    let by_text = is_by_text(&arguments);
    let config = check::configuration(&arguments, &path)?;
    let mut request = check::request(arguments, &path, config.as_ref())?;
    if by_text {
        request.sources.database = None;
    }
    Ok(crate::outbox(request)?)
}

fn known(arguments: CheckArgs) -> Result<Outbox, Failure> {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let config = check::configuration(&arguments, &path)?;
    let request = check::request(arguments, &path, config.as_ref())?;
    Ok(crate::outbox(request)?)
}

fn typed(arguments: OutboxArgs) -> CheckArgs {
    CheckArgs {
        path: arguments.path,
        config: arguments.config,
        packs: arguments.packs,
        schema: arguments.schema,
        dialect: arguments.dialect,
        database: arguments.database,
        ..CheckArgs::default()
    }
}

fn is_of_another_engine(outbox: &Outbox) -> bool {
    matches!(&outbox.table, Fact::Unknown(reason) if reason.why == Why::Disagree)
}

fn shape(outbox: &Outbox) -> Result<&OutboxShape, Failure> {
    match (&outbox.shape, &outbox.table) {
        (Some(shape), _) => Ok(shape),
        (None, Fact::Unknown(reason)) => Err(could_not(&reason.sentence, &reason.next_step)),
        (None, _) => Err(could_not(
            "the schema does not tell its engine",
            "name it with --dialect, or give the database",
        )),
    }
}

fn could_not(what: &str, next_step: &str) -> Failure {
    Failure::error(format!("{what}\n  next: {next_step}"))
}
