//! SOAPFAULT in tasks that a SOAP pipeline has begun.

use region::Region;
use service::{SoapFault, SoapFaultCode};
use wire::{Container, Interface, name, soap_fault};

use crate::region::{request, settings};

#[tokio::test]
async fn a_task_of_a_soap_pipeline_keeps_its_fault() {
    let region = Region::start(settings()).expect("a region");
    let run = async |level: u8| {
        let level = Container { name: name("DFHWS-SOAPLEVEL"), ccsid: None, bytes: vec![0, 0, 0, level] };
        let channel = Interface::Channel { name: name("SOAP"), containers: vec![level] };
        let answer = region.run(request("FAULTING", channel)).await.expect("an answer");
        let Interface::Channel { mut containers, .. } = answer else { panic!("a channel") };
        let fault = soap_fault::take(&mut containers).expect("a fault or none");
        let notes = containers.iter().find(|container| container.name == name("NOTES"));
        (String::from_utf8(notes.expect("the notes").bytes.clone()).expect("text"), fault)
    };
    let reasons = || {
        [("en", "No such item"), ("de", "Gang")]
            .map(|(language, text)| (language.to_owned(), text.to_owned()))
    };
    let expected = |subcodes: &[&str]| SoapFault {
        code: SoapFaultCode::Client,
        reasons: reasons().to_vec(),
        role: None,
        detail: None,
        subcodes: subcodes.iter().map(|code| (*code).to_owned()).collect(),
    };
    let (notes, fault) = run(1).await;
    assert_eq!(notes, "013020160200000000000220002200123020160000000000000000000000");
    assert_eq!(fault, Some(expected(&[])));
    let (notes, fault) = run(2).await;
    assert_eq!(notes, "013020160200000000000220002200123020000000000000000000000000");
    assert_eq!(fault, Some(expected(&["a:b"])));
    // A request that is none of SOAP.
    let (notes, fault) = run(10).await;
    assert_eq!((notes, fault), ("01603".repeat(12), None));
}
