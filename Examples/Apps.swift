import Foundation
import MusterApp

/// Opens the app in a folder, and says how its person is.
@MainActor func show(in folder: URL) async {
    let app = AppModel(AppSystem(folder: folder))
    await app.open()  // No network is needed.
    switch app.face {
    case .signIn: print(app.signIn.what)
    case .member, .leader: print(app.account?.status.spoken ?? "")
    case .unavailable: print(app.problem ?? "")
    }
}
