#ifndef MUSTER_PAGE_CHECKSUMS_H
#define MUSTER_PAGE_CHECKSUMS_H

#include <stdint.h>

// SQLite databases whose pages end in a checksum, which every read from the disk verifies.
//
// A database has checksums when its header says that 8 bytes of each page are reserved, or when its user version is
// `page_checksums_user_version`: one damaged number in the header does not switch the checksums off. Databases without
// either are read and written as ever. The write-ahead log has SQLite's own checksums.

#ifdef __cplusplus
extern "C" {
#endif

/// How many bytes at the end of each page hold its checksum.
enum { page_checksums_bytes = 8 };

/// The user version of a database with checksums: "MsCk".
enum { page_checksums_user_version = 0x4D73436B };

/// The file control that has a database which is still empty get checksums.
enum { page_checksums_seal_empty = 1299399531 };

/// What files opened by the calling thread are from now on.
enum page_checksums_mode {
    /// Verified if they have checksums.
    page_checksums_verified = 0,
    /// As above, and empty ones get checksums.
    page_checksums_new_files_sealed = 1,
    /// Read whatever they hold, damaged or not.
    page_checksums_unverified = 2,
};

/// Makes the operating system's files with checksums SQLite's default file system. May be called again.
///
/// - Parameter report: called on any thread with the file's path and the page's number when a page is damaged.
/// - Returns: a result code of SQLite's.
int page_checksums_install(void (*report)(const char *path, uint32_t page));

/// Chooses what the calling thread opens from now on; returns what it was.
int page_checksums_set_mode(int mode);

/// Whether the first 100 bytes of a database say that its pages have checksums.
int page_checksums_are_claimed(const uint8_t *header);

/// Whether a page ends in its checksum.
///
/// - Parameter size: in bytes, a power of two from 512 on.
int page_checksums_verify(const uint8_t *page, int size, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif
