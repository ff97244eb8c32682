//! A stable sort whose comparison is user code: it may fail, and may be inconsistent.

use std::cmp::Ordering;
use std::collections::VecDeque;

use crate::error::Error;

/// Sorts the items. Equal items keep their order.
///
/// # Errors
/// The first fault of a comparison.
pub(crate) fn merge_sort<T>(
    mut items: Vec<T>,
    compare: &mut dyn FnMut(&T, &T) -> Result<Ordering, Error>,
) -> Result<Vec<T>, Error> {
    if items.len() <= 1 {
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let mut left = VecDeque::from(merge_sort(items, compare)?);
    let mut right = VecDeque::from(merge_sort(right, compare)?);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some(first), Some(second)) = (left.front(), right.front()) {
        let from = if compare(first, second)? == Ordering::Greater { &mut right } else { &mut left };
        merged.extend(from.pop_front());
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
