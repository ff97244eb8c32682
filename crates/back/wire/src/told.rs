//! A worker's reports of a task, without a request: traced commands, and the data of a program at its abend.

use super::bytes::{Reader, put_bytes};
use super::{BadMessage, Interface, Name};
use crate::notes::CommandEnd;

/// The container with some headers of a request, as JSON (`BAQHTTPHEADERS` of z/OS Connect). Dumps and traces leave its data out.
pub const HEADERS: &str = "BAQHTTPHEADERS";

/// The most options of one command in a report.
pub const TOLD_OPTIONS_MAX: usize = 64;

/// The most bytes of a name in a report.
pub const TOLD_NAME_MAX_BYTES: usize = 256;

/// The most bytes of a data area in a report.
pub const TOLD_DATA_MAX_BYTES: usize = 64;

/// The most bytes of DISPLAY's text in a report.
pub const TOLD_OUTPUT_MAX_BYTES: usize = 4096;

/// A report to the region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A command of a traced task.
    Command(Box<Traced>),
    /// The task's data at its abend.
    State(Box<State>),
    /// The program wants no dump of its abend.
    NoDump,
    /// The program asks for a dump of its task, and goes on.
    Dump(Box<TransactionDump>),
    /// The next message has no room beside the messages about other tasks of the batch.
    NeedsRoom,
    /// The worker needs one more instance of this program. If the region answers that it is done, a copy of the program's file comes over
    /// the socket.
    WantsCopy(Name<8>),
    /// Text that programs of the task have written with DISPLAY, at most [`TOLD_OUTPUT_MAX_BYTES`].
    Output(Vec<u8>),
}

/// A command of a traced task, or a call that it made with CALL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Counts the task's commands from 1, in the order in which they began.
    pub number: u32,
    /// The link level, from 1.
    pub level: u8,
    /// The program that gave it.
    pub program: Name<8>,
    /// The function that was CALLed; blank for an EXEC CICS command.
    pub call: Name<8>,
    /// The function code of the command; 0 for a CALL.
    pub function: u16,
    /// Its line in the program's file; 0 if that is not known.
    pub line: u32,
    /// From the begin of the task to that of the command, in microseconds.
    pub began_us: u64,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// How it ended.
    pub end: CommandEnd,
    /// Its options, in the order of the text; at most [`TOLD_OPTIONS_MAX`].
    pub options: Vec<TracedOption>,
}

/// An option of a traced command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedOption {
    /// The number of its name, or of a condition.
    pub number: u16,
    /// Its value.
    pub value: TracedValue,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TracedValue {
    /// Nothing, or an address.
    Nothing,
    /// A name, at most [`TOLD_NAME_MAX_BYTES`] of it.
    Name(Vec<u8>),
    /// A number.
    Number(i64),
    /// The number of a label, or 0.
    Label(u16),
    /// A data area.
    Data {
        /// How long it is.
        bytes: u64,
        /// The first of its bytes, at most [`TOLD_DATA_MAX_BYTES`], if they are wanted.
        first: Vec<u8>,
    },
}

/// The data of a task at its abend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The programs that ran, the task's first program first.
    pub programs: Vec<Name<8>>,
    /// The commarea of the last of them.
    pub commarea: Option<Clipped>,
    /// All channels of the task.
    pub channels: Vec<ChannelState>,
}

/// What DUMP TRANSACTION wants to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionDump {
    /// DUMPCODE.
    pub code: Name<4>,
    /// The area of FROM.
    pub area: Option<Clipped>,
    /// The task's data.
    pub state: State,
}

/// A channel at an abend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelState {
    /// Its name.
    pub name: Name<16>,
    /// True if it is the current channel of the last program.
    pub is_current: bool,
    /// Its containers.
    pub containers: Vec<ContainerState>,
}

/// A container at an abend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerState {
    /// Its name.
    pub name: Name<16>,
    /// The code page of its text; none for data of kind BIT.
    pub ccsid: Option<u16>,
    /// Its content.
    pub content: Clipped,
}

/// Bytes that may be cut to their first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clipped {
    /// How many there are.
    pub bytes: u64,
    /// The first of them.
    pub first: Vec<u8>,
}

impl Traced {
    /// True for a command that names the container with the headers of a request, which may hold credentials.
    pub fn is_of_headers(&self) -> bool {
        let mut values = self.options.iter().map(|option| &option.value);
        values.any(
            |value| matches!(value, TracedValue::Name(name) if name.trim_ascii_end() == HEADERS.as_bytes()),
        )
    }

    /// Leaves the lengths of data areas.
    pub fn leave_out_data(&mut self) {
        for option in &mut self.options {
            if let TracedValue::Data { first, .. } = &mut option.value {
                first.clear();
            }
        }
    }
}

/// Programs, channels, and containers of all channels that an operator is shown of a task at most.
const TOLD_PLACES_MAX: usize = 4_096;

impl State {
    /// A program's data before any program has run, cut to `most` bytes.
    pub fn of(interface: &Interface, mut most: usize) -> Self {
        let left = &mut most;
        match interface {
            Interface::None | Interface::Web(_) | Interface::WebAnswer(_) => Self::default(),
            Interface::Commarea(bytes) => {
                Self { commarea: Some(Clipped::of(bytes, left)), ..Self::default() }
            }
            Interface::Channel { name, containers } => {
                let containers = containers.iter().take(TOLD_PLACES_MAX).map(|container| ContainerState {
                    name: container.name,
                    ccsid: container.ccsid,
                    content: Clipped::of(&container.bytes, left),
                });
                let containers = containers.collect();
                let channel = ChannelState { name: *name, is_current: true, containers };
                Self { channels: vec![channel], ..Self::default() }
            }
        }
    }

    /// Cuts the data to `most` bytes, and the lists to a number of places.
    pub fn clip(&mut self, most: usize) {
        let (mut left, mut places) = (most, TOLD_PLACES_MAX);
        self.programs.truncate(TOLD_PLACES_MAX);
        self.channels.truncate(TOLD_PLACES_MAX);
        if let Some(commarea) = &mut self.commarea {
            commarea.clip(&mut left);
        }
        for channel in &mut self.channels {
            channel.containers.truncate(places);
            places -= channel.containers.len();
            for container in &mut channel.containers {
                container.content.clip(&mut left);
            }
        }
    }
}

impl TransactionDump {
    /// Cuts the data to `most` bytes: the area first, then the task's data.
    pub fn clip(&mut self, most: usize) {
        let mut left = most;
        if let Some(area) = &mut self.area {
            area.clip(&mut left);
        }
        self.state.clip(left);
    }
}

impl Clipped {
    fn clip(&mut self, left: &mut usize) {
        self.first.truncate(*left);
        self.first.shrink_to_fit();
        *left -= self.first.len();
    }

    /// The first bytes, as many as `left` allows; `left` becomes smaller by their number.
    #[must_use]
    pub fn of(bytes: &[u8], left: &mut usize) -> Self {
        let count = bytes.len().min(*left);
        *left -= count;
        Self { bytes: bytes.len() as u64, first: bytes[..count].to_vec() }
    }

    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.bytes.to_le_bytes());
        put_bytes(to, &self.first);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self { bytes: from.u64()?, first: from.bytes()? })
    }
}

impl Told {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Told::Command(traced) => {
                to.push(b'C');
                traced.encode(to);
            }
            Told::State(state) => {
                to.push(b'S');
                state.encode(to);
            }
            Told::NoDump => to.push(b'N'),
            Told::Dump(dump) => {
                to.push(b'D');
                to.extend(dump.code);
                to.push(u8::from(dump.area.is_some()));
                if let Some(area) = &dump.area {
                    area.encode(to);
                }
                dump.state.encode(to);
            }
            Told::NeedsRoom => to.push(b'R'),
            Told::WantsCopy(program) => {
                to.push(b'W');
                to.extend(program);
            }
            Told::Output(text) => {
                to.push(b'O');
                put_bytes(to, text);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'C' => Ok(Told::Command(Box::new(Traced::decode(from)?))),
            b'S' => Ok(Told::State(Box::new(State::decode(from)?))),
            b'N' => Ok(Told::NoDump),
            b'D' => {
                let code = from.array()?;
                let area = from.flag()?.then(|| Clipped::decode(from)).transpose()?;
                Ok(Told::Dump(Box::new(TransactionDump { code, area, state: State::decode(from)? })))
            }
            b'R' => Ok(Told::NeedsRoom),
            b'W' => Ok(Told::WantsCopy(from.array()?)),
            b'O' => match from.bytes()? {
                text if text.len() <= TOLD_OUTPUT_MAX_BYTES => Ok(Told::Output(text)),
                _ => Err(BadMessage("expected fewer bytes of output")),
            },
            _ => Err(BadMessage("expected a command or a state")),
        }
    }
}

impl Traced {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.number.to_le_bytes());
        to.push(self.level);
        to.extend(self.program);
        to.extend(self.call);
        to.extend(self.function.to_le_bytes());
        to.extend(self.line.to_le_bytes());
        to.extend(self.began_us.to_le_bytes());
        to.extend(self.took_us.to_le_bytes());
        put_end(to, self.end);
        to.extend((self.options.len() as u32).to_le_bytes());
        for option in &self.options {
            to.extend(option.number.to_le_bytes());
            option.value.encode(to);
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let mut traced = Self {
            number: from.u32()?,
            level: from.byte()?,
            program: from.array()?,
            call: from.array()?,
            function: u16::from_le_bytes(from.array()?),
            line: from.u32()?,
            began_us: from.u64()?,
            took_us: from.u64()?,
            end: take_end(from)?,
            options: Vec::new(),
        };
        let count = from.u32()? as usize;
        if count > TOLD_OPTIONS_MAX {
            return Err(BadMessage("expected at most 64 options"));
        }
        for _ in 0..count {
            let number = u16::from_le_bytes(from.array()?);
            traced.options.push(TracedOption { number, value: TracedValue::decode(from)? });
        }
        Ok(traced)
    }
}

impl TracedValue {
    fn encode(&self, to: &mut Vec<u8>) {
        match self {
            TracedValue::Nothing => to.push(0),
            TracedValue::Name(name) => {
                to.push(1);
                put_bytes(to, name);
            }
            TracedValue::Number(number) => {
                to.push(2);
                to.extend(number.to_le_bytes());
            }
            TracedValue::Label(number) => {
                to.push(3);
                to.extend(number.to_le_bytes());
            }
            TracedValue::Data { bytes, first } => {
                to.push(4);
                to.extend(bytes.to_le_bytes());
                put_bytes(to, first);
            }
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let at_most = |bytes: Vec<u8>, most: usize| match bytes.len() <= most {
            true => Ok(bytes),
            false => Err(BadMessage("expected fewer bytes of an option")),
        };
        Ok(match from.byte()? {
            0 => TracedValue::Nothing,
            1 => TracedValue::Name(at_most(from.bytes()?, TOLD_NAME_MAX_BYTES)?),
            2 => TracedValue::Number(from.i64()?),
            3 => TracedValue::Label(u16::from_le_bytes(from.array()?)),
            4 => {
                let bytes = from.u64()?;
                TracedValue::Data { bytes, first: at_most(from.bytes()?, TOLD_DATA_MAX_BYTES)? }
            }
            _ => return Err(BadMessage("expected what an option has")),
        })
    }
}

impl State {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend((self.programs.len() as u32).to_le_bytes());
        to.extend(self.programs.as_flattened());
        to.push(u8::from(self.commarea.is_some()));
        if let Some(commarea) = &self.commarea {
            commarea.encode(to);
        }
        to.extend((self.channels.len() as u32).to_le_bytes());
        for channel in &self.channels {
            to.extend(channel.name);
            to.push(u8::from(channel.is_current));
            to.extend((channel.containers.len() as u32).to_le_bytes());
            for container in &channel.containers {
                to.extend(container.name);
                to.push(u8::from(container.ccsid.is_some()));
                to.extend(container.ccsid.unwrap_or_default().to_le_bytes());
                container.content.encode(to);
            }
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let programs = super::take_names(from)?;
        let commarea = from.flag()?.then(|| Clipped::decode(from)).transpose()?;
        // A missing element ends each list, so that a large count alone allocates nothing.
        let count = from.u32()?;
        let channels = (0..count).map(|_| ChannelState::decode(from)).collect::<Result<_, _>>()?;
        Ok(Self { programs, commarea, channels })
    }
}

impl ChannelState {
    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (name, is_current, count) = (from.array()?, from.flag()?, from.u32()?);
        let container = |_| {
            let (name, is_text) = (from.array()?, from.flag()?);
            let ccsid = u16::from_le_bytes(from.array()?);
            // One message has one form.
            if !is_text && ccsid != 0 {
                return Err(BadMessage("expected no code page of what is not a text"));
            }
            let content = Clipped::decode(from)?;
            Ok(ContainerState { name, ccsid: is_text.then_some(ccsid), content })
        };
        let containers = (0..count).map(container).collect::<Result<_, BadMessage>>()?;
        Ok(Self { name, is_current, containers })
    }
}

fn put_end(to: &mut Vec<u8>, end: CommandEnd) {
    match end {
        CommandEnd::Running => to.push(0),
        CommandEnd::Condition { resp, resp2 } => {
            to.push(1);
            to.extend(resp.to_le_bytes());
            to.extend(resp2.to_le_bytes());
        }
        CommandEnd::Abend(code) => {
            to.push(2);
            to.extend(code);
        }
    }
}

fn take_end(from: &mut Reader<'_>) -> Result<CommandEnd, BadMessage> {
    Ok(match from.byte()? {
        0 => CommandEnd::Running,
        1 => CommandEnd::Condition { resp: u16::from_le_bytes(from.array()?), resp2: from.u32()? },
        2 => CommandEnd::Abend(from.array()?),
        _ => return Err(BadMessage("expected how a command ended")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Container;

    #[test]
    fn of_what_a_program_gets_no_more_is_kept_than_is_told() {
        let container = |bytes: usize| Container { name: [b'C'; 16], ccsid: Some(37), bytes: vec![7; bytes] };
        let containers = vec![container(6), container(1_000_000), container(3)];
        let state = State::of(&Interface::Channel { name: [b'N'; 16], containers }, 10);
        let [channel] = state.channels.as_slice() else { panic!("one channel") };
        let kept: Vec<_> = channel.containers.iter().map(|found| &found.content).collect();
        assert_eq!(kept.iter().map(|content| content.bytes).collect::<Vec<_>>(), [6, 1_000_000, 3]);
        assert_eq!(kept.iter().map(|content| content.first.capacity()).collect::<Vec<_>>(), [6, 4, 0]);
        let commarea = State::of(&Interface::Commarea(vec![1, 2, 3]), 2).commarea.expect("a commarea");
        assert_eq!((commarea.bytes, commarea.first), (3, vec![1, 2]));
        assert_eq!(State::of(&Interface::None, 2), State::default());
    }

    fn data(bytes: usize) -> Clipped {
        Clipped { bytes: bytes as u64, first: vec![1; bytes] }
    }

    fn container(bytes: usize) -> ContainerState {
        ContainerState { name: [b'C'; 16], ccsid: None, content: data(bytes) }
    }

    fn channel(containers: Vec<ContainerState>) -> ChannelState {
        ChannelState { name: [b'N'; 16], is_current: false, containers }
    }

    #[test]
    fn a_state_has_no_more_bytes_than_are_wanted() {
        let mut state = State {
            programs: vec![[b'P'; 8]],
            commarea: Some(data(30)),
            channels: vec![channel(vec![container(20), container(20)]), channel(vec![container(20)])],
        };
        state.clip(60);
        let lengths = |state: &State| {
            let containers = state.channels.iter().flat_map(|channel| &channel.containers);
            containers.map(|container| container.content.first.len()).collect::<Vec<_>>()
        };
        assert_eq!(state.commarea.as_ref().map(|area| area.first.len()), Some(30));
        assert_eq!(lengths(&state), [20, 10, 0]);
        // How many there are is still said.
        assert_eq!(state.channels[1].containers[0].content.bytes, 20);
        state.clip(0);
        assert_eq!((state.commarea.map(|area| area.first.len()), state.programs.len()), (Some(0), 1));
    }

    #[test]
    fn a_state_has_no_endless_lists() {
        let mut state = State {
            programs: vec![[b'P'; 8]; TOLD_PLACES_MAX + 1],
            commarea: None,
            channels: vec![channel(vec![container(0); TOLD_PLACES_MAX - 1]); 3],
        };
        state.channels.extend(vec![channel(Vec::new()); TOLD_PLACES_MAX]);
        state.clip(0);
        assert_eq!((state.programs.len(), state.channels.len()), (TOLD_PLACES_MAX, TOLD_PLACES_MAX));
        let containers: Vec<_> =
            state.channels.iter().take(3).map(|channel| channel.containers.len()).collect();
        assert_eq!(containers, [TOLD_PLACES_MAX - 1, 1, 0]);
    }
}
