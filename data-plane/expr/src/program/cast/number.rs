//! Exact conversions between numbers.

/// An integer type, reached from the widest one.
pub(in crate::program) trait FromInteger: Copy + Default {
    /// The same number, when it is in range.
    fn from_integer(value: i128) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl FromInteger for $type {
            fn from_integer(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

/// A float type.
pub(in crate::program) trait Real: Copy + Default {
    /// The same number, when the type has it.
    fn exactly(value: i128) -> Option<Self>;
}

impl Real for f32 {
    fn exactly(value: i128) -> Option<Self> {
        let near = value as f32;
        (near as i128 == value).then_some(near)
    }
}

impl Real for f64 {
    fn exactly(value: i128) -> Option<Self> {
        let near = value as f64;
        (near as i128 == value).then_some(near)
    }
}

/// The same number as an integer, when it is whole and in range. NaN and infinities are neither.
pub(in crate::program) fn real_to_integer<T: FromInteger>(value: f64) -> Option<T> {
    if !value.is_finite() || value.trunc() != value {
        return None;
    }
    // Past the range of i128 this saturates, far outside the range of every integer type.
    T::from_integer(value as i128)
}
