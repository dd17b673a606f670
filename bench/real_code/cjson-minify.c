/* cJSON_Minify of a text of up to five characters leaves no blanks outside of strings, and nothing behind the text is written. */
#include "cJSON.h"
#include "harness.h"

int main(void) {
    char json[7];
    any_string(json, 6);
    json[6] = 'x';
    for (int i = 0; i < 6; i++)
        __VERIFIER_assume(json[i] != '\\');
    cJSON_Minify(json);
    assert(json[6] == 'x');
    int is_string = 0;
    for (int i = 0; json[i]; i++) {
        assert(i < 5);
        if (json[i] == '"')
            is_string = !is_string;
        assert(is_string || (json[i] != ' ' && json[i] != '\n' && json[i] != '\t'));
    }
}
