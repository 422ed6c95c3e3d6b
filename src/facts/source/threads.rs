//! Work that is the same for each of many functions, on as many threads as there are.

use rayon::ThreadPool;
use rayon::prelude::*;

/// The analysis goes down the calls of the tree; deep ones need more than a thread has by itself.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Threads with deep stacks; without any, the work is done where it is asked for.
#[derive(Debug)]
pub(super) struct Threads(Option<ThreadPool>);

impl Threads {
    /// As many as the machine has; none where none could be started.
    pub(super) fn start() -> Self {
        Self(
            rayon::ThreadPoolBuilder::new()
                .stack_size(STACK_BYTES)
                .thread_name(|at| format!("map-{at}"))
                .build()
                .ok(),
        )
    }

    /// None, for small work.
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// The same of each stretch of a list, in order. How the list is cut does not depend on the
    /// number of threads, so that what is found does not either.
    pub(super) fn map<T: Sync, R: Send>(
        &self,
        all: &[T],
        stretch: usize,
        one: impl Fn(&[T]) -> R + Sync,
    ) -> Vec<R> {
        match &self.0 {
            Some(pool) => pool.install(|| all.par_chunks(stretch).map(&one).collect()),
            None => all.chunks(stretch).map(one).collect(),
        }
    }
}
