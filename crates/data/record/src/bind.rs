//! The bind: everything that one layout needs at request time, compiled when it is loaded.

use std::ops::Range;

use ::xml::{Cursor, Encoding, Open};
use codepage::Form;
use codepage::readable::position;
use copybook::{FieldId, Layout};

use crate::decode::{self, DecodePlan, Json, Parts, Source, Syntax};
use crate::encode::{JsonReader, ObjectPlan, RequestPolicies, Sink, Target};
use crate::error::{CompileError, Error, ErrorKind};
use crate::fields::slot_of;
use crate::model::{Member, Node, limit, model};
use crate::options::{DataTruncation, DuplicateFields, EmptyRows, MissingRows, Options, UnknownFields};
use crate::policies::Nulls;
use crate::schema::{Schema, SchemaRules, object_schema, scalar_schema};
use crate::shape::{Shape, short};
use crate::slot::Slot;
use crate::template::{template, with_blanks};
use crate::text::TextTables;
use crate::views::Rule;
use crate::xml::{self, ProgramInterface, XmlOutline, XmlPlan, XsdRules};

/// The compiled plan between JSON and the records of one layout.
///
/// A request runs [`Bind::start`], sets slots, [`Bind::fill`]s in the JSON and [`Bind::finish`]es; a response runs
/// [`Bind::decode`]. All of it is immutable and shared between requests.
#[derive(Debug)]
pub struct Bind {
    members: Vec<Member>,
    rules: Vec<Rule>,
    wrapper: Option<String>,
    encode: ObjectPlan,
    decode: DecodePlan,
    xml: XmlPlan,
    shape: Shape,
    template: Vec<u8>,
    /// The template as programs make it, if it differs and rows are compared with it.
    blanks: Option<Vec<u8>>,
    tables: TextTables,
    policies: RequestPolicies,
    data_truncation: DataTruncation,
    empty_rows: EmptyRows,
}

/// One elementary field outside of tables, to be set or read alone.
#[derive(Clone, Debug)]
pub struct FieldSlot {
    slot: Slot,
    /// The field's COBOL path, for messages.
    path: String,
}

impl FieldSlot {
    /// The schema of the field's values.
    #[must_use]
    pub fn schema(&self) -> Schema {
        scalar_schema(&self.slot)
    }

    /// The field's COBOL path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Bind {
    /// Compiles a layout with options.
    ///
    /// # Errors
    /// All faults: fields of types that JSON cannot show, defaults and limits that do not fit, names given
    /// twice, options for fields that do not show.
    pub fn compile(layout: &Layout, options: &Options) -> Result<Self, Vec<CompileError>> {
        check_encodings(options).map_err(|error| vec![error])?;
        let tables = TextTables::new(options.encoding);
        let shape = Shape::new(layout, options, &tables)?;
        let model = model(layout, options, &shape, &tables)?;
        let template = template(layout, options, &shape, &tables)?;
        check_initial_values(&model.members, &shape, layout, options, &template)?;
        let blanks = match options.empty_rows {
            EmptyRows::Keep => None,
            EmptyRows::OmitGroups | EmptyRows::Omit => with_blanks(layout, options, &shape, &tables)?,
        };
        let wrapper = options.wrapper.clone();
        let mut encode = ObjectPlan::new(&model.members, layout, &model.rules);
        if let Some(wrapper) = &wrapper {
            encode = encode.wrapped(wrapper);
        }
        let parts = Parts {
            members: &model.members,
            rules: &model.rules,
            layout,
            shape: &shape,
            truncation: options.data_truncation,
            unmatched: options.unmatched_views,
            empty_rows: options.empty_rows,
            wrapper: wrapper.as_deref(),
        };
        let decode = decode::plan(parts, Syntax::Json);
        let parts = Parts { wrapper: None, ..parts };
        let xml = XmlPlan::new(&model, parts, options).map_err(|error| vec![error])?;
        Ok(Self {
            members: model.members,
            rules: model.rules,
            wrapper,
            encode,
            decode,
            xml,
            shape,
            template,
            blanks,
            tables,
            policies: RequestPolicies {
                unknown_fields: options.unknown_fields,
                duplicate_fields: options.duplicate_fields,
                missing_rows: options.missing_rows,
                nulls: options.policies.nulls,
                counters: options.counters,
                unmatched_views: options.unmatched_views,
            },
            data_truncation: options.data_truncation,
            empty_rows: options.empty_rows,
        })
    }

    /// The dates that a request may leave out, and whose initial values are not dates: their names and fields.
    #[must_use]
    pub fn dates_without_value(&self) -> Vec<(&str, FieldId)> {
        let mut found = Vec::new();
        // A view has no initial value of its own.
        self.each_value(false, &mut |member, slot| {
            let bytes = &self.template[slot.offset..slot.offset + slot.bytes];
            if slot.is_date() && !member.required && slot.text_of(bytes, &self.tables).is_err() {
                found.push((member.name.as_str(), member.field));
            }
        });
        found
    }

    /// The names of dates that an answer cannot have if they are not set: blanks, zeros or low-values.
    #[must_use]
    pub fn dates_that_must_be_set(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.each_value(true, &mut |member, slot| {
            if slot.refuses_unset_date() {
                found.push(member.name.as_str());
            }
        });
        found
    }

    /// Visits every value that JSON shows, in the order of the record.
    fn each_value<'b>(&'b self, with_views: bool, visit: &mut dyn FnMut(&'b Member, &'b Slot)) {
        let counts = |member: &&Member| with_views || member.view.is_none();
        let mut pending: Vec<&Member> = self.members.iter().filter(counts).collect();
        pending.reverse();
        while let Some(member) = pending.pop() {
            match &member.node {
                Node::Object(inner) => pending.extend(inner.iter().filter(counts).rev()),
                Node::Scalar(slot) => visit(member, slot),
            }
        }
    }

    /// The names of fields that a request may leave out, and whose initial values are none of their condition names. It
    /// has none unless condition names are enforced.
    #[must_use]
    pub fn conditions_without_value(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.each_value(false, &mut |member, slot| {
            if !member.required && !slot.allows(&self.template[slot.offset..slot.offset + slot.bytes]) {
                found.push(member.name.as_str());
            }
        });
        found
    }

    /// True if JSON has any field at all.
    #[must_use]
    pub fn has_members(&self) -> bool {
        !self.members.is_empty()
    }

    /// The field that JSON shows at a path of names below the object around all fields: `order/item`. Arrays count as
    /// the objects in them.
    #[must_use]
    pub fn field_at(&self, path: &str) -> Option<FieldId> {
        let mut members = self.members.as_slice();
        let mut found = None;
        for name in path.split('/') {
            let member = members.iter().find(|member| member.name == name)?;
            found = Some(member.field);
            members = match &member.node {
                Node::Object(inner) => inner,
                Node::Scalar(_) => &[],
            };
        }
        found
    }

    /// Every field that JSON shows, with its path as [`Bind::field_at`] takes it. An object comes before its members.
    #[must_use]
    pub fn fields(&self) -> Vec<(String, FieldId)> {
        let mut fields = Vec::new();
        add_fields("", &self.members, &mut fields);
        fields
    }

    /// True if every record has the same length.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.shape.is_fixed()
    }

    /// The greatest length of a record, in bytes.
    #[must_use]
    pub fn max_bytes(&self) -> usize {
        self.template.len()
    }

    /// Makes `record` the template: initial values, tables at their largest.
    pub fn start(&self, record: &mut Vec<u8>) {
        record.clear();
        record.extend_from_slice(&self.template);
    }

    /// Writes the values of a JSON text into a started record.
    ///
    /// # Errors
    /// The first error in the text, with the field's path, line and column.
    pub fn fill(&self, json: &[u8], record: &mut [u8]) -> Result<(), Error> {
        let text = std::str::from_utf8(json).map_err(|error| {
            let at = error.valid_up_to();
            let valid = std::str::from_utf8(&json[..at]).unwrap_or_default();
            let error = Error::new(ErrorKind::Syntax, format!("byte {at} of the text is not UTF-8"));
            Error { position: Some(position(valid, at)), ..error }
        })?;
        JsonReader::new(text, self.sink(record, "array")).run(&self.encode)
    }

    fn sink<'a>(&'a self, record: &'a mut [u8], rows_in: &'static str) -> Sink<'a> {
        let target = Target {
            template: &self.template,
            tables: &self.tables,
            shape: &self.shape,
            rules: &self.rules,
            policies: self.policies,
        };
        Sink::new(record, target, rows_in)
    }

    /// Moves the parts of a filled record together, so that each table has the number of rows that its
    /// counter says.
    ///
    /// # Errors
    /// Tables that share a counter, or a counter that was set alone, have a number of rows that they do not
    /// allow.
    pub fn finish(&self, record: &mut Vec<u8>) -> Result<(), Error> {
        if self.shape.is_fixed() {
            return Ok(());
        }
        // The values came from the request, so the request is wrong.
        self.shape.compact(record).map_err(|error| Error { kind: ErrorKind::RowCount, offset: None, ..error })
    }

    /// Finds the JSON member that would contradict a value from elsewhere for a field: another view of its
    /// bytes, or the table whose rows it counts. None if no member does.
    #[must_use]
    pub fn conflict(&self, layout: &Layout, id: FieldId) -> Option<String> {
        let counter = self.shape.counter_of(id);
        let bytes = extent(layout, id);
        let mut pending: Vec<&Member> = self.members.iter().collect();
        while let Some(member) = pending.pop() {
            let path = layout.path(member.field);
            if counter.is_some() && member.table.is_some_and(|table| table.counter == counter) {
                return Some(format!("it counts the rows of {path}, which is in the body"));
            }
            if member.view.is_some() && layout.is_within(id, member.field) {
                return Some(format!(
                    "it is part of {path}, one of several views that the body chooses from"
                ));
            }
            let other = extent(layout, member.field);
            match &member.node {
                Node::Object(inner) => pending.extend(inner),
                Node::Scalar(_) if bytes.start < other.end && other.start < bytes.end => {
                    return Some(format!("its bytes are also those of {path}, which is in the body"));
                }
                Node::Scalar(_) => {}
            }
        }
        None
    }

    /// Makes the record of a JSON text: [`Bind::start`], [`Bind::fill`], [`Bind::finish`].
    ///
    /// # Errors
    /// As [`Bind::fill`].
    pub fn encode(&self, json: &[u8], record: &mut Vec<u8>) -> Result<(), Error> {
        self.start(record);
        self.fill(json, record)?;
        self.finish(record)
    }

    /// Writes a record as JSON at the end of `out`.
    ///
    /// # Errors
    /// Bytes that are not a value of their field's type, or a record of the wrong length, with the field's
    /// path and offset. `out` is then as it was.
    pub fn decode(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        self.decode_counting(record, out).map(drop)
    }

    /// The same, and gives the number of values that became null because the policies say so.
    ///
    /// # Errors
    /// As [`Bind::decode`].
    pub fn decode_counting(&self, record: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        self.decode.run::<Json>(record, self.source(), out)
    }

    fn source(&self) -> Source<'_> {
        Source {
            template: &self.template,
            blanks: self.blanks.as_deref(),
            tables: &self.tables,
            shape: &self.shape,
            rules: &self.rules,
        }
    }

    /// Writes the values of an XML document into a started record: UTF-8, or UTF-16 with a byte order mark.
    /// Elements have the names and the namespace of [`crate::XmlOptions`], and stand in the order of the
    /// copybook unless the options allow any. White space counts in text, and not around other values.
    /// `xsi:nil` is null. Other attributes of the namespace of `xsi` have no meaning. Further attributes go
    /// by [`crate::UnknownFields`].
    ///
    /// The receiver must limit the size of a document; memory grows with nothing else.
    ///
    /// # Errors
    /// The first error in the document, with the element's path, line and column. Document type declarations,
    /// processing instructions, and entities other than XML's own five are always errors.
    pub fn fill_xml(&self, xml: &[u8], record: &mut [u8]) -> Result<(), Error> {
        let (text, encoding) = ::xml::decode(xml)?;
        let mut cursor = Cursor::new(&text, encoding)?;
        self.xml.fill(&mut cursor, self.content(), self.sink(record, "document"))
    }

    /// The same for an element out of a document, such as the content of a SOAP body. `namespaces` are the prefixes,
    /// empty for the default one, and namespaces that are declared around it, outermost first. Lines and columns
    /// count from the element.
    ///
    /// # Errors
    /// As [`Bind::fill_xml`].
    pub fn fill_xml_part(
        &self,
        element: &str,
        namespaces: &[(&str, &str)],
        record: &mut [u8],
    ) -> Result<(), Error> {
        let mut cursor = Cursor::new(element, Encoding::Utf8)?;
        for (prefix, namespace) in namespaces {
            cursor.declare(prefix, namespace)?;
        }
        self.xml.fill(&mut cursor, self.content(), self.sink(record, "document"))
    }

    /// Writes the values of an element that a cursor has just opened into a started record, and passes the
    /// element's end. A reader of an envelope can open the body, and read the record in the same pass. The
    /// element must have the name and the namespace of [`Bind::xml_element`], with any prefix, declared
    /// anywhere. Lines and columns count from the start of the cursor's text.
    ///
    /// # Errors
    /// As [`Bind::fill_xml`]. The cursor is then somewhere in the element; [`Cursor::skip_to`] leads out of
    /// it, unless the kind of the error is [`ErrorKind::Syntax`] or [`ErrorKind::TooDeep`].
    pub fn fill_element<'a>(
        &self,
        cursor: &mut Cursor<'a>,
        open: &Open<'a>,
        record: &mut [u8],
    ) -> Result<(), Error> {
        self.xml.fill_element(cursor, open, self.content(), self.sink(record, "document"))
    }

    /// The plan of the record's object, without a wrapper.
    fn content(&self) -> &ObjectPlan {
        self.encode.content(self.wrapper.is_some())
    }

    /// Makes the record of an XML document: [`Bind::start`], [`Bind::fill_xml`], [`Bind::finish`].
    ///
    /// # Errors
    /// As [`Bind::fill_xml`].
    pub fn encode_xml(&self, xml: &[u8], record: &mut Vec<u8>) -> Result<(), Error> {
        self.start(record);
        self.fill_xml(xml, record)?;
        self.finish(record)
    }

    /// Writes a record as XML in UTF-8 at the end of `out`: one element, which is a document by itself. Write
    /// [`crate::XML_DECLARATION`] first for a declaration of XML in front of it.
    ///
    /// # Errors
    /// As [`Bind::decode`], and characters that XML cannot hold where the policies keep them.
    pub fn decode_xml(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        self.decode_xml_counting(record, out).map(drop)
    }

    /// The same, and gives the number of values that became nil because the policies say so. The element declares all
    /// that it needs, so it can be written into an envelope that is begun in `out`; after an error `out` is as it was.
    ///
    /// # Errors
    /// As [`Bind::decode_xml`].
    pub fn decode_xml_counting(&self, record: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        self.xml.write(record, self.source(), true, out)
    }

    /// The namespace, empty for none, and the name of the outermost element.
    #[must_use]
    pub fn xml_element(&self) -> (&str, &str) {
        (self.xml.namespace.as_deref().unwrap_or_default(), &self.xml.root)
    }

    /// The local names of elements whose values are base64. Names that another element of the record has too
    /// are left out.
    #[must_use]
    pub fn base64_elements(&self) -> Vec<String> {
        let (mut base64, mut others) = (Vec::new(), Vec::new());
        sort_by_form(self.xml.members(&self.members), &mut base64, &mut others);
        base64.retain(|name| !others.contains(name));
        base64.sort_unstable();
        base64.dedup();
        base64.into_iter().map(str::to_owned).collect()
    }

    /// The elements of the record with their places and types, for code that converts them elsewhere.
    ///
    /// # Errors
    /// Everything beyond fields of a fixed place with plain text or plain numbers.
    pub fn xml_outline(&self, layout: &Layout) -> Result<XmlOutline, Vec<CompileError>> {
        let policies = &self.policies;
        let is_strict = policies.unknown_fields == UnknownFields::Refuse
            && policies.duplicate_fields == DuplicateFields::Refuse
            && policies.missing_rows == MissingRows::Refuse
            && policies.nulls == Nulls::Refuse
            && self.data_truncation == DataTruncation::Refuse;
        if !is_strict {
            let message = "records that end early, or messages with more or less than the elements of the record, \
                           cannot be converted outside of Gantry";
            return Err(vec![CompileError { field: String::new(), line: 0, message: message.to_owned() }]);
        }
        self.xml.outline(&self.members, layout)
    }

    /// The same without declarations of namespaces, for one of many records in the element of
    /// [`Bind::xml_around`]; gives the number of values that became nil because the policies say so.
    ///
    /// # Errors
    /// As [`Bind::decode_xml`].
    pub fn decode_xml_part(&self, record: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        self.xml.write(record, self.source(), false, out)
    }

    /// The start tag and the end tag of an element around many records, with the declarations that they need. A
    /// `name` that XML does not allow is made valid as those of fields are.
    #[must_use]
    pub fn xml_around(&self, name: &str) -> (String, String) {
        self.xml.around(name)
    }

    /// The slot of an elementary field outside of tables.
    ///
    /// # Errors
    /// The field is a group, lies in a table, or has a type without a value.
    pub fn slot(&self, layout: &Layout, id: FieldId, options: &Options) -> Result<FieldSlot, CompileError> {
        let field = layout.field(id);
        let path = layout.path(id);
        let fail = |message: String| CompileError { field: path.clone(), line: field.place.line, message };
        if layout.around(id).any(|at| layout.field(at).occurs.is_some()) {
            return Err(fail("a field in a table has no single value".to_owned()));
        }
        if layout.around(id).any(|at| self.shape.moves_within(at)) {
            let message =
                "a field in a view of a REDEFINES with a table of varying length has no fixed place";
            return Err(fail(message.to_owned()));
        }
        let mut slot = slot_of(layout, id, options, &self.tables).map_err(fail)?;
        if let Some(choice) = options.fields.get(&id) {
            limit(&mut slot, choice).map_err(fail)?;
        }
        if let (Some(counter), Some(codec)) = (self.shape.counter_of(id), slot.codec.limits_mut()) {
            codec.greatest = codec.greatest.min(self.shape.counters[counter].max as i128);
            codec.least = codec.least.max(0);
        }
        Ok(FieldSlot { slot, path })
    }

    /// Sets one field of a started record from a parameter's text, converted to the field's type.
    ///
    /// # Errors
    /// The text does not fit the field.
    pub fn set(&self, slot: &FieldSlot, text: &str, record: &mut [u8]) -> Result<(), Error> {
        slot.slot.set_from_text(text, record, 0, &self.tables)
    }

    /// Reads one field of a record that came from a program.
    ///
    /// # Errors
    /// The bytes are not a value of the field's type, or the record ends before it.
    pub fn get(&self, slot: &FieldSlot, record: &[u8]) -> Result<String, Error> {
        self.read_slot(slot, record, |field| slot.slot.text_of(field, &self.tables))
    }

    /// The same for a value that may be left out: none if JSON leaves it out (`omit`, `omit_empty`).
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_unless_omitted(&self, slot: &FieldSlot, record: &[u8]) -> Result<Option<String>, Error> {
        self.read_slot(slot, record, |field| slot.slot.text_unless_omitted(field, &self.tables))
    }

    /// Finds the bytes of a field, and reads them.
    fn read_slot<T>(
        &self,
        slot: &FieldSlot,
        record: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let in_field = |error: Error| Error { path: slot.path.clone(), ..error };
        let accepts_end = self.data_truncation == DataTruncation::Accept;
        let at = match self.shape.locate(record, slot.slot.offset) {
            // The record ends before a counter, and so before the field.
            Err(error) if accepts_end && error.is_end_at(record.len()) => record.len(),
            at => at.map_err(in_field)?,
        };
        let field = match record.get(at..at + slot.slot.bytes) {
            Some(field) => field,
            None if accepts_end && at >= record.len() => {
                &self.template[slot.slot.offset..slot.slot.offset + slot.slot.bytes]
            }
            None => return Err(in_field(short(record.len(), at))),
        };
        read(field).map_err(|error| in_field(error.at_offset(at)))
    }

    /// The schema of the JSON that [`Bind::fill`] takes.
    #[must_use]
    pub fn request_schema(&self) -> Schema {
        self.schema(SchemaRules {
            closed: self.policies.unknown_fields == UnknownFields::Refuse,
            empty_rows: EmptyRows::Keep,
            rows_may_be_missing: self.policies.missing_rows == MissingRows::Initial,
            response: false,
        })
    }

    /// The schema of the JSON that [`Bind::decode`] writes.
    #[must_use]
    pub fn response_schema(&self) -> Schema {
        let rows_may_be_missing = self.data_truncation == DataTruncation::Accept;
        let empty_rows = self.empty_rows;
        self.schema(SchemaRules { closed: false, rows_may_be_missing, empty_rows, response: true })
    }

    /// The XML Schema (1.0) of the documents that [`Bind::fill_xml`] takes: one element with all types
    /// inside. There is no declaration of XML in front of it, so that it can stand in a WSDL document. It
    /// does not describe elements that the options ignore ([`crate::UnknownFields::Ignore`]), nor another
    /// order than that of the copybook ([`crate::ElementOrder::Any`]). Nor does it know [`crate::XmlField`]:
    /// the foreign schema describes those names.
    #[must_use]
    pub fn request_xsd(&self) -> String {
        self.xsd(self.request_rules(), xml::Shape::Record)
    }

    /// The XML Schema (1.0) of the documents that [`Bind::decode_xml`] writes; as [`Bind::request_xsd`].
    #[must_use]
    pub fn response_xsd(&self) -> String {
        self.xsd(self.response_rules(), xml::Shape::Record)
    }

    /// The same documents as [`Bind::request_xsd`], in the shape of DFHLS2WS: an element `xsd:schema` with
    /// a type with a name, a global element of it, and annotations with the length of text and
    /// SYNCHRONIZED. All fields must be there, in the order of the copybook, even if the bind takes less.
    /// A mapping level such as `3.0` gives the type the name `ProgramInterface`.
    #[must_use]
    pub fn request_program_interface<'i>(&self, interface: impl Into<ProgramInterface<'i>>) -> String {
        self.xsd(self.request_rules(), xml::Shape::ProgramInterface(interface.into()))
    }

    /// The documents of [`Bind::response_xsd`], in the shape of [`Bind::request_program_interface`].
    #[must_use]
    pub fn response_program_interface<'i>(&self, interface: impl Into<ProgramInterface<'i>>) -> String {
        self.xsd(self.response_rules(), xml::Shape::ProgramInterface(interface.into()))
    }

    fn request_rules(&self) -> XsdRules {
        XsdRules {
            response: false,
            empty_rows: EmptyRows::Keep,
            rows_may_be_missing: self.policies.missing_rows == MissingRows::Initial,
            tables_may_be_empty: true,
            groups_may_be_nil: self.policies.nulls != Nulls::Refuse,
        }
    }

    fn response_rules(&self) -> XsdRules {
        XsdRules {
            response: true,
            empty_rows: self.empty_rows,
            rows_may_be_missing: self.data_truncation == DataTruncation::Accept,
            tables_may_be_empty: self.shape.may_be_empty(),
            groups_may_be_nil: false,
        }
    }

    fn xsd(&self, rules: XsdRules, shape: xml::Shape<'_>) -> String {
        let members = self.xml.members(&self.members);
        xml::schema(&self.xml.root, self.xml.namespace.as_deref(), members, rules, shape)
    }

    fn schema(&self, rules: SchemaRules) -> Schema {
        let record = object_schema(&self.members, rules);
        let Some(wrapper) = &self.wrapper else { return record };
        let required = if record.required.is_empty() { Vec::new() } else { vec![wrapper.clone()] };
        Schema { required, closed: rules.closed, ..Schema::object(vec![(wrapper.clone(), record)]) }
    }
}

/// Records need digits of one byte, national fields UTF-16.
/// Adds the fields of an object, each with its path.
fn add_fields(path: &str, members: &[Member], fields: &mut Vec<(String, FieldId)>) {
    for member in members {
        let path = if path.is_empty() { member.name.clone() } else { format!("{path}/{}", member.name) };
        fields.push((path.clone(), member.field));
        if let Node::Object(inner) = &member.node {
            add_fields(&path, inner, fields);
        }
    }
}

fn check_encodings(options: &Options) -> Result<(), CompileError> {
    let fail = |message: String| Err(CompileError { field: String::new(), line: 0, message });
    let (text, national) = (options.encoding, options.national);
    if text.family().is_none() {
        return fail(format!("CCSID {} cannot be that of a record: its digits have two bytes", text.ccsid()));
    }
    if national.form() != Form::Utf16 {
        return fail(format!("national characters are UTF-16, CCSID 1200 or 1202, not {}", national.ccsid()));
    }
    Ok(())
}

/// The bytes of a field and all its rows, in the first row of the tables around it.
fn extent(layout: &Layout, id: FieldId) -> Range<usize> {
    let field = layout.field(id);
    let rows = field.occurs.map_or(1, |occurs| occurs.max as usize);
    field.offset..field.offset + field.bytes * rows
}

/// Checks the initial values of the options. A field with limits that JSON may leave out must start within
/// them. A counter must not get rows that its array would overwrite.
fn check_initial_values(
    members: &[Member],
    shape: &Shape,
    layout: &Layout,
    options: &Options,
    template: &[u8],
) -> Result<(), Vec<CompileError>> {
    let mut errors = Vec::new();
    let mut fail = |id: FieldId, message: String| {
        let line = layout.field(id).place.line;
        errors.push(CompileError { field: layout.path(id), line, message });
    };
    let mut pending: Vec<&Member> = members.iter().collect();
    while let Some(member) = pending.pop() {
        let choice = options.fields.get(&member.field);
        let limited = choice.is_some_and(|choice| choice.minimum.is_some() || choice.maximum.is_some());
        match &member.node {
            Node::Object(inner) => pending.extend(inner),
            Node::Scalar(slot) if limited && !member.required => {
                if let Err(error) = slot.codec.read_number(&template[slot.offset..slot.offset + slot.bytes]) {
                    let reason = error.message;
                    fail(
                        member.field,
                        format!(
                            "its initial value is outside of its limits ({reason}); give it a default, or say required = true"
                        ),
                    );
                }
            }
            Node::Scalar(_) => {}
        }
        let counter =
            member.table.and_then(|table| table.counter).map(|counter| shape.counters[counter].field);
        if let Some(counter) = counter
            && options.fields.get(&counter).is_some_and(|choice| choice.default.is_some())
        {
            let message =
                "a default is given for the counter of a table, which is filled from the array's length";
            fail(counter, message.to_owned());
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Sorts the local names of members by whether their values are base64.
fn sort_by_form<'m>(members: &'m [Member], base64: &mut Vec<&'m str>, others: &mut Vec<&'m str>) {
    for member in members {
        let name = member.name.rsplit(':').next().unwrap_or_default();
        match &member.node {
            Node::Scalar(slot) if slot.is_base64() => base64.push(name),
            Node::Scalar(_) => others.push(name),
            Node::Object(inner) => {
                others.push(name);
                sort_by_form(inner, base64, others);
            }
        }
    }
}
