// What a Swift program expects of its system, for WebAssembly without one: memory, and the fused multiplication that
// the exact predicates rest on. One thread; nothing here is reentrant.

#include <stddef.h>
#include <stdint.h>

// MARK: Memory. Blocks come in sizes of which four make a doubling (16, 20, 24, 28, 32, 40, 48, …); what is freed waits
// in the list of its size.

typedef struct block {
    struct block *next;
    uint32_t size_class;
    uint64_t padding;
} block; // 16 bytes before what is handed out, which keeps that aligned to 16

enum { PAGE = 65536, CLASSES = 105 };

extern unsigned char __heap_base;
static uintptr_t top;
static block *free_blocks[CLASSES];

static size_t class_bytes(uint32_t size_class) {
    return (size_t)(4 + size_class % 4) << (size_class / 4 + 2);
}

static uint32_t class_for(size_t bytes) {
    uint32_t size_class = 0;
    while (class_bytes(size_class) < bytes) { size_class++; }
    return size_class;
}

void *malloc(size_t bytes) {
    if (bytes > class_bytes(CLASSES - 1)) { return NULL; }
    uint32_t size_class = class_for(bytes);
    block *found = free_blocks[size_class];
    if (found) {
        free_blocks[size_class] = found->next;
        return found + 1;
    }
    if (top == 0) { top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15; }
    uintptr_t end = top + sizeof(block) + ((class_bytes(size_class) + 15) & ~(size_t)15);
    size_t have = __builtin_wasm_memory_size(0) * (size_t)PAGE;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE - 1) / PAGE) == (size_t)-1) { return NULL; }
    found = (block *)top;
    top = end;
    found->size_class = size_class;
    return found + 1;
}

void free(void *memory) {
    if (!memory) { return; }
    block *freed = (block *)memory - 1;
    freed->next = free_blocks[freed->size_class];
    free_blocks[freed->size_class] = freed;
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    if (alignment > 16) { return 22; } // EINVAL: nothing here asks for more
    *memory = malloc(bytes);
    return *memory ? 0 : 12; // ENOMEM
}

// MARK: a·b + c rounded once (S. Boldo, G. Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms
// using rounding to odd, IEEE Transactions on Computers 57, 2008). Without overflow and underflow.

typedef struct {
    double sum, error;
} exact_sum;

static exact_sum two_sum(double a, double b) {
    double sum = a + b;
    double part = sum - a;
    return (exact_sum){sum, (a - (sum - part)) + (b - part)};
}

// Veltkamp's: the upper 26 bits.
static double upper(double value) {
    double scaled = 134217729.0 * value;
    return scaled - (scaled - value);
}

// Rounded to the neighbour whose last bit is 1, unless exact.
static double odd_sum(double a, double b) {
    exact_sum exact = two_sum(a, b);
    uint64_t bits;
    __builtin_memcpy(&bits, &exact.sum, 8);
    if (exact.error != 0 && !(bits & 1)) { bits += (exact.error > 0) == (exact.sum > 0) ? 1 : (uint64_t)-1; }
    __builtin_memcpy(&exact.sum, &bits, 8);
    return exact.sum;
}

double fma(double a, double b, double c) {
    double product = a * b;
    double a_high = upper(a), a_low = a - a_high;
    double b_high = upper(b), b_low = b - b_high;
    double lost = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    exact_sum low = two_sum(c, lost);
    exact_sum high = two_sum(product, low.sum);
    return high.sum + odd_sum(low.error, high.error);
}

// MARK: The rest

int memcmp(const void *left, const void *right, size_t bytes) {
    const unsigned char *a = left, *b = right;
    for (; bytes > 0; bytes--, a++, b++) {
        if (*a != *b) { return *a - *b; }
    }
    return 0;
}

// The seed of hash tables. They hold numbers that the engine itself gave, so nobody can choose keys that collide; and
// the same module makes the same tables.
void arc4random_buf(void *bytes, size_t count) {
    unsigned char *each = bytes;
    for (size_t index = 0; index < count; index++) { each[index] = (unsigned char)(151 * index + 43); }
}

// The product of two numbers of 128 bits, whose halves the compiler multiplies.
typedef union {
    __int128 all;
    struct {
        uint64_t low, high;
    } half;
} wide;

__int128 __multi3(__int128 a, __int128 b) {
    wide x = {.all = a}, y = {.all = b}, product;
    uint64_t x_low = (uint32_t)x.half.low, x_high = x.half.low >> 32;
    uint64_t y_low = (uint32_t)y.half.low, y_high = y.half.low >> 32;
    uint64_t low = x_low * y_low;
    uint64_t middle = x_high * y_low + (low >> 32);
    uint64_t other = x_low * y_high + (uint32_t)middle;
    product.half.low = (other << 32) | (uint32_t)low;
    product.half.high = x_high * y_high + (middle >> 32) + (other >> 32);
    product.half.high += x.half.high * y.half.low + x.half.low * y.half.high;
    return product.all;
}

double remquo(double x, double y, int *quotient);

double remainder(double x, double y) {
    int quotient;
    return remquo(x, y, &quotient);
}

// Unicode's tables, which texts beyond ASCII need to be compared. The module holds none: names stay with the host.

uint16_t _swift_stdlib_getNormData(uint32_t scalar) {
    (void)scalar;
    __builtin_trap();
}

uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) {
    (void)first, (void)second;
    __builtin_trap();
}

uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) {
    (void)scalar;
    __builtin_trap();
}

const uint32_t _swift_stdlib_nfd_decompositions[1] = {0};
