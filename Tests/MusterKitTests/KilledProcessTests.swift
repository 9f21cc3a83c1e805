import Foundation
import Testing

/// Tests that start a process and kill it, one at a time and not on one core alone: whoever waits for a process to exit
/// keeps a thread, and Swift has as many as there are cores. Where all wait, the server of the tests answers nobody.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "the server needs a thread beside the waiting one"))
enum KilledProcessTests {
    @Suite struct DatasetConvergenceTests {}
    @Suite struct KilledBeaconTests {}
    @Suite struct KilledDeviceTests {}
}
