#![allow(missing_docs)]
use outbox_audit::{
    facts,
    input::{
        files::Limits,
        source::{self, Wanted},
    },
    rules,
};
fn main() {
    let path: std::path::PathBuf = std::env::args().nth(1).unwrap().into();
    let rules = rules::load(&rules::builtin_names(), &[]).unwrap();
    let tree = source::read(&[path.clone()], &path, &Limits::default(), &Wanted::All);
    std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || {
            let t = std::time::Instant::now();
            let map = facts::source::map(&tree, &rules);
            println!("{:?}", t.elapsed());
            for c in &map.consumers {
                println!(
                    "{} {:?} branches {:?} drops {:?}",
                    c.id,
                    c.delivery,
                    c.branches.len(),
                    c.drops_errors.as_ref().map(|p| p.to_string())
                );
            }
            for b in &map.branches {
                println!(
                    "{} in {} at {} passes_on {} gaps {} keys {:?} skips {:?}",
                    b.word,
                    b.function,
                    b.place,
                    b.passes_on,
                    b.has_gaps,
                    b.key_names,
                    b.skips_equal.as_ref().map(|p| p.to_string())
                );
                for e in &b.effects {
                    println!(
                        "     {} {} {} {}",
                        e.kind.word(),
                        e.target,
                        e.place,
                        e.in_process
                    );
                }
            }
            for u in &map.unqueued {
                println!("unqueued {} {:?} {}", u.function, u.event, u.place);
            }
            for c in map.consumers.iter().take(1) {
                for e in &c.effects {
                    println!("{} {} sql {:?}", e.kind.word(), e.target, e.sql);
                }
            }
        })
        .unwrap()
        .join()
        .unwrap();
}
