//! One reader of records, that of the binary's name, on any bytes.

#![no_main]

#[path = "../../tests/integration/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::run(env!("CARGO_BIN_NAME"), bytes));
