//! A column times one factor. Vector instructions make products of 64 bits from factors of 32 and none from longer ones, so
//! that products are made in this way for as long as every factor is so short; then none overflows.

use arrow::array::{ArrowPrimitiveType, PrimitiveArray};

/// Numbers that are multiplied while they are near.
const BLOCK_ROWS: usize = 1024;

/// A number type in which a column may be multiplied faster than number by number.
pub(super) trait Scale: Copy {
    /// Appends the products; false when a factor is too long, and then what was appended means nothing.
    fn scale(_numbers: &[Self], _factor: Self, _products: &mut Vec<Self>) -> bool {
        false
    }
}

impl Scale for i8 {}
impl Scale for u8 {}
impl Scale for i16 {}
impl Scale for u16 {}
impl Scale for i32 {}
impl Scale for u32 {}
impl Scale for f32 {}
impl Scale for f64 {}

impl Scale for u64 {
    fn scale(numbers: &[Self], factor: Self, products: &mut Vec<Self>) -> bool {
        // Judged behind the loop: where the factor is known to be short, the mask that makes its instructions is left out.
        let mut bits = factor;
        products.extend(numbers.iter().map(|number| {
            bits |= *number;
            Self::from(*number as u32) * Self::from(factor as u32)
        }));
        u32::try_from(bits).is_ok()
    }
}

impl Scale for i64 {
    fn scale(numbers: &[Self], factor: Self, products: &mut Vec<Self>) -> bool {
        /// Added to each number, so that none of 32 bits is negative; its product is taken off again.
        const LIFT: i64 = 1 << 31;
        let lift = LIFT.wrapping_mul(factor);
        let mut bits = factor;
        products.extend(numbers.iter().map(|number| {
            let lifted = number.wrapping_add(LIFT);
            bits |= lifted;
            let product = u64::from(lifted as u32) * u64::from(factor as u32);
            (product as Self).wrapping_sub(lift)
        }));
        u32::try_from(bits).is_ok()
    }
}

/// The products of a column and a factor, when every one surely fits.
pub(super) fn scaled<T>(numbers: &PrimitiveArray<T>, factor: T::Native) -> Option<Vec<T::Native>>
where
    T: ArrowPrimitiveType,
    T::Native: Scale,
{
    let mut products = Vec::with_capacity(numbers.len());
    let mut blocks = numbers.values().chunks(BLOCK_ROWS);
    let fit = blocks.all(|block| T::Native::scale(block, factor, &mut products));
    fit.then_some(products)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, UInt64Array};
    use arrow::datatypes::{Int64Type, UInt64Type};

    use super::{BLOCK_ROWS, scaled};

    const I32: [i64; 6] = [i32::MIN as i64, -1_000_003, -1, 0, 7, i32::MAX as i64];
    const U32: [u64; 4] = [0, 1, 1_000_003, u32::MAX as u64];

    #[test]
    fn products_of_short_factors_are_exact() {
        for factor in U32 {
            let signed = i64::try_from(factor).unwrap();
            let products = scaled::<Int64Type>(&Int64Array::from(I32.to_vec()), signed).unwrap();
            assert_eq!(products, I32.map(|number| number.checked_mul(signed).unwrap()));
            let products = scaled::<UInt64Type>(&UInt64Array::from(U32.to_vec()), factor).unwrap();
            assert_eq!(products, U32.map(|number| number.checked_mul(factor).unwrap()));
        }
    }

    #[test]
    fn a_factor_that_is_too_long_is_seen_wherever_it_stands() {
        for row in [0, BLOCK_ROWS - 1, BLOCK_ROWS, 2 * BLOCK_ROWS] {
            for long in [1 << 31, -(1 << 31) - 1, i64::MIN, i64::MAX] {
                let mut numbers = vec![1; 2 * BLOCK_ROWS + 1];
                numbers[row] = long;
                assert_eq!(
                    scaled::<Int64Type>(&numbers.into(), 1),
                    None,
                    "{long} in row {row}"
                );
            }
            for long in [1 << 32, 1 << 63, u64::MAX] {
                let mut numbers = vec![1; 2 * BLOCK_ROWS + 1];
                numbers[row] = long;
                assert_eq!(
                    scaled::<UInt64Type>(&numbers.into(), 1),
                    None,
                    "{long} in row {row}"
                );
            }
        }
        for factor in [-1, 1 << 32] {
            assert_eq!(scaled::<Int64Type>(&vec![1].into(), factor), None);
        }
        assert_eq!(scaled::<UInt64Type>(&vec![1].into(), 1 << 32), None);
    }
}
