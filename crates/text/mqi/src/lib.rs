//! The Message Queue Interface (MQI) for COBOL programs: structures, constants, and the copybooks that
//! declare them.
//!
//! [`copybook`] writes the members that programs COPY: CMQV with the constants, and for each structure a
//! member with initial values (CMQMDV) and one without (CMQMDL). They are written from the tables of
//! [`Structure`] and of `constants.txt`. [`Fields`] uses the same tables to read and change a structure in
//! the memory of a program, so a copybook and the code that answers a call cannot differ.
//!
//! Names, orders, lengths and values are the documented ones (IBM MQ, "Data types used in the MQI" and
//! "Constants"). Numbers have four bytes, the highest first, as BINARY has in these programs. Addresses have
//! eight bytes, so the parts of MQOD and MQPMO from version 2 on are longer than on a mainframe.
//!
//! Deliberately absent: the work of a call, and code pages. Texts are bytes here.

mod constants;
mod copybooks;
mod dead_letter;
mod fields;
mod handles;
mod structures;
mod varying;

pub use constants::constant;
pub use copybooks::{MEMBERS, copybook};
pub use dead_letter::DeadLetterHeader;
pub use fields::{BadStructure, Fields, padded};
pub use handles::{
    CREATE_HANDLE, DELETE_HANDLE, DELETE_PROPERTY, INQUIRE_PROPERTY, PROPERTY, RULES_HEADER_2, SET_PROPERTY,
    VARYING_TEXT,
};
pub use structures::{
    DEAD_LETTER, Field, GET_OPTIONS, Kind, MESSAGE, OBJECT, PUT_OPTIONS, SUBSCRIPTION, SUBSCRIPTION_REQUEST,
    Structure, TRIGGER,
};
pub use varying::{BadVarying, Place, Varying};
