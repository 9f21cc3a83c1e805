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

    /// Gives freed pages back to the system; some milliseconds.
    static func giveBack() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }
}
