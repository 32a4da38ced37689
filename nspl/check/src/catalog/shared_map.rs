//! A map whose clones share their contents: a tree over the bits of hashes, of which a change copies one path.
//!
//! A change of a shared map costs the logarithm of its size, in time and in memory, so that a script may keep a snapshot
//! for each of its statements.

use std::borrow::Borrow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Bits of the hash that one level looks at, and the children that this makes.
const BITS: u32 = 4;
const CHILDREN: usize = 1 << BITS;

/// Levels of a whole hash; below them entries only share a leaf.
const LEVELS: u32 = u64::BITS / BITS;

/// Entries of a leaf that may still be parted.
const LEAF_MAX: usize = 8;

pub(crate) struct SharedMap<K, V> {
    root: Arc<Node<K, V>>,
    len: usize,
}

#[derive(Clone)]
enum Node<K, V> {
    Leaf(Vec<(K, V)>),
    /// By the bits of its level.
    Branch(Vec<Arc<Node<K, V>>>),
}

impl<K, V> Clone for SharedMap<K, V> {
    fn clone(&self) -> Self {
        SharedMap {
            root: self.root.clone(),
            len: self.len,
        }
    }
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        SharedMap {
            root: Arc::default(),
            len: 0,
        }
    }
}

impl<K, V> Default for Node<K, V> {
    fn default() -> Self {
        Node::Leaf(Vec::new())
    }
}

fn hash_of<Q: Hash + ?Sized>(key: &Q) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

fn child_of(hash: u64, level: u32) -> usize {
    (hash >> (level * BITS)) as usize % CHILDREN
}

impl<K: Eq + Hash + Clone, V: Clone> Node<K, V> {
    fn get<Q: Eq + ?Sized>(&self, hash: u64, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (mut node, mut level) = (self, 0);
        loop {
            match node {
                Node::Branch(children) => node = children.get(child_of(hash, level))?,
                Node::Leaf(entries) => {
                    let found = entries.iter().find(|(known, _)| known.borrow() == key);
                    return found.map(|(_, value)| value);
                }
            }
            level += 1;
        }
    }

    fn insert(&mut self, (hash, level): (u64, u32), key: K, value: V) -> Option<V> {
        match self {
            Node::Branch(children) => {
                let child = children.get_mut(child_of(hash, level))?;
                Arc::make_mut(child).insert((hash, level + 1), key, value)
            }
            Node::Leaf(entries) => {
                if let Some((_, old)) = entries.iter_mut().find(|(known, _)| *known == key) {
                    return Some(std::mem::replace(old, value));
                }
                entries.push((key, value));
                if entries.len() > LEAF_MAX && level < LEVELS {
                    *self = Node::parted(std::mem::take(entries), level);
                }
                None
            }
        }
    }

    fn parted(entries: Vec<(K, V)>, level: u32) -> Self {
        let mut branch = Node::Branch((0..CHILDREN).map(|_| Arc::default()).collect());
        for (key, value) in entries {
            branch.insert((hash_of(&key), level), key, value);
        }
        branch
    }

    fn remove<Q: Eq + ?Sized>(&mut self, (hash, level): (u64, u32), key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        match self {
            Node::Branch(children) => {
                let child = children.get_mut(child_of(hash, level))?;
                Arc::make_mut(child).remove((hash, level + 1), key)
            }
            Node::Leaf(entries) => {
                let at = entries.iter().position(|(known, _)| known.borrow() == key)?;
                Some(entries.swap_remove(at).1)
            }
        }
    }
}

impl<K: Ord + Hash + Clone, V: Clone> SharedMap<K, V> {
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.root.get(hash_of(key), key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let old = Arc::make_mut(&mut self.root).insert((hash_of(&key), 0), key, value);
        self.len += usize::from(old.is_none());
        old
    }

    pub(crate) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        // Nothing is copied where there is nothing to remove.
        self.get(key)?;
        let old = Arc::make_mut(&mut self.root).remove((hash_of(key), 0), key);
        self.len -= usize::from(old.is_some());
        old
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// In no order that means anything, and always the same.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let mut open = vec![&*self.root];
        let mut entries = [].iter();
        std::iter::from_fn(move || {
            loop {
                if let Some((key, value)) = entries.next() {
                    return Some((key, value));
                }
                match open.pop()? {
                    Node::Leaf(found) => entries = found.iter(),
                    Node::Branch(children) => open.extend(children.iter().map(|child| &**child)),
                }
            }
        })
    }

    pub(crate) fn sorted(&self) -> Vec<(&K, &V)> {
        let mut all: Vec<(&K, &V)> = self.iter().collect();
        all.sort_by(|a, b| a.0.cmp(b.0));
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::hash::{Hash, Hasher};

    use super::SharedMap;

    #[test]
    fn a_change_leaves_earlier_clones_as_they_were() {
        let mut map = SharedMap::<u32, u32>::default();
        let mut snapshots = Vec::new();
        for n in 0..1_000 {
            snapshots.push(map.clone());
            assert_eq!(map.insert(n, n), None);
        }
        let before = map.clone();
        assert_eq!(map.insert(7, 70), Some(7));
        assert_eq!((map.remove(&8), map.remove(&8)), (Some(8), None));
        assert_eq!((map.len(), before.len()), (999, 1_000));
        assert_eq!(
            (before.get(&7), before.get(&8), map.get(&7), map.get(&8)),
            (Some(&7), Some(&8), Some(&70), None)
        );
        assert!(before.sorted().windows(2).all(|pair| pair[0] < pair[1]));
        for (len, snapshot) in (0..).zip(&snapshots) {
            assert_eq!(snapshot.len(), len);
            assert_eq!(snapshot.iter().count(), len);
        }
    }

    /// A key whose hash says nothing about it.
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
    struct Alike(u32);

    impl Hash for Alike {
        fn hash<H: Hasher>(&self, _: &mut H) {}
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        let mut map = SharedMap::<Alike, u32>::default();
        let mut model = BTreeMap::new();
        for n in 0..100 {
            map.insert(Alike(n % 40), n);
            model.insert(Alike(n % 40), n);
            if n % 3 == 0 {
                assert_eq!(map.remove(&Alike(n / 3)), model.remove(&Alike(n / 3)));
            }
        }
        assert_eq!(map.sorted(), model.iter().collect::<Vec<_>>());
        assert_eq!(map.len(), model.len());
    }
}
