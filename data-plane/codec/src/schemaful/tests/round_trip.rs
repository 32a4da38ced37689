//! What is written reads back, and sizes are exact.

use nspl_model::BatchLimits;
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use crate::Packed;
use crate::schemaful::testing::{batches, codec, decoded, encoded, formats, pack, payloads};

proptest! {
    #[test]
    fn records_read_back_as_they_were(format in formats(), (schema, batch) in batches()) {
        let def = codec(format, &schema);
        let payloads = encoded(&def, &batch);
        prop_assert_eq!(payloads.len(), batch.num_rows());
        let decoded = decoded(&def, &payloads);
        prop_assert_eq!(decoded.rejected, []);
        prop_assert_eq!(decoded.read as usize, payloads.len());
        prop_assert_eq!(decoded.payloads, (0..decoded.read).collect::<Vec<_>>());
        prop_assert_eq!(decoded.records, batch);
    }

    #[test]
    fn a_batch_is_published_at_exactly_its_size_and_halved_one_byte_below(format in formats(), (schema, batch) in batches()) {
        let def = codec(format, &schema);
        let limits = |max_bytes| Some(BatchLimits { max_messages: BatchLimits::MESSAGES_MAX, max_bytes });
        let whole = payloads(&pack(&def, limits(u64::MAX), std::slice::from_ref(&batch)));
        prop_assert_eq!(whole.len(), usize::from(batch.num_rows() > 0));
        for payload in whole {
            let exact = payload.len() as u64;
            let again = pack(&def, limits(exact), std::slice::from_ref(&batch));
            prop_assert_eq!(payloads(&again), [payload]);
            let below = pack(&def, limits(exact - 1), std::slice::from_ref(&batch));
            let half = batch.num_rows().div_ceil(2);
            prop_assert!(below[0].rows() <= half, "{below:?}");
            for payload in payloads(&below) {
                prop_assert!((payload.len() as u64) < exact);
            }
        }
    }

    #[test]
    fn carriers_do_not_show(
        format in formats(),
        (schema, batch) in batches(),
        cut in any::<prop::sample::Index>(),
        max_messages in 1..9_u32,
        max_bytes in 1..600_u64,
    ) {
        let def = codec(format, &schema);
        let limits = Some(BatchLimits { max_messages, max_bytes });
        let cut = cut.index(batch.num_rows() + 1);
        let parts = [batch.slice(0, cut), batch.slice(cut, 0), batch.slice(cut, batch.num_rows() - cut)];
        let packed = pack(&def, limits, &parts);
        prop_assert_eq!(packed.iter().map(Packed::rows).sum::<usize>(), batch.num_rows());
        prop_assert_eq!(packed, pack(&def, limits, &[batch]));
    }
}
