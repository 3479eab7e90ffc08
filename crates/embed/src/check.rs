//! Whether the vectors of a reply can be used.

/// A usable vector, or what is wrong with it.
pub(super) type Checked = Result<Vec<f32>, &'static str>;

/// Checks a reply: the count and the lengths as a whole, the numbers one vector at a time. `dims` is the known
/// length, 0 = not known yet.
pub(super) fn check(vectors: Vec<Vec<f32>>, texts: usize, dims: usize) -> Result<Vec<Checked>, String> {
    if vectors.len() != texts {
        return Err(format!("the provider sent {} vectors for {texts} texts", vectors.len()));
    }
    let dims = if dims == 0 { vectors.first().map_or(0, Vec::len) } else { dims };
    if let Some(other) = vectors.iter().find(|vector| vector.len() != dims || vector.is_empty()) {
        return Err(other_length(other.len(), dims));
    }
    let checked: Vec<Checked> = vectors.into_iter().map(check_numbers).collect();
    if texts > 1 && checked.iter().all(Result::is_err) {
        return Err(format!("the provider sent {texts} unusable vectors"));
    }
    Ok(checked)
}

pub(super) fn other_length(length: usize, dims: usize) -> String {
    format!("the provider sent a vector of {length} numbers where {dims} are expected")
}

fn check_numbers(vector: Vec<f32>) -> Checked {
    // Any NaN or infinity makes the sum of squares one too.
    let squares: f64 = vector.iter().map(|&number| f64::from(number) * f64::from(number)).sum();
    if !squares.is_finite() {
        Err("a vector with a number that is not finite")
    } else if squares == 0.0 {
        Err("a vector of zeros")
    } else {
        Ok(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_checked_as_a_whole_and_by_vector() {
        let good = || vec![1.0, 0.0];
        assert!(check(vec![good()], 2, 0).is_err(), "count");
        assert!(check(vec![good(), vec![1.0]], 2, 0).is_err(), "mixed lengths");
        assert!(check(vec![good()], 1, 3).is_err(), "not the known length");
        assert!(check(vec![vec![]], 1, 0).is_err(), "empty");
        assert!(check(vec![vec![0.0, 0.0], vec![f32::NAN, 1.0]], 2, 0).is_err(), "all unusable");
        let mixed = check(vec![good(), vec![0.0, 0.0], vec![f32::INFINITY, 1.0]], 3, 2).unwrap();
        assert_eq!(mixed.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, false]);
    }
}
