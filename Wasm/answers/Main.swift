// Writes what the engine answers natively, with which Tests/Wasm compares the WebAssembly module. Scripts/wasm compiles
// it with all of Sources/MusterCore, and without Wasm/OnePhone.swift; it is no part of the Swift package.
//
//     native FOLDER

import Foundation

@main
struct NativeAnswers {
    static func main() throws {
        let folder = URL(filePath: CommandLine.arguments[1])
        try RegionAnswers.text().write(to: folder.appending(path: "regions.json"), atomically: true, encoding: .utf8)
        var log = ScenarioLog()
        for walk in 0..<200 {
            for isRaw in [false, true] { log.run(.walk(seed: UInt64(walk), isRaw: isRaw)) }
        }
        for scenario in Scenario.golden() + Scenario.shared() { log.run(scenario) }
        try log.write(to: folder)
    }
}

/// A seeded generator of random numbers: SplitMix64 (Steele, Lea, Flood, 2014).
struct Chance: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    mutating func happens(_ probability: Double) -> Bool { number(0...1) < probability }

    /// Returns a number from a nearly normal distribution of mean 0 and deviation 1.
    mutating func error() -> Double { (0..<12).reduce(-6) { sum, _ in sum + number(0...1) } }
}
