macro_rules! m { ($($x:expr),*) => { [$($x),*] } }
fn f() { m![1, 2; r##"never closed"# }