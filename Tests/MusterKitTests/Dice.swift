import Foundation

/// SplitMix64, so that a run can be had again by its seed.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Where all files of this run's tests are; the folder goes when the process ends, also after a failure.
private let temporaryFolder: String = {
    let folder = FileManager.default.temporaryDirectory.appending(path: "muster-kit-\(UUID().uuidString)").path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: temporaryFolder) }
    return folder
}()

/// A path of this run where nothing is yet.
func temporaryPath() -> String {
    "\(temporaryFolder)/\(UUID().uuidString).sqlite"
}
