//! Writes the stop words as one text a language. As a slice of strings each word would cost the addon a pointer, a
//! length and a relocation: eight times the bytes of the words.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let words = |code: &&str| stop_words::lookup(code).map(|words| format!("({code:?}, {:?}),\n", words.join("\n")));
    let lists: String = stop_words::available_languages().iter().filter_map(words).collect();
    fs::write(Path::new(&env::var("OUT_DIR")?).join("stop_words.rs"), format!("&[\n{lists}]\n"))?;
    Ok(())
}
