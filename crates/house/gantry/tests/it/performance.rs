//! Tests the API of the performance report: three services, lengths of records, the path parameter.

use serde_json::Value;

use crate::process::Gantry;

/// Makes a row as the program sends it: 32 letters. Each row starts one letter later.
fn row(number: usize) -> String {
    (0..32).map(|column| char::from(b'A' + u8::try_from((number + column) % 26).unwrap())).collect()
}

fn body(count: usize) -> String {
    format!(r#"{{"CABASICOperation":{{"count_out":{count}}}}}"#)
}

#[test]
fn a_small_answer_is_exact() {
    let gantry = Gantry::example("performance");
    let expected = |task: u32, rows: &str| {
        format!(
            r#"{{"CABASICOperationResponse":{{"recv_size":8,"send_size":96,"taskid":{task},"tranid":"CBAS","rs_spare":"","user_data":[{rows}]}}}}"#
        )
    };
    let rows = format!(r#""{}","{}""#, row(0), row(1));
    for (index, service) in ["RS2", "RS3", "RSV"].into_iter().enumerate() {
        let path = format!("/performance.api/mapping/CABASIC-{service}/1");
        gantry.put(&path, &body(3)).is_json(200, &expected(1, &rows));
        // Each service counts its own tasks.
        gantry.put(&path, &body(3)).is_json(200, &expected(2, &rows));
        assert_eq!(row(0).len(), 32, "{index}");
    }
    let requests = "gantry_requests_total{api=\"performance\",operation=\"putCABASIC-RS2\",status=\"200\"}";
    assert_eq!(gantry.metric(requests), 2.0);
    assert_eq!(gantry.metric("gantry_provider_calls_total{service=\"CABASIC-RSV\"}"), 2.0);
}

#[test]
fn every_count_gives_its_rows_and_its_length() {
    let gantry = Gantry::example("performance");
    for (service, most) in [("CABASIC-RS2", 32), ("CABASIC-RS3", 128), ("CABASIC-RSV", 128)] {
        let path = format!("/performance.api/mapping/{service}/1");
        for count in [1, 2, 31, 32, 33, 127, 128].into_iter().filter(|count| *count <= most) {
            let answer = gantry.put(&path, &body(count));
            assert_eq!(answer.status, 200, "{service} {count}: {}", answer.text());
            let json: Value = serde_json::from_str(answer.text()).expect("an answer is JSON");
            let fields = &json["CABASICOperationResponse"];
            assert_eq!(fields["send_size"], count * 32, "{service} {count}");
            assert_eq!(fields["recv_size"], 8);
            let expected: Vec<Value> = (0..count - 1).map(|number| row(number).into()).collect();
            // A table without rows is left out.
            let found = fields["user_data"].as_array().cloned().unwrap_or_default();
            assert_eq!(found, expected, "{service} {count}");
        }
    }
}

#[test]
fn the_records_of_the_report_have_1_and_4_kilobytes() {
    let gantry = Gantry::example("performance");
    for (service, count, bytes) in [("RS2", 32, 1024), ("RS3", 128, 4096), ("RSV", 128, 4096)] {
        let path = format!("/performance.api/mapping/CABASIC-{service}/1");
        let answer = gantry.put(&path, &body(count));
        let json: Value = serde_json::from_str(answer.text()).expect("an answer is JSON");
        assert_eq!(json["CABASICOperationResponse"]["send_size"], bytes, "{service}");
    }
}

#[test]
fn counts_beyond_the_limits_are_refused() {
    let gantry = Gantry::example("performance");
    for (service, most) in [("CABASIC-RS2", 32), ("CABASIC-RS3", 128), ("CABASIC-RSV", 128)] {
        let path = format!("/performance.api/mapping/{service}/1");
        for (count, limit) in [(0, 1), (most + 1, most)] {
            let details = gantry.put(&path, &body(count)).fails(400, "GTY0424W");
            assert!(
                details.contains("count_out") && details.contains(&format!("{limit} (line 1")),
                "{details}"
            );
        }
        let details = gantry.put(&path, r#"{"CABASICOperation":{}}"#).fails(400, "GTY0422W");
        assert!(details.contains("count_out"), "{details}");
        gantry.put(&path, "{}").fails(400, "GTY0422W");
    }
}

#[test]
fn the_path_parameter_is_a_number_of_eight_digits() {
    let gantry = Gantry::example("performance");
    let path = |value: &str| format!("/performance.api/mapping/CABASIC-RS2/{value}");
    for good in ["0", "1", "99999999", "0000000012", "%31"] {
        assert_eq!(gantry.put(&path(good), &body(1)).status, 200, "{good}");
    }
    for bad in ["abc", "100000000", "-1", "1.5", "1e9999", "0x1", "%20", "%00", "18446744073709551617"] {
        let details = gantry.put(&path(bad), &body(1)).fails(400, "GTY0411W");
        assert!(details.starts_with("path parameter countIn: "), "{bad}: {details}");
    }
}

#[test]
fn other_fields_than_those_of_the_interface_are_refused() {
    let gantry = Gantry::example("performance");
    let path = "/performance.api/mapping/CABASIC-RS2/1";
    for (json, name) in [
        (r#"{"CABASICOperation":{"count_out":1,"count_put":1}}"#, "count_put"),
        // The path parameter fills this field, so the body must not have it.
        (r#"{"CABASICOperation":{"count_in":1,"count_out":1}}"#, "count_in"),
        (r#"{"CABASICOperation":{"count_out":1},"more":1}"#, "more"),
        (r#"{"count_out":1}"#, "count_out"),
    ] {
        let details = gantry.put(path, json).fails(400, "GTY0420W");
        assert!(details.contains(name), "{details}");
    }
    let twice = r#"{"CABASICOperation":{"count_out":1,"count_out":1}}"#;
    assert!(gantry.put(path, twice).fails(400, "GTY0421W").contains("count_out"));
}
