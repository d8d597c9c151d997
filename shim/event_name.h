/* The event's name, read out of its JSON: the top-level `hook_event_name`, whatever else the text holds. */

#define NAME_ROOM 64
#define DEPTH_ROOM 4096 /* deeper than any event; deeper is unread */

enum scan { SCAN_GOOD, SCAN_BAD, SCAN_CUT }; /* cut: the text ended first */

struct reader {
    const char *at, *end;
};

struct word { /* the inside of a JSON string */
    const char *at;
    size_t size;
    int escaped;
};

static void skip_space(struct reader *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r'))
        in->at++;
}

static enum scan take(struct reader *in, char wanted)
{
    skip_space(in);
    if (in->at == in->end) return SCAN_CUT;
    return *in->at == wanted ? (in->at++, SCAN_GOOD) : SCAN_BAD;
}

static enum scan read_word(struct reader *in, struct word *to)
{
    enum scan opened = take(in, '"');
    if (opened != SCAN_GOOD) return opened;
    *to = (struct word){.at = in->at, .size = 0, .escaped = 0};
    for (; in->at < in->end; in->at++) {
        if ((unsigned char)*in->at < ' ') return SCAN_BAD;
        if (*in->at == '"') {
            to->size = (size_t)(in->at++ - to->at);
            return SCAN_GOOD;
        }
        if (*in->at == '\\') {
            to->escaped = 1;
            if (++in->at == in->end) return SCAN_CUT;
        }
    }
    return SCAN_CUT;
}

/* Goes over one object or array; brackets must close in the order they opened. */
static enum scan skip_nest(struct reader *in)
{
    static char open[DEPTH_ROOM];
    size_t depth = 0;
    struct word ignored;
    while (in->at < in->end) {
        char one = *in->at;
        if (one == '"') {
            enum scan word = read_word(in, &ignored);
            if (word != SCAN_GOOD) return word;
            continue;
        }
        in->at++;
        if (one == '{' || one == '[') {
            if (depth == DEPTH_ROOM) return SCAN_BAD;
            open[depth++] = one;
        } else if (one == '}' || one == ']') {
            if (open[--depth] != (one == '}' ? '{' : '[')) return SCAN_BAD;
            if (depth == 0) return SCAN_GOOD;
        }
    }
    return SCAN_CUT;
}

static int is_letter(char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'); }

static enum scan skip_scalar(struct reader *in)
{
    const char *start = in->at;
    while (in->at < in->end) {
        char one = *in->at;
        if (!is_letter(one) && !(one >= '0' && one <= '9') && one != '-' && one != '+' && one != '.') break;
        in->at++;
    }
    if (in->at == in->end) return SCAN_CUT;
    return in->at > start ? SCAN_GOOD : SCAN_BAD;
}

/* Goes over a value; a string is kept in `to`, anything else leaves it empty. */
static enum scan read_value(struct reader *in, struct word *to)
{
    skip_space(in);
    *to = (struct word){.at = in->at, .size = 0, .escaped = 0};
    if (in->at == in->end) return SCAN_CUT;
    if (*in->at == '"') return read_word(in, to);
    if (*in->at == '{' || *in->at == '[') return skip_nest(in);
    return skip_scalar(in);
}

static enum scan keep_name(const struct word *key, const struct word *value, char name[NAME_ROOM])
{
    static const char wanted[] = "hook_event_name";
    if (key->escaped) return SCAN_BAD; /* could spell any key; hosts never write one so */
    if (key->size != sizeof wanted - 1 || memcmp(key->at, wanted, key->size) != 0) return SCAN_GOOD;
    if (name[0] != 0 || value->size == 0 || value->size >= NAME_ROOM) return SCAN_BAD;
    for (size_t i = 0; i < value->size; i++)
        if (!is_letter(value->at[i])) return SCAN_BAD;
    memcpy(name, value->at, value->size);
    name[value->size] = 0;
    return SCAN_GOOD;
}

static enum scan scan_members(struct reader *in, char name[NAME_ROOM])
{
    enum scan state = take(in, '{');
    if (state != SCAN_GOOD) return state;
    if (take(in, '}') == SCAN_GOOD) return SCAN_GOOD;
    for (;;) {
        struct word key, value;
        if ((state = read_word(in, &key)) != SCAN_GOOD) return state;
        if ((state = take(in, ':')) != SCAN_GOOD) return state;
        if ((state = read_value(in, &value)) != SCAN_GOOD) return state;
        if ((state = keep_name(&key, &value, name)) != SCAN_GOOD) return state;
        if ((state = take(in, ',')) == SCAN_GOOD) continue;
        return state == SCAN_CUT ? SCAN_CUT : take(in, '}');
    }
}

/* Leaves `name` empty when the text has no single plain name. A text known to be cut short gives the one it began with. */
static void event_name(const char *json, size_t size, int cut_short, char name[NAME_ROOM])
{
    struct reader in = {.at = json, .end = json + size};
    name[0] = 0;
    enum scan state = scan_members(&in, name);
    if (state == SCAN_GOOD) {
        skip_space(&in);
        if (in.at != in.end) state = SCAN_BAD;
    }
    if (state == SCAN_BAD || (state == SCAN_CUT && !cut_short)) name[0] = 0;
}
