//! Starts a transaction of the region, with data for RETRIEVE in its program.

use codepage::CodePage;
use http::StatusCode;
use region::{Region, START_DATA_MAX_BYTES, StartRefused, TaskCaller};
use serde::Deserialize;
use serde_json::json;

use super::{answered, name, refused, with};
use crate::asked::{Answer, Asked};
use crate::routes::Small;

/// Starts a transaction. The body may have data. The audit does not record these data.
pub(crate) const BEGIN: Small = Small { max_bytes: 4 * START_DATA_MAX_BYTES, run: begin, subject: |_| None };

/// The body.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The data for RETRIEVE; none if it is left out.
    data: Option<String>,
}

fn begin(asked: &Asked<'_>, body: &[u8]) -> Answer {
    with(asked, |region| {
        let caller = asked
            .identity
            .map(|identity| TaskCaller { user: identity.name.clone(), groups: identity.groups.clone() });
        match start(region, asked.name(), body, caller) {
            Ok(answer) => answer,
            Err((status, reason)) => refused(status, &reason),
        }
    })
}

fn start(
    region: &Region,
    transaction: &str,
    body: &[u8],
    caller: Option<TaskCaller>,
) -> Result<Answer, (StatusCode, String)> {
    let bad = |reason: String| (StatusCode::BAD_REQUEST, reason);
    let wanted: Wanted = match body.is_empty() {
        true => Wanted::default(),
        false => serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?,
    };
    let is_name =
        (1..=4).contains(&transaction.len()) && transaction.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_name {
        return Err(bad(format!("expected a transaction of 1 to 4 characters, found '{transaction}'")));
    }
    let settings = region.settings();
    let data = wanted.data.map(|text| encoded(&text, settings.ccsid)).transpose().map_err(bad)?;
    let bytes = data.as_ref().map_or(0, Vec::len);
    let id = wire::name::<4>(transaction);
    let program = settings.transactions.get(&id).map(|known| name(&known.program));
    match region.start_transaction(id, data, caller) {
        Ok(request) => Ok(answered(&json!({
            "transaction": transaction,
            "program": program,
            "request": name(&request),
            "dataBytes": bytes,
        }))),
        Err(why) => {
            let status = match why {
                StartRefused::Unknown => StatusCode::NOT_FOUND,
                StartRefused::NotAllowed => StatusCode::FORBIDDEN,
                StartRefused::TooLong => StatusCode::BAD_REQUEST,
                StartRefused::Disabled => StatusCode::CONFLICT,
                StartRefused::Full => StatusCode::SERVICE_UNAVAILABLE,
            };
            Err((status, format!("transaction {transaction}: {why}")))
        }
    }
}

/// Text in the code page of programs.
fn encoded(text: &str, ccsid: u16) -> Result<Vec<u8>, String> {
    let page = CodePage::by_ccsid(ccsid).ok_or_else(|| format!("there is no code page {ccsid}"))?;
    let mut bytes = Vec::with_capacity(text.len());
    page.encode(text, &mut bytes)
        .map_err(|error| format!("the data cannot be text in the region's code page {ccsid}: {error}"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_become_text_of_the_region() {
        assert_eq!(encoded("é1", 819), Ok(vec![0xE9, b'1']));
        let refused = encoded("€", 819).expect_err("not in the page");
        assert!(refused.contains("code page 819"), "{refused}");
    }
}
