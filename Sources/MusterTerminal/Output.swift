import Foundation

// How commands print: results to standard output, everything else to standard error.

/// Prints a line to standard output at once, even into a pipe.
package func announce(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Prints a line about progress to standard error, apart from the output that a script reads.
package func remark(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
