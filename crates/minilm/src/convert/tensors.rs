//! The tensors of a safetensors file, read as floats a few rows at a time.

use std::ops::Range;

use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use super::Fault;

/// Bytes of a header at most: that of a model with a thousand tensors is a tenth of it.
const MOST_HEADER: u64 = 1 << 20;
/// What every encoder has; what stands before it in a name is the same for all tensors of the encoder.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// The tensors of an encoder.
pub(super) struct Tensors<'a> {
    all: SafeTensors<'a>,
    prefix: String,
}

impl<'a> Tensors<'a> {
    /// Reads the header and checks that the tensors lie inside the file.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Fault> {
        let header = bytes.first_chunk().map(|length| u64::from_le_bytes(*length));
        if header.is_none_or(|length| length > MOST_HEADER) {
            return Err(Fault::Unusable("model.safetensors is no safetensors file, or is damaged".to_owned()));
        }
        let all = SafeTensors::deserialize(bytes)
            .map_err(|error| Fault::Unusable(format!("model.safetensors is damaged or cut short: {error}")))?;
        let prefix = all.names().iter().find_map(|name| name.strip_suffix(WORDS)).map(str::to_owned);
        let prefix = prefix.ok_or_else(|| Fault::Unusable(format!("model.safetensors has no tensor \"{WORDS}\"")))?;
        Ok(Self { all, prefix })
    }

    /// Whether there is a tensor of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all.tensor(&format!("{}{name}", self.prefix)).is_ok()
    }

    /// A tensor of `rows` by `columns` numbers, or of `columns` when it has one row only.
    pub(super) fn table(&self, name: &str, rows: usize, columns: usize) -> Result<Table<'_>, Fault> {
        self.table_if(name, columns, |shape| shape == [rows, columns] || (rows == 1 && shape == [columns]))
    }

    /// A tensor of as many rows of `columns` numbers as it has.
    pub(super) fn table_of_any_rows(&self, name: &str, columns: usize) -> Result<Table<'_>, Fault> {
        self.table_if(name, columns, |shape| shape.len() == 2 && shape[1] == columns)
    }

    fn table_if(&self, name: &str, columns: usize, fits: impl Fn(&[usize]) -> bool) -> Result<Table<'_>, Fault> {
        let name = format!("{}{name}", self.prefix);
        let missing = |_| Fault::Unusable(format!("model.safetensors has no tensor \"{name}\""));
        let view = self.all.tensor(&name).map_err(missing)?;
        if !fits(view.shape()) {
            let found = view.shape();
            return Err(Fault::Unusable(format!(
                "the tensor \"{name}\" has the shape {found:?}, which is not what config.json says"
            )));
        }
        if !matches!(view.dtype(), Dtype::F32 | Dtype::F16 | Dtype::BF16) {
            let found = view.dtype();
            return Err(Fault::Unusable(format!(
                "the tensor \"{name}\" holds {found:?}; this encoder reads F32, F16 and BF16"
            )));
        }
        Ok(Table { name, view, columns })
    }
}

/// A tensor of known shape.
pub(super) struct Table<'a> {
    name: String,
    view: TensorView<'a>,
    columns: usize,
}

impl Table<'_> {
    /// Some rows as floats.
    pub(super) fn rows(&self, rows: Range<usize>) -> Result<Vec<f32>, Fault> {
        let places = rows.start * self.columns..rows.end * self.columns;
        let data = self.view.data();
        let numbers: Vec<f32> = match self.view.dtype() {
            Dtype::F32 => parts(data, places, f32::from_le_bytes),
            Dtype::F16 => parts(data, places, |bytes| f16::from_le_bytes(bytes).to_f32()),
            _ => parts(data, places, |bytes| bf16::from_le_bytes(bytes).to_f32()),
        };
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(numbers)
        } else {
            Err(Fault::Unusable(format!("the tensor \"{}\" holds numbers that are not finite", self.name)))
        }
    }
}

fn parts<const N: usize>(data: &[u8], places: Range<usize>, number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    data.as_chunks::<N>().0.get(places).unwrap_or_default().iter().map(|bytes| number(*bytes)).collect()
}
