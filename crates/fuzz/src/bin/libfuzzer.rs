//! The targets under libFuzzer, which follows the branches that inputs take:
//!
//! ```sh
//! TARGET=xgid cargo +nightly fuzz run libfuzzer --fuzz-dir crates/fuzz --features libfuzzer
//! ```

#![cfg_attr(feature = "libfuzzer", no_main)]

#[cfg(feature = "libfuzzer")]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    static TARGET: std::sync::LazyLock<tavola_fuzz::Target> = std::sync::LazyLock::new(|| {
        let name = std::env::var("TARGET").expect("the variable TARGET names a target");
        tavola_fuzz::target(&name).expect("a target has this name")
    });
    TARGET.check(input);
});

#[cfg(not(feature = "libfuzzer"))]
fn main() {
    eprintln!("built without the feature libfuzzer: see CONTRIBUTING.md");
    std::process::exit(2);
}
