//! Makes the addon load in Node.

fn main() {
    napi_build::setup();
}
