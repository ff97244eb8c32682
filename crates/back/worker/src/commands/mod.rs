//! The runtime's part of each EXEC CICS command that it knows; all others raise INVREQ.

mod assign;
mod children;
mod containers;
mod copies;
mod counters;
mod data;
pub(crate) mod documents;
mod edits;
mod enqueues;
mod facilities;
mod files;
mod intervals;
mod links;
mod memory;
mod operators;
mod queues;
pub(crate) mod resources;
mod security;
mod services;
mod soap_faults;
mod starts;
mod text;
mod times;
mod transient;
mod uri_maps;
pub(crate) mod web;

use program::commands::names;
use program::conditions::{INVREQ, LENGERR, NOTAUTH, by_number};

use crate::cobol::arguments::Arguments;
use crate::handle::{AbendExit, Label};
use crate::task::{Fault, Runtime, Step, raise, with};
use counters::Numbers;
use resources::Browsing;
use wire::{Ask, TransformWay};

type Done = Result<Step, Fault>;

/// RESP2 of INVREQ: the command needs a terminal.
const RESP2_NO_TERMINAL: u32 = 200;

/// The largest number of a user's trace entry, and the most bytes of one (CICS TS, ENTER TRACENUM).
const TRACENUM_MAX: i64 = 199;
const TRACED_MAX_BYTES: i64 = 4_000;
const RESP2_TRACENUM: u32 = 1;
const RESP2_FROMLENGTH: u32 = 4;

/// Carries out a command; gives the place where the program goes on.
pub(super) fn carry_out(arguments: &Arguments) -> Done {
    let function = arguments.plan.invocation.function;
    if function == 0x0E02 {
        return links::link(arguments);
    }
    with(|runtime| dispatch(runtime, arguments, function)).unwrap_or_else(|| raise(&NOTAUTH))
}

fn dispatch(runtime: &mut Runtime, arguments: &Arguments, function: u16) -> Done {
    match function {
        0x0E04 => links::transfer(runtime, arguments),
        0x0E08 => links::go_back(runtime, arguments),
        0x0E0C => links::abend(runtime, arguments),
        0x0E0E => handle_abend(runtime, arguments),
        0x0204 | 0x020A => conditions(runtime, arguments, function == 0x020A),
        0x020C => {
            runtime.level().handles.push();
            Ok(Step::GoOn)
        }
        0x020E => match runtime.level().handles.pop() {
            true => Ok(Step::GoOn),
            false => raise(&INVREQ),
        },
        0x0202 => memory::address(runtime, arguments),
        0x0210 => memory::address_set(arguments),
        0x0C02 => memory::get(runtime, arguments),
        0x0C04 => memory::free(runtime, arguments),
        0x0208 => assign::assign(runtime, arguments),
        0x1002 | 0x4A02 => times::ask(runtime, arguments),
        0x4A04 => times::format(arguments),
        0x4A06 => times::convert(arguments),
        0x4802 => enter_trace(arguments),
        0x4E02 => resources::program(runtime, arguments, Browsing::No),
        0xF068 => resources::program(runtime, arguments, Browsing::Start),
        0xF069 => resources::program(runtime, arguments, Browsing::Next),
        0xF06A => resources::program(runtime, arguments, Browsing::End),
        0x5002 => resources::transaction(runtime, arguments, Browsing::No),
        0xF060 => resources::transaction(runtime, arguments, Browsing::Start),
        0xF061 => resources::transaction(runtime, arguments, Browsing::Next),
        0xF062 => resources::transaction(runtime, arguments, Browsing::End),
        0x4C02 => resources::file(runtime, arguments, Browsing::No),
        0xF064 => resources::file(runtime, arguments, Browsing::Start),
        0xF065 => resources::file(runtime, arguments, Browsing::Next),
        0xF066 => resources::file(runtime, arguments, Browsing::End),
        0x4C04 => resources::set_file(runtime, arguments),
        0x5E02 => resources::task(runtime, arguments),
        0x6A02 => security::query(runtime, arguments),
        0x2002 => edits::deedit(arguments),
        0x7E02 | 0x1C02 => facilities::dump(runtime, arguments),
        0xF083 => facilities::signal_event(runtime, arguments),
        0x5602 | 0x5604 | 0x5606 | 0x5610 => facilities::spool(),
        0x1402 | 0x1404 | 0x1406 | 0x1408 | 0xF095 | 0xF096 => facilities::journal(),
        0x0E06 | 0x0E0A => facilities::load(runtime, arguments),
        0x1004 => starts::delay(runtime, arguments),
        0x1008 => starts::start(runtime, arguments),
        0x100A => starts::retrieve(runtime, arguments),
        0x100C => starts::cancel(runtime, arguments),
        0xF010 => children::run(runtime, arguments),
        0xF011 => children::fetch(runtime, arguments),
        0xF012 => children::fetch_any(runtime, arguments),
        0xF013 => children::free(runtime, arguments),
        0xF020 => counters::define(runtime, arguments, Numbers::Single),
        0xF021 => counters::get(runtime, arguments, Numbers::Single),
        0xF022 => counters::update(runtime, arguments, Numbers::Single),
        0xF023 => counters::query(runtime, arguments, Numbers::Single),
        0xF024 => counters::delete(runtime, arguments, Numbers::Single),
        0xF025 => counters::rewind(runtime, arguments, Numbers::Single),
        0xF028 => counters::define(runtime, arguments, Numbers::Double),
        0xF029 => counters::get(runtime, arguments, Numbers::Double),
        0xF02A => counters::update(runtime, arguments, Numbers::Double),
        0xF02B => counters::query(runtime, arguments, Numbers::Double),
        0xF02C => counters::delete(runtime, arguments, Numbers::Double),
        0xF02D => counters::rewind(runtime, arguments, Numbers::Double),
        0x6C02 => operators::write(runtime, arguments),
        0xF030 => services::invoke(runtime, arguments, names::SERVICE),
        0xF031 => services::invoke(runtime, arguments, names::WEBSERVICE),
        0xF038 => soap_faults::create(runtime, arguments),
        0xF039 => soap_faults::add(runtime, arguments),
        0xF03A => soap_faults::delete(runtime),
        0xF040 => services::transform(runtime, arguments, TransformWay::DataToJson),
        0xF041 => services::transform(runtime, arguments, TransformWay::JsonToData),
        0xF042 => services::transform(runtime, arguments, TransformWay::DataToXml),
        0xF043 => services::transform(runtime, arguments, TransformWay::XmlToData),
        0x3414 => containers::put(runtime, arguments),
        0x3416 => containers::get(runtime, arguments),
        0xF001 => containers::rename(runtime, arguments),
        0xF002 => containers::delete(runtime, arguments),
        0xF003 => containers::delete_channel(runtime, arguments),
        0xF004 => containers::count(runtime, arguments),
        0xF005 => containers::start_browse(runtime, arguments),
        0xF006 => containers::next(runtime, arguments),
        0xF007 => containers::end_browse(runtime, arguments),
        0xF050 => documents::create(runtime, arguments),
        0xF051 => documents::insert(runtime, arguments),
        0xF052 => documents::retrieve(runtime, arguments),
        0xF053 => documents::set(runtime, arguments),
        0xF054 => documents::delete(runtime, arguments),
        0x0A02 => queues::write(runtime, arguments),
        0x0A04 => queues::read(runtime, arguments),
        0x0A06 => queues::delete(runtime, arguments),
        0x1602 => {
            runtime.ask(Ask::Syncpoint { rollback: arguments.has(names::ROLLBACK) })?;
            Ok(Step::GoOn)
        }
        0x0802 => transient::write(runtime, arguments),
        0x0804 => transient::read(runtime, arguments),
        0x0806 => transient::delete(runtime, arguments),
        0x0602 => files::read(runtime, arguments),
        0x0604 => files::write(runtime, arguments),
        0x0606 => files::rewrite(runtime, arguments),
        0x0608 => files::delete(runtime, arguments),
        0x060A => files::unlock(runtime, arguments),
        0x060C | 0x0614 => files::start_browse(runtime, arguments, function == 0x0614),
        0x060E | 0x0610 => files::read_on(runtime, arguments, function == 0x0610),
        0x0612 => files::end_browse(runtime, arguments),
        0x1204 => enqueues::enqueue(runtime, arguments),
        0x1206 => enqueues::dequeue(runtime, arguments),
        0xF070..=0xF082 => web::carry_out(runtime, arguments, function),
        0xF084..=0xF090 => web::as_client(runtime, arguments, function),
        0xF091 => uri_maps::inquire(runtime, arguments, Browsing::No),
        0xF092 => uri_maps::inquire(runtime, arguments, Browsing::Start),
        0xF093 => uri_maps::inquire(runtime, arguments, Browsing::Next),
        0xF094 => uri_maps::inquire(runtime, arguments, Browsing::End),
        // SUSPEND: other tasks have workers of their own and need no turn.
        0x1208 => Ok(Step::GoOn),
        0xFFFF => Err(Fault::Condition(&INVREQ, RESP2_NO_TERMINAL)),
        _ => raise(&INVREQ),
    }
}

/// ENTER TRACENUM: a trace of the region tells of it as of each command, so there is nothing more to write.
fn enter_trace(arguments: &Arguments) -> Done {
    if arguments.number(names::TRACENUM).is_some_and(|number| !(0..=TRACENUM_MAX).contains(&number)) {
        return Err(Fault::Condition(&INVREQ, RESP2_TRACENUM));
    }
    if arguments.number(names::FROMLENGTH).is_some_and(|length| !(0..=TRACED_MAX_BYTES).contains(&length)) {
        return Err(Fault::Condition(&LENGERR, RESP2_FROMLENGTH));
    }
    Ok(Step::GoOn)
}

/// HANDLE CONDITION and IGNORE CONDITION.
fn conditions(runtime: &mut Runtime, arguments: &Arguments, ignore: bool) -> Done {
    let frame = arguments.frame();
    let handles = &mut runtime.level().handles;
    for given in &arguments.plan.invocation.options {
        let Some(condition) = given.number.checked_sub(names::CONDITION).and_then(by_number) else {
            return raise(&INVREQ);
        };
        match (ignore, &given.argument) {
            (true, _) => handles.ignore(condition.number),
            (false, program::interface::Argument::Label(number)) if *number > 0 => {
                handles.handle(condition.number, Some(Label { number: *number, frame }));
            }
            (false, _) => handles.handle(condition.number, None),
        }
    }
    Ok(Step::GoOn)
}

fn handle_abend(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    if let Some(number) = arguments.label(names::LABEL) {
        let label = Label { number, frame: arguments.frame() };
        runtime.level().handles.set_exit(Some(AbendExit::Label(label)));
    } else if let Some(program) = arguments.name::<8>(names::PROGRAM) {
        links::check_right(runtime, program)?;
        runtime.level().handles.set_exit(Some(AbendExit::Program(program)));
    } else if arguments.has(names::RESET) {
        runtime.level().handles.reset_exit();
    } else {
        runtime.level().handles.set_exit(None);
    }
    Ok(Step::GoOn)
}
