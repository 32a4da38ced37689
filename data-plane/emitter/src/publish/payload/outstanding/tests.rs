use super::{Outstanding, State, Step};

fn with(window: u32, flushed: bool, payloads: u64) -> Outstanding<()> {
    let mut outstanding = Outstanding::new(window, flushed);
    (0..payloads).for_each(|sequence| outstanding.insert(sequence, ()));
    outstanding
}

fn send(outstanding: &mut Outstanding<()>, sequences: &[u64]) {
    for sequence in sequences {
        assert!(outstanding.send(*sequence).is_some());
    }
}

fn resolve(outstanding: &mut Outstanding<()>, sequences: std::ops::Range<u64>) {
    for sequence in sequences {
        assert!(outstanding.resolve(sequence).is_some());
    }
}

#[test]
fn the_window_is_filled_and_a_confirmation_makes_room() {
    let mut outstanding = with(2, false, 4);
    assert_eq!(outstanding.next(10), Step::Send(vec![0, 1]));
    assert_eq!(outstanding.next(1), Step::Send(vec![0]));
    send(&mut outstanding, &[0, 1]);
    assert_eq!(outstanding.next(10), Step::Nothing);
    outstanding.resolve(1);
    assert_eq!(outstanding.next(10), Step::Send(vec![2]));
}

#[test]
fn a_large_window_is_filled_again_a_sixteenth_at_a_time() {
    let mut outstanding = with(160, false, 171);
    let all: Vec<u64> = (0..160).collect();
    send(&mut outstanding, &all[..155]);
    assert_eq!(
        outstanding.next(1_000),
        Step::Send(all[155..].to_vec()),
        "it is filled"
    );
    send(&mut outstanding, &all[155..]);
    resolve(&mut outstanding, 0..9);
    assert_eq!(
        outstanding.next(1_000),
        Step::Nothing,
        "nine are a request of nine"
    );
    outstanding.resolve(9);
    let ten: Vec<u64> = (160..170).collect();
    assert_eq!(outstanding.next(1_000), Step::Send(ten.clone()));
    send(&mut outstanding, &ten);
    outstanding.resolve(10);
    assert_eq!(
        outstanding.next(1_000),
        Step::Send(vec![170]),
        "nothing else is ready"
    );
    resolve(&mut outstanding, 11..170);
    assert_eq!(outstanding.next(1_000), Step::Send(vec![170]), "nothing is out");
}

#[test]
fn what_failed_goes_again_when_everything_is_answered_and_before_anything_newer() {
    let mut outstanding = with(3, false, 5);
    send(&mut outstanding, &[0, 1, 2]);
    outstanding.fail(2);
    assert_eq!(outstanding.next(10), Step::Nothing, "two are out");
    outstanding.resolve(1);
    outstanding.fail(0);
    assert_eq!(outstanding.next(10), Step::Resend(vec![0, 2]));
    assert_eq!(outstanding.next(1), Step::Resend(vec![0]));
    let (attempt, ()) = outstanding
        .send(0)
        .map(|(attempt, _)| (attempt, ()))
        .expect("kept");
    assert_eq!(attempt, 2);
    send(&mut outstanding, &[2]);
    assert_eq!(outstanding.next(10), Step::Send(vec![3]));
}

#[test]
fn without_confirmations_a_flush_stands_between_two_writes() {
    let mut outstanding = with(2, true, 3);
    assert_eq!(outstanding.next(10), Step::Send(vec![0, 1]));
    send(&mut outstanding, &[0, 1]);
    outstanding.accept(0);
    assert_eq!(outstanding.next(10), Step::Nothing);
    outstanding.fail(1);
    assert_eq!(outstanding.next(10), Step::Flush, "what was taken counts first");
    outstanding.resolve(0);
    assert_eq!(outstanding.next(10), Step::Resend(vec![1]));
    send(&mut outstanding, &[1]);
    outstanding.accept(1);
    outstanding.resolve(1);
    assert_eq!(outstanding.next(10), Step::Send(vec![2]));
    assert_eq!((outstanding.count(State::Ready), outstanding.len()), (1, 1));
}

#[test]
fn what_the_client_left_waits_for_what_it_took_and_was_no_attempt() {
    let mut outstanding = with(3, false, 4);
    send(&mut outstanding, &[0, 1, 2]);
    outstanding.leave(1);
    outstanding.leave(2);
    assert_eq!(outstanding.state(1), Some((State::Ready, 0)));
    assert_eq!(outstanding.next(10), Step::Nothing, "one is out");
    outstanding.resolve(0);
    assert_eq!(outstanding.next(10), Step::Send(vec![1, 2, 3]));
    send(&mut outstanding, &[1, 2, 3]);
    for sequence in [1, 2, 3] {
        outstanding.fail(sequence);
    }
    send(&mut outstanding, &[1, 2, 3]);
    outstanding.leave(3);
    assert_eq!(outstanding.state(3), Some((State::Failed, 1)));
    outstanding.resolve(2);
    assert_eq!(outstanding.next(10), Step::Nothing, "one is out");
    outstanding.resolve(1);
    assert_eq!(outstanding.next(10), Step::Resend(vec![3]));
}
