// A file system for SQLite ("VFS shim", https://sqlite.org/vfs.html) between it and the operating system's.

#include "page_checksums.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

typedef struct File {
    sqlite3_file base;
    const char *path;
    /// Whether pages are written with checksums.
    int is_sealed;
    int is_verified;
} File;

static sqlite3_vfs *system_vfs;
static sqlite3_vfs checked_vfs;
static void (*_Atomic report_damage)(const char *, uint32_t);
static _Thread_local int mode;

/// The operating system's part of a file, which lies behind ours.
static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }

// MARK: The checksum

static uint64_t rotated(uint64_t value, int by) { return value << by | value >> (64 - by); }

/// Four multiplicative hashes side by side over every fourth word, mixed into one. Each step is a bijection of the
/// state: what differs in a single word always differs in the checksum. The page's number begins it, so that a page
/// written to another's place, or one of zeros, is damaged.
static uint64_t checksum(const uint8_t *page, int size, uint32_t number) {
    const uint64_t factor = 0x9E3779B97F4A7C15u;
    uint64_t lanes[4] = {number + 1u, 2, 3, 4};
    int words = (size - page_checksums_bytes) / 8;
    for (int index = 0; index < words; index++) {
        const uint8_t *at = page + 8 * index;
        uint64_t word;
        memcpy(&word, at, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        lanes[index & 3] = rotated((lanes[index & 3] ^ word) * factor, 29);
    }
    uint64_t mixed = 0;
    for (int lane = 0; lane < 4; lane++) mixed = rotated((mixed ^ lanes[lane]) * factor, 31);
    return mixed;
}

static uint64_t stored_checksum(const uint8_t *page, int size) {
    uint64_t stored = 0;
    for (int index = 0; index < 8; index++) stored |= (uint64_t)page[size - 8 + index] << (8 * index);
    return stored;
}

int page_checksums_verify(const uint8_t *page, int size, uint32_t number) {
    return stored_checksum(page, size) == checksum(page, size, number);
}

int page_checksums_are_claimed(const uint8_t *header) {
    uint32_t user_version = (uint32_t)header[60] << 24 | (uint32_t)header[61] << 16 | (uint32_t)header[62] << 8
        | (uint32_t)header[63];
    return memcmp(header, "SQLite format 3", 16) == 0
        && (header[20] == page_checksums_bytes || user_version == page_checksums_user_version);
}

int page_checksums_set_mode(int next) {
    int before = mode;
    mode = next;
    return before;
}

// MARK: Files

static int is_page(const File *file, int count, sqlite3_int64 offset) {
    return file->is_sealed && count >= 512 && (count & (count - 1)) == 0 && offset % count == 0;
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    File *file = (File *)base;
    int code = inner(base)->pMethods->xRead(inner(base), bytes, count, offset);
    if (code != SQLITE_OK) return code;
    // Another process may have made the file that was empty when this one opened it.
    if (offset == 0 && count >= 100 && page_checksums_are_claimed(bytes)) file->is_sealed = 1;
    if (!is_page(file, count, offset) || !file->is_verified) return SQLITE_OK;
    uint32_t number = (uint32_t)(offset / count) + 1;
    if (page_checksums_verify(bytes, count, number)) return SQLITE_OK;
    void (*report)(const char *, uint32_t) = atomic_load(&report_damage);
    if (report && file->path) report(file->path, number);
    return SQLITE_IOERR_DATA;
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    File *file = (File *)base;
    if (offset == 0 && count >= 100) file->is_sealed = page_checksums_are_claimed(bytes);
    if (!is_page(file, count, offset) || count > 65536)
        return inner(base)->pMethods->xWrite(inner(base), bytes, count, offset);
    // SQLite's own copy stays as it is.
    uint8_t page[65536];
    memcpy(page, bytes, (size_t)count);
    uint64_t sum = checksum(page, count, (uint32_t)(offset / count) + 1);
    for (int index = 0; index < 8; index++) page[count - 8 + index] = (uint8_t)(sum >> (8 * index));
    return inner(base)->pMethods->xWrite(inner(base), page, count, offset);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    if (operation == page_checksums_seal_empty) {
        sqlite3_int64 size = 0;
        int code = inner(base)->pMethods->xFileSize(inner(base), &size);
        if (code == SQLITE_OK && size == 0) ((File *)base)->is_sealed = 1;
        return code;
    }
    return inner(base)->pMethods->xFileControl(inner(base), operation, argument);
}

static int close_file(sqlite3_file *base) { return inner(base)->pMethods->xClose(inner(base)); }
static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
    return inner(base)->pMethods->xTruncate(inner(base), size);
}
static int sync_file(sqlite3_file *base, int flags) { return inner(base)->pMethods->xSync(inner(base), flags); }
static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    return inner(base)->pMethods->xFileSize(inner(base), size);
}
static int lock_file(sqlite3_file *base, int kind) { return inner(base)->pMethods->xLock(inner(base), kind); }
static int unlock_file(sqlite3_file *base, int kind) { return inner(base)->pMethods->xUnlock(inner(base), kind); }
static int check_lock(sqlite3_file *base, int *result) {
    return inner(base)->pMethods->xCheckReservedLock(inner(base), result);
}
static int sector_size(sqlite3_file *base) { return inner(base)->pMethods->xSectorSize(inner(base)); }
static int characteristics(sqlite3_file *base) {
    return inner(base)->pMethods->xDeviceCharacteristics(inner(base));
}
static int map_memory(sqlite3_file *base, int region, int size, int extends, void volatile **memory) {
    return inner(base)->pMethods->xShmMap(inner(base), region, size, extends, memory);
}
static int lock_memory(sqlite3_file *base, int offset, int count, int flags) {
    return inner(base)->pMethods->xShmLock(inner(base), offset, count, flags);
}
static void order_memory(sqlite3_file *base) { inner(base)->pMethods->xShmBarrier(inner(base)); }
static int unmap_memory(sqlite3_file *base, int deletes) {
    return inner(base)->pMethods->xShmUnmap(inner(base), deletes);
}

/// Version 2: pages are never mapped into memory, where nobody would verify them.
static const sqlite3_io_methods methods = {
    2, close_file, read_file, write_file, truncate_file, sync_file, file_size, lock_file, unlock_file, check_lock,
    file_control, sector_size, characteristics, map_memory, lock_memory, order_memory, unmap_memory, 0, 0,
};

// MARK: The file system

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *result_flags) {
    (void)vfs;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return system_vfs->xOpen(system_vfs, path, base, flags, result_flags);
    File *file = (File *)base;
    memset(file, 0, sizeof *file);
    memset(inner(base), 0, sizeof(sqlite3_file));
    int code = system_vfs->xOpen(system_vfs, path, inner(base), flags, result_flags);
    if (code != SQLITE_OK || inner(base)->pMethods == 0) {
        base->pMethods = 0;
        return code;
    }
    if (inner(base)->pMethods->iVersion < 2) {
        memmove(base, inner(base), (size_t)system_vfs->szOsFile);
        return code;
    }
    base->pMethods = &methods;
    file->path = path;
    file->is_verified = mode != page_checksums_unverified;
    uint8_t header[100];
    sqlite3_int64 size = 0;
    if (inner(base)->pMethods->xFileSize(inner(base), &size) != SQLITE_OK) return code;
    if (size == 0) file->is_sealed = mode == page_checksums_new_files_sealed;
    if (size >= 100 && inner(base)->pMethods->xRead(inner(base), header, 100, 0) == SQLITE_OK)
        file->is_sealed = page_checksums_are_claimed(header);
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int synchronises) {
    (void)vfs;
    return system_vfs->xDelete(system_vfs, path, synchronises);
}
static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    return system_vfs->xAccess(system_vfs, path, flags, result);
}
static int full_path(sqlite3_vfs *vfs, const char *path, int count, char *result) {
    (void)vfs;
    return system_vfs->xFullPathname(system_vfs, path, count, result);
}
static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    return system_vfs->xRandomness(system_vfs, count, bytes);
}
static int sleep_for(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return system_vfs->xSleep(system_vfs, microseconds);
}
static int current_time(sqlite3_vfs *vfs, double *time) {
    (void)vfs;
    return system_vfs->xCurrentTime(system_vfs, time);
}
static int current_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    (void)vfs;
    return system_vfs->xCurrentTimeInt64(system_vfs, time);
}
static int last_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs;
    return system_vfs->xGetLastError ? system_vfs->xGetLastError(system_vfs, count, text) : 0;
}

int page_checksums_install(void (*report)(const char *path, uint32_t page)) {
    int code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(mutex);
    atomic_store(&report_damage, report);
    if (!system_vfs) {
        system_vfs = sqlite3_vfs_find(0);
        if (!system_vfs || system_vfs->iVersion < 2) {
            code = SQLITE_ERROR;
        } else {
            checked_vfs.iVersion = 2;
            checked_vfs.szOsFile = (int)sizeof(File) + system_vfs->szOsFile;
            checked_vfs.mxPathname = system_vfs->mxPathname;
            checked_vfs.zName = "muster-checksums";
            checked_vfs.xOpen = open_file;
            checked_vfs.xDelete = delete_file;
            checked_vfs.xAccess = access_file;
            checked_vfs.xFullPathname = full_path;
            checked_vfs.xRandomness = randomness;
            checked_vfs.xSleep = sleep_for;
            checked_vfs.xCurrentTime = current_time;
            checked_vfs.xCurrentTimeInt64 = current_milliseconds;
            checked_vfs.xGetLastError = last_error;
            code = sqlite3_vfs_register(&checked_vfs, 1);
        }
    }
    sqlite3_mutex_leave(mutex);
    return code;
}
