//! Packages of Go: their import paths, and the names that imports have.

use crate::{file_of, tree_of};

/// `path: package` of every file.
fn packages(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    let tree = tree_of(&files);
    assert_eq!(tree.gaps, []);
    let all = tree.files.iter();
    all.map(|file| format!("{}: {}", file.path, file.package))
        .collect()
}

#[test]
fn the_nearest_module_gives_the_import_path() {
    assert_eq!(
        packages(&[
            ("go.mod", "// x\nmodule example.com/shop // y\n\ngo 1.22\n"),
            ("main.go", "package main"),
            ("internal/store/s.go", "package store"),
            ("internal/store/s_test.go", "package store_test"),
            ("internal/store/in_test.go", "package store"),
            ("tools/go.mod", "module \"example.com/tools\"\n"),
            ("tools/gen/g.go", "package main"),
        ]),
        [
            "internal/store/in_test.go: example.com/shop/internal/store",
            "internal/store/s.go: example.com/shop/internal/store",
            "internal/store/s_test.go: example.com/shop/internal/store_test",
            "main.go: example.com/shop",
            "tools/gen/g.go: example.com/tools/gen",
        ]
    );
}

#[test]
fn without_a_module_the_directory_is_the_package() {
    assert_eq!(
        packages(&[("a/b/c.go", "package b"), ("d.go", "package d")]),
        ["a/b/c.go: a/b", "d.go: "]
    );
}

#[test]
fn an_import_has_the_name_the_file_uses() {
    for (import, used, name) in [
        ("\"fmt\"", "fmt.Println()", "fmt"),
        ("m \"example.com/message\"", "m.New()", "m"),
        ("_ \"github.com/lib/pq\"", "f()", "_"),
        (". \"example.com/dsl\"", "f()", "*"),
        ("\"github.com/jackc/pgx/v5\"", "pgx.Connect()", "pgx"),
        ("\"k8s.io/api/core/v1\"", "v1.Pod()", "v1"),
        ("\"gopkg.in/yaml.v3\"", "yaml.Marshal()", "yaml"),
        ("\"github.com/nats-io/nats.go\"", "nats.Connect()", "nats"),
        ("\"github.com/redis/go-redis/v9\"", "redis.New()", "redis"),
        ("\"github.com/satori/go.uuid\"", "uuid.New()", "uuid"),
        (
            "\"github.com/segmentio/kafka-go\"",
            "kafka.NewReader()",
            "kafka",
        ),
        (
            "\"github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql\"",
            "sql.New()",
            "sql",
        ),
        (
            "\"github.com/aws/aws-sdk-go-v2/service/s3\"",
            "s3.New()",
            "s3",
        ),
        (
            "\"github.com/go-sql-driver/mysql\"",
            "mysql.Parse()",
            "mysql",
        ),
        ("\"github.com/a/go-chi\"", "chi.New(\"x.chi\")", "chi"),
    ] {
        let text = format!("package a\nimport {import}\nfunc g() {{ {used} }}");
        let file = file_of("a.go", &text);
        let found: Vec<&str> = file.imports.iter().map(|import| &*import.name).collect();
        assert_eq!(found, [name], "{import}");
    }
}

#[test]
fn a_package_of_the_tree_says_its_own_name() {
    let tree = tree_of(&[
        ("go.mod", b"module x.org/m"),
        ("lib/go-events/e.go", b"package bus"),
        (
            "a.go",
            b"package m\nimport (\n\t\"x.org/m/lib/go-events\"\n)\nvar b bus.Bus",
        ),
    ]);
    let file = tree.files.first().expect("a file");
    let import = file.imports.first().expect("an import");
    assert_eq!(
        (&*import.name, &*import.target),
        ("bus", "x.org/m/lib/go-events")
    );
    assert_eq!(import.at.line, 3);
    let of = file.values.first().and_then(|value| value.of.as_ref());
    assert_eq!(of.map(|of| &*of.name), Some("x.org/m/lib/go-events.Bus"));
}
