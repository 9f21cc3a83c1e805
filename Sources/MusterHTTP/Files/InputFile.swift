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

    /// Reads a whole file into memory. Of a named pipe nothing is read, as nobody may write to it; the pipe of a shell
    /// (`/dev/fd/63`, `/dev/stdin`) has a writer.
    package static func read(_ path: String) throws(Unreadable) -> Data {
        // Foundation has no name for the type of a named pipe, and one for every other type.
        let place = URL(filePath: path).resolvingSymlinksInPath().path
        let type = (try? FileManager.default.attributesOfItem(atPath: place))?[.type] as? FileAttributeType
        if type == .typeUnknown, !path.hasPrefix("/dev/") {
            throw Unreadable(path: path, cause: "it is a pipe, and no regular file")
        }
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
