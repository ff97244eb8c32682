//! Programs behind services: `[provider]` with `kind = "program"`, and the uses of the region by services.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use codepage::{CodePage, Encoding, Family};
use http::HeaderName;
use region::{
    CONTEXT_CONTAINERS, ContainerPart, ContextContainers, Interchange, ProgramProvider, Slot, TaskRunner,
    UriForm, WebProvider,
};
use serde::Deserialize;
use settings::Loader;
use toml::Spanned;
use wire::{COMMAREA_MAX_BYTES, Name, name};

use crate::names::{check_length, checked, container_name};
use crate::section::{RegionSection, page_of};

/// `[provider]` with `kind = "program"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramSection {
    /// The program's name.
    pub program: String,
    /// The transaction that it runs under.
    #[serde(default = "default_transaction")]
    pub transaction: String,
    /// The channel that it gets; without it, it gets a commarea.
    pub channel: Option<String>,
    /// The container of the request's record.
    pub request_container: Option<String>,
    /// The container of the answer's record; that of the request if it is left out.
    pub response_container: Option<String>,
    /// The program gets context containers: the parts of the request from outside that it may know.
    #[serde(default)]
    pub use_context_containers: bool,
    /// The container `DFHHTTPSTATUS` has the status of the answer.
    #[serde(default)]
    pub use_http_status: bool,
    /// The headers of the request that go into a context container.
    #[serde(default)]
    pub http_headers: Vec<String>,
}

impl ProgramSection {
    /// A program without further settings.
    #[must_use]
    pub fn of(program: &str, channel: Option<String>) -> Self {
        Self {
            program: program.to_owned(),
            transaction: default_transaction(),
            channel,
            request_container: None,
            response_container: None,
            use_context_containers: false,
            use_http_status: false,
            http_headers: Vec::new(),
        }
    }
}

fn default_transaction() -> String {
    "GTRY".to_owned()
}

/// The channel of programs that nobody gave one: programs ask for its name (ASSIGN CHANNEL).
pub const DEFAULT_CHANNEL: &str = "Channel";

/// The code page of programs if the configured one is wrong, which is reported.
const UNKNOWN_PAGE: u16 = 819;

/// The container of records if none is named: that of CICS's web services.
const DEFAULT_CONTAINER: &str = "DFHWS-DATA";

/// The uses of the region by services, gathered while they are read.
#[derive(Debug, Default)]
pub struct RegionUse {
    pub(crate) slot: Arc<Slot>,
    /// The code page of its programs; none if programs cannot have the configured one.
    page: Option<&'static CodePage>,
    /// The programs of services.
    pub(crate) programs: BTreeSet<Name<8>>,
    /// Where services name them: the file, and the place in it.
    pub(crate) places: BTreeMap<Name<8>, (String, Range<usize>)>,
    /// Where `gantry.toml` names the programs that answer requests themselves.
    pub(crate) web_places: BTreeMap<Name<8>, Range<usize>>,
    /// The commareas of services.
    pub(crate) commareas: Vec<CommareaUse>,
    /// Messages start transactions.
    pub(crate) has_triggers: bool,
}

/// The commarea of a service.
#[derive(Debug)]
pub(crate) struct CommareaUse {
    /// The service's file.
    pub(crate) path: String,
    pub(crate) program: String,
    pub(crate) bytes: usize,
}

impl RegionUse {
    /// The facts about a region that services can know before it exists.
    #[must_use]
    pub fn of(section: &RegionSection) -> Self {
        Self { page: page_of(section), ..Self::default() }
    }

    /// Notes that messages start transactions.
    pub fn note_triggers(&mut self) {
        self.has_triggers = true;
    }

    /// The code page of text in programs that run here.
    #[must_use]
    pub fn ccsid(&self) -> Option<u16> {
        self.page.map(CodePage::ccsid)
    }

    /// Who runs the programs of a pipeline, in tasks of this transaction.
    ///
    /// # Errors
    /// A name that no program or transaction has: the reason for people.
    pub fn task_runner<'p>(
        &mut self,
        programs: impl Iterator<Item = &'p str>,
        transaction: &str,
    ) -> Result<TaskRunner, String> {
        for program in programs {
            self.programs.insert(checked("program", program)?);
        }
        let transaction = checked("transaction", transaction)?;
        let ccsid = self.ccsid().unwrap_or(UNKNOWN_PAGE);
        Ok(TaskRunner { region: self.slot.clone(), ccsid, transaction })
    }

    /// The code page of data for programs that run here. A package means the program on the mainframe: here,
    /// text is in the region's page. A code page that is configured counts, with a warning if programs could
    /// not read it.
    pub fn ccsid_of_programs(
        &self,
        loader: &mut Loader<'_>,
        path: &str,
        written: &Spanned<u16>,
    ) -> Spanned<u16> {
        let Some(ccsid) = self.ccsid() else { return written.clone() };
        if loader.files.is_packaged(path) {
            warn_of_double_bytes(loader, path, (written, ccsid));
            return Spanned::new(written.span(), ccsid);
        }
        let is_ebcdic =
            CodePage::by_ccsid(*written.get_ref()).is_some_and(|page| page.family() == Family::Ebcdic);
        if is_ebcdic {
            let message = format!(
                "CCSID {} is EBCDIC, but a program that runs here reads and writes text in the region's code page: expected ccsid = {ccsid}",
                written.get_ref()
            );
            loader.warn_at(path, written.span(), message);
        }
        written.clone()
    }

    /// The provider of a service whose requests and responses are records with these most bytes.
    pub(crate) fn record_provider(
        &mut self,
        section: &ProgramSection,
        (request, response): (usize, usize),
        [has_request, has_response]: [bool; 2],
        parts: Option<[Vec<ContainerPart>; 2]>,
    ) -> Result<ProgramProvider, String> {
        if let Some([request, response]) = parts {
            if section.request_container.is_some() || section.response_container.is_some() {
                return Err("the service's records name their containers, so the provider must not name any"
                    .to_owned());
            }
            let channel = container_name(section.channel.as_deref().unwrap_or(DEFAULT_CHANNEL))?;
            return self.provider(section, Interchange::Parts { channel, request, response }, UriForm::Url);
        }
        let interchange = match &section.channel {
            Some(channel) => {
                let named = section.request_container.as_deref().unwrap_or(DEFAULT_CONTAINER);
                let answer = section.response_container.as_deref().unwrap_or(named);
                Interchange::Containers {
                    channel: container_name(channel)?,
                    request: has_request.then(|| container_name(named)).transpose()?,
                    response: has_response.then(|| container_name(answer)).transpose()?,
                }
            }
            None if section.request_container.is_some() || section.response_container.is_some() => {
                return Err("containers go with 'channel'".to_owned());
            }
            None => {
                let bytes = request.max(response);
                if bytes > COMMAREA_MAX_BYTES {
                    return Err(format!(
                        "expected records of at most {COMMAREA_MAX_BYTES} bytes for a commarea, found {bytes}: use a channel"
                    ));
                }
                Interchange::Commarea { bytes, answer_bytes: response }
            }
        };
        self.provider(section, interchange, UriForm::Url)
    }

    /// The provider of a program that gets messages, whatever their length: as its commarea, or in a container.
    ///
    /// # Errors
    /// A name is wrong, or goes with another: the reason for people.
    pub fn message_provider(&mut self, section: &ProgramSection) -> Result<ProgramProvider, String> {
        if section.channel.is_some()
            || section.request_container.is_some()
            || section.response_container.is_some()
        {
            return self.record_provider(section, (0, 0), [true; 2], None);
        }
        let interchange = Interchange::Commarea { bytes: 0, answer_bytes: usize::MAX };
        self.provider(section, interchange, UriForm::Url)
    }

    /// The provider of a program that answers requests over HTTP itself. `span` is the place in `gantry.toml` that names
    /// it.
    ///
    /// # Errors
    /// A name that no program or transaction has: the reason for people.
    pub fn web_provider(
        &mut self,
        program: &str,
        transaction: &str,
        span: Range<usize>,
    ) -> Result<WebProvider, String> {
        let (program, transaction) = (checked("program", program)?, checked("transaction", transaction)?);
        self.programs.insert(program);
        self.web_places.entry(program).or_insert(span);
        Ok(WebProvider { region: self.slot.clone(), program, transaction })
    }

    /// Notes where a service names its program; the first place counts.
    pub(crate) fn note_place(&mut self, program: Name<8>, path: &str, span: Range<usize>) {
        self.places.entry(program).or_insert_with(|| (path.to_owned(), span));
    }

    /// Notes the commarea of a service, to be compared with the program's own.
    pub(crate) fn note_commarea(&mut self, path: &str, provider: &ProgramProvider) {
        if let Interchange::Commarea { bytes, .. } = provider.interchange {
            let program = String::from_utf8_lossy(&provider.program).into_owned();
            self.commareas.push(CommareaUse { path: path.to_owned(), program, bytes });
        }
    }

    /// The provider of a service of containers, whose URI it gets in one of two forms.
    pub(crate) fn channel_provider(
        &mut self,
        section: &ProgramSection,
        uri: UriForm,
    ) -> Result<ProgramProvider, String> {
        let Some(channel) = &section.channel else {
            return Err("a service of containers needs a program with 'channel'".to_owned());
        };
        let channel = container_name(channel)?;
        self.provider(section, Interchange::Channel { channel }, uri)
    }

    fn provider(
        &mut self,
        section: &ProgramSection,
        interchange: Interchange,
        uri: UriForm,
    ) -> Result<ProgramProvider, String> {
        let program = section.program.as_str();
        check_length("program", program, 8)?;
        check_length("transaction", &section.transaction, 4)?;
        let context = context(section, &interchange, uri)?;
        if section.use_http_status && matches!(interchange, Interchange::Commarea { .. }) {
            return Err(
                "'use_http_status' needs 'channel'; for a commarea, use status_field of the API's response"
                    .to_owned(),
            );
        }
        let program = name(program);
        self.programs.insert(program);
        Ok(ProgramProvider {
            region: self.slot.clone(),
            program,
            transaction: name(&section.transaction),
            interchange,
            context,
            states_status: section.use_http_status,
        })
    }
}

/// The parts of the request from outside that the program gets.
fn context(
    section: &ProgramSection,
    interchange: &Interchange,
    uri: UriForm,
) -> Result<Option<ContextContainers>, String> {
    let is_wanted = section.use_context_containers;
    match interchange {
        _ if !is_wanted && !section.http_headers.is_empty() => {
            return Err("'http_headers' goes with use_context_containers = true".to_owned());
        }
        _ if !is_wanted => return Ok(None),
        Interchange::Commarea { .. } => {
            return Err("context containers need 'channel'; a program with a commarea gets none".to_owned());
        }
        Interchange::Containers { request, response, .. } => {
            let of_context = |own: &&Name<16>| CONTEXT_CONTAINERS.iter().any(|known| name(known) == **own);
            if let Some(own) = [request, response].into_iter().flatten().find(of_context) {
                let own = String::from_utf8_lossy(own);
                return Err(format!(
                    "{} is a context container: name another for the record",
                    own.trim_end()
                ));
            }
        }
        Interchange::Parts { .. } | Interchange::Channel { .. } => {}
    }
    for header in &section.http_headers {
        if HeaderName::from_bytes(header.as_bytes()).is_err() {
            return Err(format!("expected names of headers in 'http_headers', found '{header}'"));
        }
    }
    Ok(Some(ContextContainers { uri, headers: section.http_headers.clone() }))
}

/// Warns of a package whose text has double-byte characters, which programs that run here cannot have: the pages of regions
/// are single-byte, and GnuCOBOL has no PIC G.
fn warn_of_double_bytes(loader: &mut Loader<'_>, path: &str, (written, ccsid): (&Spanned<u16>, u16)) {
    let encoding = Encoding::by_ccsid(*written.get_ref());
    if encoding.is_none_or(|encoding| encoding.double_byte().is_none()) {
        return;
    }
    let message = format!(
        "the package's text is in CCSID {}, which has double-byte characters; a program that runs here has its text in the region's \
         code page, CCSID {ccsid}, which has none. Text with such characters is refused, and so are fields of PIC G: the service needs \
         its program on the mainframe",
        written.get_ref()
    );
    loader.warn_at(path, written.span(), message);
}
