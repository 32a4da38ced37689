use proptest::collection::vec;
use proptest::prelude::any;
use proptest::proptest;

use super::IdleList;

fn in_order(list: &mut IdleList) -> Vec<u32> {
    std::iter::from_fn(|| {
        let first = list.first()?;
        list.remove(first);
        Some(first)
    })
    .collect()
}

proptest! {
    #[test]
    fn the_list_is_what_a_queue_would_be(steps in vec((0_u32..12, any::<bool>()), 0..100)) {
        let mut list = IdleList::default();
        list.grow(12);
        let mut queue: Vec<u32> = Vec::new();
        for (slot, push) in steps {
            if push && !list.contains(slot) {
                list.push(slot);
                queue.push(slot);
            } else {
                list.remove(slot);
                queue.retain(|known| *known != slot);
            }
            assert_eq!((list.len(), list.first()), (queue.len(), queue.first().copied()));
            assert!((0..12).all(|slot| list.contains(slot) == queue.contains(&slot)));
        }
        assert_eq!(in_order(&mut list), queue);
        assert_eq!((list.len(), list.first()), (0, None));
    }
}
