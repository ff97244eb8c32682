//! Message handles, and the properties of messages that programs put and get.

use mqi::{
    CREATE_HANDLE, DELETE_HANDLE, DELETE_PROPERTY, Fields, GET_OPTIONS, INQUIRE_PROPERTY, MESSAGE, PROPERTY,
    PUT_OPTIONS, SET_PROPERTY, constant,
};
use wire::{MessageAnswer, MessageAsk, Outgoing, PropertyAsk};

use crate::setup::{Codes, DONE, Region, Task, codes, initial, outgoing, reason, sum, warning};

/// The text of an address that a program gives. Nobody reads there.
const SOMEWHERE: u64 = 0x1000;

fn kind(name: &str) -> i32 {
    constant(&format!("MQTYPE-{name}")).expect("a type")
}

/// A property in a request. `options` has the options of its structure.
fn property(options: Fields, name: &str) -> Box<PropertyAsk> {
    let descriptor = initial(&PROPERTY, 1).into_bytes();
    let options = options.into_bytes();
    Box::new(PropertyAsk { options, name: name.as_bytes().to_vec(), name_ccsid: 1208, descriptor })
}

fn set_ask(handle: i32, name: &str, (kind, value): (i32, &[u8]), options: &[&str]) -> MessageAsk {
    let mut fields = initial(&SET_PROPERTY, 1);
    fields.set_number("OPTIONS", sum(options));
    MessageAsk::SetProperty {
        handle: handle.into(),
        property: property(fields, name),
        kind,
        value: value.to_vec(),
    }
}

/// What MQINQMP gives.
#[derive(Debug, PartialEq, Eq)]
struct Got {
    codes: Codes,
    name: String,
    kind: i32,
    value: Vec<u8>,
    length: u32,
}

impl Task<'_> {
    fn handle(&mut self) -> i32 {
        let answer = self.call(MessageAsk::CreateHandle { options: initial(&CREATE_HANDLE, 1).into_bytes() });
        assert_eq!(codes(&answer), DONE);
        answer.handle
    }

    fn set(&mut self, handle: i32, name: &str, value: (i32, &[u8])) -> Codes {
        codes(&self.call(set_ask(handle, name, value, &[])))
    }

    fn set_text(&mut self, handle: i32, name: &str, value: &str, options: &[&str]) -> Codes {
        codes(&self.call(set_ask(handle, name, (kind("STRING"), value.as_bytes()), options)))
    }

    fn inquire_whole(
        &mut self,
        handle: i32,
        name: &str,
        (kind, room): (i32, u32),
        change: impl FnOnce(&mut Fields),
    ) -> MessageAnswer {
        let mut fields = initial(&INQUIRE_PROPERTY, 1);
        // An address, and room for 40 bytes.
        let mut place = SOMEWHERE.to_ne_bytes().to_vec();
        place.extend([0_i32, 40, 0, -3].iter().flat_map(|number| number.to_be_bytes()));
        fields.set_bytes("RETURNEDNAME", &place);
        change(&mut fields);
        let property = property(fields, name);
        self.call(MessageAsk::InquireProperty { handle: handle.into(), property, kind, room })
    }

    fn inquire(&mut self, handle: i32, name: &str, options: &[&str]) -> Got {
        self.inquire_as(handle, name, (0, 100), options)
    }

    fn inquire_as(&mut self, handle: i32, name: &str, wanted: (i32, u32), options: &[&str]) -> Got {
        let answer = self.inquire_whole(handle, name, wanted, |fields| {
            fields.set_number("OPTIONS", sum(options));
        });
        Got {
            codes: codes(&answer),
            name: String::from_utf8(answer.string).expect("a name"),
            kind: answer.kind,
            value: answer.data,
            length: answer.length,
        }
    }

    /// The names of all properties that a pattern stands for.
    fn names(&mut self, handle: i32, pattern: &str) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let got = self.inquire(handle, pattern, &["MQIMPO-INQ-NEXT"]);
            if got.codes != DONE {
                assert_eq!(got.codes, reason("PROPERTY-NOT-AVAILABLE"));
                return names;
            }
            names.push(got.name);
        }
    }

    fn delete(&mut self, handle: i32, name: &str, options: &[&str]) -> Codes {
        let mut fields = initial(&DELETE_PROPERTY, 1);
        fields.set_number("OPTIONS", sum(options));
        let ask = MessageAsk::DeleteProperty { handle: handle.into(), property: property(fields, name) };
        codes(&self.call(ask))
    }

    /// Puts a message with handles: the original one and the new one.
    fn put_with(&mut self, queue: i32, (original, new): (i32, i32), action: &str) -> Codes {
        let mut fields = initial(&PUT_OPTIONS, 3);
        fields.set_number("OPTIONS", sum(&["MQPMO-NO-SYNCPOINT"]));
        fields.set_bytes("ORIGINALMSGHANDLE", &i64::from(original).to_be_bytes());
        fields.set_bytes("NEWMSGHANDLE", &i64::from(new).to_be_bytes());
        fields.set_number("ACTION", constant(action).expect("an action"));
        let message = Outgoing { options: fields.into_bytes(), ..outgoing(&[], "data", |_| {}) };
        codes(&self.call(MessageAsk::Put { handle: queue, message }))
    }

    /// Gets a message with a handle.
    fn get_with(&mut self, queue: i32, handle: i32, options: &[&str], room: u32) -> Codes {
        let mut fields = initial(&GET_OPTIONS, 4);
        fields.set_number("OPTIONS", sum(options));
        fields.set_bytes("MSGHANDLE", &i64::from(handle).to_be_bytes());
        let descriptor = initial(&MESSAGE, 1).into_bytes();
        let ask = MessageAsk::Get { handle: queue, descriptor, options: fields.into_bytes(), room };
        codes(&self.call(ask))
    }
}

fn got(name: &str, kind_name: &str, value: &[u8]) -> Got {
    Got {
        codes: DONE,
        name: name.to_owned(),
        kind: kind(kind_name),
        value: value.to_vec(),
        length: value.len() as u32,
    }
}

#[test]
fn properties_of_every_type_travel_with_a_message() {
    let region = Region::new();
    let mut task = region.task();
    let queue = task.open("Q", &["MQOO-OUTPUT", "MQOO-INPUT-SHARED"]);
    let put = task.handle();
    let double = 1.5_f64.to_ne_bytes();
    let values: [(&str, &str, &[u8]); 10] = [
        ("text", "STRING", b"red"),
        ("empty", "STRING", b""),
        ("one", "INT8", &[0xFF]),
        ("two", "INT16", &[1, 2]),
        ("four", "INT32", &[0, 0, 1, 0]),
        ("eight", "INT64", &[0, 0, 0, 0, 0, 0, 0, 9]),
        ("double", "FLOAT64", &double),
        ("yes", "BOOLEAN", &[0, 0, 0, 1]),
        ("bytes", "BYTE-STRING", &[0, 255]),
        ("nothing", "NULL", b""),
    ];
    for (name, of, value) in values {
        assert_eq!(task.set(put, name, (kind(of), value)), DONE, "{name}");
    }
    assert_eq!(task.put_with(queue, (0, put), "MQACTP-NEW"), DONE);
    let read = task.handle();
    assert_eq!(task.set_text(read, "old", "gone", &[]), DONE);
    assert_eq!(task.get_with(queue, read, &["MQGMO-PROPERTIES-IN-HANDLE"], 100), DONE);
    for (name, of, value) in values {
        assert_eq!(task.inquire(read, name, &[]), got(name, of, value));
    }
    let names: Vec<_> = values.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(task.names(read, "%"), names);
    assert_eq!(task.inquire(read, "usr.text", &[]), got("text", "STRING", b"red"));
    // The handle that was put has the message as it was put.
    let id = task.inquire(read, "Root.MQMD.MsgId", &[]);
    assert_eq!((id.codes, id.kind, id.value.len()), (DONE, kind("BYTE-STRING"), 24));
    assert_eq!(task.inquire(put, "Root.MQMD.MsgId", &[]), id);
    assert_eq!(task.inquire(read, "Root.MQMD.Format", &[]).value, b"MQSTR   ");
    assert_eq!(task.names(read, "Root.MQMD.%").len(), 27);
    assert_eq!(task.names(read, "Root.MQMD.Put%").len(), 4);
}

#[test]
fn handles_end_with_their_deletion_or_the_task() {
    let region = Region::new();
    let mut task = region.task();
    let first = task.handle();
    let options = initial(&DELETE_HANDLE, 1).into_bytes();
    let delete = MessageAsk::DeleteHandle { handle: first.into(), options };
    assert_eq!(codes(&task.call(delete.clone())), DONE);
    assert_eq!(codes(&task.call(delete)), reason("HMSG-ERROR"));
    assert_eq!(task.set_text(first, "a", "b", &[]), reason("HMSG-ERROR"));
    let second = task.handle();
    assert_ne!(first, second, "a number is never used again");
    assert_eq!(codes(&task.call(MessageAsk::Disconnect)), DONE);
    assert_eq!(task.inquire(second, "a", &[]).codes, reason("HMSG-ERROR"));
    for _ in 0..64 {
        task.handle();
    }
    let create = MessageAsk::CreateHandle { options: initial(&CREATE_HANDLE, 1).into_bytes() };
    assert_eq!(codes(&task.call(create)), reason("HANDLE-NOT-AVAILABLE"));
    let mut options = initial(&CREATE_HANDLE, 1);
    options.set_number("OPTIONS", 3);
    let create = MessageAsk::CreateHandle { options: options.into_bytes() };
    assert_eq!(codes(&task.call(create)), reason("OPTIONS-ERROR"));
    let create = MessageAsk::CreateHandle { options: initial(&DELETE_HANDLE, 1).into_bytes() };
    assert_eq!(codes(&task.call(create)), reason("CMHO-ERROR"));
}

#[test]
fn bad_properties_have_their_reasons() {
    let region = Region::new();
    let mut task = region.task();
    let handle = task.handle();
    for name in ["JMSType", "Root.a", "Root.MQMD.NoSuch", "9a", "a%", "AND", "gantry_origin_queue", "a..b"] {
        assert_eq!(task.set_text(handle, name, "x", &[]), reason("PROPERTY-NAME-ERROR"), "{name}");
    }
    for name in ["".to_owned(), "a".repeat(4096)] {
        assert_eq!(task.set_text(handle, &name, "x", &[]), reason("PROPERTY-NAME-LENGTH-ERR"));
    }
    assert_eq!(task.set(handle, "a", (3, b"x")), reason("PROPERTY-TYPE-ERROR"));
    assert_eq!(task.set(handle, "a", (kind("INT32"), b"x")), reason("BUFFER-LENGTH-ERROR"));
    assert_eq!(
        task.set_text(handle, "a", "x", &["MQSMPO-SET-PROP-UNDER-CURSOR"]),
        reason("PROPERTY-NOT-AVAILABLE")
    );
    let two = ["MQSMPO-SET-PROP-UNDER-CURSOR", "MQSMPO-APPEND-PROPERTY"];
    assert_eq!(task.set_text(handle, "a", "x", &two), reason("OPTIONS-ERROR"));
    let half = vec![0; 600_000];
    for _ in 0..2 {
        assert_eq!(task.set(handle, "half", (kind("BYTE-STRING"), &half)), DONE, "it replaces the first one");
    }
    assert_eq!(task.set(handle, "other", (kind("BYTE-STRING"), &half)), reason("STORAGE-NOT-AVAILABLE"));
    assert_eq!(task.delete(handle, "half", &[]), DONE);
    let long = vec![0; (1 << 20) + 1];
    assert_eq!(task.set(handle, "a", (kind("BYTE-STRING"), &long)), reason("STORAGE-NOT-AVAILABLE"));
    let many = task.handle();
    for number in 0..1_000 {
        assert_eq!(task.set_text(many, &format!("p{number}"), "", &[]), DONE);
    }
    assert_eq!(task.set_text(many, "more", "", &[]), reason("STORAGE-NOT-AVAILABLE"));
    assert_eq!(task.set_text(many, "p7", "x", &[]), DONE, "it replaces one");
    assert_eq!(task.set(handle, "Root.MQMD.Expiry", (kind("STRING"), b"1")), reason("PROPERTY-TYPE-ERROR"));
    assert_eq!(task.set_text(handle, "Root.MQMD.Format", "MQSTRXXXX", &[]), reason("BUFFER-LENGTH-ERROR"));
    assert_eq!(task.inquire(handle, "a", &[]).codes, reason("PROPERTY-NOT-AVAILABLE"));
    assert_eq!(task.inquire(handle, "%a", &[]).codes, reason("PROPERTY-NAME-ERROR"));
    let both = ["MQIMPO-INQ-NEXT", "MQIMPO-INQ-PROP-UNDER-CURSOR"];
    assert_eq!(task.inquire(handle, "a", &both).codes, reason("OPTIONS-ERROR"));
    assert_eq!(task.delete(handle, "a", &[]), warning("PROPERTY-NOT-AVAILABLE"));
    assert_eq!(task.delete(handle, "a%", &[]), reason("PROPERTY-NAME-ERROR"));
    let under = &["MQDMPO-DEL-PROP-UNDER-CURSOR"];
    assert_eq!(task.delete(handle, "a", under), reason("PROPERTY-NOT-AVAILABLE"));
}

#[test]
fn the_cursor_is_at_the_property_that_was_inquired() {
    let region = Region::new();
    let mut task = region.task();
    let handle = task.handle();
    for name in ["a.1", "b", "a.2", "a.3"] {
        assert_eq!(task.set_text(handle, name, name, &[]), DONE);
    }
    assert_eq!(task.names(handle, "a.%"), ["a.1", "a.2", "a.3"]);
    let next = &["MQIMPO-INQ-NEXT"];
    assert_eq!(task.inquire(handle, "a.%", &[]).name, "a.1");
    assert_eq!(task.inquire(handle, "a.%", next).name, "a.2");
    assert_eq!(task.set_text(handle, "any", "new", &["MQSMPO-SET-PROP-UNDER-CURSOR"]), DONE);
    assert_eq!(task.inquire(handle, "", &["MQIMPO-INQ-PROP-UNDER-CURSOR"]), got("a.2", "STRING", b"new"));
    assert_eq!(task.set_text(handle, "before", "x", &["MQSMPO-SET-PROP-BEFORE-CURSOR"]), DONE);
    assert_eq!(task.set_text(handle, "after", "x", &["MQSMPO-SET-PROP-AFTER-CURSOR"]), DONE);
    assert_eq!(task.set_text(handle, "b", "second", &["MQSMPO-APPEND-PROPERTY"]), DONE);
    assert_eq!(task.delete(handle, "", &["MQDMPO-DEL-PROP-UNDER-CURSOR"]), DONE);
    let under = task.inquire(handle, "", &["MQIMPO-INQ-PROP-UNDER-CURSOR"]);
    assert_eq!(under.codes, reason("PROPERTY-NOT-AVAILABLE"));
    assert_eq!(task.inquire(handle, "a.%", next).name, "a.3", "the next one behind the deleted one");
    assert_eq!(task.names(handle, "%"), ["a.1", "b", "b", "before", "after", "a.3"]);
    // Another name begins at the first property.
    assert_eq!(task.inquire(handle, "b", next).value, b"b");
    assert_eq!(task.inquire(handle, "b", next).value, b"second");
    assert_eq!(task.delete(handle, "b", &[]), DONE);
    assert_eq!(task.inquire(handle, "b", &[]).value, b"second");
}

#[test]
fn a_value_or_a_name_that_is_too_long_is_inquired_again() {
    let region = Region::new();
    let mut task = region.task();
    let handle = task.handle();
    let long_name = "a".repeat(41);
    assert_eq!(task.set_text(handle, "text", "0123456789", &[]), DONE);
    assert_eq!(task.set_text(handle, &long_name, "x", &[]), DONE);
    let cut = task.inquire_as(handle, "%", (0, 4), &[]);
    assert_eq!((cut.codes, &cut.value[..], cut.length), (reason("PROPERTY-VALUE-TOO-BIG"), &b"0123"[..], 10));
    let again = task.inquire(handle, "%", &["MQIMPO-INQ-PROP-UNDER-CURSOR"]);
    assert_eq!(again, got("text", "STRING", b"0123456789"));
    let query = task.inquire_as(handle, "text", (0, 0), &["MQIMPO-QUERY-LENGTH"]);
    assert_eq!((query.codes, query.length, query.value.len()), (DONE, 10, 0));
    let too_long = task.inquire_whole(handle, "a%", (0, 100), |_| {});
    assert_eq!((codes(&too_long), too_long.string), (reason("PROPERTY-NAME-TOO-BIG"), Vec::new()));
    let fields = Fields::read(&INQUIRE_PROPERTY, &too_long.options).expect("MQIMPO");
    assert_eq!(fields.varying("RETURNEDNAME").expect("a name").length(), 41);
}

#[test]
fn values_are_converted_on_request() {
    let region = Region::new();
    let mut task = region.task();
    let handle = task.handle();
    assert_eq!(task.set_text(handle, "number", "42", &[]), DONE);
    assert_eq!(
        task.set(handle, "grüße", (kind("STRING"), b"gr\xFC\xDFe")),
        DONE,
        "in the region's code page"
    );
    let convert = &["MQIMPO-CONVERT-TYPE"];
    assert_eq!(
        task.inquire_as(handle, "number", (kind("INT16"), 9), convert),
        got("number", "INT16", &[0, 42])
    );
    let bad = task.inquire_as(handle, "number", (kind("BYTE-STRING"), 9), convert);
    assert_eq!(bad.codes, reason("PROP-CONV-NOT-SUPPORTED"));
    let bad = task.inquire_as(handle, "grüße", (kind("INT16"), 9), convert);
    assert_eq!(bad.codes, reason("PROP-NUMBER-FORMAT-ERROR"));
    let in_code_page = |task: &mut Task<'_>, ccsid: i32| {
        let answer = task.inquire_whole(handle, "gr%", (0, 7), |fields| {
            fields.set_number("OPTIONS", sum(&["MQIMPO-CONVERT-VALUE"]));
            fields.set_number("REQUESTEDCCSID", ccsid);
        });
        let fields = Fields::read(&INQUIRE_PROPERTY, &answer.options).expect("MQIMPO");
        (codes(&answer), answer.data, fields.number("RETURNEDCCSID"), answer.string)
    };
    let plain = b"gr\xFC\xDFe".to_vec();
    let utf_8 = "grüße".as_bytes().to_vec();
    assert_eq!(in_code_page(&mut task, 1208), (DONE, utf_8.clone(), 1208, utf_8));
    let unknown = in_code_page(&mut task, 9);
    assert_eq!((unknown.0, &unknown.1, unknown.2), (warning("PROP-VALUE-NOT-CONVERTED"), &plain, 1252));
    let answer = task.inquire_whole(handle, "gr%", (0, 7), |_| {});
    assert_eq!((answer.data, answer.string), (plain.clone(), plain));
}

#[test]
fn a_message_that_is_forwarded_has_the_properties_of_its_original() {
    let region = Region::new();
    let mut task = region.task();
    let queue = task.open("Q", &["MQOO-OUTPUT", "MQOO-INPUT-SHARED"]);
    let (original, new, read) = (task.handle(), task.handle(), task.handle());
    for (name, value) in [("kept", "1"), ("changed", "2"), ("removed", "3")] {
        assert_eq!(task.set_text(original, name, value, &[]), DONE);
    }
    assert_eq!(task.put_with(queue, (0, original), "MQACTP-NEW"), DONE);
    assert_eq!(task.get_with(queue, original, &[], 100), DONE);
    let put = |task: &mut Task<'_>, action: &str| {
        assert_eq!(task.set_text(new, "changed", "new", &[]), DONE);
        assert_eq!(task.set(new, "removed", (kind("NULL"), b"")), DONE);
        assert_eq!(task.put_with(queue, (original, new), action), DONE);
        assert_eq!(task.get_with(queue, read, &[], 100), DONE);
        let names = task.names(read, "%");
        assert_eq!(task.inquire(read, "changed", &[]).value, b"new");
        names
    };
    assert_eq!(put(&mut task, "MQACTP-FORWARD"), ["kept", "changed"]);
    assert_eq!(task.names(new, "%"), ["kept", "changed"], "as it was put");
    assert_eq!(task.names(original, "%"), ["kept", "changed", "removed"]);
    let (again, fresh) = (task.handle(), task.handle());
    assert_eq!(task.put_with(queue, (original, again), "MQACTP-REPLY"), DONE);
    assert_eq!(task.names(again, "%"), Vec::<String>::new(), "the default does not copy to replies");
    assert_eq!(task.put_with(queue, (original, fresh), "MQACTP-REPORT"), DONE);
    assert_eq!(task.names(fresh, "%"), ["kept", "changed", "removed"]);
    assert_eq!(task.put_with(queue, (99, 0), "MQACTP-NEW"), reason("HMSG-ERROR"));
    let mut fields = initial(&PUT_OPTIONS, 3);
    fields.set_number("ACTION", 4);
    let message = Outgoing { options: fields.into_bytes(), ..outgoing(&[], "data", |_| {}) };
    assert_eq!(codes(&task.call(MessageAsk::Put { handle: queue, message })), reason("ACTION-ERROR"));
}

#[test]
fn gets_fill_a_handle_or_leave_it() {
    let region = Region::new();
    let mut task = region.task();
    let queue = task.open("Q", &["MQOO-OUTPUT", "MQOO-INPUT-SHARED", "MQOO-BROWSE"]);
    let (put, read) = (task.handle(), task.handle());
    assert_eq!(task.set_text(put, "colour", "red", &[]), DONE);
    assert_eq!(task.put_with(queue, (0, put), "MQACTP-NEW"), DONE);
    assert_eq!(task.get_with(queue, 0, &["MQGMO-PROPERTIES-IN-HANDLE"], 9), reason("HMSG-ERROR"));
    assert_eq!(task.get_with(queue, 99, &[], 9), reason("HMSG-ERROR"));
    assert_eq!(region.depth("Q"), 1, "nothing was got");
    assert_eq!(task.set_text(read, "own", "x", &[]), DONE);
    assert_eq!(task.get_with(queue, read, &["MQGMO-BROWSE-FIRST", "MQGMO-NO-PROPERTIES"], 9), DONE);
    assert_eq!(task.names(read, "%"), ["own"]);
    assert_eq!(task.get_with(queue, read, &["MQGMO-BROWSE-FIRST"], 9), DONE);
    assert_eq!(task.names(read, "%"), ["colour"]);
    let clear = task.handle();
    assert_eq!(task.get_with(queue, clear, &[], 1), warning("TRUNCATED-MSG-FAILED"));
    assert_eq!(task.names(clear, "%"), ["colour"]);
    assert_eq!(task.get_with(queue, read, &[], 9), DONE);
    assert_eq!(task.get_with(queue, read, &[], 9), reason("NO-MSG-AVAILABLE"));
}

#[test]
fn a_program_without_a_handle_gets_the_properties_as_a_header() {
    let region = Region::new();
    let mut task = region.task();
    let queue = task.open("Q", &["MQOO-OUTPUT", "MQOO-INPUT-SHARED", "MQOO-BROWSE"]);
    let put = task.handle();
    assert_eq!(task.set_text(put, "colour", "red", &[]), DONE);
    assert_eq!(task.put_with(queue, (0, put), "MQACTP-NEW"), DONE);
    let force = "MQGMO-PROPERTIES-FORCE-MQRFH2";
    // The header has 36 bytes, a length, and a folder of 32 bytes.
    let folder = "<usr><colour>red</colour></usr> ";
    assert_eq!(task.get(queue, &[force], 75).0, warning("TRUNCATED-MSG-FAILED"));
    assert_eq!(task.get(queue, &[force, "MQGMO-BROWSE-FIRST"], 75).0, warning("TRUNCATED-MSG-FAILED"));
    assert_eq!(task.get(queue, &["MQGMO-BROWSE-FIRST"], 75), (DONE, "data".to_owned()));
    let answer = task.call(Task::get_ask(queue, &[force], 76));
    assert_eq!((codes(&answer), answer.length, answer.data.len()), (DONE, 76, 76));
    assert!(answer.data.starts_with(b"RFH ") && answer.data.ends_with(format!("{folder}data").as_bytes()));
    let descriptor = Fields::read(&MESSAGE, &answer.descriptor).expect("a descriptor");
    assert_eq!(descriptor.text("FORMAT"), Some("MQHRF2"));
    // A message without properties has no header.
    assert_eq!(codes(&task.put(queue, &["MQPMO-NO-SYNCPOINT"], "plain")), DONE);
    assert_eq!(task.get(queue, &[force], 5), (DONE, "plain".to_owned()));
}

#[test]
fn a_property_that_must_be_known_is_refused_by_the_put() {
    let region = Region::new();
    let mut task = region.task();
    let queue = task.open("Q", &["MQOO-OUTPUT"]);
    let handle = task.handle();
    let set = |task: &mut Task<'_>, field: &str, value: i32| {
        let MessageAsk::SetProperty { handle, mut property, kind, value: bytes } =
            set_ask(handle, "a", (kind("STRING"), b"x"), &[])
        else {
            unreachable!()
        };
        let mut descriptor = initial(&PROPERTY, 1);
        descriptor.set_number(field, value);
        property.descriptor = descriptor.into_bytes();
        codes(&task.call(MessageAsk::SetProperty { handle, property, kind, value: bytes }))
    };
    assert_eq!(set(&mut task, "CONTEXT", 2), reason("PD-ERROR"));
    assert_eq!(set(&mut task, "COPYOPTIONS", 32), reason("PD-ERROR"));
    assert_eq!(set(&mut task, "SUPPORT", sum(&["MQPD-SUPPORT-REQUIRED"])), DONE);
    assert_eq!(task.put_with(queue, (0, handle), "MQACTP-NEW"), reason("UNSUPPORTED-PROPERTY"));
    assert_eq!(set(&mut task, "SUPPORT", sum(&["MQPD-SUPPORT-OPTIONAL"])), DONE);
    assert_eq!(task.put_with(queue, (0, handle), "MQACTP-NEW"), DONE);
}
