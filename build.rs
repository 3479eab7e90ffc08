//! Makes the addon load in Node.

fn main() {
    napi_build::setup();
    strip();
}

/// Leaves symbols out of an optimised addon for Linux: Cargo forgets `strip = "symbols"` of a profile in which the package has a
/// level of its own. One with debug information keeps them, for profilers.
fn strip() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("PROFILE", "release") && is("DEBUG", "false") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--strip-all");
    }
}
