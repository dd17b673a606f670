/* http_parser_parse_url: all fields of a URL of up to five characters lie within it. */
#include "harness.h"
#include "http_parser.h"

int main(void) {
    char url[5];
    struct http_parser_url fields;
    size_t length = at_most(sizeof url);
    any_bytes(url, sizeof url);
    http_parser_url_init(&fields);
    if (http_parser_parse_url(url, length, 0, &fields) == 0)
        for (int i = 0; i < UF_MAX; i++)
            if (fields.field_set & 1 << i)
                assert(fields.field_data[i].off + fields.field_data[i].len <= length);
}
