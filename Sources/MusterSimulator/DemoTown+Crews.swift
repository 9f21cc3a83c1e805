/// The crews of the demo town's people, and their telephone numbers.
extension DemoTown {
    /// The names of the crews.
    package static let crews = [
        "Harbour watch", "Engine 1", "Engine 2", "First aid", "School wardens", "Boat crew",
    ]

    /// Returns the crew of the person of this index; nil for every seventh, who is in none.
    package static func crew(of person: Int) -> String? {
        let place = person % (crews.count + 1)
        return place < crews.count ? crews[place] : nil
    }

    /// Returns the telephone number of the person of this index, of the 1,000 mobile numbers that Ofcom, the United
    /// Kingdom's regulator, keeps free for drama: +44 7700 900000 to 900999.
    package static func phone(of person: Int) -> String {
        let digits = String(person % mostPeople)
        return "+44 7700 900" + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
