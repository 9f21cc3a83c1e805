import CoreLocation
import MusterKit
import SwiftUI

/// An app that records where its person is, and shows whether they are safe and where it is safe.
@main struct MusteringApp: App {
    @State private var muster: Muster?
    @State private var problem = ""
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            if let muster {
                MusteringScreen(muster: muster)
                    .onChange(of: phase) { muster.isInBackground = phase == .background }
            } else {
                Text(problem).task { await open() }
            }
        }
    }

    private func open() async {
        do {
            let muster = try await Muster.open("https://muster.example")  // No network is needed.
            self.muster = muster
            // It goes on while no screen is shown.
            Task { for await _ in muster.track(CoreLocationSource(.fitness, authorization: .always)) {} }
        } catch {
            problem = error.localizedDescription
        }
    }
}

/// The screen of the person.
struct MusteringScreen: View {
    let muster: Muster
    @State private var account = Muster.Account.signedOut
    @State private var safety: Muster.Safety?
    @State private var regions: [Muster.Region] = []
    @State private var incident: Muster.Incident?
    @State private var user = ""
    @State private var password = ""
    @State private var message = ""

    var body: some View {
        List {
            if let incident { Text(incident.isDrill ? "This is a drill" : "Evacuate") }
            switch account {
            case .signedIn:
                Text(safety?.state == .safe ? "You are safe" : "You are in no muster region")
                ForEach(regions) { region in Text(region.title) }
            case .signingIn(_, let reason): Text(reason ?? "Signing in")
            case .signedOut, .signInNeeded:
                TextField("Name", text: $user)
                SecureField("Password", text: $password)
                Button("Sign in") { Task { await signIn() } }
            }
            Text(message)
        }
        .task { for await account in muster.account { self.account = account } }
        .task { for await safety in muster.safety { self.safety = safety } }
        .task { for await regions in muster.regions { self.regions = regions } }
        .task { for await incident in muster.incident { self.incident = incident } }
        .task { for await availability in muster.availability { message = "\(availability)" } }
    }

    private func signIn() async {
        do {
            try await muster.signIn(user: user, password: password)
        } catch {
            message = error.localizedDescription
        }
    }
}
