import CGMP
import CSodium
import Foundation

/// Memory for GMP that is wiped before it is given back, because GMP's numbers are secrets here.
///
/// GMP has one set of functions for the whole process. They are set once, before its first number is made. They may be
/// called on any thread at once, and are built on `malloc`, which may.
enum WipingMemory {
    /// Passes these functions to GMP when it is first read.
    static let isSet: Bool = {
        __gmp_set_memory_functions(allocate, reallocate, release)
        return true
    }()

    static let allocate: @convention(c) @Sendable (Int) -> UnsafeMutableRawPointer? = { WipingMemory.allocated($0) }

    static let reallocate: @convention(c) @Sendable (UnsafeMutableRawPointer?, Int, Int) -> UnsafeMutableRawPointer? = {
        old, oldCount, newCount in
        // `realloc` would leave a copy behind where it moves a block.
        let new = WipingMemory.allocated(newCount)
        if let old {
            new.copyMemory(from: old, byteCount: min(oldCount, newCount))
            sodium_memzero(old, oldCount)
            free(old)
        }
        return new
    }

    static let release: @convention(c) @Sendable (UnsafeMutableRawPointer?, Int) -> Void = { block, count in
        guard let block else { return }
        sodium_memzero(block, count)
        free(block)
    }

    /// GMP cannot go on without memory: it expects these functions to end the process then.
    private static func allocated(_ count: Int) -> UnsafeMutableRawPointer {
        guard let block = malloc(max(1, count)) else { fatalError("no memory for \(count) bytes") }
        return block
    }
}

extension [UInt8] {
    /// Overwrites secret bytes in a way that the optimizer cannot remove.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { sodium_memzero(start, bytes.count) }
        }
    }
}
