//! READ, WRITE, REWRITE, DELETE and UNLOCK for one task.
//!
//! A task never reads uncommitted changes of another one: a read without UPDATE gives committed records.

use std::collections::{HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use program::conditions::{
    Condition, DISABLED, DUPREC, FILENOTFOUND, ILLOGIC, INVREQ, LENGERR, NOTFND, NOTOPEN,
};
use store::{Direction, ErrorKind, Mode, Unit};
use wire::{Addressing, Answer, Enabling, FileAnswer, FileAsk, FileRequest, Hold, Name, RecordAt, shown};

use super::browse::Browse;
use super::key::{Wanted, id, wanted};
use super::records::Found;
use super::upgrade::Change;
use super::{FileOrganization, OpenFile};
use crate::resources::durable::Opened;
use crate::resources::trouble::{LockOf, Trouble, refused};
use crate::resources::unit::Waits;
use crate::work::Work;

/// RESP2 of INVREQ: the file's definition does not allow the command.
const NOT_ALLOWED: u32 = 20;
/// The record ends before its key.
const LONGER_THAN_FILE: u32 = 12;
/// Records of this file have another length.
const NOT_THE_LENGTH: u32 = 14;

/// The abend of a task that changed a record when an alternate index could not follow.
const NOT_UPGRADED: [u8; 4] = *b"GAIX";

/// A task's work in files until its next syncpoint.
#[derive(Debug, Default)]
pub(crate) struct TaskFiles {
    /// Records that were read for update, by token.
    updates: HashMap<i64, Update>,
    /// Records that stay as they are until the unit ends.
    repeatable: HashSet<(Name<8>, Vec<u8>)>,
    pub(super) browses: HashMap<(Name<8>, i64), Browse>,
    last_token: i64,
}

#[derive(Debug)]
struct Update {
    file: Name<8>,
    /// The file that has the record: another one if `file` is a path.
    base: Name<8>,
    key: Vec<u8>,
    has_token: bool,
}

impl TaskFiles {
    /// A syncpoint: all updates and browses end. Tokens are not used again.
    pub(crate) fn end_unit(&mut self) {
        *self = Self { last_token: self.last_token, ..Self::default() };
    }

    fn holds(&self, base: Name<8>, key: &[u8]) -> bool {
        self.repeatable.contains(&(base, key.to_vec())) || self.updates(base, key)
    }

    /// True if the task has a browse or a record for update in the file.
    fn is_using(&self, file: Name<8>) -> bool {
        self.browses.keys().any(|(browsed, _)| *browsed == file)
            || self.updates.values().any(|update| update.file == file)
    }

    fn updates(&self, base: Name<8>, key: &[u8]) -> bool {
        self.updates.values().any(|update| update.base == base && update.key == key)
    }

    /// The token of the record that was read for update.
    fn token(&self, file: Name<8>, token: Option<i64>) -> Option<i64> {
        match token {
            Some(token) => self.updates.get(&token).filter(|update| update.file == file).map(|_| token),
            None => {
                let without = |(_, update): &(&i64, &Update)| update.file == file && !update.has_token;
                self.updates.iter().find(without).map(|(token, _)| *token)
            }
        }
    }

    fn add(&mut self, update: Update) -> i64 {
        self.last_token += 1;
        self.updates.insert(self.last_token, update);
        self.last_token
    }
}

/// A file that a command has found, with the command's parts that reading needs.
pub(super) struct Reading<'r> {
    pub(super) file: &'r Arc<OpenFile>,
    pub(super) waits: Waits,
    pub(super) hold: Hold,
    pub(super) addressing: Addressing,
}

pub(super) fn told(trouble: Trouble) -> Answer {
    match trouble.kind {
        ErrorKind::Duplicate => refused(&DUPREC, 150),
        ErrorKind::Length => refused(&LENGERR, NOT_THE_LENGTH),
        _ => trouble.answer(LockOf::File),
    }
}

fn raise<T>(condition: &Condition, resp2: u32) -> Result<T, Answer> {
    Err(refused(condition, resp2))
}

/// The first record that is wanted.
pub(super) fn find(file: &OpenFile, unit: &Unit, wanted: &Wanted) -> store::Result<Option<Found>> {
    if wanted.is_exact() {
        if is_no_number(file, &wanted.key) {
            return Ok(None);
        }
        return file.read(unit, &wanted.key);
    }
    let found = file.browse(unit, Bound::Included(&wanted.key), Direction::Forward)?;
    Ok(found.filter(|found| wanted.accepts(file.id(found))))
}

/// Records have numbers from 1.
fn is_no_number(file: &OpenFile, key: &[u8]) -> bool {
    file.definition.organization == FileOrganization::Relative && key == [0; 4]
}

impl Work {
    /// Carries out a command on a file.
    ///
    /// # Errors
    /// The resulting condition or abend.
    pub(crate) async fn file(&mut self, ask: FileAsk) -> Result<Answer, Answer> {
        let Some(file) = self.all_files.get(ask.file).cloned() else { return raise(&FILENOTFOUND, 1) };
        self.check_usable(&file)?;
        let waits = Waits::when(ask.waits);
        let answer = match ask.request {
            FileRequest::Read { at, hold } => {
                let addressing = at.addressing;
                self.read_record(&at, &Reading { file: &file, waits, hold, addressing }).await?
            }
            FileRequest::Write { at, data } => self.write_record(&file, &at, data, waits).await?,
            FileRequest::Rewrite { token, data } => self.rewrite_record(&file, token, data).await?,
            FileRequest::Delete { at: Some(at), .. } => self.delete_at(&file, &at, waits).await?,
            FileRequest::Delete { at: None, token } => self.delete_read(&file, token).await?,
            FileRequest::Unlock { token } => self.unlock_record(&file, token).await?,
            FileRequest::Browse { browse, at, reset } => self.browse(&file, browse, reset, &at).await?,
            FileRequest::ReadOn { browse, at, back, hold } => {
                let addressing = at.addressing;
                let reading = Reading { file: &file, waits, hold, addressing };
                self.read_on(browse, back, &at, &reading).await?
            }
            FileRequest::EndBrowse { browse } => self.end_browse(&file, browse)?,
        };
        Ok(Answer::File(answer))
    }

    /// A file that is closed or disabled can only be used by a task that has something under way in it.
    fn check_usable(&self, file: &OpenFile) -> Result<(), Answer> {
        match file.state.used().enabling {
            Enabling::Enabled => {}
            Enabling::Unenabled | Enabling::Disabled if self.files.is_using(file.definition.name) => {}
            Enabling::Unenabled => return raise(&NOTOPEN, 60),
            Enabling::Disabled => return raise(&DISABLED, 50),
        }
        Ok(())
    }

    async fn read_record(&mut self, at: &RecordAt, reading: &Reading<'_>) -> Result<FileAnswer, Answer> {
        let file = reading.file;
        let allowed = file.definition.allowed;
        let for_update = matches!(reading.hold, Hold::Update | Hold::UpdateWithToken);
        if !allowed.read || (for_update && !allowed.update && !allowed.delete) {
            return raise(&INVREQ, NOT_ALLOWED);
        }
        let wanted = wanted(&file.definition, at)?;
        let found = self.find_held(reading, |unit| find(file, unit, &wanted)).await?;
        let Some(found) = found else { return raise(&NOTFND, 80) };
        self.answer(reading, found)
    }

    /// Finds a record and holds it as the command says. Once the record is held, it is looked for again.
    pub(super) async fn find_held(
        &mut self,
        reading: &Reading<'_>,
        find: impl Fn(&Unit) -> store::Result<Option<Found>>,
    ) -> Result<Option<Found>, Answer> {
        let (file, name, base) = (reading.file, reading.file.definition.name, reading.file.base());
        let mode = match reading.hold {
            Hold::No => return self.unit.with(|_, unit| find(unit)).await.map_err(told),
            Hold::Consistent | Hold::Repeatable => Mode::Shared,
            Hold::Update if self.files.token(name, None).is_some() => return raise(&INVREQ, 28),
            Hold::Update | Hold::UpdateWithToken => Mode::Exclusive,
        };
        loop {
            let Some(found) = self.unit.with(|_, unit| find(unit)).await.map_err(told)? else {
                return Ok(None);
            };
            let key = found.key.clone();
            if mode == Mode::Exclusive && self.files.updates(base, &key) {
                let message = "the task has read this record for update before".to_owned();
                return Err(Answer::Abend { code: *b"AFCG", message });
            }
            let held = self.files.holds(base, &key);
            self.lock_record(file, &key, mode, reading.waits).await?;
            let again = self.unit.with(|_, unit| file.again(unit, found)).await.map_err(told)?;
            if !held && (again.is_none() || reading.hold == Hold::Consistent) {
                self.release_record(file, &key).await?;
            }
            let Some(found) = again else { continue };
            if reading.hold == Hold::Repeatable {
                self.files.repeatable.insert((base, key));
            }
            return Ok(Some(found));
        }
    }

    /// The answer of a command that has read a record, which is remembered if it was read for update.
    pub(super) fn answer(&mut self, reading: &Reading<'_>, found: Found) -> Result<FileAnswer, Answer> {
        let definition = &reading.file.definition;
        let Some(id) = id(reading.file.id(&found), reading.addressing) else { return raise(&ILLOGIC, 110) };
        let Found { key, record: data, more_follow, .. } = found;
        let has_token = reading.hold == Hold::UpdateWithToken;
        let token = match reading.hold {
            Hold::Update | Hold::UpdateWithToken => {
                self.files.add(Update { file: definition.name, base: reading.file.base(), key, has_token })
            }
            _ => 0,
        };
        let fixed_bytes = definition.fixed.then_some(definition.record_bytes as u32);
        Ok(FileAnswer { id, data, fixed_bytes, token, count: 0, more_follow })
    }

    async fn write_record(
        &mut self,
        file: &Arc<OpenFile>,
        at: &RecordAt,
        data: Vec<u8>,
        waits: Waits,
    ) -> Result<FileAnswer, Answer> {
        if !file.definition.allowed.add {
            return raise(&INVREQ, NOT_ALLOWED);
        }
        let wanted = wanted(&file.definition, at)?;
        check_record(file, &data)?;
        let key = key_to_write(file, &wanted.key, &data)?;
        let is_entry = file.definition.organization == FileOrganization::EntrySequenced;
        let held = is_entry || self.files.holds(file.base(), &key);
        if !held {
            self.lock_record(file, &key, Mode::Exclusive, waits).await?;
        }
        let indexed = file.has_indexes().then(|| data.clone());
        let change = Change { key: &key, before: None, after: indexed.as_deref() };
        let written = match indexed.is_none() || self.reserve_keys(file, change, waits).await? {
            true => {
                let (records, place) = (file.records.clone(), key.clone());
                let insert = move |_: &Opened, unit: &mut Unit| records.insert(unit, &place, data);
                self.unit.change(file.recovery(), insert).await.map_err(told)
            }
            false => raise(&DUPREC, 150),
        };
        match written {
            Ok(key) => {
                self.upgrade_indexes(file, Change { key: &key, ..change }).await?;
                let known = if file.index().is_some() { &wanted.key } else { &key };
                let Some(id) = id(known, at.addressing) else { return raise(&ILLOGIC, 110) };
                Ok(FileAnswer { id, ..FileAnswer::default() })
            }
            Err(refused) => {
                if !held {
                    self.release_record(file, &key).await?;
                }
                Err(refused)
            }
        }
    }

    /// Locks the unique alternate keys that a change takes or frees, until the unit of work ends. False if
    /// another record has one of the keys that it takes.
    async fn reserve_keys(
        &mut self,
        file: &OpenFile,
        change: Change<'_>,
        waits: Waits,
    ) -> Result<bool, Answer> {
        for unique in file.unique_keys(change) {
            self.unit.lock(waits, |_, unit| file.lock_unique(unit, &unique)).await.map_err(told)?;
        }
        self.unit.with(|_, unit| file.is_free(unit, change)).await.map_err(told)
    }

    /// Lets the alternate indexes follow a change of the records. If they cannot, the unit of work is backed
    /// out before the program hears of it. So a program that handles the abend cannot commit a half-done
    /// change.
    async fn upgrade_indexes(&mut self, file: &OpenFile, change: Change<'_>) -> Result<(), Answer> {
        if !file.has_indexes() {
            return Ok(());
        }
        let upgraded = self.unit.with(|_, unit| file.upgrade(unit, change)).await;
        let Err(Trouble { message, .. }) = upgraded else { return Ok(()) };
        let message = format!("an alternate index of {} cannot follow it: {message}", shown(&file.base()));
        // A part that had left a unit of another region would not keep that from committing the rest.
        match self.partners.is_joined() {
            true => self.partners.doom(&message),
            false => self.back_out(),
        }
        Err(Answer::Abend { code: NOT_UPGRADED, message })
    }

    /// The record of a key, for indexes that must follow its change; none if there are no indexes.
    async fn record_before(&mut self, file: &OpenFile, key: &[u8]) -> Result<Option<Vec<u8>>, Answer> {
        match file.has_indexes() {
            true => self.unit.with(|_, unit| file.records.read(unit, key)).await.map_err(told),
            false => Ok(None),
        }
    }

    async fn rewrite_record(
        &mut self,
        file: &Arc<OpenFile>,
        token: Option<i64>,
        data: Vec<u8>,
    ) -> Result<FileAnswer, Answer> {
        if !file.definition.allowed.update {
            return raise(&INVREQ, NOT_ALLOWED);
        }
        let (token, key) = self.read_for_update(file, token, 30)?;
        check_record(file, &data)?;
        // A record cannot get another key: VSAM calls it an error of logic.
        if embedded_key(file, &data).is_some_and(|embedded| embedded != key) {
            return raise(&ILLOGIC, 110);
        }
        let before = self.record_before(file, &key).await?;
        let after = before.is_some().then(|| data.clone());
        if let (Some(index), Some(before)) = (file.index(), &before)
            && index.key_in(before) != index.key_in(&data)
        {
            // The alternate key by which it was read must stay too.
            return raise(&ILLOGIC, 110);
        }
        let change = Change { key: &key, before: before.as_deref(), after: after.as_deref() };
        if before.is_some() && !self.reserve_keys(file, change, Waits::Yes).await? {
            return raise(&DUPREC, 150);
        }
        let (records, place) = (file.records.clone(), key.clone());
        let rewritten = self.unit.change(file.recovery(), move |_, unit| records.rewrite(unit, &place, data));
        rewritten.await.map_err(told)?;
        self.upgrade_indexes(file, change).await?;
        self.files.updates.remove(&token);
        Ok(FileAnswer::default())
    }

    async fn delete_read(&mut self, file: &Arc<OpenFile>, token: Option<i64>) -> Result<FileAnswer, Answer> {
        can_delete(file, false)?;
        let (token, key) = self.read_for_update(file, token, 31)?;
        self.remove_record(file, key).await?;
        self.files.updates.remove(&token);
        Ok(FileAnswer { count: 1, ..FileAnswer::default() })
    }

    /// DELETE with RIDFLD: one record, or all whose keys begin with it.
    async fn delete_at(
        &mut self,
        file: &Arc<OpenFile>,
        at: &RecordAt,
        waits: Waits,
    ) -> Result<FileAnswer, Answer> {
        can_delete(file, at.generic)?;
        let wanted = wanted(&file.definition, at)?;
        let (mut count, mut more_follow) = (0, false);
        let reading = Reading { file, waits, hold: Hold::UpdateWithToken, addressing: at.addressing };
        while let Some(found) = self.find_held(&reading, |unit| find(file, unit, &wanted)).await? {
            more_follow = found.more_follow && !wanted.generic;
            self.remove_record(file, found.key).await?;
            count += 1;
            if !wanted.generic {
                break;
            }
        }
        match count {
            0 => raise(&NOTFND, 80),
            _ => Ok(FileAnswer { count, more_follow, ..FileAnswer::default() }),
        }
    }

    async fn remove_record(&mut self, file: &Arc<OpenFile>, key: Vec<u8>) -> Result<(), Answer> {
        let before = self.record_before(file, &key).await?;
        let change = Change { key: &key, before: before.as_deref(), after: None };
        if before.is_some() {
            // Who takes no key finds none taken.
            self.reserve_keys(file, change, Waits::Yes).await?;
        }
        let (records, place) = (file.records.clone(), key.clone());
        let removed = self.unit.change(file.recovery(), move |_, unit| records.delete(unit, &place));
        removed.await.map_err(told)?;
        self.upgrade_indexes(file, change).await
    }

    async fn unlock_record(
        &mut self,
        file: &Arc<OpenFile>,
        token: Option<i64>,
    ) -> Result<FileAnswer, Answer> {
        let name = file.definition.name;
        match self.files.token(name, token) {
            Some(token) => {
                let Some(update) = self.files.updates.remove(&token) else { return raise(&INVREQ, 47) };
                if !self.files.holds(update.base, &update.key) {
                    self.release_record(file, &update.key).await?;
                }
            }
            None if token.is_some() => return raise(&INVREQ, 47),
            // Nothing is locked: that is as it should be.
            None => {}
        }
        Ok(FileAnswer::default())
    }

    /// The record that was read for update before.
    fn read_for_update(
        &self,
        file: &OpenFile,
        token: Option<i64>,
        resp2: u32,
    ) -> Result<(i64, Vec<u8>), Answer> {
        let known = self.files.token(file.definition.name, token);
        let update = known.and_then(|token| Some((token, self.files.updates.get(&token)?.key.clone())));
        update.ok_or_else(|| refused(&INVREQ, if token.is_some() { 47 } else { resp2 }))
    }

    async fn lock_record(
        &mut self,
        file: &OpenFile,
        key: &[u8],
        mode: Mode,
        waits: Waits,
    ) -> Result<(), Answer> {
        self.unit.lock(waits, |_, unit| file.records.lock(unit, key, mode)).await.map_err(told)
    }

    async fn release_record(&mut self, file: &OpenFile, key: &[u8]) -> Result<(), Answer> {
        self.unit.with(|_, unit| file.records.unlock(unit, key)).await.map_err(told)
    }
}

fn can_delete(file: &OpenFile, generic: bool) -> Result<(), Answer> {
    let is_keyed = matches!(file.definition.organization, FileOrganization::KeySequenced { .. });
    match file.definition.organization {
        _ if !file.definition.allowed.delete => raise(&INVREQ, NOT_ALLOWED),
        FileOrganization::EntrySequenced => raise(&INVREQ, 21),
        _ if generic && !is_keyed => raise(&INVREQ, 22),
        _ => Ok(()),
    }
}

/// The key of a new record. RIDFLD has this key or an alternate key.
fn key_to_write(file: &OpenFile, wanted: &[u8], data: &[u8]) -> Result<Vec<u8>, Answer> {
    if let Some(index) = file.index() {
        if index.key_in(data) != Some(wanted) {
            return raise(&INVREQ, 23);
        }
        // An entry-sequenced file has no other keys.
        return Ok(embedded_key(file, data).unwrap_or_default().to_vec());
    }
    if embedded_key(file, data).is_some_and(|embedded| embedded != wanted) {
        return raise(&INVREQ, 23);
    }
    if is_no_number(file, wanted) {
        return raise(&ILLOGIC, 110);
    }
    Ok(wanted.to_vec())
}

/// Whether the file can have a record of this length.
fn check_record(file: &OpenFile, data: &[u8]) -> Result<(), Answer> {
    let definition = &file.definition;
    let shortest = match definition.organization {
        FileOrganization::KeySequenced { key_offset, key_bytes, .. } => key_offset + key_bytes,
        _ => 1,
    };
    match data.len() {
        length if definition.fixed && length != definition.record_bytes => raise(&LENGERR, NOT_THE_LENGTH),
        length if length > definition.record_bytes || length < shortest => raise(&LENGERR, LONGER_THAN_FILE),
        _ => Ok(()),
    }
}

/// The key in a record of a file that has keys. The record is long enough.
pub(super) fn embedded_key<'d>(file: &OpenFile, data: &'d [u8]) -> Option<&'d [u8]> {
    match file.definition.organization {
        FileOrganization::KeySequenced { key_offset, key_bytes, .. } => {
            data.get(key_offset..key_offset + key_bytes)
        }
        _ => None,
    }
}
