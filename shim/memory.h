/* Memory: every buffer starts small, so that the program starts wherever any program does, and is mapped when a
 * call needs more. Nothing is given back; the process is short. */

struct space {
    char *at;
    size_t room, most;
    int mapped;
};

#define SPACE(name, small, large)    \
    static char name##_bytes[small]; \
    static struct space name = {.at = name##_bytes, .room = small, .most = large, .mapped = 0}

/* Makes room for `wanted` bytes and keeps what is there; gives -1, and leaves all as it was, when there is none. */
static int widen(struct space *space, size_t wanted)
{
    size_t room = space->room;
    if (wanted <= room) return 0;
    if (wanted > space->most) return -1;
    while (room < wanted) room *= 4;
    if (room > space->most) room = space->most;
    char *at = space->mapped ? sys_remap(space->at, space->room, room) : sys_map(room);
    if (at == NULL) return -1;
    if (!space->mapped) memcpy(at, space->at, space->room);
    *space = (struct space){.at = at, .room = room, .most = space->most, .mapped = 1};
    return 0;
}
