//! The neutral format: what a declaration means, and what becomes of one that does not hold
//! together.

use std::sync::Arc;

use outbox_audit::input::flows;
use outbox_audit::model::consumer::{PathState, Phase, Via};
use outbox_audit::model::effect::{EffectKind, OnConflict, OnError, RowChoice, Target};
use outbox_audit::model::metadata::Metadata;
use outbox_audit::model::text::TextFile;
use outbox_audit::model::value::{Literal, Nullness, Root, Shape, Value, ValueSource};

fn read_as(path: &str, text: &str) -> Metadata {
    flows::read(&[Arc::new(TextFile::new(path, text.to_owned()))])
}

fn read(text: &str) -> Metadata {
    read_as("flows.yaml", text)
}

fn told(metadata: &Metadata) -> Vec<String> {
    let told = metadata.problems.iter().map(|it| {
        assert!(!it.next_step.is_empty());
        let place = it.place.as_ref().expect("place");
        format!("{place}: {} -> {}", it.sentence, it.next_step)
    });
    told.collect()
}

/// One effect of one consumer, declared without problems.
fn effect(body: &str) -> outbox_audit::model::effect::Effect {
    let text =
        format!("version: 1\nconsumers:\n- id: c\n  event: e\n  effects:\n  - {{id: x, {body}}}\n");
    let mut metadata = read(&text);
    assert_eq!(told(&metadata), [""; 0], "{body}");
    metadata.declared.remove(0).effects.remove(0)
}

fn value(text: &str) -> Value {
    effect(&format!("kind: insert, table: t, set: {{c: {text}}}"))
        .writes
        .remove(0)
        .value
}

const SAMPLE: &str = include_str!("data/flows_neutral.yaml");

#[test]
fn the_sample_is_read_whole() {
    let metadata = read(SAMPLE);
    assert_eq!(told(&metadata), [""; 0]);
    assert!(metadata.read);
    let ids: Vec<&str> = metadata.declared.iter().map(|it| &*it.id().0).collect();
    assert_eq!(
        ids,
        [
            "declared:billing",
            "declared:stock",
            "declared:nightly",
            "declared:old",
            "declared:guard"
        ]
    );
    let billing = &metadata.declared[0];
    assert_eq!(&*billing.consumer.title, "Bills a paid order");
    let trigger = &billing.consumer.trigger;
    assert_eq!(trigger.event.as_deref(), Some("order.paid"));
    assert_eq!(trigger.object.as_deref(), Some("orders"));
    assert_eq!(
        (trigger.phase, trigger.conditions.len()),
        (Phase::AfterCommit, 1)
    );
    assert!(matches!(
        billing.consumer.path,
        PathState::On(Via::Delivery)
    ));
    let effects: Vec<&str> = billing.effects.iter().map(|it| &*it.id.0).collect();
    assert_eq!(
        effects,
        [
            "declared:billing/invoice/find-or-create:invoices",
            "declared:billing/line/insert:invoice_lines",
            "declared:billing/tell/http:https://api.example/v1/bills",
        ]
    );
    let invoice = &billing.effects[0];
    assert_eq!((invoice.order, invoice.kind), (0, EffectKind::FindOrCreate));
    assert!(matches!(invoice.rows, RowChoice::New));
    let OnConflict::FindFirst {
        fields,
        retries,
        sees_deleted,
        ..
    } = &invoice.on_conflict
    else {
        panic!("{:?}", invoice.on_conflict);
    };
    assert_eq!((fields.len(), *retries, *sees_deleted), (1, true, false));
    assert_eq!(invoice.numbers.len(), 1);
    assert!(invoice.numbers[0].before_insert && invoice.numbers[0].rolls_back);
    assert_eq!(
        invoice.enqueues,
        [("invoice.created".into(), "invoices".into())]
    );
    assert_eq!(invoice.on_error, OnError::Retried);
    assert_eq!(invoice.result_name.as_deref(), Some("invoice"));
    let columns: Vec<_> = invoice
        .writes
        .iter()
        .map(|it| (&*it.field, it.place.to_string()))
        .collect();
    let line = |text: &str| {
        SAMPLE
            .lines()
            .position(|it| it.contains(text))
            .expect("line")
            + 1
    };
    assert_eq!(
        columns[0],
        ("order_id", format!("flows.yaml:{}:11", line("order_id: {")))
    );
    assert!(billing.effects[2].idempotency_key.is_some());
    assert!(
        matches!(&billing.effects[2].target, Target::Outside(it) if &**it == "https://api.example/v1/bills")
    );
    let states: Vec<_> = metadata
        .declared
        .iter()
        .map(|it| it.consumer.path.word())
        .collect();
    assert_eq!(states, ["on", "on", "off", "off", "unknown"]);
    assert_eq!(
        metadata.declared[4].consumer.trigger.phase,
        Phase::InsideSave
    );
    assert!(metadata.declared.iter().all(|it| {
        it.effects
            .iter()
            .all(|effect| effect.path.word() == it.consumer.path.word())
    }));
}

#[test]
fn values_draw_what_they_declare() {
    for (text, source) in [
        ("{clock: now()}", ValueSource::Clock),
        ("{random: uuid}", ValueSource::Random),
        ("{sequence: s}", ValueSource::Sequence),
        ("{live: stock.amount}", ValueSource::LiveState),
        ("{deployment: REGION}", ValueSource::Deployment),
        ("{locale: tz}", ValueSource::Locale),
        ("{external: rate}", ValueSource::External),
    ] {
        let value = value(text);
        assert_eq!(value.draws.len(), 1);
        assert_eq!(
            (value.draws[0].source, value.null),
            (source, Nullness::Never)
        );
        assert_eq!(value.draws[0].field, None);
    }
    let plain = value("{snapshot: record.customer.id}");
    let field = plain.draws[0].field.clone().expect("field");
    assert_eq!((field.root, &*field.name), (Root::Record, "id"));
    assert_eq!(
        (&*plain.text, plain.null, plain.shape),
        ("record.customer.id", Nullness::Maybe, Shape::Plain)
    );
    assert!(plain.reads("id") && plain.is_stable() && plain.varies_by_event());
    assert_eq!(value("{snapshot: id, nulls: never}").null, Nullness::Never);
    assert_eq!(
        value("{snapshot: id, \"null\": always}").null,
        Nullness::Always
    );
    let root = |text| value(text).draws[0].field.clone().expect("field").root;
    assert_eq!(root("{snapshot: prior.stage}"), Root::Prior);
    assert_eq!(root("{snapshot: current_user.id}"), Root::User);
    let all = value("{all: [{snapshot: a}, {constant: 2}, {clock: now}]}");
    let sources: Vec<_> = all.draws.iter().map(|it| it.source).collect();
    assert_eq!(sources, [ValueSource::Snapshot, ValueSource::Clock]);
    assert_eq!(
        (&*all.text, all.shape, all.null),
        ("a, 2, now", Shape::Computed, Nullness::Maybe)
    );
    assert_eq!(all.constant, None);
}

#[test]
fn constants_keep_their_type_and_spelling() {
    let constant = |text: &str| {
        let value = value(&format!("{{constant: {text}}}"));
        assert!(value.draws.is_empty());
        assert_eq!(value.shape, Shape::Constant);
        (
            value.constant.expect("literal"),
            value.null,
            value.text.to_string(),
        )
    };
    let number = |text: &str| Literal::Number(text.into());
    let string = |text: &str| Literal::String(text.into());
    assert_eq!(
        constant("null"),
        (Literal::Null, Nullness::Always, "null".into())
    );
    assert_eq!(
        constant("true"),
        (Literal::Bool(true), Nullness::Never, "true".into())
    );
    assert_eq!(
        constant("1.50"),
        (number("1.50"), Nullness::Never, "1.50".into())
    );
    assert_eq!(constant("-7"), (number("-7"), Nullness::Never, "-7".into()));
    assert_eq!(
        constant("yes"),
        (string("yes"), Nullness::Never, "yes".into())
    );
    assert_eq!(
        constant("\"1\""),
        (string("1"), Nullness::Never, "1".into())
    );
    assert_eq!(constant("[1, {a: b}]").0, Literal::Json);
    assert_eq!(constant("{a: 1}").0, Literal::Json);
}

#[test]
fn every_way_to_treat_a_conflict() {
    let conflict =
        |text: &str| effect(&format!("kind: insert, table: t, on_conflict: {text}")).on_conflict;
    let columns = |names: &[&str]| {
        names
            .iter()
            .map(|it| Arc::from(*it))
            .collect::<Vec<Arc<str>>>()
    };
    assert_eq!(conflict("error"), OnConflict::Error);
    assert_eq!(conflict("do-nothing"), OnConflict::DoNothing(vec![]));
    assert_eq!(conflict("replace"), OnConflict::Replace);
    assert_eq!(
        conflict("{do_nothing: [a, b]}"),
        OnConflict::DoNothing(columns(&["a", "b"]))
    );
    assert_eq!(
        conflict("{update: [a]}"),
        OnConflict::Update(columns(&["a"]))
    );
    assert!(
        matches!(conflict("{caught: uq_a}"), OnConflict::Caught { constraint: Some(it), .. } if &*it == "uq_a")
    );
    assert_eq!(
        effect("kind: insert, table: t").on_conflict,
        OnConflict::Error
    );
}

#[test]
fn rows_and_targets_by_kind() {
    assert!(matches!(
        effect("kind: update, table: t, row: own").rows,
        RowChoice::OwnRecord
    ));
    assert!(matches!(
        effect("kind: delete, table: t, row: {named: {snapshot: id}}").rows,
        RowChoice::Named(_)
    ));
    assert!(matches!(
        effect("kind: increment, table: t, row: {search: {live: open}}").rows,
        RowChoice::Search(_)
    ));
    let mail = effect("kind: mail, to: sales@shop.example");
    assert!(matches!(mail.rows, RowChoice::None));
    assert_eq!(mail.target, Target::Outside("sales@shop.example".into()));
}

#[test]
fn aliases_may_repeat_small_parts() {
    let metadata = read(
        "version: 1\nconsumers:\n- id: c\n  event: e\n  effects:\n  - {id: x, kind: insert, table: t, set: {a: &own {snapshot: id}, b: *own}}\n",
    );
    assert_eq!(told(&metadata), [""; 0]);
    let writes = &metadata.declared[0].effects[0].writes;
    assert_eq!(writes[1].value.text, writes[0].value.text);
    assert_eq!(writes[1].value.place, writes[0].value.place);
}

#[test]
fn json_is_read_too_and_strictly() {
    let text = "{\t\"version\": 1,\n\t\"consumers\": [{\"id\": \"c\", \"event\": \"e\", \"effects\": [\n\t\t{\"id\": \"x\", \"kind\": \"mail\", \"to\": \"a\\ud83d\\ude00\", \"set\": {\"a\": {\"constant\": null, \"null\": \"always\"}}}]}]}";
    for path in ["c.json", "c"] {
        let metadata = read_as(path, text);
        assert_eq!(told(&metadata), [""; 0]);
        assert_eq!(&**metadata.declared[0].effects[0].target.name(), "a😀");
    }
    let broken = read_as("c.json", "{\"version\": 1, \"consumers\": [],}");
    assert!(
        told(&broken)[0].contains("is not valid JSON"),
        "{:?}",
        told(&broken)
    );
}

#[test]
fn ids_are_unique_over_all_files() {
    let file = |path: &str| {
        let text = "version: 1\nconsumers: [{id: c, event: e, effects: []}]\n";
        Arc::new(TextFile::new(path, text.to_owned()))
    };
    let metadata = flows::read(&[file("b.yaml"), file("a.yaml")]);
    assert_eq!(metadata.declared.len(), 1);
    assert!(
        told(&metadata)[0]
            .starts_with("b.yaml:2:18: the consumer `c` is declared at a.yaml:2:18 too")
    );
}
