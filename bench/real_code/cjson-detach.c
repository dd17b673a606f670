/* After cJSON_DetachItemFromArray an array of up to three items still has all others, in order, linked in both directions. */
#include "cJSON.h"
#include "harness.h"

int main(void) {
    cJSON *array = cJSON_CreateArray(), *items[3];
    unsigned int count = at_most(3), which = at_most(3);
    __VERIFIER_assume(array != 0);
    for (unsigned int i = 0; i < count; i++) {
        items[i] = cJSON_CreateNull();
        __VERIFIER_assume(items[i] != 0);
        assert(cJSON_AddItemToArray(array, items[i]));
    }
    cJSON *detached = cJSON_DetachItemFromArray(array, (int)which), *last = 0, *item = array->child;
    assert(detached == (which < count ? items[which] : 0));
    for (unsigned int i = 0; i < count; i++)
        if (i != which) {
            assert(item == items[i]);
            assert(last == 0 || item->prev == last);
            last = item;
            item = item->next;
        }
    assert(item == 0);
    assert(last == 0 || array->child->prev == last);
    assert(cJSON_GetArraySize(array) == (int)(which < count ? count - 1 : count));
}
