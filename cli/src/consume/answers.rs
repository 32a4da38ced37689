//! What to answer, in turn.

use std::str::FromStr;

use nervix_client::reason_is_well_formed;

/// The reason of a reject where none is given.
const REASON: &str = "rejected-by-nervix-consume";

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Ack,
    Retry,
    Reject(String),
}

/// A ring of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answers {
    ring: Vec<Answer>,
    turn: usize,
}

impl Answers {
    pub(super) fn next(&mut self) -> Answer {
        let answer = self.ring.get(self.turn).cloned().unwrap_or(Answer::Ack);
        self.turn = (self.turn + 1) % self.ring.len().max(1);
        answer
    }
}

impl FromStr for Answers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let one = |word: &str| match word.trim().split_once('=') {
            None if word.trim() == "ack" => Ok(Answer::Ack),
            None if word.trim() == "retry" => Ok(Answer::Retry),
            None if word.trim() == "reject" => Ok(Answer::Reject(REASON.to_owned())),
            Some(("reject", reason)) if reason_is_well_formed(reason) => {
                Ok(Answer::Reject(reason.to_owned()))
            }
            Some(("reject", _)) => Err("a reason has 1 to 256 bytes of [A-Za-z0-9_.:-]".to_owned()),
            _ => Err("write ack, retry, reject or reject=REASON, or several separated by commas".to_owned()),
        };
        Ok(Answers {
            ring: text.split(',').map(one).collect::<Result<_, _>>()?,
            turn: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Answers};

    #[test]
    fn answers_take_turns() {
        let mut answers: Answers = "ack,reject=late,retry".parse().unwrap();
        let given: Vec<Answer> = (0..4).map(|_| answers.next()).collect();
        assert_eq!(
            given,
            [
                Answer::Ack,
                Answer::Reject("late".to_owned()),
                Answer::Retry,
                Answer::Ack
            ]
        );
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for text in ["", "nack", "ack,", "reject=", "reject=a b"] {
            assert!(text.parse::<Answers>().is_err(), "{text}");
        }
    }
}
