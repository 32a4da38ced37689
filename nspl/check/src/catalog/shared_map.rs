//! A map whose clones share their contents: sharded by hash, copied shard by shard when a shared one is changed.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A change of a shared map copies one 128th of it.
const SHARDS: usize = 128;

pub(crate) struct SharedMap<K, V> {
    /// Either none or `SHARDS`.
    shards: Arc<Vec<Arc<BTreeMap<K, V>>>>,
    len: usize,
}

impl<K, V> Clone for SharedMap<K, V> {
    fn clone(&self) -> Self {
        SharedMap {
            shards: self.shards.clone(),
            len: self.len,
        }
    }
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        SharedMap {
            shards: Arc::new(Vec::new()),
            len: 0,
        }
    }
}

fn shard_of<Q: Hash + ?Sized>(key: &Q) -> usize {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    (hasher.finish() % SHARDS as u64) as usize
}

impl<K: Ord + Hash + Clone, V: Clone> SharedMap<K, V> {
    pub(crate) fn get<Q: Ord + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.shards.get(shard_of(key))?.get(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let index = shard_of(&key);
        let shards = Arc::make_mut(&mut self.shards);
        if shards.is_empty() {
            shards.resize_with(SHARDS, Arc::default);
        }
        let old = Arc::make_mut(&mut shards[index]).insert(key, value);
        self.len += usize::from(old.is_none());
        old
    }

    /// The value of a key, to be changed; one that is not there is made.
    pub(crate) fn get_mut_or_default(&mut self, key: &K) -> &mut V
    where
        V: Default,
    {
        let index = shard_of(key);
        let shards = Arc::make_mut(&mut self.shards);
        if shards.is_empty() {
            shards.resize_with(SHARDS, Arc::default);
        }
        let shard = Arc::make_mut(&mut shards[index]);
        if !shard.contains_key(key) {
            self.len += 1;
        }
        shard.entry(key.clone()).or_default()
    }

    pub(crate) fn remove<Q: Ord + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.get(key)?;
        let shards = Arc::make_mut(&mut self.shards);
        let old = Arc::make_mut(shards.get_mut(shard_of(key))?).remove(key);
        self.len -= usize::from(old.is_some());
        old
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.shards.iter().flat_map(|shard| shard.iter())
    }

    pub(crate) fn sorted(&self) -> Vec<(&K, &V)> {
        let mut all: Vec<(&K, &V)> = self.iter().collect();
        all.sort_by(|a, b| a.0.cmp(b.0));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::SharedMap;

    #[test]
    fn a_change_leaves_earlier_clones_as_they_were() {
        let mut map = SharedMap::<u32, u32>::default();
        for n in 0..1_000 {
            map.insert(n, n);
        }
        let before = map.clone();
        assert_eq!(map.insert(7, 70), Some(7));
        assert_eq!(map.remove(&8), Some(8));
        assert_eq!((map.len(), before.len()), (999, 1_000));
        assert_eq!(
            (before.get(&7), before.get(&8), map.get(&7), map.get(&8)),
            (Some(&7), Some(&8), Some(&70), None)
        );
        assert!(before.sorted().windows(2).all(|pair| pair[0] < pair[1]));
    }
}
