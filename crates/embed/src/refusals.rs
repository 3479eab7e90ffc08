//! Texts that were refused in one run, until it is certain that the refusal is about them: a provider in trouble, or a
//! proxy in front of it, refuses anything for a while.

use super::pack::Job;
use model::error::{Error, ErrorKind, ProviderFault};

/// Texts refused one after another, without a good answer between, before the provider is asked for a harmless one.
const IN_A_ROW: usize = 8;

/// What one run knows of refused texts.
#[derive(Default)]
pub(crate) struct Refusals {
    /// Refused once; asked again at the end.
    waiting: Vec<Job>,
    in_a_row: usize,
}

impl Refusals {
    /// Keeps a refused text for its second request.
    pub(crate) fn add(&mut self, job: Job) {
        self.waiting.push(Job { again: true, ..job });
        self.in_a_row += 1;
    }

    /// The provider accepted a text.
    pub(crate) const fn accepted(&mut self) {
        self.in_a_row = 0;
    }

    /// Whether so much was refused that it may not be about the texts.
    #[must_use]
    pub(crate) const fn are_suspicious(&self) -> bool {
        self.in_a_row >= IN_A_ROW
    }

    /// Whether texts wait for their second request.
    #[must_use]
    pub(crate) const fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The texts that wait.
    pub(crate) fn take(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.waiting)
    }
}

/// A provider that refuses even a harmless text.
#[must_use]
pub(crate) fn every_text_refused(error: Error) -> Error {
    let mut error = error.context("every text is refused");
    if let ErrorKind::Provider { fault, .. } = &mut error.kind {
        *fault = ProviderFault::Response;
    } else {
        error.kind = ErrorKind::provider(ProviderFault::Response);
    }
    error.remedy("Check the model and the options of the provider")
}
