//! STARTBR, READNEXT, READPREV, RESETBR and ENDBR: where a browse is, and where it goes.
//!
//! A step sees committed records, and the task's own changes. Between steps nothing is held.

use std::ops::Bound;
use std::sync::Arc;

use program::conditions::{ENDFILE, INVREQ, NOTFND};
use store::{Direction, Unit};
use wire::{Addressing, Answer, FileAnswer, Hold, RecordAt};

use super::OpenFile;
use super::commands::{Reading, find, told};
use super::key::{Wanted, wanted};
use super::records::Found;
use crate::resources::trouble::refused;
use crate::work::Work;

/// The most browses of a task at one time. A program that never ends them would fill the region's memory.
pub(super) const BROWSES_MAX: usize = 1_000;

/// A browse that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Browse {
    addressing: Addressing,
    generic: bool,
    key_length: Option<i64>,
    or_after: bool,
    place: Place,
    /// The bytes of RIDFLD, unless the program has changed it since.
    id: Vec<u8>,
}

/// Where a browse is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Nothing has been read since it was set there.
    At(Wanted),
    /// The record at this place was read last, forwards or backwards.
    On(Vec<u8>, Direction),
}

impl Place {
    /// The record in a direction.
    fn step(&self, file: &OpenFile, unit: &Unit, direction: Direction) -> store::Result<Step> {
        let found = match (self, direction) {
            (Place::At(wanted), Direction::Forward) => {
                let from = Bound::Included(wanted.key.as_slice());
                match file.browse(unit, from, direction)? {
                    Some(found) if !wanted.accepts(file.id(&found)) => return Ok(Step::NotFound),
                    None if !wanted.is_end() => return Ok(Step::NotFound),
                    found => found,
                }
            }
            (Place::At(wanted), Direction::Backward) => {
                let from = Bound::Included(wanted.key.as_slice());
                let found = file.browse(unit, from, direction)?;
                // Backwards a browse begins with the record of its key, or with the last of all.
                match found {
                    Some(found) if file.id(&found) != wanted.key && !wanted.is_end() => {
                        return Ok(Step::NotFound);
                    }
                    None if !wanted.is_end() => return Ok(Step::NotFound),
                    found => found,
                }
            }
            // Whoever turns round gets the record again that was read last.
            (Place::On(key, before), direction) => {
                let from = match *before == direction {
                    true => Bound::Excluded(key.as_slice()),
                    false => Bound::Included(key.as_slice()),
                };
                file.browse(unit, from, direction)?
            }
        };
        Ok(found.map_or(Step::End, Step::Found))
    }
}

/// The outcome of a step of a browse.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Found(Found),
    NotFound,
    End,
}

impl Work {
    pub(super) async fn browse(
        &mut self,
        file: &Arc<OpenFile>,
        browse: i64,
        reset: bool,
        at: &RecordAt,
    ) -> Result<FileAnswer, Answer> {
        let name = (file.definition.name, browse);
        if !file.definition.allowed.browse {
            return Err(refused(&INVREQ, 20));
        }
        match (self.files.browses.contains_key(&name), reset) {
            (true, false) => return Err(refused(&INVREQ, 33)),
            (false, true) => return Err(refused(&INVREQ, 36)),
            (false, false) if self.files.browses.len() >= BROWSES_MAX => return Err(refused(&INVREQ, 0)),
            _ => {}
        }
        let wanted = wanted(&file.definition, at)?;
        if !wanted.is_end() {
            let found = self.unit.with(|_, unit| find(file, unit, &wanted)).await.map_err(told)?;
            if found.is_none() {
                return Err(refused(&NOTFND, 80));
            }
        }
        let browse = Browse {
            addressing: at.addressing,
            generic: at.generic,
            or_after: at.or_after,
            key_length: at.key_length,
            id: program_id(at, &wanted),
            place: Place::At(wanted),
        };
        self.files.browses.insert(name, browse);
        Ok(FileAnswer::default())
    }

    pub(super) async fn read_on(
        &mut self,
        browse: i64,
        back: bool,
        at: &RecordAt,
        reading: &Reading<'_>,
    ) -> Result<FileAnswer, Answer> {
        let (file, name) = (reading.file, (reading.file.definition.name, browse));
        let Some(known) = self.files.browses.get(&name) else { return Err(refused(&INVREQ, 34)) };
        if known.addressing != reading.addressing {
            return Err(refused(&INVREQ, 37));
        }
        if back && known.generic {
            return Err(refused(&INVREQ, 24));
        }
        let updates = matches!(reading.hold, Hold::Update | Hold::UpdateWithToken);
        if updates && !file.definition.allowed.update {
            return Err(refused(&INVREQ, 20));
        }
        let place = known.place_for(file, at)?;
        let direction = if back { Direction::Backward } else { Direction::Forward };
        let mut end = refused(&NOTFND, 80);
        let step = |unit: &Unit| place.step(file, unit, direction);
        let found = self.find_held(reading, |unit| match step(unit)? {
            Step::Found(found) => Ok(Some(found)),
            Step::NotFound | Step::End => Ok(None),
        });
        let Some(found) = found.await? else {
            // Said in its own words: at the end of the file, or nothing there.
            if self.unit.with(|_, unit| step(unit)).await.map_err(told)? == Step::End {
                end = refused(&ENDFILE, 90);
            }
            return Err(end);
        };
        let place = found.place().to_vec();
        let answer = self.answer(reading, found)?;
        if let Some(browse) = self.files.browses.get_mut(&name) {
            browse.place = Place::On(place, direction);
            browse.id = answer.id.clone();
        }
        Ok(answer)
    }

    pub(super) fn end_browse(&mut self, file: &OpenFile, browse: i64) -> Result<FileAnswer, Answer> {
        match self.files.browses.remove(&(file.definition.name, browse)) {
            Some(_) => Ok(FileAnswer::default()),
            None => Err(refused(&INVREQ, 35)),
        }
    }
}

/// The part of the program's RIDFLD that counts.
fn program_id(at: &RecordAt, wanted: &Wanted) -> Vec<u8> {
    let bytes = match at.addressing {
        Addressing::Key => wanted.key.len(),
        Addressing::Rba | Addressing::Rrn => 4,
        Addressing::Xrba => 8,
    };
    at.id.get(..bytes).unwrap_or(&at.id).to_vec()
}

impl Browse {
    /// Where the next step begins: elsewhere, if the program has changed RIDFLD.
    fn place_for(&self, file: &OpenFile, at: &RecordAt) -> Result<Place, Answer> {
        if at.addressing == Addressing::Key && at.id.len() < self.id.len() {
            // The program may have changed the bytes behind RIDFLD.
            return Err(Answer::LongerKey { bytes: self.id.len() as u32 });
        }
        if at.id.starts_with(&self.id) {
            return Ok(self.place.clone());
        }
        let elsewhere = RecordAt {
            key_length: at.key_length.or(self.key_length),
            generic: self.generic,
            or_after: self.or_after,
            ..at.clone()
        };
        Ok(Place::At(wanted(&file.definition, &elsewhere)?))
    }
}
