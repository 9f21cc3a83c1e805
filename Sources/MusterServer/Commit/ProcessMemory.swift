import Foundation

#if canImport(Glibc)
    import CMalloc
#endif

/// Keeps the process's memory to what it uses. The C library of Linux keeps an arena a thread and gives freed pages
/// back reluctantly; elsewhere there is nothing to do.
enum ProcessMemory {
    /// Lets all threads share two arenas. To be called before there are many threads.
    static func shareArenas() {
        #if canImport(Glibc)
            _ = mallopt(M_ARENA_MAX, 2)
        #endif
    }

    /// So much address space is needed to start: an idle server takes about two thirds of it.
    private static let leastBytes: rlim_t = 512 << 20

    /// Makes sure that the limit to the process's address space (`ulimit -v`) leaves enough to start: a thread that
    /// cannot be made is no error that a program can catch.
    ///
    /// - Throws: `TooLittleMemory`.
    static func requireEnough() throws(TooLittleMemory) {
        #if canImport(Glibc)
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < leastBytes else {
                return
            }
            throw TooLittleMemory(mebibytes: Int(limit.rlim_cur >> 20), least: Int(leastBytes >> 20))
        #endif
    }

    /// Gives freed pages back to the system; some milliseconds.
    static func giveBack() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }
}

/// Why a process cannot start: the system gives it too little memory.
package struct TooLittleMemory: Error, CustomStringConvertible {
    let mebibytes: Int
    let least: Int

    /// What to do about it, in a sentence.
    package var description: String {
        "this process may take \(mebibytes) MiB of memory and needs \(least) at least: raise the limit "
            + "(ulimit -v, or LimitAS in a unit file of systemd)"
    }
}
