import Foundation

// How commands print: results to standard output, everything else to standard error.

/// Prints a line to standard output at once, even into a pipe. Ends the process if standard output cannot be written.
package func announce(_ line: String) { StandardOutput.write(Data((line + "\n").utf8)) }

/// Prints a line about progress to standard error, apart from the output that a script reads. A line that cannot be
/// written is lost: nobody could be told.
package func remark(_ line: String) { remark(unterminated: line + "\n") }

/// Prints text to standard error as it is, without a line feed after it.
package func remark(unterminated text: String) { try? writeAll(Data(text.utf8), to: STDERR_FILENO) }
