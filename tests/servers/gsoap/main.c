/* A shop by gSOAP: main [-2]. It prints its port, and serves until it is ended. An item is found under its own name, with as many lines as
 * the quantity says, at most 5; a quantity below 0 is a fault with a detail. Compiled with -DF(name)=..., the prefix of elements. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "soapH.h"
#include "shop.nsmap"

int s__Find(struct soap *soap, char *item, int quantity, struct s__FindResponse *found) {
    static const char *const lines[] = {"one", "two", "<three>", "four & more", "f\xc3\xbcnf"};
    if (item == NULL || quantity < 0)
        return soap_sender_fault(soap, "Less than nothing cannot be found", "<why xmlns=\"urn:shop\">no &amp; never</why>");
    found->F(name) = item;
    found->F(price) = "12345.50";
    found->F(stock) = 999999999999999999LL;
    found->__sizeline = quantity < 5 ? quantity : 5;
    found->F(line) = (char **)soap_malloc(soap, sizeof lines);
    memcpy(found->F(line), lines, sizeof lines);
    return SOAP_OK;
}

int main(void) {
    struct soap *soap = soap_new1(SOAP_XML_STRICT | SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING);
    struct sockaddr_in own;
    socklen_t length = sizeof own;
    soap->recv_timeout = 2;
    soap->send_timeout = 10;
    SOAP_SOCKET listener = soap_bind(soap, "127.0.0.1", 0, 10);
    if (!soap_valid_socket(listener) || getsockname(listener, (struct sockaddr *)&own, &length) != 0) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    printf("port %d\n", ntohs(own.sin_port));
    fflush(stdout);
    while (soap_valid_socket(soap_accept(soap))) {
        soap_serve(soap);
        soap_destroy(soap);
        soap_end(soap);
    }
    return 0;
}
