/* LZ4_decompress_safe of any six bytes writes nothing behind its buffer of eight, and says how much it wrote. */
#include "harness.h"
#include "lz4.h"

int main(void) {
    char compressed[6], text[10];
    any_bytes(compressed, sizeof compressed);
    int room = (int)at_most(8);
    text[8] = text[9] = 'x';
    int size = LZ4_decompress_safe(compressed, text, (int)at_most(6), room);
    assert(size <= room);
    assert(text[8] == 'x' && text[9] == 'x');
}
