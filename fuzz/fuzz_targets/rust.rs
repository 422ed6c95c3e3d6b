#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| outbox_audit_fuzz::rust(data));
