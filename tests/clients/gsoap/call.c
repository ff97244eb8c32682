/* Calls the service KINDS with the client that wsdl2h and soapcpp2 make, and prints each value of the answer as a line:
 * call URL [ZONED]. ZONED replaces one value, so that a fault comes. Its code decides the version of SOAP: soapcpp2 -1 or -2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soapH.h"
#include "KINDSHTTPSoapBinding.nsmap"

#define TEXT(value) &(char *){value}
#define PART(name, amount, first, second)                                                                                  \
    {                                                                                                                      \
        .label = TEXT(name), .price = TEXT(amount),                                                                        \
        .__KINDSOperation_part_sequence = &(struct __ns2__KINDSOperation_part_sequence) {                                  \
            .__sizecell = 2, .cell = (unsigned short[]) { first, second }                                                  \
        }                                                                                                                  \
    }

static void print_answer(const struct _ns3__KINDSOperationResponse *answer) {
    printf("plain_text=%s\nletters=%s\n", answer->plain_USCOREtext, answer->letters);
    printf("zoned=%hu\nzoned_signed=%d\n", answer->zoned, answer->zoned_USCOREsigned);
    printf("zoned_long=%lld\nzoned_point=%s\n", (long long)answer->zoned_USCORElong, answer->zoned_USCOREpoint);
    printf("sign_apart=%d\nhalf=%hd\nhalf_plus=%hu\n", answer->sign_USCOREapart, answer->half, answer->half_USCOREplus);
    printf("full=%d\ndouble_word=%lld\n", answer->full, (long long)answer->double_USCOREword);
    printf("native=%u\npacked=%s\npacked_long=%s\n", answer->native, answer->packed, answer->packed_USCORElong);
    printf("single=%.9g\nlonger=%.17g\n", answer->single, answer->longer);
    printf("outer.inner=%s\nouter.deeper.deepest=%hu\n", answer->outer.inner, answer->outer.deeper.deepest);
    for (int part = 0; part < answer->__sizepart; part++) {
        printf("part.%d.label=%s\npart.%d.price=%s\n", part, answer->part[part].label, part, answer->part[part].price);
        for (int cell = 0; cell < answer->part[part].__sizecell; cell++)
            printf("part.%d.cell.%d=%hu\n", part, cell, answer->part[part].cell[cell]);
    }
    for (int line = 0; line < answer->__sizeorder_USCOREline; line++)
        printf("order_line.%d.item=%s\norder_line.%d.quantity=%hu\n", line, answer->order_USCOREline[line].item, line,
            answer->order_USCOREline[line].quantity);
}

static int print_fault(struct soap *soap) {
    if (soap->fault == NULL) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    const char *code = *soap_faultcode(soap);
    const char *colon = strchr(code, ':');
    const char *detail = *soap_faultdetail(soap);
    printf("fault.status=%d\n", soap->status);
    printf("fault.code=%s\n", colon ? colon + 1 : code);
    printf("fault.text=%s\n", *soap_faultstring(soap));
    printf("fault.condition=%s\n", detail && strstr(detail, "OUTPUT_OVERFLOW") ? "OUTPUT_OVERFLOW" : "none");
    return 0;
}

int main(int count, char **arguments) {
    if (count < 2)
        return 2;
    struct soap *soap = soap_new1(SOAP_C_UTFSTRING);
    soap->connect_timeout = soap->send_timeout = soap->recv_timeout = 20;
    struct _ns2__KINDSOperation request = {
        .plain_USCOREtext = TEXT("Zo\xc3\xab & <Bob> \"q\""),
        .letters = TEXT("ABCDEF"),
        .zoned = &(unsigned short){count > 2 ? (unsigned short)atoi(arguments[2]) : 9999},
        .zoned_USCOREsigned = &(int){-9999999},
        .zoned_USCORElong = &(LONG64){-999999999999999999},
        .zoned_USCOREpoint = TEXT("-12345.67"),
        .sign_USCOREapart = &(int){-54321},
        .half = &(short){-9999},
        .half_USCOREplus = &(unsigned short){9999},
        .full = &(int){-999999999},
        .double_USCOREword = &(LONG64){999999999999999999},
        .native = &(unsigned int){4294967295u},
        .packed = TEXT("-1234567.89"),
        .packed_USCORElong = TEXT("9999999999999.9999"),
        .single = &(float){1.5f},
        .longer = &(double){-2.25},
        .outer = &(struct _ns2__KINDSOperation_outer){
            .inner = TEXT("inside"),
            .deeper = &(struct _ns2__KINDSOperation_outer_deeper){.deepest = &(unsigned short){7}},
        },
        .__KINDSOperation_sequence = &(struct __ns2__KINDSOperation_sequence){
            .__sizepart = 3,
            .part = (struct _ns2__KINDSOperation_part[]){
                PART("one", "1.25", 1, 2),
                PART("two", "-99999.99", 3, 4),
                PART("six", "0", 5, 99),
            },
        },
        .__sizeorder_USCOREline = 2,
        .order_USCOREline = (struct _ns2__KINDSOperation_order_USCOREline[]){
            {.item = TEXT("LAMP"), .quantity = &(unsigned short){2}},
            {.item = TEXT("SOFA"), .quantity = &(unsigned short){9999}},
        },
    };
    struct _ns3__KINDSOperationResponse answer;
    int outcome = 0;
    if (soap_call___ns1__KINDSOperation(soap, arguments[1], NULL, &request, &answer) == SOAP_OK)
        print_answer(&answer);
    else
        outcome = print_fault(soap);
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
    return outcome;
}
