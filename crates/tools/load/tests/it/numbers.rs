//! Statistics over rounds, and the metrics page.

use load::metrics::sum;
use load::stats::Spread;
use proptest::prelude::*;

#[test]
fn the_median_is_the_middle_value() {
    let median = |values: &[f64]| Spread::of(values.iter().copied()).map(|spread| spread.median);
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[7.0]), Some(7.0));
    assert_eq!(median(&[3.0, 1.0]), Some(2.0));
    assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
    assert_eq!(median(&[f64::NAN, 4.0, f64::INFINITY]), Some(4.0), "what is not finite was not measured");
    assert_eq!(Spread::of_known([None, Some(2.0), None]).map(|spread| spread.max), Some(2.0));
}

proptest! {
    #[test]
    fn a_spread_is_ordered_and_does_not_depend_on_the_order(mut values in prop::collection::vec(-1e300..1e300f64, 1..40)) {
        let spread = Spread::of(values.iter().copied()).expect("values are finite");
        prop_assert!(spread.min <= spread.median && spread.median <= spread.max);
        values.reverse();
        prop_assert_eq!(Spread::of(values.iter().copied()), Some(spread));
        let below = values.iter().filter(|value| **value < spread.median).count();
        let above = values.iter().filter(|value| **value > spread.median).count();
        prop_assert!(below * 2 <= values.len() && above * 2 <= values.len());
    }

    #[test]
    fn any_page_has_a_sum_or_none(page in "\\PC*") {
        let _ = sum(&page, "m");
    }
}

#[test]
fn a_metric_is_summed_over_its_labels() {
    let page = "# HELP cpu_total x\n# TYPE cpu_total counter\n\
        cpu_total{service=\"a\"} 1.5\n\
        cpu_total{service=\"odd } \\\" name\",api=\"b\"} 2e0 1700000000\n\
        cpu_total_other{service=\"a\"} 100\n\
        cpu_totals 100\n";
    assert_eq!(sum(page, "cpu_total"), Some(3.5));
    assert_eq!(sum(page, "cpu_totals"), Some(100.0));
    assert_eq!(sum(page, "missing"), None);
    assert_eq!(sum("cpu_total 4\n", "cpu_total"), Some(4.0));
    assert_eq!(sum("cpu_total{broken 4\ncpu_total word\n", "cpu_total"), None);
}
