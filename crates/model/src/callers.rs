//! Functions that threads of JavaScript offer for the same work. One engine serves all threads of a process, and a
//! thread may end at any time: what it offered ends with it, and whoever else offers the same goes on.

use std::{pin::Pin, sync::Arc};

use parking_lot::Mutex;

use crate::error::{Code, Error, Result};

/// A function of one thread. It fails with [`Code::Closed`] when its thread has ended.
pub type Ask<In, Out> = Arc<dyn Fn(In) -> Pin<Box<dyn Future<Output = Result<Out>> + Send>> + Send + Sync>;

/// The functions that are known for one piece of work, at most one a thread.
pub struct Callers<In, Out> {
    /// By the number of their thread; the newest is last and asked first.
    known: Mutex<Vec<(u64, Ask<In, Out>)>>,
}

impl<In, Out> Default for Callers<In, Out> {
    fn default() -> Self {
        Self { known: Mutex::default() }
    }
}

impl<In: Clone, Out> Callers<In, Out> {
    /// Takes a function in, in place of what its thread offered before.
    pub fn join(&self, thread: u64, ask: Ask<In, Out>) {
        let mut known = self.known.lock();
        known.retain(|(other, _)| *other != thread);
        known.push((thread, ask));
    }

    /// Takes in what others know.
    pub fn join_all(&self, others: &Self) {
        let others = others.known.lock().clone();
        for (thread, ask) in others {
            self.join(thread, ask);
        }
    }

    /// Whether nobody can be asked.
    pub fn is_empty(&self) -> bool {
        self.known.lock().is_empty()
    }

    /// Asks the newest function whose thread lives.
    ///
    /// # Errors
    /// What the function gives; [`Code::Closed`] when all threads have ended.
    pub async fn ask(&self, input: In) -> Result<Out> {
        loop {
            let Some((_, ask)) = self.known.lock().last().cloned() else {
                return Err(Error::new(Code::Closed, "the thread that would have to be asked has ended"));
            };
            match ask(input.clone()).await {
                Err(error) if error.code() == Code::Closed => {
                    self.known.lock().retain(|(_, other)| !Arc::ptr_eq(other, &ask));
                }
                outcome => return outcome,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answering(answer: Result<u8, Code>) -> Ask<(), u8> {
        Arc::new(move |()| Box::pin(async move { answer.map_err(|code| Error::new(code, "no")) }))
    }

    #[tokio::test]
    async fn the_newest_living_thread_is_asked_and_a_dead_one_only_once() {
        let callers = Callers::default();
        assert!(callers.is_empty());
        callers.join(1, answering(Ok(1)));
        callers.join(2, answering(Ok(2)));
        assert_eq!(callers.ask(()).await.unwrap(), 2);
        callers.join(2, answering(Err(Code::Closed)));
        assert_eq!(callers.ask(()).await.unwrap(), 1);
        callers.join(1, answering(Err(Code::Internal)));
        assert_eq!(callers.ask(()).await.unwrap_err().code(), Code::Internal, "what a function throws is its answer");
        callers.join(1, answering(Err(Code::Closed)));
        assert_eq!(callers.ask(()).await.unwrap_err().code(), Code::Closed);
        assert!(callers.is_empty());
    }
}
