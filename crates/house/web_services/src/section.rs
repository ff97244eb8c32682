//! `soap/NAME.toml` in its written form.

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
    /// The path of messages; the default is `/cics/services/NAME`.
    pub(crate) path: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) versions: VersionsWord,
    /// The target namespace of the WSDL. The default namespaces of the elements derive from it.
    pub(crate) namespace: Option<Spanned<String>>,
    /// The level of DFHLS2WS whose schemas the WSDL has; none for Gantry's own schemas.
    pub(crate) mapping_level: Option<Level>,
    /// A WSDL from elsewhere, served in place of one made from the services.
    pub(crate) wsdl: Option<Spanned<String>>,
    /// The rule for names of elements; the default is that of the service.
    pub(crate) naming: Option<Naming>,
    #[serde(default)]
    pub(crate) faults: FaultsWord,
    /// The pipeline whose programs see its messages.
    pub(crate) pipeline: Option<Spanned<String>>,
    /// Whether messages may be MIME packages (MTOM), and answers, too.
    pub(crate) mtom: Option<Spanned<MtomWord>>,
    /// True if messages may name the caller.
    pub(crate) username_token: Option<Spanned<bool>>,
    #[serde(default)]
    pub(crate) security: OwnSecuritySection,
    #[serde(default)]
    pub(crate) limits: CallLimitsSection,
    pub(crate) cors: Option<CorsSection>,
    #[serde(default)]
    pub(crate) interceptors: ChainSection,
    /// The rule set in `policies/` that turns headers into properties. It replaces the global one.
    pub(crate) policy: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) operation: Vec<OperationSection>,
}

/// `[[operation]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperationSection {
    pub(crate) service: Spanned<String>,
    /// The element in the body; the default is the service's name and `Operation`.
    pub(crate) name: Option<Spanned<String>>,
    /// The element of the answer; the default is the name and `Response`.
    pub(crate) response: Option<Spanned<String>>,
    pub(crate) request_namespace: Option<Spanned<String>>,
    pub(crate) response_namespace: Option<Spanned<String>>,
    /// The action that the WSDL demands of clients.
    #[serde(default)]
    pub(crate) soap_action: String,
    /// The action of the answer in WS-Addressing.
    pub(crate) response_action: Option<String>,
    /// True if there is not an answer.
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
    /// Only one version.
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
    /// The answer to a package is a package, too.
    Same,
    /// All answers are packages.
    Yes,
    /// Packages are accepted, but no answer is one.
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
    /// The sender of a wrong value gets the blame.
    #[default]
    Gantry,
    /// The style of CICS.
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
