use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

use super::{Absent, Resolved, resolve};

/// A state is the number of the step at which it came.
fn absent() -> impl Strategy<Value = Absent<u32>> {
    prop_oneof![
        Just(Absent::Wait),
        Just(Absent::Skip),
        (1_000..2_000_u32).prop_map(Absent::Use)
    ]
}

#[test]
fn the_first_dependency_that_cannot_be_bound_decides() {
    let waits_then_skips = [Absent::<u32>::Wait, Absent::Skip];
    assert_eq!(resolve(waits_then_skips.iter(), |_| None), Resolved::Waits(0));
    assert_eq!(
        resolve(waits_then_skips.iter(), |index| (index == 0).then_some(7)),
        Resolved::Skipped
    );
    let skips_then_waits = [Absent::<u32>::Skip, Absent::Wait];
    assert_eq!(resolve(skips_then_waits.iter(), |_| None), Resolved::Skipped);
}

#[test]
fn a_wait_that_wakes_starts_from_the_first_so_that_a_default_gives_way_to_what_has_come() {
    let dependencies = [Absent::Use(1_000), Absent::Wait];
    assert_eq!(resolve(dependencies.iter(), |_| None), Resolved::Waits(1));
    let both_came = |index: usize| [Some(5), Some(6)][index];
    assert_eq!(
        resolve(dependencies.iter(), both_came),
        Resolved::Bound(vec![5, 6])
    );
}

proptest! {
    /// States come one after the other in any order, and after each the resolution starts again: the outcome is that of a
    /// reference that looks at all of them at once.
    #[test]
    fn resolution_agrees_with_a_reference_however_states_come(
        dependencies in prop::collection::vec(absent(), 1..6),
        comes in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut known: Vec<Option<u32>> = vec![None; dependencies.len()];
        let mut steps = vec![None];
        steps.extend(comes.iter().map(|place| Some(place.index(dependencies.len()))));
        for (step, came) in steps.into_iter().enumerate() {
            if let Some(place) = came {
                known[place] = Some(step as u32);
            }
            let unbound = (0..dependencies.len()).find(|&place| {
                known[place].is_none() && !matches!(dependencies[place], Absent::Use(_))
            });
            let expected = match unbound.map(|place| (place, &dependencies[place])) {
                Some((place, Absent::Wait)) => Resolved::Waits(place),
                Some(_) => Resolved::Skipped,
                None => Resolved::Bound(
                    dependencies
                        .iter()
                        .zip(&known)
                        .map(|(absent, known)| match (known, absent) {
                            (Some(known), _) => *known,
                            (None, Absent::Use(constant)) => *constant,
                            (None, _) => unreachable!("it would not be bound"),
                        })
                        .collect(),
                ),
            };
            prop_assert_eq!(resolve(dependencies.iter(), |place| known[place]), expected);
        }
    }
}
