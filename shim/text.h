/* Words put together in a fixed buffer, and descriptors written until nothing is left. */

#define PLAIN_MAX 400

struct text {
    char *at;
    size_t size, room;
    int cut; /* something did not fit */
};

/* Not on the stack, which may be as small as a page; no function that has one calls itself. */
#define TEXT(name, capacity)                                                                           \
    static char name##_bytes[capacity];                                                                \
    struct text name = {.at = name##_bytes, .size = 0, .room = sizeof name##_bytes, .cut = 0}

static void put_bytes(struct text *to, const char *from, size_t size)
{
    if (size > to->room - to->size) {
        size = to->room - to->size;
        to->cut = 1;
    }
    memcpy(to->at + to->size, from, size);
    to->size += size;
}

static void put(struct text *to, const char *from) { put_bytes(to, from, strlen(from)); }

static void put_number(struct text *to, long long number)
{
    char digits[24];
    size_t at = sizeof digits;
    unsigned long long rest = number < 0 ? 0ULL - (unsigned long long)number : (unsigned long long)number;
    do digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0) digits[--at] = '-';
    put_bytes(to, digits + at, sizeof digits - at);
}

/* Only what stands unescaped in JSON and cannot steer a terminal, and not more than leaves room for the rest. */
static void put_plain(struct text *to, const char *from)
{
    for (size_t i = 0; from[i] != 0; i++) {
        char one = from[i];
        if (i == PLAIN_MAX) {
            put(to, "...");
            return;
        }
        if (one < ' ' || one > '~' || one == '"' || one == '\\') one = '?';
        put_bytes(to, &one, 1);
    }
}

/* The text as a C string, or none when it did not fit. */
static const char *as_string(struct text *from)
{
    put_bytes(from, "", 1);
    return from->cut ? NULL : from->at;
}

static int same(const char *a, const char *b)
{
    size_t size = strlen(a);
    return size == strlen(b) && memcmp(a, b, size) == 0;
}

static int begins(const char *text, const char *with)
{
    size_t size = strlen(with);
    return strlen(text) >= size && memcmp(text, with, size) == 0;
}

static int write_all(int fd, const char *from, size_t size)
{
    while (size > 0) {
        long wrote = sys_write(fd, from, size);
        if (wrote == -EAGAIN && sys_poll(fd, POLLOUT, CEILING_MS) != 0) continue;
        if (wrote == -EINTR) continue;
        if (wrote <= 0) return -1;
        from += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

static int write_text(int fd, const struct text *from) { return write_all(fd, from->at, from->size); }

static void say(int fd, const char *words) { write_all(fd, words, strlen(words)); }
