import Foundation

#if canImport(Glibc)
    import CMalloc
#endif

/// Keeps the process from holding more memory than it uses. The Linux C library keeps an arena for each thread and
/// returns freed pages reluctantly. On other systems these functions do nothing.
package enum ProcessMemory {
    /// Lets all threads share two arenas. Call this before the process starts many threads.
    package static func shareArenas() {
        #if canImport(Glibc)
            _ = mallopt(M_ARENA_MAX, 2)
        #endif
    }

    /// The address space, in bytes, that the server needs to start. An idle server uses about two thirds of it.
    private static let leastBytes: rlim_t = 512 << 20

    /// Checks that the limit on the process's address space (`ulimit -v`) is high enough to start. Without this check
    /// the process would crash when it cannot create a thread, which a program cannot catch.
    ///
    /// - Throws: `TooLittleMemory`.
    package static func requireEnough() throws(TooLittleMemory) {
        #if canImport(Glibc)
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < leastBytes else {
                return
            }
            throw TooLittleMemory(mebibytes: Int(limit.rlim_cur >> 20), least: Int(leastBytes >> 20))
        #endif
    }

    /// Returns freed pages to the operating system. Takes some milliseconds.
    package static func giveBack() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }
}

/// The process cannot start because the operating system allows it too little memory.
package struct TooLittleMemory: Error, CustomStringConvertible {
    let mebibytes: Int
    let least: Int

    /// A sentence that tells the operator what to do.
    package var description: String {
        "this process may take \(mebibytes) MiB of memory and needs \(least) at least: raise the limit "
            + "(ulimit -v, or LimitAS in a unit file of systemd)"
    }
}
