//! A loaded GGUF model on a thread of its own, which ends when nobody asks.

use std::{
    num::NonZeroU32,
    path::{Path, PathBuf},
    sync::{LazyLock, mpsc},
    thread::{self, available_parallelism},
    time::Duration,
};

use llama_cpp_2::{
    context::{LlamaContext, params::LlamaContextParams},
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::{LlamaModel, params::LlamaModelParams},
};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use model::error::{Code, Error, Result};

/// Tokens of one text at most, as the host's local provider has it.
const MAX_TOKENS: u32 = 2048;
/// The model is unloaded after so long without work.
const IDLE: Duration = Duration::from_secs(60);

type Reply = oneshot::Sender<Result<Vec<Vec<f32>>>>;
type Jobs = mpsc::SyncSender<(Vec<String>, Reply)>;

/// llama.cpp is set up once per process.
static BACKEND: LazyLock<std::result::Result<LlamaBackend, String>> = LazyLock::new(|| {
    let mut backend = LlamaBackend::init().map_err(|error| error.to_string())?;
    backend.void_logs();
    Ok(backend)
});

/// Embeds with one model; the model is in memory only while there is work.
pub(super) struct Worker {
    file: PathBuf,
    jobs: Mutex<Option<Jobs>>,
}

impl Worker {
    pub(super) const fn new(file: PathBuf) -> Self {
        Self { file, jobs: Mutex::new(None) }
    }

    /// One vector a text, in order.
    pub(super) async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let (reply, answer) = oneshot::channel();
        self.send((texts, reply))?;
        answer.await.unwrap_or_else(|_| Err(failed("the model's thread ended")))
    }

    fn send(&self, job: (Vec<String>, Reply)) -> Result<()> {
        let mut jobs = self.jobs.lock();
        let job = match jobs.as_ref() {
            None => job,
            Some(running) => match running.try_send(job) {
                Ok(()) => return Ok(()),
                // The thread has gone to rest between two jobs.
                Err(mpsc::TrySendError::Disconnected(job)) => job,
                Err(mpsc::TrySendError::Full(_)) => return Err(failed("the model has too much to do")),
            },
        };
        self.start(&mut jobs, job)
    }

    fn start(&self, jobs: &mut Option<Jobs>, job: (Vec<String>, Reply)) -> Result<()> {
        let (send, receive) = mpsc::sync_channel(64);
        let file = self.file.clone();
        thread::Builder::new()
            .name("memory-llama".to_owned())
            .spawn(move || run(&file, &receive))
            .map_err(|error| failed(&format!("no thread for the model: {error}")))?;
        let sent = send.try_send(job);
        *jobs = Some(send);
        sent.map_err(|_| failed("the model's thread ended"))
    }
}

/// Loads the model, works until nothing has come for a while, and unloads it.
fn run(file: &Path, jobs: &mpsc::Receiver<(Vec<String>, Reply)>) {
    let outcome = (|| {
        let backend = BACKEND.as_ref().map_err(|error| failed(error))?;
        let model = LlamaModel::load_from_file(backend, file, &LlamaModelParams::default())
            .map_err(|error| failed(&format!("{} cannot be loaded: {error}", file.display())))?;
        let mut context = model.new_context(backend, parameters(&model)).map_err(|error| failed(&error.to_string()))?;
        while let Ok((texts, reply)) = jobs.recv_timeout(IDLE) {
            let vectors = texts.iter().map(|text| embed(&model, &mut context, text)).collect();
            // Nobody may be waiting any more.
            let _ = reply.send(vectors);
        }
        Ok(())
    })();
    if let Err(error) = outcome {
        while let Ok((_, reply)) = jobs.try_recv() {
            let _ = reply.send(Err(Error::clone(&error)));
        }
    }
}

fn parameters(model: &LlamaModel) -> LlamaContextParams {
    let tokens = model.n_ctx_train().clamp(1, MAX_TOKENS);
    // Half the processors: the gateway and the machine's owner have work to do as well.
    let threads = available_parallelism().map_or(1, |n| i32::try_from(n.get().div_ceil(2)).unwrap_or(1));
    LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(tokens))
        .with_n_batch(tokens)
        .with_n_ubatch(tokens)
        .with_n_threads(threads)
        .with_n_threads_batch(threads)
        .with_embeddings(true)
}

/// The pooled vector of one text, cut to what the model takes.
fn embed(model: &LlamaModel, context: &mut LlamaContext<'_>, text: &str) -> Result<Vec<f32>> {
    let mut tokens = model.vocab().tokenize(text.as_bytes(), true, false);
    let limit = context.n_ctx() as usize;
    if tokens.len() > limit {
        // The last token may be the one that ends a text.
        let last = tokens.split_off(tokens.len() - 1);
        tokens.truncate(limit - 1);
        tokens.extend(last);
    }
    let mut batch = LlamaBatch::new(limit, 1);
    batch.add_sequence(&tokens, 0, true).map_err(|error| failed(&error.to_string()))?;
    context.clear_kv_cache();
    context.decode(&mut batch).map_err(|error| failed(&error.to_string()))?;
    context
        .embeddings_seq_ith(0)
        .map(<[f32]>::to_vec)
        .map_err(|error| failed(&format!("the model gives no vector for a text: {error}")))
}

fn failed(cause: &str) -> Error {
    Error::new(Code::ProviderUnavailable, format!("llama.cpp: {cause}"))
        .remedy("Check that `local.modelPath` is a GGUF embedding model; search by words goes on")
}
