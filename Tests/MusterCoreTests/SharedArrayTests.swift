import Testing

@testable import MusterCore

@Suite struct SharedArrayTests {
    @Test func `a copy keeps what it had, whatever becomes of the original`() {
        var chance = Chance(seed: 36)
        var array = SharedArray<Int>()
        var model: [Int] = []
        var copies: [(SharedArray<Int>, [Int])] = []
        for step in 0..<12_000 {
            if model.isEmpty || step % 2 == 0 {
                array.append(step)
                model.append(step)
            } else {
                let index = chance.pick([0, model.count / 3, model.count - 1, step % model.count])
                array[index] = -step
                model[index] = -step
            }
            if step % 1_100 == 0 { copies.append((array, model)) }
        }
        #expect(Array(array) == model)
        for (copy, earlier) in copies { #expect(Array(copy) == earlier) }
        array.extend(to: 9_000, with: 7)
        #expect(array.count == max(9_000, model.count))
        array.extend(to: 12_345, with: 7)
        #expect(array.count == 12_345 && array[12_344] == 7 && array[0] == model[0])
    }
}
