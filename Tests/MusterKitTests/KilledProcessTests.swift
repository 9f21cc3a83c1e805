import Foundation
import Testing

/// Tests that start a process and kill it. They run one at a time, and only with more than one core: a test that waits
/// for a process to exit keeps a thread, Swift has one thread a core, and the server of the tests needs one too.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "the server needs a thread beside the waiting one"))
enum KilledProcessTests {
    @Suite struct DatasetConvergenceTests {}
    @Suite struct KilledBeaconTests {}
    @Suite struct KilledDeviceTests {}
}
