import MusterCore
import MusterStore
import MusterWire

/// Divides a rule's delivery into one text for each person and number.
struct TextDivision {
    let settings: TextSettings
    let country: String?

    /// The largest number of texts that one transaction stores.
    static let limit = 500

    /// The deliveries of the next texts, and one for the rest where there are more.
    ///
    /// - Parameters:
    ///   - content: what the rule made, or the rest of it.
    ///   - text: what the texts say.
    ///   - origin: what they are about.
    ///   - user: the person after whom to go on; nil at the beginning.
    /// - Returns: the deliveries, and how many people of this step have no number that can be dialled.
    /// - Complexity: O(users).
    func deliveries(
        of content: NewDelivery, saying text: String, about origin: TextOrigin, after user: UserNumber?,
        in directory: Directory
    ) -> (deliveries: [NewDelivery], withoutNumber: Int) {
        var deliveries: [NewDelivery] = []
        var numbers: Set<String> = []
        func add(_ recipient: OutgoingText.Recipient, _ subject: DeliverySubject) {
            var copy = content
            copy.subject = subject
            copy.contentType = OutgoingText.contentType
            copy.body = OutgoingText(recipient, text, origin).json
            deliveries.append(copy)
        }
        for case .number(let number) in settings.recipients where numbers.insert(number).inserted && user == nil {
            add(.number(number), .nobody)
        }
        // A test is for the operator's own numbers: nobody else is to read it, and nobody pays for it.
        var people = content.rule == Self.test ? [] : people(about: origin.subject, in: directory)
        if let user {
            // The numbers of earlier steps have their text.
            let earlier = people.prefix { $0.number <= user }
            for person in earlier { Self.number(of: person, country: country).map { _ = numbers.insert($0) } }
            people.removeFirst(earlier.count)
        }
        var withoutNumber = 0
        for person in people.prefix(Self.limit) {
            guard let number = Self.number(of: person, country: country) else {
                withoutNumber += 1
                continue
            }
            if numbers.insert(number).inserted { add(.subject, .user(person.number)) }
        }
        if people.count > Self.limit { add(.everyone(after: people[Self.limit - 1].number), .nobody) }
        return (deliveries, withoutNumber)
    }

    /// The name of the rule in the delivery of a test.
    private static let test = "test"

    /// The number of a person as a gateway dials it; nil where they have none, or its country is not certain.
    static func number(of person: User, country: String?) -> String? {
        person.phone.flatMap { PhoneNumber($0, country: country)?.dialled }
    }

    /// The people that the settings name, in the order of their numbers.
    private func people(about subject: DeliverySubject, in directory: Directory) -> [User] {
        var (teams, ledTeams): (Set<TeamNumber>, Set<TeamNumber>) = ([], [])
        var person: UserNumber?
        for recipient in settings.recipients {
            switch recipient {
            case .team(let team): teams.insert(team)
            case .leaders(let team): ledTeams.insert(team)
            case .person: person = Self.person(of: subject, in: directory)
            case .number: break
            }
        }
        return directory.users.all.filter { each in
            if each.number == person { return true }
            guard let team = each.team else { return false }
            return teams.contains(team) || (each.role == .leader && ledTeams.contains(team))
        }.sorted { $0.number < $1.number }
    }

    private static func person(of subject: DeliverySubject, in directory: Directory) -> UserNumber? {
        switch subject {
        case .user(let user): user
        case .device(let device): directory.devices[device]?.user
        case .nobody: nil
        }
    }

    /// What the texts of a rule's delivery say.
    ///
    /// - Parameter canAnswer: whether the server takes texts, so that people can answer.
    static func text(of content: NewDelivery, in language: TextLanguage, canAnswer: Bool) -> String {
        let event = try? JSONValue(parsing: content.body)
        if event?["detail-type"]?.string == "Muster Incident", let detail = event?["detail"],
            let team = detail["Team"]?.string, let turn = detail["EventType"]?.string,
            ["STARTED", "REOPENED", "CLOSED"].contains(turn)
        {
            return EvacuationText(
                team: team, note: detail["Note"]?.string, isDrill: detail["Kind"]?.string == "drill",
                isOpen: turn != "CLOSED", canAnswer: canAnswer
            ).words(in: language)
        }
        return PlainWords.text(of: content.body)
    }
}
