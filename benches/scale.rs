//! How the whole process scales: flows and tables in, report out, wall time and peak memory.
//!
//! `cargo bench --bench scale` generates systems of 1,000 and 10,000 flows (five effects each) with
//! 2,000 tables, runs the release binary on each, and prints the figures. It asserts nothing: a
//! timed test would fail on a busy machine.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TABLES: usize = 2_000;
const RUNS: usize = 5;

fn main() {
    // Test runners start every target; only `cargo bench` asks for figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("outbox-audit-scale-{}", std::process::id()));
    let binary = env!("CARGO_BIN_EXE_outbox-audit");
    fs::create_dir_all(&folder).expect("a temporary folder");
    println!("{:<34} {:>10} {:>10}", "job", "median", "peak");
    report("--help", binary, &["--help"]);
    report(
        "check fixtures/whole/nexuscrm",
        binary,
        &["check", "fixtures/whole/nexuscrm"],
    );
    for flows in [1_000, 3_000, 10_000] {
        let system = folder.join(flows.to_string());
        generate(&system, flows);
        let path = system.to_string_lossy().into_owned();
        for format in ["terminal", "markdown", "json"] {
            let label = format!("{flows} flows, {} effects, {format}", flows * 5);
            report(&label, binary, &["check", &path, "--format", format]);
        }
    }
    fs::remove_dir_all(&folder).expect("the temporary folder goes");
}

fn report(label: &str, binary: &str, arguments: &[&str]) {
    let mut times: Vec<Duration> = Vec::new();
    let mut peak = 0;
    for _ in 0..RUNS {
        let (time, memory) = run(binary, arguments);
        times.push(time);
        peak = peak.max(memory);
    }
    times.sort();
    println!(
        "{label:<34} {:>7} ms {:>7} MB",
        times[RUNS / 2].as_millis(),
        peak / 1024
    );
}

/// Wall time, and the highest resident memory that was seen, in KiB.
fn run(binary: &str, arguments: &[&str]) -> (Duration, u64) {
    let started = Instant::now();
    let mut child = Command::new(binary)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Ok(text) = fs::read_to_string(&status) {
            let seen = text
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:"))
                .and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse().ok());
            peak = peak.max(seen.unwrap_or(0));
        }
        if child
            .try_wait()
            .expect("the binary can be waited for")
            .is_some()
        {
            return (started.elapsed(), peak);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn generate(folder: &Path, flows: usize) {
    fs::create_dir_all(folder).expect("a folder");
    let mut actions = String::new();
    let mut list = String::new();
    for at in 0..flows {
        let object = at % TABLES;
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            list,
            r#"{comma}{{"id":"f{at}","name":"Flow {at}","status":"Active","flow_type":"simple","trigger_object":"t{object}","trigger_type":"afterCreate","trigger_condition":"record.status == \"Open\"","action_type":"Action","action_config":{{"action_id":"a{at}"}}}}"#
        );
        let _ = write!(
            actions,
            r#"{comma}{{"id":"a{at}","name":"Action {at}","object_api_name":"t{object}","type":"Composite","config":{{"steps":["#
        );
        for step in 0..5 {
            let comma = if step == 0 { "" } else { "," };
            let target = (object + step + 1) % TABLES;
            let body = match step {
                0 | 1 => format!(
                    r#"{{"id":"s{step}","type":"CreateRecord","target_object":"t{target}","natural_key":["source_id"],"field_mappings":{{"source_id":"{{!record.id}}","name":"{{!record.name}}","status":"New"}}}}"#
                ),
                2 | 3 => format!(
                    r#"{{"id":"s{step}","type":"UpdateRecord","target_object":"t{target}","record_id":"{{!record.parent_id}}","field_mappings":{{"status":"{{!record.status}}","name":"{{!UPPER(record.name)}}"}}}}"#
                ),
                _ => format!(
                    r#"{{"id":"s{step}","type":"CallWebhook","url":"https://example.net/{at}","payload":"{{!record.name}}"}}"#
                ),
            };
            let _ = write!(actions, "{comma}{body}");
        }
        actions.push_str("]}}");
    }
    let metadata = format!(r#"{{"flows":[{list}],"actions":[{actions}]}}"#);
    fs::write(folder.join("flows.json"), metadata).expect("flows are written");
    let mut tables = String::from("[");
    for at in 0..TABLES {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            tables,
            r#"{comma}{{"tableName":"t{at}","columns":[{{"name":"__sys_gen_id","type":"VARCHAR(36)","primaryKey":true}},{{"name":"source_id","type":"VARCHAR(36)"}},{{"name":"parent_id","type":"VARCHAR(36)","nullable":true}},{{"name":"name","type":"VARCHAR(255)","nullable":true}},{{"name":"status","type":"VARCHAR(20)","nullable":true}}],"indices":[{{"name":"uq_t{at}_source","columns":["source_id"],"unique":true}}]}}"#
        );
    }
    tables.push(']');
    fs::write(folder.join("system_tables.json"), tables).expect("tables are written");
}
