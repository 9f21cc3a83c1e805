import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// The settings of targets that send texts, and their budget.
@Suite struct TextSettingsTests {
    private static let noon = Instant(milliseconds: 20_000 * 86_400_000 + 43_200_000)

    @Test func `a budget is spent once, and begins anew with the day`() {
        var settings = TextSettings(gateway: .form, recipients: [.person])
        settings.perDay = 50
        #expect(settings.take(20, at: Self.noon) == 20)
        #expect(settings.take(20, at: Self.noon.advanced(bySeconds: 43_199)) == 20)
        #expect(settings.take(20, at: Self.noon) == 10)
        #expect(settings.take(20, at: Self.noon) == 0)
        #expect(settings.granted(on: Self.noon) == 50)
        #expect(settings.granted(on: Self.noon.advanced(bySeconds: 43_200)) == 0)
        #expect(settings.take(20, at: Self.noon.advanced(bySeconds: 43_200)) == 20)
        // A moment that was read before midnight takes of the day that has begun.
        #expect(settings.take(20, at: Self.noon.advanced(bySeconds: 43_199)) == 20)
        #expect(settings.take(20, at: Self.noon.advanced(bySeconds: 43_200)) == 10)
        // A clock that was years ahead does not hold back texts for years.
        #expect(settings.take(1, at: Self.noon.advanced(bySeconds: 1e9)) == 1)
        #expect(settings.take(60, at: Self.noon) == 50)
    }

    @Test func `a smaller budget takes nothing back`() {
        var settings = TextSettings(gateway: .form, recipients: [.person])
        #expect(settings.take(100, at: Self.noon) == 100)
        settings.perDay = 10
        #expect(settings.take(1, at: Self.noon) == 0)
        #expect(settings.granted(on: Self.noon) == 100)
    }

    @Test func `what is stored is read again`() throws {
        var texts = TextSettings(
            gateway: .kannel,
            recipients: [.team(TeamNumber(3)), .leaders(of: TeamNumber(4)), .person, .number("+34600111222")])
        texts.sender = "Muster"
        (texts.perMinute, texts.perDay, texts.lifetimeMinutes) = (7, 8, 9)
        _ = texts.take(5, at: Self.noon)
        let settings = TargetSettings(
            url: "https://x", fields: [.init(name: "Authorization", value: "Basic x")], texts: texts)
        let vault = SecretVault()
        let credential = settings.credential(of: TargetNumber(1), sealedBy: vault, at: Self.noon)
        #expect(try TargetSettings(credential, of: TargetNumber(1), openedBy: vault) == settings)
    }

    @Test func `five hundred people are divided at a time, each once, and a shared number gets one text`() async throws
    {
        let office = try await Office()
        let coordinator = office.coordinator
        let team = try #require(coordinator.directory.teams["south"]).number
        try await coordinator.edit { _, draft in
            for index in 0..<1_200 {
                let user = try draft.transaction.nextUserNumber()
                // Every tenth has the number of somebody of an earlier step, or of the first ten; every hundredth none.
                let digits = 600_000_000 + (index % 10 == 9 ? index % 100 / 10 : index)
                draft.edits.append(
                    .putUser(
                        User(
                            number: user, name: "p\(index)", role: .member, team: team,
                            phone: index % 100 == 50 ? nil : "+34\(digits)")))
            }
        }
        let division = TextDivision(
            settings: TextSettings(gateway: .form, recipients: [.team(team), .team(team), .number("+1555000000")]),
            country: nil)
        var content = NewDelivery(
            target: TargetNumber(1), subject: .nobody, rule: "r/1", event: "e", body: Array("\"go\"".utf8),
            createdAt: Self.noon)
        var people: [DeliverySubject] = []
        var (numbers, steps, withoutNumber) = (0, 0, 0)
        var after: UserNumber?
        repeat {
            let step = division.deliveries(
                of: content, saying: "go", about: TextOrigin(), after: after, in: coordinator.directory)
            steps += 1
            withoutNumber += step.withoutNumber
            after = nil
            for delivery in step.deliveries {
                switch try #require(OutgoingText(delivery)).recipient {
                case .subject: people.append(delivery.subject)
                case .number: numbers += 1
                case .everyone(let user):
                    after = user
                    content = delivery
                }
            }
        } while after != nil
        #expect(steps == 3 && numbers == 1)
        #expect(Set(people).count == people.count)
        // Lars and Sue of the office have no number, and 12 of the 1,200. Of those who share one the first gets the
        // text; the number that ends in 9 is of nobody else.
        #expect(withoutNumber == 14 && people.count == 1_200 - 12 - 119)
    }
}
