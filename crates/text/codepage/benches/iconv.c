/* The peer of benches/convert.rs: glibc's iconv, in process, on the bytes of a file.
   usage: iconv FROM TO FILE; prints the bytes converted a second, the best of three rounds. */
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
    static char input[1 << 16], output[1 << 18];
    FILE *file = count == 4 ? fopen(arguments[3], "rb") : NULL;
    if (!file) return 2;
    size_t length = fread(input, 1, sizeof input, file);
    iconv_t conversion = iconv_open(arguments[2], arguments[1]);
    if (conversion == (iconv_t)-1) return 3;
    double best = 0;
    for (int round = 0; round < 3; round++) {
        int calls = 0;
        double start = seconds(), end;
        do {
            char *from = input, *to = output;
            size_t from_left = length, to_left = sizeof output;
            if (iconv(conversion, &from, &from_left, &to, &to_left) != 0 || from_left) return 4;
            calls++;
            end = seconds();
        } while (end - start < 0.01);
        double speed = (double)length * calls / (end - start);
        if (speed > best) best = speed;
    }
    printf("%.0f\n", best);
    return 0;
}
