#if canImport(CPCRE2)
    import CPCRE2
#endif

/// A regular expression as CouchDB accepts them: PCRE's syntax, over code points, matched anywhere in a text.
///
/// The work is bounded: a pattern has at most `limitBytes`, and one match takes at most `stepLimit` steps. A match that
/// runs out of steps counts as not found. On platforms without PCRE2 (iOS) no pattern compiles.
package struct PatternExpression: Hashable, Sendable {
    /// The source of the pattern.
    package let text: String
    private let program: Program

    /// The longest pattern.
    package static let limitBytes = 1_000
    /// The most steps of the matcher in one text: a few milliseconds.
    package static let stepLimit: UInt32 = 100_000

    /// Compiles a pattern; nil if it is invalid, or longer than `limitBytes`.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.limitBytes, let program = Program(text) else { return nil }
        self.text = text
        self.program = program
    }

    /// Whether the pattern matches anywhere in a text.
    package func isFound(in subject: String) -> Bool { program.isFound(in: subject) }

    /// Compares the sources of the patterns.
    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
    /// Hashes the source of the pattern.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

#if canImport(CPCRE2)
    /// A compiled pattern.
    ///
    /// `@unchecked Sendable`: PCRE2 does not change compiled patterns and match contexts during a match, and each match
    /// has data of its own.
    private final class Program: @unchecked Sendable {
        private let code: OpaquePointer
        private let limits: OpaquePointer

        init?(_ text: String) {
            let pattern = Array(text.utf8)
            var fault: Int32 = 0
            var place = 0
            // \C would match a part of a character.
            let options = UInt32(PCRE2_UTF) | UInt32(PCRE2_NEVER_BACKSLASH_C)
            guard let code = pcre2_compile_8(pattern, pattern.count, options, &fault, &place, nil) else { return nil }
            guard let limits = pcre2_match_context_create_8(nil) else {
                pcre2_code_free_8(code)
                return nil
            }
            pcre2_set_match_limit_8(limits, PatternExpression.stepLimit)
            pcre2_set_depth_limit_8(limits, 1_000)
            pcre2_set_heap_limit_8(limits, 4_096)
            self.code = code
            self.limits = limits
        }

        deinit {
            pcre2_match_context_free_8(limits)
            pcre2_code_free_8(code)
        }

        func isFound(in subject: String) -> Bool {
            guard let match = pcre2_match_data_create_8(1, nil) else { return false }
            defer { pcre2_match_data_free_8(match) }
            var subject = subject
            let result = subject.withUTF8 { bytes in
                // A Swift string is always valid UTF-8.
                pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, UInt32(PCRE2_NO_UTF_CHECK), match, limits)
            }
            return result >= 0
        }
    }
#else
    private struct Program: Sendable {
        init?(_ text: String) { return nil }
        func isFound(in subject: String) -> Bool { false }
    }
#endif
