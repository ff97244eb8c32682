//! `soap/NAME.toml` as it is written.

use admission::config::{CallLimitsSection, CorsSection, OwnSecuritySection};
use record::Naming;
use recording::config::ChainSection;
use serde::Deserialize;
use soap::{FaultStyle, Mtom, SendMtom, Version, Versions};
use toml::Spanned;
use web_service::Level;

/// `soap/NAME.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebServiceFile {
    #[serde(default)]
    pub(crate) description: String,
    /// Where messages are taken; `/cics/services/NAME` if it is not said.
    pub(crate) path: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) versions: VersionsWord,
    /// The target namespace of the WSDL; those of the elements follow from it.
    pub(crate) namespace: Option<Spanned<String>>,
    /// The schemas of the WSDL have the shape that DFHLS2WS gives them at this level; none for the shape of Gantry.
    pub(crate) mapping_level: Option<Level>,
    /// A WSDL of others that is served in place of one that follows from the services.
    pub(crate) wsdl: Option<Spanned<String>>,
    /// How elements get their names; as the service has it if it is not said.
    pub(crate) naming: Option<Naming>,
    #[serde(default)]
    pub(crate) faults: FaultsWord,
    /// The pipeline whose programs see its messages.
    pub(crate) pipeline: Option<Spanned<String>>,
    /// Messages may be MIME packages (MTOM), and so may answers.
    pub(crate) mtom: Option<Spanned<MtomWord>>,
    /// Messages may say who calls.
    pub(crate) username_token: Option<Spanned<bool>>,
    #[serde(default)]
    pub(crate) security: OwnSecuritySection,
    #[serde(default)]
    pub(crate) limits: CallLimitsSection,
    pub(crate) cors: Option<CorsSection>,
    #[serde(default)]
    pub(crate) interceptors: ChainSection,
    /// The rule set in `policies/` that turns headers into properties, in place of the global one.
    pub(crate) policy: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) operation: Vec<OperationSection>,
}

/// `[[operation]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperationSection {
    pub(crate) service: Spanned<String>,
    /// The element in the body; the service's name and `Operation` if it is not said.
    pub(crate) name: Option<Spanned<String>>,
    /// The element of the answer; the name and `Response` if it is not said.
    pub(crate) response: Option<Spanned<String>>,
    pub(crate) request_namespace: Option<Spanned<String>>,
    pub(crate) response_namespace: Option<Spanned<String>>,
    /// The action that the WSDL asks clients for.
    #[serde(default)]
    pub(crate) soap_action: String,
    /// What WS-Addressing calls the answer.
    pub(crate) response_action: Option<String>,
    /// There is no answer.
    #[serde(default)]
    pub(crate) one_way: bool,
}

/// `versions`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) enum VersionsWord {
    #[default]
    #[serde(rename = "all")]
    All,
    #[serde(rename = "1.1")]
    Soap11,
    #[serde(rename = "1.2")]
    Soap12,
}

impl VersionsWord {
    /// One version alone.
    pub(crate) fn only(version: Version) -> Self {
        match version {
            Version::Soap11 => VersionsWord::Soap11,
            Version::Soap12 => VersionsWord::Soap12,
        }
    }

    pub(crate) fn of_soap(self) -> Versions {
        match self {
            VersionsWord::All => Versions::All,
            VersionsWord::Soap11 => Versions::Only(Version::Soap11),
            VersionsWord::Soap12 => Versions::Only(Version::Soap12),
        }
    }

    pub(crate) fn of_wsdl(self) -> wsdl::Versions {
        match self {
            VersionsWord::All => wsdl::Versions::All,
            VersionsWord::Soap11 => wsdl::Versions::V11,
            VersionsWord::Soap12 => wsdl::Versions::V12,
        }
    }
}

/// `mtom`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MtomWord {
    /// The answer to a package is one too.
    Same,
    /// All answers are packages.
    Yes,
    /// Packages are taken, and no answer is one.
    No,
}

impl MtomWord {
    pub(crate) fn of_soap(self) -> Mtom {
        let send = match self {
            MtomWord::Same => SendMtom::Same,
            MtomWord::Yes => SendMtom::Yes,
            MtomWord::No => SendMtom::No,
        };
        Mtom { send, ..Mtom::default() }
    }
}

/// `faults`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FaultsWord {
    /// Whoever sends a wrong value is told so.
    #[default]
    Gantry,
    /// As CICS has it.
    Cics,
}

impl FaultsWord {
    pub(crate) fn style(self) -> FaultStyle {
        match self {
            FaultsWord::Gantry => FaultStyle::Gantry,
            FaultsWord::Cics => FaultStyle::Cics,
        }
    }
}
