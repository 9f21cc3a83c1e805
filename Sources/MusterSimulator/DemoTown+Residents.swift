/// The demo town's people: their names, how they move, and how they respond to an alarm.
extension DemoTown {
    /// Returns people with unique names, always the same. When the given names are used up, the names get numbers.
    static func residents(_ count: Int) -> [Person] {
        (0..<count).map { index in
            let round = index / givenNames.count
            let name = givenNames[index % givenNames.count]
            return Person(
                name: round == 0 ? name : "\(name).\(round + 1)", manner: manner(of: index),
                response: response(of: index))
        }
    }

    private static func manner(of index: Int) -> Person.Manner {
        switch index % 10 {
        case 3: .drives
        case 6, 9: .lingers
        default: .walks
        }
    }

    private static func response(of index: Int) -> Person.Response {
        switch index % 40 {
        case 4, 17, 31: .late
        case 11: .stubborn
        case 22: .unreachable
        default: .prompt
        }
    }

    private static let givenNames = [
        "aisha", "mateo", "yuki", "kwame", "ingrid", "ravi", "leila", "tomasz", "nia", "sione", "carmen", "bjorn",
        "mei", "omar", "zanele", "luca", "anahera", "dmitri", "priya", "jorge", "fatou", "hana", "eoin", "sofia",
        "tariq", "linh", "marta", "kofi", "noor", "pavel", "itzel", "minjun", "amara", "henrik", "dalia", "thabo",
        "elif", "joao", "siobhan", "arjun",
    ]
}
