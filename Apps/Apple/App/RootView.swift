import MusterApp
import SwiftUI

/// The whole app: the face that the model names, and what is shown over everything.
struct RootView: View {
    @Bindable var app: AppModel

    var body: some View {
        Group {
            switch app.face {
            case .signIn: SignInView(signIn: app.signIn)
            case .unavailable: UnavailableView(app: app)
            case .member, .leader:
                if let account = app.account { AccountView(app: app, account: account) }
            }
        }
        .environment(\.locale, Locale(identifier: app.wording.language.id))
    }
}

/// Why the app cannot be opened now, and a button that tries again.
struct UnavailableView: View {
    let app: AppModel

    var body: some View {
        VStack(spacing: 16) {
            ContentUnavailableView(app.problem ?? "", systemImage: "lock.iphone")
            ActionButton(app.retryTitle, "arrow.clockwise") { await app.open() }.buttonStyle(.borderedProminent)
        }
        .padding(24)
    }
}

/// The tabs of a person who is signed in.
struct AccountView: View {
    @Bindable var app: AppModel
    let account: AccountModel

    var body: some View {
        TabView(selection: $app.navigation.tab) {
            ForEach(app.tabs) { tab in
                NavigationStack(path: $app[path: tab]) {
                    TabContent(tab: tab, app: app, account: account)
                        .navigationDestination(for: Navigation.Route.self) { route in
                            RouteContent(route: route, app: app, account: account)
                        }
                }
                .tabItem { Label(app.title(of: tab), systemImage: tab.symbol) }
                .tag(tab)
                .badge(account.badge(of: tab))
            }
        }
        .fullScreenCover(item: $app.navigation.sheet) { sheet in
            switch sheet {
            case .call:
                if let card = account.call.unseen {
                    CallView(card: card, call: account.call) { app.show(.way) }
                }
            case .sos:
                if let countdown = account.safety.countdown {
                    CountdownView(countdown: countdown, safety: account.safety)
                }
            case .alarm:
                if let alarms = account.leader?.alarms { AlarmsView(alarms: alarms) }
            }
        }
    }
}

/// What a tab shows.
struct TabContent: View {
    let tab: Navigation.Tab
    let app: AppModel
    let account: AccountModel

    var body: some View {
        switch tab {
        case .now: NowView(app: app, account: account)
        case .way: WayView(way: account.way)
        case .seen: VisibilityView(visibility: account.visibility)
        case .phone: SettingsView(app: app, account: account)
        case .people: if let leader = account.leader { RosterView(roster: leader.roster) }
        case .map:
            TeamMapView(map: account.map, title: app.title(of: .map))
                .toolbar { ToolbarItem(placement: .primaryAction) { PartLinks(tab: .map, app: app) } }
        case .incident: if let leader = account.leader { IncidentView(incident: leader.incident) }
        case .regions: if let leader = account.leader { RegionsView(regions: leader.regions) }
        }
    }
}

/// Links to the parts that are found within a tab.
struct PartLinks: View {
    let tab: Navigation.Tab
    let app: AppModel

    var body: some View {
        ForEach(app.parts(within: tab)) { part in
            NavigationLink(value: Navigation.Route.part(part)) {
                Label(app.title(of: part), systemImage: part.symbol)
            }
        }
    }
}

/// What is opened above the list of a tab.
struct RouteContent: View {
    let route: Navigation.Route
    let app: AppModel
    let account: AccountModel

    var body: some View {
        switch route {
        case .person(let name):
            if let leader = account.leader { PersonView(person: leader.person(name)) }
        case .region(let collection, let id):
            if let leader = account.leader { RegionView(regions: leader.regions, collection: collection, id: id) }
        case .newRegion: if let leader = account.leader { NewRegionView(regions: leader.regions) }
        case .incident(let number):
            if let leader = account.leader { PastIncidentView(incident: leader.incident, number: number) }
        case .outbox: List { OutboxView(outbox: account.waiting) }.navigationTitle(account.waiting.title)
        case .permissions: PermissionsView(settings: account.settings)
        case .datasets: DatasetsView(settings: account.settings)
        case .part(let part): TabContent(tab: part, app: app, account: account)
        }
    }
}

extension AppModel {
    /// What is opened in a tab. The model has one path, that of the tab that is shown.
    fileprivate subscript(path tab: Navigation.Tab) -> [Navigation.Route] {
        get { navigation.tab == tab ? navigation.path : [] }
        set { if navigation.tab == tab { navigation.path = newValue } }
    }
}

extension AccountModel {
    /// The number beside a tab; 0 shows none.
    fileprivate func badge(of tab: Navigation.Tab) -> Int { tab == .phone ? waiting.waitingCount : 0 }
}

extension Navigation.Tab {
    /// The symbol of SF Symbols.
    fileprivate var symbol: String {
        switch self {
        case .now: "person.crop.circle"
        case .way: "location.north.line"
        case .seen: "eye"
        case .phone: "iphone"
        case .people: "person.3"
        case .map: "map"
        case .incident: "exclamationmark.triangle"
        case .regions: "square.dashed"
        }
    }
}
