package import Foundation

/// Files that a person named on the command line or in the configuration.
package enum InputFile {
    /// The reason why a file could not be read.
    package struct Unreadable: Error, CustomStringConvertible {
        /// The path as it was given.
        package let path: String
        /// The operating system's words, such as "No such file or directory".
        package let cause: String

        /// The path and the cause; one sentence without a full stop.
        package var description: String { "\(path) cannot be read: \(cause)" }
    }

    /// Reads a whole file into memory.
    package static func read(_ path: String) throws(Unreadable) -> Data {
        guard let file = fopen(path, "rb") else {
            throw Unreadable(path: path, cause: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            content.append(contentsOf: buffer[..<count])
            guard count == buffer.count else {
                guard ferror(file) == 0 else { throw Unreadable(path: path, cause: String(cString: strerror(errno))) }
                return content
            }
        }
    }
}
