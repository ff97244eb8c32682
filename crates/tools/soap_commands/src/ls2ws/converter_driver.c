/* Reads messages and records from a file, and writes what the converter makes of them to another. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int claim_request_read(const char *xml, size_t length, unsigned char *record);
int claim_request_write(const unsigned char *record, size_t bytes, char *xml, size_t room, size_t *length);

static char given[1 << 20], made[1 << 20];

static void answer(int code, const char *bytes, size_t length)
{
    uint32_t count = code ? 0 : (uint32_t)length;
    putchar(code);
    fwrite(&count, sizeof count, 1, stdout);
    fwrite(bytes, 1, count, stdout);
}

int main(int count, char **arguments)
{
    uint32_t length;
    size_t made_length = (size_t)0;
    int what;
    if (count != 2 || !freopen(arguments[1], "rb", stdin))
        return 1;
    while ((what = getchar()) != EOF) {
        int code;
        if (fread(&length, sizeof length, 1, stdin) != 1 || length > sizeof given || fread(given, 1, length, stdin) != length)
            return 2;
        if (what == 'r') {
            code = claim_request_read(given, length, (unsigned char *)made);
            made_length = RECORD_BYTES;
        } else {
            code = claim_request_write((unsigned char *)given, length, made, what == 'w' ? sizeof made : 10, &made_length);
        }
        answer(code, made, made_length);
    }
    return 0;
}
