/// Chance that can be had again: the same numbers from the same seed, which is printed.
struct Chance {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
        print("seed \(seed)")
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return range.lowerBound + Double(state >> 11) * 0x1p-53 * (range.upperBound - range.lowerBound)
    }

    mutating func happens(_ probability: Double) -> Bool { number(0...1) < probability }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[min(Int(number(0...Double(elements.count))), elements.count - 1)]
    }
}
