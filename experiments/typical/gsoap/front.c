/* A gSOAP server that sends what it gets to another server with gSOAP's client, and answers what that answers. Its CPU time beyond that
   of the server alone is the client's. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "soapH.h"
#include "typical.nsmap"

#define TEXTS(X)                                                                                                                \
    X(text_USCORE01) X(text_USCORE02) X(text_USCORE03) X(text_USCORE04) X(text_USCORE05) X(text_USCORE06) X(text_USCORE07)      \
    X(text_USCORE08) X(text_USCORE09) X(text_USCORE10) X(text_USCORE11) X(text_USCORE12) X(text_USCORE13) X(text_USCORE14)      \
    X(text_USCORE15) X(text_USCORE16) X(text_USCORE17) X(text_USCORE18) X(text_USCORE19) X(text_USCORE20)
#define NUMBERS(X)                                                                                                              \
    X(count_USCORE01) X(count_USCORE02) X(count_USCORE03) X(count_USCORE04) X(count_USCORE05) X(count_USCORE06)                 \
    X(count_USCORE07) X(count_USCORE08) X(count_USCORE09) X(count_USCORE10) X(count_USCORE11) X(count_USCORE12)                 \
    X(change_USCORE01) X(change_USCORE02) X(change_USCORE03) X(change_USCORE04) X(change_USCORE05) X(change_USCORE06)           \
    X(change_USCORE07) X(change_USCORE08) X(word_USCORE01) X(word_USCORE02) X(word_USCORE03) X(word_USCORE04) X(word_USCORE05)  \
    X(word_USCORE06) X(word_USCORE07) X(word_USCORE08) X(half_USCORE01) X(half_USCORE02) X(half_USCORE03) X(half_USCORE04)      \
    X(half_USCORE05) X(half_USCORE06)
#define AMOUNTS(X)                                                                                                              \
    X(amount_USCORE01) X(amount_USCORE02) X(amount_USCORE03) X(amount_USCORE04) X(amount_USCORE05) X(amount_USCORE06)

#define OF_TEXT(name) char *ns__##name,
#define OF_NUMBER(name) int ns__##name,
#define OF_AMOUNT(name) xsd__decimal ns__##name,
#define GIVEN(name) ns__##name,

static char endpoint[64];

/* A thread's client is in `user` of its server. */
int ns__TYPICALOperation(struct soap *soap, TEXTS(OF_TEXT) NUMBERS(OF_NUMBER) AMOUNTS(OF_AMOUNT) int __sizedetail,
    struct ns__Detail *ns__detail, struct ns__TYPICALOperationResponse *response) {
    struct soap *client = soap->user;
    int failed = soap_call_ns__TYPICALOperation(
        client, endpoint, "", TEXTS(GIVEN) NUMBERS(GIVEN) AMOUNTS(GIVEN) __sizedetail, ns__detail, response);
    if (failed) {
        soap_print_fault(client, stderr);
        return soap_receiver_fault(soap, "the server was not reached", NULL);
    }
    return SOAP_OK;
}

/* After each request its memory is given back: without it a kept connection grows for ever. */
static void clear(struct soap *soap) {
    soap_destroy(soap);
    soap_end(soap);
}

static int serve_loop(struct soap *soap) {
    clear(soap->user);
    clear(soap);
    return SOAP_OK;
}

static void *connection(void *argument) {
    struct soap *soap = argument, *client = soap_new1(SOAP_IO_KEEPALIVE);
    soap->user = client;
    soap->fserveloop = serve_loop;
    soap_serve(soap);
    clear(client);
    soap_free(client);
    clear(soap);
    soap_free(soap);
    return NULL;
}

int main(int count, char **arguments) {
    struct soap *soap = soap_new1(SOAP_IO_KEEPALIVE);
    signal(SIGPIPE, SIG_IGN);
    soap->max_keep_alive = 0;
    soap->bind_flags = SO_REUSEADDR;
    if (count < 3 || !soap_valid_socket(soap_bind(soap, "127.0.0.1", atoi(arguments[1]), 100))) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%s/", arguments[2]);
    for (;;) {
        pthread_t thread;
        if (!soap_valid_socket(soap_accept(soap)))
            continue;
        if (pthread_create(&thread, NULL, connection, soap_copy(soap)) == 0)
            pthread_detach(thread);
    }
}
