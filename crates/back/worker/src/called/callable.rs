//! Services of Language Environment that programs CALL: dates and times, abends, storage, messages.
//!
//! Each is documented in IBM's z/OS Language Environment Programming Reference (SA38-0683). The rules for
//! dates are in `program::callable`. Numbers may have any usage, for libcob converts them; seconds are
//! COMP-2. The last argument of most is the feedback code, which may be OMITTED.
//!
//! Deliberately absent: condition handlers, locales and mathematics. A program that calls these ends with 4038.

use calendar::Date;
use program::callable::{
    CENTURY, Century, Condition, DATE_CUT, DATE_RANGE, DATE_VALUE, DAY, DAY_MILLISECONDS, DEFAULT_DATE,
    DEFAULT_TIMESTAMP, DESTINATION, FREE_ADDRESS, HEAP_ID, HEAP_SHORT, HEAP_SIZE, HOURS, LILIAN_1601,
    LILIAN_MAX, LILIAN_RANGE, LILIAN_UNIX, MILLISECONDS, MINUTES, MONTH, OUTPUT_BYTES, Reading, SECONDS,
    SECONDS_RANGE, SEVERE, SUCCESS_TOKEN, Stamp, TIMESTAMP_CUT, YEAR, date_of, day_of_week, lilian_of, read,
    write,
};

use crate::clock;
use crate::cobol::arguments::Area;
use crate::cobol::libcob::Libcob;
use crate::cobol::output;
use crate::task;

/// Where the century window begins until CEESCEN says otherwise.
pub(crate) const CENTURY_YEARS: i64 = 80;

/// The most arguments that a service has.
const ARGUMENTS_MAX: usize = 9;

/// The Lilian date of 1 January 1900, where ABSTIME begins.
const LILIAN_1900: i64 = LILIAN_UNIX - 25_567;

/// A text that a program gives a service is at most that long.
const TEXT_MAX_BYTES: usize = 255;

/// The abend of a condition that no program takes.
const UNHANDLED: [u8; 4] = *b"4038";

/// Abend codes are numbers below this one.
const ABEND_CODES: i64 = 4_096;

/// The only destination of CEEMOUT.
const MESSAGE_FILE: i64 = 2;

/// The arguments of a CALL.
struct Call {
    libcob: &'static Libcob,
    places: [*mut u8; ARGUMENTS_MAX],
    count: usize,
}

/// The place of the feedback code, and the outcome of the service.
type Outcome = (usize, Result<(), Condition>);

/// Carries out a service; the result is for RETURN-CODE.
pub(crate) fn call(service: &str, places: [*mut u8; ARGUMENTS_MAX]) -> i32 {
    let Some(libcob) = task::with(|runtime| runtime.libcob) else { return 0 };
    let call = Call { libcob, places, count: libcob.parameter_count().min(ARGUMENTS_MAX) };
    let (feedback, outcome) = match service {
        "CEE3ABD" | "CEE3AB2" | "ILBOABN0" => {
            let code = format!("{:04}", call.number(0).rem_euclid(ABEND_CODES));
            let code = code.into_bytes().try_into().unwrap_or(UNHANDLED);
            task::abend_in_call(code, format!("the program called {service}"));
            return 0;
        }
        _ => call.service(service),
    };
    call.report(service, feedback, outcome);
    0
}

impl Call {
    fn service(&self, service: &str) -> Outcome {
        match service {
            "CEEDAYS" => (3, self.days(0)),
            "CEECBLDY" => (3, self.days(LILIAN_1601 - 1)),
            "CEEDATE" => (3, self.date()),
            "CEEDATM" => (3, self.timestamp()),
            "CEESECS" => (3, self.seconds()),
            "CEEDYWK" => (2, self.weekday()),
            "CEEISEC" => (8, self.seconds_of_numbers()),
            "CEESECI" => (8, self.numbers_of_seconds()),
            "CEELOCT" => (3, self.now(true)),
            "CEEGMT" | "CEEUTC" => (2, self.now(false)),
            "CEEGMTO" => (3, self.offset()),
            "CEEQCEN" => (1, self.century()),
            "CEESCEN" => (1, self.set_century()),
            "CEEGTST" => (3, self.storage()),
            "CEEFRST" => (1, self.free()),
            "CEEMOUT" => (2, self.message()),
            // CEE3DMP: a dump is for people, and the log already has the facts.
            _ => (2, Ok(())),
        }
    }

    /// Gives the program its feedback code; without one, a severe condition ends the program.
    fn report(&self, service: &str, feedback: usize, outcome: Result<(), Condition>) {
        match (self.area(feedback), outcome) {
            (Some(area), Ok(())) => area.write(&SUCCESS_TOKEN),
            (Some(area), Err(condition)) => area.write(&condition.token()),
            (None, Err(condition)) if condition.severity >= SEVERE => {
                let message =
                    format!("{service} raised {}, and the feedback code is OMITTED", condition.name());
                task::abend_in_call(UNHANDLED, message);
            }
            (None, _) => {}
        }
    }

    /// An argument as bytes; none if the program does not give it.
    fn area(&self, index: usize) -> Option<Area> {
        let place = self.places[..self.count].get(index).copied().filter(|place| !place.is_null())?;
        Some(Area::new(place, self.libcob.parameter_bytes(index)))
    }

    fn number(&self, index: usize) -> i64 {
        match self.area(index) {
            Some(_) => self.libcob.number(index),
            None => 0,
        }
    }

    fn set_number(&self, index: usize, number: i64) {
        if self.area(index).is_some() {
            self.libcob.set_number(index, number);
        }
    }

    /// A text with its length in a halfword before it. A program that was not translated may have the lowest byte first: since
    /// lengths are at most 255, one of the two bytes is zero and tells which.
    fn text(&self, index: usize) -> Vec<u8> {
        let Some(area) = self.area(index) else { return Vec::new() };
        let bytes = area.copy();
        let Some((length, text)) = bytes.split_at_checked(2) else { return Vec::new() };
        let length = usize::from(length[0]).max(usize::from(length[1]));
        text[..length.min(text.len()).min(TEXT_MAX_BYTES)].to_vec()
    }

    /// A picture; a blank one is that of the country.
    fn picture(&self, index: usize, usual: &[u8]) -> Vec<u8> {
        let text = self.text(index);
        let is_blank = text.iter().all(|byte| matches!(byte, b' ' | 0));
        if is_blank { usual.to_vec() } else { text }
    }

    /// Lilian seconds in milliseconds; none if they are outside of the range.
    fn seconds_argument(&self, index: usize) -> Option<Stamp> {
        let bytes = self.area(index)?.copy().try_into().ok()?;
        let milliseconds = f64::from_ne_bytes(bytes) * 1_000.0;
        // Not a number, or a number too large, is outside of the range too.
        Stamp::of_seconds(milliseconds.round() as i64)
    }

    fn set_seconds(&self, index: usize, milliseconds: i64) {
        if let Some(area) = self.area(index) {
            area.write(&(milliseconds as f64 / 1_000.0).to_ne_bytes());
        }
    }

    fn stamp(&self, reading: Reading, usual: &[u8]) -> Result<Stamp, Condition> {
        let years = task::with(|runtime| runtime.century_years).unwrap_or(CENTURY_YEARS);
        let century = Century::before(clock::now().year, years);
        read(&self.text(0), &self.picture(1, usual), reading, century)
    }

    /// CEEDAYS, and CEECBLDY, whose days begin later.
    fn days(&self, before: i64) -> Result<(), Condition> {
        let outcome = self.stamp(Reading::Date, DEFAULT_DATE).and_then(|stamp| match stamp.lilian - before {
            ..1 => Err(DATE_RANGE),
            days => Ok(days),
        });
        self.set_number(2, outcome.unwrap_or(0));
        outcome.map(|_| ())
    }

    /// CEESECS.
    fn seconds(&self) -> Result<(), Condition> {
        let outcome = self.stamp(Reading::Timestamp, DEFAULT_TIMESTAMP);
        self.set_seconds(2, outcome.map_or(0, Stamp::seconds_milliseconds));
        outcome.map(|_| ())
    }

    /// CEEDATE.
    fn date(&self) -> Result<(), Condition> {
        let lilian = self.number(0);
        let known = (1..=LILIAN_MAX).contains(&lilian);
        let stamp = if known { Ok(Stamp { lilian, milliseconds: 0 }) } else { Err(LILIAN_RANGE) };
        self.show(stamp, (false, DEFAULT_DATE, DATE_CUT))
    }

    /// CEEDATM.
    fn timestamp(&self) -> Result<(), Condition> {
        let stamp = self.seconds_argument(0).ok_or(SECONDS_RANGE);
        self.show(stamp, (true, DEFAULT_TIMESTAMP, TIMESTAMP_CUT))
    }

    fn show(
        &self,
        stamp: Result<Stamp, Condition>,
        (has_time, usual, cut): (bool, &[u8], Condition),
    ) -> Result<(), Condition> {
        let written = stamp.and_then(|stamp| write(stamp, has_time, &self.picture(1, usual)));
        let text = written.map_or([b' '; OUTPUT_BYTES], |written| written.text);
        if let Some(area) = self.area(2) {
            area.write(&text);
        }
        match written? {
            written if written.cut => Err(cut),
            _ => Ok(()),
        }
    }

    /// CEEDYWK.
    fn weekday(&self) -> Result<(), Condition> {
        let lilian = self.number(0);
        let known = (1..=LILIAN_MAX).contains(&lilian);
        self.set_number(1, if known { day_of_week(lilian) } else { 0 });
        if known { Ok(()) } else { Err(LILIAN_RANGE) }
    }

    /// CEEISEC.
    fn seconds_of_numbers(&self) -> Result<(), Condition> {
        let [year, month, day, hour, minute, second, millisecond] =
            std::array::from_fn(|index| self.number(index));
        let checks = [
            (1582..=9999, year, YEAR),
            (1..=12, month, MONTH),
            (1..=31, day, DAY),
            (0..=23, hour, HOURS),
            (0..=59, minute, MINUTES),
            (0..=59, second, SECONDS),
            (0..=999, millisecond, MILLISECONDS),
        ];
        let wrong = checks.into_iter().find(|(range, number, _)| !range.contains(number));
        let lilian = match wrong {
            Some((_, _, condition)) => Err(condition),
            // Here a day that the month does not have is a wrong day, and no wrong date.
            None => lilian_of(Date { year, month, day })
                .map_err(|wrong| if wrong == DATE_VALUE { DAY } else { wrong }),
        };
        let seconds = lilian.map(|lilian| {
            lilian * DAY_MILLISECONDS + ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond
        });
        self.set_seconds(7, seconds.unwrap_or(0));
        seconds.map(|_| ())
    }

    /// CEESECI.
    fn numbers_of_seconds(&self) -> Result<(), Condition> {
        let stamp = self.seconds_argument(0);
        let numbers = stamp.map_or([0; 7], |stamp| {
            let Date { year, month, day } = date_of(stamp.lilian);
            let rest = stamp.milliseconds;
            [year, month, day, rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60, rest % 1_000]
        });
        for (number, index) in numbers.into_iter().zip(1..) {
            self.set_number(index, number);
        }
        stamp.map(|_| ()).ok_or(SECONDS_RANGE)
    }

    /// CEELOCT, which gives the moment as text too, CEEGMT and CEEUTC. Local time is UTC, as for EXEC CICS.
    fn now(&self, has_text: bool) -> Result<(), Condition> {
        let now = clock::now();
        let lilian = LILIAN_1900 + now.day_count;
        self.set_number(0, lilian);
        self.set_seconds(1, lilian * DAY_MILLISECONDS + now.abstime.rem_euclid(DAY_MILLISECONDS));
        if let Some(area) = self.area(2).filter(|_| has_text) {
            let time = now.hour * 10_000 + now.minute * 100 + now.second;
            let text =
                format!("{:04}{:02}{:02}{time:06}{:03}", now.year, now.month, now.day, now.millisecond);
            area.write(text.as_bytes());
        }
        Ok(())
    }

    /// CEEGMTO.
    fn offset(&self) -> Result<(), Condition> {
        self.set_number(0, 0);
        self.set_number(1, 0);
        self.set_seconds(2, 0);
        Ok(())
    }

    /// CEEQCEN.
    fn century(&self) -> Result<(), Condition> {
        self.set_number(0, task::with(|runtime| runtime.century_years).unwrap_or(CENTURY_YEARS));
        Ok(())
    }

    /// CEESCEN, for the rest of the task.
    fn set_century(&self) -> Result<(), Condition> {
        let years = self.number(0);
        if !(0..=100).contains(&years) {
            return Err(CENTURY);
        }
        task::with(|runtime| runtime.century_years = years);
        Ok(())
    }

    /// CEEGTST. All heaps are the task's storage.
    fn storage(&self) -> Result<(), Condition> {
        if self.number(0) < 0 {
            return Err(HEAP_ID);
        }
        let bytes = usize::try_from(self.number(1)).ok().filter(|bytes| *bytes > 0).ok_or(HEAP_SIZE)?;
        let storage = task::with(|runtime| runtime.storage.get(bytes, 0)).flatten().ok_or(HEAP_SHORT)?;
        if let Some(area) = self.area(2) {
            area.write(&storage.expose_provenance().to_ne_bytes());
        }
        Ok(())
    }

    /// CEEFRST.
    fn free(&self) -> Result<(), Condition> {
        let bytes =
            self.area(0).map(Area::copy).and_then(|bytes| bytes.try_into().ok()).ok_or(FREE_ADDRESS)?;
        let address = std::ptr::with_exposed_provenance_mut(usize::from_ne_bytes(bytes));
        let freed = task::with(|runtime| runtime.storage.free(address)).unwrap_or(false);
        if freed { Ok(()) } else { Err(FREE_ADDRESS) }
    }

    /// CEEMOUT: a line of the log.
    fn message(&self) -> Result<(), Condition> {
        if self.number(1) != MESSAGE_FILE {
            return Err(DESTINATION);
        }
        let mut line = self.text(0);
        line.push(b'\n');
        output::add(&line);
        Ok(())
    }
}
