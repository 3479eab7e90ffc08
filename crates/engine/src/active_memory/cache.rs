//! Answers that are known already. The key is the whole request, passages and all: a note that changed makes another
//! request, so nothing that is kept here can be out of date.

use std::num::NonZeroUsize;

use lru::LruCache;

/// Most answers, and most bytes of them.
const MOST: NonZeroUsize = NonZeroUsize::new(1000).unwrap();
const MOST_BYTES: usize = 2 << 20;

/// Hash of a request.
pub type Key = [u8; 32];

#[derive(Debug, Clone)]
struct Entry<T> {
    value: T,
    bytes: usize,
    until_ms: i64,
}

/// Values by request, the least used of which go first.
#[derive(Debug)]
pub struct Cache<T> {
    entries: LruCache<Key, Entry<T>>,
    bytes: usize,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { entries: LruCache::new(MOST), bytes: 0 }
    }
}

impl<T: Clone> Cache<T> {
    /// What is known.
    pub fn get(&mut self, key: &Key, now_ms: i64) -> Option<T> {
        let entry = self.entries.get(key)?;
        if now_ms < entry.until_ms {
            return Some(entry.value.clone());
        }
        let gone = self.entries.pop(key)?;
        self.bytes -= gone.bytes;
        None
    }

    /// Keeps a value of a size for a time.
    pub fn put(&mut self, key: Key, value: T, bytes: usize, until_ms: i64) {
        if bytes > MOST_BYTES {
            return;
        }
        if let Some((_, gone)) = self.entries.push(key, Entry { value, bytes, until_ms }) {
            self.bytes -= gone.bytes;
        }
        self.bytes += bytes;
        while self.bytes > MOST_BYTES {
            let Some((_, gone)) = self.entries.pop_lru() else { break };
            self.bytes -= gone.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_after_their_time_and_when_there_is_no_room() {
        let mut cache = Cache::default();
        let key = |n: usize| {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&n.to_le_bytes());
            key
        };
        cache.put(key(1), "a", 10, 100);
        assert_eq!(cache.get(&key(1), 99), Some("a"));
        assert_eq!((cache.get(&key(1), 100), cache.bytes), (None, 0));
        for n in 0..1500 {
            cache.put(key(n), "b", 100, 1000);
        }
        assert_eq!((cache.entries.len(), cache.bytes), (1000, 100_000));
        cache.put(key(9999), "c", 3 << 20, 1000);
        assert_eq!(cache.get(&key(9999), 0), None);
        for n in 0..10 {
            cache.put(key(5000 + n), "d", 1 << 19, 1000);
        }
        assert!(cache.bytes <= MOST_BYTES);
        cache.put(key(5009), "e", 1 << 19, 1000);
        assert_eq!(cache.get(&key(5009), 0), Some("e"));
    }
}
