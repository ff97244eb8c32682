
enum {
    GANTRY_SYNTAX = 1,   /* the text is no XML, or XML with a DTD or a processing instruction */
    GANTRY_ELEMENTS = 2, /* the elements are not those of the message */
    GANTRY_VALUE = 3,    /* a value does not fit its field */
    GANTRY_RECORD = 4,   /* the bytes of a field are no value of its type, or the record has another length */
    GANTRY_ROOM = 5      /* there is no room for the text; its length is told */
};

struct gantry_field {
    const char *name;
    unsigned char kind, sign, justified, trimmed;
    unsigned scale;
    size_t offset, bytes;
    /* How often it occurs, and from one row to the next. */
    size_t rows, stride;
    __int128 least, greatest;
    const struct gantry_field *members;
    size_t count;
};

struct gantry_message {
    const char *name, *namespace, *open, *close;
    size_t bytes;
    const unsigned char *initial;
    const struct gantry_field *fields;
    size_t count;
};

/* Everything below is the same for all programs. Nothing is allocated, and no library is called. */

enum { GANTRY_TEXT, GANTRY_ZONED, GANTRY_PACKED, GANTRY_BINARY, GANTRY_GROUP };
enum { SIGN_NONE, SIGN_TRAILING, SIGN_LEADING, SIGN_TRAILING_SEPARATE, SIGN_LEADING_SEPARATE };
enum { GANTRY_ATTRIBUTES_MAX = 64, GANTRY_NAMESPACES_MAX = 64, GANTRY_NAME_MAX = 1024, GANTRY_DIGITS_MAX = 38 };

#define GANTRY_XSI "http://www.w3.org/2001/XMLSchema-instance"
#define GANTRY_XML "http://www.w3.org/XML/1998/namespace"
#define GANTRY_XMLNS "http://www.w3.org/2000/xmlns/"

struct gantry_span {
    const unsigned char *at, *end;
};

struct gantry_namespace {
    unsigned depth;
    struct gantry_span prefix, uri;
};

struct gantry_reader {
    const unsigned char *start, *at, *end;
    unsigned char *record;
    const char *namespace;
    /* The element that was opened last has no end tag. */
    int is_empty;
    /* Within a CDATA section of a text. */
    int in_data;
    unsigned depth, namespaces;
    struct gantry_span name[GANTRY_DEPTH];
    struct gantry_namespace scope[GANTRY_NAMESPACES_MAX];
};

struct gantry_attribute {
    struct gantry_span name, value;
};

static size_t gantry_length(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static int gantry_same(struct gantry_span one, struct gantry_span other)
{
    if (one.end - one.at != other.end - other.at)
        return 0;
    while (one.at < one.end)
        if (*one.at++ != *other.at++)
            return 0;
    return 1;
}

static struct gantry_span gantry_of(const char *text)
{
    struct gantry_span span = {(const unsigned char *)text, (const unsigned char *)text + gantry_length(text)};
    return span;
}

static int gantry_starts(struct gantry_span span, const char *with)
{
    size_t length = gantry_length(with), i;
    if ((size_t)(span.end - span.at) < length)
        return 0;
    for (i = 0; i < length; i++)
        if (span.at[i] != (unsigned char)with[i])
            return 0;
    return 1;
}

static const unsigned char *gantry_find(struct gantry_span span, const char *what)
{
    for (; span.at < span.end; span.at++)
        if (gantry_starts(span, what))
            return span.at;
    return NULL;
}

static const unsigned char *gantry_find_byte(struct gantry_span span, int what)
{
    for (; span.at < span.end; span.at++)
        if (*span.at == what)
            return span.at;
    return NULL;
}

static int gantry_is_space(uint32_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int gantry_is_allowed(uint32_t c)
{
    if (c < 0x20)
        return c == '\t' || c == '\n' || c == '\r';
    return c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF) && c != 0xFFFE && c != 0xFFFF;
}

static int gantry_is_name_start(uint32_t c)
{
    static const uint32_t range[][2] = {
        {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D},
        {0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
        {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}};
    size_t i;
    for (i = 0; i < sizeof range / sizeof range[0]; i++)
        if (c >= range[i][0] && c <= range[i][1])
            return 1;
    return 0;
}

static int gantry_is_name_character(uint32_t c)
{
    return gantry_is_name_start(c) || c == '-' || c == '.' || (c >= '0' && c <= '9') || c == 0xB7 ||
           (c >= 0x300 && c <= 0x36F) || (c >= 0x203F && c <= 0x2040);
}

/* The next character of UTF-8; 0 if the bytes are none. */
static int gantry_utf8(struct gantry_span *span, uint32_t *c)
{
    unsigned first = *span->at++;
    unsigned more = first < 0x80 ? 0 : first < 0xC2 ? 9 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : 9;
    unsigned i;
    if (more == 9 || span->end - span->at < (long)more)
        return 0;
    *c = more == 0 ? first : first & (0x3Fu >> more);
    for (i = 0; i < more; i++) {
        if ((*span->at & 0xC0) != 0x80)
            return 0;
        *c = *c << 6 | (*span->at++ & 0x3Fu);
    }
    return !(more == 2 && *c < 0x800) && !(more == 3 && *c < 0x10000);
}

/* The character of a reference between & and ; or 0, which no reference may give. */
static uint32_t gantry_reference(struct gantry_span name)
{
    static const struct { const char *name; char c; } known[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    uint32_t value = 0;
    unsigned base = 10, digit;
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++)
        if (gantry_same(name, gantry_of(known[i].name)))
            return (unsigned char)known[i].c;
    if (name.at == name.end || *name.at++ != '#')
        return 0;
    if (name.at < name.end && *name.at == 'x') {
        name.at++;
        base = 16;
    }
    for (; name.at < name.end; name.at++) {
        unsigned c = *name.at;
        digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
        if (digit >= base || value > 0x10FFFF)
            return 0;
        value = value * base + digit;
    }
    return gantry_is_allowed(value) ? value : 0;
}

/* The next character of an attribute's value, which was checked, or -1 at its end. */
static int32_t gantry_value_next(struct gantry_span *value)
{
    uint32_t c = 0;
    if (value->at >= value->end)
        return -1;
    if (*value->at == '&') {
        struct gantry_span name = {value->at + 1, gantry_find_byte(*value, ';')};
        value->at = name.end + 1;
        return (int32_t)gantry_reference(name);
    }
    gantry_utf8(value, &c);
    if (c == '\r' && value->at < value->end && *value->at == '\n')
        value->at++;
    return c == '\t' || c == '\n' || c == '\r' ? ' ' : (int32_t)c;
}

/* True if a value is this text, without regard to case and to space around it where asked. */
static int gantry_value_is(struct gantry_span value, const char *text, int any_case, int trimmed)
{
    struct gantry_span want = gantry_of(text);
    int32_t have = gantry_value_next(&value);
    uint32_t c;
    while (trimmed && have >= 0 && gantry_is_space((uint32_t)have))
        have = gantry_value_next(&value);
    while (want.at < want.end) {
        gantry_utf8(&want, &c);
        if (any_case && have >= 'a' && have <= 'z')
            have -= 'a' - 'A';
        if (have != (int32_t)c)
            return 0;
        have = gantry_value_next(&value);
    }
    while (trimmed && have >= 0 && gantry_is_space((uint32_t)have))
        have = gantry_value_next(&value);
    return have < 0;
}

static int gantry_value_check(struct gantry_span value)
{
    if (gantry_find_byte(value, '<'))
        return GANTRY_SYNTAX;
    while (value.at < value.end) {
        struct gantry_span name = {value.at + 1, NULL};
        if (*value.at++ != '&')
            continue;
        name.end = gantry_find_byte(value, ';');
        if (!name.end || !gantry_reference(name))
            return GANTRY_SYNTAX;
        value.at = name.end + 1;
    }
    return 0;
}

/* A name with a prefix or without. */
static int gantry_name_check(struct gantry_span name)
{
    int is_first = 1, colons = 0;
    uint32_t c;
    if (name.end - name.at > GANTRY_NAME_MAX || name.at == name.end)
        return GANTRY_SYNTAX;
    while (name.at < name.end) {
        gantry_utf8(&name, &c);
        if (c == ':' && !is_first && colons++ == 0)
            is_first = 1;
        else if (is_first ? !gantry_is_name_start(c) : !gantry_is_name_character(c))
            return GANTRY_SYNTAX;
        else
            is_first = 0;
    }
    return is_first ? GANTRY_SYNTAX : 0;
}

static void gantry_split(struct gantry_span name, struct gantry_span *prefix, struct gantry_span *local)
{
    const unsigned char *colon = gantry_find_byte(name, ':');
    prefix->at = prefix->end = name.at;
    *local = name;
    if (colon) {
        prefix->end = colon;
        local->at = colon + 1;
    }
}

static int gantry_attributes(struct gantry_span tag, struct gantry_attribute *found, unsigned *count)
{
    unsigned i;
    *count = 0;
    for (;;) {
        const unsigned char *before = tag.at;
        struct gantry_attribute next;
        int quote;
        while (tag.at < tag.end && gantry_is_space(*tag.at))
            tag.at++;
        if (tag.at == tag.end)
            return 0;
        if (tag.at == before || *count == GANTRY_ATTRIBUTES_MAX)
            return GANTRY_SYNTAX;
        next.name.at = tag.at;
        while (tag.at < tag.end && *tag.at != '=' && !gantry_is_space(*tag.at))
            tag.at++;
        next.name.end = tag.at;
        if (gantry_name_check(next.name))
            return GANTRY_SYNTAX;
        for (i = 0; i < *count; i++)
            if (gantry_same(found[i].name, next.name))
                return GANTRY_SYNTAX;
        while (tag.at < tag.end && gantry_is_space(*tag.at))
            tag.at++;
        if (tag.at == tag.end || *tag.at++ != '=')
            return GANTRY_SYNTAX;
        while (tag.at < tag.end && gantry_is_space(*tag.at))
            tag.at++;
        if (tag.at == tag.end || (*tag.at != '"' && *tag.at != '\''))
            return GANTRY_SYNTAX;
        quote = *tag.at++;
        next.value.at = tag.at;
        next.value.end = gantry_find_byte(tag, quote);
        if (!next.value.end || gantry_value_check(next.value))
            return GANTRY_SYNTAX;
        tag.at = next.value.end + 1;
        found[(*count)++] = next;
    }
}

static int gantry_declaration(struct gantry_span tag)
{
    static const char *const names[] = {"version", "encoding", "standalone"};
    static const char *const encodings[] = {"UTF-8", "UTF8", "US-ASCII", "ASCII"};
    struct gantry_attribute found[GANTRY_ATTRIBUTES_MAX];
    unsigned count, i, j, known = 0;
    if (gantry_attributes(tag, found, &count) || count == 0 || !gantry_same(found[0].name, gantry_of("version")))
        return GANTRY_SYNTAX;
    for (i = 0; i < count; i++) {
        int is_valid = 0;
        while (known < 3 && !gantry_same(found[i].name, gantry_of(names[known])))
            known++;
        if (known == 0)
            is_valid = gantry_value_is(found[i].value, "1.0", 0, 0);
        for (j = 0; known == 1 && j < 4; j++)
            is_valid |= gantry_value_is(found[i].value, encodings[j], 1, 0);
        if (known == 2)
            is_valid = gantry_value_is(found[i].value, "yes", 0, 0) || gantry_value_is(found[i].value, "no", 0, 0);
        if (!is_valid)
            return GANTRY_SYNTAX;
    }
    return 0;
}

/* Passes a comment, or the declaration at the start; 0 if neither is next, and -1 if it is wrong. */
static int gantry_misc(struct gantry_reader *r)
{
    struct gantry_span rest = {r->at, r->end};
    const unsigned char *found;
    if (gantry_starts(rest, "<!--")) {
        rest.at += 4;
        found = gantry_find(rest, "--");
        if (!found || r->end - found < 3 || found[2] != '>')
            return -1;
        r->at = found + 3;
        return 1;
    }
    if (!gantry_starts(rest, "<?"))
        return 0;
    rest.at += 2;
    found = gantry_find(rest, "?>");
    if (r->at != r->start || !found || !gantry_starts(rest, "xml"))
        return -1;
    rest.at += 3;
    rest.end = found;
    if (rest.at > found || gantry_declaration(rest))
        return -1;
    r->at = found + 2;
    return 1;
}

/* Passes what may be between elements. CDATA of white space may be within the outermost element alone. */
static int gantry_between(struct gantry_reader *r)
{
    int passed;
    for (;;) {
        struct gantry_span rest;
        const unsigned char *found;
        while (r->at < r->end && gantry_is_space(*r->at))
            r->at++;
        rest.at = r->at;
        rest.end = r->end;
        passed = gantry_misc(r);
        if (passed < 0)
            return GANTRY_SYNTAX;
        if (passed)
            continue;
        if (r->depth == 0 || !gantry_starts(rest, "<![CDATA["))
            return 0;
        rest.at += 9;
        found = gantry_find(rest, "]]>");
        if (!found)
            return GANTRY_SYNTAX;
        for (; rest.at < found; rest.at++)
            if (!gantry_is_space(*rest.at))
                return GANTRY_ELEMENTS;
        r->at = found + 3;
    }
}

/* The namespace of a prefix; 0 if it is not declared. */
static int gantry_scope(struct gantry_reader *r, struct gantry_span prefix, struct gantry_span *uri)
{
    unsigned i = r->namespaces;
    while (i-- > 0)
        if (gantry_same(r->scope[i].prefix, prefix)) {
            *uri = r->scope[i].uri;
            return 1;
        }
    *uri = gantry_same(prefix, gantry_of("xml")) ? gantry_of(GANTRY_XML) : gantry_of("");
    return prefix.at == prefix.end || uri->at != uri->end;
}

static int gantry_declare(struct gantry_reader *r, struct gantry_span prefix, struct gantry_span uri)
{
    int is_xml = gantry_same(prefix, gantry_of("xml")), is_uri = gantry_value_is(uri, GANTRY_XML, 0, 0);
    struct gantry_span value = uri;
    if (is_xml && is_uri)
        return 0;
    if (is_xml || is_uri || gantry_same(prefix, gantry_of("xmlns")) || gantry_value_is(uri, GANTRY_XMLNS, 0, 0))
        return GANTRY_SYNTAX;
    if (prefix.at < prefix.end && gantry_value_next(&value) < 0)
        return GANTRY_SYNTAX;
    if (r->namespaces == GANTRY_NAMESPACES_MAX)
        return GANTRY_SYNTAX;
    r->scope[r->namespaces].depth = r->depth;
    r->scope[r->namespaces].prefix = prefix;
    r->scope[r->namespaces++].uri = uri;
    return 0;
}

/* Declarations, and attributes of xsi, of which none may make the element nil. */
static int gantry_tag(struct gantry_reader *r, struct gantry_span tag)
{
    struct gantry_attribute found[GANTRY_ATTRIBUTES_MAX];
    struct gantry_span prefix, local, uri, others[GANTRY_ATTRIBUTES_MAX];
    unsigned count, i, j, seen = 0;
    if (gantry_attributes(tag, found, &count))
        return GANTRY_SYNTAX;
    for (i = 0; i < count; i++) {
        gantry_split(found[i].name, &prefix, &local);
        if (gantry_same(found[i].name, gantry_of("xmlns"))) {
            local.at = local.end;
        } else if (!gantry_same(prefix, gantry_of("xmlns"))) {
            others[seen++] = found[i].name;
            found[seen - 1].value = found[i].value;
            continue;
        }
        if (gantry_declare(r, local, found[i].value))
            return GANTRY_SYNTAX;
    }
    for (i = 0; i < seen; i++) {
        gantry_split(others[i], &prefix, &local);
        if (prefix.at == prefix.end || !gantry_scope(r, prefix, &uri) || !gantry_value_is(uri, GANTRY_XSI, 0, 0))
            return GANTRY_ELEMENTS;
        for (j = 0; j < i; j++) {
            struct gantry_span other;
            gantry_split(others[j], &prefix, &other);
            if (gantry_same(other, local))
                return GANTRY_SYNTAX;
        }
        if (gantry_same(local, gantry_of("nil")) && !gantry_value_is(found[i].value, "false", 0, 1) &&
            !gantry_value_is(found[i].value, "0", 0, 1))
            return GANTRY_ELEMENTS;
    }
    return 0;
}

/* Passes the start tag of an element that must be next. */
static int gantry_open(struct gantry_reader *r, const char *name)
{
    struct gantry_span rest, prefix, local, uri, tag;
    const unsigned char *close;
    int quote = 0, failed;
    if (r->is_empty)
        return GANTRY_ELEMENTS;
    failed = gantry_between(r);
    if (failed)
        return failed;
    if (r->at == r->end || *r->at != '<')
        return GANTRY_ELEMENTS;
    rest.at = ++r->at;
    for (close = r->at; close < r->end && (quote || *close != '>'); close++) {
        if (quote ? *close == quote : (*close == '"' || *close == '\''))
            quote = quote ? 0 : *close;
    }
    if (close == r->end)
        return GANTRY_SYNTAX;
    r->is_empty = close > r->at && close[-1] == '/';
    tag.end = close - r->is_empty;
    while (r->at < tag.end && !gantry_is_space(*r->at))
        r->at++;
    rest.end = tag.at = r->at;
    r->name[r->depth++] = rest;
    r->at = close + 1;
    failed = gantry_tag(r, tag);
    if (failed)
        return failed;
    gantry_split(rest, &prefix, &local);
    if (*rest.at == ':' || !gantry_scope(r, prefix, &uri) || !gantry_same(local, gantry_of(name)) ||
        !gantry_value_is(uri, r->namespace, 0, 0))
        return GANTRY_ELEMENTS;
    return 0;
}

static void gantry_leave(struct gantry_reader *r)
{
    r->is_empty = 0;
    r->depth--;
    while (r->namespaces > 0 && r->scope[r->namespaces - 1].depth > r->depth)
        r->namespaces--;
}

/* Passes an end tag, which must be next. */
static int gantry_close(struct gantry_reader *r)
{
    struct gantry_span name;
    if (!r->is_empty) {
        struct gantry_span rest = {r->at, r->end};
        if (!gantry_starts(rest, "</"))
            return GANTRY_ELEMENTS;
        rest.at = name.at = r->at + 2;
        name.end = gantry_find_byte(rest, '>');
        if (!name.end)
            return GANTRY_SYNTAX;
        r->at = name.end + 1;
        while (name.end > name.at && gantry_is_space(name.end[-1]))
            name.end--;
        if (!gantry_same(name, r->name[r->depth - 1]))
            return GANTRY_SYNTAX;
    }
    gantry_leave(r);
    return 0;
}

/* The next character of an element's text: 1, or 0 at its end, which is passed, or the negative of a code. */
static int gantry_character(struct gantry_reader *r, uint32_t *c)
{
    struct gantry_span rest;
    int passed;
    for (;;) {
        rest.at = r->at;
        rest.end = r->end;
        if (r->is_empty)
            return -gantry_close(r);
        if (r->at == r->end)
            return -GANTRY_SYNTAX;
        if (gantry_starts(rest, "]]>")) {
            if (!r->in_data)
                return -GANTRY_SYNTAX;
            r->in_data = 0;
            r->at += 3;
        } else if (r->in_data || (*r->at != '<' && *r->at != '&')) {
            break;
        } else if (*r->at == '&') {
            rest.at++;
            for (r->at++; r->at < r->end && *r->at != ';' && *r->at != '<' && *r->at != '&';)
                r->at++;
            rest.end = r->at;
            *c = r->at < r->end && *r->at == ';' ? gantry_reference(rest) : 0;
            r->at++;
            return *c ? 1 : -GANTRY_SYNTAX;
        } else if (gantry_starts(rest, "<![CDATA[")) {
            rest.at += 9;
            if (!gantry_find(rest, "]]>"))
                return -GANTRY_SYNTAX;
            r->in_data = 1;
            r->at += 9;
        } else {
            passed = gantry_misc(r);
            if (passed < 0)
                return -GANTRY_SYNTAX;
            if (passed == 0)
                return -gantry_close(r);
        }
    }
    gantry_utf8(&rest, c);
    r->at = rest.at;
    if (*c == '\r') {
        *c = '\n';
        if (r->at < r->end && *r->at == '\n')
            r->at++;
    }
    return 1;
}

static int gantry_to_page(uint32_t c, unsigned char *byte)
{
    size_t low = 0, high = sizeof gantry_bytes / sizeof gantry_bytes[0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (gantry_bytes[middle].character == c) {
            *byte = gantry_bytes[middle].byte;
            return 1;
        }
        if (gantry_bytes[middle].character < c)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static int gantry_read_text(struct gantry_reader *r, const struct gantry_field *field, unsigned char *to)
{
    size_t length = 0, i, shift;
    uint32_t c = 0;
    int found;
    while ((found = gantry_character(r, &c)) > 0) {
        if (length == field->bytes || !gantry_to_page(c, to + length))
            return GANTRY_VALUE;
        length++;
    }
    shift = field->justified ? field->bytes - length : 0;
    for (i = length; shift > 0 && i-- > 0;)
        to[i + shift] = to[i];
    for (i = 0; i < field->bytes; i++)
        if (i < shift || i >= shift + length)
            to[i] = GANTRY_BLANK;
    return -found;
}

static void gantry_digits(unsigned __int128 magnitude, size_t count, unsigned char *digits)
{
    while (count-- > 0) {
        digits[count] = (unsigned char)(magnitude % 10);
        magnitude /= 10;
    }
}

static const unsigned char gantry_plus[] = GANTRY_PLUS, gantry_minus[] = GANTRY_MINUS;

static void gantry_put_number(const struct gantry_field *field, __int128 value, unsigned char *to)
{
    unsigned __int128 magnitude = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    unsigned char digits[40];
    size_t count = field->bytes, i, shift = 0;
    if (field->kind == GANTRY_BINARY) {
        for (i = count; i-- > 0; value >>= 8)
            to[i] = (unsigned char)(value & 0xFF);
        return;
    }
    if (field->kind == GANTRY_PACKED) {
        count = count * 2 - 1;
        gantry_digits(magnitude, count, digits);
        digits[count] = !field->sign ? 0x0F : value < 0 ? 0x0D : 0x0C;
        for (i = 0; i <= count; i += 2)
            to[i / 2] = (unsigned char)(digits[i] << 4 | digits[i + 1]);
        return;
    }
    if (field->sign == SIGN_TRAILING_SEPARATE || field->sign == SIGN_LEADING_SEPARATE)
        count--;
    shift = field->sign == SIGN_LEADING_SEPARATE;
    gantry_digits(magnitude, count, digits);
    for (i = 0; i < count; i++)
        to[i + shift] = (unsigned char)(GANTRY_ZERO + digits[i]);
    if (field->sign == SIGN_TRAILING)
        to[count - 1] = (value < 0 ? gantry_minus : gantry_plus)[digits[count - 1]];
    if (field->sign == SIGN_LEADING)
        to[0] = (value < 0 ? gantry_minus : gantry_plus)[digits[0]];
    if (field->sign == SIGN_TRAILING_SEPARATE)
        to[count] = value < 0 ? GANTRY_SEPARATE_MINUS : GANTRY_SEPARATE_PLUS;
    if (shift)
        to[0] = value < 0 ? GANTRY_SEPARATE_MINUS : GANTRY_SEPARATE_PLUS;
}

/* Adds a digit; 0 if there are more than a number may have. */
static int gantry_add(unsigned __int128 *value, unsigned *count, unsigned digit)
{
    if (*count > 0 || digit > 0)
        ++*count;
    if (*count > GANTRY_DIGITS_MAX)
        return 0;
    *value = *value * 10 + digit;
    return 1;
}

static int gantry_read_number(struct gantry_reader *r, const struct gantry_field *field, unsigned char *to)
{
    enum { BEFORE, DIGITS, FRACTION, AFTER } state = BEFORE;
    unsigned __int128 value = 0;
    unsigned count = 0, places = 0, digits = 0;
    int negative = 0, found, fits = 1;
    __int128 number;
    uint32_t c = 0;
    while ((found = gantry_character(r, &c)) > 0) {
        if (gantry_is_space(c)) {
            if (state != BEFORE)
                state = AFTER;
        } else if (state == BEFORE && (c == '+' || c == '-')) {
            negative = c == '-';
            state = DIGITS;
        } else if (state <= DIGITS && c == '.') {
            state = FRACTION;
        } else if (state <= FRACTION && c >= '0' && c <= '9') {
            digits++;
            if (state == BEFORE)
                state = DIGITS;
            if (state == FRACTION && ++places > field->scale)
                fits &= c == '0';
            else if (fits)
                fits = gantry_add(&value, &count, c - '0');
        } else {
            return GANTRY_VALUE;
        }
    }
    if (found < 0)
        return -found;
    for (; fits && places < field->scale; places++)
        fits = gantry_add(&value, &count, 0);
    if (!digits || !fits)
        return GANTRY_VALUE;
    number = negative ? -(__int128)value : (__int128)value;
    if (number < field->least || number > field->greatest)
        return GANTRY_VALUE;
    gantry_put_number(field, number, to);
    return 0;
}

static int gantry_read_members(struct gantry_reader *r, const struct gantry_field *fields, size_t count, size_t delta)
{
    size_t i, row;
    int failed;
    for (i = 0; i < count; i++) {
        const struct gantry_field *field = fields + i;
        for (row = 0; row < field->rows; row++) {
            size_t here = delta + row * field->stride;
            failed = gantry_open(r, field->name);
            if (failed)
                return failed;
            if (field->kind == GANTRY_GROUP)
                failed = gantry_read_members(r, field->members, field->count, here);
            else if (field->kind == GANTRY_TEXT)
                failed = gantry_read_text(r, field, r->record + field->offset + here);
            else
                failed = gantry_read_number(r, field, r->record + field->offset + here);
            if (failed)
                return failed;
        }
    }
    if (!r->is_empty) {
        failed = gantry_between(r);
        if (failed)
            return failed;
    }
    return gantry_close(r);
}

static int gantry_read(const struct gantry_message *message, const char *xml, size_t length, unsigned char *record)
{
    struct gantry_reader reader, *r = &reader;
    struct gantry_span text = {(const unsigned char *)xml, (const unsigned char *)xml + length};
    uint32_t c;
    size_t i;
    int failed;
    if (gantry_starts(text, "\xEF\xBB\xBF"))
        text.at += 3;
    r->start = r->at = text.at;
    r->end = text.end;
    r->record = record;
    r->namespace = message->namespace;
    r->is_empty = r->in_data = 0;
    r->depth = r->namespaces = 0;
    while (text.at < text.end)
        if (!gantry_utf8(&text, &c) || !gantry_is_allowed(c))
            return GANTRY_SYNTAX;
    for (i = 0; i < message->bytes; i++)
        record[i] = message->initial[i];
    failed = gantry_open(r, message->name);
    if (!failed)
        failed = gantry_read_members(r, message->fields, message->count, 0);
    if (!failed)
        failed = gantry_between(r);
    return !failed && r->at < r->end ? GANTRY_SYNTAX : failed;
}

struct gantry_writer {
    char *to;
    size_t room, length;
};

static void gantry_put(struct gantry_writer *w, char c)
{
    if (w->length < w->room)
        w->to[w->length] = c;
    w->length++;
}

static void gantry_put_text(struct gantry_writer *w, const char *text)
{
    while (*text)
        gantry_put(w, *text++);
}

static int gantry_put_character(struct gantry_writer *w, uint32_t c)
{
    if (!gantry_is_allowed(c) || c == 0xFFFD)
        return GANTRY_RECORD;
    if (c == '<')
        gantry_put_text(w, "&lt;");
    else if (c == '>')
        gantry_put_text(w, "&gt;");
    else if (c == '&')
        gantry_put_text(w, "&amp;");
    else if (c == '\r')
        gantry_put_text(w, "&#13;");
    else if (c < 0x80) {
        gantry_put(w, (char)c);
    } else if (c < 0x800) {
        gantry_put(w, (char)(0xC0 | c >> 6));
        gantry_put(w, (char)(0x80 | (c & 0x3F)));
    } else {
        gantry_put(w, (char)(0xE0 | c >> 12));
        gantry_put(w, (char)(0x80 | (c >> 6 & 0x3F)));
        gantry_put(w, (char)(0x80 | (c & 0x3F)));
    }
    return 0;
}

static int gantry_write_text(struct gantry_writer *w, const struct gantry_field *field, const unsigned char *from)
{
    size_t start = 0, end = field->bytes;
    while (field->trimmed && field->justified && start < end && from[start] == GANTRY_BLANK)
        start++;
    while (field->trimmed && !field->justified && start < end && from[end - 1] == GANTRY_BLANK)
        end--;
    for (; start < end; start++)
        if (gantry_put_character(w, gantry_characters[from[start]]))
            return GANTRY_RECORD;
    return 0;
}

/* The digit of a byte with a sign in its zone; -1 if it has none. */
static int gantry_signed(unsigned char byte, int *negative)
{
    int digit = byte - GANTRY_ZERO;
#if GANTRY_EBCDIC
    digit = byte & 0x0F;
    *negative = byte >> 4 == 0x0B || byte >> 4 == 0x0D;
    return byte >> 4 >= 0x0A && digit <= 9 ? digit : -1;
#else
    *negative = 0;
    if (digit >= 0 && digit <= 9)
        return digit;
    for (digit = 0; digit < 10; digit++) {
        if (byte == gantry_plus[digit])
            return digit;
        *negative = byte == gantry_minus[digit] || byte == 'p' + digit;
        if (*negative)
            return digit;
    }
    return -1;
#endif
}

static int gantry_get_zoned(const struct gantry_field *field, const unsigned char *from, __int128 *value)
{
    size_t i, first = 0, end = field->bytes;
    int negative = 0, digit;
    unsigned char separate = 0;
    if (field->sign == SIGN_TRAILING_SEPARATE)
        separate = from[--end];
    if (field->sign == SIGN_LEADING_SEPARATE)
        separate = from[first++];
    *value = 0;
    for (i = first; i < end; i++) {
        digit = from[i] - GANTRY_ZERO;
        if ((field->sign == SIGN_LEADING && i == 0) || (field->sign == SIGN_TRAILING && i == end - 1)) {
            digit = gantry_signed(from[i], &negative);
        } else if (field->sign == SIGN_NONE && i == end - 1 && (digit < 0 || digit > 9)) {
            digit = gantry_signed(from[i], &negative);
            if (negative)
                return 0;
        }
        if (digit < 0 || digit > 9)
            return 0;
        *value = *value * 10 + digit;
    }
    if (field->sign == SIGN_TRAILING_SEPARATE || field->sign == SIGN_LEADING_SEPARATE) {
        negative = separate == GANTRY_SEPARATE_MINUS;
        if (!negative && separate != GANTRY_SEPARATE_PLUS)
            return 0;
    }
    if (negative)
        *value = -*value;
    return 1;
}

static int gantry_get_packed(const struct gantry_field *field, const unsigned char *from, __int128 *value)
{
    size_t i, digits = field->bytes * 2 - 1;
    unsigned sign = from[field->bytes - 1] & 0x0F;
    *value = 0;
    for (i = 0; i < digits; i++) {
        unsigned digit = i % 2 ? from[i / 2] & 0x0F : from[i / 2] >> 4;
        if (digit > 9)
            return 0;
        *value = *value * 10 + (int)digit;
    }
    if (sign == 0x0B || sign == 0x0D) {
        *value = -*value;
        return field->sign || *value == 0;
    }
    return sign > 9;
}

static int gantry_get_number(const struct gantry_field *field, const unsigned char *from, __int128 *value)
{
    size_t i;
    if (field->kind == GANTRY_ZONED)
        return gantry_get_zoned(field, from, value);
    if (field->kind == GANTRY_PACKED)
        return gantry_get_packed(field, from, value);
    *value = field->sign && from[0] >= 0x80 ? -1 : 0;
    for (i = 0; i < field->bytes; i++)
        *value = *value * 256 + from[i];
    return 1;
}

static int gantry_write_number(struct gantry_writer *w, const struct gantry_field *field, const unsigned char *from)
{
    unsigned char digits[40];
    unsigned __int128 magnitude;
    __int128 value;
    size_t i = 0, point = sizeof digits - field->scale, end = sizeof digits;
    if (!gantry_get_number(field, from, &value) || value < field->least || value > field->greatest)
        return GANTRY_RECORD;
    magnitude = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    gantry_digits(magnitude, sizeof digits, digits);
    if (value < 0)
        gantry_put(w, '-');
    while (i + 1 < point && digits[i] == 0)
        i++;
    while (end > point && digits[end - 1] == 0)
        end--;
    for (; i < end; i++) {
        if (i == point)
            gantry_put(w, '.');
        gantry_put(w, (char)('0' + digits[i]));
    }
    return 0;
}

static int gantry_write_members(struct gantry_writer *w, const struct gantry_field *fields, size_t count, const unsigned char *record)
{
    size_t i, row;
    int failed;
    for (i = 0; i < count; i++) {
        const struct gantry_field *field = fields + i;
        for (row = 0; row < field->rows; row++) {
            const unsigned char *here = record + row * field->stride;
            gantry_put(w, '<');
            gantry_put_text(w, field->name);
            gantry_put(w, '>');
            if (field->kind == GANTRY_GROUP)
                failed = gantry_write_members(w, field->members, field->count, here);
            else if (field->kind == GANTRY_TEXT)
                failed = gantry_write_text(w, field, here + field->offset);
            else
                failed = gantry_write_number(w, field, here + field->offset);
            if (failed)
                return failed;
            gantry_put_text(w, "</");
            gantry_put_text(w, field->name);
            gantry_put(w, '>');
        }
    }
    return 0;
}

static int gantry_write(const struct gantry_message *message, const unsigned char *record, size_t bytes, char *xml, size_t room, size_t *length)
{
    struct gantry_writer writer = {xml, room, 0};
    int failed;
    *length = 0;
    if (bytes != message->bytes)
        return GANTRY_RECORD;
    gantry_put_text(&writer, message->open);
    failed = gantry_write_members(&writer, message->fields, message->count, record);
    if (failed)
        return failed;
    gantry_put_text(&writer, message->close);
    *length = writer.length;
    return writer.length > room ? GANTRY_ROOM : 0;
}
