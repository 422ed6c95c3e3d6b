//! The map for people: consumer by consumer, each effect with the calls that lead to it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::model::map::{ConsumerMap, MappedConsumer, MappedEffect, Sureness, Unresolved};

use crate::model::value::ValueSource;

use super::{at, label};
use crate::report::{RenderOptions, fitted};

/// Calls that cannot be followed are listed up to this many for each consumer.
const MAX_LOST: usize = 5;

/// Writes it.
///
/// # Errors
/// If `out` does.
pub fn write(map: &ConsumerMap, options: &RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    fitted(options.width, out, |out| {
        write_lines(map, options.verbose, out)
    })
}

fn write_lines(map: &ConsumerMap, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    let effects: usize = map.consumers.iter().map(|one| one.effects.len()).sum();
    let counts = [
        counted(map.consumers.len(), "consumer"),
        counted(effects, "effect"),
        counted(map.producers.len(), "call that emits events"),
        counted(map.unresolved.len(), "call that cannot be followed"),
    ];
    writeln!(out, "{}", counts.join(" · "))?;
    let product = map.scanned.saturating_sub(map.tests);
    write!(out, "{} of {product} source files read", map.files)?;
    match map.tests {
        0 => writeln!(out)?,
        tests => writeln!(out, "; {} left out", counted(tests, "test file"))?,
    }
    let mut lost: BTreeMap<&str, Vec<&Unresolved>> = BTreeMap::new();
    for one in &map.unresolved {
        lost.entry(&one.consumer.0).or_default().push(one);
    }
    for consumer in &map.consumers {
        write_consumer(consumer, out)?;
        for effect in &consumer.effects {
            write_effect(effect, verbose, out)?;
        }
        let lost = lost.get(&*consumer.id.0).map_or(&[][..], Vec::as_slice);
        match (consumer.effects.is_empty(), lost.is_empty()) {
            (true, true) if consumer.libraries.is_empty() => writeln!(out, "    no effect found")?,
            (true, _) => writeln!(
                out,
                "    no effect found, but not every call could be followed"
            )?,
            _ => {}
        }
        write_libraries(consumer, verbose, out)?;
        write_lost(lost, verbose, out)?;
    }
    if verbose && !map.producers.is_empty() {
        writeln!(out, "\nemits events:")?;
        for producer in &map.producers {
            writeln!(
                out,
                "    {:<32} {} in {}{}",
                format!("{} {}", producer.kind.word(), producer.event),
                at(&producer.place),
                producer.function,
                doubt(producer.sureness)
            )?;
        }
    }
    for gap in &map.gaps {
        writeln!(
            out,
            "\nunknown: {}\n  next: {}",
            gap.sentence, gap.next_step
        )?;
    }
    Ok(())
}

/// `1 consumer`, `2 consumers`; `2 calls that emit events`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 {
        return format!("1 {what}");
    }
    match what.split_once(' ') {
        Some((noun, rest)) => {
            let rest = rest.replacen("that emits", "that emit", 1);
            format!("{count} {noun}s {rest}")
        }
        None => format!("{count} {what}s"),
    }
}

fn write_consumer(consumer: &MappedConsumer, out: &mut dyn Write) -> io::Result<()> {
    let event = consumer
        .event
        .as_deref()
        .unwrap_or("an event that is not known");
    writeln!(out, "\n{}  on {event}", consumer.handler)?;
    writeln!(
        out,
        "  handler {}, subscribed at {}{}",
        at(&consumer.handler_at),
        at(&consumer.registered_at),
        doubt(consumer.sureness)
    )
}

fn write_effect(effect: &MappedEffect, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "    {:<32} {}{}",
        label(effect),
        at(&effect.place),
        doubt(effect.sureness)
    )?;
    if verbose {
        for hop in &effect.path {
            writeln!(out, "      by {} at {}", hop.function, at(&hop.place))?;
        }
    }
    if verbose {
        for draw in &effect.draws {
            let source = source(draw.source);
            writeln!(
                out,
                "      draws from {source}: {} at {}",
                draw.what,
                at(&draw.place)
            )?;
        }
    } else if !effect.draws.is_empty() {
        let sources: BTreeSet<&str> = effect
            .draws
            .iter()
            .map(|draw| source(draw.source))
            .collect();
        let sources: Vec<&str> = sources.into_iter().collect();
        writeln!(out, "      draws from {}", sources.join(", "))?;
    }
    write_standing(effect, verbose, out)
}

/// What keeps a further delivery from repeating an effect, and what is to be said of its order.
fn write_standing(effect: &MappedEffect, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    // The best guard says what the effect rests on; the others are for whoever wants to know more.
    let shown = if verbose { effect.guards.len() } else { 1 };
    for guard in effect.guards.iter().take(shown) {
        writeln!(
            out,
            "      guard {} ({}) at {}: {}",
            guard.kind.word(),
            guard.worth.word(),
            at(&guard.place),
            guard.why
        )?;
    }
    if let Some(key) = &effect.key {
        writeln!(
            out,
            "      idempotency key from {} at {}: {}",
            key.from.word(),
            at(&key.place),
            key.from.sentence()
        )?;
    }
    for note in &effect.notes {
        writeln!(
            out,
            "      {} at {}: {}",
            note.kind.word(),
            at(&note.place),
            note.kind.sentence()
        )?;
    }
    Ok(())
}

fn source(source: ValueSource) -> &'static str {
    match source {
        ValueSource::Clock => "a clock",
        ValueSource::Random => "a random source",
        other => other.word(),
    }
}

fn write_libraries(
    consumer: &MappedConsumer,
    verbose: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if consumer.libraries.is_empty() {
        return Ok(());
    }
    let shown = if verbose { usize::MAX } else { MAX_LOST };
    writeln!(
        out,
        "    calls libraries of which no rule says what they do:"
    )?;
    for name in consumer.libraries.iter().take(shown) {
        writeln!(out, "      {name}")?;
    }
    match consumer.libraries.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "      and {more} more; --verbose shows them"),
    }
}

fn write_lost(lost: &[&Unresolved], verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    let shown = if verbose { lost.len() } else { MAX_LOST };
    for one in lost.iter().take(shown) {
        writeln!(
            out,
            "    cannot be followed: {} at {}",
            one.call,
            at(&one.place)
        )?;
    }
    match lost.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "    and {more} further calls; --verbose shows them"),
    }
}

fn doubt(sureness: Sureness) -> &'static str {
    match sureness {
        Sureness::High => "",
        Sureness::Medium => "  (one of several implementations)",
        Sureness::Low => "  (by name alone)",
    }
}
