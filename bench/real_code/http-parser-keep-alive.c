/* http_should_keep_alive is false for a message that says close, and for a response whose end only the end of the connection shows. */
#include "harness.h"
#include "http_parser.h"

int main(void) {
    http_parser parser;
    http_parser_init(&parser, HTTP_RESPONSE);
    parser.http_major = (unsigned short)at_most(1);
    parser.http_minor = (unsigned short)at_most(1);
    parser.status_code = 100 + at_most(499);
    parser.flags = at_most(255);
    parser.uses_transfer_encoding = at_most(1);
    parser.content_length = __VERIFIER_nondet_uint() ? (uint64_t)-1 : at_most(1000);
    int stays = http_should_keep_alive(&parser);
    int is_1_1 = parser.http_major == 1 && parser.http_minor == 1;
    int has_no_body = parser.status_code / 100 == 1 || parser.status_code == 204 || parser.status_code == 304 ||
                      (parser.flags & F_SKIPBODY);
    int has_length = parser.content_length != (uint64_t)-1 && !parser.uses_transfer_encoding;
    int has_end = has_no_body || (parser.flags & F_CHUNKED) || has_length;
    if (is_1_1 && (parser.flags & F_CONNECTION_CLOSE))
        assert(!stays);
    if (!is_1_1 && !(parser.flags & F_CONNECTION_KEEP_ALIVE))
        assert(!stays);
    assert(!stays || has_end);
}
