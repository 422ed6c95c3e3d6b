//! Migrations of Django: what its operations make of tables and keys.

use outbox_audit::model::schema::{Dialect, Schema};

use super::live_support::{columns, keys};
use super::{schema, unknown};

const HEAD: &str = "from django.db import connection, migrations, models\n\n\n";

const MODELS: &str = "\
        migrations.CreateModel(
            name=\"Shop\",
            fields=[
                (\"id\", models.BigAutoField(auto_created=True, primary_key=True)),
                (\"name\", models.CharField(max_length=20, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name=\"Order\",
            fields=[
                (\"id\", models.UUIDField(primary_key=True)),
                (\"number\", models.TextField()),
                (\"state\", models.TextField(null=True)),
                (\"shop\", models.ForeignKey(on_delete=models.CASCADE, to=\"shop.shop\")),
                (\"tags\", models.ManyToManyField(to=\"shop.Shop\")),
            ],
        ),
";

/// A migration with the models above, functions before it and operations behind them.
fn read_in(code: &str, operations: &str, dialect: Dialect) -> Schema {
    let text = format!(
        "{HEAD}{code}\n\nclass Migration(migrations.Migration):\n    operations = [\n{MODELS}        \
         {operations}\n    ]\n"
    );
    schema(&[("src/shop/migrations/0001_initial.py", &text)], dialect)
}

fn read(operations: &str) -> Schema {
    read_in("", operations, Dialect::Postgres)
}

/// Keys of the orders.
fn orders(schema: &Schema) -> Vec<String> {
    let all = keys(schema).into_iter();
    all.filter(|key| key.starts_with("shop_order.")).collect()
}

#[test]
fn models_become_tables() {
    let found = read("");
    assert!(unknown(&found).is_empty(), "{:?}", unknown(&found));
    assert_eq!(
        keys(&found),
        [
            "shop_order.shop_order_pkey primary-key (id)",
            "shop_order_tags.shop_order_tags_pkey primary-key (id)",
            "shop_order_tags.shop_order_tags_order_id_shop_id_d6c8e2bc_uniq unique-constraint \
             (order_id, shop_id)",
            "shop_shop.shop_shop_pkey primary-key (id)",
            "shop_shop.shop_shop_name_key unique-constraint (name)",
        ]
        .map(|key| key.replace("d6c8e2bc", &hash(&found)))
    );
    assert_eq!(
        columns(&found)[..4],
        [
            "shop_order.id",
            "shop_order.number",
            "shop_order.state?",
            "shop_order.shop_id"
        ]
    );
    let orders = found.table("shop_order").expect("a table");
    assert_eq!(&*orders.columns[3].data_type, "bigint");
    assert_eq!(&*orders.foreign_keys[0].references, "shop_shop");
    assert_eq!(orders.indexes.len(), 1, "the index of the foreign key");
}

/// The digest in the name of the key of the pairs; what it is made of is tested where it is made.
fn hash(schema: &Schema) -> String {
    let pairs = schema.table("shop_order_tags").expect("a table");
    let name = &pairs.enforcers[1].name;
    name.rsplit('_').nth(1).expect("a digest").to_owned()
}

#[test]
fn a_key_may_be_written_in_many_ways() {
    let line = |way: &str| {
        let found = read(way);
        assert!(unknown(&found).is_empty(), "{way}: {:?}", unknown(&found));
        orders(&found)
    };
    for way in [
        "migrations.AddConstraint(\"order\", models.UniqueConstraint(fields=(\"shop\", \"number\"), name=\"uq\")),",
        "migrations.AddConstraint(model_name=\"order\", constraint=models.UniqueConstraint(fields=[\"shop\", \
         \"number\"], name=\"uq\")),",
        "migrations.RunSQL(\"ALTER TABLE shop_order ADD CONSTRAINT uq UNIQUE (shop_id, number)\"),",
        "migrations.RunSQL([(\"ALTER TABLE shop_order ADD CONSTRAINT uq UNIQUE (shop_id, number)\", None)]),",
        "migrations.SeparateDatabaseAndState(database_operations=[migrations.RunSQL(\"ALTER TABLE shop_order \
         ADD CONSTRAINT uq UNIQUE (shop_id, number)\")], state_operations=[migrations.AddConstraint(\"order\", \
         models.UniqueConstraint(fields=(\"shop\", \"number\"), name=\"uq\"))]),",
    ] {
        assert_eq!(
            line(way)[1..],
            ["shop_order.uq unique-constraint (shop_id, number)"],
            "{way}"
        );
    }
    let together = line(
        "migrations.AlterUniqueTogether(name=\"order\", unique_together={(\"shop\", \"number\")}),",
    );
    assert!(
        together[1].starts_with("shop_order.shop_order_shop_id_number_")
            && together[1].ends_with("_uniq unique-constraint (shop_id, number)"),
        "{together:?}"
    );
    let alone =
        line("migrations.AlterField(\"order\", \"number\", models.TextField(unique=True)),");
    assert!(
        alone[1].ends_with("_uniq unique-constraint (number)"),
        "{alone:?}"
    );
}

#[test]
fn what_weakens_a_key_is_seen() {
    let unique = "migrations.AddConstraint(\"order\", models.UniqueConstraint(";
    for (way, expected) in [
        (
            format!(
                "{unique}fields=[\"number\"], condition=models.Q(state=\"open\"), name=\"uq\")),"
            ),
            vec!["shop_order.uq unique-index (number) partial"],
        ),
        (
            format!(
                "{unique}fields=[\"number\"], condition=models.Q((\"state__isnull\", True)), name=\"uq\")),"
            ),
            vec!["shop_order.uq unique-index (number) partial"],
        ),
        (
            format!(
                "{unique}fields=[\"number\"], deferrable=models.Deferrable.DEFERRED, name=\"uq\")),"
            ),
            vec!["shop_order.uq unique-constraint (number) deferred"],
        ),
        (
            format!("{unique}models.functions.Lower(\"number\"), name=\"uq\")),")
                .replace("models.functions.Lower", "django.db.models.functions.Lower"),
            vec!["shop_order.uq unique-index (lower ( number ))"],
        ),
        (
            format!(
                "{unique}fields=[\"number\"], name=\"uq\")), migrations.RemoveConstraint(\"order\", \"uq\"),"
            ),
            vec![],
        ),
        (
            format!(
                "{unique}fields=[\"number\"], name=\"uq\")), migrations.RemoveField(\"order\", \"number\"),"
            ),
            vec![],
        ),
        (
            format!(
                "{unique}fields=[\"number\"], name=\"uq\")), migrations.AlterField(\"order\", \"number\", \
                 models.TextField(null=True)),"
            ),
            vec!["shop_order.uq unique-constraint (number?)"],
        ),
        (
            "migrations.AlterUniqueTogether(\"order\", {(\"shop\", \"number\")}), \
             migrations.AlterUniqueTogether(\"order\", set()),"
                .to_owned(),
            vec![],
        ),
    ] {
        let found = read(&way);
        assert!(unknown(&found).is_empty(), "{way}: {:?}", unknown(&found));
        assert_eq!(orders(&found)[1..], expected, "{way}");
    }
}

#[test]
fn renamed_models_and_fields_keep_their_keys() {
    let found = read(
        "migrations.AlterUniqueTogether(\"order\", {(\"shop\", \"number\")}),
        migrations.RenameField(\"order\", \"number\", \"code\"),
        migrations.RenameModel(\"Order\", \"Sale\"),
        migrations.AlterUniqueTogether(\"sale\", {(\"shop\", \"code\")}),
        migrations.AddField(\"sale\", \"note\", models.TextField(null=True)),
        migrations.AlterModelTable(\"sale\", \"sales\"),",
    );
    assert!(unknown(&found).is_empty(), "{:?}", unknown(&found));
    let sales = found.table("sales").expect("the table");
    assert_eq!(sales.enforcers[1].key_text(), "(shop_id, code)");
    assert!(sales.column("note").is_some());
    let pairs = found.table("sales_tags").expect("the pairs");
    assert_eq!(pairs.enforcers[1].key_text(), "(sale_id, shop_id)");
    assert!(found.table("shop_order").is_none());
}

#[test]
fn code_is_unknown_only_as_far_as_it_may_change_tables() {
    let run = "migrations.RunPython(fill, migrations.RunPython.noop),";
    let of = |code: &str| {
        let code = format!(
            "def fill(apps, schema_editor):\n    Order = apps.get_model(\"shop\", \"Order\")\n{code}"
        );
        unknown(&read_in(&code, run, Dialect::Postgres))
    };
    for code in [
        "    Order.objects.filter(state=None).update(state=\"new\")\n",
        "    for order in Order.objects.using(schema_editor.connection.alias).all():\n        order.save()\n",
        "    with connection.cursor() as cursor:\n        cursor.execute(\"UPDATE shop_order SET state = 'new'\")\n",
        "    with connection.cursor() as cursor:\n        cursor.execute(f\"UPDATE shop_order SET state = {name}\")\n",
        "    import uuid\n    Order.objects.update(number=uuid.uuid4())\n",
    ] {
        assert!(of(code).is_empty(), "{code}: {:?}", of(code));
    }
    for (code, table, says) in [
        (
            "    connection.cursor().execute(\"ALTER TABLE shop_shop DROP COLUMN name\")\n",
            "shop_shop: ",
            "run by code",
        ),
        (
            "    schema_editor.execute(f\"DROP TABLE {name}\")\n",
            "shop_order: ",
            "made at run time",
        ),
        (
            "    schema_editor.remove_field(Order, Order._meta.get_field(\"state\"))\n",
            "shop_order: ",
            "tables are changed by code",
        ),
        (
            "    from shop.tasks import fill_orders\n    fill_orders.delay()\n",
            "shop_order: ",
            "is called, which is not read",
        ),
    ] {
        let found = of(code);
        assert!(
            found.iter().any(|one| one.starts_with(table)
                && one.contains(says)
                && one.contains("0001_initial.py:")),
            "{code}: {found:?}"
        );
    }
    let elsewhere = unknown(&read_in(
        "from shop.code import fill",
        run,
        Dialect::Postgres,
    ));
    assert!(
        elsewhere[0].starts_with("*: the code `shop.code.fill`"),
        "{elsewhere:?}"
    );
}

#[test]
fn what_cannot_be_read_is_unknown_at_its_place() {
    for (operation, table, says) in [
        (
            "migrations.RunSQL(made()),",
            "*: ",
            "SQL that is made at run time",
        ),
        ("OwnOperation(\"order\"),", "*: ", "is none of Django's"),
        (
            "migrations.AddConstraint(\"order\", models.UniqueConstraint(fields=[\"number\"], \
             condition=models.Q(number__regex=\"x\"), name=\"uq\")),",
            "shop_order: ",
            "an index or constraint",
        ),
        (
            "migrations.AddField(\"order\", \"x\", own.Field(unique=True)),",
            "shop_order: ",
            "the type of the field x",
        ),
        (
            "migrations.AlterUniqueTogether(\"order\", keys()),",
            "shop_order: ",
            "`AlterUniqueTogether` does to shop_order",
        ),
        (
            "migrations.AddField(\"missing\", \"x\", models.TextField()),",
            "*: ",
            "`AddField` does",
        ),
    ] {
        let found = unknown(&read(operation));
        assert!(
            found.iter().any(|one| one.starts_with(table)
                && one.contains(says)
                && one.contains("0001_initial.py:")),
            "{operation}: {found:?}"
        );
    }
}

#[test]
fn lists_of_operations_may_have_names_of_their_own() {
    let text = format!(
        "{HEAD}class Migration(migrations.Migration):\n    made = [\n{MODELS}    ]\n    operations = \
         [migrations.SeparateDatabaseAndState(state_operations=made, database_operations=made)]\n"
    );
    let found = schema(&[("shop/migrations/0001.py", &text)], Dialect::Postgres);
    assert!(unknown(&found).is_empty(), "{:?}", unknown(&found));
    assert_eq!(found.tables.len(), 3);
}

#[test]
fn other_engines_make_other_keys() {
    let partial = "migrations.AddConstraint(\"order\", models.UniqueConstraint(fields=[\"state\"], \
                   condition=models.Q(number=\"1\"), name=\"part\")), \
                   migrations.AlterField(\"shop\", \"name\", models.CharField(max_length=30)),";
    let mysql = read_in("", partial, Dialect::Mysql);
    // MySQL has no partial index, and Django leaves it out.
    assert_eq!(orders(&mysql), ["shop_order.PRIMARY primary-key (id)"]);
    assert!(unknown(&mysql).is_empty(), "{:?}", unknown(&mysql));
    let sqlite = read_in("", partial, Dialect::Sqlite);
    assert!(
        orders(&sqlite).contains(&"shop_order.part unique-index (state?) partial".to_owned()),
        "{:?}",
        orders(&sqlite)
    );
    assert!(unknown(&sqlite).is_empty(), "{:?}", unknown(&sqlite));
    let shops = sqlite.table("shop_shop").expect("a table");
    assert_eq!(shops.enforcers.len(), 1, "the key of the name is gone");
}
