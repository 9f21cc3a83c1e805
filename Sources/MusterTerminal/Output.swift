import Foundation

/// Prints a line at once, even into a pipe.
package func announce(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Says to the person at the terminal what is going on, apart from the output that a script reads.
package func remark(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
