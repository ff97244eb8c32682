/* The typical message with gSOAP: a thread for each connection, as its guide advises for kept connections. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "soapH.h"
#include "typical.nsmap"

int ns__TYPICALOperation(struct soap *soap,
    char *ns__text_USCORE01,
    char *ns__text_USCORE02,
    char *ns__text_USCORE03,
    char *ns__text_USCORE04,
    char *ns__text_USCORE05,
    char *ns__text_USCORE06,
    char *ns__text_USCORE07,
    char *ns__text_USCORE08,
    char *ns__text_USCORE09,
    char *ns__text_USCORE10,
    char *ns__text_USCORE11,
    char *ns__text_USCORE12,
    char *ns__text_USCORE13,
    char *ns__text_USCORE14,
    char *ns__text_USCORE15,
    char *ns__text_USCORE16,
    char *ns__text_USCORE17,
    char *ns__text_USCORE18,
    char *ns__text_USCORE19,
    char *ns__text_USCORE20,
    int ns__count_USCORE01,
    int ns__count_USCORE02,
    int ns__count_USCORE03,
    int ns__count_USCORE04,
    int ns__count_USCORE05,
    int ns__count_USCORE06,
    int ns__count_USCORE07,
    int ns__count_USCORE08,
    int ns__count_USCORE09,
    int ns__count_USCORE10,
    int ns__count_USCORE11,
    int ns__count_USCORE12,
    int ns__change_USCORE01,
    int ns__change_USCORE02,
    int ns__change_USCORE03,
    int ns__change_USCORE04,
    int ns__change_USCORE05,
    int ns__change_USCORE06,
    int ns__change_USCORE07,
    int ns__change_USCORE08,
    int ns__word_USCORE01,
    int ns__word_USCORE02,
    int ns__word_USCORE03,
    int ns__word_USCORE04,
    int ns__word_USCORE05,
    int ns__word_USCORE06,
    int ns__word_USCORE07,
    int ns__word_USCORE08,
    int ns__half_USCORE01,
    int ns__half_USCORE02,
    int ns__half_USCORE03,
    int ns__half_USCORE04,
    int ns__half_USCORE05,
    int ns__half_USCORE06,
    xsd__decimal ns__amount_USCORE01,
    xsd__decimal ns__amount_USCORE02,
    xsd__decimal ns__amount_USCORE03,
    xsd__decimal ns__amount_USCORE04,
    xsd__decimal ns__amount_USCORE05,
    xsd__decimal ns__amount_USCORE06,
    int __sizedetail,
    struct ns__Detail *ns__detail,
    struct ns__TYPICALOperationResponse *response) {
    (void)soap;
    response->ns__text_USCORE01 = ns__text_USCORE01;
    response->ns__text_USCORE02 = ns__text_USCORE02;
    response->ns__text_USCORE03 = ns__text_USCORE03;
    response->ns__text_USCORE04 = ns__text_USCORE04;
    response->ns__text_USCORE05 = ns__text_USCORE05;
    response->ns__text_USCORE06 = ns__text_USCORE06;
    response->ns__text_USCORE07 = ns__text_USCORE07;
    response->ns__text_USCORE08 = ns__text_USCORE08;
    response->ns__text_USCORE09 = ns__text_USCORE09;
    response->ns__text_USCORE10 = ns__text_USCORE10;
    response->ns__text_USCORE11 = ns__text_USCORE11;
    response->ns__text_USCORE12 = ns__text_USCORE12;
    response->ns__text_USCORE13 = ns__text_USCORE13;
    response->ns__text_USCORE14 = ns__text_USCORE14;
    response->ns__text_USCORE15 = ns__text_USCORE15;
    response->ns__text_USCORE16 = ns__text_USCORE16;
    response->ns__text_USCORE17 = ns__text_USCORE17;
    response->ns__text_USCORE18 = ns__text_USCORE18;
    response->ns__text_USCORE19 = ns__text_USCORE19;
    response->ns__text_USCORE20 = ns__text_USCORE20;
    response->ns__count_USCORE01 = ns__count_USCORE01;
    response->ns__count_USCORE02 = ns__count_USCORE02;
    response->ns__count_USCORE03 = ns__count_USCORE03;
    response->ns__count_USCORE04 = ns__count_USCORE04;
    response->ns__count_USCORE05 = ns__count_USCORE05;
    response->ns__count_USCORE06 = ns__count_USCORE06;
    response->ns__count_USCORE07 = ns__count_USCORE07;
    response->ns__count_USCORE08 = ns__count_USCORE08;
    response->ns__count_USCORE09 = ns__count_USCORE09;
    response->ns__count_USCORE10 = ns__count_USCORE10;
    response->ns__count_USCORE11 = ns__count_USCORE11;
    response->ns__count_USCORE12 = ns__count_USCORE12;
    response->ns__change_USCORE01 = ns__change_USCORE01;
    response->ns__change_USCORE02 = ns__change_USCORE02;
    response->ns__change_USCORE03 = ns__change_USCORE03;
    response->ns__change_USCORE04 = ns__change_USCORE04;
    response->ns__change_USCORE05 = ns__change_USCORE05;
    response->ns__change_USCORE06 = ns__change_USCORE06;
    response->ns__change_USCORE07 = ns__change_USCORE07;
    response->ns__change_USCORE08 = ns__change_USCORE08;
    response->ns__word_USCORE01 = ns__word_USCORE01;
    response->ns__word_USCORE02 = ns__word_USCORE02;
    response->ns__word_USCORE03 = ns__word_USCORE03;
    response->ns__word_USCORE04 = ns__word_USCORE04;
    response->ns__word_USCORE05 = ns__word_USCORE05;
    response->ns__word_USCORE06 = ns__word_USCORE06;
    response->ns__word_USCORE07 = ns__word_USCORE07;
    response->ns__word_USCORE08 = ns__word_USCORE08;
    response->ns__half_USCORE01 = ns__half_USCORE01;
    response->ns__half_USCORE02 = ns__half_USCORE02;
    response->ns__half_USCORE03 = ns__half_USCORE03;
    response->ns__half_USCORE04 = ns__half_USCORE04;
    response->ns__half_USCORE05 = ns__half_USCORE05;
    response->ns__half_USCORE06 = ns__half_USCORE06;
    response->ns__amount_USCORE01 = ns__amount_USCORE01;
    response->ns__amount_USCORE02 = ns__amount_USCORE02;
    response->ns__amount_USCORE03 = ns__amount_USCORE03;
    response->ns__amount_USCORE04 = ns__amount_USCORE04;
    response->ns__amount_USCORE05 = ns__amount_USCORE05;
    response->ns__amount_USCORE06 = ns__amount_USCORE06;
    response->__sizedetail = __sizedetail;
    response->ns__detail = ns__detail;
    return SOAP_OK;
}

/* After each request its memory is given back: without it a kept connection grows for ever. */
static int serve_loop(struct soap *soap) {
    soap_destroy(soap);
    soap_end(soap);
    return SOAP_OK;
}

static void *connection(void *argument) {
    struct soap *soap = argument;
    soap->fserveloop = serve_loop;
    soap_serve(soap);
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
    return NULL;
}

int main(int count, char **arguments) {
    struct soap *soap = soap_new1(SOAP_IO_KEEPALIVE);
    signal(SIGPIPE, SIG_IGN);
    soap->max_keep_alive = 0;
    soap->bind_flags = SO_REUSEADDR;
    if (count < 2 || !soap_valid_socket(soap_bind(soap, "127.0.0.1", atoi(arguments[1]), 100))) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    for (;;) {
        pthread_t thread;
        if (!soap_valid_socket(soap_accept(soap)))
            continue;
        if (pthread_create(&thread, NULL, connection, soap_copy(soap)) == 0)
            pthread_detach(thread);
    }
}
