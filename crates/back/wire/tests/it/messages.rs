//! Messages between a region and a worker come back as they were, and other bytes are refused.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use service::DataArea;
use wire::{
    Access, Enabling, FileFacts, FileKind, Guarded, ProgramFacts, ResourceAnswer, ResourceAsk, TaskFacts,
    TransactionFacts, Wanted,
};
use wire::{
    Addressing, Answer, Ask, CallAnswer, CallAsk, Cargo, ChannelState, ChildAnswer, ChildAsk, Clipped,
    CommandEnd, CompareRange, Completion, Container, ContainerState, CounterAction, CounterAnswer,
    CounterAsk, EnqueueAsk, FileAnswer, FileAsk, FileRequest, FromWorker, Hold, LinkAsk, MessageAnswer,
    MessageAsk, ObjectAsk, Outgoing, PropertyAsk, QueueAnswer, RecordAt, ServiceTarget, StartAnswer, State,
    SubscribeAsk, TOLD_DATA_MAX_BYTES, TOLD_NAME_MAX_BYTES, Task, ToWorker, Told, Traced, TracedOption,
    TracedValue, Tracing, TransactionDump, TransformWay, TransientAnswer, TransientAsk, Watch,
};

use crate::kinds::{ask, interface, start_ask, started_data};

fn at() -> impl Strategy<Value = RecordAt> {
    let addressing = prop_oneof![
        Just(Addressing::Key),
        Just(Addressing::Rba),
        Just(Addressing::Xrba),
        Just(Addressing::Rrn)
    ];
    (vec(any::<u8>(), 0..20), addressing, any::<Option<i64>>(), any::<bool>(), any::<bool>()).prop_map(
        |(id, addressing, key_length, generic, or_after)| RecordAt {
            id,
            addressing,
            key_length,
            generic,
            or_after,
        },
    )
}

fn file_ask() -> impl Strategy<Value = FileAsk> {
    let hold = || {
        prop_oneof![
            Just(Hold::No),
            Just(Hold::Consistent),
            Just(Hold::Repeatable),
            Just(Hold::Update),
            Just(Hold::UpdateWithToken)
        ]
    };
    let data = || vec(any::<u8>(), 0..50);
    let token = any::<Option<i64>>;
    let request = prop_oneof![
        (at(), hold()).prop_map(|(at, hold)| FileRequest::Read { at, hold }),
        (at(), data()).prop_map(|(at, data)| FileRequest::Write { at, data }),
        (token(), data()).prop_map(|(token, data)| FileRequest::Rewrite { token, data }),
        (proptest::option::of(at()), token()).prop_map(|(at, token)| FileRequest::Delete { at, token }),
        token().prop_map(|token| FileRequest::Unlock { token }),
        (any::<i64>(), at(), any::<bool>()).prop_map(|(browse, at, reset)| FileRequest::Browse {
            browse,
            at,
            reset
        }),
        (any::<i64>(), at(), any::<bool>(), hold())
            .prop_map(|(browse, at, back, hold)| FileRequest::ReadOn { browse, at, back, hold }),
        any::<i64>().prop_map(|browse| FileRequest::EndBrowse { browse }),
    ];
    (any::<[u8; 8]>(), request, any::<bool>()).prop_map(|(file, request, waits)| FileAsk {
        file,
        request,
        waits,
    })
}

fn child_ask() -> impl Strategy<Value = ChildAsk> {
    prop_oneof![
        (any::<[u8; 4]>(), interface())
            .prop_map(|(transaction, interface)| ChildAsk::Run { transaction, interface }),
        any::<(Option<[u8; 16]>, Option<u64>, bool)>()
            .prop_map(|(child, milliseconds, channel)| ChildAsk::Fetch { child, milliseconds, channel }),
        any::<[u8; 16]>().prop_map(|child| ChildAsk::Free { child }),
    ]
}

fn counter_ask() -> impl Strategy<Value = CounterAsk> {
    let range =
        any::<(Option<u64>, Option<u64>)>().prop_map(|(minimum, maximum)| CompareRange { minimum, maximum });
    let action = prop_oneof![
        any::<(Option<u64>, u64, u64)>().prop_map(|(value, minimum, maximum)| CounterAction::Define {
            value,
            minimum,
            maximum
        }),
        (any::<(u64, bool, bool)>(), range.clone()).prop_map(|((increment, reduce, wrap), range)| {
            CounterAction::Get { increment, reduce, wrap, range }
        }),
        (any::<u64>(), range).prop_map(|(value, range)| CounterAction::Update { value, range }),
        Just(CounterAction::Query),
        any::<u64>().prop_map(|increment| CounterAction::Rewind { increment }),
        Just(CounterAction::Delete),
    ];
    (any::<([u8; 8], [u8; 16])>(), action).prop_map(|((pool, counter), action)| CounterAsk {
        pool,
        counter,
        action,
    })
}

fn data_area() -> impl Strategy<Value = DataArea> {
    ("[!-~]{1,16}", 1_usize..20, 0_usize..4, any::<u8>()).prop_map(|(name, element_bytes, elements, byte)| {
        DataArea { name, element_bytes, bytes: vec![byte; element_bytes * elements] }
    })
}

fn call_ask() -> BoxedStrategy<CallAsk> {
    let container = (any::<[u8; 16]>(), any::<Option<u16>>(), vec(any::<u8>(), 0..50))
        .prop_map(|(name, ccsid, bytes)| Container { name, ccsid, bytes });
    let target = prop_oneof![
        Just(ServiceTarget::Configured),
        "[ -~]{0,20}".prop_map(ServiceTarget::Uri),
        "[ -~]{0,8}".prop_map(ServiceTarget::UriMap),
    ];
    let ways = [
        TransformWay::DataToJson,
        TransformWay::JsonToData,
        TransformWay::DataToXml,
        TransformWay::XmlToData,
    ];
    prop_oneof![
        (
            "[ -~]{0,20}",
            "[ -~]{0,20}",
            "[ -~]{0,20}",
            vec(any::<u8>(), 0..50),
            option::of(vec(data_area(), 0..3))
        )
            .prop_map(|(api, method, path, record, areas)| CallAsk::Api {
                api,
                method,
                path,
                record,
                areas
            }),
        ("[ -~]{0,20}", "[ -~]{0,20}", target, vec(container, 0..3)).prop_map(
            |(service, operation, target, containers)| CallAsk::Service {
                service,
                operation,
                target,
                containers
            }
        ),
        ("[ -~]{0,20}", proptest::sample::select(ways.to_vec()), vec(any::<u8>(), 0..50))
            .prop_map(|(transformer, way, input)| CallAsk::Transform { transformer, way, input }),
        (vec(any::<u8>(), 0..50), vec(any::<u8>(), 0..5), any::<u8>())
            .prop_map(|(text, routes, action)| CallAsk::Operator { text, routes, action }),
        crate::web_kinds::web_ask().prop_map(CallAsk::Web),
    ]
    .boxed()
}

fn watch() -> impl Strategy<Value = Watch> {
    let tracing = prop_oneof![Just(Tracing::No), Just(Tracing::Names), Just(Tracing::Data)];
    (tracing, any::<bool>(), any::<u32>()).prop_map(|(tracing, measures_cpu, state_max_bytes)| Watch {
        tracing,
        measures_cpu,
        state_max_bytes,
    })
}

fn clipped() -> impl Strategy<Value = Clipped> {
    (any::<u64>(), vec(any::<u8>(), 0..50)).prop_map(|(bytes, first)| Clipped { bytes, first })
}

fn state() -> impl Strategy<Value = State> {
    let container = (any::<[u8; 16]>(), any::<Option<u16>>(), clipped())
        .prop_map(|(name, ccsid, content)| ContainerState { name, ccsid, content });
    let channel = (any::<[u8; 16]>(), any::<bool>(), vec(container, 0..3))
        .prop_map(|(name, is_current, containers)| ChannelState { name, is_current, containers });
    (vec(any::<[u8; 8]>(), 0..4), proptest::option::of(clipped()), vec(channel, 0..3))
        .prop_map(|(programs, commarea, channels)| State { programs, commarea, channels })
}

fn traced() -> impl Strategy<Value = Traced> {
    let end = prop_oneof![
        Just(CommandEnd::Running),
        (any::<u16>(), any::<u32>()).prop_map(|(resp, resp2)| CommandEnd::Condition { resp, resp2 }),
        any::<[u8; 4]>().prop_map(CommandEnd::Abend),
    ];
    let value = prop_oneof![
        Just(TracedValue::Nothing),
        vec(any::<u8>(), 0..=TOLD_NAME_MAX_BYTES).prop_map(TracedValue::Name),
        any::<i64>().prop_map(TracedValue::Number),
        any::<u16>().prop_map(TracedValue::Label),
        (any::<u64>(), vec(any::<u8>(), 0..=TOLD_DATA_MAX_BYTES))
            .prop_map(|(bytes, first)| TracedValue::Data { bytes, first }),
    ];
    let option = (any::<u16>(), value).prop_map(|(number, value)| TracedOption { number, value });
    let names = (any::<[u8; 8]>(), any::<[u8; 8]>(), any::<u16>(), any::<u32>());
    (any::<(u32, u8, u64, u64)>(), names, end, vec(option, 0..5)).prop_map(
        |((number, level, began_us, took_us), (program, call, function, line), end, options)| Traced {
            number,
            level,
            program,
            call,
            function,
            line,
            began_us,
            took_us,
            end,
            options,
        },
    )
}

fn told() -> impl Strategy<Value = Told> {
    prop_oneof![
        traced().prop_map(|traced| Told::Command(Box::new(traced))),
        state().prop_map(|state| Told::State(Box::new(state))),
        (any::<[u8; 4]>(), proptest::option::of(vec(any::<u8>(), 0..9)), state()).prop_map(
            |(code, area, state)| {
                let area = area.map(|first| Clipped { bytes: first.len() as u64, first });
                Told::Dump(Box::new(TransactionDump { code, area, state }))
            }
        ),
    ]
}

proptest! {
    #[test]
    fn tasks_and_answers_come_back(number: u32, names: ([u8; 8], [u8; 4], [u8; 8], [u8; 8], [u8; 4]),
        ccsid: u16, containers_max_bytes: u64, refused_programs in vec(any::<[u8; 8]>(), 0..4), interface in interface(), watch in watch(),
        resp: u16, resp2: u32, data in started_data(), code: Option<[u8; 4]>) {
        let (program, transaction, user, applid, sysid) = names;
        let task = Task {
            number, program, transaction, user, applid, sysid, startcode: *b"SD", queue: transaction, ccsid, containers_max_bytes,
            work_area_bytes: ccsid.wrapping_add(1),
            refused_programs, watch, interface: interface.clone(),
        };
        let completion = code.map_or(Completion::Normal, Completion::Abend);
        let answers = [
            Answer::Condition { resp, resp2 },
            Answer::Done,
            Answer::Enough,
            Answer::LongerKey { bytes: resp2 },
            Answer::Transient(TransientAnswer { data: program.to_vec() }),
            Answer::File(FileAnswer {
                id: program.to_vec(),
                data: user.to_vec(),
                fixed_bytes: Some(number),
                token: i64::from(number),
                count: resp2,
                more_follow: ccsid % 2 == 0,
            }),
            Answer::Linked(Cargo::of(interface.clone())),
            Answer::Queue(QueueAnswer { items: number, item: resp2, data: program.to_vec() }),
            Answer::Start(StartAnswer::Started { request: user }),
            Answer::Start(StartAnswer::Retrieved(data)),
            Answer::Start(StartAnswer::Done),
            Answer::Child(ChildAnswer::Running { child: [7; 16] }),
            Answer::Child(ChildAnswer::Fetched { child: [8; 16], completion, interface }),
            Answer::Child(ChildAnswer::Done),
            Answer::Call(CallAnswer::Api {
                status: resp,
                record: program.to_vec(),
                areas: vec![DataArea { name: "LINES".to_owned(), element_bytes: 2, bytes: vec![7; 6] }],
            }),
            Answer::Call(CallAnswer::ApiFailed { place: 2, status: resp, message: "why".to_owned() }),
            Answer::Call(CallAnswer::Service(Vec::new())),
            Answer::Call(CallAnswer::ServiceFault(Vec::new())),
            Answer::Call(CallAnswer::Transformed(user.to_vec())),
            Answer::Call(CallAnswer::Untransformable("why".to_owned())),
            Answer::Call(CallAnswer::Written),
            Answer::Resource(ResourceAnswer::Transaction(TransactionFacts {
                name: transaction,
                program,
                enabled: number % 2 == 0,
                sysid: transaction,
                remote_name: transaction,
                installed_by: user,
            })),
            Answer::Resource(ResourceAnswer::File(FileFacts {
                name: program,
                open: number % 2 == 0,
                enabling: [Enabling::Enabled, Enabling::Unenabled, Enabling::Disabled][number as usize % 3],
                allowed: [true, false, true, false, number % 2 == 0],
                kind: [FileKind::Keys { offset: 3, bytes: 4 }, FileKind::Addresses, FileKind::Numbers]
                    [number as usize % 3],
                record_bytes: number,
                fixed: true,
                recoverable: false,
                is_path: true,
            })),
            Answer::Resource(ResourceAnswer::Program(ProgramFacts {
                name: program,
                sysid: transaction,
                remote_name: user,
                bytes: number,
                uses: number,
                installed_by: user,
            })),
            Answer::Resource(ResourceAnswer::Access(Access::Nothing)),
            Answer::Resource(ResourceAnswer::Access(Access::Read)),
            Answer::Resource(ResourceAnswer::Access(Access::Alter)),
            Answer::Resource(ResourceAnswer::Task(TaskFacts {
                transaction,
                program,
                user,
                startcode: *b"SD",
                waits: true,
            })),
            Answer::Counter(CounterAnswer { value: 1, minimum: 2, maximum: containers_max_bytes }),
            Answer::Abend { code: transaction, message: "why".to_owned() },
        ];
        for message in answers.map(ToWorker::Answer).into_iter().chain([ToWorker::Task(task)]) {
            let mut bytes = Vec::new();
            message.encode(&mut bytes);
            prop_assert_eq!(ToWorker::decode(&bytes), Ok(message));
            // One byte less, or more, is something else.
            prop_assert!(ToWorker::decode(&bytes[..bytes.len() - 1]).is_err());
            bytes.push(0);
            prop_assert!(ToWorker::decode(&bytes).is_err());
        }
    }

    #[test]
    fn messages_of_workers_come_back(ask in ask(), file in file_ask(), start in start_ask(), child in child_ask(), counter in counter_ask(), call in call_ask(), told in told(), interface in interface(), code: [u8; 4], program: [u8; 8],
        message in "[ -~]{0,20}", last: bool) {
        let messages = [
            FromWorker::Ask(Ask::RemoteQueue { sysid: code, ask: ask.clone() }),
            FromWorker::Ask(Ask::Queue(ask)),
            FromWorker::Ask(Ask::File(file)),
            FromWorker::Ask(Ask::Transient(TransientAsk::Write { queue: code, data: program.to_vec() })),
            FromWorker::Ask(Ask::Transient(TransientAsk::Read { queue: code, waits: last })),
            FromWorker::Ask(Ask::Transient(TransientAsk::Delete { queue: code })),
            FromWorker::Ask(Ask::Link(LinkAsk {
                sysid: last.then_some(code),
                program,
                transaction: (!last).then_some(code),
                sync_on_return: last,
                cargo: Cargo::of(interface.clone()),
            })),
            FromWorker::Ask(Ask::Syncpoint { rollback: last }),
            FromWorker::Ask(Ask::Enqueue(EnqueueAsk::Enqueue {
                resource: program.to_vec(),
                for_task: last,
                waits: !last,
            })),
            FromWorker::Ask(Ask::Enqueue(EnqueueAsk::Dequeue { resource: code.to_vec() })),
            FromWorker::Ask(Ask::RemoteStart { sysid: code, ask: start.clone() }),
            FromWorker::Ask(Ask::Start(start)),
            FromWorker::Ask(Ask::Child(child)),
            FromWorker::Ask(Ask::Counter(counter)),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Transaction(Wanted::Named(code)))),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Transaction(Wanted::From(code)))),
            FromWorker::Ask(Ask::Resource(ResourceAsk::File(Wanted::After(program)))),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Program(Wanted::After(program)))),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Task { number: u32::from_le_bytes(code) })),
            FromWorker::Ask(Ask::Resource(ResourceAsk::SetFile {
                file: program,
                open: last.then_some(!last),
                enabled: Some(last),
            })),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Access { to: Guarded::Program(program), log: last })),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Access { to: Guarded::Transaction(code), log: last })),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Access { to: Guarded::File(program), log: last })),
            FromWorker::Ask(Ask::Resource(ResourceAsk::Access { to: Guarded::TransientQueue(code), log: last })),
            FromWorker::Ask(Ask::Call(call)),
            FromWorker::Told(told),
            FromWorker::Told(Told::NoDump),
            FromWorker::Told(Told::NeedsRoom),
            FromWorker::Told(Told::WantsCopy(program)),
            FromWorker::Told(Told::Output(b"a line\n".to_vec())),
            FromWorker::Returned(interface),
            FromWorker::Unfit { reason: message.clone() },
            FromWorker::Ready { notes: message.lines().map(str::to_owned).collect() },
            FromWorker::Abended { code, program, message, last },
        ];
        for message in messages {
            let mut bytes = Vec::new();
            message.encode(&mut bytes);
            prop_assert_eq!(FromWorker::decode(&bytes), Ok(message));
            prop_assert!(FromWorker::decode(&bytes[..bytes.len() - 1]).is_err());
        }
    }

    #[test]
    fn replies_about_servers_come_back(reply in crate::web_kinds::web_reply()) {
        let message = ToWorker::Answer(Answer::Call(CallAnswer::Web(reply)));
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        prop_assert_eq!(ToWorker::decode(&bytes), Ok(message));
        prop_assert!(ToWorker::decode(&bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn any_bytes_are_a_message_or_a_fault(bytes in vec(any::<u8>(), 0..60)) {
        if let Ok(message) = FromWorker::decode(&bytes) {
            let mut again = Vec::new();
            message.encode(&mut again);
            prop_assert_eq!(FromWorker::decode(&again), Ok(message));
        }
    }
}

#[test]
fn lengths_that_lie_are_faults() {
    // A commarea that says it has 4 GiB, one beyond the limit, and a channel of too many containers.
    assert!(FromWorker::decode(&[b'E', 1, 255, 255, 255, 255, 0]).is_err());
    let mut long = vec![b'E', 1];
    long.extend(32_764_u32.to_le_bytes());
    long.extend(vec![0; 32_764]);
    assert!(FromWorker::decode(&long).is_err());
    let mut many = vec![b'E', 2];
    many.extend([b' '; 16]);
    many.extend(u32::MAX.to_le_bytes());
    assert!(FromWorker::decode(&many).is_err());
}

#[test]
fn notes_of_a_worker_are_the_lines_that_say_something() {
    let ready = |text: &[u8]| {
        let mut bytes = vec![b'R'];
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        FromWorker::decode(&bytes)
    };
    for (text, expected) in [
        (b"".as_slice(), vec![]),
        (b"no seccomp\n", vec!["no seccomp"]),
        (b"\n\none\n\ntwo\r\r\n\n", vec!["one", "two\r\r"]),
    ] {
        let notes = expected.into_iter().map(str::to_owned).collect();
        let message = FromWorker::Ready { notes };
        assert_eq!(ready(text).as_ref(), Ok(&message));
        let mut again = Vec::new();
        message.encode(&mut again);
        assert_eq!(FromWorker::decode(&again), Ok(message));
    }
}

fn message_ask() -> impl Strategy<Value = MessageAsk> {
    let bytes = || vec(any::<u8>(), 0..50);
    let numbers = || vec(any::<i32>(), 0..4);
    let outgoing = || {
        (bytes(), bytes(), bytes()).prop_map(|(descriptor, options, data)| Outgoing {
            descriptor,
            options,
            data,
        })
    };
    let object = || (bytes(), bytes()).prop_map(|(descriptor, string)| ObjectAsk { descriptor, string });
    let (handle, count) = (any::<i32>, any::<u32>);
    let property = || {
        (bytes(), bytes(), any::<i32>(), bytes()).prop_map(|(options, name, name_ccsid, descriptor)| {
            Box::new(PropertyAsk { options, name, name_ccsid, descriptor })
        })
    };
    let long = any::<i64>;
    prop_oneof![
        bytes().prop_map(|options| MessageAsk::CreateHandle { options }),
        (long(), bytes()).prop_map(|(handle, options)| MessageAsk::DeleteHandle { handle, options }),
        (long(), property(), handle(), bytes()).prop_map(|(handle, property, kind, value)| {
            MessageAsk::SetProperty { handle, property, kind, value }
        }),
        (long(), property(), handle(), count()).prop_map(|(handle, property, kind, room)| {
            MessageAsk::InquireProperty { handle, property, kind, room }
        }),
        (long(), property()).prop_map(|(handle, property)| MessageAsk::DeleteProperty { handle, property }),
        any::<[u8; 32]>().prop_map(|some| {
            let mut manager = [b' '; 48];
            manager[..32].copy_from_slice(&some);
            MessageAsk::Connect { manager }
        }),
        Just(MessageAsk::Disconnect),
        Just(MessageAsk::Commit),
        Just(MessageAsk::BackOut),
        (object(), handle()).prop_map(|(object, options)| MessageAsk::Open { object, options }),
        (handle(), handle()).prop_map(|(handle, options)| MessageAsk::Close { handle, options }),
        ((bytes(), bytes(), bytes(), bytes()), handle()).prop_map(
            |((descriptor, string, name, user_data), queue)| MessageAsk::Subscribe {
                subscription: Box::new(SubscribeAsk { descriptor, string, name, user_data }),
                queue,
            }
        ),
        (handle(), handle(), bytes()).prop_map(|(handle, action, options)| MessageAsk::Request {
            handle,
            action,
            options
        }),
        (handle(), outgoing()).prop_map(|(handle, message)| MessageAsk::Put { handle, message }),
        (object(), outgoing()).prop_map(|(object, message)| MessageAsk::PutOne { object, message }),
        (handle(), bytes(), bytes(), count()).prop_map(|(handle, descriptor, options, room)| {
            MessageAsk::Get { handle, descriptor, options, room }
        }),
        (handle(), numbers(), count(), count()).prop_map(|(handle, selectors, numbers, text_bytes)| {
            MessageAsk::Inquire { handle, selectors, numbers, text_bytes }
        }),
        (handle(), numbers(), numbers(), bytes()).prop_map(|(handle, selectors, numbers, text)| {
            MessageAsk::Set { handle, selectors, numbers, text }
        }),
    ]
}

fn message_answer() -> impl Strategy<Value = MessageAnswer> {
    let bytes = || vec(any::<u8>(), 0..50);
    let parts = (bytes(), bytes(), bytes(), bytes(), bytes());
    (any::<(i32, i32, i32, i32, i32, u32)>(), parts, vec(any::<i32>(), 0..4)).prop_map(
        |(
            (completion, reason, handle, queue, kind, length),
            (object, string, descriptor, options, data),
            numbers,
        )| {
            MessageAnswer {
                completion,
                reason,
                handle,
                queue,
                kind,
                length,
                object,
                string,
                descriptor,
                options,
                numbers,
                data,
            }
        },
    )
}

proptest! {
    #[test]
    fn calls_of_the_message_queue_interface_come_back(ask in message_ask(), answer in message_answer()) {
        let (mut asked, mut answered) = (Vec::new(), Vec::new());
        let (ask, answer) = (FromWorker::Ask(Ask::Message(ask)), ToWorker::Answer(Answer::Message(Box::new(answer))));
        ask.encode(&mut asked);
        answer.encode(&mut answered);
        prop_assert!(FromWorker::decode(&asked[..asked.len() - 1]).is_err());
        prop_assert!(ToWorker::decode(&answered[..answered.len() - 1]).is_err());
        prop_assert_eq!(FromWorker::decode(&asked), Ok(ask));
        prop_assert_eq!(ToWorker::decode(&answered), Ok(answer));
    }
}
