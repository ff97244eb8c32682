/* A TCP server in front of the COBOL program WORK. Each connection has a process of its own. A message is a length of four
   bytes, high byte first, and the record. The port that the system chose is printed when the server listens. */

#include <arpa/inet.h>
#include <libcob.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECORD_BYTES = 1008, LENGTH_BYTES = 4 };

extern int WORK(char *record, int32_t *count, int32_t *sum);

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

/* Reads this number of bytes, or returns 0 at the end of the stream. */
static int read_all(int stream, char *to, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(stream, to + done, bytes - done);
        if (got <= 0)
            return 0;
        done += (size_t)got;
    }
    return 1;
}

static int write_all(int stream, const char *from, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(stream, from + done, bytes - done);
        if (put <= 0)
            return 0;
        done += (size_t)put;
    }
    return 1;
}

static void serve(int stream) {
    char message[LENGTH_BYTES + RECORD_BYTES];
    uint32_t length;
    int32_t count, sum;
    cob_init(0, NULL);
    while (read_all(stream, message, LENGTH_BYTES)) {
        memcpy(&length, message, LENGTH_BYTES);
        if (ntohl(length) != RECORD_BYTES || !read_all(stream, message + LENGTH_BYTES, RECORD_BYTES))
            return;
        WORK(message + LENGTH_BYTES, &count, &sum);
        if (!write_all(stream, message, sizeof message))
            return;
    }
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 128) ||
        getsockname(listener, (struct sockaddr *)&address, &bytes))
        give_up("listen");
    signal(SIGCHLD, SIG_IGN);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int stream = accept(listener, NULL, NULL);
        if (stream < 0)
            give_up("accept");
        setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        switch (fork()) {
        case -1:
            give_up("fork");
        case 0:
            /* It ends with its parent, so none is left when the experiment ends. */
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(listener);
            serve(stream);
            _exit(0);
        default:
            close(stream);
        }
    }
}
