//! The weights file as it is written: where each tensor will lie is known before the first one is made.

use std::{collections::BTreeMap, io::Write};

use serde::Serialize;

use super::Fault;
use crate::weights::{ATTACHED, FORMAT_VERSION, MAGIC, PREAMBLE, Shape, Tensor};

/// Every tensor begins on a border of so many bytes.
const ALIGNMENT: usize = 64;
/// The linear layers of a layer, in the order in which a text passes them.
pub(super) const PRODUCTS: [&str; 4] = ["qkv", "attention_output", "up", "down"];

#[derive(Serialize)]
struct Header<'a> {
    #[serde(flatten)]
    shape: &'a Shape,
    tensors: &'a BTreeMap<String, Tensor>,
}

/// A weights file that is being written.
pub(super) struct Layout<'a> {
    tensors: BTreeMap<String, Tensor>,
    /// Bytes after the header so far.
    written: usize,
    /// Where the tensor that is being written ends.
    end: usize,
    out: &'a mut dyn Write,
}

impl<'a> Layout<'a> {
    /// Writes the header.
    pub(super) fn begin(shape: &Shape, attachments: &[(&str, &[u8])], out: &'a mut dyn Write) -> Result<Self, Fault> {
        let mut tensors = BTreeMap::new();
        let mut end = 0_usize;
        for (name, bytes) in sizes(shape, attachments) {
            let offset = end.next_multiple_of(ALIGNMENT);
            end = offset + bytes;
            tensors.insert(name, Tensor { offset, bytes });
        }
        let header = serde_json::to_vec(&Header { shape, tensors: &tensors }).map_err(std::io::Error::from)?;
        let length = (PREAMBLE + header.len()).next_multiple_of(ALIGNMENT) - PREAMBLE;
        let length_field = u32::try_from(length).map_err(|_| Fault::Unusable("the header is too long".to_owned()))?;
        out.write_all(MAGIC)?;
        out.write_all(&FORMAT_VERSION.to_le_bytes())?;
        out.write_all(&length_field.to_le_bytes())?;
        out.write_all(&header)?;
        out.write_all(&vec![b' '; length - header.len()])?;
        Ok(Self { tensors, written: 0, end: 0, out })
    }

    /// Writes a tensor.
    pub(super) fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        self.open(name, bytes.len())?;
        self.add(bytes)
    }

    /// Writes a tensor of floats.
    pub(super) fn put_numbers(&mut self, name: &str, numbers: &[f32]) -> Result<(), Fault> {
        self.put(name, bytemuck::cast_slice(numbers))
    }

    /// Begins a tensor, which is then written by [`Layout::add`].
    pub(super) fn open(&mut self, name: &str, bytes: usize) -> Result<(), Fault> {
        let place = self.tensors.get(name).filter(|place| place.bytes == bytes && place.offset >= self.written);
        let Some(place) = place.filter(|_| self.written == self.end) else {
            return Err(Fault::Unusable(format!("the tensor {name} has another size than its layer")));
        };
        let filling = place.offset - self.written;
        self.out.write_all(&[0; ALIGNMENT][..filling.min(ALIGNMENT)])?;
        (self.written, self.end) = (place.offset, place.offset + bytes);
        Ok(())
    }

    /// Writes a part of the tensor that was begun.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.out.write_all(bytes)?;
        self.written += bytes.len();
        Ok(())
    }

    /// Checks that everything was written.
    pub(super) fn end(self) -> Result<(), Fault> {
        let last = self.tensors.values().map(|place| place.offset + place.bytes).max();
        if last == Some(self.written) { Ok(()) } else { Err(Fault::Unusable("tensors are missing".to_owned())) }
    }
}

/// The tensors in the order in which they are written, with their bytes.
fn sizes(shape: &Shape, attachments: &[(&str, &[u8])]) -> Vec<(String, usize)> {
    let (width, wide, hidden) = (shape.width(), shape.wide_width(), shape.hidden);
    let mut sizes: Vec<(String, usize)> =
        attachments.iter().map(|(name, bytes)| (format!("{ATTACHED}{name}"), bytes.len())).collect();
    sizes.push(("word.weight".to_owned(), shape.vocabulary * hidden));
    sizes.push(("word.scale".to_owned(), shape.vocabulary * 4));
    sizes.push(("position.weight".to_owned(), shape.positions * hidden * 4));
    let norm = |name: String| [(format!("{name}.weight"), hidden * 4), (format!("{name}.bias"), hidden * 4)];
    sizes.extend(norm("norm".to_owned()));
    for layer in 0..shape.layers {
        let extents = [(width, shape.heads().qkv_width), (width, width), (width, wide), (wide, width)];
        for (part, (inputs, outputs)) in PRODUCTS.iter().zip(extents) {
            let name = |tensor: &str| format!("layer.{layer}.{part}.{tensor}");
            sizes.extend([
                (name("weight"), inputs * outputs),
                (name("scale"), outputs * 4),
                (name("sum"), outputs * 4),
                (name("bias"), outputs * 4),
                (name("smooth"), inputs * 4),
            ]);
        }
        sizes.extend(norm(format!("layer.{layer}.attention_norm")));
        sizes.extend(norm(format!("layer.{layer}.output_norm")));
    }
    sizes
}
