/* A runtime of few commands, for the test alone: it shows what a program says, and answers by heart. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct gantry_slot {
    unsigned char *address;
    int64_t value;
    int32_t set;
    int32_t reserved;
};

struct gantry_frame {
    int64_t runtime[2];
    struct gantry_slot slot[];
};

static unsigned char *eib;
static int leaving;

int test_begin(unsigned char *given) {
    eib = given;
    memcpy(eib + 8, "TEST", 4);
    return 0;
}

static unsigned number(const unsigned char *bytes, int count) {
    unsigned value = 0;
    while (count-- > 0)
        value = value << 8 | *bytes++;
    return value;
}

static void respond(unsigned resp, unsigned resp2) {
    unsigned char bytes[8] = {resp >> 24, resp >> 16, resp >> 8, resp, resp2 >> 24, resp2 >> 16, resp2 >> 8, resp2};
    memcpy(eib + 76, bytes, 8);
}

/* Shows a command with its options, and sets every result to "not given". */
static void show(struct gantry_frame *frame, const unsigned char *command) {
    unsigned options = number(command + 10, 2);
    const unsigned char *more = command + 12 + 4 * options;
    printf("%04X line %u flags %u:", number(command + 2, 2), number(command + 4, 4), command[1]);
    for (unsigned i = 0; i < options; i++) {
        const unsigned char *option = command + 12 + 4 * i;
        struct gantry_slot *slot = &frame->slot[option[3]];
        switch (option[2] & 0x0F) {
        case 0: printf(" keyword"); break;
        case 1: printf(" '%.*s'", (int)number(more, 2), more + 2); more += 2 + number(more, 2); break;
        case 2: printf(" label %u", number(more, 2)); more += 2; break;
        case 3:
            if (option[2] & 0x10)
                printf(" [%.*s]", (int)slot->value, slot->address);
            else
                printf(" room for %d", (int)slot->value);
            break;
        case 4: printf(option[2] & 0x10 ? " %lld" : " number", (long long)slot->value); slot->set = 0; break;
        case 5: printf(" pointer"); slot->set = 0; break;
        }
    }
    printf("\n");
    fflush(stdout);
}

int gantry_exec(struct gantry_frame *frame, const unsigned char *command) {
    static unsigned char area[12];
    struct gantry_slot *slot = frame->slot;
    show(frame, command);
    respond(0, 0);
    memcpy(eib + 27, command + 2, 2);
    switch (number(command + 2, 2)) {
    case 0x0E02: /* LINK */
        memcpy(slot[0].address, "FROM BACKEND", 12);
        respond(27, 3);
        break;
    case 0x0A04: /* READQ TS */
        memset(slot[1].address, '=', slot[1].value);
        slot[2].value = 12;
        slot[2].set = 1;
        break;
    case 0x4A02: /* ASKTIME ABSTIME */
        memcpy(slot[0].address, "\x00\x03\x97\x21\x60\x00\x12\x3C", 8);
        break;
    case 0x0C02: /* GETMAIN */
        memset(area, '*', sizeof area);
        slot[0].address = area;
        slot[0].set = 1;
        break;
    case 0x0202: /* ADDRESS */
        slot[0].address = eib;
        slot[0].set = 1;
        break;
    case 0x060E: /* READNEXT: the second label is that of ENDFILE */
        respond(20, 0);
        return 2;
    case 0x0E08: /* RETURN */
        leaving = 1;
        return -1;
    }
    return 0;
}

int gantry_after_call(struct gantry_frame *frame) {
    (void)frame;
    return leaving ? -1 : 0;
}
