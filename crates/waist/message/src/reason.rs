//! The reasons for a refusal: the reason codes of IBM MQ, by number and name.
//!
//! Source of numbers and names: IBM MQ, "API completion and reason codes".

use std::fmt;

macro_rules! reasons {
    ($($variant:ident = $code:literal $name:literal,)*) => {
        /// The reason of a completion. The doc of each one is its name in IBM MQ.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Reason {
            $(#[doc = $name] $variant = $code,)*
        }

        impl Reason {
            /// All reasons, by their numbers.
            pub const ALL: &[Reason] = &[$(Reason::$variant,)*];

            /// Its number.
            #[must_use]
            pub fn code(self) -> u32 {
                self as u32
            }

            /// Its name in IBM MQ: `MQRC_Q_FULL`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

reasons! {
    None = 0 "MQRC_NONE",
    AliasBaseQueueType = 2001 "MQRC_ALIAS_BASE_Q_TYPE_ERROR",
    AlreadyConnected = 2002 "MQRC_ALREADY_CONNECTED",
    BackedOut = 2003 "MQRC_BACKED_OUT",
    Buffer = 2004 "MQRC_BUFFER_ERROR",
    BufferLength = 2005 "MQRC_BUFFER_LENGTH_ERROR",
    CharAttributeLength = 2006 "MQRC_CHAR_ATTR_LENGTH_ERROR",
    CharAttributes = 2007 "MQRC_CHAR_ATTRS_ERROR",
    CharAttributesTooShort = 2008 "MQRC_CHAR_ATTRS_TOO_SHORT",
    ConnectionBroken = 2009 "MQRC_CONNECTION_BROKEN",
    DataLength = 2010 "MQRC_DATA_LENGTH_ERROR",
    DynamicQueueName = 2011 "MQRC_DYNAMIC_Q_NAME_ERROR",
    Environment = 2012 "MQRC_ENVIRONMENT_ERROR",
    Expiry = 2013 "MQRC_EXPIRY_ERROR",
    Feedback = 2014 "MQRC_FEEDBACK_ERROR",
    GetInhibited = 2016 "MQRC_GET_INHIBITED",
    HandleNotAvailable = 2017 "MQRC_HANDLE_NOT_AVAILABLE",
    ConnectionHandle = 2018 "MQRC_HCONN_ERROR",
    ObjectHandle = 2019 "MQRC_HOBJ_ERROR",
    InhibitValue = 2020 "MQRC_INHIBIT_VALUE_ERROR",
    IntAttributeCount = 2021 "MQRC_INT_ATTR_COUNT_ERROR",
    IntAttributeCountTooSmall = 2022 "MQRC_INT_ATTR_COUNT_TOO_SMALL",
    IntAttributesArray = 2023 "MQRC_INT_ATTRS_ARRAY_ERROR",
    SyncpointLimitReached = 2024 "MQRC_SYNCPOINT_LIMIT_REACHED",
    MaxConnectionsReached = 2025 "MQRC_MAX_CONNS_LIMIT_REACHED",
    MessageDescriptor = 2026 "MQRC_MD_ERROR",
    MissingReplyToQueue = 2027 "MQRC_MISSING_REPLY_TO_Q",
    MessageType = 2029 "MQRC_MSG_TYPE_ERROR",
    MessageTooBigForQueue = 2030 "MQRC_MSG_TOO_BIG_FOR_Q",
    MessageTooBigForManager = 2031 "MQRC_MSG_TOO_BIG_FOR_Q_MGR",
    NoMessageAvailable = 2033 "MQRC_NO_MSG_AVAILABLE",
    NoMessageUnderCursor = 2034 "MQRC_NO_MSG_UNDER_CURSOR",
    NotAuthorized = 2035 "MQRC_NOT_AUTHORIZED",
    NotOpenForBrowse = 2036 "MQRC_NOT_OPEN_FOR_BROWSE",
    NotOpenForInput = 2037 "MQRC_NOT_OPEN_FOR_INPUT",
    NotOpenForInquire = 2038 "MQRC_NOT_OPEN_FOR_INQUIRE",
    NotOpenForOutput = 2039 "MQRC_NOT_OPEN_FOR_OUTPUT",
    NotOpenForSet = 2040 "MQRC_NOT_OPEN_FOR_SET",
    ObjectChanged = 2041 "MQRC_OBJECT_CHANGED",
    ObjectInUse = 2042 "MQRC_OBJECT_IN_USE",
    ObjectType = 2043 "MQRC_OBJECT_TYPE_ERROR",
    ObjectDescriptor = 2044 "MQRC_OD_ERROR",
    OptionNotValidForType = 2045 "MQRC_OPTION_NOT_VALID_FOR_TYPE",
    Options = 2046 "MQRC_OPTIONS_ERROR",
    Persistence = 2047 "MQRC_PERSISTENCE_ERROR",
    PersistentNotAllowed = 2048 "MQRC_PERSISTENT_NOT_ALLOWED",
    PriorityExceedsMaximum = 2049 "MQRC_PRIORITY_EXCEEDS_MAXIMUM",
    Priority = 2050 "MQRC_PRIORITY_ERROR",
    PutInhibited = 2051 "MQRC_PUT_INHIBITED",
    QueueDeleted = 2052 "MQRC_Q_DELETED",
    QueueFull = 2053 "MQRC_Q_FULL",
    QueueNotEmpty = 2055 "MQRC_Q_NOT_EMPTY",
    QueueSpaceNotAvailable = 2056 "MQRC_Q_SPACE_NOT_AVAILABLE",
    QueueType = 2057 "MQRC_Q_TYPE_ERROR",
    ManagerName = 2058 "MQRC_Q_MGR_NAME_ERROR",
    ManagerNotAvailable = 2059 "MQRC_Q_MGR_NOT_AVAILABLE",
    ReportOptions = 2061 "MQRC_REPORT_OPTIONS_ERROR",
    SecondMarkNotAllowed = 2062 "MQRC_SECOND_MARK_NOT_ALLOWED",
    Security = 2063 "MQRC_SECURITY_ERROR",
    SelectorCount = 2065 "MQRC_SELECTOR_COUNT_ERROR",
    SelectorLimitExceeded = 2066 "MQRC_SELECTOR_LIMIT_EXCEEDED",
    Selector = 2067 "MQRC_SELECTOR_ERROR",
    SelectorNotForType = 2068 "MQRC_SELECTOR_NOT_FOR_TYPE",
    StorageNotAvailable = 2071 "MQRC_STORAGE_NOT_AVAILABLE",
    SyncpointNotAvailable = 2072 "MQRC_SYNCPOINT_NOT_AVAILABLE",
    TriggerControl = 2075 "MQRC_TRIGGER_CONTROL_ERROR",
    TriggerDepth = 2076 "MQRC_TRIGGER_DEPTH_ERROR",
    TriggerMessagePriority = 2077 "MQRC_TRIGGER_MSG_PRIORITY_ERR",
    TriggerType = 2078 "MQRC_TRIGGER_TYPE_ERROR",
    TruncatedAccepted = 2079 "MQRC_TRUNCATED_MSG_ACCEPTED",
    TruncatedFailed = 2080 "MQRC_TRUNCATED_MSG_FAILED",
    UnknownAliasBaseQueue = 2082 "MQRC_UNKNOWN_ALIAS_BASE_Q",
    UnknownObjectName = 2085 "MQRC_UNKNOWN_OBJECT_NAME",
    UnknownObjectManager = 2086 "MQRC_UNKNOWN_OBJECT_Q_MGR",
    UnknownRemoteManager = 2087 "MQRC_UNKNOWN_REMOTE_Q_MGR",
    WaitInterval = 2090 "MQRC_WAIT_INTERVAL_ERROR",
    ObjectAlreadyExists = 2100 "MQRC_OBJECT_ALREADY_EXISTS",
    ObjectDamaged = 2101 "MQRC_OBJECT_DAMAGED",
    ResourceProblem = 2102 "MQRC_RESOURCE_PROBLEM",
    Format = 2110 "MQRC_FORMAT_ERROR",
    SourceCcsid = 2111 "MQRC_SOURCE_CCSID_ERROR",
    TargetCcsid = 2115 "MQRC_TARGET_CCSID_ERROR",
    NotConverted = 2119 "MQRC_NOT_CONVERTED",
    ConvertedMessageTooBig = 2120 "MQRC_CONVERTED_MSG_TOO_BIG",
    ManagerQuiescing = 2161 "MQRC_Q_MGR_QUIESCING",
    ManagerStopping = 2162 "MQRC_Q_MGR_STOPPING",
    PutOptions = 2173 "MQRC_PMO_ERROR",
    GetOptions = 2186 "MQRC_GMO_ERROR",
    PageSetFull = 2192 "MQRC_PAGESET_FULL",
    PageSet = 2193 "MQRC_PAGESET_ERROR",
    Unexpected = 2195 "MQRC_UNEXPECTED_ERROR",
    AdapterNotAvailable = 2204 "MQRC_ADAPTER_NOT_AVAILABLE",
    MessageId = 2206 "MQRC_MSG_ID_ERROR",
    CorrelationId = 2207 "MQRC_CORREL_ID_ERROR",
    MatchOptions = 2247 "MQRC_MATCH_OPTIONS_ERROR",
    UnitNotAvailable = 2255 "MQRC_UOW_NOT_AVAILABLE",
    WrongGetOptionsVersion = 2256 "MQRC_WRONG_GMO_VERSION",
    WrongDescriptorVersion = 2257 "MQRC_WRONG_MD_VERSION",
    BackoutThresholdReached = 2362 "MQRC_BACKOUT_THRESHOLD_REACHED",
    SubscriptionDescriptor = 2424 "MQRC_SD_ERROR",
    TopicString = 2425 "MQRC_TOPIC_STRING_ERROR",
    NoSubscription = 2428 "MQRC_NO_SUBSCRIPTION",
    SubscriptionInUse = 2429 "MQRC_SUBSCRIPTION_IN_USE",
    SubscriptionUserData = 2431 "MQRC_SUB_USER_DATA_ERROR",
    SubscriptionExists = 2432 "MQRC_SUB_ALREADY_EXISTS",
    IdentityMismatch = 2434 "MQRC_IDENTITY_MISMATCH",
    AlterSubscription = 2435 "MQRC_ALTER_SUB_ERROR",
    NoRetainedMessage = 2437 "MQRC_NO_RETAINED_MSG",
    SubscriptionRequestOptions = 2438 "MQRC_SRO_ERROR",
    SubscriptionName = 2440 "MQRC_SUB_NAME_ERROR",
    ObjectString = 2441 "MQRC_OBJECT_STRING_ERROR",
    PropertyName = 2442 "MQRC_PROPERTY_NAME_ERROR",
    MessageHandle = 2460 "MQRC_HMSG_ERROR",
    CreateHandleOptions = 2461 "MQRC_CMHO_ERROR",
    DeleteHandleOptions = 2462 "MQRC_DMHO_ERROR",
    SetPropertyOptions = 2463 "MQRC_SMPO_ERROR",
    InquirePropertyOptions = 2464 "MQRC_IMPO_ERROR",
    PropertyNameTooBig = 2465 "MQRC_PROPERTY_NAME_TOO_BIG",
    PropertyValueNotConverted = 2466 "MQRC_PROP_VALUE_NOT_CONVERTED",
    PropertyValueTooBig = 2469 "MQRC_PROPERTY_VALUE_TOO_BIG",
    PropertyConversion = 2470 "MQRC_PROP_CONV_NOT_SUPPORTED",
    PropertyNotAvailable = 2471 "MQRC_PROPERTY_NOT_AVAILABLE",
    PropertyNumberFormat = 2472 "MQRC_PROP_NUMBER_FORMAT_ERROR",
    PropertyType = 2473 "MQRC_PROPERTY_TYPE_ERROR",
    PropertiesTooBig = 2478 "MQRC_PROPERTIES_TOO_BIG",
    DeletePropertyOptions = 2481 "MQRC_DMPO_ERROR",
    PropertyDescriptor = 2482 "MQRC_PD_ERROR",
    UnsupportedProperty = 2490 "MQRC_UNSUPPORTED_PROPERTY",
    PropertyNameNotConverted = 2492 "MQRC_PROP_NAME_NOT_CONVERTED",
    PublicationFailure = 2502 "MQRC_PUBLICATION_FAILURE",
    DurabilityNotAlterable = 2509 "MQRC_DURABILITY_NOT_ALTERABLE",
    TopicNotAlterable = 2510 "MQRC_TOPIC_NOT_ALTERABLE",
    PropertyNameLength = 2513 "MQRC_PROPERTY_NAME_LENGTH_ERR",
    SelectorInvalidForType = 2516 "MQRC_SELECTOR_INVALID_FOR_TYPE",
    ResolvedObjectString = 2520 "MQRC_RES_OBJECT_STRING_ERROR",
    Action = 2535 "MQRC_ACTION_ERROR",
    HostNotAvailable = 2538 "MQRC_HOST_NOT_AVAILABLE",
    NoSubscriptionsMatched = 2550 "MQRC_NO_SUBS_MATCHED",
    SelectionNotAvailable = 2551 "MQRC_SELECTION_NOT_AVAILABLE",
    CommandFailed = 3008 "MQRCCF_COMMAND_FAILED",
}

impl Reason {
    /// The reason of a number.
    #[must_use]
    pub fn of_code(code: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.code() == code)
    }
}

/// A request that a queue manager did not carry out: its completion code is `MQCC_FAILED`, 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// The expected and the found value, for people. It names queues and limits, and holds no bytes of
    /// messages.
    pub text: String,
    /// True if nobody knows whether the request was carried out: the disk failed while it was written.
    pub outcome_unknown: bool,
}

impl Refusal {
    /// A request that was not carried out.
    #[must_use]
    pub fn failed(reason: Reason, text: impl Into<String>) -> Self {
        Self { reason, text: text.into(), outcome_unknown: false }
    }

    /// The disk failed while the request was written. Only opening the store again shows whether it was
    /// carried out.
    #[must_use]
    pub fn unknown(text: impl Into<String>) -> Self {
        Self { outcome_unknown: true, ..Self::failed(Reason::ResourceProblem, text) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {})", self.text, self.reason.code(), self.reason.name())
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        refusal.reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_those_of_ibm_mq() {
        assert_eq!((Reason::QueueFull.code(), Reason::QueueFull.name()), (2053, "MQRC_Q_FULL"));
        assert_eq!(Reason::of_code(2085), Some(Reason::UnknownObjectName));
        assert_eq!(Reason::of_code(1), None);
        let mut codes: Vec<u32> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Reason::ALL.len());
        assert!(Reason::ALL.iter().all(|reason| reason.name().starts_with("MQRC")));
    }

    #[test]
    fn a_refusal_shows_its_reason() {
        let refusal = Refusal::failed(Reason::GetInhibited, "DEV.QUEUE.1: gets are inhibited");
        assert_eq!(refusal.to_string(), "DEV.QUEUE.1: gets are inhibited (2016 MQRC_GET_INHIBITED)");
    }
}
