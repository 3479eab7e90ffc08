//! Writes the mean of the embedded model's token states, which the signs of lines are measured from:
//! `cargo run --release -p embed --example token_mean -- WEIGHTS OUT FILE…`, FILE being any English text.

use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = env::args().skip(1);
    let (Some(weights), Some(out)) = (given.next(), given.next()) else {
        return Err("usage: token_mean WEIGHTS OUT FILE…".into());
    };
    let texts = given.map(fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let lines: Vec<String> = texts.iter().flat_map(|text| text.lines()).map(str::trim).map(str::to_owned).collect();
    let mean = embed::embedded::mean_state(weights.as_ref(), &lines)?;
    fs::write(out, mean.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())?;
    Ok(())
}
