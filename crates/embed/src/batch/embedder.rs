//! An embedder that sends many documents through a batch API, and everything else directly.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sha2::{Digest, Sha256};
use tokio::runtime::Handle;

use super::{BatchApi, JobState, MAX_JOB_TEXTS};
use crate::{
    BoxFuture, Embedded, Embedder, Purpose, Sink,
    driver::Driver,
    fault::{Fault, FaultKind},
    layer::Layer,
    pack::cut,
};
use model::{
    batch::{BatchJob, BatchLedger, TextHash},
    clock::Clock,
    config::settings::BatchSettings,
    error::{Code, Error, Result},
};

/// Fewer texts than this go directly: a touched note should not wait for hours.
const MIN_TEXTS: usize = 64;

/// Failures after which batches are off until the process ends (D11).
const MAX_FAILURES: u32 = 2;

/// Text in one job at most, in bytes; the file around it stays below the 200 MB that providers take.
const MAX_JOB_BYTES: usize = 120 << 20;

/// A job that a provider has not finished by then never will be: the longest window is a day.
const ABANDON_AFTER: Duration = Duration::from_secs(3 * 86_400);

/// Results handed over at a time.
const HANDED_OVER: usize = 256;

/// See the module.
pub(crate) struct BatchEmbedder {
    direct: Arc<Driver>,
    api: Box<dyn BatchApi>,
    ledger: Arc<dyn BatchLedger>,
    settings: BatchSettings,
    clock: Arc<dyn Clock>,
    failures: AtomicU32,
}

/// The texts of one run that wait for a vector, by hash. Equal texts are sent once.
type Wanted = HashMap<TextHash, Vec<usize>>;

impl BatchEmbedder {
    /// Sends documents through `api` and the rest through `direct`.
    #[must_use]
    pub(crate) fn new(
        direct: Arc<Driver>,
        api: Box<dyn BatchApi>,
        ledger: Arc<dyn BatchLedger>,
        settings: BatchSettings,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { direct, api, ledger, settings, clock, failures: AtomicU32::new(0) }
    }

    /// Stops every job of this space; one that cannot be stopped does not keep the others.
    async fn cancel_all(&self) -> Result<usize> {
        let jobs = self.jobs().await?;
        let (mut stopped, mut failure) = (0, None);
        for job in jobs {
            let outcome = match self.id_of(&job).await {
                Ok(Some(id)) => self.api.cancel(&id).await,
                Ok(None) => Ok(()),
                Err(fault) => Err(fault),
            };
            match outcome {
                Ok(()) => {
                    self.close(&job).await?;
                    stopped += 1;
                }
                Err(fault) => failure = Some(fault.error),
            }
        }
        failure.map_or(Ok(stopped), Err)
    }

    async fn run(&self, texts: &[String], timeout: Duration, sink: &mut Sink<'_>) -> Result<()> {
        let mut wanted = Wanted::new();
        for (position, text) in texts.iter().enumerate() {
            wanted.entry(Sha256::digest(text).into()).or_default().push(position);
        }
        let mut open = self.resume(&wanted).await?;
        let waiting = self.submit_and_wait(texts, &mut wanted, &mut open, sink).await?;
        // What no job answered: refused lines, failed jobs, blank texts. The direct way isolates and explains them.
        let in_jobs: HashSet<&TextHash> = open.iter().flat_map(|job| &job.hashes).collect();
        let mut rest: Vec<usize> = wanted
            .iter()
            .filter(|(hash, _)| !in_jobs.contains(hash))
            .flat_map(|(_, positions)| positions)
            .copied()
            .collect();
        rest.sort_unstable();
        self.embed_directly(texts, &rest, timeout, sink).await?;
        waiting.map_or(Ok(()), Err)
    }

    /// The jobs of an earlier run that hold texts of this one.
    async fn resume(&self, wanted: &Wanted) -> Result<Vec<BatchJob>> {
        let jobs = self.jobs().await?;
        let mut open = Vec::new();
        for job in jobs {
            let too_old = self.now_ms().saturating_sub(job.created_ms) > ABANDON_AFTER.as_millis() as u64;
            if too_old {
                self.close(&job).await?;
            } else if job.hashes.iter().any(|hash| wanted.contains_key(hash)) {
                open.push(job);
            }
        }
        Ok(open)
    }

    /// Submits what no job holds yet, a few jobs at a time, and takes in what is finished. Returns the error that
    /// says why jobs are still open, if any are.
    async fn submit_and_wait(
        &self,
        texts: &[String],
        wanted: &mut Wanted,
        open: &mut Vec<BatchJob>,
        sink: &mut Sink<'_>,
    ) -> Result<Option<Error>> {
        let mut groups = self.groups(texts, wanted, open);
        let deadline = self.clock.now() + Duration::from_secs(self.settings.timeout_minutes * 60);
        let concurrency = self.settings.concurrency.max(1);
        loop {
            while open.len() < concurrency
                && self.enabled()
                && let Some(group) = groups.pop()
            {
                open.extend(self.submit(texts, wanted, &group).await?);
            }
            let mut still_open = Vec::new();
            for job in std::mem::take(open) {
                match self.collect(&job, wanted, sink).await? {
                    Collected::Open => still_open.push(job),
                    Collected::Closed => self.close(&job).await?,
                }
            }
            *open = still_open;
            if open.is_empty() && (groups.is_empty() || !self.enabled()) {
                return Ok(None);
            }
            if open.len() < concurrency && !groups.is_empty() && self.enabled() {
                continue;
            }
            if !self.settings.wait || self.clock.now() >= deadline {
                // Texts of groups that were never submitted stay for the next run, like those of open jobs.
                for group in groups {
                    for hash in group {
                        wanted.remove(&hash);
                    }
                }
                return Ok(Some(still_waiting(open.len())));
            }
            self.clock.sleep(Duration::from_millis(self.settings.poll_interval_ms.max(100))).await;
        }
    }

    /// Splits the texts that no open job holds into jobs.
    fn groups(&self, texts: &[String], wanted: &Wanted, open: &[BatchJob]) -> Vec<Vec<TextHash>> {
        let held: HashSet<&TextHash> = open.iter().flat_map(|job| &job.hashes).collect();
        let mut fresh: Vec<(usize, TextHash)> = wanted
            .iter()
            .filter(|(hash, _)| !held.contains(hash))
            .filter_map(|(hash, positions)| Some((*positions.first()?, *hash)))
            .filter(|&(position, _)| texts.get(position).is_some_and(|text| !text.trim().is_empty()))
            .collect();
        if fresh.len() < MIN_TEXTS {
            return Vec::new();
        }
        fresh.sort_unstable();
        let length = |position: usize| texts.get(position).map_or(0, String::len);
        into_jobs(fresh.into_iter().map(|(position, hash)| (hash, length(position))))
    }

    /// Submits one job. None when the provider refuses it.
    async fn submit(&self, texts: &[String], wanted: &Wanted, group: &[TextHash]) -> Result<Option<BatchJob>> {
        let max_bytes = self.direct.limits().input_tokens.saturating_mul(4);
        let line = |hash: &TextHash| {
            let text = texts.get(*wanted.get(hash)?.first()?)?;
            Some((hex::encode(hash), cut(text, max_bytes)))
        };
        let lines: Vec<(String, &str)> = group.iter().filter_map(line).collect();
        let mut job = BatchJob {
            token: uuid::Uuid::new_v4().simple().to_string(),
            id: None,
            space: self.direct.space().key(),
            hashes: group.to_vec(),
            created_ms: self.now_ms(),
        };
        let opened = job.clone();
        self.ledger(move |ledger| ledger.open(&opened)).await?;
        match self.api.submit(&job.token, &lines).await {
            Ok(id) => {
                let (token, name) = (job.token.clone(), id.clone());
                self.ledger(move |ledger| ledger.submitted(&token, &name)).await?;
                job.id = Some(id);
                self.direct.record(lines.len() as u64, 0);
                Ok(Some(job))
            }
            Err(fault) => {
                self.failed(&fault);
                // A lost reply may hide a job that exists: it is looked for by its token.
                if fault.kind == FaultKind::Unavailable {
                    return Ok(Some(job));
                }
                self.close(&job).await?;
                Ok(None)
            }
        }
    }

    /// Takes in the results of a job, if it is finished.
    async fn collect(&self, job: &BatchJob, wanted: &mut Wanted, sink: &mut Sink<'_>) -> Result<Collected> {
        let id = match self.id_of(job).await {
            Ok(Some(id)) => id,
            Ok(None) => return Ok(Collected::Closed),
            Err(fault) => return Ok(self.after(&fault)),
        };
        let output = match self.api.poll(&id).await {
            Ok(JobState::Running) => return Ok(Collected::Open),
            Ok(JobState::Finished(Some(output))) => output,
            Ok(JobState::Finished(None)) => {
                self.count_failure();
                return Ok(Collected::Closed);
            }
            Err(fault) => return Ok(self.after(&fault)),
        };
        let mut ready: Vec<(usize, Embedded)> = Vec::new();
        let (mut tokens, mut stored) = (0, Ok(()));
        let read = {
            let mut take = |line: super::JobLine| {
                tokens += line.tokens;
                let hash = hex::decode(&line.name).ok().and_then(|bytes| TextHash::try_from(bytes).ok());
                let vector = line.vector.and_then(|vector| self.direct.verify(vector));
                if let Some((hash, vector)) = hash.zip(vector)
                    && let Some(positions) = wanted.remove(&hash)
                {
                    ready.extend(positions.into_iter().map(|position| (position, Embedded::Vector(vector.clone()))));
                }
                if ready.len() >= HANDED_OVER {
                    // Lines of a file are read no faster than they are stored.
                    let storing = sink(std::mem::take(&mut ready));
                    stored = tokio::task::block_in_place(|| Handle::current().block_on(storing));
                }
                match &stored {
                    Ok(()) => Ok(()),
                    Err(error) => Err(Fault::new(FaultKind::Fatal, error.clone())),
                }
            };
            self.api.results(&output, &mut take).await
        };
        stored?;
        if !ready.is_empty() {
            sink(ready).await?;
        }
        self.direct.record(0, tokens);
        match read {
            Ok(()) => {
                self.failures.store(0, Ordering::Relaxed);
                Ok(Collected::Closed)
            }
            Err(fault) => Ok(self.after(&fault)),
        }
    }

    async fn jobs(&self) -> Result<Vec<BatchJob>> {
        let space = self.direct.space().key();
        self.ledger(move |ledger| ledger.jobs(&space)).await
    }

    async fn close(&self, job: &BatchJob) -> Result<()> {
        let token = job.token.clone();
        self.ledger(move |ledger| ledger.close(&token)).await
    }

    /// Calls of the ledger wait for the disk, which the threads of the runtime must not.
    async fn ledger<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn BatchLedger) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let ledger = Arc::clone(&self.ledger);
        let called = tokio::task::spawn_blocking(move || call(&*ledger)).await;
        called.unwrap_or_else(|_| Err(Error::new(Code::Internal, "the batch ledger broke off")))
    }

    /// The provider's name of a job; looked up when we were killed before it was written down.
    async fn id_of(&self, job: &BatchJob) -> Result<Option<String>, Fault> {
        match &job.id {
            Some(id) => Ok(Some(id.clone())),
            None => self.api.find(&job.token).await,
        }
    }

    /// Whether a job stays open after a fault: it does while the fault may pass.
    fn after(&self, fault: &Fault) -> Collected {
        if matches!(fault.kind, FaultKind::Unavailable | FaultKind::RateLimit(_)) {
            return Collected::Open;
        }
        self.failed(fault);
        Collected::Closed
    }

    fn failed(&self, fault: &Fault) {
        self.count_failure();
        let error: &dyn std::error::Error = &fault.error;
        tracing::warn!(error, "the batch API failed; texts are embedded directly");
    }

    fn count_failure(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    fn enabled(&self) -> bool {
        self.failures.load(Ordering::Relaxed) < MAX_FAILURES
    }

    async fn embed_directly(
        &self,
        texts: &[String],
        positions: &[usize],
        timeout: Duration,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        if positions.is_empty() {
            return Ok(());
        }
        let rest: Vec<String> = positions.iter().filter_map(|&position| texts.get(position).cloned()).collect();
        let mut translate = |finished: Vec<(usize, Embedded)>| {
            let original = |(index, outcome)| Some((*positions.get(index)?, outcome));
            sink(finished.into_iter().filter_map(original).collect())
        };
        self.direct.embed_each(&rest, Purpose::Document, timeout, &mut translate).await
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.now_ms()).unwrap_or_default()
    }
}

/// Splits texts, given with their lengths in bytes, into jobs; the last job comes first, to be popped last.
fn into_jobs(texts: impl Iterator<Item = (TextHash, usize)>) -> Vec<Vec<TextHash>> {
    let (mut jobs, mut bytes): (Vec<Vec<TextHash>>, usize) = (Vec::new(), 0);
    for (hash, length) in texts {
        match jobs.last_mut() {
            Some(job) if job.len() < MAX_JOB_TEXTS && bytes + length <= MAX_JOB_BYTES => job.push(hash),
            _ => {
                jobs.push(vec![hash]);
                bytes = 0;
            }
        }
        bytes += length;
    }
    jobs.reverse();
    jobs
}

enum Collected {
    Open,
    Closed,
}

fn still_waiting(jobs: usize) -> Error {
    Error::new(Code::ProviderUnavailable, format!("{jobs} embedding batch jobs are not finished yet"))
        .remedy("Their vectors are taken in by a later run; until then search uses words and the vectors there are")
}

impl Layer for BatchEmbedder {
    fn inner(&self) -> &dyn Embedder {
        &*self.direct
    }

    fn run_size(&self) -> usize {
        if self.enabled() { MAX_JOB_TEXTS } else { self.direct.run_size() }
    }

    fn cancel_pending(&self) -> BoxFuture<'_, Result<usize>> {
        Box::pin(self.cancel_all())
    }

    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        if purpose == Purpose::Query || !self.enabled() {
            return self.direct.embed_each(texts, purpose, timeout, sink);
        }
        Box::pin(self.run(texts, timeout, sink))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(texts: impl Iterator<Item = usize>) -> Vec<usize> {
        into_jobs(texts.map(|length| ([0; 32], length))).iter().map(Vec::len).collect()
    }

    #[test]
    fn jobs_hold_no_more_than_providers_take() {
        assert_eq!(sizes(std::iter::repeat_n(100, MAX_JOB_TEXTS + 10)), [10, MAX_JOB_TEXTS]);
        assert_eq!(sizes([MAX_JOB_BYTES / 2, MAX_JOB_BYTES / 2, 1, 2].into_iter()), [2, 2]);
        assert!(sizes(std::iter::empty()).is_empty());
    }
}
