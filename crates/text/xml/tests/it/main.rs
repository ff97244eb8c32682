//! Texts through the cursor, beside another reader of XML, and by hand.

mod cursor;
mod encodings;
mod events;
mod events_oracle;
mod oracle;
mod random;
mod written;
