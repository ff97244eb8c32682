//gsoap ns service name: typical
//gsoap ns service style: document
//gsoap ns service encoding: literal
//gsoap ns service namespace: http://www.TYPICAL.Request.com
//gsoap ns schema namespace: http://www.TYPICAL.Request.com
//gsoap ns schema elementForm: qualified

// Decimals stay text, which costs gSOAP less than converting them.
typedef char *xsd__decimal;

struct ns__Detail {
    char *ns__item;
    int ns__quantity;
    int ns__stock;
    xsd__decimal ns__price;
    char *ns__unit;
    int ns__shelf;
    int ns__supplier;
};

struct ns__TYPICALOperationResponse {
    char *ns__text_USCORE01;
    char *ns__text_USCORE02;
    char *ns__text_USCORE03;
    char *ns__text_USCORE04;
    char *ns__text_USCORE05;
    char *ns__text_USCORE06;
    char *ns__text_USCORE07;
    char *ns__text_USCORE08;
    char *ns__text_USCORE09;
    char *ns__text_USCORE10;
    char *ns__text_USCORE11;
    char *ns__text_USCORE12;
    char *ns__text_USCORE13;
    char *ns__text_USCORE14;
    char *ns__text_USCORE15;
    char *ns__text_USCORE16;
    char *ns__text_USCORE17;
    char *ns__text_USCORE18;
    char *ns__text_USCORE19;
    char *ns__text_USCORE20;
    int ns__count_USCORE01;
    int ns__count_USCORE02;
    int ns__count_USCORE03;
    int ns__count_USCORE04;
    int ns__count_USCORE05;
    int ns__count_USCORE06;
    int ns__count_USCORE07;
    int ns__count_USCORE08;
    int ns__count_USCORE09;
    int ns__count_USCORE10;
    int ns__count_USCORE11;
    int ns__count_USCORE12;
    int ns__change_USCORE01;
    int ns__change_USCORE02;
    int ns__change_USCORE03;
    int ns__change_USCORE04;
    int ns__change_USCORE05;
    int ns__change_USCORE06;
    int ns__change_USCORE07;
    int ns__change_USCORE08;
    int ns__word_USCORE01;
    int ns__word_USCORE02;
    int ns__word_USCORE03;
    int ns__word_USCORE04;
    int ns__word_USCORE05;
    int ns__word_USCORE06;
    int ns__word_USCORE07;
    int ns__word_USCORE08;
    int ns__half_USCORE01;
    int ns__half_USCORE02;
    int ns__half_USCORE03;
    int ns__half_USCORE04;
    int ns__half_USCORE05;
    int ns__half_USCORE06;
    xsd__decimal ns__amount_USCORE01;
    xsd__decimal ns__amount_USCORE02;
    xsd__decimal ns__amount_USCORE03;
    xsd__decimal ns__amount_USCORE04;
    xsd__decimal ns__amount_USCORE05;
    xsd__decimal ns__amount_USCORE06;
    int __sizedetail;
    struct ns__Detail *ns__detail;
};

int ns__TYPICALOperation(
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
    struct ns__TYPICALOperationResponse *response);
