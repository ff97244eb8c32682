//gsoap s service name: shop
//gsoap s service style: document
//gsoap s service encoding: literal
//gsoap s service namespace: urn:shop
//gsoap s schema namespace: urn:shop
//gsoap s schema form: FORM

struct s__FindResponse {
    char *PREFIXname;
    char *PREFIXprice;
    LONG64 PREFIXstock;
    int __sizeline;
    char **PREFIXline;
};

int s__Find(char *PREFIXitem_USCOREid, int PREFIXquantity, struct s__FindResponse *result);
