import MusterCore
import Testing

@Suite struct SignalTests {
    private func signal(at seconds: Double) -> Signal {
        Signal(id: "a", name: "button", sampleTime: World.time(seconds), receivedTime: World.time(seconds))
    }

    @Test func `a signal is reported, and does not show that its person was heard`() {
        var world = World()
        let before = world.engine.safety(of: World.ana)
        var decision = Decision()
        let observation = Observation.signal(signal(at: 0), of: World.phone)
        #expect(world.engine.decide(observation, now: World.time(0), into: &decision) == .accepted)
        var told: [Change] = []
        decision.takeChanges { told.append($0) }
        #expect(told == [.signal(signal(at: 0), of: World.phone)])
        #expect(decision.devicesToStore.isEmpty && decision.statesToStore.isEmpty && decision.peopleToStore.isEmpty)
        world.engine.adopt(&decision)
        #expect(world.engine.safety(of: World.ana) == before)
    }

    @Test func `the store is asked whether a signal is a repetition`() {
        let world = World()
        let question = world.engine.question(
            about: .signal(signal(at: -3_600), of: World.phone), now: World.time(0), after: Decision())
        #expect(question == .isStored)
    }

    @Test(arguments: ["", "a b", "ä", String(repeating: "x", count: 65), "a/b"])
    func `an invalid signal name is refused`(text: String) {
        #expect(!Signal.isValid(word: text) && Signal.isValid(word: "trigger-1"))
    }
}
